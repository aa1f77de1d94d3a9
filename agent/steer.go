package agent

import (
	"context"
	"sync"

	"github.com/agent-ls/agent-ls/presentation"
)

// steering are prompts for a turn that runs: the model gets them with its next
// request, behind the results of the step that runs (tools.md §2.3.9).
type steering struct {
	mu      sync.Mutex
	taking  bool
	waiting [][]presentation.Block
}

// open lets prompts in.
func (s *steering) open() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.taking = true
}

// add reports whether the turn takes the prompt.
func (s *steering) add(blocks []presentation.Block) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.taking || len(s.waiting) >= maxQueued {
		return false
	}
	s.waiting = append(s.waiting, blocks)
	return true
}

// take gives the prompts that wait to fn, in order.
func (s *steering) take(fn func([]presentation.Block)) {
	s.mu.Lock()
	waiting := s.waiting
	s.waiting = nil
	s.mu.Unlock()
	for _, blocks := range waiting {
		fn(blocks)
	}
}

// end closes the turn to prompts, unless one waits.
func (s *steering) end() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.taking = len(s.waiting) > 0
	return !s.taking
}

// close closes the turn to prompts and returns those that wait.
func (s *steering) close() [][]presentation.Block {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.taking = false
	return s.waiting
}

// passOn makes turns of their own of the prompts that a turn took and did not
// come to, unless it was cancelled: then they are, as queued ones.
func (t *Turn) passOn() {
	left := t.steering.close()
	if t.ctx.Err() != nil {
		return
	}
	for _, blocks := range left {
		t.s.Submit(context.WithoutCancel(t.ctx), blocks, func(StopReason, error) {})
	}
}

// Steer gives a prompt to the turn that runs, which goes on with it; false when
// none runs that takes it, and then nothing has happened.
func (s *Session) Steer(blocks []presentation.Block) bool {
	s.queue.mu.Lock()
	running := s.queue.running
	s.queue.mu.Unlock()
	return running != nil && running.steering.add(blocks)
}
