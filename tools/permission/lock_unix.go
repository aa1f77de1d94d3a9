//go:build !windows

package permission

import (
	"errors"
	"os"
	"syscall"
)

// tryLock takes the lock on f without waiting; closing f gives it back.
func tryLock(f *os.File) error {
	err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	if errors.Is(err, syscall.EWOULDBLOCK) || errors.Is(err, syscall.EINTR) {
		return errLocked
	}
	return err
}
