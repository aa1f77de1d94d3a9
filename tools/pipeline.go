package tools

import (
	"context"

	"github.com/agent-ls/agent-ls/presentation"
)

// Pipeline runs calls through every seam: snapshot → pre-execute → plan →
// approval → guards → wrappers → tool → post-execute → observers. It belongs
// to one scope, usually one session's; Wait ends its life.
type Pipeline struct {
	registry *Registry
	scope    *Scope
	deadline *deadline

	pre       seam[PreListener]
	post      seam[PostListener]
	wrappers  seam[Wrapper]
	guards    seam[Guard]
	observers seam[Observer]
}

// NewPipeline returns a pipeline over the tools that scope sees in r. It keeps
// every tool's deadline itself, around the tool and inside all wrappers.
func NewPipeline(r *Registry, scope *Scope) *Pipeline {
	return &Pipeline{registry: r, scope: scope, deadline: newDeadline(abandonGrace)}
}

// The seams. Each returns a disposer, which may be called again.

// OnPreExecute adds a listener after those there are.
func (p *Pipeline) OnPreExecute(l PreListener) (dispose func()) { return p.pre.add(l) }

// OnPostExecute adds a listener after those there are; the answer of the first
// counts, and next gives it that of the others.
func (p *Pipeline) OnPostExecute(l PostListener) (dispose func()) { return p.post.add(l) }

// AddWrapper adds a wrapper inside those there are.
func (p *Pipeline) AddWrapper(w Wrapper) (dispose func()) { return p.wrappers.add(w) }

// AddGuard adds a guard.
func (p *Pipeline) AddGuard(g Guard) (dispose func()) { return p.guards.add(g) }

// OnResult adds an observer.
func (p *Pipeline) OnResult(o Observer) (dispose func()) { return p.observers.add(o) }

// ExecuteRaw runs one call; it is the one way in. Every failure is a Result.
// run may be nil.
func (p *Pipeline) ExecuteRaw(ctx context.Context, run *Run, c Call) Result {
	k := p.begin(run, c)
	if k.admit(ctx) {
		k.perform(ctx)
	}
	return k.result
}

// Present gives the pending card of a call as the pipeline would announce it,
// for replay and for front ends that show a call before it runs.
func (p *Pipeline) Present(c Call) (x Execution, view presentation.CallView) {
	s := p.snapshot(&Run{}, c)
	return s.x, presentCall(discard, s.x)
}

// PresentResult gives the completed card of a call that Present gave x for and
// whose last card was pending, for replay.
func (p *Pipeline) PresentResult(x Execution, pending presentation.CallView, r Result) presentation.ResultView {
	return presentResult(discard, x, pending, r)
}

// Wait returns when no abandoned tool runs any more, or with an error that
// says how many still do when ctx ends. Call it when no more calls will come.
func (p *Pipeline) Wait(ctx context.Context) error { return p.deadline.wait(ctx) }
