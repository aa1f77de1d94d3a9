package agent

import (
	_ "embed"
	"fmt"
	"maps"
	"runtime"
	"slices"
	"strings"

	"github.com/agent-ls/agent-ls/tools/permission"
)

//go:embed system.md
var systemText string

// request returns what the model gets next: the instructions, the
// conversation so far, and the tools as they are now (tools.md §2.3.7).
func (t *Turn) request() Request {
	s := t.s
	r := Request{Session: s.id, Messages: s.trim(s.History()), Progress: s.progress(), Tools: s.Tools()}
	if info := s.Model(); info.Direct {
		return r // the prompt is the program
	}
	if t.project == nil {
		text := s.projectInstructions(t.ctx)
		t.project = &text
	}
	r.System = s.system(*t.project)
	return r
}

// system returns the model's instructions: those of every session, those of the
// project, those of the configuration, those of who added tools. What changes
// most often comes last, so that a server can keep the beginning.
func (s *Session) system(project string) string {
	parts := []string{strings.TrimSpace(systemText), project}
	if s.hub.c.System != nil {
		parts = append(parts, s.hub.c.System(s))
	}
	s.mu.Lock()
	for _, source := range slices.Sorted(maps.Keys(s.guidance)) {
		parts = append(parts, s.guidance[source])
	}
	s.mu.Unlock()
	parts = append(parts, s.surroundings())
	parts = slices.DeleteFunc(parts, func(p string) bool { return p == "" })
	return strings.Join(parts, "\n\n")
}

// surroundings tells the model where it is and what it may do.
func (s *Session) surroundings() string {
	var b strings.Builder
	fmt.Fprintf(&b, "Working folder: %s\n", s.header.Cwd)
	for _, root := range s.header.Roots {
		fmt.Fprintf(&b, "Also in the workspace: %s\n", root)
	}
	fmt.Fprintf(&b, "Platform: %s/%s\n", runtime.GOOS, runtime.GOARCH)
	fmt.Fprintf(&b, "Date: %s\n", s.hub.c.Now().Format("2006-01-02"))
	mode := s.Mode()
	for _, m := range permission.Modes() {
		if m.ID == mode {
			fmt.Fprintf(&b, "Permission mode: %s. %s", m.ID, m.Description)
		}
	}
	return b.String()
}
