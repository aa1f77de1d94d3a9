package anthropic

import (
	"context"
	"encoding/base64"
	"strings"

	sdk "github.com/anthropics/anthropic-sdk-go"
	"github.com/anthropics/anthropic-sdk-go/packages/param"

	"github.com/agent-ls/agent-ls/agent"
	"github.com/agent-ls/agent-ls/agent/provider"
	"github.com/agent-ls/agent-ls/presentation"
	"github.com/agent-ls/agent-ls/tools"
)

// opaqueProvider marks thoughts that are signed, which the server wants back.
const opaqueProvider = "anthropic"

// cachedMessages is how many of the last messages of the user end a part of the
// request that the server keeps: the next request begins with the last one's,
// and finds the one before it where the last one has expired.
const cachedMessages = 2

// budgets are the tokens of a level for models that want a number.
var budgets = map[string]int64{"low": 4_096, "medium": 12_288, "high": 24_576}

type model struct {
	server *Server
	name   string
}

// Respond makes one streaming request.
func (m *model) Respond(ctx context.Context, req agent.Request, yield func(agent.Delta) error) (agent.Finish, error) {
	services, options, err := m.server.connect(ctx)
	if err != nil {
		return agent.Finish{}, err
	}
	names := provider.NewNames(req)
	stream := services.messages.NewStreaming(ctx, m.params(req, names), options...)
	defer func() { _ = stream.Close() }() // what was read is what counts
	a := answer{model: m.name, names: names, yield: yield, parts: map[int64]*part{}}
	for !a.done && stream.Next() {
		if err := a.add(stream.Current()); err != nil {
			return agent.Finish{}, err
		}
	}
	switch err := stream.Err(); {
	case a.done:
		return a.finish(), nil
	case err != nil:
		return agent.Finish{}, m.server.failed(ctx, err)
	case ctx.Err() != nil:
		return agent.Finish{}, context.Cause(ctx)
	}
	return agent.Finish{}, m.server.o.Endpoint.Cut()
}

// params are the request. The instructions and the tools before them, and the
// conversation so far, are marked to be kept by the server.
func (m *model) params(req agent.Request, names provider.Names) sdk.MessageNewParams {
	p := sdk.MessageNewParams{Model: sdk.Model(m.name), MaxTokens: m.server.o.MaxOutput, Messages: m.messages(req, names)}
	if req.System != "" {
		p.System = []sdk.TextBlockParam{{Text: req.System, CacheControl: sdk.NewCacheControlEphemeralParam()}}
	}
	for _, t := range req.Tools {
		tool := sdk.ToolParam{Name: names.Wire(t.Name), InputSchema: param.Override[sdk.ToolInputSchemaParam](inputSchema(t))}
		if t.Description != "" {
			tool.Description = param.NewOpt(t.Description)
		}
		p.Tools = append(p.Tools, sdk.ToolUnionParam{OfTool: &tool})
	}
	m.think(&p, req.Thinking)
	return p
}

// inputSchema is a tool's schema; without one it takes any object.
func inputSchema(t tools.ToolSchema) any {
	if t.Parameters == nil {
		return map[string]any{"type": "object"}
	}
	return t.Parameters
}

// think asks for thoughts, in the way that the model knows.
func (m *model) think(p *sdk.MessageNewParams, level string) {
	if level == "" {
		return
	}
	if adaptive(m.name) {
		thinking := sdk.NewThinkingConfigAdaptiveParam()
		thinking.SetExtraFields(map[string]any{"display": "summarized"}) // else some models keep their thoughts
		p.Thinking.OfAdaptive = &thinking
		p.OutputConfig.Effort = sdk.OutputConfigEffort(level)
		return
	}
	budget := budgets[level]
	p.Thinking.OfEnabled = &sdk.ThinkingConfigEnabledParam{BudgetTokens: budget}
	p.MaxTokens += budget
}

// Thinking are the levels of a model by its name, none for one that cannot be
// told how hard to think.
func Thinking(model string) []string {
	name := strings.ToLower(model)
	for _, old := range []string{"claude-2", "claude-instant", "claude-3-haiku", "claude-3-sonnet", "claude-3-opus", "claude-3-5"} {
		if strings.Contains(name, old) {
			return nil
		}
	}
	if !strings.Contains(name, "claude") {
		return nil
	}
	return []string{"low", "medium", "high"}
}

