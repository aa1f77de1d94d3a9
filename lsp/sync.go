package lsp

import (
	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"

	"github.com/agent-ls/agent-ls/workspace/diff"
)

func (s *Documents) setEncoding(enc diff.Encoding) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.encoding = enc
}

func (s *Server) didOpen(p *protocol.DidOpenTextDocumentParams) {
	if p.TextDocument.URI.Scheme() == scheme {
		return // our own
	}
	s.docs.open(p.TextDocument)
	s.opened(p.TextDocument.URI)
}

func (s *Server) didChange(p *protocol.DidChangeTextDocumentParams) {
	u := p.TextDocument.URI
	c, ok := s.docs.change(u, p.TextDocument.Version, p.ContentChanges)
	if !ok {
		s.logger.Warn("change ignored: the document is not open, or the version is not newer", "uri", u, "version", p.TextDocument.Version)
		return
	}
	if c.Cause == causeTyping {
		s.follow.typed(c.Path)
	}
	if s.observer != nil {
		s.observer.Changed(c)
	}
}

func (s *Server) didSave(p *protocol.DidSaveTextDocumentParams) {
	if s.docs.save(p.TextDocument.URI) {
		s.opened(p.TextDocument.URI)
	}
}

func (s *Server) didClose(p *protocol.DidCloseTextDocumentParams) {
	s.docs.close(p.TextDocument.URI)
	s.opened(p.TextDocument.URI)
}

// opened tells the observer that a document was opened, saved or closed.
func (s *Server) opened(u uri.URI) {
	if s.observer != nil {
		s.observer.Opened(u)
	}
}
