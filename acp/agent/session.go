package agent

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"slices"

	"go.lsp.dev/jsonrpc2"

	"github.com/agent-ls/agent-ls/acp"
	"github.com/agent-ls/agent-ls/acp/editor"
	"github.com/agent-ls/agent-ls/agent"
)

// listPage is how many sessions one answer of session/list holds.
const listPage = 50

// opening is what session/new, load and resume have in common.
type opening struct {
	id  string // "" for a new session
	cwd string
	// original is the session that a new one is a copy of, "" for none.
	original string
	roots    []string
	servers  []acp.McpServer
	// unknown is how many servers the client named in a way that says nothing.
	unknown int
	meta    acp.Meta
	replay  bool
}

// with returns o with what of the params could not be decoded.
func (o opening) with(params json.RawMessage) opening {
	var raw struct {
		Servers []json.RawMessage `json:"mcpServers"`
	}
	if json.Unmarshal(params, &raw) == nil {
		o.unknown = len(raw.Servers) - len(o.servers)
	}
	return o
}

// check refuses what is not absolute (field report 94).
func (o opening) check() error {
	if !filepath.IsAbs(o.cwd) {
		return acp.InvalidParams("cwd: expected an absolute path, got %q", o.cwd)
	}
	for i, dir := range o.roots {
		if !filepath.IsAbs(dir) {
			return acp.InvalidParams("additionalDirectories[%d]: expected an absolute path, got %q", i, dir)
		}
	}
	return nil
}

// missing returns the folders that are none. They are no mistake of the wire: a
// session can be loaded when its folder has gone, or be there before the folder.
func (o opening) missing() []string {
	return slices.DeleteFunc(append([]string{o.cwd}, o.roots...), isDir)
}

func (s *Server) newSession(ctx context.Context, p acp.NewSessionRequest, raw json.RawMessage) (any, error) {
	return s.openNew(ctx, opening{cwd: p.Cwd, roots: p.AdditionalDirectories, servers: p.McpServers, meta: p.Meta}.with(raw))
}

// openNew opens a session that has not been there before, and answers with what
// it offers.
func (s *Server) openNew(ctx context.Context, o opening) (any, error) {
	b, started, err := s.openSession(ctx, o)
	if err != nil {
		return nil, err
	}
	return acp.Then{Run: started, Result: acp.NewSessionResponse{
		SessionID: b.id, Modes: modes(b.session), ConfigOptions: s.configOptions(b.session),
	}}, nil
}

func (s *Server) loadSession(ctx context.Context, p acp.LoadSessionRequest, raw json.RawMessage) (any, error) {
	return s.reopen(ctx, opening{
		id: p.SessionID, cwd: p.Cwd, roots: p.AdditionalDirectories, servers: p.McpServers, meta: p.Meta, replay: true,
	}.with(raw))
}

func (s *Server) resumeSession(ctx context.Context, p acp.ResumeSessionRequest, raw json.RawMessage) (any, error) {
	return s.reopen(ctx, opening{
		id: p.SessionID, cwd: p.Cwd, roots: p.AdditionalDirectories, servers: p.McpServers, meta: p.Meta,
	}.with(raw))
}

func (s *Server) reopen(ctx context.Context, o opening) (any, error) {
	b, started, err := s.openSession(ctx, o)
	if err != nil {
		return nil, err
	}
	return acp.Then{Run: started, Result: acp.LoadSessionResponse{
		Modes: modes(b.session), ConfigOptions: s.configOptions(b.session),
	}}, nil
}

// openSession opens a session and shows its history where asked; started lets
// its updates through once the answer is written.
func (s *Server) openSession(ctx context.Context, o opening) (b *bridge, started func(), err error) {
	if err := o.check(); err != nil {
		return nil, nil, err
	}
	b, options := s.front(o.cwd)
	options.Roots = o.roots
	jsonrpc2.Async(ctx)
	history, err := s.attach(ctx, b, o, options)
	if err != nil {
		return nil, nil, s.openError(first(o.id, o.original), err)
	}
	if s.o.Opening != nil {
		if err := s.o.Opening(ctx, b.session, o.meta); err != nil {
			b.session.Close()
			return nil, nil, err
		}
	}
	if o.unknown > 0 {
		b.session.Notify(agent.Notice{
			Severity: "warning", Title: fmt.Sprintf("MCP servers left out: %d", o.unknown),
			Text: "The editor named them without a command or a url. Check its settings.",
		})
	}
	for _, dir := range o.missing() {
		b.session.Notify(agent.Notice{
			Severity: "warning", Title: "This session's folder " + dir + " is not there",
			Text: "Until it is, files cannot be read in it, and commands cannot be run. Create it, or open the session in another folder.",
		})
	}
	s.connect(ctx, b.session, o.servers)
	if !s.keep(b) {
		b.session.Close()
		return nil, nil, s.openError(o.id, agent.ErrClosed)
	}
	if o.replay {
		b.replay(o.cwd, history)
	}
	return b, func() { b.start(b.session) }, nil
}

