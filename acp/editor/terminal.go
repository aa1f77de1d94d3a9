package editor

import (
	"context"
	"errors"
	"io"
	"strings"
	"sync"
	"time"

	"github.com/agent-ls/agent-ls/acp"
	"github.com/agent-ls/agent-ls/tools/proc"
)

const (
	// patience bounds each request that ends a command, so that a turn is
	// cancelled within a second whatever the client does (field report 32).
	patience = 300 * time.Millisecond
	// outputLimit is how much output the client is asked to keep, in bytes.
	outputLimit = 4 << 20
)

// terminal is a command that runs in a terminal of the client.
type terminal struct {
	e       *Editor
	id      string
	session string
	command proc.Command
	// stop asks for the end of the command.
	stop     chan struct{}
	stopOnce sync.Once

	done chan struct{} // closed when exit and err are set
	exit proc.Exit
	err  error

	releaseOnce sync.Once
}

// Start runs a command in a terminal of the client.
func (e *Editor) Start(ctx context.Context, c proc.Command) (proc.Process, error) {
	if c.Confine != nil {
		return nil, &proc.Error{
			Code: proc.CodeSandboxUnavailable, Message: "a terminal of the editor cannot confine commands to " + c.Confine.Name, Hint: "Nothing was run",
		}
	}
	type answer struct {
		id  string
		err error
	}
	created := make(chan answer, 1)
	session := e.sessionID()
	request := e.createRequest(session, c)
	if !e.begin(func() {
		// Not with ctx: a terminal that is being made must be ended, too.
		var response acp.CreateTerminalResponse
		err := e.call(e.ctx, acp.MethodTerminalCreate, request, &response)
		created <- answer{response.TerminalID, err}
	}) {
		return nil, &proc.Error{Code: proc.CodeShuttingDown, Message: "no command can start: the session is closed", Hint: "Start it in a new session"}
	}
	select {
	case a := <-created:
		if a.err != nil {
			return nil, spawnError(a.err)
		}
		return e.follow(ctx, session, a.id, c), nil
	case <-ctx.Done():
		e.begin(func() {
			if a := <-created; a.err == nil {
				t := e.newTerminal(session, a.id, c)
				t.kill()
				t.Release()
			}
		})
		return nil, context.Cause(ctx)
	}
}

func spawnError(err error) error {
	return &proc.Error{
		Code: proc.CodeSpawnFailed, Message: "the editor cannot run the command in a terminal: " + acp.OneLine(err.Error()),
		Hint: "Check the working folder and the command", Err: err,
	}
}

// createRequest asks for a terminal in which c behaves as it would locally: the
// same shell, nothing that pages or prompts.
func (e *Editor) createRequest(session string, c proc.Command) acp.CreateTerminalRequest {
	r := acp.CreateTerminalRequest{SessionID: session, Cwd: c.Dir, OutputByteLimit: outputLimit}
	r.Command, r.Args = e.quirks.spell(c.Line, proc.FindShell())
	for _, entry := range proc.Environment(nil, c.Env) {
		name, value, _ := strings.Cut(entry, "=")
		r.Env = append(r.Env, acp.EnvVariable{Name: name, Value: value})
	}
	return r
}

// begin runs work in a goroutine that Close waits for; false when the editor is
// closed.
func (e *Editor) begin(work func()) bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.closed {
		return false
	}
	e.work.Go(work)
	return true
}

func (e *Editor) newTerminal(session, id string, c proc.Command) *terminal {
	return &terminal{e: e, id: id, session: session, command: c, stop: make(chan struct{}), done: make(chan struct{})}
}

// follow watches over a command that runs.
func (e *Editor) follow(ctx context.Context, session, id string, c proc.Command) *terminal {
	t := e.newTerminal(session, id, c)
	e.mu.Lock()
	e.terminals[t] = struct{}{}
	e.mu.Unlock()
	if !e.begin(func() { t.run(ctx) }) {
		t.kill()
		t.exit.Aborted = true
		close(t.done)
	}
	return t
}

// run waits for the end of the command, whoever brings it about.
func (t *terminal) run(ctx context.Context) {
	defer close(t.done)
	started := time.Now()
	waiting, cancel := context.WithCancel(context.Background())
	defer cancel()
	ended := make(chan exitStatus, 1)
	t.e.work.Go(func() { ended <- t.wait(waiting) })

	var deadline <-chan time.Time
	if t.command.Timeout > 0 {
		timer := time.NewTimer(t.command.Timeout)
		defer timer.Stop()
		deadline = timer.C
	}
	var status exitStatus
	select {
	case status = <-ended:
	case <-deadline:
		t.exit.TimedOut = true
	case <-t.stop:
		t.exit.Aborted = true
	case <-ctx.Done():
		t.exit.Aborted = true
	}
	if t.exit.TimedOut || t.exit.Aborted {
		status = t.end(ended)
	}
	t.err = status.err
	t.settle(status.TerminalExitStatus)
	if t.err == nil && !t.exit.Aborted {
		t.exit.Stdout, t.err = t.output()
	}
	t.exit.Duration = time.Since(started)
}

