package agent

import (
	"fmt"
	"io"
	"slices"
	"sync"
)

// maxQueued bounds the prompts that wait in one session.
const maxQueued = 64

var errManyQueued = fmt.Errorf("more than %d prompts are waiting in this session; wait for one to end, or cancel", maxQueued)

// turnQueue holds a session's prompts: the first one runs, the others wait.
type turnQueue struct {
	mu      sync.Mutex
	running *Turn
	waiting []*Turn
	gone    bool // closed: takes no more
	// work counts the worker and the drivers.
	work sync.WaitGroup
}

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
