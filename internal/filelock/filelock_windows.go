package filelock

import (
	"errors"
	"os"

	"golang.org/x/sys/windows"
)

// lockOffset lies far beyond what a file holds: others cannot read a locked
// range.
const lockOffset = 1 << 30

// try takes the lock on f without waiting; closing f gives it back.
func try(f *os.File) error {
	const flags = windows.LOCKFILE_EXCLUSIVE_LOCK | windows.LOCKFILE_FAIL_IMMEDIATELY
	at := windows.Overlapped{Offset: lockOffset}
	err := windows.LockFileEx(windows.Handle(f.Fd()), flags, 0, 1, 0, &at)
	if errors.Is(err, windows.ERROR_LOCK_VIOLATION) || errors.Is(err, windows.ERROR_IO_PENDING) {
		return ErrHeld
	}
	return err
}

// remove frees the lock and then removes the file: an open file cannot be
// removed, neither by us nor when the next owner has opened it already.
func remove(f *os.File, path string) {
	_ = f.Close()
	_ = os.Remove(path)
}
