package agent

import (
	"fmt"
	"slices"
	"sync"

	"github.com/agent-ls/agent-ls/tools"
)

// toolList is what a session's model sees, as of a version of the registry.
type toolList struct {
	known   bool
	version int64
	list    []tools.ToolSchema
}

// Scope returns the session's own layer of tools, for restrictions. Use
// AddTool to add tools.
func (s *Session) Scope() *tools.Scope { return s.scope }

// Tools returns what the session's model sees, sorted by name. The caller owns
// the slice; nobody may change the schemas.
func (s *Session) Tools() []tools.ToolSchema {
	// A change between the two reads makes the list newer than its version,
	// and it is read once more next time.
	version := s.hub.toolsVersion.Load()
	s.mu.Lock()
	offered := s.offered
	s.mu.Unlock()
	if !offered.known || offered.version != version {
		offered = toolList{known: true, version: version, list: s.hub.c.Registry.Schemas(s.scope)}
		s.mu.Lock()
		s.offered = offered
		s.mu.Unlock()
	}
	return slices.Clone(offered.list)
}

// AddTool adds tools to the session's own layer, all or none; they shadow
// global ones. Front ends are told that the list changed, now and when dispose
// removes them.
func (s *Session) AddTool(defs ...*tools.Definition) (dispose func(), err error) {
	var added []func()
	removeAll := func() {
		for _, remove := range slices.Backward(added) {
			remove()
		}
	}
	for _, d := range defs {
		remove, err := s.hub.c.Registry.RegisterScoped(s.scope, d)
		if err != nil {
			removeAll()
			return nil, fmt.Errorf("add tool %q: %w", d.Name, err)
		}
		added = append(added, remove)
	}
	s.record(ToolsChanged{})
	return sync.OnceFunc(func() {
		removeAll()
		s.record(ToolsChanged{})
	}), nil
}

// SetGuidance puts text into the model's instructions on behalf of source,
// e.g. how to use the tools that it declared; "" removes it.
func (s *Session) SetGuidance(source, text string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if text == "" {
		delete(s.guidance, source)
		return
	}
	s.guidance[source] = text
}
