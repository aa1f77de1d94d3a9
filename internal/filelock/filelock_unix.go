//go:build !windows

package filelock

import (
	"errors"
	"os"
	"syscall"
)

// try takes the lock on f without waiting; closing f gives it back. Where the
// file system has no locks it succeeds: work that goes on is worth more there
// than work that is refused.
func try(f *os.File) error {
	for {
		err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
		switch {
		case err == nil, errors.Is(err, syscall.ENOTSUP), errors.Is(err, syscall.ENOLCK), errors.Is(err, syscall.ENOSYS):
			return nil
		case errors.Is(err, syscall.EWOULDBLOCK):
			return ErrHeld
		case !errors.Is(err, syscall.EINTR):
			return err
		}
	}
}

// remove removes the file before it frees the lock, so that nobody can hold a
// lock on a file that is about to go.
func remove(f *os.File, path string) {
	_ = os.Remove(path) // a file that stays is a free lock all the same
	_ = f.Close()
}
