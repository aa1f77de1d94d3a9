package lsp

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"strings"
	"sync"
	"time"

	"go.lsp.dev/jsonrpc2"
	"go.lsp.dev/protocol"

	"github.com/agent-ls/agent-ls/lsp/watch"
)

// Options configure a Server; Open is needed, every other field may be zero.
type Options struct {
	// Open wires the program, when the client initializes. An error refuses
	// the client.
	Open func(Setup) (*Backend, error)
	// MaxMessage caps the body of a message, in bytes; 0 means
	// DefaultMaxMessage. A longer one is skipped, not stored, and answered
	// −32600.
	MaxMessage int
	Tap        Tap
	Logger     *slog.Logger
	Version    string
	Now        func() time.Time
	// ParentAlive tells whether the process that started the server lives; nil
	// asks the system.
	ParentAlive func(pid int) bool
	// ParentPoll is how often it is asked; 0 means a second.
	ParentPoll time.Duration
}

// ErrParentGone is why Wait returns when the client's process has died.
var ErrParentGone = errors.New("the process that started the language server has ended")

// Server serves one client. Safe for concurrent use.
type Server struct {
	o      Options
	conn   *conn
	logger *slog.Logger
	now    func() time.Time
	docs   *Documents
	follow *follower
	times  editTimes
	work   sync.WaitGroup

	mu    sync.Mutex
	phase phase
	// What follows is set by initialize, once.
	client   features
	backend  *Backend
	rich     Rich
	reviewer Reviewer
	observer Observer
	watcher  *watch.Watcher

	folders  folders
	fronts   map[string]*front // by session
	progress *progresses
	content  contents

	ended chan struct{} // closed by exit and by the parent's death
	once  sync.Once
	cause error
	clean bool // exit came after shutdown
}

// phase is where the connection is in its life.
type phase int

const (
	phaseNew phase = iota
	phaseServing
	phaseShutdown
)

// New returns a server for the client at rwc. It reads nothing before Serve.
func New(rwc io.ReadWriteCloser, o Options) *Server {
	s := &Server{o: o, logger: o.Logger, now: o.Now, docs: newDocuments(), times: defaultEditTimes, fronts: map[string]*front{}, ended: make(chan struct{})}
	if s.logger == nil {
		s.logger = slog.New(slog.DiscardHandler)
	}
	if s.now == nil {
		s.now = time.Now
	}
	s.conn = newConn(rwc, o.MaxMessage, o.Tap, s.logger)
	s.follow = newFollower(s)
	s.progress = newProgresses(s)
	return s
}

// Documents are the client's open documents.
func (s *Server) Documents() *Documents { return s.docs }

// Serve serves the client until it says exit, its input ends, its process
// dies, or ctx ends. clean says that it left as the protocol wants it, after
// shutdown; err is what broke the connection.
func (s *Server) Serve(ctx context.Context) (clean bool, err error) {
	s.conn.serve(s.handle)
	select {
	case <-s.ended:
	case <-s.conn.done:
	case <-ctx.Done():
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.cause != nil:
		return false, s.cause
	case s.clean || s.phase == phaseShutdown:
		return true, nil
	case ctx.Err() != nil:
		return false, nil
	}
	select {
	case <-s.ended:
		return false, nil
	default:
		return false, s.conn.err
	}
}

// Close ends what the server runs: sessions, questions, watching. It does not
// wait for a read of the client's input, which cannot always be woken.
func (s *Server) Close() {
	s.conn.end(nil)
	s.mu.Lock()
	rich, watcher := s.rich, s.watcher
	var open []*front
	for _, f := range s.fronts {
		open = append(open, f)
	}
	s.mu.Unlock()
	var sessions sync.WaitGroup
	for _, f := range open {
		sessions.Go(f.session.Close)
	}
	if rich != nil {
		sessions.Go(rich.Close)
	}
	sessions.Wait()
	if watcher != nil {
		watcher.Close()
	}
	s.follow.close()
	s.work.Wait()
}

// end makes Serve return.
func (s *Server) end(clean bool, cause error) {
	s.once.Do(func() {
		s.mu.Lock()
		s.clean, s.cause = clean, cause
		s.mu.Unlock()
		close(s.ended)
	})
}

// run starts a goroutine that Close waits for.
func (s *Server) run(f func()) { s.work.Go(f) }

// method serves one method with its raw params, which are valid until it
// returns or calls jsonrpc2.Async.
type method func(s *Server, ctx context.Context, params json.RawMessage) (any, error)

// on decodes the params for a method that runs in the order of the wire.
func on[P any](serve func(*Server, context.Context, *P) (any, error)) method {
	return func(s *Server, ctx context.Context, params json.RawMessage) (any, error) {
		var p P
		if len(params) > 0 {
			if err := protocol.Unmarshal(params, &p); err != nil {
				return nil, jsonrpc2.Errorf(jsonrpc2.InvalidParams, "invalid params: %v", err)
			}
		}
		return serve(s, ctx, &p)
	}
}

