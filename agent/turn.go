package agent

import (
	"context"
	"errors"
	"runtime/debug"
	"strings"
	"time"

	"github.com/agent-ls/agent-ls/presentation"
	"github.com/agent-ls/agent-ls/tools"
)

// Causes of a turn's end, for context.Cause.
var (
	errCancelled = errors.New("the turn was cancelled")
	errClosing   = errors.New("the session is closing")
	errAbandoned = errors.New("the turn ended without it")
)

// Turn is one prompt and what the agent does about it. A driver makes its
// records through it; after the turn has ended it makes none.
type Turn struct {
	s      *Session
	id     string
	blocks []presentation.Block
	ctx    context.Context
	cancel context.CancelCauseFunc
	// unlink stops listening to the caller's context.
	unlink func() bool
	// steering are prompts that came while the turn ran.
	steering steering
	// project are the project's instructions, nil before the first request;
	// they stay the same in a turn. For the driver's goroutine.
	project *string
	// past, when set, runs the turn instead of the session's driver: it records
	// what was said before, and there is no prompt.
	past Driver

	// Guarded by recMu: the calls that have not finished, in order, and
	// whether the turn has ended.
	open   []string
	sealed bool

	// done is told the outcome, once.
	done func(StopReason, error)
}

// ID returns the turn's id.
func (t *Turn) ID() string { return t.id }

// Session returns the session of the turn.
func (t *Turn) Session() *Session { return t.s }

// Prompt returns the blocks of the prompt.
func (t *Turn) Prompt() []presentation.Block { return t.blocks }

// Record makes a record of e, unless the turn has ended.
func (t *Turn) Record(e Event) { t.emit(e, logged) }

// UserMessage records a message of the user; the first one of a session without a
// title gives it one.
func (t *Turn) UserMessage(blocks []presentation.Block) {
	if title := t.s.firstTitle(blocks); title != "" {
		t.Record(TitleChanged{Title: title})
	}
	t.Record(UserMessage{MessageID: t.s.hub.c.NewID(), Blocks: blocks})
}

func (t *Turn) emit(e Event, k keep) {
	t.s.recMu.Lock()
	defer t.s.recMu.Unlock()
	if t.sealed {
		return
	}
	switch e := e.(type) {
	case ToolCallStarted:
		t.open = append(t.open, e.CallID)
	case ToolCallFinished:
		t.open = without(t.open, e.CallID)
	}
	t.s.emit(e, k)
}

// Cancel ends the turn as cancelled, as a user's cancelled answer does.
func (t *Turn) Cancel() { t.cancel(errCancelled) }

// finish tells the outcome.
func (t *Turn) finish(reason StopReason, err error) {
	t.unlink()
	t.cancel(errCancelled)
	t.done(reason, err)
}

// Prompt runs one turn; prompts queue in order. All records of the turn have
// been given to the sink when it returns. Ending ctx cancels the turn as
// Cancel does. A provider's failure is a *ProviderError.
func (s *Session) Prompt(ctx context.Context, blocks []presentation.Block) (StopReason, error) {
	return s.Enqueue(ctx, blocks)()
}

// Enqueue registers a prompt synchronously and returns a function that waits
// for its turn: a Cancel after Enqueue always hits it. Of a turn that is
// cancelled while it waits there is no record.
func (s *Session) Enqueue(ctx context.Context, blocks []presentation.Block) (wait func() (StopReason, error)) {
	var out outcome
	done := make(chan struct{})
	s.Submit(ctx, blocks, func(reason StopReason, err error) {
		out = outcome{reason, err}
		close(done)
	})
	return func() (StopReason, error) {
		<-done
		return out.reason, out.err
	}
}

// Submit is Enqueue for a front end that must answer a prompt before the next
// one in the queue makes records: done is called once, after the last record
// of the turn and before the first one of the next turn. It must not wait for
// the session.
func (s *Session) Submit(ctx context.Context, blocks []presentation.Block, done func(StopReason, error)) {
	s.submit(ctx, &Turn{s: s, blocks: blocks, done: done})
}

