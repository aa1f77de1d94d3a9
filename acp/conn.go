package acp

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"sync"

	"go.lsp.dev/jsonrpc2"

	"github.com/agent-ls/agent-ls/internal/rpc"
)

// ErrCancelled is the cause of a request's context when the peer withdrew the
// request by $/cancel_request.
var ErrCancelled = errors.New("the request was cancelled by the peer")

// ErrEnded is the cause of all contexts when the connection is over, and the
// error of requests that were not answered before: no more input comes.
var ErrEnded = errors.New("the connection has ended")

// Options configure a Conn; every field may be zero.
type Options struct {
	// MaxLine caps a line that is read, in bytes; 0 means 64 MiB. A longer
	// one is skipped, not stored, and answered −32600.
	MaxLine int
	// WireLog, when set, gets every line both ways.
	WireLog *WireLog
	Logger  *slog.Logger
}

// AfterResponse is a handler's result, or error, that has something to do once its
// response is written, such as the first notifications of a new session.
type AfterResponse interface {
	AfterResponse()
}

// Then is a result with something to do after it; it encodes as Result.
type Then struct {
	Result any
	Run    func()
}

// ErrorThen is an error with something to do after it is written.
type ErrorThen struct {
	Err error
	Run func()
}

// Error is the error's own.
func (t ErrorThen) Error() string { return t.Err.Error() }

// Unwrap returns the error.
func (t ErrorThen) Unwrap() error { return t.Err }

// AfterResponse runs what was to come after the response.
func (t ErrorThen) AfterResponse() { t.Run() }

// MarshalJSON encodes the result alone.
func (t Then) MarshalJSON() ([]byte, error) { return Encode(t.Result) }

// AfterResponse runs what was to come after the response.
func (t Then) AfterResponse() { t.Run() }

// Conn is one connection, usable by either side. Safe for concurrent use.
type Conn struct {
	rpc    jsonrpc2.Conn
	stream *stream
	logger *slog.Logger
	ctx    context.Context
	cancel context.CancelCauseFunc

	// unhook ends the watch over the context given to Go.
	unhook func() bool

	once sync.Once
	done chan struct{}
	err  error
}

// NewConn returns a connection over rwc, whose Close must wake a blocked Read.
// It reads nothing before Go is called.
func NewConn(rwc io.ReadWriteCloser, o Options) *Conn {
	c := &Conn{logger: o.Logger, done: make(chan struct{})}
	if c.logger == nil {
		c.logger = slog.New(slog.DiscardHandler)
	}
	c.ctx, c.cancel = context.WithCancelCause(context.Background())
	c.stream = newStream(rwc, o, func() { c.cancel(ErrEnded) }, c.end)
	c.rpc = jsonrpc2.NewConn(c.stream, jsonrpc2.WithCodec(Codec{}))
	return c
}

// Go starts reading. Each request gets a context that ends when the peer
// withdraws the request, the input ends, or ctx does. A handler that panics
// answers −32603. Call Go once.
func (c *Conn) Go(ctx context.Context, handler jsonrpc2.Handler) {
	c.unhook = context.AfterFunc(ctx, func() { c.cancel(context.Cause(ctx)) })
	c.rpc.Go(c.ctx, func(ctx context.Context, req *jsonrpc2.Request) (any, error) {
		if req.IsCall() {
			return c.serve(ctx, req, handler)
		}
		c.notified(ctx, req, handler)
		return nil, nil
	})
}

// serve runs the handler of a request.
func (c *Conn) serve(ctx context.Context, req *jsonrpc2.Request, handler jsonrpc2.Handler) (result any, err error) {
	own, cancel := context.WithCancelCause(c.ctx)
	defer cancel(nil)
	id := req.ID()
	c.stream.attach(id, cancel)
	result, err = rpc.Protect(own, ctx, req, handler, c.logger)
	if err != nil {
		var a AfterResponse
		if errors.As(err, &a) {
			c.stream.afterAnswer(id, a.AfterResponse)
		}
		return nil, wireError(own, err)
	}
	if a, ok := result.(AfterResponse); ok {
		c.stream.afterAnswer(id, a.AfterResponse)
	}
	return result, nil
}

// notified handles a notification; its errors have nobody to go to.
func (c *Conn) notified(ctx context.Context, req *jsonrpc2.Request, handler jsonrpc2.Handler) {
	method := req.Method()
	if method == MethodCancelRequest {
		var n CancelRequestNotification
		if Decode(json.RawMessage(req.Params()), &n) == nil {
			c.stream.cancel(n.RequestID, ErrCancelled)
		}
		return
	}
	if _, err := rpc.Protect(c.ctx, ctx, req, handler, c.logger); err != nil {
		c.logger.Debug("notification not handled", "method", method, "error", err)
	}
}

// wireError is err as the peer gets it. What ended because the request was
// withdrawn is −32800.
func wireError(ctx context.Context, err error) error {
	var e *jsonrpc2.Error
	switch {
	case errors.As(err, &e):
		return e
	case errors.Is(context.Cause(ctx), ErrCancelled):
		return Errorf(CodeCancelled, "request cancelled")
	default:
		return Errorf(jsonrpc2.InternalError, "%v", err)
	}
}

// Call sends a request and returns the raw result. A refusal by the peer is a
// *jsonrpc2.Error. When ctx ends first, the request is withdrawn by
// $/cancel_request and a late answer is ignored; so it is when the connection
// ends.
func (c *Conn) Call(ctx context.Context, method string, params any) (json.RawMessage, error) {
	return rpc.Call(ctx, c.ctx, c.rpc, method, params, func(ctx context.Context, id int64) {
		if err := c.Notify(ctx, MethodCancelRequest, map[string]int64{"requestId": id}); err != nil {
			c.logger.Debug("request not withdrawn", "method", method, "error", err)
		}
	})
}

// Notify sends a notification. It returns when the line is written.
func (c *Conn) Notify(ctx context.Context, method string, params any) error {
	return c.rpc.Notify(ctx, method, params)
}

// Done is closed when the connection is over: the input has ended and what was
// running has been answered, a write has failed, or Close was called.
func (c *Conn) Done() <-chan struct{} { return c.done }

// Err is why the connection is over; nil for an end of input or Close.
func (c *Conn) Err() error {
	select {
	case <-c.done:
		return c.err
	default:
		return nil
	}
}

// Close ends the connection: the contexts of all handlers end, and Close
// returns when they have.
func (c *Conn) Close() error {
	c.end(nil)
	if c.unhook != nil {
		c.unhook()
	}
	return c.rpc.Close()
}

// end records the end of the connection, once.
func (c *Conn) end(err error) {
	c.once.Do(func() {
		if err != nil && !errors.Is(err, io.EOF) {
			c.err = err
			c.logger.Warn("the connection broke", "error", err)
		}
		c.cancel(ErrEnded)
		close(c.done)
	})
}
