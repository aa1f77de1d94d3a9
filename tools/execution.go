package tools

import (
	"bytes"
	"context"
	"encoding/json"
	"log/slog"
	"sync"
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
	Token   Token
	Parent  Token
	CallID  string
	Name    string
	Session string
	// App is the application's own context, Run.App.
	App any
	// Arguments are prepared and valid JSON; the raw text as a JSON string
	// when it could not be read (tools.md §3.14.10).
	Arguments json.RawMessage
	// Definition is what runs; nil for an unknown tool.
	Definition *Definition
	// Dispatched says that the call got past every veto, so that a result
	// comes from a wrapper or the tool; post-execute listeners see it.
	Dispatched bool

	// faulty says that the arguments are not what the tool takes, so that its
	// presenters are not asked.
	faulty bool
}

// copy returns x with arguments of its own.
func (x Execution) copy() Execution {
	x.Arguments = bytes.Clone(x.Arguments)
	return x
}

// Events is told how a call goes, in this order: Started, then Planned at
// most once, then Running when the tool is about to run, Updated any number
// of times, Finished. Every Started has its Finished. Methods of one call are
// never called at the same time. A panic of one is logged and changes nothing.
// Executions and results are copies; views are shared, and nobody changes them.
type Events interface {
	// mayAsk says that permission may be asked, so the card starts pending.
	Started(x Execution, view presentation.CallView, mayAsk bool)
	Planned(x Execution, view presentation.CallView)
	Running(x Execution)
	Updated(x Execution, u Update)
	Finished(x Execution, r Result, view presentation.ResultView)
}

// Approval is the closed set of outcomes of an ask.
type Approval string

// The outcomes (tools.md §3.6). Only AllowedOnce lets the call go on.
const (
	AllowedOnce Approval = "allowed-once"
	Rejected    Approval = "rejected"
	Cancelled   Approval = "cancelled"
	Unavailable Approval = "unavailable"
)

// Approver answers asks. view is the card as announced or planned. Approve
// returns soon after ctx has ended; what it says then does not count, the
// outcome is Cancelled. A panic counts as Unavailable.
type Approver interface {
	Approve(ctx context.Context, x Execution, reason string, view presentation.CallView) Approval
}

// Run is what the calls of one agent run share. It is not changed or copied
// once a call has used it.
type Run struct {
	// Session owns the calls; without one no ask can be routed (tools.md
	// §3.4.6).
	Session  string
	Cwd      string
	Roots    []string
	App      any
	Logger   *slog.Logger     // nil: nothing is logged
	Now      func() time.Time // nil: time.Now
	Metadata Metadata
	Deps     Overrides
	Approver Approver // nil: every ask is denied
	Events   Events   // nil: nobody is told
	// MayAsk says for Events.Started whether permission may be asked for a
	// call. nil: when there is an Approver, and the call touches something or
	// nobody knows what.
	MayAsk func(x Execution) bool

	once   sync.Once
	values *scope
}

// scope returns the dependencies that live as long as the run.
func (r *Run) scope() *scope {
	r.once.Do(func() { r.values = newScope() })
	return r.values
}

// discard is the logger of those who have none.
var discard = slog.New(slog.DiscardHandler)

func (r *Run) logger() *slog.Logger {
	if r.Logger == nil {
		return discard
	}
	return r.Logger
}

func (r *Run) clock() func() time.Time {
	if r.Now == nil {
		return time.Now
	}
	return r.Now
}
