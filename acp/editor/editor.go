// Package editor is the client's editor as seen from the agent: its files with
// their unsaved text, its terminals, its user. It turns the ports of packages
// workspace and proc into requests of ACP, and keeps what clients do
// differently in one table, Quirks.
//
// It owns what it started in the client until Close: terminals are killed and
// released even when a turn is cancelled in the middle of a request. It does
// not decide when a client is used instead of the disk or a local process;
// that is the session's, by what the client offers. Everything is safe for
// concurrent use.
package editor

import (
	"context"
	"encoding/json"
	"log/slog"
	"sync"

	"github.com/agent-ls/agent-ls/acp"
)

// Caller sends requests to the client. A refusal is a *jsonrpc2.Error; when ctx
// ends first the request is withdrawn.
type Caller interface {
	Call(ctx context.Context, method string, params any) (json.RawMessage, error)
}

// Options describe the client.
type Options struct {
	// Capabilities are what it offers; nothing else is asked of it.
	Capabilities acp.ClientCapabilities
	// Client is its clientInfo.name, which picks its Quirks.
	Client string
	Logger *slog.Logger
}

// Editor is the client for one session: a workspace.Reader, a
// workspace.Applier and a proc.Runner.
type Editor struct {
	caller Caller
	caps   acp.ClientCapabilities
	quirks Quirks
	logger *slog.Logger

	// ctx ends with Close; work counts the goroutines of terminals.
	ctx    context.Context
	cancel context.CancelFunc
	work   sync.WaitGroup

	mu        sync.Mutex
	session   string
	closed    bool
	bases     map[string]digest
	terminals map[*terminal]struct{} // not released yet
}

// New returns the editor for a session; Bind gives the session's id, Close ends
// it.
func New(caller Caller, o Options) *Editor {
	e := &Editor{
		caller: caller, caps: o.Capabilities, quirks: quirksOf(o.Client), logger: o.Logger,
		bases: map[string]digest{}, terminals: map[*terminal]struct{}{},
	}
	if e.logger == nil {
		e.logger = slog.New(slog.DiscardHandler)
	}
	e.ctx, e.cancel = context.WithCancel(context.Background())
	return e
}

// Bind gives the id of the session, before anything is asked of the client.
func (e *Editor) Bind(session string) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.session = session
}

func (e *Editor) sessionID() string {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.session
}

// Close kills and releases the client's terminals that are left and waits for
// it.
func (e *Editor) Close() {
	e.mu.Lock()
	e.closed = true
	left := make([]*terminal, 0, len(e.terminals))
	for t := range e.terminals {
		left = append(left, t)
	}
	e.mu.Unlock()
	for _, t := range left {
		t.Stop()
	}
	e.cancel()
	e.work.Wait()
	for _, t := range left {
		t.Release()
	}
}

// call asks the client and decodes its answer into result.
func (e *Editor) call(ctx context.Context, method string, params, result any) error {
	return call(ctx, e.caller, method, params, result)
}

func call(ctx context.Context, c Caller, method string, params, result any) error {
	raw, err := acp.Encode(params)
	if err != nil {
		return err
	}
	answer, err := c.Call(ctx, method, raw)
	if err != nil || result == nil {
		return err
	}
	return acp.Decode(answer, result)
}

// RequestPermission asks the user of a client.
func RequestPermission(ctx context.Context, c Caller, r acp.RequestPermissionRequest) (acp.RequestPermissionOutcome, error) {
	var response acp.RequestPermissionResponse
	if err := call(ctx, c, acp.MethodRequestPermission, r, &response); err != nil {
		return nil, err
	}
	return response.Outcome, nil
}
