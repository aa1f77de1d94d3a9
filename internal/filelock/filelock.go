// Package filelock locks files between processes. A lock is advisory, is held
// by one holder at a time and ends with its process; on a file system that has
// no locks everybody gets it. Lock is for a moment's work on a file, Own for as
// long as a process keeps something to itself. The package owns no state; all
// functions may be called from any goroutine.
package filelock

import (
	"errors"
	"fmt"
	"os"
	"time"
)

// interval is how often a lock that is held is tried again.
const interval = 5 * time.Millisecond

// ErrHeld says that another holder kept the lock for longer than the caller
// would wait.
var ErrHeld = errors.New("locked by another process")

// Lock takes the lock that the file at path stands for; the file is made with
// mode 0600 and stays. It waits for patience at most, then the error wraps
// ErrHeld.
func Lock(path string, patience time.Duration) (unlock func(), err error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, err
	}
	deadline := time.Now().Add(patience)
	for {
		err = try(f)
		if err == nil {
			return func() { _ = f.Close() }, nil
		}
		if !errors.Is(err, ErrHeld) || !time.Now().Before(deadline) {
			_ = f.Close()
			return nil, fmt.Errorf("lock %s: %w", path, err)
		}
		time.Sleep(interval)
	}
}
