package agent

import (
	"context"

	"github.com/agent-ls/agent-ls/tools"
)

// Loop is the driver over a Model: request, stream, calls, results, and again
// until the model makes no call (tools.md §2.3, §3.15).
type Loop struct {
	Model Model
	Info  ModelInfo
	// MaxRequests bounds the requests of one turn, unless Info.Direct.
	MaxRequests int
	// Parallel is the size of a batch's pool, see tools.BatchOptions.
	Parallel int
}

// Run runs one turn. A failure of the model is returned as it is.
func (l *Loop) Run(ctx context.Context, t *Turn) (StopReason, error) {
	run := t.newRun()
	for n := 0; l.Info.Direct || n < l.MaxRequests; n++ {
		calls, fin, err := l.request(ctx, t)
		if err != nil {
			return "", err
		}
		truncated := fin.Reason == MaxTokens
		switch {
		case len(calls) == 0 && fin.More && fin.Reason == "":
			continue
		case len(calls) == 0:
			return first(fin.Reason, EndTurn), nil
		case fin.Reason != "" && !truncated:
			return fin.Reason, nil
		}
		batch := t.announce(calls)
		terminate := run.batch(ctx, batch, tools.BatchOptions{Parallel: l.Parallel, Truncated: truncated})
		switch {
		case ctx.Err() != nil:
			return StopCancelled, nil //nolint:nilerr // to be cancelled is no failure
		case terminate:
			return EndTurn, nil
		}
	}
	return MaxTurnRequests, nil
}

// request asks the model once and streams what it says.
func (l *Loop) request(ctx context.Context, t *Turn) (calls []CallDelta, fin Finish, err error) {
	m := t.NewMessage()
	fin, err = l.Model.Respond(ctx, t.s.request(), func(d Delta) error {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		m.Text(d.Text)
		m.Thought(d.Thought)
		if d.Call != nil {
			calls = append(calls, *d.Call)
		}
		return nil
	})
	m.End()
	if err == nil && fin.Usage != nil {
		t.usage(*fin.Usage, l.Info.ContextSize)
	}
	return calls, fin, err
}

// announce gives the calls of one message their ids and records them.
func (t *Turn) announce(calls []CallDelta) []tools.Call {
	assistant, batch := make([]AssistantCall, len(calls)), make([]tools.Call, len(calls))
	t.s.mu.Lock()
	for i, c := range calls {
		id := t.s.state.newCallID()
		assistant[i] = AssistantCall{CallID: id, ModelID: c.ID, Name: c.Name, Arguments: c.Arguments}
		batch[i] = tools.Call{ID: id, Name: c.Name, Arguments: c.Arguments}
	}
	t.s.mu.Unlock()
	t.Record(AssistantCalls{Calls: assistant})
	return batch
}

// usage records how full the context is. A model that counts nothing makes no
// record: a zero would be a lie (field report 46).
func (t *Turn) usage(u tools.Usage, size int64) {
	used := u.TotalTokens
	if used == 0 {
		used = u.Input + u.Output + u.CacheRead + u.CacheWrite
	}
	if used == 0 {
		return
	}
	t.s.mu.Lock()
	cost := t.s.state.cost + u.Cost
	t.s.mu.Unlock()
	e := UsageChanged{Used: used, Size: size, Cost: cost}
	if cost > 0 {
		e.Currency = "USD"
	}
	t.Record(e)
}