// adaptive says whether a model decides itself how long it thinks; the ones
// before want a number of tokens.
func adaptive(model string) bool {
	for _, old := range []string{"claude-2", "claude-3", "-4-0", "-4-1", "-4-2025", "-4-5"} {
		if strings.Contains(model, old) {
			return false
		}
	}
	return true
}

// messages translates the conversation. Messages of the same side that follow
// each other become one: the protocol wants the sides to take turns, and all
// results of a step in one message.
func (m *model) messages(req agent.Request, names provider.Names) []sdk.MessageParam {
	var out []sdk.MessageParam
	for _, msg := range req.Messages {
		role, blocks := sdk.MessageParamRoleUser, m.content(msg, names)
		if msg.Role == agent.RoleAssistant {
			role = sdk.MessageParamRoleAssistant
		}
		if len(blocks) == 0 {
			continue
		}
		if n := len(out); n > 0 && out[n-1].Role == role {
			out[n-1].Content = append(out[n-1].Content, blocks...)
			continue
		}
		out = append(out, sdk.MessageParam{Role: role, Content: blocks})
	}
	keep := cachedMessages
	for i := len(out) - 1; i >= 0 && keep > 0; i-- {
		if out[i].Role == sdk.MessageParamRoleUser {
			mark(out[i].Content)
			keep--
		}
	}
	return out
}

// mark ends a part that the server keeps behind the last block.
func mark(blocks []sdk.ContentBlockParamUnion) {
	if c := blocks[len(blocks)-1].GetCacheControl(); c != nil {
		*c = sdk.NewCacheControlEphemeralParam()
	}
}

// content translates one message.
func (m *model) content(msg agent.Message, names provider.Names) []sdk.ContentBlockParamUnion {
	switch msg.Role {
	case agent.RoleTool:
		return []sdk.ContentBlockParamUnion{{OfToolResult: m.result(msg)}}
	case agent.RoleContext:
		return []sdk.ContentBlockParamUnion{sdk.NewTextBlock(provider.Note(msg))}
	}
	var out []sdk.ContentBlockParamUnion
	for _, b := range msg.Blocks {
		if raw, ok := provider.Opaque(b, opaqueProvider, m.name); ok {
			out = append(out, param.Override[sdk.ContentBlockParamUnion](raw))
		} else if media, ok := provider.Media(b, m.server.o.Documents); ok {
			out = append(out, mediaBlock(media))
		} else if text := provider.Text(b); strings.TrimSpace(text) != "" {
			out = append(out, sdk.NewTextBlock(text))
		}
	}
	for _, c := range msg.Calls {
		out = append(out, sdk.NewToolUseBlock(c.CallID, provider.Arguments(c.Arguments), names.Wire(c.Name)))
	}
	return out
}

// mediaBlock is an image or a document.
func mediaBlock(b presentation.Block) sdk.ContentBlockParamUnion {
	data := base64.StdEncoding.EncodeToString(b.Data)
	if b.Type != presentation.BlockDocument {
		return sdk.NewImageBlockBase64(b.MIMEType, data)
	}
	block := sdk.NewDocumentBlock(sdk.Base64PDFSourceParam{Data: data})
	block.OfDocument.Title = param.NewOpt(b.Name)
	return block
}

func (m *model) result(msg agent.Message) *sdk.ToolResultBlockParam {
	r := &sdk.ToolResultBlockParam{ToolUseID: msg.CallID}
	if msg.IsError {
		r.IsError = param.NewOpt(true)
	}
	for _, b := range msg.Blocks {
		if media, ok := provider.Media(b, m.server.o.Documents); ok {
			block := mediaBlock(media)
			r.Content = append(r.Content, sdk.ToolResultBlockParamContentUnion{OfImage: block.OfImage, OfDocument: block.OfDocument})
		} else if text := provider.Text(b); strings.TrimSpace(text) != "" {
			r.Content = append(r.Content, sdk.ToolResultBlockParamContentUnion{OfText: &sdk.TextBlockParam{Text: text}})
		}
	}
	return r
}
