//go:build unix

package proc

import (
	"os"
	"time"

	"golang.org/x/sys/unix"
)

// cutOff ends a blocked read of f with os.ErrDeadlineExceeded.
func cutOff(f *os.File) {
	if f.SetReadDeadline(time.Unix(1, 0)) != nil {
		_ = f.Close()
	}
}

// pending says whether something can be read from f at once.
func pending(f *os.File) bool {
	ready := false
	withDescriptor(f, func(fd int) {
		fds := []unix.PollFd{{Fd: int32(fd), Events: unix.POLLIN}}
		n, err := unix.Poll(fds, 0)
		ready = err == nil && n > 0 && fds[0].Revents&unix.POLLIN != 0
	})
	return ready
}

// readPending reads what can be read from f at once, also after cutOff.
func readPending(f *os.File, buf []byte) int {
	n := 0
	withDescriptor(f, func(fd int) {
		// Pipes that os.Pipe made do not block.
		n, _ = unix.Read(fd, buf)
	})
	return n
}

func withDescriptor(f *os.File, do func(fd int)) {
	conn, err := f.SyscallConn()
	if err != nil {
		return
	}
	_ = conn.Control(func(fd uintptr) { do(int(fd)) })
}
