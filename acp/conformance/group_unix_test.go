//go:build unix

package conformance

import (
	"os/exec"
	"syscall"
)

// ownGroup makes the process the leader of a group.
func ownGroup(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

// killGroup kills a process and its group; one that is gone is no matter.
func killGroup(pid int) { syscall.Kill(-pid, syscall.SIGKILL) }
