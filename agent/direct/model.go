package direct

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/agent-ls/agent-ls/agent"
	"github.com/agent-ls/agent-ls/internal/nearest"
	"github.com/agent-ls/agent-ls/presentation"
	"github.com/agent-ls/agent-ls/tools"
)

// Name is the model's id, as --model takes it.
const Name = "direct"

// Info describes the model to users.
func Info() agent.ModelInfo {
	return agent.ModelInfo{
		ID: Name, Name: "Direct",
		Description: "No model: each line of the prompt that begins with /TOOL or !COMMAND runs as it is.",
		Direct:      true,
	}
}

// help answers a prompt without a call.
const help = "There is no call in this prompt, and no language model is configured to read it. " +
	"Begin a line with /TOOL to call a tool, such as `/read README.md` or `/edit {\"file_path\": …}`, or with ! to run a command, such as `!go test ./...`. " +
	"A language model is chosen by `--model NAME` or AGENT_LS_MODEL: `openai:MODEL`, `anthropic:MODEL`, `ollama:MODEL`, or `acp:NAME` for another agent."

// Model runs prompts as programs (contract §2, direct). New makes one.
type Model struct {
	mu   sync.Mutex
	last reading
}

// reading is a program that was read.
type reading struct {
	text    string
	tools   []tools.ToolSchema
	program program
}

// New returns a model, which serves any number of sessions.
func New() *Model { return &Model{} }

// read parses the text of a prompt, once for all of its batches.
func (m *Model) read(text string, offered []tools.ToolSchema) program {
	m.mu.Lock()
	defer m.mu.Unlock()
	same := func(a, b tools.ToolSchema) bool { return a.Name == b.Name && a.Parameters == b.Parameters }
	if m.last.text != text || !slices.EqualFunc(m.last.tools, offered, same) {
		m.last = reading{text, offered, parse(text, offered)}
	}
	return m.last.program
}

// Respond gives the next batch of the program in the last user message, and
// behind the last one a line that counts the results.
func (m *Model) Respond(ctx context.Context, req agent.Request, yield func(agent.Delta) error) (agent.Finish, error) {
	prompt, since := lastPrompt(req.Messages)
	p := m.read(agent.PromptText(prompt), req.Tools)
	done := 0
	for _, said := range since {
		if said.Role == agent.RoleAssistant && len(said.Calls) > 0 {
			done++
		}
	}
	switch {
	case len(p.batches) == 0:
		return agent.Finish{}, yield(agent.Delta{Text: help + hint(p.unknown, req.Tools)})
	case done >= len(p.batches):
		return agent.Finish{}, yield(agent.Delta{Text: summary(since) + hint(p.unknown, req.Tools)})
	}
	for _, c := range p.batches[done] {
		if err := yield(agent.Delta{Call: &agent.CallDelta{Name: c.name, Arguments: c.arguments}}); err != nil {
			return agent.Finish{}, err
		}
	}
	return agent.Finish{}, nil
}

// maxHints bounds how many mistyped names are told.
const maxHints = 3

// hint names the tools that mistyped names may have meant, "" without any.
func hint(unknown []string, offered []tools.ToolSchema) string {
	names := make([]string, len(offered))
	for i, t := range offered {
		names[i] = t.Name
	}
	var b strings.Builder
	for _, name := range unknown {
		fmt.Fprintf(&b, " `/%s` is not a tool and was taken as text", name)
		if near := nearest.Of(name, names); near != "" {
			fmt.Fprintf(&b, "; did you mean `/%s`?", near)
		} else {
			b.WriteByte('.')
		}
	}
	return b.String()
}

// lastPrompt splits off the last user message and what came after it.
func lastPrompt(messages []agent.Message) (prompt []presentation.Block, since []agent.Message) {
	for i := len(messages) - 1; i >= 0; i-- {
		if messages[i].Role == agent.RoleUser {
			return messages[i].Blocks, messages[i+1:]
		}
	}
	return nil, nil
}

// summary counts the results of a program.
func summary(messages []agent.Message) string {
	calls, failed := 0, 0
	for _, m := range messages {
		if m.Role == agent.RoleTool {
			calls++
			if m.IsError {
				failed++
			}
		}
	}
	noun := "calls"
	if calls == 1 {
		noun = "call"
	}
	return fmt.Sprintf("%d %s: %d completed, %d failed.", calls, noun, calls-failed, failed)
}
