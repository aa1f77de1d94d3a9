package agent

import (
	_ "embed"
	"fmt"
	"maps"
	"runtime"
	"slices"
	"strings"
)

//go:embed system.md
var systemText string

// request returns what the model gets next: the instructions, the
// conversation so far, and the tools as they are now (tools.md §2.3.7).
func (s *Session) request() Request {
	return Request{Session: s.id, System: s.system(), Messages: s.trim(s.History()), Tools: s.Tools()}
}

// system returns the model's instructions: those of every session, those of
// the configuration, those of who added tools.
func (s *Session) system() string {
	parts := []string{strings.TrimSpace(systemText), s.surroundings()}
	if s.hub.c.System != nil {
		parts = append(parts, s.hub.c.System(s))
	}
	s.mu.Lock()
	for _, source := range slices.Sorted(maps.Keys(s.guidance)) {
		parts = append(parts, s.guidance[source])
	}
	s.mu.Unlock()
	parts = slices.DeleteFunc(parts, func(p string) bool { return p == "" })
	return strings.Join(parts, "\n\n")
}

// surroundings tells the model where it is.
func (s *Session) surroundings() string {
	var b strings.Builder
	fmt.Fprintf(&b, "Working folder: %s\n", s.header.Cwd)
	for _, root := range s.header.Roots {
		fmt.Fprintf(&b, "Also in the workspace: %s\n", root)
	}
	fmt.Fprintf(&b, "Platform: %s", runtime.GOOS)
	return b.String()
}
