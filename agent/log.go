package agent

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"
)

// logFormat is the version of the log's format; a reader takes this one and
// every older one.
const logFormat = 1

// lazyLimit bounds what a log keeps in memory before its file is made, in
// bytes.
const lazyLimit = 64 << 10

// logHeader is the first line of a log.
type logHeader struct {
	Format  int       `json:"format"`
	Session string    `json:"session"`
	Cwd     string    `json:"cwd"`
	RealCwd string    `json:"realCwd"`
	Roots   []string  `json:"roots,omitempty"`
	Mode    string    `json:"mode,omitempty"`
	Model   string    `json:"model,omitempty"`
	Created time.Time `json:"created"`
	Version string    `json:"version,omitempty"`
}

// logSummary is a line that is no record: what a list shows of a session. One
// follows the end of every turn, so that a list reads no more than the tail.
type logSummary struct {
	Type    string    `json:"type"`
	Title   string    `json:"title,omitempty"`
	Cwd     string    `json:"cwd"`
	RealCwd string    `json:"realCwd"`
	Roots   []string  `json:"roots,omitempty"`
	Updated time.Time `json:"updated"`
	Twin    string    `json:"twin,omitempty"`
}

// summaryType tags a logSummary among the records.
const summaryType = "summary"

// Log is the open log of one session: an append-only file of JSON lines, a
// header and then one record a line (contract §8). A record is written, not
// synced, when append returns. The file is made at the first prompt, so that
// sessions nobody used leave nothing behind. A Log is not safe for concurrent
// use; its session orders the writes.
type Log struct {
	path    string
	session string
	file    *os.File
	unlock  func() // nil before the file is there
	size    int64
	// pending are the lines before the file is made.
	pending []byte
	err     error
}

// newLog returns the log of a new session. Nothing is touched on disk.
func newLog(path string, h logHeader) *Log {
	l := &Log{path: path, session: h.Session}
	h.Format = logFormat
	_ = l.put(h) // a failure stays in the log and is told by append
	return l
}

// errNoStateDir is why a session without a state folder is not saved.
var errNoStateDir = errors.New("no state folder is configured")

// nowhere returns a log that keeps nothing.
func nowhere() *Log { return &Log{err: errNoStateDir} }

// errNotEncodable marks a record that is left out because JSON cannot hold
// it: a defect of who made it, which breaks nothing else.
var errNotEncodable = errors.New("record left out of the log")

// append writes one record. After a failure to write the log is broken: it
// stays a prefix of the session, and every later append answers the first
// error.
func (l *Log) append(r Record) error {
	if _, ok := r.Event.(TurnStarted); ok || len(l.pending) > lazyLimit {
		l.create()
	}
	return l.put(r)
}

// summarize writes what a list needs to know.
func (l *Log) summarize(s logSummary) error {
	s.Type = summaryType
	return l.put(s)
}

// put writes v as one line.
func (l *Log) put(v any) error {
	if l.err != nil {
		return l.err
	}
	line, err := marshal(v)
	if err != nil {
		return fmt.Errorf("%w: %w", errNotEncodable, err)
	}
	return l.write(append(line, '\n'))
}

func (l *Log) write(line []byte) error {
	if l.file == nil {
		l.pending = append(l.pending, line...)
		return nil
	}
	n, err := l.file.Write(line)
	if err != nil {
		if n > 0 {
			// A torn line would be dropped on load anyway; without it the file
			// is whole.
			_ = os.Truncate(l.path, l.size)
		}
		l.fail(err)
		return l.err
	}
	l.size += int64(n)
	return nil
}

// create makes the folder, the lock and the file, and writes what was pending.
func (l *Log) create() {
	if l.err != nil || l.file != nil {
		return
	}
	if err := os.MkdirAll(filepath.Dir(l.path), 0o700); err != nil {
		l.fail(err)
		return
	}
	unlock, err := acquireLock(lockPath(l.path), l.session)
	if err != nil {
		l.fail(err)
		return
	}
	l.unlock = unlock
	l.file, err = os.OpenFile(l.path, os.O_WRONLY|os.O_APPEND|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		l.fail(err)
		return
	}
	lines := l.pending
	l.pending = nil
	_ = l.write(lines) // a failure stays in the log and is told by append
}

// fail remembers the first error.
func (l *Log) fail(err error) {
	l.err = fmt.Errorf("save session: %w", err)
	l.pending = nil
}

// close closes the file and frees the lock.
func (l *Log) close() {
	if l.file != nil {
		l.file.Close()
		l.file = nil
	}
	if l.unlock != nil {
		l.unlock()
		l.unlock = nil
	}
}

// lockPath is the lock of the log at path.
func lockPath(path string) string { return path[:len(path)-len(logExt)] + ".lock" }

// FormatError says that a log was written by a newer version of the program.
type FormatError struct {
	Session string
	Format  int
}

// Error says what to do.
func (e *FormatError) Error() string {
	return fmt.Sprintf("session %s was saved by a newer version of agent-ls (log format %d, this version reads up to %d); update agent-ls to open it",
		e.Session, e.Format, logFormat)
}

// parseHeader decodes the first line of a log.
func parseHeader(session string, line []byte) (logHeader, error) {
	var h logHeader
	if err := json.Unmarshal(line, &h); err != nil || h.Format < 1 {
		return h, fmt.Errorf("session %s: its log has no readable header; the file is damaged", session)
	}
	if h.Format > logFormat {
		return h, &FormatError{Session: session, Format: h.Format}
	}
	return h, nil
}
