package proc

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"time"
)

// LocalOptions configure a Local; every field may be zero.
type LocalOptions struct {
	// Shell runs the command lines; FindShell when empty.
	Shell Shell
	// Environ is the environment that commands inherit from; nil means the
	// process's own. Secrets are taken out of it, see Environment.
	Environ []string
	// Grace is the time from TERM to KILL (3 s).
	Grace time.Duration
	// Idle and Drain bound the wait for output after the shell has exited:
	// nothing for Idle (100 ms), or Drain in all (2 s).
	Idle, Drain time.Duration
	// Terminal gives commands a pseudo terminal instead of pipes for their
	// output; stdout and stderr are one stream then. Off by default, since
	// programs colour and redraw for a terminal. Not on Windows.
	Terminal bool
	Logger   *slog.Logger
}

// Local runs commands as child processes. It is a Runner. Close ends all of
// them.
type Local struct {
	opts LocalOptions

	mu      sync.Mutex
	closed  bool
	running map[*process]struct{}
	// left are the groups of ended commands that still have processes.
	left []*group
	// work counts the goroutines of processes.
	work sync.WaitGroup
	// warden ends what runs when this process is killed.
	warden warden
}

// NewLocal returns a Local.
func NewLocal(o LocalOptions) *Local {
	if o.Shell.Path == "" {
		o.Shell = FindShell()
	}
	if o.Environ == nil {
		o.Environ = os.Environ()
	}
	o.Grace = orDefault(o.Grace, 3*time.Second)
	o.Idle = orDefault(o.Idle, 100*time.Millisecond)
	o.Drain = orDefault(o.Drain, 2*time.Second)
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	return &Local{opts: o, running: make(map[*process]struct{}), warden: warden{logger: o.Logger}}
}

func orDefault(d, def time.Duration) time.Duration {
	if d <= 0 {
		return def
	}
	return d
}

// Shell returns the shell that runs the commands.
func (l *Local) Shell() Shell { return l.opts.Shell }

// Start starts c. It fails with ctx's cause when ctx has ended before, else
// with an *Error. See Runner.
func (l *Local) Start(ctx context.Context, c Command) (Process, error) {
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	if err := checkLine(c.Line); err != nil {
		return nil, err
	}
	if err := checkFolder(c.Dir); err != nil {
		return nil, err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed {
		return nil, errShuttingDown()
	}
	l.forgetEmpty()
	p, err := l.spawn(ctx, c)
	if err != nil {
		return nil, err
	}
	l.running[p] = struct{}{}
	return p, nil
}

// checkFolder refuses working folders that are none; the system's own error
// does not say which path was wrong.
func checkFolder(dir string) error {
	bad := func(why string) error {
		return &Error{Code: CodeBadFolder, Message: fmt.Sprintf("working folder %q %s", dir, why), Hint: "Give an existing folder as workdir, or leave it out"}
	}
	if !filepath.IsAbs(dir) {
		return bad("is not absolute")
	}
	switch info, err := os.Stat(dir); {
	case os.IsNotExist(err):
		return bad("does not exist")
	case err != nil:
		return bad("cannot be used: " + err.Error())
	case !info.IsDir():
		return bad("is not a folder")
	}
	return nil
}

// spawn starts the process of c and its goroutines.
func (l *Local) spawn(ctx context.Context, c Command) (*process, error) {
	cmd := exec.Command(l.opts.Shell.Path)
	l.opts.Shell.arguments(cmd, c.Line)
	if c.Confine != nil {
		cmd.Args = c.Confine.Wrap(append([]string{cmd.Path}, cmd.Args[1:]...))
		cmd.Path = cmd.Args[0]
	}
	cmd.Dir = c.Dir
	cmd.Env = Environment(l.opts.Environ, c.Env)
	// cmd.Stdin stays nil: the null device (field report 86).
	ends, err := l.connect(cmd)
	if err != nil {
		return nil, spawnError(err)
	}
	group, err := startGroup(cmd, ends.terminal, &l.warden)
	ends.closeChild()
	if err != nil {
		ends.closeParent()
		return nil, spawnError(err)
	}
	p := newProcess(l, c, cmd, group, ends)
	p.watch(ctx, c.Timeout)
	l.work.Go(p.run)
	return p, nil
}

func spawnError(err error) error {
	return &Error{Code: CodeSpawnFailed, Message: "the command could not be started: " + err.Error(), Hint: "Try again, or use a simpler command", Err: err}
}

// forgetEmpty drops the groups of ended commands that are empty by now. The
// caller holds l.mu.
func (l *Local) forgetEmpty() {
	kept := l.left[:0]
	for _, g := range l.left {
		if g.populated() {
			kept = append(kept, g)
		} else {
			g.release()
		}
	}
	clear(l.left[len(kept):])
	l.left = kept
}

// ended takes p from the running commands and remembers what it left behind.
func (l *Local) ended(p *process) {
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.running, p)
	if p.group.populated() {
		l.left = append(l.left, p.group)
	} else {
		p.group.release()
	}
}

// Close ends every command, and every process that an ended command left in
// its group, and waits for all of it: at most the grace and a little more.
// Nothing starts after it.
func (l *Local) Close() {
	l.mu.Lock()
	l.closed = true
	for p := range l.running {
		p.Stop()
	}
	l.mu.Unlock()
	l.work.Wait()

	var left sync.WaitGroup
	for _, g := range l.left {
		left.Go(func() {
			g.terminate(l.opts.Grace)
			g.release()
		})
	}
	left.Wait()
	l.left = nil
	l.warden.close()
}

// pipeEnds are both ends of a command's output.
type pipeEnds struct {
	parent, child []*os.File
	terminal      bool
}

func (e *pipeEnds) closeChild()  { closeAll(e.child) }
func (e *pipeEnds) closeParent() { closeAll(e.parent) }

func closeAll(files []*os.File) {
	for _, f := range files {
		_ = f.Close()
	}
}

// connect makes the pipes, or the pseudo terminal, for cmd's output.
func (l *Local) connect(cmd *exec.Cmd) (*pipeEnds, error) {
	if l.opts.Terminal {
		return connectTerminal(cmd)
	}
	e := &pipeEnds{}
	for range 2 {
		r, w, err := os.Pipe()
		if err != nil {
			e.closeChild()
			e.closeParent()
			return nil, err
		}
		e.parent, e.child = append(e.parent, r), append(e.child, w)
	}
	cmd.Stdout, cmd.Stderr = e.child[0], e.child[1]
	return e, nil
}
