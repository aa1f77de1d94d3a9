package openai

import (
	"context"
	"encoding/json"
	"strings"

	sdk "github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/packages/param"
	"github.com/openai/openai-go/v3/shared"

	"github.com/agent-ls/agent-ls/agent"
	"github.com/agent-ls/agent-ls/agent/provider"
	"github.com/agent-ls/agent-ls/presentation"
	"github.com/agent-ls/agent-ls/tools"
)

// chatModel answers by chat completions.
type chatModel struct {
	server *Server
	name   string
}

// Respond makes one streaming request.
func (m *chatModel) Respond(ctx context.Context, req agent.Request, yield func(agent.Delta) error) (agent.Finish, error) {
	services, options, err := m.server.connect(ctx)
	if err != nil {
		return agent.Finish{}, err
	}
	names := provider.NewNames(req)
	stream := services.chat.NewStreaming(ctx, m.params(req, names), options...)
	defer func() { _ = stream.Close() }() // what was read is what counts
	var answer chatAnswer
	for stream.Next() {
		if err := answer.add(stream.Current(), yield); err != nil {
			return agent.Finish{}, err
		}
	}
	if err := stream.Err(); err != nil {
		return agent.Finish{}, m.server.failed(ctx, err)
	}
	if answer.reason == "" {
		return agent.Finish{}, m.server.cut(ctx)
	}
	return answer.finish(names, yield)
}

// cut is the error for a stream that ended too early.
func (s *Server) cut(ctx context.Context) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return s.o.Endpoint.Cut()
}

// params are the request.
func (m *chatModel) params(req agent.Request, names provider.Names) sdk.ChatCompletionNewParams {
	p := sdk.ChatCompletionNewParams{
		Model: m.name, Messages: m.messages(req, names),
		StreamOptions: sdk.ChatCompletionStreamOptionsParam{IncludeUsage: param.NewOpt(true)},
	}
	if m.server.o.MaxOutput > 0 {
		p.MaxCompletionTokens = param.NewOpt(m.server.o.MaxOutput)
	}
	p.ReasoningEffort = shared.ReasoningEffort(req.Thinking)
	for _, t := range req.Tools {
		p.Tools = append(p.Tools, sdk.ChatCompletionFunctionTool(param.Override[shared.FunctionDefinitionParam](function{
			Name: names.Wire(t.Name), Description: t.Description, Parameters: parameters(t),
		})))
	}
	return p
}

// function describes a tool. It stands in for the SDK's own type, whose
// parameters would have to be taken apart into maps for each request.
type function struct {
	Name        string `json:"name"`
	Description string `json:"description"`
	Parameters  any    `json:"parameters"`
}

// parameters is a tool's schema; without one it takes any object.
func parameters(t tools.ToolSchema) any {
	if t.Parameters == nil {
		return map[string]any{"type": "object", "properties": map[string]any{}}
	}
	return t.Parameters
}

// messages translates the conversation. Images and documents of results follow as
// the user's, behind all results of the step: a result is text alone.
func (m *chatModel) messages(req agent.Request, names provider.Names) []sdk.ChatCompletionMessageParamUnion {
	var out []sdk.ChatCompletionMessageParamUnion
	if req.System != "" {
		out = append(out, sdk.SystemMessage(req.System))
	}
	var later []sdk.ChatCompletionContentPartUnionParam
	flush := func() {
		if len(later) > 0 {
			out = append(out, sdk.UserMessage(later))
			later = nil
		}
	}
	for _, msg := range req.Messages {
		if msg.Role != agent.RoleTool {
			flush()
		}
		text, media := provider.Split(msg.Blocks, m.server.o.Documents)
		switch msg.Role {
		case agent.RoleUser:
			out = append(out, chatUser(text, media))
		case agent.RoleContext:
			out = append(out, sdk.UserMessage(provider.Note(msg)))
		case agent.RoleAssistant:
			if said, ok := chatAssistant(msg, names); ok {
				out = append(out, said)
			}
		case agent.RoleTool:
			out = append(out, sdk.ToolMessage(text, msg.CallID))
			if len(media) > 0 {
				later = append(later, sdk.TextContentPart("Images of the result of "+msg.Name+" ("+msg.CallID+"):"))
				later = append(later, chatMedia(media)...)
			}
		}
	}
	flush()
	return out
}

func chatUser(text string, media []presentation.Block) sdk.ChatCompletionMessageParamUnion {
	if len(media) == 0 {
		return sdk.UserMessage(text)
	}
	var parts []sdk.ChatCompletionContentPartUnionParam
	if text != "" {
		parts = append(parts, sdk.TextContentPart(text))
	}
	return sdk.UserMessage(append(parts, chatMedia(media)...))
}

