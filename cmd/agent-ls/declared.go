package main

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"sync"
	"time"

	"go.lsp.dev/jsonrpc2"

	"github.com/agent-ls/agent-ls/acp"
	acpagent "github.com/agent-ls/agent-ls/acp/agent"
	"github.com/agent-ls/agent-ls/agent"
	"github.com/agent-ls/agent-ls/tools/declared"
)

// The names of contract §4 for tools that a client declares.
const (
	metaTools      = "agent-ls/tools"
	methodSetTools = "_agent-ls/set_tools"
	methodToolCall = "_agent-ls/tool_call"
)

// declaredTools are the tools that one client declares for its sessions, and the
// way to it (declared.Caller).
type declaredTools struct {
	client acpagent.Peer
	log    *slog.Logger

	mu       sync.Mutex
	sessions map[string]*declaredSession
}

// declaredSession is a session with what its client declares.
type declaredSession struct {
	*agent.Session
	set *declared.Set
}

func newDeclaredTools(client acpagent.Peer, log *slog.Logger) *declaredTools {
	return &declaredTools{client: client, log: log, sessions: map[string]*declaredSession{}}
}

// methods are what clients may ask (acpagent.Options.Methods).
func (d *declaredTools) methods() map[string]func(context.Context, json.RawMessage) (any, error) {
	return map[string]func(context.Context, json.RawMessage) (any, error){methodSetTools: d.setTools}
}

// handlerGrace is how long a closing session waits for the client to give up on
// a call of its tools.
const handlerGrace = 2 * time.Second

// opening takes the tools that come with session/new, load or resume.
func (d *declaredTools) opening(_ context.Context, s *agent.Session, meta acp.Meta) error {
	set := declared.NewSet(declared.Options{
		Session: s.ID(), Caller: d, Install: s.AddTool, Turn: s.RunningTurn, Logger: d.log,
	})
	session := &declaredSession{s, set}
	d.mu.Lock()
	d.sessions[s.ID()] = session
	d.mu.Unlock()
	s.OnClose(func() { d.close(session) })
	manifest, declares := meta[metaTools]
	if !declares {
		return nil
	}
	return session.replace(manifest)
}

func (d *declaredTools) close(s *declaredSession) {
	d.mu.Lock()
	if d.sessions[s.ID()] == s {
		delete(d.sessions, s.ID())
	}
	d.mu.Unlock()
	ctx, cancel := context.WithTimeout(context.Background(), handlerGrace)
	defer cancel()
	if err := s.set.Close(ctx); err != nil {
		d.log.Warn("declared tools did not end", "session", s.ID(), "error", err)
	}
}

// setTools serves _agent-ls/set_tools.
func (d *declaredTools) setTools(_ context.Context, params json.RawMessage) (any, error) {
	var p struct {
		SessionID string `json:"sessionId"`
	}
	if err := acp.Decode(params, &p); err != nil {
		return nil, acp.InvalidParams("%v", err)
	}
	d.mu.Lock()
	s := d.sessions[p.SessionID]
	d.mu.Unlock()
	if s == nil {
		return nil, acp.NotFound("unknown session %q: open it by session/new, session/load or session/resume", p.SessionID)
	}
	if turn, _ := s.RunningTurn(); turn != "" {
		return nil, acp.Errorf(jsonrpc2.InvalidRequest, "a turn runs in session %q; set its tools between turns", p.SessionID)
	}
	return acp.Empty{}, s.replace(params)
}

// replace puts the tools and the guidance of a manifest in the place of those
// that were there. What is wrong with it is −32602 with the causes as data.
func (s *declaredSession) replace(manifest json.RawMessage) error {
	m, err := declared.ParseManifest(manifest)
	if err == nil {
		err = s.set.Replace(m)
	}
	if err != nil {
		cause := &declared.Error{Code: declared.CodeInvalidInput, Message: err.Error()}
		errors.As(err, &cause)
		return acp.WithData(acp.InvalidParams("tools: %v", err), cause)
	}
	s.SetGuidance(metaTools, m.Guidance)
	return nil
}

// Call asks the client to run one of its tools.
func (d *declaredTools) Call(ctx context.Context, r declared.Request) (json.RawMessage, error) {
	params, err := acp.Encode(r)
	if err != nil {
		return nil, err
	}
	result, err := d.client.Call(ctx, methodToolCall, params)
	if refusal := (*jsonrpc2.Error)(nil); errors.As(err, &refusal) {
		e := &declared.Error{Code: declared.CodeHandlerError, Message: refusal.Message, Details: json.RawMessage(refusal.Data)}
		if refusal.Code == jsonrpc2.MethodNotFound {
			e.Code = declared.CodeHandlerNotFound
		}
		return nil, e
	}
	return result, err
}
