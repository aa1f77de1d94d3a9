package agent

import (
	"sync"

	"github.com/agent-ls/agent-ls/tools"
	"github.com/agent-ls/agent-ls/tools/permission"
	"github.com/agent-ls/agent-ls/workspace"
)

// judgement is what the policy said of a call, and the real paths of the files
// that this was about.
type judgement struct {
	decision tools.Decision
	paths    []string
}

// perCall keeps something about each open call, at most until its result. The zero value is ready.
type perCall[T any] struct {
	mu sync.Mutex
	of map[tools.Token]T
}

func (p *perCall[T]) put(t tools.Token, v T) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.of == nil {
		p.of = map[tools.Token]T{}
	}
	p.of[t] = v
}

// get returns what was put, the zero T for nothing.
func (p *perCall[T]) get(t tools.Token) T {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.of[t]
}

func (p *perCall[T]) forget(t tools.Token) {
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.of, t)
}

// settled forgets what was kept about a call.
func (s *Session) settled(x tools.Execution, _ tools.Result) {
	s.judged.forget(x.Token)
	s.denials.forget(x.Token)
}

// ViewFor returns the view that a call works on: the session's, bounded to
// the files that were judged when the call was announced, so that it
// reaches no others, whatever becomes of links meanwhile. In full-access mode
// it is not bounded. What the call changes is told to the hub's recorder.
func (s *Session) ViewFor(c *tools.Context) *workspace.View {
	return s.viewOf(c.CallID, s.judged.get(c.Token).paths)
}

// viewOf is the view of a call that was judged for paths.
func (s *Session) viewOf(call string, paths []string) *workspace.View {
	view := s.recordedView(call)
	if s.Mode() == permission.FullAccess {
		return view
	}
	return view.Limited(workspace.Limit{Paths: paths, Hidden: s.policy.Hider()})
}

// recordedView is the session's view whose changes are told to the hub's
// recorder as those of a call.
func (s *Session) recordedView(call string) *workspace.View {
	if s.hub.c.Recorder == nil {
		return s.view
	}
	return s.view.RecordedBy(s.hub.c.Recorder(s, call))
}
