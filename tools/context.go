package tools

import (
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

func newToken() Token { return Token{new(token)} }

// Context is what a call may use of the world (seed 000 ToolContext). It is
// valid for the time of the call and safe for concurrent use.
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

	deps *scopes
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
type Output struct {
	// Dropped counts the bytes left out before Text because the front end was
	// too slow for them.
	Dropped int
	Text    string
}

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

// Emit sends an update; before the tool runs and after the call has settled it
// does nothing. It never blocks on a slow front end: see Output.Dropped.
func (c *Context) Emit(u Update) {
	if c.emit != nil && u != nil {
		c.emit(u)
	}
}
