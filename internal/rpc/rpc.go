// Package rpc is what both protocols need around a connection of jsonrpc2: ids
// of our own requests that no peer mistakes for its own, handlers whose context
// is ours and whose panics end nothing, and requests that are withdrawn when
// nobody waits for them any more (house.md §4).
//
// It knows no protocol: framing, methods and error codes are its users'. All of
// it is safe for concurrent use.
package rpc

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"runtime/debug"
	"sync/atomic"

	"go.lsp.dev/jsonrpc2"
)

// FirstID is the id of our first request on a connection. It is far from the
// small numbers that clients give: some take a request whose id they have in use
// themselves for the answer.
const FirstID = 1_000_000_001

// WireID is the id that the peer sees of a request that jsonrpc2 numbers id.
func WireID(id jsonrpc2.ID) int64 {
	n, _ := id.Number()
	return n + FirstID - 1
}

// OwnID is the id under which jsonrpc2 knows the request that the peer answers
// as wire; ok is false for one that was never sent.
func OwnID(wire int64) (id jsonrpc2.ID, ok bool) {
	if wire < FirstID {
		return jsonrpc2.ID{}, false
	}
	return jsonrpc2.NewNumberID(wire - FirstID + 1), true
}

// Protect runs a handler with the context own, in which jsonrpc2's own, call, is
// still found by jsonrpc2.Async. A panic becomes the error −32603.
func Protect(own, call context.Context, req *jsonrpc2.Request, handler jsonrpc2.Handler, log *slog.Logger) (result any, err error) {
	method := req.Method()
	ctx := &handlerContext{Context: own, call: call}
	defer ctx.over.Store(true)
	defer func() {
		if p := recover(); p != nil {
			log.Error("handler panicked", "method", method, "panic", p, "stack", string(debug.Stack()))
			result, err = nil, jsonrpc2.Errorf(jsonrpc2.InternalError, "internal error in %s", method)
		}
	}()
	return handler(ctx, req)
}

// handlerContext is the context of one handler: its end is ours, while the token
// for jsonrpc2.Async is found in jsonrpc2's own context, which is recycled when
// the handler returns and so must not be a parent.
type handlerContext struct {
	context.Context
	call context.Context
	over atomic.Bool
}

// Value returns what either context has.
func (h *handlerContext) Value(key any) any {
	if v := h.Context.Value(key); v != nil || h.over.Load() {
		return v
	}
	return h.call.Value(key)
}

// Call sends a request and returns the raw result. A refusal by the peer is a
// *jsonrpc2.Error. When ctx ends first, or life, the connection's, withdraw is
// called with the request's id on the wire, a late answer is ignored, and the
// error is why the context ended. When life is over already, the request goes to
// the stream all the same and is withdrawn at once: a peer may still read, and what
// it is told last, such as to end a command, matters.
func Call(ctx, life context.Context, conn jsonrpc2.Conn, method string, params any, withdraw func(ctx context.Context, id int64)) (json.RawMessage, error) {
	own, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	defer context.AfterFunc(life, func() { cancel(context.Cause(life)) })()
	if own.Err() != nil {
		return nil, context.Cause(own)
	}
	var result json.RawMessage
	id, err := conn.Call(own, method, params, &result)
	if err == nil || own.Err() == nil || !errors.Is(err, own.Err()) {
		return result, err
	}
	withdraw(context.WithoutCancel(ctx), WireID(id))
	return nil, context.Cause(own)
}
