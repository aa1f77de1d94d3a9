package agent

import (
	"errors"
	"os"

	"golang.org/x/sys/windows"
)

// lockOffset lies far beyond the pid: a locked range cannot be read by others.
const lockOffset = 1 << 30

// tryLock takes an exclusive lock on f or answers errHeld.
func tryLock(f *os.File) error {
	at := windows.Overlapped{Offset: lockOffset}
	err := windows.LockFileEx(windows.Handle(f.Fd()), windows.LOCKFILE_EXCLUSIVE_LOCK|windows.LOCKFILE_FAIL_IMMEDIATELY, 0, 1, 0, &at)
	if errors.Is(err, windows.ERROR_LOCK_VIOLATION) || errors.Is(err, windows.ERROR_IO_PENDING) {
		return errHeld
	}
	return err
}

// releaseLock frees the lock and then removes the file: an open file cannot
// be removed, neither by us nor when the next holder has opened it already.
func releaseLock(f *os.File, path string) {
	f.Close()
	os.Remove(path)
}
