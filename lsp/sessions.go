package lsp

import (
	"context"
	"slices"

	"github.com/agent-ls/agent-ls/agent"
)

// isRich reports whether the client speaks the session methods.
func (s *Server) isRich() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.rich != nil && s.client.rich
}

// becomeRich notes that the client speaks the session methods although it did
// not declare them.
func (s *Server) becomeRich() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.client.rich = true
}

// current returns the connection's current session, a new one where there is
// none (settled detail 6), with its front, nil for a rich client.
func (s *Server) current(ctx context.Context) (*agent.Session, *front, error) {
	session, ok := s.backend.Hub.Current(s)
	if !ok {
		return s.newSession(ctx)
	}
	f := s.frontOf(session)
	if f == nil {
		return session, nil, nil
	}
	return s.settle(ctx, f)
}

// CurrentSession returns the client's current session, a new one where there is
// none, for calls that come another way, such as those of a process that has
// joined: the client shows them like its own.
func (s *Server) CurrentSession(ctx context.Context) (*agent.Session, error) {
	session, _, err := s.current(ctx)
	return session, err
}

// Doors are the client's ways to files, for sessions that it does not show.
func (s *Server) Doors() agent.FrontEnd { return s.doors() }

// frontOf is the front of a session that a command opened for a plain client.
func (s *Server) frontOf(session *agent.Session) *front {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.fronts[session.ID()]
}

// newSession opens a session and makes it the current one.
func (s *Server) newSession(ctx context.Context) (*agent.Session, *front, error) {
	cwd, roots := s.places()
	if s.isRich() {
		o, start := s.rich.Front(cwd)
		o.Roots = roots
		session, err := s.backend.Hub.New(ctx, o)
		if err != nil {
			return nil, nil, err
		}
		start(session)
		return session, nil, nil
	}
	f := &front{s: s}
	session, err := s.backend.Hub.New(ctx, s.frontOptions(f, cwd, roots))
	if err != nil {
		return nil, nil, err
	}
	s.adoptSession(f, session)
	return session, f, nil
}

// frontOptions are the options of a session that f shows.
func (s *Server) frontOptions(f *front, cwd string, roots []string) agent.SessionOptions {
	f.cwd, f.roots = cwd, roots
	f.writer.cwd = cwd
	end := s.doors()
	end.Sink, end.Connection = f, s
	end.Asker = f
	return agent.SessionOptions{Cwd: cwd, Roots: roots, FrontEnd: end}
}

// adoptSession makes f known as the front of a session.
func (s *Server) adoptSession(f *front, session *agent.Session) {
	f.session = session
	f.file.path = s.transcriptPath(session.ID())
	s.mu.Lock()
	s.fronts[session.ID()] = f
	s.mu.Unlock()
	session.OnClose(func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		if s.fronts[session.ID()] == f && f.session == session {
			delete(s.fronts, session.ID())
		}
	})
}

// settle returns the session of f within the workspace's folders of now: when
// they have changed it is opened again within them, between two prompts.
func (s *Server) settle(ctx context.Context, f *front) (*agent.Session, *front, error) {
	cwd, roots := s.places()
	if cwd == f.cwd && slices.Equal(roots, f.roots) || !f.idle() {
		return f.session, f, nil
	}
	moved := &front{s: s}
	session, _, err := s.backend.Hub.Load(ctx, f.session.ID(), s.frontOptions(moved, cwd, roots))
	if err != nil {
		s.logger.Warn("the session is not moved to the folders of now; a new one begins", "session", f.session.ID(), "error", err)
		return s.newSession(ctx)
	}
	s.adoptSession(moved, session)
	return session, moved, nil
}
