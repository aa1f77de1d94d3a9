package filelock

import (
	"errors"
	"os"
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

func TestAnOwnerIsNamed(t *testing.T) {
	path := filepath.Join(t.TempDir(), "lock")
	if err := os.WriteFile(path, []byte("99999\n"), 0o600); err != nil { // left by a dead owner
		t.Fatal(err)
	}
	disown, err := Own(path)
	if err != nil {
		t.Fatal(err)
	}
	_, err = Own(path)
	var owned *OwnedError
	if !errors.As(err, &owned) || owned.PID != os.Getpid() || owned.Path != path || !errors.Is(err, ErrHeld) {
		t.Errorf("second owner: %v", err)
	}
	disown()
	if _, err := os.Stat(path); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the file stays: %v", err)
	}
}

func TestOwnersTakeTurns(t *testing.T) {
	path := filepath.Join(t.TempDir(), "lock")
	var inside, count atomic.Int32
	var wait sync.WaitGroup
	for range 4 {
		wait.Go(func() {
			for mine := 0; mine < 25; {
				disown, err := Own(path)
				if errors.Is(err, ErrHeld) {
					continue
				}
				if err != nil {
					t.Error(err)
					return
				}
				if inside.Add(1) != 1 {
					t.Error("two owners at once")
				}
				mine++
				count.Add(1)
				inside.Add(-1)
				disown()
			}
		})
	}
	wait.Wait()
	if count.Load() != 100 {
		t.Errorf("count %d, want 100", count.Load())
	}
}