func chatMedia(media []presentation.Block) []sdk.ChatCompletionContentPartUnionParam {
	var parts []sdk.ChatCompletionContentPartUnionParam
	for _, b := range media {
		if b.Type == presentation.BlockDocument {
			parts = append(parts, sdk.FileContentPart(sdk.ChatCompletionContentPartFileFileParam{
				FileData: param.NewOpt(provider.DataURL(b)), Filename: param.NewOpt(b.Name),
			}))
			continue
		}
		parts = append(parts, sdk.ImageContentPart(sdk.ChatCompletionContentPartImageImageURLParam{URL: provider.DataURL(b), Detail: b.Detail}))
	}
	return parts
}

// chatAssistant is false for a message that holds nothing for this server.
func chatAssistant(m agent.Message, names provider.Names) (sdk.ChatCompletionMessageParamUnion, bool) {
	var a sdk.ChatCompletionAssistantMessageParam
	if text := provider.JoinText(m.Blocks); text != "" {
		a.Content.OfString = param.NewOpt(text)
	}
	for _, c := range m.Calls {
		a.ToolCalls = append(a.ToolCalls, sdk.ChatCompletionMessageToolCallUnionParam{
			OfFunction: &sdk.ChatCompletionMessageFunctionToolCallParam{
				ID: c.CallID,
				Function: sdk.ChatCompletionMessageFunctionToolCallFunctionParam{
					Name: names.Wire(c.Name), Arguments: string(provider.Arguments(c.Arguments)),
				},
			},
		})
	}
	return sdk.ChatCompletionMessageParamUnion{OfAssistant: &a}, a.Content.OfString.Valid() || len(a.ToolCalls) > 0
}

// chatAnswer collects what a stream says.
type chatAnswer struct {
	calls  []chatCall
	reason string
	usage  *tools.Usage
}

// chatCall is a call whose arguments come in pieces.
type chatCall struct {
	index    int64
	id, name string
	args     strings.Builder
}

// add takes one chunk.
func (a *chatAnswer) add(c sdk.ChatCompletionChunk, yield func(agent.Delta) error) error {
	if u := c.Usage; c.JSON.Usage.Valid() {
		a.usage = chatUsage(u)
	}
	if len(c.Choices) == 0 {
		return nil
	}
	choice := c.Choices[0]
	if choice.FinishReason != "" {
		a.reason = choice.FinishReason
	}
	for _, t := range choice.Delta.ToolCalls {
		call := a.call(t.Index, t.ID)
		call.name += t.Function.Name
		call.args.WriteString(t.Function.Arguments)
	}
	if thought := reasoning(choice.Delta); thought != "" {
		if err := yield(agent.Delta{Thought: thought}); err != nil {
			return err
		}
	}
	if text := choice.Delta.Content + choice.Delta.Refusal; text != "" {
		return yield(agent.Delta{Text: text})
	}
	return nil
}

// call returns the call that a piece belongs to. Some servers number all calls
// alike: another id is another call.
func (a *chatAnswer) call(index int64, id string) *chatCall {
	for i := len(a.calls) - 1; i >= 0; i-- {
		if c := &a.calls[i]; c.index == index && (id == "" || c.id == id) {
			return c
		}
	}
	a.calls = append(a.calls, chatCall{index: index, id: id})
	return &a.calls[len(a.calls)-1]
}

// reasoning is what a model thinks, which servers give under two names that the
// protocol does not have.
func reasoning(d sdk.ChatCompletionChunkChoiceDelta) string {
	for _, name := range []string{"reasoning_content", "reasoning"} {
		var text string
		if f, ok := d.JSON.ExtraFields[name]; ok && json.Unmarshal([]byte(f.Raw()), &text) == nil && text != "" {
			return text
		}
	}
	return ""
}

// chatUsage counts; a cost comes from servers that sell several models.
func chatUsage(u sdk.CompletionUsage) *tools.Usage {
	cached := u.PromptTokensDetails.CachedTokens
	out := &tools.Usage{Input: u.PromptTokens - cached, CacheRead: cached, Output: u.CompletionTokens, TotalTokens: u.TotalTokens}
	if f, ok := u.JSON.ExtraFields["cost"]; ok {
		// A cost that is no number is none.
		_ = json.Unmarshal([]byte(f.Raw()), &out.Cost)
	}
	return out
}

// finish gives the calls, now that they are whole.
func (a *chatAnswer) finish(names provider.Names, yield func(agent.Delta) error) (agent.Finish, error) {
	for i := range a.calls {
		c := &a.calls[i]
		if err := yield(agent.Delta{Call: &agent.CallDelta{ID: c.id, Name: names.Original(c.name), Arguments: c.args.String()}}); err != nil {
			return agent.Finish{}, err
		}
	}
	f := agent.Finish{Usage: a.usage}
	switch a.reason {
	case "length":
		f.Reason = agent.MaxTokens
	case "content_filter":
		f.Reason = agent.Refusal
	}
	return f, nil
}
