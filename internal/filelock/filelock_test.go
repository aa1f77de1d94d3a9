package filelock

import (
	"errors"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

func TestOneHolderAtATime(t *testing.T) {
	path := filepath.Join(t.TempDir(), "lock")
	unlock, err := Lock(path, 0)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Lock(path, 0); !errors.Is(err, ErrHeld) {
		t.Fatalf("second lock: %v, want ErrHeld", err)
	}
	unlock()
	again, err := Lock(path, 0)
	if err != nil {
		t.Fatalf("after unlock: %v", err)
	}
	again()
}

func TestHoldersExcludeEachOther(t *testing.T) {
	path := filepath.Join(t.TempDir(), "lock")
	var inside, count atomic.Int32
	var wait sync.WaitGroup
	for range 4 {
		wait.Go(func() {
			for range 25 {
				unlock, err := Lock(path, time.Minute)
				if err != nil {
					t.Error(err)
					return
				}
				if inside.Add(1) != 1 {
					t.Error("two holders at once")
				}
				count.Add(1)
				inside.Add(-1)
				unlock()
			}
		})
	}
	wait.Wait()
	if count.Load() != 100 {
		t.Errorf("count %d, want 100", count.Load())
	}
}

func TestMissingFolder(t *testing.T) {
	if _, err := Lock(filepath.Join(t.TempDir(), "none", "lock"), 0); err == nil || errors.Is(err, ErrHeld) {
		t.Errorf("got %v, want the error of the folder", err)
	}
}
