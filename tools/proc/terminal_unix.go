//go:build unix

package proc

import (
	"os"
	"os/exec"

	"github.com/creack/pty"
)

// connectTerminal gives cmd a pseudo terminal for both of its outputs. Its
// stdin stays the null device.
func connectTerminal(cmd *exec.Cmd) (*pipeEnds, error) {
	parent, child, err := pty.Open()
	if err != nil {
		return nil, err
	}
	cmd.Stdout, cmd.Stderr = child, child
	return &pipeEnds{parent: []*os.File{parent}, child: []*os.File{child}, terminal: true}, nil
}
