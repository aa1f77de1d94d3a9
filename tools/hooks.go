package tools

import (
	"context"
)

// Blocked is what a BeforeToolCall hook answers to stop a call.
type Blocked struct {
	// Reason is for the model; "" says that the execution was blocked.
	Reason string
	// Terminate asks to end the run.
	Terminate bool
}

// BeforeToolCall is seed 001's beforeToolCall hook: nil lets the call go on,
// an error fails it. Arguments are a copy; to change them is Prepare's part.
type BeforeToolCall func(ctx context.Context, x Execution) (*Blocked, error)

// Listener returns the hook as a pre-execute listener. It comes before the
// listeners after it: what it blocks, they do not see.
func (h BeforeToolCall) Listener() PreListener {
	return func(ctx context.Context, x Execution, next func() (Decision, error)) (Decision, error) {
		b, err := h(ctx, x)
		if err != nil {
			return Decision{}, err
		}
		if b != nil {
			return Decision{Kind: Deny, Reason: b.Reason, Terminate: b.Terminate}, nil
		}
		return next()
	}
}

// AfterToolCall is seed 001's afterToolCall hook: each field of its answer
// replaces that of the result wholly, nil keeps all; an error fails the call.
type AfterToolCall func(ctx context.Context, x Execution, r Result) (*Replacement, error)

// Listener returns the hook as a post-execute listener. It runs for executed
// calls only, not for blocked or invalid ones (tools.md §2.2.9), and sees the
// result as the listeners after it leave it; one that they blocked stays as
// it is.
func (h AfterToolCall) Listener() PostListener {
	return func(ctx context.Context, x Execution, r Result, next func() (PostDecision, error)) (PostDecision, error) {
		d, err := next()
		if err != nil || d.Block || !x.Dispatched {
			return d, err
		}
		changed, err := h(ctx, x, d.apply(r))
		if err != nil {
			return PostDecision{}, err
		}
		d.Replace = d.Replace.with(changed)
		return d, nil
	}
}

// with returns a replacement that does what r does, then what over does.
func (r *Replacement) with(over *Replacement) *Replacement {
	if r == nil || over == nil {
		if over == nil {
			return r
		}
		return over
	}
	both := *r
	if over.Content != nil {
		both.Content = over.Content
	}
	if over.Details != nil {
		both.Details = over.Details
	}
	if over.IsError != nil {
		both.IsError = over.IsError
	}
	if over.Usage != nil {
		both.Usage = over.Usage
	}
	if over.Terminate != nil {
		both.Terminate = over.Terminate
	}
	return &both
}
