package host

import (
	"encoding/json"
	"path/filepath"
	"strings"

	"github.com/agent-ls/agent-ls/acp"
	"github.com/agent-ls/agent-ls/acp/content"
	"github.com/agent-ls/agent-ls/presentation"
)

// callView is the card of a call as far as the agent has told of it.
func (t *turn) callView(c *card) presentation.CallView {
	switch {
	case c.command:
		return t.terminalCall(c)
	case len(c.diffs) > 0:
		kept, omitted := presentation.Bound(t.shownDiffs(c), presentation.DiffLimit)
		return &presentation.DiffCall{Title: t.title(c), Kind: diffKind(c), Diffs: kept, Omitted: omitted, Locations: t.locations(c)}
	default:
		return &presentation.GenericCall{
			Title: t.title(c), Kind: presentation.ToolCallKind(c.said.Kind), RawInput: c.said.RawInput,
			Content: cardBlocks(c.said.Content), Locations: t.locations(c),
		}
	}
}

// terminalCall is the card of a command: its title is the command itself.
func (t *turn) terminalCall(c *card) presentation.CallView {
	command := c.commandLine()
	v := &presentation.TerminalCall{Title: orElse(command, strings.Trim(c.said.Title, "`"))}
	var input struct {
		Description string `json:"description,omitempty"`
		Cwd         string `json:"cwd,omitempty"`
	}
	if acp.Decode(c.said.RawInput, &input) == nil {
		v.Description, v.Cwd = input.Description, input.Cwd
	}
	if v.Cwd == t.link.d.session.Cwd() {
		v.Cwd = ""
	}
	return v
}

// commandLine is the command of a call, "" when the agent has not told it yet.
func (c *card) commandLine() string {
	var input struct {
		Command json.RawMessage `json:"command,omitempty"`
		Args    []string        `json:"args,omitempty"`
	}
	if acp.Decode(c.said.RawInput, &input) != nil || input.Command == nil {
		return ""
	}
	var line string
	if acp.Decode(input.Command, &line) == nil {
		return commandLine(line, input.Args)
	}
	var words []string
	if acp.Decode(input.Command, &words) != nil || len(words) == 0 {
		return ""
	}
	if len(words) == 3 && strings.HasSuffix(words[0], "sh") && strings.HasPrefix(words[1], "-") {
		return words[2] // sh -c LINE
	}
	return commandLine(words[0], words[1:])
}

// title is the title of a card.
func (t *turn) title(c *card) string {
	title := acp.OneLine(c.said.Title)
	plain := t.link.quirks().PlainTitles
	verb, places := verbs[c.said.Kind], t.locations(c)
	if !plain || verb == "" || len(places) == 0 {
		return orElse(title, t.link.toolName(c))
	}
	return verb + " " + places[0].Path
}

// verbs begin the titles that are made of kind and place.
var verbs = map[acp.ToolKind]string{
	acp.KindRead: "Read", acp.KindEdit: "Edit", acp.KindDelete: "Delete", acp.KindMove: "Move",
}

// toolName is the name of a call's tool in the session: permission rules and
// remembered answers go by it.
func (l *link) toolName(c *card) string {
	place := l.quirks().ToolName
	name := c.said.Name
	if name == "" && len(place) > 0 {
		_ = json.Unmarshal(member(c.said.Meta[place[0]], place[1:]), &name) // none is ""
	}
	return l.d.toolName(orElse(name, string(orElse(c.said.Kind, acp.KindOther))))
}

// toolName is the name of a tool of the agent in the session.
func (d *Driver) toolName(name string) string { return "acp__" + d.config.Name + "__" + name }

// member is a value inside raw objects, nil when it is not there.
func member(raw json.RawMessage, path []string) json.RawMessage {
	for _, name := range path {
		var members map[string]json.RawMessage
		if json.Unmarshal(raw, &members) != nil {
			return nil
		}
		raw = members[name]
	}
	return raw
}

// diffKind is the kind of a card with diffs; empty is edit.
func diffKind(c *card) presentation.ToolCallKind {
	switch c.said.Kind {
	case acp.KindDelete, acp.KindMove:
		return presentation.ToolCallKind(c.said.Kind)
	}
	return ""
}

// locations are the places that the agent names.
func (t *turn) locations(c *card) []presentation.FileLocation {
	var out []presentation.FileLocation
	for _, l := range c.said.Locations {
		if l.Path != "" {
			out = append(out, presentation.FileLocation{Path: l.Path, Line: int(l.Line)})
		}
	}
	return out
}

// cardBlocks is the content of a card, but for diffs and terminals.
func cardBlocks(in []acp.ToolCallContent) []presentation.Block {
	var out []presentation.Block
	for _, item := range in {
		c, ok := item.(acp.Content)
		if !ok {
			continue
		}
		if b, err := content.FromWire(c.Content); err == nil {
			out = append(out, b)
		}
	}
	return out
}

func diffsOf(in []acp.ToolCallContent) []acp.Diff {
	var out []acp.Diff
	for _, item := range in {
		if d, ok := item.(acp.Diff); ok && d.Path != "" {
			out = append(out, d)
		}
	}
	return out
}

func terminalsOf(in []acp.ToolCallContent) []string {
	var out []string
	for _, item := range in {
		if t, ok := item.(acp.Terminal); ok {
			out = append(out, t.TerminalID)
		}
	}
	return out
}

// abs is a path of the agent, which has to be absolute but is not always.
func (t *turn) abs(path string) string {
	path = strings.TrimPrefix(path, "file://")
	if filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(t.link.d.session.Cwd(), path)
}
