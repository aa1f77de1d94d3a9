//go:build !windows

package main

import (
	"fmt"
	"io"
	"os"

	"golang.org/x/sys/unix"
)

// protocolOutput keeps stdout for the protocol alone: it moves it to a private
// descriptor and lets descriptor 1 point to stderr, so that whatever a
// dependency or a child prints cannot reach the client.
func protocolOutput(out io.Writer) (io.WriteCloser, error) {
	f, ok := out.(interface{ Fd() uintptr })
	if !ok {
		return nopCloser{out}, nil
	}
	fd, err := unix.FcntlInt(f.Fd(), unix.F_DUPFD_CLOEXEC, 3)
	if err != nil {
		return nil, fmt.Errorf("move stdout: %w", err)
	}
	if err := unix.Dup2(int(os.Stderr.Fd()), 1); err != nil {
		return nil, fmt.Errorf("point stdout to stderr: %w", err)
	}
	return os.NewFile(uintptr(fd), "protocol"), nil
}
