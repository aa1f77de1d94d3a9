package review

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/agent-ls/agent-ls/internal/filelock"
)

const (
	// format is that of the stored files; a newer one is left alone.
	format = 1
	// lockPatience bounds the wait for another process.
	lockPatience = 10 * time.Second
	// sweepAfter is how many bytes of texts are stored between two sweeps.
	sweepAfter = 64 << 20
)

const (
	ledgerName      = "ledger.json"
	checkpointsName = "checkpoints.json"
)

// StoreOptions configure a Store; Dir is needed.
type StoreOptions struct {
	// Dir is a folder for this workspace alone; it is made with mode 0700.
	Dir    string
	Logger *slog.Logger
}

// Store keeps the ledger and the checkpoints of one workspace: two files of
// JSON, replaced as a whole, and the texts that these name. Safe for concurrent
// use, also between processes.
type Store struct {
	dir   string
	log   *slog.Logger
	texts blobs

	mu  sync.Mutex // held while the lock is
	put int64      // bytes of texts since the last sweep
}

// DamagedError says that a stored file could not be understood and was put
// aside; what it held is not known any more.
type DamagedError struct {
	Path, Aside string
	Err         error
}

// Error says where the file is now.
func (e *DamagedError) Error() string {
	return fmt.Sprintf("%s is damaged (%v); it was kept as %s and a new one begun", e.Path, e.Err, e.Aside)
}

// Unwrap returns what is wrong with the file.
func (e *DamagedError) Unwrap() error { return e.Err }

// NewerError says that a stored file was written by a newer program.
type NewerError struct {
	Path    string
	Version int
}

// Error says what to do.
func (e *NewerError) Error() string {
	return fmt.Sprintf("%s has the newer format %d; use the agent-ls that wrote it", e.Path, e.Version)
}

// OpenStore opens or makes the folder of a store and sweeps it.
func OpenStore(o StoreOptions) (*Store, error) {
	s := &Store{dir: o.Dir, log: o.Logger, texts: blobs{filepath.Join(o.Dir, "texts")}}
	if s.log == nil {
		s.log = slog.New(slog.DiscardHandler)
	}
	if err := os.MkdirAll(s.texts.dir, 0o700); err != nil {
		return nil, err
	}
	if err := s.locked(s.sweep); err != nil {
		s.log.Warn("old texts of the review were not swept", "error", err)
	}
	return s, nil
}

// locked runs fn under the lock between processes.
func (s *Store) locked(fn func() error) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	unlock, err := filelock.Lock(filepath.Join(s.dir, "lock"), lockPatience)
	if err != nil {
		return err
	}
	defer unlock()
	return fn()
}

// stamp tells two states of a stored file apart without reading it.
type stamp struct {
	Generation int64
	read       bool
	info       fs.FileInfo // nil: there is no file
}

// stampOf is the stamp of the file at path as it is now.
func stampOf(path string, generation int64) stamp {
	info, err := os.Stat(path)
	if err != nil {
		info = nil
	}
	return stamp{generation, true, info}
}

// same reports whether both are of one state of the file: each state is a file
// of its own.
func (s stamp) same(o stamp) bool {
	if s.info == nil || o.info == nil {
		return s.info == nil && o.info == nil
	}
	return os.SameFile(s.info, o.info) && s.info.Size() == o.info.Size() && s.info.ModTime().Equal(o.info.ModTime())
}

// envelope is a stored file.
type envelope struct {
	Version    int             `json:"version"`
	Generation int64           `json:"generation"`
	Data       json.RawMessage `json:"data"`
}

// load decodes a stored file into v, which stays as it is when there is none.
// The lock is held. A damaged file is put aside.
func (s *Store) load(name string, v any) (stamp, error) {
	path := filepath.Join(s.dir, name)
	e, err := readEnvelope(path)
	if errors.Is(err, fs.ErrNotExist) {
		return stamp{read: true}, nil
	}
	var newer *NewerError
	var failed *fs.PathError
	if errors.As(err, &newer) || errors.As(err, &failed) {
		return stamp{}, err
	}
	if err == nil {
		err = json.Unmarshal(e.Data, v)
	}
	if err != nil {
		return stamp{read: true}, s.setAside(path, err)
	}
	return stampOf(path, e.Generation), nil
}

