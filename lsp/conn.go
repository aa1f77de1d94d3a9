package lsp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"sync"

	"go.lsp.dev/jsonrpc2"
	"go.lsp.dev/protocol"

	"github.com/agent-ls/agent-ls/internal/rpc"
)

// Error codes of LSP beside those of JSON-RPC.
const (
	codeRequestCancelled jsonrpc2.Code = -32800
	codeRequestFailed    jsonrpc2.Code = -32803
)

var (
	errCancelled = errors.New("the request was cancelled by the client")
	errEnded     = errors.New("the connection has ended")
)

// codec encodes LSP's types; what is encoded already passes as it is.
type codec struct{}

// Marshal returns v as JSON.
func (codec) Marshal(v any) ([]byte, error) {
	switch raw := v.(type) {
	case json.RawMessage:
		return raw, nil
	case jsonrpc2.RawMessage:
		return raw, nil
	case json.Marshaler:
		return raw.MarshalJSON()
	}
	return protocol.Marshal(v)
}

// Unmarshal decodes data into v; raw messages are copied.
func (codec) Unmarshal(data []byte, v any) error {
	switch raw := v.(type) {
	case *json.RawMessage:
		*raw = append(json.RawMessage(nil), data...)
		return nil
	case *jsonrpc2.RawMessage:
		*raw = append(jsonrpc2.RawMessage(nil), data...)
		return nil
	}
	return protocol.Unmarshal(data, v)
}

// conn is the connection to one client. Safe for concurrent use.
type conn struct {
	rpc    jsonrpc2.Conn
	logger *slog.Logger
	ctx    context.Context
	cancel context.CancelCauseFunc
	once   sync.Once
	done   chan struct{}
	err    error

	mu    sync.Mutex
	calls map[jsonrpc2.ID]*incoming
}

// incoming is a request of the client until it is answered.
type incoming struct {
	cancel context.CancelCauseFunc
	after  func()
}

// newConn returns a connection over rwc; it reads nothing before serve.
func newConn(rwc io.ReadWriteCloser, maxMessage int, tap Tap, logger *slog.Logger) *conn {
	c := &conn{logger: logger, done: make(chan struct{}), calls: map[jsonrpc2.ID]*incoming{}}
	c.ctx, c.cancel = context.WithCancelCause(context.Background())
	s := &stream{rwc: rwc, in: newFramer(rwc, maxMessage), tap: tap, ended: c.end, answered: c.answered}
	c.rpc = jsonrpc2.NewConn(s, jsonrpc2.WithCodec(codec{}))
	return c
}

// serve starts reading. Each request gets a context that ends when the client
// withdraws it or the connection ends. A handler that panics answers −32603;
// the error of a notification is logged and ends nothing.
func (c *conn) serve(handler jsonrpc2.Handler) {
	c.rpc.Go(c.ctx, func(ctx context.Context, req *jsonrpc2.Request) (any, error) {
		if req.IsCall() {
			return c.request(ctx, req, handler)
		}
		method := req.Method()
		if _, err := rpc.Protect(c.ctx, ctx, req, handler, c.logger); err != nil {
			c.logger.Warn("notification not handled", "method", method, "error", err)
		}
		return nil, nil
	})
}

// request runs the handler of a request.
func (c *conn) request(ctx context.Context, req *jsonrpc2.Request, handler jsonrpc2.Handler) (any, error) {
	own, cancel := context.WithCancelCause(c.ctx)
	defer cancel(nil)
	id := req.ID()
	c.register(id, cancel)
	result, err := rpc.Protect(own, ctx, req, handler, c.logger)
	var after interface{ AfterResponse() }
	if a, ok := result.(interface{ AfterResponse() }); ok {
		after = a
	} else if err != nil {
		errors.As(err, &after)
	}
	if after != nil {
		c.afterAnswer(id, after.AfterResponse)
	}
	if err != nil {
		return nil, wireError(own, err)
	}
	return result, nil
}

// wireError is err as the client gets it.
func wireError(ctx context.Context, err error) error {
	var e *jsonrpc2.Error
	switch {
	case errors.As(err, &e):
		return e
	case errors.Is(context.Cause(ctx), errCancelled):
		return jsonrpc2.NewError(codeRequestCancelled, "request cancelled")
	default:
		return jsonrpc2.NewError(codeRequestFailed, err.Error())
	}
}

func (c *conn) register(id jsonrpc2.ID, cancel context.CancelCauseFunc) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.calls[id] = &incoming{cancel: cancel}
}

// afterAnswer makes run follow the answer of a request.
func (c *conn) afterAnswer(id jsonrpc2.ID, run func()) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if call := c.calls[id]; call != nil {
		call.after = run
	}
}

// answered forgets a request and runs what was to follow its answer.
func (c *conn) answered(id jsonrpc2.ID) {
	c.mu.Lock()
	call := c.calls[id]
	delete(c.calls, id)
	c.mu.Unlock()
	if call != nil && call.after != nil {
		call.after()
	}
}

// withdraw cancels the request that the client takes back.
func (c *conn) withdraw(params json.RawMessage) {
	var p struct {
		ID json.RawMessage `json:"id"`
	}
	if json.Unmarshal(params, &p) != nil {
		return
	}
	var id jsonrpc2.ID
	var n int64
	var s string
	switch {
	case json.Unmarshal(p.ID, &n) == nil:
		id = jsonrpc2.NewNumberID(n)
	case json.Unmarshal(p.ID, &s) == nil:
		id = jsonrpc2.NewStringID(s)
	default:
		return
	}
	c.mu.Lock()
	call := c.calls[id]
	c.mu.Unlock()
	if call != nil {
		call.cancel(errCancelled)
	}
}

// Call sends a request and returns the raw result. A refusal by the client is
// a *jsonrpc2.Error. When ctx ends first, the request is withdrawn by
// $/cancelRequest and a late answer is ignored.
func (c *conn) Call(ctx context.Context, method string, params any) (json.RawMessage, error) {
	return rpc.Call(ctx, c.ctx, c.rpc, method, params, func(ctx context.Context, id int64) {
		withdrawal := json.RawMessage(fmt.Sprintf(`{"id":%d}`, id))
		if err := c.Notify(ctx, protocol.MethodCancelRequest, withdrawal); err != nil {
			c.logger.Debug("request not withdrawn", "method", method, "error", err)
		}
	})
}

// Notify sends a notification. It returns when it is written.
func (c *conn) Notify(ctx context.Context, method string, params any) error {
	return c.rpc.Notify(ctx, method, params)
}

// end records the end of the connection, once.
func (c *conn) end(err error) {
	c.once.Do(func() {
		c.err = err
		c.cancel(errEnded)
		close(c.done)
	})
}

// close ends the connection and waits for its handlers.
func (c *conn) close() error {
	c.end(nil)
	return c.rpc.Close()
}