// attach makes the session of b, or loads it. One that this connection has open
// under the id is closed first.
func (s *Server) attach(ctx context.Context, b *bridge, o opening, options agent.SessionOptions) (history []agent.Record, err error) {
	var session *agent.Session
	switch {
	case o.original != "":
		session, err = s.copied(ctx, o, options)
	case o.id == "":
		session, err = s.hub.New(ctx, options)
	default:
		if old, ok := s.lookup(o.id); ok {
			old.session.Close()
		}
		session, history, err = s.hub.Load(ctx, o.id, options)
		if errors.Is(err, agent.ErrUnknownSession) && s.o.Elsewhere != nil {
			session, history, err = s.o.Elsewhere.Import(ctx, o.id, o.servers, options)
		}
	}
	if err != nil {
		return nil, err
	}
	b.bind(session)
	return history, nil
}

// front makes what shows a session, and the options to open it with.
func (s *Server) front(cwd string) (*bridge, agent.SessionOptions) {
	b := s.newBridge(cwd)
	var front agent.FrontEnd
	if s.o.Doors != nil {
		front = s.o.Doors()
	} else {
		front = s.editorDoors(b)
	}
	front.Sink, front.Asker, front.Connection = b, b, s.o.Connection
	return b, agent.SessionOptions{Cwd: cwd, FrontEnd: front, OnClose: b.closed}
}

// Front is for sessions that someone else opens on this connection, such as a
// command of the language server (contract §7): options are for Hub.New or
// Load, and start is called with the session when the client may be told of it.
// From then on the connection serves it like any other.
func (s *Server) Front(cwd string) (options agent.SessionOptions, start func(*agent.Session)) {
	b, options := s.front(cwd)
	return options, func(session *agent.Session) {
		b.bind(session)
		if s.keep(b) {
			b.start(session)
		}
	}
}

// editorDoors are the client's fs and terminal methods, as far as it offers
// them.
func (s *Server) editorDoors(b *bridge) agent.FrontEnd {
	e := editor.New(s.peer, editor.Options{Capabilities: b.caps, Client: s.clientName(), Logger: s.logger})
	b.editor = e
	var doors agent.FrontEnd
	if b.caps.FS.ReadTextFile {
		doors.Reader = e
	}
	if b.caps.FS.WriteTextFile {
		doors.Appliers = append(doors.Appliers, e)
	}
	if b.channel == owned {
		doors.Runner = e
	}
	return doors
}

// connect starts the MCP servers of a session, or says that they are not used.
func (s *Server) connect(ctx context.Context, session *agent.Session, servers []acp.McpServer) {
	switch {
	case s.o.MCP == nil && len(servers) == 0:
	case s.o.MCP == nil:
		session.Notify(agent.Notice{
			Severity: "warning", Title: "The MCP servers of this session are not used",
			Text: "This agent-ls does not connect to MCP servers.",
		})
	default:
		s.o.MCP(ctx, session, servers)
	}
}

// openError is why a session could not be opened, for the client.
func (s *Server) openError(id string, err error) error {
	var provider *agent.ProviderError
	switch {
	case errors.Is(err, agent.ErrUnknownSession):
		return acp.NotFound("unknown session %q", id)
	case errors.As(err, &provider):
		return s.turnError(id, err)
	default:
		return acp.Errorf(jsonrpc2.InternalError, "the session cannot be opened: %v", err)
	}
}

func (s *Server) listSessions(ctx context.Context, p acp.ListSessionsRequest) (any, error) {
	if p.Cwd != "" && !filepath.IsAbs(p.Cwd) {
		return nil, acp.InvalidParams("cwd: expected an absolute path, got %q", p.Cwd)
	}
	jsonrpc2.Async(ctx)
	page, next, err := s.hub.List(p.Cwd, p.Cursor, listPage, s.elsewhere(ctx, p.Cwd)...)
	switch {
	case errors.Is(err, agent.ErrCursor):
		return nil, acp.InvalidParams("%v", err)
	case err != nil:
		return nil, acp.Errorf(jsonrpc2.InternalError, "the sessions cannot be listed: %v", err)
	}
	response := acp.ListSessionsResponse{NextCursor: next}
	for _, i := range page {
		response.Sessions = append(response.Sessions, acp.SessionInfo{
			SessionID: i.ID, Cwd: i.Cwd, AdditionalDirectories: i.Roots, Title: i.Title, UpdatedAt: timestamp(i.Updated),
		})
	}
	return response, nil
}

// closeSession cancels what runs, as session/cancel does, and frees the session.
func (s *Server) closeSession(ctx context.Context, p acp.SessionRequest) (any, error) {
	b, err := s.bridge(p.SessionID)
	if err != nil {
		return nil, err
	}
	jsonrpc2.Async(ctx)
	b.session.Close()
	return acp.Empty{}, nil
}

// deleteSession also succeeds for a session that is not there (acp.md §2.1).
func (s *Server) deleteSession(ctx context.Context, p acp.SessionRequest) (any, error) {
	jsonrpc2.Async(ctx)
	if err := s.hub.Delete(p.SessionID); err != nil {
		return nil, acp.Errorf(jsonrpc2.InternalError, "the session cannot be deleted: %v", err)
	}
	return acp.Empty{}, nil
}

// cancel ends the turns of a session; an idle or unknown one is no matter.
func (s *Server) cancel(_ context.Context, p acp.SessionRequest) (any, error) {
	if b, ok := s.lookup(p.SessionID); ok {
		b.session.Cancel()
	}
	return nil, nil
}
