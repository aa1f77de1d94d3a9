package tools

import "github.com/agent-ls/agent-ls/tools/schema"

// Registry holds tools in layers: global, and one per scope, which shadows it
// (tools.md §3.1).
type Registry struct{}

// NewRegistry returns an empty registry.
func NewRegistry() *Registry { panic("stub") }

// Scope is one session's layer. Disposing it leaves nothing behind.
type Scope struct{}

// NewScope returns a new layer.
func (r *Registry) NewScope() *Scope { panic("stub") }

// Dispose removes the scope with its tools and restrictions.
func (s *Scope) Dispose() { panic("stub") }

// Register adds a tool to the global layer.
func (r *Registry) Register(d *Definition) (dispose func(), err error) { panic("stub") }

// RegisterScoped adds a tool to a scope; it shadows a global one.
func (r *Registry) RegisterScoped(s *Scope, d *Definition) (dispose func(), err error) {
	panic("stub")
}

// Restriction filters the global layer for one scope; several intersect.
type Restriction struct {
	Allow []string
	Deny  []string
}

// Restrict adds a restriction to s.
func (r *Registry) Restrict(s *Scope, f Restriction) (lift func(), err error) { panic("stub") }

// OnChange is told of every change; an error of fn rolls a registration back.
func (r *Registry) OnChange(fn func() error) (dispose func()) { panic("stub") }

// Get returns the tool that s sees under name. A nil scope sees the global
// layer.
func (r *Registry) Get(s *Scope, name string) (*Definition, bool) { panic("stub") }

// List returns all tools that s sees, sorted by name.
func (r *Registry) List(s *Scope) []*Definition { panic("stub") }

// ToolSchema is the model-facing projection, and nothing more.
type ToolSchema struct {
	Name        string         `json:"name"`
	Description string         `json:"description"`
	Parameters  *schema.Schema `json:"parameters"`
}

// Schemas returns the projection of what s sees, sorted by name.
func (r *Registry) Schemas(s *Scope) []ToolSchema { panic("stub") }
