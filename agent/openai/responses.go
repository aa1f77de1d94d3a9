package openai

import (
	"context"
	"encoding/json"

	"github.com/openai/openai-go/v3/packages/param"
	"github.com/openai/openai-go/v3/responses"
	"github.com/openai/openai-go/v3/shared"

	"github.com/agent-ls/agent-ls/agent"
	"github.com/agent-ls/agent-ls/agent/provider"
	"github.com/agent-ls/agent-ls/presentation"
	"github.com/agent-ls/agent-ls/tools"
)

// opaqueProvider marks thoughts that only the server can read, which it wants
// back.
const opaqueProvider = "openai"

// responsesModel answers by the responses API. Nothing is kept on the server:
// the whole conversation goes with each request.
type responsesModel struct {
	server *Server
	name   string
}

// Respond makes one streaming request.
func (m *responsesModel) Respond(ctx context.Context, req agent.Request, yield func(agent.Delta) error) (agent.Finish, error) {
	services, options, err := m.server.connect(ctx)
	if err != nil {
		return agent.Finish{}, err
	}
	names := provider.NewNames(req)
	stream := services.responses.NewStreaming(ctx, m.params(req, names), options...)
	defer func() { _ = stream.Close() }() // what was read is what counts
	answer := responsesAnswer{server: m.server, model: m.name, names: names, yield: yield}
	for !answer.done && stream.Next() {
		if err := answer.add(stream.Current()); err != nil {
			return agent.Finish{}, err
		}
	}
	if err := stream.Err(); err != nil {
		return agent.Finish{}, m.server.failed(ctx, err)
	}
	if !answer.done {
		return agent.Finish{}, m.server.cut(ctx)
	}
	return answer.finish, nil
}

// params are the request.
func (m *responsesModel) params(req agent.Request, names provider.Names) responses.ResponseNewParams {
	p := responses.ResponseNewParams{
		Model: m.name, Store: param.NewOpt(false),
		Input:          responses.ResponseNewParamsInputUnion{OfInputItemList: m.input(req, names)},
		PromptCacheKey: param.NewOpt(req.Session),
	}
	if req.System != "" {
		p.Instructions = param.NewOpt(req.System)
	}
	if m.server.o.MaxOutput > 0 {
		p.MaxOutputTokens = param.NewOpt(m.server.o.MaxOutput)
	}
	if reasons(m.name) {
		p.Include = []responses.ResponseIncludable{responses.ResponseIncludableReasoningEncryptedContent}
		p.Reasoning = shared.ReasoningParam{Effort: shared.ReasoningEffort(req.Thinking), Summary: shared.ReasoningSummaryAuto}
	}
	for _, t := range req.Tools {
		tool := param.Override[responses.FunctionToolParam](responsesFunction{
			Type: "function", function: function{Name: names.Wire(t.Name), Description: t.Description, Parameters: parameters(t)},
		})
		p.Tools = append(p.Tools, responses.ToolUnionParam{OfFunction: &tool})
	}
	return p
}

// responsesFunction is a function that need not be strict: strict ones cannot
// have optional parameters.
type responsesFunction struct {
	Type   string `json:"type"`
	Strict bool   `json:"strict"`
	function
}

// input translates the conversation.
func (m *responsesModel) input(req agent.Request, names provider.Names) responses.ResponseInputParam {
	input := responses.ResponseInputParam{}
	for _, msg := range req.Messages {
		switch msg.Role {
		case agent.RoleUser:
			input = append(input, responses.ResponseInputItemParamOfMessage(m.content(msg.Blocks), responses.EasyInputMessageRoleUser))
		case agent.RoleContext:
			input = append(input, responses.ResponseInputItemParamOfMessage(provider.Note(msg), responses.EasyInputMessageRoleUser))
		case agent.RoleAssistant:
			input = append(input, m.assistant(msg, names)...)
		case agent.RoleTool:
			input = append(input, m.result(msg))
		}
	}
	return input
}

func (m *responsesModel) content(blocks []presentation.Block) responses.ResponseInputMessageContentListParam {
	content := responses.ResponseInputMessageContentListParam{}
	text, media := provider.Split(blocks, m.server.o.Documents)
	if text != "" {
		content = append(content, responses.ResponseInputContentParamOfInputText(text))
	}
	for _, b := range media {
		if b.Type == presentation.BlockDocument {
			content = append(content, responses.ResponseInputContentUnionParam{OfInputFile: &responses.ResponseInputFileParam{
				FileData: param.NewOpt(provider.DataURL(b)), Filename: param.NewOpt(b.Name),
			}})
			continue
		}
		content = append(content, responses.ResponseInputContentUnionParam{OfInputImage: &responses.ResponseInputImageParam{
			ImageURL: param.NewOpt(provider.DataURL(b)), Detail: responses.ResponseInputImageDetail(detail(b)),
		}})
	}
	return content
}

// detail is how closely a model looks at an image.
func detail(b presentation.Block) string {
	if b.Detail == "" {
		return "auto"
	}
	return b.Detail
}

