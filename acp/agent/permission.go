package agent

import (
	"context"
	"strings"

	"github.com/agent-ls/agent-ls/acp"
	"github.com/agent-ls/agent-ls/acp/editor"
	"github.com/agent-ls/agent-ls/agent"
	"github.com/agent-ls/agent-ls/presentation"
)

// maxRawInput is the largest input that a question repeats, in bytes; the
// content of an edit is in its diff anyway.
const maxRawInput = 16 << 10

// Ask asks the client (acp.md §9). When ctx ends first the question is
// withdrawn.
func (b *bridge) Ask(ctx context.Context, q agent.Question) (agent.Answer, error) {
	request := acp.RequestPermissionRequest{SessionID: q.Session.ID(), ToolCall: b.question(q), Options: options(q)}
	outcome, err := editor.RequestPermission(ctx, b.server.peer, request)
	if err != nil {
		return "", err
	}
	return answer(outcome, request.Options), nil
}

// question is the card that is asked about, as the client knows it, its planned
// diff first.
func (b *bridge) question(q agent.Question) acp.PermissionToolCall {
	b.mu.Lock()
	defer b.mu.Unlock()
	f := b.projector.call(q.Name, q.Arguments, q.View)
	if f.rawInput == nil && len(q.Arguments) <= maxRawInput {
		f.rawInput = rawArguments(q.Arguments)
	}
	return acp.PermissionToolCall{
		ToolCallID: q.CallID, Title: f.title, Kind: f.kind, Status: acp.StatusPending, Name: q.Name,
		Content: f.content, Locations: f.locations, RawInput: f.rawInput,
	}
}

// options are the answers to choose from, a hosted agent's own where it has some.
// What "always" covers is said in the name; where nothing can be remembered it is
// not offered.
func options(q agent.Question) []acp.PermissionOption {
	if len(q.Choices) > 0 {
		return ownOptions(q.Choices)
	}
	option := func(kind acp.PermissionOptionKind, name string) acp.PermissionOption {
		return acp.PermissionOption{OptionID: string(kind), Name: name, Kind: kind}
	}
	list := []acp.PermissionOption{option(acp.AllowOnce, "Allow once")}
	scope := presentation.Visible(acp.OneLine(strings.TrimSpace(q.Scope)))
	if scope != "" {
		list = append(list, option(acp.AllowAlways, "Always allow "+scope))
	}
	list = append(list, option(acp.RejectOnce, "Reject once"))
	if scope != "" {
		list = append(list, option(acp.RejectAlways, "Always reject "+scope))
	}
	return list
}

func ownOptions(list []agent.Choice) []acp.PermissionOption {
	out := make([]acp.PermissionOption, len(list))
	for i, c := range list {
		out[i] = acp.PermissionOption{OptionID: c.ID, Name: presentation.Visible(acp.OneLine(c.Name)), Kind: acp.PermissionOptionKind(c.Kind)}
	}
	return out
}

// answer is what the user chose; an option that was not offered is a refusal.
func answer(outcome acp.RequestPermissionOutcome, offered []acp.PermissionOption) agent.Answer {
	selected, ok := outcome.(acp.SelectedPermissionOutcome)
	if !ok {
		return agent.AnswerCancelled
	}
	for _, o := range offered {
		if o.OptionID == selected.OptionID {
			return agent.Answer(o.OptionID)
		}
	}
	return agent.RejectOnce
}
