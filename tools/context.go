package tools

import (
	"context"
	"encoding/json"
	"log/slog"
	"time"

	"github.com/agent-ls/agent-ls/presentation"
)

// Token identifies one execution; only comparison means anything. The zero
// Token is none.
type Token struct{ p *token }

// token is not of zero size, so that two of them never share an address.
type token struct{ _ byte }

// Context is what a call may use of the world (seed 000 ToolContext).
type Context struct {
	CallID string
	Tool   string
	Token  Token
	Parent Token
	// Session owns the call: background tasks and caches are fenced by it.
	Session string
	Cwd     string
	Roots   []string
	Logger  *slog.Logger
	Now     func() time.Time
	// App is the application's own context (seed 001 toolContext).
	App any
	// Planned is what Plan returned for this call, nil without one.
	Planned *Plan
	// Metadata is the session's (seed 000 SessionState.meta).
	Metadata Metadata

	deps *scope
	emit func(Update)
}

// Metadata is small state that belongs to a session and is restored with it.
type Metadata interface {
	Get(key string) json.RawMessage
	// Set stores value; nil removes the key.
	Set(key string, value json.RawMessage) error
}

// Update is what a running call may tell: Output, Progress, PlanChange,
// TerminalAttached.
type Update interface{ update() }

// Output is new terminal output, valid UTF-8, with its ANSI sequences.
type Output struct{ Text string }

// Progress replaces what a generic card shows while the call runs (seed 001
// onUpdate).
type Progress struct {
	Content []presentation.Block
	Details json.RawMessage
}

// PlanChange replaces the session's plan.
type PlanChange struct{ Entries []presentation.PlanEntry }

// TerminalAttached says that a client's terminal shows the call's output.
type TerminalAttached struct{ TerminalID string }

func (Output) update()           {}
func (Progress) update()         {}
func (PlanChange) update()       {}
func (TerminalAttached) update() {}

// Emit sends an update; after the call has settled it does nothing. It never
// blocks on a slow front end.
func (c *Context) Emit(u Update) { panic("stub") }

// Key names a dependency and how to make it (seed 000 §4).
type Key[T any] struct {
	ID     string
	Create func(ctx context.Context, c *Context) (T, error)
	// PerRun keeps the value for all calls of one run instead of one call.
	PerRun bool
}

// Resolve returns the dependency: an override with the key's id, else what
// Create makes, at most once per call (or run) however many ask at once. A
// cycle is an error; a failed Create is not remembered.
func Resolve[T any](ctx context.Context, c *Context, k *Key[T]) (T, error) { panic("stub") }

// Overrides replace dependencies by id.
type Overrides map[string]func(ctx context.Context, c *Context) (any, error)

// Override adds an override that yields v.
func Override[T any](o Overrides, k *Key[T], v T) {
	o[k.ID] = func(context.Context, *Context) (any, error) { return v, nil }
}
