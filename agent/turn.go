package agent

import (
	"context"
	"errors"
	"fmt"
	"io"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/agent-ls/agent-ls/presentation"
)

// Causes of a turn's end, for context.Cause.
var (
	errCancelled  = errors.New("the turn was cancelled")
	errClosing    = errors.New("the session is closing")
	errAbandoned  = errors.New("the turn ended without it")
	errManyQueued = fmt.Errorf("more than %d prompts are waiting in this session; wait for one to end, or cancel", maxQueued)
)

// maxQueued bounds the prompts that wait in one session.
const maxQueued = 64

// maxTitle is how long a title made of a prompt may be, in runes.
const maxTitle = 80

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
	sealed bool // the turn has ended; guarded by recMu

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

func (t *Turn) emit(e Event, k keep) {
	t.s.recMu.Lock()
	defer t.s.recMu.Unlock()
	if !t.sealed {
		t.s.emit(e, k)
	}
}

// Cancel ends the turn as cancelled, as a user's cancelled answer does.
func (t *Turn) Cancel() { t.cancel(errCancelled) }

// finish tells the outcome.
func (t *Turn) finish(reason StopReason, err error) {
	t.unlink()
	t.cancel(errCancelled)
	t.done(reason, err)
}

// turnQueue holds a session's prompts: the first one runs, the others wait.
type turnQueue struct {
	mu      sync.Mutex
	running *Turn
	waiting []*Turn
	gone    bool // closed: takes no more
	// work counts the worker and the drivers.
	work sync.WaitGroup
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
	t := &Turn{s: s, id: s.hub.c.NewID(), blocks: blocks, done: done}
	t.ctx, t.cancel = context.WithCancelCause(context.WithoutCancel(ctx))
	t.unlink = context.AfterFunc(ctx, func() { s.queue.cancelTurn(t, context.Cause(ctx)) })
	if err := s.queue.add(t); err != nil {
		t.finish(StopCancelled, err)
	}
}

// Cancel ends the running turn and all queued prompts; it waits for nothing.
// Without a turn it does nothing.
func (s *Session) Cancel() { s.queue.cancelAll(errCancelled) }

// add appends t and starts the worker where none runs.
func (q *turnQueue) add(t *Turn) error {
	q.mu.Lock()
	defer q.mu.Unlock()
	switch {
	case q.gone:
		return fmt.Errorf("session %s: %w", t.s.id, ErrClosed)
	case len(q.waiting) >= maxQueued:
		return errManyQueued
	case q.running != nil:
		q.waiting = append(q.waiting, t)
		return nil
	}
	q.running = t
	q.work.Go(func() { q.run(t) })
	return nil
}

// enter registers work that is no turn; leave ends it.
func (q *turnQueue) enter() (leave func(), err error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.gone {
		return nil, ErrClosed
	}
	q.work.Add(1)
	return q.work.Done, nil
}

// run runs t and then whatever waits.
func (q *turnQueue) run(t *Turn) {
	for t != nil {
		s := t.s
		reason, err := s.runTurn(t)
		t.finish(reason, err)
		var unused []io.Closer
		t, unused = q.next(s)
		s.closeDrivers(unused)
	}
}

// next makes the first waiting turn the running one. It also returns the
// drivers that no turn uses any more: now, none runs.
func (q *turnQueue) next(s *Session) (t *Turn, unused []io.Closer) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.running = nil
	if len(q.waiting) > 0 {
		q.running = q.waiting[0]
		q.waiting = slices.Delete(q.waiting, 0, 1)
	}
	return q.running, s.takeRetired()
}

// unused returns the drivers that no turn uses any more, none while one runs.
func (q *turnQueue) unused(s *Session) []io.Closer {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.running != nil {
		return nil
	}
	return s.takeRetired()
}

// cancelAll cancels the running turn and drops the others.
func (q *turnQueue) cancelAll(cause error) {
	q.mu.Lock()
	running, waiting := q.running, q.waiting
	q.waiting = nil
	q.mu.Unlock()
	if running != nil {
		running.cancel(cause)
	}
	for _, t := range waiting {
		t.finish(StopCancelled, nil)
	}
}

// cancelTurn cancels one turn, or drops it when it waits.
func (q *turnQueue) cancelTurn(t *Turn, cause error) {
	q.mu.Lock()
	i := slices.Index(q.waiting, t)
	if i >= 0 {
		q.waiting = slices.Delete(q.waiting, i, i+1)
	}
	q.mu.Unlock()
	if i >= 0 {
		t.finish(StopCancelled, nil)
		return
	}
	t.cancel(cause)
}

// close cancels all turns, takes no more, and waits for what runs.
func (q *turnQueue) close() {
	q.mu.Lock()
	q.gone = true
	q.mu.Unlock()
	q.cancelAll(errClosing)
	q.work.Wait()
}

// outcome is what a driver returned.
type outcome struct {
	reason StopReason
	err    error
}

// runTurn opens the turn, lets the driver run and closes the turn.
func (s *Session) runTurn(t *Turn) (StopReason, error) {
	s.hub.repeats.Reset(s.id)
	t.Record(TurnStarted{Turn: t.id})
	if title := s.firstTitle(t.blocks); title != "" {
		t.Record(TitleChanged{Title: title})
	}
	t.Record(UserMessage{MessageID: s.hub.c.NewID(), Blocks: t.blocks})
	out := s.drive(t)
	if t.ctx.Err() != nil {
		out = outcome{reason: StopCancelled}
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
		ended.Reason, ended.Error = "", out.err.Error()
	}
	s.recMu.Lock()
	defer s.recMu.Unlock()
	for _, e := range s.closingEvents(text) {
		s.emit(e, logged)
	}
	s.emit(ended, logged)
	t.sealed = true
}

// firstTitle is the title that a session without one gets of its first
// prompt: the first line, or what the prompt refers to.
func (s *Session) firstTitle(blocks []presentation.Block) string {
	s.mu.Lock()
	has := s.state.title != ""
	s.mu.Unlock()
	if has {
		return ""
	}
	for line := range strings.Lines(PromptText(blocks)) {
		if line = strings.Join(strings.Fields(line), " "); line != "" {
			return cutTitle(line)
		}
	}
	for _, b := range blocks {
		if name := first(b.Name, b.URI); name != "" {
			return cutTitle(name)
		}
	}
	return ""
}

// cutTitle shortens a title to maxTitle runes.
func cutTitle(s string) string {
	if utf8.RuneCountInString(s) <= maxTitle {
		return s
	}
	return string([]rune(s)[:maxTitle-1]) + "…"
}