// exitStatus is the client's answer to terminal/wait_for_exit.
type exitStatus struct {
	acp.TerminalExitStatus
	err error
}

func (t *terminal) wait(ctx context.Context) (s exitStatus) {
	s.err = t.ask(ctx, acp.MethodTerminalWait, &s.TerminalExitStatus)
	return s
}

// end kills the command and gives the client a moment to say how it ended.
func (t *terminal) end(ended <-chan exitStatus) exitStatus {
	t.kill()
	timer := time.NewTimer(patience)
	defer timer.Stop()
	select {
	case s := <-ended:
		s.err = nil
		return s
	case <-timer.C:
		return exitStatus{}
	}
}

// settle records how the command ended. A code that the client does not give is
// not known, and never 0 (field report 31).
func (t *terminal) settle(s acp.TerminalExitStatus) {
	switch {
	case s.Signal != "":
		t.exit.Signal = s.Signal
	case s.ExitCode != nil:
		code := int(*s.ExitCode)
		t.exit.Code = &code
	}
}

// output fetches what the command wrote; both streams are one.
func (t *terminal) output() (proc.Captured, error) {
	ctx, cancel := context.WithTimeout(context.Background(), readPatience)
	defer cancel()
	var response acp.TerminalOutputResponse
	if err := t.ask(ctx, acp.MethodTerminalOutput, &response); err != nil {
		return proc.Captured{}, err
	}
	text := strings.ReplaceAll(response.Output, "\r\n", "\n")
	tail := proc.NewTail(t.command.Keep)
	tail.Add(text)
	c := proc.Captured{Text: tail.String(), Total: int64(len(text)), Truncated: tail.Truncated() || response.Truncated}
	if c.Truncated && !response.Truncated {
		c.Ref = t.spill(text)
	}
	return c, nil
}

// spill keeps the whole output; "" when it cannot be kept.
func (t *terminal) spill(text string) string {
	if t.command.Spill == nil {
		return ""
	}
	w, ref, err := t.command.Spill(proc.StreamStdout)
	if err == nil {
		_, err = io.WriteString(w, text)
		err = errors.Join(err, w.Close())
	}
	if err != nil {
		t.e.logger.Warn("full output of a command is not kept", "error", err)
		return ""
	}
	return ref
}

// Wait returns how the command ended, see proc.Process.
func (t *terminal) Wait(ctx context.Context) (proc.Exit, error) {
	select {
	case <-t.done:
		return t.exit, t.err
	default:
	}
	select {
	case <-t.done:
		return t.exit, t.err
	case <-ctx.Done():
		return proc.Exit{}, context.Cause(ctx)
	}
}

// Stop ends the command, see proc.Process.
func (t *terminal) Stop() { t.stopOnce.Do(func() { close(t.stop) }) }

// Terminal returns the id of the client's terminal.
func (t *terminal) Terminal() string { return t.id }

// Release lets the client forget the terminal; it ends a command that still
// runs.
func (t *terminal) Release() {
	t.releaseOnce.Do(func() {
		t.Stop()
		t.askBriefly(acp.MethodTerminalRelease)
		t.e.mu.Lock()
		delete(t.e.terminals, t)
		t.e.mu.Unlock()
	})
}

func (t *terminal) kill() { t.askBriefly(acp.MethodTerminalKill) }

// askBriefly asks something whose answer does not matter, and waits a moment
// for it. A slow client is not told that nobody waits any more: it might then
// not do what was asked. Only when the editor is closed nothing is left open.
func (t *terminal) askBriefly(method string) {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	done := make(chan struct{})
	ask := func(ctx context.Context) {
		defer close(done)
		if err := t.ask(ctx, method, nil); err != nil {
			t.e.logger.Debug("the client does not end a terminal", "method", method, "error", err)
		}
	}
	if !t.e.begin(func() { ask(t.e.ctx) }) {
		ask(ctx)
	}
	select {
	case <-done:
	case <-ctx.Done():
	}
}

func (t *terminal) ask(ctx context.Context, method string, result any) error {
	return t.e.call(ctx, method, acp.TerminalRequest{SessionID: t.session, TerminalID: t.id}, result)
}
