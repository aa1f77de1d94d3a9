package mcpserver

import (
	"context"
	"errors"
	"strings"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/agent-ls/agent-ls/agent"
	"github.com/agent-ls/agent-ls/presentation"
)

// errNoForm says that the client shows no forms.
var errNoForm = errors.New("this MCP client cannot ask its user")

// answerField is the form's only field.
const answerField = "answer"

// Ask asks for permission through the client, by a form (agent.Asker). A client
// that shows none cannot be asked, so the call is denied.
func (s *Server) Ask(ctx context.Context, q agent.Question) (agent.Answer, error) {
	s.mu.Lock()
	c := s.calls[q.CallID]
	s.mu.Unlock()
	if c == nil || !showsForms(c.client) {
		return "", errNoForm
	}
	choices := choicesOf(q)
	ids, names := make([]any, len(choices)), make([]any, len(choices))
	for i, c := range choices {
		ids[i], names[i] = c.ID, c.Name
	}
	result, err := c.ask(ctx, &sdk.ElicitParams{
		Mode: "form", Message: question(q),
		RequestedSchema: map[string]any{
			"type": "object", "required": []any{answerField},
			"properties": map[string]any{answerField: map[string]any{
				"type": "string", "title": "Answer", "enum": ids, "enumNames": names,
			}},
		},
	})
	switch {
	case err != nil:
		return "", err
	case result.Action == "cancel":
		return agent.AnswerCancelled, nil
	case result.Action != "accept":
		return agent.RejectOnce, nil
	}
	id, _ := result.Content[answerField].(string)
	return agent.Answer(id), nil // what is no answer counts as a refusal
}

func showsForms(client *sdk.ServerSession) bool {
	p := client.InitializeParams()
	return p != nil && p.Capabilities != nil && p.Capabilities.Elicitation != nil
}

// choicesOf are the answers. What "always" covers is said; where nothing can be
// remembered it is not offered.
func choicesOf(q agent.Question) []agent.Choice {
	if len(q.Choices) > 0 {
		return q.Choices
	}
	list := []agent.Choice{{ID: string(agent.AllowOnce), Name: "Allow once"}}
	if q.Scope != "" {
		list = append(list, agent.Choice{ID: string(agent.AllowAlways), Name: "Always allow " + q.Scope})
	}
	list = append(list, agent.Choice{ID: string(agent.RejectOnce), Name: "Reject once"})
	if q.Scope != "" {
		list = append(list, agent.Choice{ID: string(agent.RejectAlways), Name: "Always reject " + q.Scope})
	}
	return list
}

// maxShown bounds the change that a question shows, in bytes.
const maxShown = 8 << 10

// question is the text of a question. A command is never shortened.
func question(q agent.Question) string {
	var b strings.Builder
	switch v := q.View.(type) {
	case *presentation.TerminalCall:
		b.WriteString("May this command run?\n" + v.Title)
		if v.Cwd != "" {
			b.WriteString("\nin " + v.Cwd)
		}
	case *presentation.DiffCall:
		b.WriteString("May these files be changed? " + v.Title)
		changes(&b, v)
	case *presentation.GenericCall:
		b.WriteString("May this be done? " + v.Title + "\n" + q.Arguments)
	default:
		b.WriteString("May this be done? " + q.Name + "\n" + q.Arguments)
	}
	if q.Reason != "" {
		b.WriteString("\n(" + q.Reason + ")")
	}
	return b.String()
}

// changes writes the lines of a change, as far as they fit.
func changes(b *strings.Builder, v *presentation.DiffCall) {
	for _, d := range v.Diffs {
		piece := "\n" + d.Path + "\n"
		if d.OldText != nil {
			piece += signed("-", *d.OldText)
		}
		piece += signed("+", d.NewText)
		if b.Len()+len(piece) > maxShown {
			b.WriteString("\n(more is not shown)")
			break
		}
		b.WriteString(strings.TrimSuffix(piece, "\n"))
	}
	if v.Omitted != "" {
		b.WriteString("\n" + v.Omitted)
	}
}

// signed puts a sign before each line.
func signed(sign, text string) string {
	if text == "" {
		return ""
	}
	return sign + strings.ReplaceAll(strings.TrimSuffix(text, "\n"), "\n", "\n"+sign) + "\n"
}
