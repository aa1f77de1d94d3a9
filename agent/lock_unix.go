//go:build unix

package agent

import (
	"errors"
	"os"
	"syscall"
)

// tryLock takes an exclusive lock on f or answers errHeld. On a file system
// that has no locks it succeeds: a session that works is worth more there than
// one that is refused.
func tryLock(f *os.File) error {
	for {
		err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
		switch {
		case err == nil, errors.Is(err, syscall.ENOTSUP), errors.Is(err, syscall.ENOLCK), errors.Is(err, syscall.ENOSYS):
			return nil
		case errors.Is(err, syscall.EWOULDBLOCK):
			return errHeld
		case !errors.Is(err, syscall.EINTR):
			return err
		}
	}
}

// releaseLock removes the file before it frees the lock, so that nobody can
// hold a lock on a file that is about to go.
func releaseLock(f *os.File, path string) {
	_ = os.Remove(path) // a file that stays is a free lock all the same
	f.Close()
}
