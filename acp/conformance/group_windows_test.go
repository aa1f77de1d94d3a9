package conformance

import (
	"os"
	"os/exec"

	"github.com/agent-ls/agent-ls/acp"
)

// The cases do not run on Windows; this lets them be checked there.

func ownGroup(*exec.Cmd) {}

func killGroup(int) {}

func exitStatus(*os.ProcessState) *acp.TerminalExitStatus { return &acp.TerminalExitStatus{} }
