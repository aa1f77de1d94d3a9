package agent

import (
	"context"
	"encoding/json"
	"log/slog"
	"sync"
	"time"

	"go.lsp.dev/jsonrpc2"

	"github.com/agent-ls/agent-ls/acp"
	"github.com/agent-ls/agent-ls/agent"
)

// Peer is the client. *acp.Conn is one; the language server's connection is
// another.
type Peer interface {
	// Call sends a request and returns its raw result. A refusal is a
	// *jsonrpc2.Error. When ctx ends first the request is withdrawn.
	Call(ctx context.Context, method string, params any) (json.RawMessage, error)
	// Notify sends a notification and returns when it is written.
	Notify(ctx context.Context, method string, params any) error
}

// Options configure a Server; every field may be zero.
type Options struct {
	// Version is the program's version, for agentInfo.
	Version string
	Logger  *slog.Logger
	Now     func() time.Time
	// InitializeMethod is the method that initializes; "" means "initialize".
	InitializeMethod string
	// Client is what the client has said of itself elsewhere. With it the
	// session methods may come at once, and initializing once more replaces it
	// (contract §7).
	Client *acp.InitializeRequest
	// Doors gives a session's ways to files and commands instead of the
	// client's fs and terminal methods; only Runner, Reader and Appliers of its
	// answer count.
	Doors func() agent.FrontEnd
	// MCP connects the MCP servers of a session that is being opened; it is
	// called for a session without servers too. The answer waits for it, so it returns soon: tools come by Session.AddTool,
	// also later, and what goes wrong it tells with Session.Notify. nil:
	// servers are not used, and the user is told so.
	MCP func(ctx context.Context, s *agent.Session, servers []acp.McpServer)
	// Opening is told the _meta of session/new, load and resume before the
	// answer, such as the tools that a client declares. An error refuses the
	// session.
	Opening func(ctx context.Context, s *agent.Session, meta acp.Meta) error
	// Methods are further requests, by their name, which begins with "_". They
	// run off the read loop.
	Methods map[string]func(ctx context.Context, params json.RawMessage) (any, error)
	// Elsewhere are sessions that others keep; nil: there are none.
	Elsewhere Elsewhere
	// Accounts are what the user may have to log in to; nil: nothing.
	Accounts Accounts
	// PromptMeta adds to the answer of a prompt.
	PromptMeta func(s *agent.Session) acp.Meta
	// Connection identifies the connection, see agent.FrontEnd; nil: the
	// server itself does.
	Connection any
}

// Server serves one connection. It needs a connection that calls AfterResponse
// of a result or an error that has it (acp.AfterResponse), as *acp.Conn does.
type Server struct {
	hub    *agent.Hub
	peer   Peer
	o      Options
	logger *slog.Logger
	now    func() time.Time
	closed chan struct{}

	offering sync.Once
	offer    offer // set by offering

	mu          sync.Mutex
	client      *acp.InitializeRequest // nil before initialize
	initialized bool                   // by a request
	bridges     map[string]*bridge
	closing     bool
}

// New returns a server for one client; Close ends it.
func New(hub *agent.Hub, peer Peer, o Options) *Server {
	s := &Server{
		hub: hub, peer: peer, o: o, logger: o.Logger, now: o.Now,
		closed: make(chan struct{}), client: o.Client, bridges: map[string]*bridge{},
	}
	if s.logger == nil {
		s.logger = slog.New(slog.DiscardHandler)
	}
	if s.now == nil {
		s.now = time.Now
	}
	if s.o.InitializeMethod == "" {
		s.o.InitializeMethod = acp.MethodInitialize
	}
	if s.o.Connection == nil {
		s.o.Connection = s
	}
	return s
}

// method serves one method with its raw params.
type method func(s *Server, ctx context.Context, params json.RawMessage) (any, error)

// on decodes the params for a method.
func on[P any](serve func(*Server, context.Context, P) (any, error)) method {
	return onRaw(func(s *Server, ctx context.Context, p P, _ json.RawMessage) (any, error) { return serve(s, ctx, p) })
}

// onRaw decodes the params for a method that also wants to see what of them could
// not be decoded.
func onRaw[P any](serve func(*Server, context.Context, P, json.RawMessage) (any, error)) method {
	return func(s *Server, ctx context.Context, params json.RawMessage) (any, error) {
		var p P
		if len(params) == 0 {
			params = json.RawMessage("{}")
		}
		if err := acp.Decode(params, &p); err != nil {
			return nil, acp.InvalidParams("%v", err)
		}
		return serve(s, ctx, p, params)
	}
}

// methods are what a client may ask once it has initialized.
var methods = map[string]method{
	acp.MethodAuthenticate:    on((*Server).authenticate),
	acp.MethodLogout:          on((*Server).logout),
	acp.MethodSessionNew:      onRaw((*Server).newSession),
	acp.MethodSessionLoad:     onRaw((*Server).loadSession),
	acp.MethodSessionResume:   onRaw((*Server).resumeSession),
	acp.MethodSessionFork:     onRaw((*Server).forkSession),
	acp.MethodSessionList:     on((*Server).listSessions),
	acp.MethodSessionClose:    on((*Server).closeSession),
	acp.MethodSessionDelete:   on((*Server).deleteSession),
	acp.MethodSessionPrompt:   on((*Server).prompt),
	acp.MethodSetMode:         on((*Server).setMode),
	acp.MethodSetConfigOption: on((*Server).setConfigOption),
	methodSteering:            on((*Server).steer),
}

