package cache

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/agent-ls/agent-ls/presentation"
)

// The defaults of Options.
const (
	DefaultMaxBytes      = 1 << 30
	DefaultMaxAge        = 14 * 24 * time.Hour
	DefaultMaxEntryBytes = 256 << 20
)

// Options configure a Store.
type Options struct {
	// Dir is the folder, made 0700 on first use.
	Dir string
	// MaxBytes and MaxAge bound what Sweep leaves; 0 means the defaults
	// (1 GiB, 14 days).
	MaxBytes int64
	MaxAge   time.Duration
	// MaxEntryBytes bounds one entry; what is written beyond it is counted,
	// not kept. 0 means the default (256 MiB).
	MaxEntryBytes int64
	// Now is the clock of Sweep; nil means the system's.
	Now func() time.Time
}

// Store is the one place for output that is too large to show (tools.md §5
// row 13). Refs are namespaced by session: one session cannot read another's.
// Folders have mode 0700 and files 0600.
type Store struct {
	opts Options

	mu   sync.Mutex
	open map[string]int // paths that are being written
}

// Open returns the store in o.Dir; nothing is touched until it is used.
func Open(o Options) *Store {
	if o.MaxBytes <= 0 {
		o.MaxBytes = DefaultMaxBytes
	}
	if o.MaxAge <= 0 {
		o.MaxAge = DefaultMaxAge
	}
	if o.MaxEntryBytes <= 0 {
		o.MaxEntryBytes = DefaultMaxEntryBytes
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	return &Store{opts: o, open: make(map[string]int)}
}

// Ref names a stored output within its session. It consists of letters,
// digits, "_" and "-", at most 80 of them.
type Ref string

// ErrNotFound is wrapped by every error about a ref that names nothing.
var ErrNotFound = errors.New("no stored output has this ref")

// The endings of an entry's files: the text, and the typed parts beside it.
const (
	textEnding  = ".txt"
	partsEnding = ".json"
)

// maxTries bounds the numbers tried for an id that was used before.
const maxTries = 10_000

// Create starts a new entry for session; id is a tool call id or another
// name, and the ref is made of it. An id that was used before gets a ref of
// its own. Path is where the text lies on disk.
func (s *Store) Create(session, id string) (w io.WriteCloser, ref Ref, path string, err error) {
	dir, err := s.sessionDir(session)
	if err != nil {
		return nil, "", "", err
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, "", "", fmt.Errorf("create output folder: %w", err)
	}
	for n := 1; n <= maxTries; n++ {
		name, err := safeName(numbered(id, n))
		if err != nil {
			return nil, "", "", err
		}
		path := filepath.Join(dir, name+textEnding)
		file, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
		if errors.Is(err, fs.ErrExist) {
			continue
		}
		if err != nil {
			return nil, "", "", fmt.Errorf("create output: %w", err)
		}
		s.hold(path)
		return &entryWriter{store: s, file: file, left: s.opts.MaxEntryBytes}, Ref(name), path, nil
	}
	return nil, "", "", fmt.Errorf("create output: the id %q was used %d times", id, maxTries)
}

// Put stores text.
func (s *Store) Put(session, id, text string) (ref Ref, path string, err error) {
	w, ref, path, err := s.Create(session, id)
	if err != nil {
		return "", "", err
	}
	_, err = io.WriteString(w, text)
	if err = errors.Join(err, w.Close()); err != nil {
		_ = os.Remove(path)
		return "", "", fmt.Errorf("store output: %w", err)
	}
	return ref, path, nil
}

// PutParts stores blocks: their projection as text, and the blocks themselves
// beside it so that Parts finds them again (seed 000 §6).
func (s *Store) PutParts(session, id string, blocks []presentation.Block) (Ref, error) {
	ref, path, err := s.Put(session, id, Project(blocks))
	if err != nil || allText(blocks) {
		return ref, err
	}
	data, err := json.Marshal(blocks)
	if err == nil {
		err = os.WriteFile(strings.TrimSuffix(path, textEnding)+partsEnding, data, 0o600)
	}
	if err != nil {
		return ref, fmt.Errorf("store parts: %w", err)
	}
	return ref, nil
}

// Parts returns the typed parts of an entry; nil when it is plain text.
func (s *Store) Parts(session string, ref Ref) ([]presentation.Block, error) {
	path, err := s.find(session, ref)
	if err != nil {
		return nil, err
	}
	data, err := os.ReadFile(strings.TrimSuffix(path, textEnding) + partsEnding)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read parts: %w", err)
	}
	var blocks []presentation.Block
	if err := json.Unmarshal(data, &blocks); err != nil {
		return nil, fmt.Errorf("read parts of %s: %w", ref, err)
	}
	return blocks, nil
}

