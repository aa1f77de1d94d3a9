package openai

import (
	"context"
	"encoding/json"
	"slices"

	"github.com/agent-ls/agent-ls/agent"
)

// Models lists the models that the server offers, with the size of their
// contexts and how they think where it tells: servers have several names for it.
// Thinking is nil where it does not, and empty for a model that does not think.
func (s *Server) Models(ctx context.Context) ([]agent.ModelInfo, error) {
	services, options, err := s.connect(ctx)
	if err != nil {
		return nil, err
	}
	page, err := services.models.List(ctx, options...)
	if err != nil {
		return nil, s.failed(ctx, err)
	}
	var out []agent.ModelInfo
	for _, m := range page.Data {
		var more struct {
			Name          string `json:"name"`
			ContextLength int64  `json:"context_length"`
			ContextWindow int64  `json:"context_window"`
			MaxModelLen   int64  `json:"max_model_len"`
			// Parameters are what a request may hold, where a server says so.
			Parameters []string `json:"supported_parameters"`
			Meta       struct {
				Context int64 `json:"n_ctx"`
			} `json:"meta"`
		}
		// What is not as expected is not known: the list is worth more than
		// its details.
		_ = json.Unmarshal([]byte(m.RawJSON()), &more)
		out = append(out, agent.ModelInfo{
			ID: m.ID, Name: more.Name, Thinking: listedThinking(more.Parameters), ContextSize: max(more.ContextLength, more.ContextWindow, more.MaxModelLen, more.Meta.Context),
		})
	}
	return out, nil
}

// listedThinking are the levels of a model whose requests may hold these
// parameters, nil when that is not known.
func listedThinking(parameters []string) []string {
	switch {
	case len(parameters) == 0:
		return nil
	case slices.Contains(parameters, "reasoning"), slices.Contains(parameters, "reasoning_effort"):
		return Levels
	}
	return []string{}
}
