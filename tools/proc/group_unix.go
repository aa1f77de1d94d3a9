//go:build unix

package proc

import (
	"os"
	"os/exec"
	"sync/atomic"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// group is the process group of one command; its number is the pid of the
// shell. The number stays taken while the group has processes, so it can be
// signalled after the shell is gone.
type group struct {
	id int
	// reaped says that the shell is gone and its pid may be another's.
	reaped atomic.Bool
	warden *warden
}

// startGroup starts cmd in a session of its own, which makes a new group too
// and leaves it without a terminal to prompt on. terminal says that its output
// is one, which then becomes the session's. w watches the group until release.
func startGroup(cmd *exec.Cmd, terminal bool, w *warden) (*group, error) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: terminal, Ctty: 1}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	g := &group{id: cmd.Process.Pid, warden: w}
	w.tell(groupRuns, g.id)
	return g, nil
}

// setReaped says that the shell was waited for.
func (g *group) setReaped() {
	g.reaped.Store(true)
	g.warden.tell(groupReaped, g.id)
}

// populated says whether the group has processes. It is false too when the
// number is another's by now.
func (g *group) populated() bool {
	if g.reaped.Load() && unix.Kill(g.id, 0) == nil {
		return false
	}
	return unix.Kill(-g.id, 0) != unix.ESRCH && hasLive(g.id)
}

// terminate sends TERM to the group and to the strays of its tree, waits until
// they are gone, and sends KILL to what is left after grace (tools.md
// §3.10.6). Errors mean that a process has gone already.
func (g *group) terminate(grace time.Duration) {
	strays := strays(g)
	g.signal(unix.SIGTERM, strays)
	if g.gone(strays, grace) {
		return
	}
	strays = append(strays, newStrays(g, strays)...)
	g.signal(unix.SIGKILL, strays)
	g.gone(strays, grace)
}

// signal sends sig to the group and to strays.
func (g *group) signal(sig syscall.Signal, strays []*os.Process) {
	if g.id > 1 && g.populated() {
		_ = unix.Kill(-g.id, sig)
	}
	for _, s := range strays {
		_ = s.Signal(sig)
	}
}

// gone waits at most d until the group and strays have ended.
func (g *group) gone(strays []*os.Process, d time.Duration) bool {
	deadline := time.Now().Add(d)
	for pause := 5 * time.Millisecond; ; pause = min(2*pause, 200*time.Millisecond) {
		if !g.populated() && !anyAlive(strays) {
			return true
		}
		rest := time.Until(deadline)
		if rest <= 0 {
			return false
		}
		time.Sleep(min(pause, rest))
	}
}

// anyAlive says whether one of strays runs.
func anyAlive(strays []*os.Process) bool {
	for _, s := range strays {
		if s.Signal(syscall.Signal(0)) == nil {
			return true
		}
	}
	return false
}

// release says that the group is over, or given up.
func (g *group) release() { g.warden.tell(groupOver, g.id) }

// exitStatus returns the exit code, or the name of the signal that ended the
// shell. killed does not matter here: the system says it.
func exitStatus(state *os.ProcessState, killed bool) (code *int, signal string) {
	if state == nil {
		return nil, ""
	}
	if status, ok := state.Sys().(syscall.WaitStatus); ok && status.Signaled() {
		return nil, signalName(status.Signal())
	}
	n := state.ExitCode()
	return &n, ""
}

// signalName returns the name of sig, e.g. SIGKILL.
func signalName(sig syscall.Signal) string {
	if name := unix.SignalName(sig); name != "" {
		return name
	}
	return "signal " + sig.String()
}

// arguments gives the shell its command line.
func (s Shell) arguments(cmd *exec.Cmd, line string) {
	cmd.Args = append(append([]string{s.Path}, s.Args...), line)
}
