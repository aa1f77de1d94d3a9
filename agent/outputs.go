package agent

import (
	"context"
	"slices"

	"github.com/agent-ls/agent-ls/tools"
	"github.com/agent-ls/agent-ls/tools/cache"
)

// outputs returns the service that keeps results within the context of the
// session's model (tools.md §1.5).
func (s *Session) outputs() *cache.Service {
	c := s.hub.c.Cache
	c.ContextWindow = int(s.Model().ContextSize)
	c.TotalBudgetTrim = s.trims()
	return cache.NewService(s.hub.c.Outputs, s.id, c, s.logger)
}

// trims says that old results are replaced by their refs: where it is
// configured, and for language models, which have to read all of it again with
// every request.
func (s *Session) trims() bool {
	return s.hub.c.Outputs != nil && (s.hub.c.Cache.TotalBudgetTrim || s.Model().Language)
}

// bound is the execute wrapper that cuts the results of tools that came from
// outside, stores the whole under a ref, and puts the ref into the result.
// Built-in tools keep within bounds of their own; their results are stored
// only where old ones may later be replaced by their refs.
func (s *Session) bound(ctx context.Context, x tools.Execution, next func(context.Context) tools.ExecuteResult) (tools.ExecuteResult, error) {
	out := next(ctx)
	bounded := x.Definition == nil || x.Definition.Source == tools.SourceBuiltin
	if s.hub.c.Outputs == nil || bounded && !s.trims() {
		return out, nil
	}
	r := &out.Result
	m := s.outputs().ProcessMessage(cache.Message{
		CallID: x.CallID, Name: x.Name, Blocks: r.Content, Ref: cache.Ref(r.OutputRef), Bounded: bounded,
	})
	r.Content, r.OutputRef = m.Blocks, string(m.Ref)
	return out, nil
}

// trim returns a conversation whose oldest results are replaced by their refs
// when all together outgrow the budget; those the model has not seen yet stay.
func (s *Session) trim(messages []Message) []Message {
	if !s.trims() {
		return messages
	}
	messages = slices.Clone(messages)
	var results []cache.Message
	var at []int
	fresh := 0
	for i, m := range messages {
		switch m.Role {
		case RoleAssistant:
			fresh = 0
		case RoleTool:
			fresh++
			at = append(at, i)
			results = append(results, cache.Message{CallID: m.CallID, Name: m.Name, Blocks: m.Blocks, Ref: cache.Ref(m.OutputRef)})
		}
	}
	for n, m := range s.outputs().TrimTotal(results, fresh) {
		messages[at[n]].Blocks = m.Blocks
	}
	return messages
}
