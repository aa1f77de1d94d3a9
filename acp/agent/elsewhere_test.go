package agent

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"time"

	"go.lsp.dev/jsonrpc2"

	"github.com/agent-ls/agent-ls/acp"
	"github.com/agent-ls/agent-ls/agent"
	"github.com/agent-ls/agent-ls/presentation"
)

// shelf keeps one session, and copies of it.
type shelf struct {
	hub   *agent.Hub
	forks bool
}

func (s *shelf) Sessions(_ context.Context, cwd string) []agent.SessionInfo {
	return []agent.SessionInfo{{ID: "theirs", Cwd: cwd, Title: "Theirs", Updated: time.Unix(1, 0)}}
}

func (s *shelf) Import(ctx context.Context, id string, _ []acp.McpServer, o agent.SessionOptions) (*agent.Session, []agent.Record, error) {
	if id != "theirs" && id != "copy" {
		return nil, nil, fmt.Errorf("%w %q", agent.ErrUnknownSession, id)
	}
	return s.hub.Import(ctx, id, o, func(*agent.Session) (agent.Driver, error) {
		return driver(func(_ context.Context, t *agent.Turn) (agent.StopReason, error) {
			t.UserMessage([]presentation.Block{presentation.Text("long ago")})
			t.Record(agent.AgentText{MessageID: "m", Text: "I remember"})
			return agent.EndTurn, nil
		}), nil
	})
}

func (s *shelf) Forks() bool { return s.forks }

func (s *shelf) Fork(_ context.Context, id, _ string) (string, error) {
	if id != "theirs" {
		return "", agent.ErrUnknownSession
	}
	return "copy", nil
}

// Sessions that others keep are listed, loaded with what was said in them, resumed
// without it, and copied where they can be.
func TestSessionsElsewhere(t *testing.T) {
	for _, forks := range []bool{false, true} {
		own := &shelf{forks: forks}
		c := start(t, setup{cold: true, state: t.TempDir(), options: Options{Elsewhere: own}})
		own.hub = c.hub
		var hello acp.InitializeResponse
		c.call(acp.MethodInitialize, acp.InitializeRequest{ProtocolVersion: 1}, &hello)
		if offered := hello.AgentCapabilities.SessionCapabilities.Fork != nil; offered != forks {
			t.Errorf("fork is offered: %t", offered)
		}
		listed := func() (ids []string) {
			var r acp.ListSessionsResponse
			c.call(acp.MethodSessionList, acp.ListSessionsRequest{Cwd: c.cwd}, &r)
			for _, s := range r.Sessions {
				ids = append(ids, s.SessionID)
			}
			return ids
		}
		if ids := listed(); !slices.Equal(ids, []string{"theirs"}) {
			t.Errorf("listed %q", ids)
		}
		at := acp.LoadSessionRequest{SessionID: "theirs", Cwd: c.cwd}
		c.call(acp.MethodSessionLoad, at, nil)
		if c.wire.find(0, "theirs", "user_message_chunk", "long ago") < 0 || c.wire.find(0, "theirs", "agent_message_chunk", "I remember") < 0 {
			t.Error("what was said is not shown")
		}
		if ids := listed(); !slices.Equal(ids, []string{"theirs"}) {
			t.Errorf("once it is ours, listed %q", ids)
		}
		if !forks {
			c.refused(jsonrpc2.MethodNotFound, acp.MethodSessionFork, at)
			continue
		}
		var made acp.NewSessionResponse
		c.call(acp.MethodSessionFork, at, &made)
		if made.SessionID != "copy" || len(made.ConfigOptions) == 0 || c.wire.find(0, "copy", "user_message_chunk") >= 0 {
			t.Errorf("the copy is %+v", made)
		}
		at.SessionID = "nowhere"
		c.refused(acp.CodeNotFound, acp.MethodSessionFork, at)
		c.refused(acp.CodeNotFound, acp.MethodSessionLoad, at)
	}
}
