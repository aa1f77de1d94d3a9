package anthropic

import (
	"encoding/json"
	"strings"

	sdk "github.com/anthropics/anthropic-sdk-go"

	"github.com/agent-ls/agent-ls/agent"
	"github.com/agent-ls/agent-ls/agent/provider"
	"github.com/agent-ls/agent-ls/presentation"
	"github.com/agent-ls/agent-ls/tools"
)

// stopContextFull is a reason that the SDK does not name.
const stopContextFull sdk.StopReason = "model_context_window_exceeded"

// answer gives what a stream says.
type answer struct {
	model string
	names provider.Names
	yield func(agent.Delta) error

	parts  map[int64]*part
	usage  tools.Usage
	reason sdk.StopReason
	done   bool
}

// part is a block of the answer that is not complete yet.
type part struct {
	kind, id, name  string
	text, signature strings.Builder
	data            string
}

// add takes one event.
func (a *answer) add(e sdk.MessageStreamEventUnion) error {
	switch e.Type {
	case "message_start":
		u := e.Message.Usage
		a.usage = tools.Usage{Input: u.InputTokens, Output: u.OutputTokens, CacheRead: u.CacheReadInputTokens, CacheWrite: u.CacheCreationInputTokens}
	case "content_block_start":
		return a.begin(e)
	case "content_block_delta":
		return a.more(e)
	case "content_block_stop":
		return a.end(e.Index)
	case "message_delta":
		if e.Delta.StopReason != "" {
			a.reason = e.Delta.StopReason
		}
		a.count(e.Usage)
	case "message_stop":
		a.done = true
	}
	return nil
}

// begin takes the start of a block; some servers put its text there.
func (a *answer) begin(e sdk.MessageStreamEventUnion) error {
	b := e.ContentBlock
	p := &part{kind: b.Type, id: b.ID, name: b.Name, data: b.Data}
	a.parts[e.Index] = p
	switch b.Type {
	case "text":
		if b.Text != "" {
			return a.yield(agent.Delta{Text: b.Text})
		}
	case "thinking":
		p.text.WriteString(b.Thinking)
		p.signature.WriteString(b.Signature)
		if b.Thinking != "" {
			return a.yield(agent.Delta{Thought: b.Thinking})
		}
	}
	return nil
}

// more takes a piece of a block.
func (a *answer) more(e sdk.MessageStreamEventUnion) error {
	p := a.parts[e.Index]
	if p == nil {
		p = &part{kind: "text"}
		a.parts[e.Index] = p
	}
	switch e.Delta.Type {
	case "text_delta":
		return a.yield(agent.Delta{Text: e.Delta.Text})
	case "thinking_delta":
		p.text.WriteString(e.Delta.Thinking)
		return a.yield(agent.Delta{Thought: e.Delta.Thinking})
	case "signature_delta":
		p.signature.WriteString(e.Delta.Signature)
	case "input_json_delta":
		p.text.WriteString(e.Delta.PartialJSON)
	}
	return nil
}

// end completes a block.
func (a *answer) end(index int64) error {
	p := a.parts[index]
	delete(a.parts, index)
	switch {
	case p == nil:
	case p.kind == "tool_use":
		return a.yield(agent.Delta{Call: &agent.CallDelta{ID: p.id, Name: a.names.Original(p.name), Arguments: p.text.String()}})
	case p.kind == "thinking" && p.signature.Len() > 0:
		return a.opaque(map[string]string{"type": p.kind, "thinking": p.text.String(), "signature": p.signature.String()})
	case p.kind == "redacted_thinking":
		return a.opaque(map[string]string{"type": p.kind, "data": p.data})
	}
	return nil
}

// opaque gives a block that the server wants back.
func (a *answer) opaque(block map[string]string) error {
	payload, err := json.Marshal(block)
	if err != nil {
		return err
	}
	return a.yield(agent.Delta{Opaque: &presentation.Block{
		Type: presentation.BlockOther, Provider: opaqueProvider, Kind: a.model, Payload: payload,
	}})
}

// count takes the counts of the end, which are those of the whole answer; some
// servers give only some of them.
func (a *answer) count(u sdk.MessageDeltaUsage) {
	a.usage.Output = max(a.usage.Output, u.OutputTokens)
	a.usage.Input = max(a.usage.Input, u.InputTokens)
	a.usage.CacheRead = max(a.usage.CacheRead, u.CacheReadInputTokens)
	a.usage.CacheWrite = max(a.usage.CacheWrite, u.CacheCreationInputTokens)
}

// finish is how the answer ended.
func (a *answer) finish() agent.Finish {
	f := agent.Finish{Usage: &a.usage}
	switch a.reason {
	case sdk.StopReasonMaxTokens, stopContextFull:
		f.Reason = agent.MaxTokens
	case sdk.StopReasonRefusal:
		f.Reason = agent.Refusal
	case sdk.StopReasonPauseTurn:
		f.More = true
	}
	return f
}
