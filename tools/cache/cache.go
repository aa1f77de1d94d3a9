// Package cache keeps tool output: spilled command output, full diffs, and
// what was cut from results.
package cache

import (
	"io"
	"time"
)

// Options configure a Store.
type Options struct {
	// Dir is the folder, made 0700 on first use.
	Dir string
	// MaxBytes and MaxAge bound what Sweep leaves; 0 means the defaults
	// (1 GiB, 14 days).
	MaxBytes int64
	MaxAge   time.Duration
}

// Store is the one place for output that is too large to show. Refs are
// namespaced by session.
type Store struct{}

// Open returns the store in dir; nothing is touched until it is used.
func Open(o Options) *Store { panic("stub") }

// Ref names a stored output.
type Ref string

// Create starts a new entry for session; id is a tool call id or another
// name. Path is where it lies on disk.
func (s *Store) Create(session, id string) (w io.WriteCloser, ref Ref, path string, err error) {
	panic("stub")
}

// Put stores text.
func (s *Store) Put(session, id, text string) (ref Ref, path string, err error) { panic("stub") }

// OpenRef opens an entry of session for streaming.
func (s *Store) OpenRef(session string, ref Ref) (io.ReadSeekCloser, error) { panic("stub") }

// Sweep removes what is over age or size.
func (s *Store) Sweep() error { panic("stub") }
