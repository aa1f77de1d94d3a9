package declared

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"sync"

	"github.com/agent-ls/agent-ls/tools"
)

// Handler runs a tool in this process. The context ends when the result is no
// longer waited for: a handler that opened something for the user cleans it up
// then. An *Error, or an error with an ErrorCode method, keeps its code.
type Handler func(ctx context.Context, r Request) (json.RawMessage, error)

// Typed makes a Handler of a function with a typed argument and result.
func Typed[Args, Result any](fn func(ctx context.Context, args Args, r Request) (Result, error)) Handler {
	return func(ctx context.Context, r Request) (json.RawMessage, error) {
		var args Args
		if err := json.Unmarshal(r.Args, &args); err != nil {
			return nil, &Error{Code: CodeArgsInvalid, Message: "the handler cannot take the arguments: " + err.Error()}
		}
		result, err := fn(ctx, args, r)
		if err != nil {
			return nil, err
		}
		return encode(result)
	}
}

func encode(v any) (json.RawMessage, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return nil, fmt.Errorf("tool result must be JSON: %w", err)
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), nil
}

// Handlers is the Caller of programs that embed agent-ls: it runs the tools in
// this process. A named handler comes before the tool's inline one, that
// before the handler for all (tools.md §4.3.1). The zero Handlers is ready.
type Handlers struct {
	mu    sync.Mutex
	named map[string]*Handler
	all   *Handler
}

// On sets the handler of one tool; it takes the place of the one before it.
// dispose removes it unless another has taken its place, and may be called
// again. A bad name or no handler is INVALID_INPUT.
func (h *Handlers) On(tool string, fn Handler) (dispose func(), err error) {
	if !tools.DeclaredName(tool) {
		return nil, inputError("tool name is invalid", map[string]string{"toolName": tool})
	}
	if fn == nil {
		return nil, inputError("tool handler must be a function", map[string]string{"toolName": tool})
	}
	own := &fn
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.named == nil {
		h.named = map[string]*Handler{}
	}
	h.named[tool] = own
	return func() {
		h.mu.Lock()
		defer h.mu.Unlock()
		if h.named[tool] == own {
			delete(h.named, tool)
		}
	}, nil
}

// OnAny sets the handler of all tools that have no other; else as On.
func (h *Handlers) OnAny(fn Handler) (dispose func(), err error) {
	if fn == nil {
		return nil, inputError("tool handler must be a function", nil)
	}
	own := &fn
	h.mu.Lock()
	defer h.mu.Unlock()
	h.all = own
	return func() {
		h.mu.Lock()
		defer h.mu.Unlock()
		if h.all == own {
			h.all = nil
		}
	}, nil
}

// Call runs the handler of r. Without one the error is TOOL_HANDLER_NOT_FOUND.
func (h *Handlers) Call(ctx context.Context, r Request) (json.RawMessage, error) {
	fn := h.find(r)
	if fn == nil {
		return nil, newError(CodeHandlerNotFound, "No tool handler registered for "+r.Tool,
			map[string]string{"tool": r.Tool})
	}
	r.Args = bytes.Clone(r.Args)
	return fn(ctx, r)
}

func (h *Handlers) find(r Request) Handler {
	h.mu.Lock()
	defer h.mu.Unlock()
	switch {
	case h.named[r.Tool] != nil:
		return *h.named[r.Tool]
	case r.inline != nil:
		return r.inline
	case h.all != nil:
		return *h.all
	}
	return nil
}
