package direct

import (
	"context"
	"fmt"

	"github.com/agent-ls/agent-ls/agent"
	"github.com/agent-ls/agent-ls/presentation"
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
	"Another model is chosen by `--model NAME` or AGENT_LS_MODEL; this version has `direct` and `script:FILE`, language models are not in it yet."

// Model runs prompts as programs (contract §2, direct).
type Model struct{}

// Respond gives the next batch of the program in the last user message, and
// behind the last one a line that counts the results.
func (Model) Respond(ctx context.Context, req agent.Request, yield func(agent.Delta) error) (agent.Finish, error) {
	prompt, since := lastPrompt(req.Messages)
	batches := parse(agent.PromptText(prompt), req.Tools)
	done := 0
	for _, m := range since {
		if m.Role == agent.RoleAssistant && len(m.Calls) > 0 {
			done++
		}
	}
	switch {
	case len(batches) == 0:
		return agent.Finish{}, yield(agent.Delta{Text: help})
	case done >= len(batches):
		return agent.Finish{}, yield(agent.Delta{Text: summary(since)})
	}
	for _, c := range batches[done] {
		if err := yield(agent.Delta{Call: &agent.CallDelta{Name: c.name, Arguments: c.arguments}}); err != nil {
			return agent.Finish{}, err
		}
	}
	return agent.Finish{}, nil
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