// OpenRef opens an entry of session for streaming. A ref is taken literally
// apart from the characters that no ref has, so it cannot lead out of the
// session's folder; an unknown one is ErrNotFound.
func (s *Store) OpenRef(session string, ref Ref) (io.ReadSeekCloser, error) {
	path, err := s.find(session, ref)
	if err != nil {
		return nil, err
	}
	file, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("open output %q: %w", ref, err)
	}
	return file, nil
}

// Path returns where the text of an entry lies on disk.
func (s *Store) Path(session string, ref Ref) (string, error) { return s.find(session, ref) }

// RefOf returns the ref of the entry whose text lies at path, as Create gave
// it; ok is false for any other path.
func (s *Store) RefOf(path string) (ref Ref, ok bool) {
	dir, file := filepath.Split(path)
	name, ok := strings.CutSuffix(file, textEnding)
	return Ref(name), ok && filepath.Dir(filepath.Clean(dir)) == filepath.Clean(s.opts.Dir)
}

// find returns the path of an entry that exists.
func (s *Store) find(session string, ref Ref) (string, error) {
	dir, err := s.sessionDir(session)
	if err != nil {
		return "", err
	}
	name, err := safeName(string(ref))
	if err != nil {
		return "", fmt.Errorf("%w: %w", ErrNotFound, err)
	}
	path := filepath.Join(dir, name+textEnding)
	info, err := os.Lstat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist), err == nil && !info.Mode().IsRegular():
		return "", fmt.Errorf("%w: %s", ErrNotFound, ref)
	case err != nil:
		return "", fmt.Errorf("look up output %q: %w", ref, err)
	}
	return path, nil
}

// Remove deletes everything of session.
func (s *Store) Remove(session string) error {
	dir, err := s.sessionDir(session)
	if err != nil {
		return err
	}
	return os.RemoveAll(dir)
}

// sessionDir is the folder of session.
func (s *Store) sessionDir(session string) (string, error) {
	name, err := safeName(session)
	if err != nil {
		return "", fmt.Errorf("session: %w", err)
	}
	return filepath.Join(s.opts.Dir, name), nil
}

// hold and release keep Sweep away from entries that are being written.
func (s *Store) hold(path string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.open[path]++
}

func (s *Store) release(path string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.open[path]--; s.open[path] <= 0 {
		delete(s.open, path)
	}
}

func (s *Store) held(path string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.open[path] > 0
}

// entryWriter writes one entry up to its limit. It is not safe for concurrent
// use.
type entryWriter struct {
	store   *Store
	file    *os.File
	left    int64
	dropped int64
}

// Write adds p. What is over the limit is counted and dropped, so that a
// command is never ended by the size of its output.
func (w *entryWriter) Write(p []byte) (int, error) {
	keep := p[:min(int64(len(p)), w.left)]
	if _, err := w.file.Write(keep); err != nil {
		return 0, err
	}
	w.left -= int64(len(keep))
	w.dropped += int64(len(p) - len(keep))
	return len(p), nil
}

// Close ends the entry; the last line says what was dropped.
func (w *entryWriter) Close() error {
	defer w.store.release(w.file.Name())
	var err error
	if w.dropped > 0 {
		_, err = fmt.Fprintf(w.file, "\n[%d more bytes were not kept]\n", w.dropped)
	}
	return errors.Join(err, w.file.Close())
}
