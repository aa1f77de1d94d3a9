package agent

import (
	"sync"

	"github.com/agent-ls/agent-ls/tools"
	"github.com/agent-ls/agent-ls/tools/permission"
	"github.com/agent-ls/agent-ls/workspace"
)

// reach keeps which files the decision about each open call was about, so
// that the call can reach no others, whatever becomes of links meanwhile.
type reach struct {
	mu    sync.Mutex
	paths map[tools.Token][]string
}

func (r *reach) put(t tools.Token, paths []string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.paths == nil {
		r.paths = map[tools.Token][]string{}
	}
	r.paths[t] = paths
}

func (r *reach) of(t tools.Token) []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.paths[t]
}

func (r *reach) forget(x tools.Execution, _ tools.Result) {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.paths, x.Token)
}

// ViewFor returns the view that a call works on: the session's, bounded to
// the files that were judged when the call was decided about, except in
// full-access mode.
func (s *Session) ViewFor(c *tools.Context) *workspace.View {
	if s.Mode() == permission.FullAccess {
		return s.view
	}
	return s.view.Limited(workspace.Limit{Paths: s.reach.of(c.Token), Hidden: s.policy.Hidden})
}
