package lsp

import (
	"sync"

	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"

	"github.com/agent-ls/agent-ls/lsp/text"
	"github.com/agent-ls/agent-ls/workspace"
	"github.com/agent-ls/agent-ls/workspace/diff"
)

// Documents are the open documents of the connected editor: a
// workspace.Overlay. Safe for concurrent use.
type Documents struct {
	mu       sync.Mutex
	encoding diff.Encoding
	byURI    map[uri.URI]*document
	byFile   map[string]*document // by fileKey
}

func newDocuments() *Documents {
	return &Documents{byURI: map[uri.URI]*document{}, byFile: map[string]*document{}}
}

// DocumentChange is what one notification of the editor made of a document.
type DocumentChange struct {
	URI     uri.URI
	Path    string // of the file, links resolved; "" for what is no file
	Version int32
	// Before and After are the texts as the editor has them, without Prefix, the
	// byte order mark that it hides.
	Before, After text.Text
	Prefix        string
	Cause         cause
}

// Document returns the open document of a file, for workspace.Overlay.
func (s *Documents) Document(path string) (workspace.Handle, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	d := s.byFile[fileKey(path)]
	if d == nil {
		return workspace.Handle{}, false
	}
	return d.snapshot(), true
}

// Documents returns all open documents that are files, for workspace.Overlay.
func (s *Documents) Documents() []workspace.Handle {
	s.mu.Lock()
	defer s.mu.Unlock()
	out := make([]workspace.Handle, 0, len(s.byFile))
	for _, d := range s.byFile {
		out = append(out, d.snapshot())
	}
	return out
}

// Encoding is the negotiated position encoding.
func (s *Documents) Encoding() diff.Encoding {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.encoding
}

// Text returns an open document's text as the editor has it, and its version.
func (s *Documents) Text(u uri.URI) (t text.Text, version int32, ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	d := s.byURI[u]
	if d == nil {
		return text.Text{}, 0, false
	}
	return d.buffer.Text(), d.version, true
}

// open takes a document that the editor has opened. One that is open already
// is replaced.
func (s *Documents) open(item protocol.TextDocumentItem) {
	d := newDocument(item) // reads the file; nobody knows it yet
	s.mu.Lock()
	defer s.mu.Unlock()
	s.forget(s.byURI[d.uri])
	s.byURI[d.uri] = d
	if d.path != "" {
		s.byFile[fileKey(d.path)] = d
	}
}

// change makes the changes of a notification; ok is false for a document that
// is not open and for a version that is not newer than the last.
func (s *Documents) change(u uri.URI, version int32, changes []protocol.TextDocumentContentChangeEvent) (c DocumentChange, ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	d := s.byURI[u]
	if d == nil || version <= d.version {
		return DocumentChange{}, false
	}
	c = DocumentChange{URI: u, Path: d.path, Version: version, Prefix: d.prefix, Before: d.buffer.Text()}
	c.Cause = d.apply(version, changes, s.encoding)
	if c.Cause == causeAgent {
		c.Before = d.awaited.before
	}
	c.After = d.buffer.Text()
	return c, true
}

// save notes that the editor has saved a document; ok is false for one that is
// not open.
func (s *Documents) save(u uri.URI) (ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	d := s.byURI[u]
	if d == nil {
		return false
	}
	d.saved()
	return true
}

// close forgets a document.
func (s *Documents) close(u uri.URI) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.forget(s.byURI[u])
}

// forget removes d, nil for none; the lock is held. Who waits for it learns
// that by its own deadline.
func (s *Documents) forget(d *document) {
	if d == nil {
		return
	}
	delete(s.byURI, d.uri)
	if s.byFile[fileKey(d.path)] == d {
		delete(s.byFile, fileKey(d.path))
	}
}

// touched looks at the file of a document again, after an event on it.
func (s *Documents) touched(path string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if d := s.byFile[fileKey(path)]; d != nil {
		d.lookAtDisk()
	}
}

// expectDisk notes what the file of an open document is about to be given.
func (s *Documents) expectDisk(path, after string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if d := s.byFile[fileKey(path)]; d != nil {
		d.marks.expect(fingerprintOf(after))
	}
}

// files are the files of all open documents.
func (s *Documents) files() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	out := make([]string, 0, len(s.byFile))
	for _, d := range s.byFile {
		out = append(out, d.path)
	}
	return out
}
