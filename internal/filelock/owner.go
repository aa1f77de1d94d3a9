package filelock

import (
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
)

// maxTries bounds the race with an owner that removes the file it held.
const maxTries = 100

// OwnedError says which process owns a lock. It wraps ErrHeld.
type OwnedError struct {
	Path string
	PID  int // 0: unknown
}

// Error names the file and its owner.
func (e *OwnedError) Error() string {
	if e.PID == 0 {
		return fmt.Sprintf("lock %s: %v", e.Path, ErrHeld)
	}
	return fmt.Sprintf("lock %s: %v (pid %d)", e.Path, ErrHeld, e.PID)
}

// Unwrap returns ErrHeld.
func (e *OwnedError) Unwrap() error { return ErrHeld }

// Own takes the lock that the file at path stands for without waiting; the
// file is made with mode 0600 and holds the id of this process until disown
// removes it. A lock that is held is an *OwnedError.
func Own(path string) (disown func(), err error) {
	for range maxTries {
		f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
		if err != nil {
			return nil, err
		}
		if err := try(f); err != nil {
			pid := readPID(f)
			_ = f.Close()
			if errors.Is(err, ErrHeld) {
				return nil, &OwnedError{Path: path, PID: pid}
			}
			return nil, fmt.Errorf("lock %s: %w", path, err)
		}
		if !stillAt(f, path) {
			_ = f.Close()
			continue
		}
		if err := writePID(f); err != nil {
			remove(f, path)
			return nil, err
		}
		return func() { remove(f, path) }, nil
	}
	return nil, &OwnedError{Path: path}
}

// stillAt reports whether path still names f: between opening and locking it,
// its last owner may have removed it.
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
