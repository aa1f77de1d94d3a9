package proc

import (
	"errors"
	"log/slog"
	"os"
	"os/exec"
	"sync"
	"sync/atomic"
	"time"
)

// Program is a program that is spoken to over its standard streams, such as an
// MCP server or a hosted agent (contract §2, §6).
type Program struct {
	// Path is the executable; a bare name is looked up in this process's PATH.
	Path string
	// Args are its arguments, without the name.
	Args []string
	// Dir is the absolute working folder.
	Dir string
	// Env is its whole environment, see Environment.
	Env []string
	// Stderr, when set, gets what it writes to its standard error, as
	// Command.Output does.
	Stderr func(text string)
	// Quiet is how long Close lets it leave by itself once its input has
	// ended (500 ms), Grace the time from TERM to KILL after that (1 s).
	Quiet, Grace time.Duration
	Logger       *slog.Logger
}

// Child is a running Program. Write gives it input, Read takes its standard
// output; one goroutine may read while another writes. When it has ended, so
// has its process group, and Read comes to an end.
type Child struct {
	program Program
	cmd     *exec.Cmd
	group   *group
	warden  *warden // ends the program when this process is killed
	stdin   *os.File
	stdout  *os.File
	stderr  *stream

	closeOnce sync.Once
	outputEnd sync.Once
	aborted   atomic.Bool
	drained   chan struct{} // closed when Read has come to the end
	done      chan struct{} // closed when exit is set
	over      chan struct{} // closed when run has returned
	exit      Exit
}

// readRestTime bounds the wait for the end of the output after the program has
// ended: a process that left its group may hold the pipe.
const readRestTime = 2 * time.Second

// Start starts p in a process group of its own. An error is an *Error and
// means that nothing runs.
func (p Program) Start() (*Child, error) {
	if err := checkFolder(p.Dir); err != nil {
		return nil, err
	}
	p.Quiet, p.Grace = orDefault(p.Quiet, 500*time.Millisecond), orDefault(p.Grace, time.Second)
	if p.Logger == nil {
		p.Logger = slog.New(slog.DiscardHandler)
	}
	theirs, ours, err := standardPipes()
	if err != nil {
		return nil, programError(p.Path, err)
	}
	cmd := exec.Command(p.Path, p.Args...)
	cmd.Dir, cmd.Env = p.Dir, p.Env
	cmd.Stdin, cmd.Stdout, cmd.Stderr = theirs[0], theirs[1], theirs[2]
	watch := &warden{logger: p.Logger}
	group, err := startGroup(cmd, false, watch)
	closeAll(theirs)
	if err != nil {
		closeAll(ours)
		return nil, programError(p.Path, err)
	}
	c := &Child{
		program: p, cmd: cmd, group: group, warden: watch, stdin: ours[0], stdout: ours[1],
		stderr:  newStream(ours[2], newCapture(StreamStderr, Command{}, p.Stderr, p.Logger)),
		drained: make(chan struct{}), done: make(chan struct{}), over: make(chan struct{}),
	}
	go c.stderr.read()
	go c.run(time.Now())
	return c, nil
}

// standardPipes returns the ends of three pipes: those of a program, its
// input, output and error, and those of who speaks to it.
func standardPipes() (theirs, ours []*os.File, err error) {
	for i := range 3 {
		r, w, err := os.Pipe()
		if err != nil {
			closeAll(theirs)
			closeAll(ours)
			return nil, nil, err
		}
		if i == 0 {
			theirs, ours = append(theirs, r), append(ours, w)
		} else {
			theirs, ours = append(theirs, w), append(ours, r)
		}
	}
	return theirs, ours, nil
}

func programError(path string, err error) error {
	return &Error{
		Code: CodeSpawnFailed, Message: "the program " + path + " could not be started: " + err.Error(),
		Hint: "Check that it is installed and that its path is right", Err: err,
	}
}

// run reaps the program, ends what it left behind, and bounds the wait for the
// end of its output.
func (c *Child) run(started time.Time) {
	defer close(c.over)
	err := c.cmd.Wait()
	c.group.setReaped()
	c.group.terminate(c.program.Grace)
	c.group.release()
	c.warden.close()
	drain([]*stream{c.stderr}, 100*time.Millisecond, readRestTime)
	c.exit.Aborted = c.aborted.Load()
	c.exit.Code, c.exit.Signal = exitStatus(c.cmd.ProcessState, c.exit.Aborted)
	c.exit.Stderr, c.exit.Duration = c.stderr.finish(), time.Since(started)
	if exitErr := (*exec.ExitError)(nil); err != nil && !errors.As(err, &exitErr) {
		c.program.Logger.Error("waiting for a program failed", "program", c.program.Path, "error", err)
	}
	close(c.done)
	timer := time.NewTimer(readRestTime)
	defer timer.Stop()
	select {
	case <-c.drained:
	case <-timer.C:
		cutOff(c.stdout)
	}
}

// Read reads the program's standard output.
func (c *Child) Read(p []byte) (int, error) {
	n, err := c.stdout.Read(p)
	if err != nil {
		c.outputEnd.Do(func() { close(c.drained) })
	}
	return n, err
}

// Write writes to the program's standard input.
func (c *Child) Write(p []byte) (int, error) { return c.stdin.Write(p) }

// CloseInput ends the program's standard input, by which most programs know
// that they are to leave. It does not wait.
func (c *Child) CloseInput() error { return c.stdin.Close() }

// Done is closed when the program and its group have ended.
func (c *Child) Done() <-chan struct{} { return c.done }

// Exit returns how the program ended, without its standard output; Aborted says
// that Close had to force it. Call it once Done is closed.
func (c *Child) Exit() Exit { return c.exit }

// Close ends the program: the end of its input, then TERM, then KILL for its
// whole group. It returns when all of it has ended, and wakes a blocked Read.
// It may be called many times.
func (c *Child) Close() error {
	c.closeOnce.Do(func() {
		_ = c.CloseInput()
		timer := time.NewTimer(c.program.Quiet)
		defer timer.Stop()
		select {
		case <-c.done:
		case <-timer.C:
			c.aborted.Store(!c.group.reaped.Load())
			c.group.terminate(c.program.Grace)
		}
	})
	<-c.done
	_ = c.stdout.Close()
	c.outputEnd.Do(func() { close(c.drained) })
	<-c.over
	return nil
}
