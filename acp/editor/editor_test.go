package editor

import (
	"context"
	"encoding/json"
	"sync"
	"testing"

	"go.lsp.dev/jsonrpc2"

	"github.com/agent-ls/agent-ls/acp"
)

// client is a fake client: it answers by method and keeps what it was asked.
type client struct {
	answers map[string]func(ctx context.Context, params json.RawMessage) (any, error)

	mu    sync.Mutex
	asked []asked
}

type asked struct {
	method string
	params json.RawMessage
}

func (c *client) Call(ctx context.Context, method string, params any) (json.RawMessage, error) {
	raw := params.(json.RawMessage)
	c.mu.Lock()
	c.asked = append(c.asked, asked{method, raw})
	answer := c.answers[method]
	c.mu.Unlock()
	if answer == nil {
		return json.RawMessage(`{}`), nil
	}
	result, err := answer(ctx, raw)
	if err != nil {
		return nil, err
	}
	return acp.Encode(result)
}

// on sets the answer to a method.
func (c *client) on(method string, answer func(ctx context.Context, params json.RawMessage) (any, error)) *client {
	if c.answers == nil {
		c.answers = map[string]func(context.Context, json.RawMessage) (any, error){}
	}
	c.answers[method] = answer
	return c
}

// methods are what was asked, in order.
func (c *client) methods() []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	var out []string
	for _, a := range c.asked {
		out = append(out, a.method)
	}
	return out
}

// last is the last request of a method, "" for none.
func (c *client) last(method string) string {
	c.mu.Lock()
	defer c.mu.Unlock()
	for i := len(c.asked) - 1; i >= 0; i-- {
		if c.asked[i].method == method {
			return string(c.asked[i].params)
		}
	}
	return ""
}

// everything is all that a client may offer.
var everything = acp.ClientCapabilities{FS: acp.FileSystemCapabilities{ReadTextFile: true, WriteTextFile: true}, Terminal: true}

// newEditor returns an editor that is closed with the test.
func newEditor(t *testing.T, c *client, o Options) *Editor {
	t.Helper()
	e := New(c, o)
	e.Bind("s1")
	t.Cleanup(e.Close)
	return e
}

// gone is how clients say that a file does not exist.
var gone = jsonrpc2.NewError(acp.CodeNotFound, "Resource not found")

func TestRequestPermission(t *testing.T) {
	c := (&client{}).on(acp.MethodRequestPermission, func(context.Context, json.RawMessage) (any, error) {
		return json.RawMessage(`{"outcome":{"outcome":"selected","optionId":"x"}}`), nil
	})
	got, err := RequestPermission(t.Context(), c, acp.RequestPermissionRequest{SessionID: "s1"})
	if o, ok := got.(acp.SelectedPermissionOutcome); err != nil || !ok || o.OptionID != "x" {
		t.Errorf("%+v, %v", got, err)
	}
	c.on(acp.MethodRequestPermission, func(context.Context, json.RawMessage) (any, error) { return nil, gone })
	if _, err := RequestPermission(t.Context(), c, acp.RequestPermissionRequest{}); err != gone {
		t.Errorf("error %v", err)
	}
}
