package lsp

import (
	"context"
	"errors"
	"strings"

	"go.lsp.dev/jsonrpc2"
	"go.lsp.dev/protocol"

	"github.com/agent-ls/agent-ls/agent"
	"github.com/agent-ls/agent-ls/presentation"
)

// errNoChannel says that the client cannot be asked.
var errNoChannel = errors.New("this client cannot ask the user")

// Ask puts a permission question to the user by window/showMessageRequest
// (settled detail 3). A dismissed one is cancelled; when ctx ends first the
// question is withdrawn. A client that cannot be asked is told why the call was
// denied.
func (f *front) Ask(ctx context.Context, q agent.Question) (agent.Answer, error) {
	if !f.s.client.asks {
		return "", f.cannotAsk(q)
	}
	params := &protocol.ShowMessageRequestParams{Type: protocol.MessageTypeInfo, Message: f.question(q)}
	choices := choicesOf(q)
	for _, c := range choices {
		params.Actions = append(params.Actions, protocol.MessageActionItem{Title: c.title})
	}
	var chosen *protocol.MessageActionItem
	err := f.s.call(ctx, protocol.MethodWindowShowMessageRequest, params, &chosen)
	var refused *jsonrpc2.Error
	switch {
	case errors.As(err, &refused):
		return "", f.cannotAsk(q)
	case err != nil:
		return "", err
	case chosen == nil:
		return agent.AnswerCancelled, nil
	}
	for _, c := range choices {
		if c.title == chosen.Title {
			return c.answer, nil
		}
	}
	return agent.RejectOnce, nil
}

// cannotAsk tells the client's log what was denied for want of a way to ask.
func (f *front) cannotAsk(q agent.Question) error {
	f.s.note(protocol.MessageTypeWarning, "agent-ls denied a call because this client cannot ask you: "+
		oneLine(cardTitle(q.Name, q.View, f.cwd))+". Choose another mode with agent-ls.setMode to allow it.")
	return errNoChannel
}

// choice is one button of a question.
type choice struct {
	title  string
	answer agent.Answer
}

// choicesOf are the buttons: a hosted agent's own where it has some. Scope is
// what "always" covers; without it nothing can be remembered.
func choicesOf(q agent.Question) []choice {
	var own []choice
	for _, c := range q.Choices {
		own = append(own, choice{clip(oneLine(c.Name), maxProgressTitle), agent.Answer(c.ID)})
	}
	switch {
	case len(own) > 0:
		return own
	case q.Scope == "":
		return []choice{{"Allow", agent.AllowOnce}, {"Reject", agent.RejectOnce}}
	}
	scope := clip(oneLine(q.Scope), maxProgressTitle)
	return []choice{
		{"Allow", agent.AllowOnce},
		{"Allow always: " + scope, agent.AllowAlways},
		{"Reject", agent.RejectOnce},
		{"Reject always: " + scope, agent.RejectAlways},
	}
}

// maxQuestionDiff bounds the diff in a question, in bytes; the rest is named.
const maxQuestionDiff = 16 << 10

// question is the whole text of a question: who asks for what, and why. A
// command is never shortened, and what would act on a display is made visible.
func (f *front) question(q agent.Question) string {
	var b strings.Builder
	title := cardTitle(q.Name, q.View, f.cwd)
	switch v := q.View.(type) {
	case *presentation.TerminalCall:
		b.WriteString("The agent wants to run:\n" + v.Title)
		if v.Cwd != "" && v.Cwd != f.cwd {
			b.WriteString("\nin " + v.Cwd)
		}
	case *presentation.DiffCall:
		b.WriteString("The agent wants to change files: " + title + "\n")
		b.WriteString(diffText(v.Diffs, v.Omitted, maxQuestionDiff))
	default:
		b.WriteString("The agent wants: " + cardTitle(q.Name, q.View, ""))
		if !strings.Contains(title, q.Arguments) && len(q.Arguments) <= maxQuestionDiff {
			b.WriteString("\n" + q.Arguments)
		}
	}
	if q.Reason != "" {
		b.WriteString("\n(" + q.Reason + ")")
	}
	return presentation.Visible(b.String())
}
