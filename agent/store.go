package agent

import (
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// logExt is the extension of a session's log.
const logExt = ".jsonl"

// ErrUnknownSession says that no session has the id.
var ErrUnknownSession = errors.New("unknown session")

// SessionInfo is one entry of a list.
type SessionInfo struct {
	ID      string
	Cwd     string
	Roots   []string
	Title   string
	Updated time.Time
	// Twin is the id under which somebody else lists the session, too, see
	// Session.SetTwin; "" for nobody.
	Twin string

	// realCwd is Cwd with symlinks resolved when the session was opened.
	realCwd string
}

// Store is the folder of saved sessions, StateDir/sessions: one log a session,
// beside it a lock while a process has the session open. Folders are 0700,
// files 0600 (contract §8). Reading needs no lock. The zero Store has no
// folder: it is empty and saves nothing. Safe for concurrent use.
type Store struct {
	dir    string
	logger *slog.Logger
}

// NewStore returns the store in stateDir ("" gives an empty one). Nothing is
// touched until a session is saved.
func NewStore(stateDir string, logger *slog.Logger) *Store {
	if logger == nil {
		logger = slog.New(slog.DiscardHandler)
	}
	s := &Store{logger: logger}
	if stateDir != "" {
		s.dir = filepath.Join(stateDir, "sessions")
	}
	return s
}

// maxID bounds an id, in bytes.
const maxID = 100

// validID says whether an id may name a file: letters, digits, and after the
// first of them also "_" and "-".
func validID(id string) bool {
	for i := range len(id) {
		c := id[i]
		if !(c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || i > 0 && (c == '_' || c == '-')) {
			return false
		}
	}
	return id != "" && len(id) <= maxID
}

// Path returns where the log of session id lies, or ErrUnknownSession for an
// id that no session can have.
func (s *Store) Path(id string) (string, error) {
	if s.dir == "" || !validID(id) {
		return "", fmt.Errorf("%w %q", ErrUnknownSession, id)
	}
	return filepath.Join(s.dir, id+logExt), nil
}

// Read returns a stored session as it was last written, also while a process
// has it open.
func (s *Store) Read(id string) (SessionInfo, []Record, error) {
	path, err := s.Path(id)
	if err != nil {
		return SessionInfo{}, nil, err
	}
	f, err := os.Open(path)
	if err != nil {
		return SessionInfo{}, nil, notFound(id, err)
	}
	defer f.Close()
	stored, err := readLog(id, f)
	if err != nil {
		return SessionInfo{}, nil, err
	}
	header, summary, err := readSummary(path, id)
	if err != nil {
		return SessionInfo{}, nil, err
	}
	return newInfo(header, summary), stored.records, nil
}

// info is what lists show of a stored session; ok is false where there is none to
// read.
func (s *Store) info(id string) (info SessionInfo, ok bool) {
	path, err := s.Path(id)
	if err != nil {
		return info, false
	}
	header, summary, err := readSummary(path, id)
	if err != nil {
		return info, false
	}
	header.Session = id
	return newInfo(header, summary), true
}

// notFound turns a missing file into ErrUnknownSession.
func notFound(id string, err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("%w %q", ErrUnknownSession, id)
	}
	return err
}

// newInfo joins what the two ends of a log say.
func newInfo(h logHeader, s logSummary) SessionInfo {
	return SessionInfo{ID: h.Session, Cwd: s.Cwd, Roots: s.Roots, Title: s.Title, Updated: s.Updated, Twin: s.Twin, realCwd: s.RealCwd}
}

// create returns the log of a new session.
func (s *Store) create(h logHeader) *Log {
	path, err := s.Path(h.Session)
	if err != nil {
		return nowhere()
	}
	return newLog(path, h)
}

// open locks and reads the log of session id, cuts off a torn last line, and
// returns it ready for more.
func (s *Store) open(id string) (*Log, *storedLog, error) {
	path, err := s.Path(id)
	if err != nil {
		return nil, nil, err
	}
	if _, err := os.Stat(path); err != nil {
		return nil, nil, notFound(id, err)
	}
	unlock, err := acquireLock(lockPath(path), id)
	if err != nil {
		return nil, nil, err
	}
	l := &Log{path: path, session: id, unlock: unlock}
	stored, err := l.load()
	if err != nil {
		l.close()
		return nil, nil, notFound(id, err)
	}
	return l, stored, nil
}

// load reads the file of a locked log and opens it for appending.
func (l *Log) load() (*storedLog, error) {
	f, err := os.Open(l.path)
	if err != nil {
		return nil, err
	}
	stored, err := readLog(l.session, f)
	f.Close()
	if err == nil && stored.torn {
		// By name: not every system lets a file be cut that is open for
		// appending.
		err = os.Truncate(l.path, stored.end)
	}
	if err != nil {
		return nil, err
	}
	l.file, err = os.OpenFile(l.path, os.O_WRONLY|os.O_APPEND, 0o600)
	l.size = stored.end
	return stored, err
}

// list returns every readable stored session, in no order.
func (s *Store) list() ([]SessionInfo, error) {
	if s.dir == "" {
		return nil, nil
	}
	entries, err := os.ReadDir(s.dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var infos []SessionInfo
	for _, e := range entries {
		id, ok := strings.CutSuffix(e.Name(), logExt)
		if !ok || !validID(id) {
			continue
		}
		h, sum, err := readSummary(filepath.Join(s.dir, e.Name()), id)
		if err != nil {
			s.logger.Debug("session left out of the list", "session", id, "error", err)
			continue
		}
		h.Session = id
		infos = append(infos, newInfo(h, sum))
	}
	return infos, nil
}

// Delete removes the log of session id. An unknown id is no error; a session
// that a process has open is a *LockedError.
func (s *Store) Delete(id string) error {
	path, err := s.Path(id)
	if err != nil {
		return nil
	}
	if _, err := os.Stat(path); err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		return err
	}
	unlock, err := acquireLock(lockPath(path), id)
	if err != nil {
		return err
	}
	defer unlock()
	if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}
