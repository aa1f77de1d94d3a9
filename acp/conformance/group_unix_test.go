//go:build unix

package conformance

import (
	"os"
	"os/exec"
	"syscall"

	"golang.org/x/sys/unix"

	"github.com/agent-ls/agent-ls/acp"
)

// ownGroup makes the process the leader of a group.
func ownGroup(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

// killGroup kills a process and its group; one that is gone is no matter.
func killGroup(pid int) { syscall.Kill(-pid, syscall.SIGKILL) }

// exitStatus is how a process ended, as a client says it.
func exitStatus(state *os.ProcessState) *acp.TerminalExitStatus {
	if ws, ok := state.Sys().(syscall.WaitStatus); ok && ws.Signaled() {
		return &acp.TerminalExitStatus{Signal: unix.SignalName(ws.Signal())}
	}
	code := uint32(state.ExitCode())
	return &acp.TerminalExitStatus{ExitCode: &code}
}
