package proc

import (
	"io"
	"sync"
)

// task is one background command.
type task struct {
	id      string
	owner   string
	line    string
	process Process
	done    chan struct{} // closed when exit is set

	mu             sync.Mutex
	stdout, stderr unread
	exit           *Exit
}

// unread is what a stream wrote since it was read.
type unread struct {
	tail *Tail
	ref  string // of the full output, "" as long as there is none
}

// newTask returns the task of c and points c's output at it.
func newTask(owner string, c *Command) *task {
	k := &task{owner: owner, line: c.Line, done: make(chan struct{})}
	k.stdout.tail, k.stderr.tail = NewTail(c.Keep), NewTail(c.Keep)
	c.Timeout = 0
	c.Output = func(text string) { k.add(&k.stdout, text) }
	c.Stderr = func(text string) { k.add(&k.stderr, text) }
	if spill := c.Spill; spill != nil {
		c.Spill = func(stream string) (io.WriteCloser, string, error) {
			w, ref, err := spill(stream)
			if err == nil {
				k.spilled(stream, ref)
			}
			return w, ref, err
		}
	}
	return k
}

func (k *task) add(u *unread, text string) {
	k.mu.Lock()
	defer k.mu.Unlock()
	u.tail.Add(text)
}

// spilled remembers where the full output of a stream lies, so that it can be
// named while the task runs.
func (k *task) spilled(stream, ref string) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if stream == StreamStderr {
		k.stderr.ref = ref
	} else {
		k.stdout.ref = ref
	}
}

// settle records how the task ended. A full output that was lost at the end is
// not named any more.
func (k *task) settle(exit Exit) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.stdout.ref, k.stderr.ref = exit.Stdout.Ref, exit.Stderr.Ref
	exit.Stdout.Text, exit.Stderr.Text = "", ""
	k.exit = &exit
	close(k.done)
}

// ended says whether the task has ended.
func (k *task) ended() bool {
	select {
	case <-k.done:
		return true
	default:
		return false
	}
}

// read takes what is unread.
func (k *task) read() Delta {
	k.mu.Lock()
	defer k.mu.Unlock()
	d := Delta{Exit: k.exit}
	d.Stdout = k.stdout.take(&d)
	d.Stderr = k.stderr.take(&d)
	return d
}

// take returns the unread text and tells d what of it is missing.
func (u *unread) take(d *Delta) string {
	text := u.tail.String()
	if u.tail.Truncated() {
		d.Dropped = true
		if u.ref != "" {
			d.Refs = append(d.Refs, u.ref)
		}
	}
	u.tail.Reset()
	return text
}
