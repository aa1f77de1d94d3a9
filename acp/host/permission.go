package host

import (
	"context"
	"slices"

	"github.com/agent-ls/agent-ls/acp"
	"github.com/agent-ls/agent-ls/agent"
	"github.com/agent-ls/agent-ls/tools"
)

// requestPermission answers the agent's question as the session answers one
// about a call of its own: mode, rules and remembered answers first, then the
// user. What "always" is answered to is remembered here, where it can be listed
// and revoked, so the agent hears of this once alone. Questions that are worded
// by the agent, with answers of its own, are passed on as they are.
func (t *turn) requestPermission(ctx context.Context, p acp.RequestPermissionRequest) (any, error) {
	t.mu.Lock()
	if t.over {
		t.mu.Unlock()
		return cancelled(), nil
	}
	c := t.cardOf(acp.ToolCallUpdate(p.ToolCall))
	if c == nil { // over already, but asked about: a call of its own
		p.ToolCall.ToolCallID += "?"
		c = t.cardOf(acp.ToolCallUpdate(p.ToolCall))
	}
	t.advance(c)
	intent := t.intent(c)
	t.mu.Unlock()
	if !usual(p.Options) || c.said.Kind == acp.KindSwitchMode {
		intent.Choices = choices(p.Options)
	}
	permit := t.turn.Permit(ctx, intent)
	if permit.Allowed() {
		t.mu.Lock()
		c.allowed = true
		t.mu.Unlock()
	}
	return acp.RequestPermissionResponse{Outcome: outcome(permit, p.Options)}, nil
}

func cancelled() acp.RequestPermissionResponse {
	return acp.RequestPermissionResponse{Outcome: acp.CancelledPermissionOutcome{}}
}

// usual reports whether the options are the usual answers: each kind at most
// once, and both ways to answer.
func usual(options []acp.PermissionOption) bool {
	kinds := map[acp.PermissionOptionKind]int{}
	for _, o := range options {
		kinds[o.Kind]++
	}
	for _, n := range kinds {
		if n > 1 {
			return false
		}
	}
	return kinds[acp.AllowOnce]+kinds[acp.AllowAlways] > 0 && kinds[acp.RejectOnce]+kinds[acp.RejectAlways] > 0
}

func choices(options []acp.PermissionOption) []agent.Choice {
	out := make([]agent.Choice, len(options))
	for i, o := range options {
		out[i] = agent.Choice{ID: o.OptionID, Name: o.Name, Kind: agent.Answer(o.Kind)}
	}
	return out
}

// outcome is the answer for the agent.
func outcome(p agent.Permit, options []acp.PermissionOption) acp.RequestPermissionOutcome {
	switch {
	case p.Approval == tools.Cancelled:
		return acp.CancelledPermissionOutcome{}
	case p.Choice != "":
		return acp.SelectedPermissionOutcome{OptionID: p.Choice}
	}
	kinds := []acp.PermissionOptionKind{acp.RejectOnce, acp.RejectAlways}
	if p.Allowed() {
		kinds = []acp.PermissionOptionKind{acp.AllowOnce, acp.AllowAlways}
	}
	for _, kind := range kinds {
		if i := slices.IndexFunc(options, func(o acp.PermissionOption) bool { return o.Kind == kind }); i >= 0 {
			return acp.SelectedPermissionOutcome{OptionID: options[i].OptionID}
		}
	}
	return acp.CancelledPermissionOutcome{}
}

// intent is what a call of the agent is about; t.mu is held.
func (t *turn) intent(c *card) agent.Intent {
	access, known := t.access(c)
	return agent.Intent{
		CallID: c.id, Name: t.link.toolName(c), Arguments: string(c.said.RawInput),
		Access: access, Declared: !known, View: c.view,
	}
}

// access is what a call touches, by what the agent says of it; known is false
// when it does not say.
func (t *turn) access(c *card) (access []tools.Access, known bool) {
	var kind tools.AccessKind
	switch {
	case c.changes():
		kind = tools.AccessEdit
	case c.command:
		line := c.commandLine()
		return []tools.Access{{Kind: tools.AccessExecute, Command: line, Dir: t.folder(c)}}, line != ""
	case c.said.Kind == acp.KindRead || c.said.Kind == acp.KindSearch:
		kind = tools.AccessRead
	case c.said.Kind == acp.KindFetch:
		url := c.input("url")
		return []tools.Access{{Kind: tools.AccessFetch, URL: url}}, url != ""
	default:
		return nil, false
	}
	for _, path := range t.paths(c) {
		access = append(access, tools.Access{Kind: kind, Path: path})
	}
	return access, len(access) > 0
}

// folder is where the command of a call runs.
func (t *turn) folder(c *card) string {
	if dir := orElse(c.input("cwd"), c.input("workdir")); dir != "" {
		return t.abs(dir)
	}
	return t.link.d.session.Cwd()
}

// input is a text in the raw input of a call, "" for none.
func (c *card) input(name string) string {
	var text string
	if raw := member(c.said.RawInput, []string{name}); raw == nil || acp.Decode(raw, &text) != nil {
		return ""
	}
	return text
}
