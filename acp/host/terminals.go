package host

import (
	"context"
	"fmt"
	"strings"
	"sync"

	"github.com/agent-ls/agent-ls/acp"
	"github.com/agent-ls/agent-ls/agent"
	"github.com/agent-ls/agent-ls/tools/proc"
)

const (
	// maxTerminals bounds the terminals that an agent has at a time.
	maxTerminals = 64
	// defaultKept is how much output a terminal keeps where the agent names no
	// limit, in bytes; maxKept is the largest limit.
	defaultKept, maxKept = 1 << 20, 8 << 20
)

// terminals are the commands that the agent runs through us. Safe for concurrent
// use.
type terminals struct {
	link *link

	mu     sync.Mutex
	closed bool
	last   int
	open   map[string]*terminal
	work   sync.WaitGroup
}

// terminal is one command.
type terminal struct {
	id      string
	process proc.Process
	done    chan struct{} // closed when exit is set
	exit    proc.Exit

	mu    sync.Mutex
	kept  *proc.Tail
	total int
	// show shows output in a card, nil before one embeds the terminal.
	show func(text string)
}

// start runs a command and returns its terminal.
func (ts *terminals) start(ctx context.Context, c proc.Command, limit uint64) (*terminal, error) {
	ts.mu.Lock()
	defer ts.mu.Unlock()
	switch {
	case ts.closed:
		return nil, agent.ErrClosed
	case len(ts.open) >= maxTerminals:
		return nil, fmt.Errorf("more than %d terminals are open; release some first", maxTerminals)
	}
	keep := defaultKept
	if limit > 0 {
		keep = int(min(limit, maxKept))
	}
	t := &terminal{kept: proc.NewTail(keep), done: make(chan struct{})}
	c.Output = t.add
	process, err := ts.link.d.runner().Start(ctx, c)
	if err != nil {
		return nil, err
	}
	ts.last++
	t.id, t.process = fmt.Sprintf("term-%d", ts.last), process
	if ts.open == nil {
		ts.open = map[string]*terminal{}
	}
	ts.open[t.id] = t
	ts.work.Go(t.wait)
	return t, nil
}

// runner runs commands: the front end's where it has one.
func (d *Driver) runner() proc.Runner {
	if r := d.session.FrontEnd().Runner; r != nil {
		return r
	}
	return d.agent.o.Runner
}

func (t *terminal) wait() {
	exit, err := t.process.Wait(context.Background())
	if err == nil {
		t.exit = exit
	}
	close(t.done)
}

// add takes output of the command.
func (t *terminal) add(text string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.kept.Add(text)
	t.total += len(text)
	if t.show != nil {
		t.show(text)
	}
}

// showIn shows the output in a card: what there is, and what comes.
func (t *terminal) showIn(call string, feed *agent.Feed) {
	if id := t.process.Terminal(); id != "" {
		feed.Attach(call, id)
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.show = func(text string) { feed.Output(call, text) }
	if text := t.kept.String(); text != "" {
		t.show(text)
	}
}

// text is the output so far, the end of it where it is long.
func (t *terminal) text() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.kept.String()
}

// status is how the command ended, nil while it runs.
func (t *terminal) status() *exitStatus {
	select {
	case <-t.done:
	default:
		return nil
	}
	return &exitStatus{Code: t.exit.Code, Signal: t.exit.Signal}
}

// wireStatus is the same for the agent.
func (t *terminal) wireStatus() *acp.TerminalExitStatus {
	s := t.status()
	if s == nil {
		return nil
	}
	out := &acp.TerminalExitStatus{Signal: s.Signal}
	if s.Code != nil && *s.Code >= 0 {
		code := uint32(*s.Code)
		out.ExitCode = &code
	}
	return out
}

// end ends the command and frees the terminal.
func (t *terminal) end() {
	t.process.Stop()
	<-t.done
	t.process.Release()
}

func (ts *terminals) get(id string) *terminal {
	ts.mu.Lock()
	defer ts.mu.Unlock()
	return ts.open[id]
}

// release takes a terminal away, nil for one that is not open.
func (ts *terminals) release(id string) *terminal {
	ts.mu.Lock()
	defer ts.mu.Unlock()
	t := ts.open[id]
	delete(ts.open, id)
	return t
}

// all are the open terminals.
func (ts *terminals) all() []*terminal {
	ts.mu.Lock()
	defer ts.mu.Unlock()
	var out []*terminal
	for _, t := range ts.open {
		out = append(out, t)
	}
	return out
}

// stop ends the commands that run; their terminals stay.
func (ts *terminals) stop() {
	for _, t := range ts.all() {
		t.process.Stop()
	}
}

// close ends everything and waits.
func (ts *terminals) close() {
	ts.mu.Lock()
	ts.closed = true
	ts.mu.Unlock()
	for _, t := range ts.all() {
		if ts.release(t.id) != nil {
			t.end()
		}
	}
	ts.work.Wait()
}

// commandLine is a program with its arguments as a line for a shell.
func commandLine(program string, args []string) string {
	if len(args) == 0 {
		return program
	}
	words := []string{quoteWord(program)}
	for _, arg := range args {
		words = append(words, quoteWord(arg))
	}
	return strings.Join(words, " ")
}

// quoteWord is a word as a shell takes it as it is; POSIX shells and PowerShell
// have the same quotes for what holds none.
func quoteWord(s string) string {
	if s != "" && strings.IndexFunc(s, func(r rune) bool {
		return !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("-_./:=@%+,", r))
	}) < 0 {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}