// submit puts a turn into the queue.
func (s *Session) submit(ctx context.Context, t *Turn) {
	t.id = s.hub.c.NewID()
	t.ctx, t.cancel = context.WithCancelCause(context.WithoutCancel(ctx))
	t.unlink = context.AfterFunc(ctx, func() { s.queue.cancelTurn(t, context.Cause(ctx)) })
	if err := s.queue.add(t); err != nil {
		t.finish(StopCancelled, err)
	}
}

// Cancel ends the running turn and all queued prompts; it waits for nothing.
// Without a turn it does nothing.
func (s *Session) Cancel() { s.queue.cancelAll(errCancelled) }

// outcome is what a driver returned.
type outcome struct {
	reason StopReason
	err    error
}

// runTurn opens the turn, lets the driver run and closes the turn.
func (s *Session) runTurn(t *Turn) (StopReason, error) {
	s.hub.repeats.Reset(s.id)
	t.Record(TurnStarted{Turn: t.id})
	if t.past == nil {
		if s.hub.c.TurnBegins != nil {
			s.hub.c.TurnBegins(s, strings.TrimSpace(PromptText(t.blocks)))
		}
		t.UserMessage(t.blocks)
	}
	out := s.drive(t)
	switch {
	case t.ctx.Err() != nil:
		out = outcome{reason: StopCancelled}
	case out.err == nil:
		out.reason = first(out.reason, EndTurn)
	default:
		out.reason = ""
	}
	s.settle(t, out)
	return out.reason, out.err
}

// drive runs the driver. A cancelled driver that does not return within the
// grace is left behind: its records are refused from then on, and Close waits
// for it.
func (s *Session) drive(t *Turn) outcome {
	if t.ctx.Err() != nil {
		return outcome{}
	}
	s.mu.Lock()
	driver := s.driver
	s.mu.Unlock()
	if t.past != nil {
		driver = t.past
	}
	result := make(chan outcome, 1)
	s.queue.work.Go(func() { result <- s.callDriver(driver, t) })
	select {
	case out := <-result:
		return out
	case <-t.ctx.Done():
	}
	grace := time.NewTimer(s.hub.c.CancelGrace)
	defer grace.Stop()
	select {
	case out := <-result:
		return out
	case <-grace.C:
		s.logger.Warn("a cancelled turn ends without what it still runs", "turn", t.id)
		return outcome{err: errAbandoned}
	}
}

// callDriver turns a panic of a driver into an error.
func (s *Session) callDriver(d Driver, t *Turn) (out outcome) {
	defer func() {
		if p := recover(); p != nil {
			s.logger.Error("driver panicked", "panic", p, "stack", string(debug.Stack()))
			out = outcome{err: errors.New("internal error: the agent failed; the log of agent-ls has the details")}
		}
	}()
	reason, err := d.Run(t.ctx, t)
	return outcome{reason: reason, err: err}
}

// settle closes the open calls and the turn; after it the turn makes no
// record.
func (s *Session) settle(t *Turn, out outcome) {
	ended := TurnEnded{Turn: t.id, Reason: out.reason}
	text := textInterrupted
	if out.reason == StopCancelled {
		text = textCancelled
	}
	if out.err != nil {
		ended.Error = out.err.Error()
	}
	s.recMu.Lock()
	defer s.recMu.Unlock()
	for _, e := range closing(t.open, text) {
		s.emit(e, logged)
	}
	s.emit(ended, logged)
	t.sealed = true
}

// What the card of a call says that something else ended.
const (
	textCancelled   = "Error: cancelled"
	textInterrupted = "Error: interrupted before it ended; what it did until then is not known. Look before you repeat it"
)

// closing settles calls that are still open, so that no card stays open
// (acp.md §8).
func closing(calls []string, text string) []Event {
	var events []Event
	for _, id := range calls {
		events = append(events, ToolCallFinished{
			CallID: id, Result: failedResult(tools.CodeAborted, text), View: &presentation.GenericResult{},
		})
	}
	return events
}
