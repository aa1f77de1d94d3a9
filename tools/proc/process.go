package proc

import (
	"context"
	"errors"
	"os/exec"
	"sync"
	"time"
)

// cause says who ended a process.
type cause int

const (
	causeNone cause = iota
	causeTimeout
	causeAbort
)

// process is a command started by a Local.
type process struct {
	local   *Local
	cmd     *exec.Cmd
	group   *group
	streams []*stream
	confine *Confinement
	started time.Time
	done    chan struct{} // closed when exit is set

	mu     sync.Mutex
	why    cause
	exited bool
	unhook []func() bool // stop the context and the timer

	exit Exit
}

// newProcess returns the process of cmd, which runs already.
func newProcess(l *Local, c Command, cmd *exec.Cmd, g *group, ends *pipeEnds) *process {
	p := &process{local: l, cmd: cmd, group: g, confine: c.Confine, started: time.Now(), done: make(chan struct{})}
	var mu sync.Mutex
	shows := []func(string){serialized(&mu, c.Output), serialized(&mu, c.Output)}
	if c.Stderr != nil {
		shows[1] = serialized(&mu, c.Stderr)
	}
	names := []string{StreamStdout, StreamStderr}
	for i, file := range ends.parent {
		p.streams = append(p.streams, newStream(file, newCapture(names[i], c, shows[i], l.opts.Logger)))
	}
	return p
}

// watch ends the process with ctx or after timeout, 0 for none.
func (p *process) watch(ctx context.Context, timeout time.Duration) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.unhook = append(p.unhook, context.AfterFunc(ctx, func() { p.end(causeAbort) }))
	if timeout > 0 {
		p.unhook = append(p.unhook, time.AfterFunc(timeout, func() { p.end(causeTimeout) }).Stop)
	}
}

// run waits for the shell, then for the rest of its output.
func (p *process) run() {
	for _, s := range p.streams {
		p.local.work.Go(s.read)
	}
	err := p.cmd.Wait()
	why := p.settle()
	drain(p.streams, p.local.opts.Idle, p.local.opts.Drain)
	p.exit = p.outcome(err, why)
	p.local.ended(p)
	close(p.done)
}

// settle marks the shell as gone: from now on nobody can end it. It returns
// who did.
func (p *process) settle() cause {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.exited = true
	p.group.setReaped()
	for _, stop := range p.unhook {
		stop()
	}
	return p.why
}

// outcome makes the Exit from what Wait of the command said.
func (p *process) outcome(err error, why cause) Exit {
	e := Exit{
		TimedOut: why == causeTimeout,
		Aborted:  why == causeAbort,
		Duration: time.Since(p.started),
	}
	e.Code, e.Signal = exitStatus(p.cmd.ProcessState, why != causeNone)
	if exitErr := (*exec.ExitError)(nil); err != nil && !errors.As(err, &exitErr) {
		p.local.opts.Logger.Error("waiting for a command failed", "error", err)
	}
	e.Stdout = p.streams[0].finish()
	if len(p.streams) > 1 {
		e.Stderr = p.streams[1].finish()
	}
	if p.confine.denies(e) {
		e.Denied = p.confine.Name
	}
	return e
}

// end terminates the group because of why; only the first cause counts, and
// only while the shell runs.
func (p *process) end(why cause) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.exited || p.why != causeNone {
		return
	}
	p.why = why
	// The run of this process is not over, so Close waits for this too.
	p.local.work.Go(func() { p.group.terminate(p.local.opts.Grace) })
}

// Wait returns how the command ended, see Process.
func (p *process) Wait(ctx context.Context) (Exit, error) {
	select {
	case <-p.done:
		return p.exit, nil
	default:
	}
	select {
	case <-p.done:
		return p.exit, nil
	case <-ctx.Done():
		return Exit{}, context.Cause(ctx)
	}
}

// Stop ends the process group, see Process.
func (p *process) Stop() { p.end(causeAbort) }

// Terminal returns "": the process has no terminal of a client.
func (p *process) Terminal() string { return "" }

// Release does nothing: there is no terminal of a client to free.
func (p *process) Release() {}