// off is on for a method that first releases the order.
func off[P any](serve func(*Server, context.Context, *P) (any, error)) method {
	return on(func(s *Server, ctx context.Context, p *P) (any, error) {
		jsonrpc2.Async(ctx)
		return serve(s, ctx, p)
	})
}

// note is on for a notification.
func note[P any](take func(*Server, *P)) method {
	return on(func(s *Server, _ context.Context, p *P) (any, error) {
		take(s, p)
		return nil, nil
	})
}

// requests are what a client may ask once it has initialized.
var requests = map[string]method{
	protocol.MethodTextDocumentCodeLens:         off((*Server).codeLens),
	protocol.MethodTextDocumentCodeAction:       off((*Server).codeAction),
	protocol.MethodWorkspaceExecuteCommand:      on((*Server).executeCommand),
	protocol.MethodWorkspaceTextDocumentContent: off((*Server).textDocumentContent),
}

// notifications are what a client may say once it has initialized; others are
// ignored.
var notifications = map[string]method{
	protocol.MethodInitialized:                        note((*Server).initialized),
	protocol.MethodTextDocumentDidOpen:                note((*Server).didOpen),
	protocol.MethodTextDocumentDidChange:              note((*Server).didChange),
	protocol.MethodTextDocumentDidSave:                note((*Server).didSave),
	protocol.MethodTextDocumentDidClose:               note((*Server).didClose),
	protocol.MethodWorkspaceDidChangeWorkspaceFolders: note((*Server).didChangeWorkspaceFolders),
	protocol.MethodWorkspaceDidChangeWatchedFiles:     note((*Server).didChangeWatchedFiles),
	protocol.MethodWindowWorkDoneProgressCancel:       note((*Server).progressCancelled),
}

// handle is the jsonrpc2.Handler.
func (s *Server) handle(ctx context.Context, req *jsonrpc2.Request) (any, error) {
	name, params := req.Method(), json.RawMessage(req.Params())
	if !req.IsCall() {
		return s.notified(ctx, name, params, req)
	}
	phase := s.where()
	switch {
	case name == protocol.MethodInitialize && phase == phaseNew:
		return on((*Server).initialize)(s, ctx, params)
	case phase == phaseNew:
		return nil, jsonrpc2.Errorf(jsonrpc2.ServerNotInitialized, "%s before initialize", name)
	case phase == phaseShutdown:
		return nil, jsonrpc2.Errorf(jsonrpc2.InvalidRequest, "%s after shutdown", name)
	case name == protocol.MethodInitialize:
		return nil, jsonrpc2.NewError(jsonrpc2.InvalidRequest, "already initialized; a connection is initialized once")
	case name == protocol.MethodShutdown:
		return s.shutdown()
	}
	if serve, ok := requests[name]; ok {
		return serve(s, ctx, params)
	}
	if s.rich != nil && isSessionMethod(name) {
		if name == methodInitializeACP {
			s.becomeRich()
		}
		return s.rich.Handle(ctx, req)
	}
	return nil, jsonrpc2.Errorf(jsonrpc2.MethodNotFound, "method not found: %s", name)
}

// notified takes a notification.
func (s *Server) notified(ctx context.Context, name string, params json.RawMessage, req *jsonrpc2.Request) (any, error) {
	switch name {
	case protocol.MethodExit:
		s.end(s.where() == phaseShutdown, nil)
		return nil, nil
	case protocol.MethodCancelRequest:
		s.conn.withdraw(params)
		return nil, nil
	}
	if s.where() != phaseServing {
		return nil, nil
	}
	if take, ok := notifications[name]; ok {
		return take(s, ctx, params)
	}
	if s.rich != nil && isSessionMethod(name) {
		return s.rich.Handle(ctx, req)
	}
	return nil, nil
}

// methodInitializeACP is ACP's initialize under the name that it has here.
const methodInitializeACP = "acp/initialize"

// isSessionMethod reports whether a method belongs to the other vocabulary:
// ACP's session methods and extensions (contract §7).
func isSessionMethod(name string) bool {
	return name == methodInitializeACP || strings.HasPrefix(name, "session/") || strings.HasPrefix(name, "_")
}

// where returns the phase.
func (s *Server) where() phase {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.phase
}

// call asks the client and decodes its answer into result, nil for none.
func (s *Server) call(ctx context.Context, method string, params, result any) error {
	raw, err := s.conn.Call(ctx, method, params)
	if err != nil || result == nil {
		return err
	}
	return codec{}.Unmarshal(raw, result)
}

// tell sends a notification; what cannot be sent is logged, never fatal.
func (s *Server) tell(method string, params any) {
	if err := s.conn.Notify(context.Background(), method, params); err != nil {
		s.logger.Debug("notification not sent", "method", method, "error", err)
	}
}
