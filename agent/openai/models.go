package openai

import (
	"context"
	"encoding/json"

	"github.com/agent-ls/agent-ls/agent"
)

// Models lists the models that the server offers, with the size of their
// contexts where it tells: servers have several names for it.
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
			Meta          struct {
				Context int64 `json:"n_ctx"`
			} `json:"meta"`
		}
		// What is not as expected is not known: the list is worth more than
		// its details.
		_ = json.Unmarshal([]byte(m.RawJSON()), &more)
		out = append(out, agent.ModelInfo{
			ID: m.ID, Name: more.Name, ContextSize: max(more.ContextLength, more.ContextWindow, more.MaxModelLen, more.Meta.Context),
		})
	}
	return out, nil
}
