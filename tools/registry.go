package tools

import (
	"fmt"
	"maps"
	"slices"
	"sync"

	"github.com/agent-ls/agent-ls/tools/schema"
)

// Registry holds tools in layers: global, and one per scope, which shadows it
// (tools.md §3.1).
type Registry struct {
	mu        sync.RWMutex
	global    layer
	listeners seam[func() error]
}

// layer maps names to registrations. A registration's address is its
// identity: a disposer removes only its own.
type layer map[string]*registration

type registration struct{ definition *Definition }

// NewRegistry returns an empty registry.
func NewRegistry() *Registry { return &Registry{global: layer{}} }

// Scope is one session's layer. Disposing it leaves nothing behind.
type Scope struct {
	registry *Registry
	// The rest is guarded by registry.mu.
	own          layer
	restrictions []*compiledRestriction
	disposed     bool
}

// NewScope returns a new layer.
func (r *Registry) NewScope() *Scope { return &Scope{registry: r, own: layer{}} }

// Dispose removes the scope with its tools and restrictions; from then on it
// sees no tool at all. It may be called again.
func (s *Scope) Dispose() {
	s.registry.mu.Lock()
	was := s.disposed
	s.disposed = true
	s.own = layer{}
	s.restrictions = nil
	s.registry.mu.Unlock()
	if !was {
		s.registry.changed()
	}
}

// Register adds a tool to the global layer. A second tool of the same name is
// an error, and so is what Definition forbids; dispose may be called again.
func (r *Registry) Register(d *Definition) (dispose func(), err error) {
	return r.register(nil, d)
}

// RegisterScoped adds a tool to a scope; it shadows a global one, whichever
// was first.
func (r *Registry) RegisterScoped(s *Scope, d *Definition) (dispose func(), err error) {
	if s == nil {
		return nil, fmt.Errorf("a scoped tool needs a scope; register it globally instead")
	}
	return r.register(s, d)
}

func (r *Registry) register(s *Scope, d *Definition) (dispose func(), err error) {
	if err := d.check(); err != nil {
		return nil, err
	}
	entry := &registration{d}
	if err := r.insert(s, entry); err != nil {
		return nil, err
	}
	remove := func() bool { return r.remove(s, entry) }
	if err := r.announce(func() { remove() }); err != nil {
		return nil, fmt.Errorf("registration of tool %q undone: %w", d.Name, err)
	}
	return func() {
		if remove() {
			r.changed()
		}
	}, nil
}

func (r *Registry) insert(s *Scope, e *registration) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	name := e.definition.Name
	in, where := r.global, "; register it in a session's scope to shadow it there"
	if s != nil {
		if s.disposed {
			return fmt.Errorf("tool %q: the scope is disposed", name)
		}
		in, where = s.own, " in this scope"
	}
	if _, taken := in[name]; taken {
		return fmt.Errorf("tool %q is already registered%s", name, where)
	}
	in[name] = e
	return nil
}

// remove reports whether e was still there.
func (r *Registry) remove(s *Scope, e *registration) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	in := r.global
	if s != nil {
		in = s.own
	}
	if in[e.definition.Name] != e {
		return false
	}
	delete(in, e.definition.Name)
	return true
}

// OnChange is told of every change; an error (or panic) of fn rolls a
// registration or a restriction back. A removal cannot be rolled back: then
// the error is ignored. fn may read the registry.
func (r *Registry) OnChange(fn func() error) (dispose func()) { return r.listeners.add(fn) }

// announce tells the listeners of a change. When one refuses, the change is
// undone, and those that have seen it are told once more.
func (r *Registry) announce(undo func()) error {
	all := r.listeners.all()
	for i, l := range all {
		if err := notify(*l); err != nil {
			undo()
			for _, seen := range all[:i] {
				_ = notify(*seen)
			}
			return err
		}
	}
	return nil
}

