//go:build !windows

package filelock

import (
	"errors"
	"os"
	"syscall"
)

// try takes the lock on f without waiting; closing f gives it back.
func try(f *os.File) error {
	err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	if errors.Is(err, syscall.EWOULDBLOCK) || errors.Is(err, syscall.EINTR) {
		return ErrHeld
	}
	return err
}
