package agent

import (
	"context"
	"fmt"

	"github.com/agent-ls/agent-ls/tools"
)

// callRun is what the calls of one turn share.
type callRun struct {
	s      *Session
	run    *tools.Run
	events *callEvents
}

// newRun returns the run of t.
func (t *Turn) newRun() *callRun { return t.s.newRun(t.ctx, t.emit, t.Cancel) }

// newRun returns a run whose records go to emit; cancel ends it all.
func (s *Session) newRun(ctx context.Context, emit func(Event, keep), cancel func()) *callRun {
	events := newCallEvents(ctx, emit)
	return &callRun{s: s, events: events, run: &tools.Run{
		Session: s.id, Cwd: s.header.Cwd, Roots: s.roots(), App: s,
		Logger: s.logger, Now: s.hub.c.Now,
		Metadata: metadata{s}, Deps: s.deps, Events: events, MayAsk: s.mayAsk,
		Approver: &approver{s: s, emit: emit, cancel: cancel},
	}}
}

// batch runs the calls of one message; every one has settled when it returns.
func (r *callRun) batch(ctx context.Context, calls []tools.Call, o tools.BatchOptions) (terminate bool) {
	r.events.expect(calls)
	_, terminate = r.s.pipeline.ExecuteBatch(ctx, r.run, calls, o)
	return terminate
}

// Execute runs one call that no model made, such as a client's own call of a
// tool that it declared, with the same permissions and the same cards; an
// empty call id is filled in. It does not enter the conversation.
func (s *Session) Execute(ctx context.Context, call tools.Call) (tools.Result, error) {
	leave, err := s.queue.enter()
	if err != nil {
		return tools.Result{}, fmt.Errorf("session %s: %w", s.id, err)
	}
	defer leave()
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	defer context.AfterFunc(s.life, func() { cancel(errClosing) })()
	if call.ID == "" {
		s.mu.Lock()
		call.ID = s.state.newCallID()
		s.mu.Unlock()
	}
	r := s.newRun(ctx, s.emitNow, func() { cancel(errCancelled) })
	r.events.expect([]tools.Call{call})
	return s.pipeline.ExecuteRaw(ctx, r.run, call), nil
}

// emitNow makes a record outside of a turn.
func (s *Session) emitNow(e Event, k keep) {
	s.recMu.Lock()
	defer s.recMu.Unlock()
	s.emit(e, k)
}
