package agent

import (
	"context"
	"encoding/json"

	"github.com/agent-ls/agent-ls/acp"
)

// methodSteering gives a prompt to the turn that runs (acp.md §12b).
const methodSteering = "_session/steering"

// What became of a prompt that steers.
const (
	steeringInjected = "injected"
	// steeringRequired says that no turn runs that takes it: the client sends a
	// session/prompt.
	steeringRequired = "promptRequired"
)

// steeringMeta tells clients of the method.
func steeringMeta() acp.Meta { return acp.Meta{"steering": json.RawMessage(`{"supported":true}`)} }

// steeringResponse is the answer.
type steeringResponse struct {
	Outcome string `json:"outcome"`
}

// steer serves the method; it waits for nothing.
func (s *Server) steer(_ context.Context, p acp.PromptRequest) (any, error) {
	b, err := s.bridge(p.SessionID)
	if err != nil {
		return nil, err
	}
	blocks, err := promptBlocks(p.Prompt)
	if err != nil {
		return nil, err
	}
	if !b.session.Steer(blocks) {
		return steeringResponse{steeringRequired}, nil
	}
	return steeringResponse{steeringInjected}, nil
}
