package host

import (
	"context"
	"encoding/json"

	"go.lsp.dev/jsonrpc2"

	"github.com/agent-ls/agent-ls/acp"
)

// Elicitation is a question of the agent to the user (acp.md §13): a form with a
// schema, or a page with an id.
type Elicitation struct {
	Message string
	Schema  json.RawMessage
	URL, ID string
}

// asker is who asks the user the agent's questions, nil for nobody.
func (d *Driver) asker() Elicitor {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.elicitor
}

func (d *Driver) elicitationModes() (form, url bool) {
	if e := d.asker(); e != nil {
		return e.Modes()
	}
	return false, false
}

// createElicitation are the params of elicitation/create.
type createElicitation struct {
	ToolCallID      string          `json:"toolCallId,omitempty"`
	Message         string          `json:"message"`
	RequestedSchema json.RawMessage `json:"requestedSchema,omitempty"`
	URL             string          `json:"url,omitempty"`
	ElicitationID   string          `json:"elicitationId,omitempty"`
}

// elicit passes a question on.
func (t *turn) elicit(ctx context.Context, p createElicitation) (any, error) {
	e := t.link.d.asker()
	if e == nil {
		return nil, acp.Errorf(jsonrpc2.MethodNotFound, "nobody can be asked here")
	}
	t.mu.Lock()
	call := ""
	if c := t.cards[p.ToolCallID]; c != nil {
		call = c.id
	}
	t.mu.Unlock()
	return e.Elicit(ctx, call, Elicitation{Message: p.Message, Schema: p.RequestedSchema, URL: p.URL, ID: p.ElicitationID})
}
