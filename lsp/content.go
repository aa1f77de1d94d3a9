package lsp

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"time"

	"go.lsp.dev/jsonrpc2"
	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"

	"github.com/agent-ls/agent-ls/agent"
)

// refreshPace is the shortest time between two refreshes of one document.
const refreshPace = 250 * time.Millisecond

// transcriptURI is the document of a session's transcript.
func transcriptURI(session string) string { return scheme + ":/session/" + session + "/transcript.md" }

var transcriptPattern = regexp.MustCompile(`^agent-ls:/session/([A-Za-z0-9_-]+)/transcript\.md$`)

// parseURI returns u as the client is given it.
func parseURI(u string) uri.URI {
	parsed, err := uri.Parse(u)
	if err != nil {
		return uri.URI(u)
	}
	return parsed
}

// textDocumentContent gives the documents of our own scheme.
func (s *Server) textDocumentContent(_ context.Context, p *protocol.TextDocumentContentParams) (any, error) {
	if m := transcriptPattern.FindStringSubmatch(string(p.URI)); m != nil {
		text, err := s.transcriptOf(m[1])
		if err != nil {
			return nil, err
		}
		s.content.read(m[1])
		return &protocol.TextDocumentContentResult{Text: text}, nil
	}
	if s.reviewer != nil && p.URI.Scheme() == scheme {
		if text, ok := s.reviewer.Document(p.URI); ok {
			return &protocol.TextDocumentContentResult{Text: text}, nil
		}
	}
	return nil, jsonrpc2.Errorf(jsonrpc2.InvalidParams, "no such document: %s; expected %s", p.URI, transcriptURI("ID"))
}

// transcriptOf renders a session's log, which is what was shown.
func (s *Server) transcriptOf(session string) (string, error) {
	info, records, err := s.backend.Hub.Store().Read(session)
	switch {
	case err == nil:
		return transcript(info.Cwd, records), nil
	case errors.Is(err, agent.ErrUnknownSession):
		if _, open := s.backend.Hub.Get(session); open {
			return "", nil // nothing has happened in it
		}
		return "", unknownSession(session)
	}
	return "", err
}

func unknownSession(id string) error {
	return jsonrpc2.Errorf(jsonrpc2.InvalidParams, "unknown session %q; see agent-ls sessions list", id)
}

// contents knows which of our documents the client has read, and tells it when
// they have changed. Safe for concurrent use.
type contents struct {
	mu    sync.Mutex
	known map[string]*shownContent // by session
}

// shownContent is a transcript that the client has read.
type shownContent struct{ stale, busy bool }

func (c *contents) read(session string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.known == nil {
		c.known = map[string]*shownContent{}
	}
	if c.known[session] == nil {
		c.known[session] = &shownContent{}
	}
}

// changed tells the client that a transcript has grown, if it has read it, but
// not more often than it can take.
func (c *contents) changed(s *Server, session string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	d := c.known[session]
	if d == nil {
		return
	}
	d.stale = true
	if !d.busy {
		d.busy = true
		s.run(func() { c.refresh(s, session, d) })
	}
}

// refresh asks the client to read a document again until it is not stale.
func (c *contents) refresh(s *Server, session string, d *shownContent) {
	for c.take(d) {
		ctx, stop := context.WithTimeout(s.conn.ctx, progressPatience)
		params := &protocol.TextDocumentContentRefreshParams{URI: parseURI(transcriptURI(session))}
		if err := s.call(ctx, protocol.MethodWorkspaceTextDocumentContentRefresh, params, nil); err != nil {
			s.logger.Debug("transcript not refreshed", "session", session, "error", err)
		}
		stop()
		select {
		case <-time.After(refreshPace):
		case <-s.conn.done:
		}
	}
}

// take reports whether a document is stale, and counts it as fresh; when not,
// its refreshing ends.
func (c *contents) take(d *shownContent) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	stale := d.stale
	d.stale, d.busy = false, stale
	return stale
}

// SessionChanged tells the server that something has happened in a session
// that the handler of the session methods shows.
func (s *Server) SessionChanged(session string) {
	if s.client.content {
		s.content.changed(s, session)
	}
}

// showTranscript shows the transcript of a session, or names it where the
// client cannot show documents.
func (s *Server) showTranscript(ctx context.Context, session string) (any, error) {
	text, err := s.transcriptOf(session)
	if err != nil {
		return nil, err
	}
	u := transcriptURI(session)
	if !s.client.content {
		path := s.transcriptPath(session)
		if err := writeTranscript(path, text); err != nil {
			return nil, err
		}
		u = string(fileURI(path))
	}
	ok, err := s.showDocument(ctx, u, nil)
	if err != nil || !ok {
		s.logger.Debug("transcript not shown", "session", session, "error", err)
	}
	return map[string]any{"uri": u, "shown": ok}, nil
}

// writeTranscript makes the file of a transcript where it is missing or
// incomplete: sessions of other connections have none yet.
func writeTranscript(path, text string) error {
	if old, err := os.ReadFile(path); err == nil && strings.HasPrefix(string(old), text) {
		return nil
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	return os.WriteFile(path, []byte(text), 0o600)
}
