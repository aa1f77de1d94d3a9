package agent

import (
	"context"
	"errors"

	"go.lsp.dev/jsonrpc2"

	"github.com/agent-ls/agent-ls/acp"
	"github.com/agent-ls/agent-ls/agent"
)

// prompt runs one turn. It is registered before the read loop goes on, so that
// a cancel in the next line hits it; prompts in a running turn queue.
func (s *Server) prompt(ctx context.Context, p acp.PromptRequest) (any, error) {
	b, err := s.bridge(p.SessionID)
	if err != nil {
		return nil, err
	}
	blocks, err := promptBlocks(p.Prompt)
	if err != nil {
		return nil, err
	}
	wait, answered := b.submit(ctx, blocks)
	jsonrpc2.Async(ctx)
	reason, err := wait()
	if err != nil {
		return nil, acp.ErrorThen{Err: s.turnError(p.SessionID, err), Run: answered}
	}
	response := acp.PromptResponse{StopReason: acp.StopReason(reason)}
	if s.o.PromptMeta != nil {
		response.Meta = s.o.PromptMeta(b.session)
	}
	return acp.Then{Result: response, Run: answered}, nil
}

// turnError is why a turn failed, with data that is safe to show (field report
// 77). Only a missing or refused login asks the user to log in, and only where a
// way to do so is offered: clients that get −32000 offer one.
func (s *Server) turnError(id string, err error) *jsonrpc2.Error {
	var provider *agent.ProviderError
	switch {
	case errors.As(err, &provider) && provider.Login && len(s.offered().ways) > 0:
		return acp.WithData(acp.Errorf(acp.CodeAuthRequired, "%s", provider.Message), struct {
			Kind    string           `json:"kind"`
			Status  int              `json:"status"`
			Methods []acp.AuthMethod `json:"authMethods"`
		}{"provider", provider.Status, s.offered().methods()})
	case errors.As(err, &provider):
		e := acp.Errorf(jsonrpc2.InternalError, "the model's server failed: %s", provider.Message)
		return acp.WithData(e, map[string]any{"kind": "provider", "status": provider.Status})
	case errors.Is(err, agent.ErrClosed):
		return acp.NotFound("session %q is closed", id)
	default:
		return acp.Errorf(jsonrpc2.InternalError, "the turn failed: %v", err)
	}
}