func readEnvelope(path string) (e envelope, err error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return e, err
	}
	if err := json.Unmarshal(data, &e); err != nil {
		return e, err
	}
	if e.Version < 1 {
		return e, errors.New("it has no version")
	}
	if e.Version > format {
		return e, &NewerError{path, e.Version}
	}
	return e, nil
}

// setAside moves a damaged file to a free name.
func (s *Store) setAside(path string, cause error) error {
	for n := 1; ; n++ {
		aside := fmt.Sprintf("%s.damaged-%d", path, n)
		if _, err := os.Lstat(aside); err == nil {
			continue
		}
		if err := os.Rename(path, aside); err != nil {
			return fmt.Errorf("%s is damaged and cannot be moved aside: %w", path, err)
		}
		return &DamagedError{path, aside, cause}
	}
}

// changed reports whether a stored file is another one than when it had the
// stamp. The lock is held.
func (s *Store) changed(name string, at stamp) bool {
	return !at.read || !at.same(stampOf(filepath.Join(s.dir, name), 0))
}

// save replaces a stored file. The lock is held. It is not synced, as sessions
// are not (contract §8): after a crash of the system it may be damaged, never
// after one of the process.
func (s *Store) save(name string, at stamp, v any) (stamp, error) {
	data, err := json.Marshal(v)
	if err != nil {
		return at, err
	}
	generation := at.Generation + 1
	data, err = json.Marshal(envelope{format, generation, data})
	if err != nil {
		return at, err
	}
	path := filepath.Join(s.dir, name)
	if err := replaceFile(path, data); err != nil {
		return at, err
	}
	next := stampOf(path, generation)
	if s.put >= sweepAfter {
		if err := s.sweep(); err != nil {
			s.log.Warn("old texts of the review were not swept", "error", err)
		}
	}
	return next, nil
}

// keepText stores a text and returns its name. The lock is held.
func (s *Store) keepText(text string) (string, error) {
	name, written, err := s.texts.put(text)
	if written {
		s.put += int64(len(text))
	}
	return name, err
}

// sweep removes the texts that neither file names. The lock is held.
func (s *Store) sweep() error {
	s.put = 0
	live := map[string]bool{}
	for _, name := range []string{ledgerName, checkpointsName} {
		e, err := readEnvelope(filepath.Join(s.dir, name))
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return err // what it names is not known
		}
		if err := collectTexts(e.Data, live); err != nil {
			return err
		}
	}
	leftovers, err := filepath.Glob(filepath.Join(s.dir, "*.json.new-*"))
	for _, path := range leftovers {
		err = errors.Join(err, os.Remove(path))
	}
	return errors.Join(err, s.texts.sweep(live))
}

// collectTexts finds all members named "text" and "base_text": the names of
// texts.
func collectTexts(data json.RawMessage, live map[string]bool) error {
	var v any
	if err := json.Unmarshal(data, &v); err != nil {
		return err
	}
	var walk func(any)
	walk = func(v any) {
		switch v := v.(type) {
		case []any:
			for _, e := range v {
				walk(e)
			}
		case map[string]any:
			for key, e := range v {
				if name, ok := e.(string); ok && (key == "text" || key == "base_text") {
					live[name] = true
				}
				walk(e)
			}
		}
	}
	walk(v)
	return nil
}

// replaceFile writes data beside path and moves it there, so that path has
// either the old or the new content after any crash of the process.
func replaceFile(path string, data []byte) (err error) {
	tmp, err := os.CreateTemp(filepath.Dir(path), filepath.Base(path)+".new-*") // mode 0600
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, os.Remove(tmp.Name()))
		}
	}()
	_, err = tmp.Write(data)
	if err = errors.Join(err, tmp.Close()); err != nil {
		return err
	}
	return os.Rename(tmp.Name(), path)
}
