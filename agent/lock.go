package agent

import (
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
)

// LockedError says that another process has the session open (contract §8).
type LockedError struct {
	Session string
	PID     int // 0: unknown
}

// Error names the session, the holder and what to do.
func (e *LockedError) Error() string {
	holder := "another process"
	if e.PID != 0 {
		holder = fmt.Sprintf("another process (pid %d)", e.PID)
	}
	return fmt.Sprintf("session %s is open in %s; close it there first", e.Session, holder)
}

// errHeld is what the platform's tryLock answers for a lock that is taken.
var errHeld = errors.New("lock is held")

// maxLockTries bounds the race with a holder that removes the file it held.
const maxLockTries = 100

// fileLock is an exclusive lock on a file of its own that holds the pid of its
// holder. The kernel frees it when the process dies; the file may stay.
type fileLock struct {
	path string
	file *os.File
}

// acquireLock takes the lock at path or answers a *LockedError for session.
func acquireLock(path, session string) (*fileLock, error) {
	for range maxLockTries {
		f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
		if err != nil {
			return nil, err
		}
		if err := tryLock(f); err != nil {
			pid := readPID(f)
			f.Close()
			if errors.Is(err, errHeld) {
				return nil, &LockedError{Session: session, PID: pid}
			}
			return nil, fmt.Errorf("lock %s: %w", path, err)
		}
		if !stillAt(f, path) {
			f.Close()
			continue
		}
		if err := writePID(f); err != nil {
			releaseLock(f, path)
			return nil, err
		}
		return &fileLock{path: path, file: f}, nil
	}
	return nil, &LockedError{Session: session}
}

// release frees the lock and removes its file.
func (l *fileLock) release() {
	if l != nil {
		releaseLock(l.file, l.path)
	}
}

// stillAt reports whether path still names f: between opening and locking it,
// its last holder may have removed it.
func stillAt(f *os.File, path string) bool {
	mine, err := f.Stat()
	if err != nil {
		return false
	}
	there, err := os.Stat(path)
	return err == nil && os.SameFile(mine, there)
}

func writePID(f *os.File) error {
	if err := f.Truncate(0); err != nil {
		return err
	}
	_, err := f.WriteAt([]byte(strconv.Itoa(os.Getpid())+"\n"), 0)
	return err
}

func readPID(f *os.File) int {
	var b [20]byte
	n, _ := f.ReadAt(b[:], 0)
	pid, err := strconv.Atoi(strings.TrimSpace(string(b[:n])))
	if err != nil {
		return 0
	}
	return pid
}
