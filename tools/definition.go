package tools

import (
	"bytes"
	"context"
	"encoding/json"
	"time"

	"github.com/agent-ls/agent-ls/presentation"
	"github.com/agent-ls/agent-ls/tools/schema"
)

// ExecutionMode says whether a tool may run beside others (seed 001).
type ExecutionMode string

// The execution modes; empty is Parallel.
const (
	Parallel   ExecutionMode = "parallel"
	Sequential ExecutionMode = "sequential"
)

// Source says where a tool comes from.
type Source string

// The sources of tools.
const (
	SourceBuiltin  Source = "builtin"
	SourceDeclared Source = "declared"
	SourceMCP      Source = "mcp"
)

// Definition is one tool. Only Name, Description and Parameters ever reach a
// model. Arguments are JSON text that the pipeline has parsed, prepared and
// validated; no callback may change or keep them.
type Definition struct {
	Name        string
	Description string
	Parameters  *schema.Schema
	// Label is the human-readable name, the title of a call that PresentCall
	// gives none (seed 001).
	Label string
	// Strict asks providers for strict calling when the schema allows it
	// (seed 000 §3.2).
	Strict bool
	// Timeout is the cooperative deadline (seed 002 timeoutMs); 0 means none.
	// Declaring one promises that Execute returns soon after its context ended.
	Timeout time.Duration
	// Abandonable says that Execute may fail to do so: then the pipeline gives
	// up on it a grace after its context ended, and drops its late result
	// (tools.md §3.5.6, our addition).
	Abandonable bool
	Mode        ExecutionMode
	Source      Source
	// AppliesDefaults puts the schema's defaults into missing fields before
	// Execute (seed 000 §1.1.4b).
	AppliesDefaults bool

	// Prepare is seed 001's prepareArguments: it may rewrite other spellings
	// of the arguments before they are validated. It must be pure.
	Prepare func(args json.RawMessage) (json.RawMessage, error)
	// Access says what a call touches. nil counts as the row "declared or MCP
	// tool" of contract §3; an empty answer needs no permission.
	Access func(args json.RawMessage) []Access
	// Plan is a dry run before permission is asked. Execute finds it in its
	// Context and applies exactly it.
	Plan func(ctx context.Context, args json.RawMessage, tc *Context) (*Plan, error)
	// Execute runs the call. A returned error is a failed call.
	Execute func(ctx context.Context, args json.RawMessage, tc *Context) (Result, error)
	// PresentCall and PresentResult give the cards; nil or a nil answer falls
	// back to a generic one. They are pure.
	PresentCall   func(args json.RawMessage) presentation.CallView
	PresentResult func(args json.RawMessage, r Result) presentation.ResultView

	// decodes says whether typed callbacks can take the arguments; see Define.
	decodes func(args json.RawMessage) error
}

// AccessOf returns what a call of x touches; declared means that nobody knows,
// so the call counts as the row "declared or MCP tool" of contract §3. Also a
// tool that does not exist, or whose Access panics, is declared.
func AccessOf(x Execution) (access []Access, declared bool) {
	if x.Definition == nil || x.Definition.Access == nil {
		return nil, true
	}
	defer func() {
		if recover() != nil {
			access, declared = nil, true
		}
	}()
	return x.Definition.Access(bytes.Clone(x.Arguments)), false
}

// AccessKind is what a call does to something.
type AccessKind string

// The kinds of access of contract §3.
const (
	AccessRead    AccessKind = "read"
	AccessEdit    AccessKind = "edit"
	AccessExecute AccessKind = "execute"
	AccessFetch   AccessKind = "fetch"
)

// Access is one thing that a call touches.
type Access struct {
	Kind    AccessKind
	Path    string // read, edit: as in the arguments
	Command string // execute: the whole line
	Dir     string // execute: the working folder as in the arguments
	URL     string // fetch
}

// Plan is what a dry run found.
type Plan struct {
	// View is the card with the diff, sent before permission is asked.
	View presentation.CallView
	// Value is the tool's own, given back to Execute.
	Value any
}
