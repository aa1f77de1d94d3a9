package review

import (
	"encoding/json"
	"errors"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"time"
)

// SweepStores sweeps the stores of all workspaces in a folder whose checkpoints
// nobody has added to for maxAge, 0 for the default: the checkpoints go, and
// where nothing is pending the store goes with them. Pending changes stay
// whatever their age. What cannot be swept is told in the log.
func SweepStores(dir string, maxAge time.Duration, now time.Time, log *slog.Logger) {
	if maxAge <= 0 {
		maxAge = DefaultCheckpointAge
	}
	entries, err := os.ReadDir(dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		log.Warn("old checkpoints were not swept", "error", err)
	}
	for _, e := range entries {
		store := filepath.Join(dir, e.Name())
		if !e.IsDir() || !untouchedSince(store, now.Add(-maxAge)) {
			continue
		}
		if err := sweepStore(store, log); err != nil {
			log.Warn("old checkpoints were not swept", "store", store, "error", err)
		}
	}
}

// untouchedSince reports whether neither file of a store was changed since t.
func untouchedSince(dir string, t time.Time) bool {
	for _, name := range []string{ledgerName, checkpointsName, "lock"} {
		if info, err := os.Stat(filepath.Join(dir, name)); err == nil && info.ModTime().After(t) {
			return false
		}
	}
	return true
}

// sweepStore removes the checkpoints of a store, and the store when nothing is
// pending in it.
func sweepStore(dir string, log *slog.Logger) error {
	s, err := OpenStore(StoreOptions{Dir: dir, Logger: log})
	if err != nil {
		return err
	}
	empty := false
	err = s.locked(func() error {
		err := os.Remove(filepath.Join(dir, checkpointsName))
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		if empty, err = s.nothingPending(); err != nil {
			return err
		}
		return s.sweep()
	})
	if err != nil || !empty {
		return err
	}
	return os.RemoveAll(dir)
}

// nothingPending reports whether the stored ledger has no file. The lock is
// held.
func (s *Store) nothingPending() (bool, error) {
	e, err := readEnvelope(filepath.Join(s.dir, ledgerName))
	if errors.Is(err, fs.ErrNotExist) {
		return true, nil
	}
	if err != nil {
		return false, err
	}
	var data ledgerData
	err = json.Unmarshal(e.Data, &data)
	return len(data.Files) == 0, err
}
