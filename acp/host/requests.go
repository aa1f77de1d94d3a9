package host

import (
	"context"
	"encoding/json"
	"errors"

	"go.lsp.dev/jsonrpc2"

	"github.com/agent-ls/agent-ls/acp"
	"github.com/agent-ls/agent-ls/workspace"
)

// handle serves what the agent sends: updates on the read loop, in order, and
// requests beside it.
func (l *link) handle(ctx context.Context, req *jsonrpc2.Request) (any, error) {
	params := json.RawMessage(req.Params())
	if len(params) == 0 {
		params = json.RawMessage("{}")
	}
	if !req.IsCall() {
		return nil, l.notified(ctx, req.Method(), params)
	}
	serve, ok := requests[req.Method()]
	if !ok {
		return nil, acp.Errorf(jsonrpc2.MethodNotFound, "method not found: %s", req.Method())
	}
	return serve(l, ctx, params)
}

// notified takes a notification; what is unknown is ignored.
func (l *link) notified(ctx context.Context, method string, params json.RawMessage) error {
	switch method {
	case acp.MethodSessionUpdate:
		var n acp.SessionNotification
		if err := acp.Decode(params, &n); err != nil {
			return err
		}
		l.update(n)
	case acp.MethodElicitationComplete:
		var n struct {
			ElicitationID string `json:"elicitationId"`
		}
		if err := acp.Decode(params, &n); err != nil {
			return err
		}
		if e := l.d.asker(); e != nil {
			return e.Completed(ctx, n.ElicitationID)
		}
	}
	return nil
}

// request serves one method with its raw params.
type request func(l *link, ctx context.Context, params json.RawMessage) (any, error)

// inTurn decodes the params for a request that belongs to a turn, and serves it
// beside the read loop. Its context ends with the turn, too.
func inTurn[P any](serve func(*turn, context.Context, P) (any, error)) request {
	return func(l *link, ctx context.Context, params json.RawMessage) (any, error) {
		var p P
		if err := acp.Decode(params, &p); err != nil {
			return nil, acp.InvalidParams("%v", err)
		}
		t := l.current()
		jsonrpc2.Async(ctx)
		if t == nil {
			return nil, acp.Errorf(jsonrpc2.InvalidRequest, "no turn runs: this is served while one does")
		}
		ctx, cancel := context.WithCancelCause(ctx)
		defer cancel(nil)
		defer context.AfterFunc(t.ctx, func() { cancel(context.Cause(t.ctx)) })()
		return serve(t, ctx, p)
	}
}

// onTerminal serves a request about a terminal; one that another turn has left
// may be asked about, too.
func onTerminal(serve func(*link, context.Context, *terminal) (any, error)) request {
	return func(l *link, ctx context.Context, params json.RawMessage) (any, error) {
		var p acp.TerminalRequest
		if err := acp.Decode(params, &p); err != nil {
			return nil, acp.InvalidParams("%v", err)
		}
		t := l.terminals.get(p.TerminalID)
		if t == nil {
			return nil, acp.NotFound("unknown terminal %q", p.TerminalID)
		}
		jsonrpc2.Async(ctx)
		return serve(l, ctx, t)
	}
}

// requests are what an agent may ask.
var requests = map[string]request{
	acp.MethodRequestPermission: inTurn((*turn).requestPermission),
	acp.MethodReadTextFile:      inTurn((*turn).readTextFile),
	acp.MethodWriteTextFile:     inTurn((*turn).writeTextFile),
	acp.MethodTerminalCreate:    inTurn((*turn).createTerminal),
	acp.MethodTerminalOutput:    onTerminal((*link).terminalOutput),
	acp.MethodTerminalWait:      onTerminal((*link).waitForExit),
	acp.MethodTerminalKill:      onTerminal((*link).killTerminal),
	acp.MethodTerminalRelease:   onTerminal((*link).releaseTerminal),
	acp.MethodElicitationCreate: inTurn((*turn).elicit),
}

// fileError is an error of the workspace as the agent gets it.
func fileError(err error) error {
	var e *workspace.Error
	if !errors.As(err, &e) {
		return err
	}
	if e.Code == workspace.FSNotFound {
		return acp.NotFound("%v", err)
	}
	return acp.WithData(acp.InvalidParams("%v", err), map[string]string{"code": e.Code})
}

// notAllowed is why a request is refused.
func notAllowed(what, why string) error {
	return acp.Errorf(jsonrpc2.InvalidRequest, "%s is not allowed: %s", what, why)
}
