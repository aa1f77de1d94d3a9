package tools

import (
	"context"
	"encoding/json"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/agent-ls/agent-ls/presentation"
)

// Decision is the answer of a pre-execute listener (seed 002
// PreToolDecision).
type Decision struct {
	Kind DecisionKind
	// Reason is for the model and the user; a denial without one says that
	// the execution was blocked.
	Reason string
	// Terminate lets a denied call ask to end the run (seed 001
	// beforeToolCall, tools.md §2.2.5).
	Terminate bool
	// Discreet says of an ask that the model may not know yet what the call
	// touches: a dry run that fails before the answer tells nothing of it.
	Discreet bool
}

// DecisionKind is allow, deny or ask; empty is allow.
type DecisionKind string

// The decisions.
const (
	Allow DecisionKind = "allow"
	Deny  DecisionKind = "deny"
	Ask   DecisionKind = "ask"
)

// PreListener inspects a call; next asks the listeners after it.
type PreListener func(ctx context.Context, x Execution, next func() (Decision, error)) (Decision, error)

// PostDecision is the answer of a post-execute listener. Block turns the call
// into an error whose content is Content; else a non-nil Content replaces the
// result's.
type PostDecision struct {
	Block   bool
	Content []presentation.Block
	// Context is said to the model after all results of the step.
	Context []HookContext
	// Replace replaces further fields of the result of a call that is not
	// blocked.
	Replace *Replacement
}

// Replacement replaces fields of a result wholly, without merging; a nil field
// keeps what the result has (seed 001 afterToolCall, tools.md §2.2.9).
type Replacement struct {
	Content   []presentation.Block
	Details   json.RawMessage
	IsError   *bool
	Usage     *Usage
	Terminate *bool
}

// PostListener inspects a result; next asks the listeners after it. A listener
// that calls next and answers something else must carry over what it wants to
// keep of the answer.
type PostListener func(ctx context.Context, x Execution, r Result, next func() (PostDecision, error)) (PostDecision, error)

// ExecuteResult is what an execute wrapper returns: the result of the call it
// was given.
type ExecuteResult struct {
	CallID string
	Result Result
}

// Wrapper runs around the dispatch; it may replace the context given to next
// or not call next at all. A wrapper whose inner wrapper failed gets an error
// result from next, and cannot undo the failure.
type Wrapper func(ctx context.Context, x Execution, next func(context.Context) ExecuteResult) (ExecuteResult, error)

// Guard is a last, synchronous veto: a reason denies, "" changes nothing. An
// error or a panic fails the call, so a broken guard never lets one through.
type Guard func(x Execution) (reason string, err error)

// Observer sees the final outcome; it cannot change it and must not block.
type Observer func(x Execution, r Result)

// seam is an ordered list of listeners, read without a lock. The same function
// may be in it more than once; each entry is its own.
type seam[L any] struct {
	mu   sync.Mutex
	list atomic.Pointer[[]*L]
}

// add appends l; dispose removes just this entry, and may be called again.
func (s *seam[L]) add(l L) (dispose func()) {
	entry := &l
	s.mu.Lock()
	defer s.mu.Unlock()
	s.store(append(slices.Clone(s.all()), entry))
	return func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.store(slices.DeleteFunc(slices.Clone(s.all()), func(e *L) bool { return e == entry }))
	}
}

func (s *seam[L]) store(entries []*L) { s.list.Store(&entries) }

// all returns the entries there are now; the slice is never changed.
func (s *seam[L]) all() []*L {
	if p := s.list.Load(); p != nil {
		return *p
	}
	return nil
}