// changed tells the listeners of a change that cannot be undone.
func (r *Registry) changed() {
	for _, l := range r.listeners.all() {
		_ = notify(*l)
	}
}

func notify(fn func() error) (err error) {
	defer func() {
		if v := recover(); v != nil {
			err = fmt.Errorf("change listener panicked: %s", panicText(v))
		}
	}()
	return fn()
}

// Get returns the tool that s sees under name. A nil scope sees the global
// layer.
func (r *Registry) Get(s *Scope, name string) (*Definition, bool) {
	r.mu.RLock()
	defer r.mu.RUnlock()
	if s == nil {
		e, ok := r.global[name]
		return e.get(), ok
	}
	if e, ok := s.own[name]; ok {
		return e.definition, true
	}
	if e, ok := r.global[name]; ok && s.admits(name) {
		return e.definition, true
	}
	return nil, false
}

func (e *registration) get() *Definition {
	if e == nil {
		return nil
	}
	return e.definition
}

// List returns all tools that s sees, sorted by name.
func (r *Registry) List(s *Scope) []*Definition {
	r.mu.RLock()
	seen := map[string]*Definition{}
	for name, e := range r.global {
		if s == nil || s.admits(name) {
			seen[name] = e.definition
		}
	}
	if s != nil {
		for name, e := range s.own {
			seen[name] = e.definition
		}
	}
	r.mu.RUnlock()
	list := make([]*Definition, 0, len(seen))
	for _, name := range slices.Sorted(maps.Keys(seen)) {
		list = append(list, seen[name])
	}
	return list
}

// ToolSchema is the model-facing projection, and nothing more.
type ToolSchema struct {
	Name        string         `json:"name"`
	Description string         `json:"description"`
	Parameters  *schema.Schema `json:"parameters"`
}

// Schemas returns the projection of what s sees, sorted by name, so that the
// text a provider caches stays the same. The caller owns it. A tool without
// Parameters takes any object.
func (r *Registry) Schemas(s *Scope) []ToolSchema {
	list := r.List(s)
	out := make([]ToolSchema, len(list))
	for i, d := range list {
		out[i] = ToolSchema{Name: d.Name, Description: d.Description, Parameters: cloneSchema(d.Parameters)}
	}
	return out
}

// DeclaredName says whether a tool that a session declares may have the name:
// an ASCII letter, then letters, digits, "_", "." and "-" (seed 003; tools.md
// §4.1.2).
func DeclaredName(name string) bool {
	for i := range len(name) {
		c := name[i]
		letter := c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
		if !letter && (i == 0 || !(c >= '0' && c <= '9' || c == '_' || c == '.' || c == '-')) {
			return false
		}
	}
	return name != ""
}

// check refuses what no registry takes.
func (d *Definition) check() error {
	switch {
	case d == nil:
		return fmt.Errorf("tool definition is nil")
	case d.Name == "":
		return fmt.Errorf("tool name must not be empty")
	case d.Source == SourceDeclared && !DeclaredName(d.Name):
		return fmt.Errorf("tool name is invalid: %q; a declared tool's name begins with a letter and has only letters, digits, _ . -", d.Name)
	case d.Execute == nil:
		return fmt.Errorf("tool %q has no Execute", d.Name)
	case d.Timeout < 0:
		return fmt.Errorf("tool %q timeoutMs must be a positive finite number", d.Name)
	case d.Mode != "" && d.Mode != Parallel && d.Mode != Sequential:
		return fmt.Errorf("tool %q: unknown execution mode %q", d.Name, d.Mode)
	}
	return nil
}

// cloneSchema returns a schema that shares nothing with s, so that nobody can
// change what calls are validated against.
func cloneSchema(s *schema.Schema) *schema.Schema {
	if s == nil {
		s = anyObject
	}
	data, err := s.MarshalJSON()
	if err != nil {
		return s
	}
	c, _, err := schema.ParseForeign(data)
	if err != nil {
		return s
	}
	return c
}