// assistant gives texts, thoughts and calls back in their order.
func (m *responsesModel) assistant(msg agent.Message, names provider.Names) []responses.ResponseInputItemUnionParam {
	var items []responses.ResponseInputItemUnionParam
	for _, b := range msg.Blocks {
		if raw, ok := provider.Opaque(b, opaqueProvider, m.name); ok {
			items = append(items, param.Override[responses.ResponseInputItemUnionParam](raw))
		} else if text := provider.Text(b); text != "" {
			items = append(items, responses.ResponseInputItemParamOfMessage(text, responses.EasyInputMessageRoleAssistant))
		}
	}
	for _, c := range msg.Calls {
		items = append(items, responses.ResponseInputItemParamOfFunctionCall(string(provider.Arguments(c.Arguments)), c.CallID, names.Wire(c.Name)))
	}
	return items
}

func (m *responsesModel) result(msg agent.Message) responses.ResponseInputItemUnionParam {
	result := &responses.ResponseInputItemFunctionCallOutputParam{CallID: msg.CallID}
	text, media := provider.Split(msg.Blocks, m.server.o.Documents)
	if len(media) == 0 {
		result.Output.OfString = param.NewOpt(text)
	} else {
		var list responses.ResponseFunctionCallOutputItemListParam
		if text != "" {
			list = append(list, responses.ResponseFunctionCallOutputItemParamOfInputText(text))
		}
		for _, b := range media {
			if b.Type == presentation.BlockDocument {
				list = append(list, responses.ResponseFunctionCallOutputItemUnionParam{OfInputFile: &responses.ResponseInputFileContentParam{
					FileData: param.NewOpt(provider.DataURL(b)), Filename: param.NewOpt(b.Name),
				}})
				continue
			}
			list = append(list, responses.ResponseFunctionCallOutputItemUnionParam{OfInputImage: &responses.ResponseInputImageContentParam{
				ImageURL: param.NewOpt(provider.DataURL(b)), Detail: responses.ResponseInputImageContentDetail(detail(b)),
			}})
		}
		result.Output.OfResponseFunctionCallOutputItemArray = list
	}
	return responses.ResponseInputItemUnionParam{OfFunctionCallOutput: result}
}

// responsesAnswer gives what a stream says.
type responsesAnswer struct {
	server *Server
	model  string
	names  provider.Names
	yield  func(agent.Delta) error

	finish agent.Finish
	done   bool
}

// add takes one event.
func (a *responsesAnswer) add(e responses.ResponseStreamEventUnion) error {
	switch e.Type {
	case "response.output_text.delta", "response.refusal.delta":
		return a.yield(agent.Delta{Text: e.Delta})
	case "response.reasoning_summary_text.delta", "response.reasoning_text.delta":
		return a.yield(agent.Delta{Thought: e.Delta})
	case "response.reasoning_summary_part.added":
		if e.SummaryIndex > 0 {
			return a.yield(agent.Delta{Thought: "\n\n"})
		}
	case "response.output_item.done":
		return a.item(e.Item)
	case "response.completed", "response.incomplete":
		a.complete(e.Response)
	case "response.failed":
		failed := e.Response.Error
		return a.server.o.Endpoint.Fail(provider.Failure{Kind: string(failed.Code), Message: failed.Message})
	case "error":
		return a.server.o.Endpoint.Fail(provider.Failure{Kind: e.Code, Message: e.Message})
	}
	return nil
}

// item takes an item that is whole.
func (a *responsesAnswer) item(item responses.ResponseOutputItemUnion) error {
	switch item.Type {
	case "function_call":
		return a.yield(agent.Delta{Call: &agent.CallDelta{
			ID: item.CallID, Name: a.names.Original(item.Name), Arguments: item.Arguments,
		}})
	case "reasoning":
		if item.EncryptedContent == "" {
			return nil // nothing that the server could use again
		}
		return a.yield(agent.Delta{Opaque: &presentation.Block{
			Type: presentation.BlockOther, Provider: opaqueProvider, Kind: a.model, Payload: sendable(item.RawJSON()),
		}})
	}
	return nil
}

// sendable is an item as the server takes it back: its status is the server's
// own to say.
func sendable(raw string) json.RawMessage {
	var fields map[string]json.RawMessage
	if json.Unmarshal([]byte(raw), &fields) != nil {
		return json.RawMessage(raw)
	}
	delete(fields, "status")
	out, err := json.Marshal(fields)
	if err != nil {
		return json.RawMessage(raw)
	}
	return out
}

// complete takes the end.
func (a *responsesAnswer) complete(r responses.Response) {
	a.done = true
	switch r.IncompleteDetails.Reason {
	case "max_output_tokens":
		a.finish.Reason = agent.MaxTokens
	case "content_filter":
		a.finish.Reason = agent.Refusal
	}
	if u := r.Usage; r.JSON.Usage.Valid() {
		cached := u.InputTokensDetails.CachedTokens
		a.finish.Usage = &tools.Usage{Input: u.InputTokens - cached, CacheRead: cached, Output: u.OutputTokens, TotalTokens: u.TotalTokens}
	}
}
