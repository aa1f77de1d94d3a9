package agent

import (
	"errors"
	"fmt"

	"github.com/agent-ls/agent-ls/internal/filelock"
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

// acquireLock takes the lock at path or answers a *LockedError for session.
func acquireLock(path, session string) (release func(), err error) {
	release, err = filelock.Own(path)
	if owned := (*filelock.OwnedError)(nil); errors.As(err, &owned) {
		return nil, &LockedError{Session: session, PID: owned.PID}
	}
	return release, err
}