// Handle is the jsonrpc2.Handler. Unknown notifications are ignored. Results
// are encoded already, so that any connection writes the same.
func (s *Server) Handle(ctx context.Context, req *jsonrpc2.Request) (any, error) {
	name, params := req.Method(), json.RawMessage(req.Params())
	if !req.IsCall() {
		if name == acp.MethodSessionCancel {
			return on((*Server).cancel)(s, ctx, params)
		}
		return nil, nil
	}
	result, err := s.serve(ctx, name, params)
	if err != nil {
		return nil, err
	}
	if then, ok := result.(acp.Then); ok {
		raw, err := acp.Encode(then.Result)
		return acp.Then{Result: raw, Run: then.Run}, err
	}
	return acp.Encode(result)
}

// serve answers a request.
func (s *Server) serve(ctx context.Context, name string, params json.RawMessage) (any, error) {
	if name == s.o.InitializeMethod {
		return on((*Server).initialize)(s, ctx, params)
	}
	if !s.ready() {
		return nil, acp.Errorf(jsonrpc2.InvalidRequest, "%s before %s", name, s.o.InitializeMethod)
	}
	if serve, ok := methods[name]; ok {
		return serve(s, ctx, params)
	}
	if serve, ok := s.o.Methods[name]; ok {
		params = append(json.RawMessage(nil), params...)
		jsonrpc2.Async(ctx)
		return serve(ctx, params)
	}
	return nil, acp.Errorf(jsonrpc2.MethodNotFound, "method not found: %s", name)
}

func (s *Server) ready() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.client != nil
}

// initialize answers at once, but for what there is to log in to: clients give
// it seconds (acp.md §2.1).
func (s *Server) initialize(ctx context.Context, p acp.InitializeRequest) (any, error) {
	s.mu.Lock()
	again := s.initialized
	if !again {
		s.client, s.initialized = &p, true
	}
	s.mu.Unlock()
	if again {
		return nil, acp.Errorf(jsonrpc2.InvalidRequest, "already initialized; a connection is initialized once")
	}
	if s.o.Accounts != nil {
		jsonrpc2.Async(ctx)
	}
	marker, logins := &acp.Marker{}, s.offered()
	capabilities := acp.AgentCapabilities{
		LoadSession:        true,
		PromptCapabilities: acp.PromptCapabilities{Image: true, EmbeddedContext: true},
		McpCapabilities:    acp.McpCapabilities{HTTP: s.o.MCP != nil},
		SessionCapabilities: acp.SessionCapabilities{
			List: marker, Delete: marker, Resume: marker, Close: marker, AdditionalDirectories: marker,
		},
	}
	if s.o.Elsewhere != nil && s.o.Elsewhere.Forks() {
		capabilities.SessionCapabilities.Fork = marker
	}
	if logins.logout {
		capabilities.Auth.Logout = marker
	}
	return acp.InitializeResponse{
		Meta:              steeringMeta(),
		ProtocolVersion:   acp.Version, // ours, whatever was asked: the client leaves if it cannot speak it
		AgentInfo:         &acp.Implementation{Name: "agent-ls", Title: "agent-ls", Version: first(s.o.Version, "dev")},
		AuthMethods:       logins.methods(),
		AgentCapabilities: capabilities,
	}, nil
}

// capabilities are what the client offers now; sessions keep what it offered
// when they were opened.
func (s *Server) capabilities() acp.ClientCapabilities {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.client == nil {
		return acp.ClientCapabilities{}
	}
	return s.client.ClientCapabilities
}

// clientName is the name that the client gives itself, "" for none.
func (s *Server) clientName() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.client == nil || s.client.ClientInfo == nil {
		return ""
	}
	return s.client.ClientInfo.Name
}

// channel is how the client is shown commands. Where others open the doors,
// its terminals are not used.
func (s *Server) channel() channel {
	ch := channelOf(s.capabilities())
	if ch == owned && s.o.Doors != nil {
		return fenced
	}
	return ch
}

// bridge returns an open session of this connection. A client may be faster
// than what follows the answer that names the session; it is waited for, and
// takes but a moment.
func (s *Server) bridge(id string) (*bridge, error) {
	b, ok := s.lookup(id)
	if !ok {
		return nil, acp.NotFound("unknown session %q: open it by session/new, session/load or session/resume", id)
	}
	select {
	case <-b.started:
	case <-s.closed:
	}
	return b, nil
}

func (s *Server) lookup(id string) (*bridge, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	b, ok := s.bridges[id]
	return b, ok
}

// keep registers the session of b; false when the connection is over.
func (s *Server) keep(b *bridge) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.closing {
		s.bridges[b.id] = b
	}
	return !s.closing
}

func (s *Server) forget(b *bridge) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.bridges[b.id] == b {
		delete(s.bridges, b.id)
	}
}

// notify sends a session update.
func (s *Server) notify(n acp.SessionNotification) error {
	raw, err := acp.Encode(n)
	if err != nil {
		return err
	}
	return s.peer.Notify(context.Background(), acp.MethodSessionUpdate, raw)
}

// Close closes all sessions of the connection and waits for what they run.
func (s *Server) Close() {
	s.mu.Lock()
	if !s.closing {
		close(s.closed)
	}
	s.closing = true
	var open []*agent.Session
	for _, b := range s.bridges {
		open = append(open, b.session)
	}
	s.mu.Unlock()
	var wg sync.WaitGroup
	for _, session := range open {
		wg.Go(session.Close)
	}
	wg.Wait()
}
