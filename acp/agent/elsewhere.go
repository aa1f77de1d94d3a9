package agent

import (
	"context"
	"encoding/json"
	"time"

	"go.lsp.dev/jsonrpc2"

	"github.com/agent-ls/agent-ls/acp"
	"github.com/agent-ls/agent-ls/agent"
)

// elsewhereTime bounds how long a list of sessions waits for those of others.
const elsewhereTime = 10 * time.Second

// Elsewhere are sessions that others keep, such as the agent that runs the turns.
// A client sees them in its list and opens them as it does ours.
type Elsewhere interface {
	// Sessions lists those of a folder, or with "" all, as far as they are known
	// when ctx ends.
	Sessions(ctx context.Context, cwd string) []agent.SessionInfo
	// Import makes one of them ours, as agent.Hub.Import does. An id that is none
	// of theirs is agent.ErrUnknownSession.
	Import(ctx context.Context, id string, servers []acp.McpServer, o agent.SessionOptions) (*agent.Session, []agent.Record, error)
	// Forks says whether they can be copied; it is asked when the client
	// initializes, behind Accounts, and does not wait.
	Forks() bool
	// Fork copies one of them, or one of ours that goes on there, and returns the
	// copy's id, for Import.
	Fork(ctx context.Context, id, cwd string) (copied string, err error)
}

// elsewhere are the sessions that others keep.
func (s *Server) elsewhere(ctx context.Context, cwd string) []agent.SessionInfo {
	if s.o.Elsewhere == nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, elsewhereTime)
	defer cancel()
	return s.o.Elsewhere.Sessions(ctx, cwd)
}

// copied opens a copy of a session.
func (s *Server) copied(ctx context.Context, o opening, options agent.SessionOptions) (*agent.Session, error) {
	id, err := s.o.Elsewhere.Fork(ctx, o.original, o.cwd)
	if err != nil {
		return nil, err
	}
	session, _, err := s.o.Elsewhere.Import(ctx, id, o.servers, options)
	return session, err
}

// forkSession opens a copy of a session, where those who keep sessions can make
// one.
func (s *Server) forkSession(ctx context.Context, p acp.ResumeSessionRequest, raw json.RawMessage) (any, error) {
	if s.o.Elsewhere == nil || !s.o.Elsewhere.Forks() {
		return nil, acp.Errorf(jsonrpc2.MethodNotFound, "method not found: %s: nobody here can fork a session", acp.MethodSessionFork)
	}
	return s.openNew(ctx, opening{original: p.SessionID, cwd: p.Cwd, roots: p.AdditionalDirectories, servers: p.McpServers, meta: p.Meta}.with(raw))
}
