package permission

import (
	"errors"
	"fmt"
	"os"
	"time"
)

// How long to wait for the lock of another process, and how often to look. It
// is held for one small read and write.
const (
	lockPatience = 5 * time.Second
	lockInterval = 5 * time.Millisecond
)

// errLocked says that another process holds the lock.
var errLocked = errors.New("locked by another process")

// lockFile takes the lock that the file at path stands for, which lasts until
// unlock or the end of the process. The file stays.
func lockFile(path string) (unlock func(), err error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, err
	}
	deadline := time.Now().Add(lockPatience)
	for {
		err = tryLock(f)
		if err == nil {
			return func() { _ = f.Close() }, nil
		}
		if !errors.Is(err, errLocked) || time.Now().After(deadline) {
			_ = f.Close()
			return nil, fmt.Errorf("lock %s: %w", path, err)
		}
		time.Sleep(lockInterval)
	}
}
