package tools

import (
	"context"
	"encoding/json"
	"log/slog"
	"time"

	"github.com/agent-ls/agent-ls/presentation"
)

// Call is one call as a model made it. Arguments are its raw text; "" counts
// as {}.
type Call struct {
	ID        string
	Name      string
	Arguments string
	Parent    Token
}

// Execution is a call in the pipeline: what listeners get. Each listener gets
// its own copy of Arguments.
type Execution struct {
	Token     Token
	Parent    Token
	CallID    string
	Name      string
	Session   string
	Arguments json.RawMessage
	// Definition is what runs; nil for an unknown tool.
	Definition *Definition
}

// Events is told how a call goes, in this order: Started, then Planned at
// most once, then Running when the tool is about to run, Updated any number
// of times, Finished. Every Started has its Finished. Methods of one call are
// never called at the same time.
type Events interface {
	// mayAsk says that permission may be asked, so the card starts pending.
	Started(x Execution, view presentation.CallView, mayAsk bool)
	Planned(x Execution, view presentation.CallView)
	Running(x Execution)
	Updated(x Execution, u Update)
	Finished(x Execution, r Result, view presentation.ResultView)
}

// Decision is the answer of a pre-execute listener (seed 002
// PreToolDecision).
type Decision struct {
	Kind   DecisionKind
	Reason string
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
}

// PostListener inspects a result; next asks the listeners after it.
type PostListener func(ctx context.Context, x Execution, r Result, next func() (PostDecision, error)) (PostDecision, error)

// ExecuteResult is what an execute wrapper returns: the result of the call it
// was given.
type ExecuteResult struct {
	CallID string
	Result Result
}

// Wrapper runs around the dispatch; it may replace the context given to next
// or not call next at all.
type Wrapper func(ctx context.Context, x Execution, next func(context.Context) ExecuteResult) (ExecuteResult, error)

// Guard is a last, synchronous veto: a reason denies, "" changes nothing.
type Guard func(x Execution) (reason string, err error)

// Observer sees the final outcome; it cannot change it and must not block.
type Observer func(x Execution, r Result)

// Approval is the closed set of outcomes of an ask.
type Approval string

// The outcomes (tools.md §3.6).
const (
	AllowedOnce Approval = "allowed-once"
	Rejected    Approval = "rejected"
	Cancelled   Approval = "cancelled"
	Unavailable Approval = "unavailable"
)

// Approver answers asks. view is the card as announced or planned.
type Approver interface {
	Approve(ctx context.Context, x Execution, reason string, view presentation.CallView) Approval
}

// Run is what the calls of one agent run share.
type Run struct {
	Session  string
	Cwd      string
	Roots    []string
	App      any
	Logger   *slog.Logger
	Now      func() time.Time
	Metadata Metadata
	Deps     Overrides
	Approver Approver // nil: every ask is denied
	Events   Events   // nil: nobody is told

	deps *scope
}

// Pipeline runs calls through every seam: snapshot → pre-execute → plan →
// approval → guards → wrappers → tool → post-execute → observers.
type Pipeline struct{}

// NewPipeline returns a pipeline over the tools that scope sees in r.
func NewPipeline(r *Registry, scope *Scope) *Pipeline { panic("stub") }

// The seams. Each returns a disposer.

// OnPreExecute adds a listener after those there are.
func (p *Pipeline) OnPreExecute(l PreListener) (dispose func()) { panic("stub") }

// OnPostExecute adds a listener.
func (p *Pipeline) OnPostExecute(l PostListener) (dispose func()) { panic("stub") }

// AddWrapper adds a wrapper inside those there are.
func (p *Pipeline) AddWrapper(w Wrapper) (dispose func()) { panic("stub") }

// AddGuard adds a guard.
func (p *Pipeline) AddGuard(g Guard) (dispose func()) { panic("stub") }

// OnResult adds an observer.
func (p *Pipeline) OnResult(o Observer) (dispose func()) { panic("stub") }

// ExecuteRaw runs one call; it is the one way in. Every failure is a Result.
func (p *Pipeline) ExecuteRaw(ctx context.Context, run *Run, c Call) Result { panic("stub") }

// BatchOptions bound a batch.
type BatchOptions struct {
	// Parallel is the size of the pool, 8 when 0; 1 runs one after another.
	Parallel int
	// Truncated says that the model's message was cut off by its output
	// limit: no call runs, each gets an error result.
	Truncated bool
}

// ExecuteBatch runs the calls of one assistant message: preparation and
// approval in source order, bodies in a pool with exclusive tools as
// barriers, results in source order, one for every call. terminate is set
// when every result asked for it.
func (p *Pipeline) ExecuteBatch(ctx context.Context, run *Run, calls []Call, o BatchOptions) (results []Result, terminate bool) {
	panic("stub")
}

// Present gives the pending card of a call as the pipeline would announce it,
// for replay and for front ends that show a call before it runs.
func (p *Pipeline) Present(c Call) (x Execution, view presentation.CallView) { panic("stub") }
