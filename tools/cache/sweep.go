package cache

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"
)

// storedFile is one file of the store.
type storedFile struct {
	path     string
	size     int64
	modified time.Time
}

// Sweep removes what is over age, then the oldest entries until the rest is
// within size, then empty folders. Entries that are being written by this
// process stay. It goes on after a failure and returns all of them.
func (s *Store) Sweep() error {
	files, dirs, err := s.list()
	slices.SortFunc(files, func(a, b storedFile) int { return a.modified.Compare(b.modified) })
	var total int64
	for _, f := range files {
		total += f.size
	}
	oldest := s.opts.Now().Add(-s.opts.MaxAge)
	for _, f := range files {
		if !f.modified.Before(oldest) && total <= s.opts.MaxBytes {
			break
		}
		if s.held(f.path) {
			continue
		}
		if e := os.Remove(f.path); e != nil && !errors.Is(e, fs.ErrNotExist) {
			err = errors.Join(err, e)
			continue
		}
		total -= f.size
	}
	for _, dir := range dirs {
		// Fails for one that is not empty, as it should.
		_ = os.Remove(dir)
	}
	return err
}

// list returns the files of all sessions, and their folders.
func (s *Store) list() (files []storedFile, dirs []string, err error) {
	sessions, err := os.ReadDir(s.opts.Dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil, nil
	}
	for _, session := range sessions {
		if !session.IsDir() {
			continue
		}
		dir := filepath.Join(s.opts.Dir, session.Name())
		dirs = append(dirs, dir)
		entries, e := os.ReadDir(dir)
		err = errors.Join(err, e)
		for _, entry := range entries {
			info, e := entry.Info()
			if e != nil || !info.Mode().IsRegular() {
				continue
			}
			files = append(files, storedFile{filepath.Join(dir, entry.Name()), info.Size(), info.ModTime()})
		}
	}
	return files, dirs, err
}
