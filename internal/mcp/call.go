package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/agent-ls/agent-ls/tools"
)

// CodeError is the code of calls that a server, or the way to it, has failed.
const CodeError = "MCP_ERROR"

// call runs one call of a server's tool. When ctx ends the server is told that
// the call is cancelled, and what it still answers is dropped.
func (l *link) call(ctx context.Context, tool string, args json.RawMessage, tc *tools.Context) (tools.Result, error) {
	ctx, end := l.calls.begin(ctx, tc)
	defer end()
	result, err := l.request(ctx, tool, args, tc.CallID)
	if errors.Is(err, sdk.ErrSessionMissing) && ctx.Err() == nil {
		// The server forgot the session, so it has not run the call.
		result, err = l.request(ctx, tool, args, tc.CallID)
	}
	if pages := pagesOf(err); len(pages) > 0 && ctx.Err() == nil {
		if err := l.visit(ctx, pages); err != nil {
			return tools.Result{}, err
		}
		result, err = l.request(ctx, tool, args, tc.CallID)
	}
	if err != nil {
		return tools.Result{}, l.failure(ctx, err)
	}
	return l.result(result), nil
}

// request makes one attempt.
func (l *link) request(ctx context.Context, tool string, args json.RawMessage, callID string) (*sdk.CallToolResult, error) {
	c, err := l.current(ctx)
	if err != nil {
		return nil, &unreachable{err}
	}
	params := &sdk.CallToolParams{Name: tool, Arguments: args}
	params.SetProgressToken(callID)
	result, err := c.session.CallTool(ctx, params)
	if errors.Is(err, sdk.ErrSessionMissing) {
		select {
		case <-c.done:
		case <-ctx.Done():
		}
	}
	return result, err
}

// unreachable is why there is no connection for a call.
type unreachable struct{ err error }

func (u *unreachable) Error() string { return u.err.Error() }
func (u *unreachable) Unwrap() error { return u.err }

// gone reports whether err says that the connection is over.
func gone(err error) bool {
	return errors.Is(err, sdk.ErrConnectionClosed) || errors.Is(err, sdk.ErrSessionMissing) ||
		errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF)
}

// failure is a failed call for the model. The end of the call itself is returned
// as it is.
func (l *link) failure(ctx context.Context, err error) error {
	var refusal *jsonrpc.Error
	var none *unreachable
	name := l.config.Name
	e := &tools.Error{Name: "MCPError", Code: CodeError, Err: err}
	switch {
	case errors.Is(context.Cause(ctx), errSilent):
		e.Name, e.Code = "ToolTimeoutError", tools.CodeToolTimeout
		e.Message = fmt.Sprintf("the MCP server %q gave no sign of life for %s, so the call was given up", name, l.client.o.Silence)
		e.Hint = "What it has done is not known. Look before you repeat the call, or go on without it"
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case errors.As(err, &none):
		e.Message = fmt.Sprintf("the MCP server %q cannot be reached: %v", name, none.err)
		e.Hint = "Go on without its tools, or tell the user"
	case errors.As(err, &refusal):
		e.Message = fmt.Sprintf("the MCP server %q refused the call: %s (code %d)", name, refusal.Message, refusal.Code)
		e.Hint = "Correct the call if the message says how, else go on without it"
	case gone(err):
		e.Message = fmt.Sprintf("the MCP server %q ended while it ran the call", name)
		e.Hint = "What it has done is not known. Look before you repeat the call; the next one starts the server again"
	default:
		e.Message = fmt.Sprintf("the MCP server %q failed: %v", name, err)
		e.Hint = "Try it once more, or go on without it"
	}
	return e
}
