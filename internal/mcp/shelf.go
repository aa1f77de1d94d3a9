package mcp

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/agent-ls/agent-ls/presentation"
	"github.com/agent-ls/agent-ls/tools"
	"github.com/agent-ls/agent-ls/tools/schema"
)

// maxTools is how many tools of one server are taken.
const maxTools = 1000

// shelf is what of a server's tools is in the session; Client.publishing guards
// it.
type shelf struct {
	// names are the names in the session, by the server's own.
	names map[string]string
	// text is what the server said when dispose was made; "" for nothing yet.
	text    string
	dispose func()
}

// list asks the server for its tools and puts them into the session.
func (l *link) list(c *connection) {
	ctx, cancel := context.WithTimeoutCause(l.client.life, l.client.o.ConnectTimeout, errSlow)
	defer cancel()
	list, err := listTools(ctx, c.session)
	switch {
	case err == nil:
		l.publish(list)
	case l.client.life.Err() != nil || gone(err):
		// lost tells
	default:
		if ctx.Err() != nil {
			err = context.Cause(ctx)
		}
		l.client.warn(l, fmt.Sprintf("The tools of the MCP server %q could not be listed", l.config.Name),
			sentence(err)+"Those that it had before stay.")
	}
}

// listTools returns the tools of a server, sorted by name, each name once. A
// server without tools may not know the method.
func listTools(ctx context.Context, s *sdk.ClientSession) ([]*sdk.Tool, error) {
	var list []*sdk.Tool
	for t, err := range s.Tools(ctx, nil) {
		if refusal := (*jsonrpc.Error)(nil); errors.As(err, &refusal) && refusal.Code == jsonrpc.CodeMethodNotFound {
			return nil, nil
		}
		if err != nil {
			return nil, err
		}
		if list = append(list, t); len(list) == maxTools {
			break
		}
	}
	slices.SortStableFunc(list, func(a, b *sdk.Tool) int { return cmp.Compare(a.Name, b.Name) })
	return slices.CompactFunc(list, func(a, b *sdk.Tool) bool { return a.Name == b.Name }), nil
}

// publish replaces the server's tools in the session, unless they are the same.
func (l *link) publish(list []*sdk.Tool) {
	c := l.client
	c.publishing.Lock()
	defer c.publishing.Unlock()
	text, err := json.Marshal(list)
	if err != nil || string(text) == l.shelf.text {
		return
	}
	l.name(list)
	defs := make([]*tools.Definition, len(list))
	for i, t := range list {
		defs[i] = l.definition(t)
	}
	if l.shelf.dispose != nil {
		l.shelf.dispose()
	}
	l.shelf.text, l.shelf.dispose = "", nil
	dispose, err := c.session.AddTool(defs...)
	switch {
	case err == nil:
		l.shelf.text, l.shelf.dispose = string(text), dispose
	case c.life.Err() == nil:
		c.warn(l, fmt.Sprintf("The tools of the MCP server %q cannot be used", l.config.Name), sentence(err))
	}
}

// name gives names to the tools that have none yet. A tool keeps its name for as
// long as the session lives.
func (l *link) name(list []*sdk.Tool) {
	c := l.client
	seen := map[string]bool{}
	for _, t := range c.session.Tools() {
		seen[t.Name] = true
	}
	taken := func(name string) bool { return seen[name] || c.names[name] }
	for _, t := range list {
		if l.shelf.names[t.Name] == "" {
			name := toolName(l.label, t.Name, taken)
			l.shelf.names[t.Name], c.names[name] = name, true
		}
	}
}

// definition makes a tool of the session of a server's. It has no Access, so
// that permission counts it as the row "declared or MCP tool".
func (l *link) definition(t *sdk.Tool) *tools.Definition {
	name, label := l.shelf.names[t.Name], title(t)
	return &tools.Definition{
		Name: name, Label: label, Description: l.describe(t), Parameters: l.parameters(t),
		Source: tools.SourceMCP, Abandonable: true,
		Execute: func(ctx context.Context, args json.RawMessage, tc *tools.Context) (tools.Result, error) {
			return l.call(ctx, t.Name, args, tc)
		},
		PresentCall: func(args json.RawMessage) presentation.CallView {
			return &presentation.GenericCall{Title: cmp.Or(label, t.Name), Kind: presentation.KindOther, RawInput: args}
		},
	}
}

// title is the name for people, "" for none.
func title(t *sdk.Tool) string {
	if t.Title == "" && t.Annotations != nil {
		return t.Annotations.Title
	}
	return t.Title
}

// describe is the description for the model. What a server says of its tools'
// safety is no more than a text: nobody has checked it.
func (l *link) describe(t *sdk.Tool) string {
	text := strings.TrimSpace(t.Description)
	if text == "" {
		text = fmt.Sprintf("The tool %q of the MCP server %q.", t.Name, l.config.Name)
	}
	if t.Annotations != nil && t.Annotations.ReadOnlyHint {
		text += "\n\nThe server says that this tool changes nothing."
	}
	return text
}

// parameters reads a server's schema as far as it can be read. One that cannot
// be read at all takes any object: the server checks its arguments itself.
func (l *link) parameters(t *sdk.Tool) *schema.Schema {
	open := &schema.Schema{Type: "object"}
	if t.InputSchema == nil {
		return open
	}
	text, err := json.Marshal(t.InputSchema)
	if err != nil {
		return open
	}
	s, remarks, err := schema.ParseForeign(text)
	switch {
	case err != nil:
		l.log.Warn("the schema of a tool cannot be read; it takes any object", "tool", t.Name, "error", err)
		return open
	case s.Type != "object" && s.Type != "":
		l.log.Warn("the schema of a tool is none of an object; it takes any object", "tool", t.Name)
		return open
	case len(remarks) > 0:
		l.log.Debug("parts of a tool's schema are not checked", "tool", t.Name, "parts", schema.Join(remarks))
	}
	s.Type = "object"
	s.Properties = requiredFirst(s)
	return s
}

// requiredFirst orders properties, whose order the SDK does not keep: the
// required ones as they are listed, then the others by name.
func requiredFirst(s *schema.Schema) []schema.Property {
	rank := func(p schema.Property) int {
		if i := slices.Index(s.Required, p.Name); i >= 0 {
			return i
		}
		return len(s.Required)
	}
	list := slices.Clone(s.Properties)
	slices.SortStableFunc(list, func(a, b schema.Property) int {
		return cmp.Or(cmp.Compare(rank(a), rank(b)), cmp.Compare(a.Name, b.Name))
	})
	return list
}
