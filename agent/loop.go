package agent

import (
	"context"
	"sync"

	"github.com/agent-ls/agent-ls/presentation"
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
	// Retry says what becomes of requests that fail.
	Retry Retry

	mu       sync.Mutex
	thinking string // the setting, see Settings
	// learned is what became known of how the model thinks, nil for nothing
	// beside Info.
	learned *[]string
}

// Run runs one turn. A failure of the model is returned as it is.
func (l *Loop) Run(ctx context.Context, t *Turn) (StopReason, error) {
	if focus, ok := compactCommand(t.Prompt()); ok && l.Info.Language {
		return EndTurn, l.compact(ctx, t, focus, false)
	}
	if !l.Info.Direct {
		t.steering.open()
		defer t.passOn()
	}
	run := t.newRun()
	for n := 0; l.Info.Direct || n < l.MaxRequests; n++ {
		calls, fin, err := l.next(ctx, t)
		if err != nil {
			return "", err
		}
		truncated := fin.Reason == MaxTokens
		switch {
		case len(calls) == 0 && fin.More && fin.Reason == "":
			continue
		case len(calls) == 0 || fin.Reason != "" && !truncated:
			if first(fin.Reason, EndTurn) == EndTurn && !t.steering.end() {
				continue
			}
			return first(fin.Reason, EndTurn), nil
		}
		batch := t.announce(calls)
		terminate := run.batch(ctx, batch, tools.BatchOptions{Parallel: l.Parallel, Truncated: truncated})
		switch {
		case ctx.Err() != nil:
			return StopCancelled, nil
		case terminate:
			return EndTurn, nil
		}
	}
	return MaxTurnRequests, nil
}

// next takes what the user has added meanwhile and asks the model what is next,
// in a conversation that is made to fit.
func (l *Loop) next(ctx context.Context, t *Turn) (calls []CallDelta, fin Finish, err error) {
	t.steering.take(func(blocks []presentation.Block) {
		t.Record(UserMessage{MessageID: t.s.hub.c.NewID(), Blocks: blocks})
	})
	if l.Info.Language && t.s.crowded() {
		if err := l.compact(ctx, t, "", true); err != nil {
			return nil, Finish{}, err
		}
	}
	calls, fin, shown, err := l.persist(ctx, t)
	if l.Info.Language && !shown && tooLong(err) {
		if err := l.compact(ctx, t, "", true); err != nil {
			return nil, Finish{}, err
		}
		calls, fin, _, err = l.persist(ctx, t)
	}
	return calls, fin, err
}

// persist asks again while that may help and nothing was shown: an answer is
// never shown twice.
func (l *Loop) persist(ctx context.Context, t *Turn) (calls []CallDelta, fin Finish, shown bool, err error) {
	for attempt := 1; ; attempt++ {
		calls, fin, shown, err = l.request(ctx, t)
		if err == nil || shown || !l.Retry.again(ctx, t, attempt, err) {
			return calls, fin, shown, err
		}
	}
}

// request asks the model once and streams what it says; shown reports whether
// the user has seen any of it.
func (l *Loop) request(ctx context.Context, t *Turn) (calls []CallDelta, fin Finish, shown bool, err error) {
	m := t.NewMessage()
	var held []presentation.Block // opaque blocks, until something is shown
	flush := func() {
		for _, b := range held {
			m.Opaque(b)
		}
		held = nil
	}
	req := t.request()
	req.Thinking = l.thought()
	fin, err = l.Model.Respond(ctx, req, func(d Delta) error {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		switch {
		case d.Call != nil:
			calls = append(calls, *d.Call)
		case d.Opaque != nil:
			held = append(held, *d.Opaque)
		case d.Text != "" || d.Thought != "":
			shown = true
			flush()
			m.Text(d.Text)
			m.Thought(d.Thought)
		}
		return nil
	})
	if err == nil {
		flush()
	}
	m.End()
	if err == nil && fin.Usage != nil {
		t.usage(*fin.Usage)
	}
	return calls, fin, shown, err
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
func (t *Turn) usage(u tools.Usage) {
	used := u.TotalTokens
	if used == 0 {
		used = u.Input + u.Output + u.CacheRead + u.CacheWrite
	}
	if used > 0 {
		t.spent(used, u.Cost)
	}
}

// spent records that the context holds used tokens now and that cost was added.
func (t *Turn) spent(used int64, cost float64) {
	t.s.mu.Lock()
	cost += t.s.state.cost
	size := t.s.model.ContextSize
	t.s.mu.Unlock()
	e := UsageChanged{Used: used, Size: size, Cost: cost}
	if cost > 0 {
		e.Currency = "USD"
	}
	t.Record(e)
}
