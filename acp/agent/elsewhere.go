package agent

import (
	"context"
	"time"

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
