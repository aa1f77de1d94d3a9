package tools

import (
	"context"
	"fmt"
	"log/slog"

	"github.com/agent-ls/agent-ls/presentation"
)

// call is one call on its way through the pipeline, used by one goroutine at
// a time: begin, then admit, then perform, or finish at any point.
type call struct {
	pipeline *Pipeline
	run      *Run
	log      *slog.Logger
	snapshot
	// card is what front ends show now: as announced, then as planned.
	card    presentation.CallView
	context *Context
	updates *updates
	// withdrawn says that a question about the call was cancelled, which ends
	// the batch (tools.md §5 row 11).
	withdrawn bool
	terminate bool // what a denial asked for
	result    Result
}

// begin takes the snapshot of c and announces the call, whatever it is.
func (p *Pipeline) begin(run *Run, c Call) *call {
	if run == nil {
		run = &Run{}
	}
	k := &call{pipeline: p, run: run, log: run.logger(), snapshot: p.snapshot(run, c)}
	k.card = presentCall(k.log, k.x)
	k.tell("Started", func(e Events) { e.Started(k.x.copy(), k.card, k.mayAsk()) })
	return k
}

// mayAsk says whether permission may be asked for the call.
func (k *call) mayAsk() bool {
	if k.fault != nil {
		return false
	}
	if k.run.MayAsk == nil {
		access, declared := AccessOf(k.x)
		return k.run.Approver != nil && (declared || len(access) > 0)
	}
	may := true
	_ = contain(k.log, "MayAsk", func() error {
		may = k.run.MayAsk(k.x.copy())
		return nil
	})
	return may
}

// admit takes the call to where nothing but a guard can stop it, or finishes
// it and reports false.
func (k *call) admit(ctx context.Context) bool {
	if k.fault != nil {
		k.refuse(ctx)
		return false
	}
	if ctx.Err() != nil {
		k.finish(aborted())
		return false
	}
	decision, err := k.decide(ctx)
	if err != nil {
		k.finish(failure(ctx, err))
		return false
	}
	if decision.Kind == Deny {
		k.terminate = decision.Terminate
		k.finish(k.review(ctx, denied(decision.Reason)))
		return false
	}
	k.updates = newUpdates(func(u Update) {
		k.tell("Updated", func(e Events) { e.Updated(k.x.copy(), u) })
	})
	k.context = k.newContext()
	// A question that nobody can answer is not worth a dry run.
	reason, answerable := k.route(decision)
	if !answerable {
		k.finish(k.review(ctx, denied(reason)))
		return false
	}
	if err := k.plan(ctx); err != nil {
		if decision.Discreet && ctx.Err() == nil {
			err = discreet(err)
		}
		k.finish(k.review(ctx, failure(ctx, err)))
		return false
	}
	if decision.Kind == Ask {
		if r, granted := k.approve(ctx, decision.Reason); !granted {
			k.finish(k.review(ctx, r))
			return false
		}
	}
	return true
}

// refuse finishes a call that cannot run. Post-execute listeners see it, as
// they see a denied one, unless there are no arguments to show them.
func (k *call) refuse(ctx context.Context) {
	r := failure(ctx, k.fault)
	if !k.unread {
		r = k.review(ctx, r)
	}
	k.finish(r)
}

func (k *call) newContext() *Context {
	run := k.run
	return &Context{
		CallID: k.x.CallID, Tool: k.x.Name, Token: k.x.Token, Parent: k.x.Parent,
		Session: run.Session, Cwd: run.Cwd, Roots: run.Roots,
		Logger: k.log, Now: run.clock(), App: run.App, Metadata: run.Metadata,
		deps: run.scope().newCall(run.Deps),
		emit: k.updates.post,
	}
}

// plan makes the dry run where the tool has one.
func (k *call) plan(ctx context.Context) error {
	d := k.x.Definition
	if d.Plan == nil {
		return nil
	}
	var plan *Plan
	err := contain(k.log, fmt.Sprintf("plan of tool %q", k.x.Name), func() (err error) {
		plan, err = d.Plan(ctx, k.x.copy().Arguments, k.context)
		return err
	})
	if err != nil || plan == nil {
		return err
	}
	k.context.Planned = plan
	if view := titled(k.x, plan.View); view != nil {
		k.card = view
		k.tell("Planned", func(e Events) { e.Planned(k.x.copy(), view) })
	}
	return nil
}

// perform runs an admitted call and finishes it.
func (k *call) perform(ctx context.Context) {
	if ctx.Err() != nil {
		k.finish(aborted())
		return
	}
	reason, err := k.guard()
	if err != nil {
		k.finish(failure(ctx, err))
		return
	}
	if reason != "" {
		k.finish(k.review(ctx, denied(reason)))
		return
	}
	k.x.Dispatched = true
	k.tell("Running", func(e Events) { e.Running(k.x.copy()) })
	r, err := k.dispatch(ctx)
	if err != nil {
		k.finish(failure(ctx, err))
		return
	}
	k.finish(k.review(ctx, r))
}

// finish settles the call with r.
func (k *call) finish(r Result) {
	if k.terminate {
		r.Terminate = true
	}
	k.result = materialize(r)
	for _, o := range k.pipeline.observers.all() {
		// One broken observer neither changes the outcome nor starves others.
		_ = contain(k.log, "observer", func() error {
			(*o)(k.x.copy(), k.result.clone())
			return nil
		})
	}
	k.tell("Finished", func(e Events) {
		view := presentResult(k.log, k.x, k.card, k.result)
		e.Finished(k.x.copy(), k.result.clone(), view)
	})
}

// tell calls the front end, whose panics are its own.
func (k *call) tell(what string, fn func(e Events)) {
	if k.run.Events == nil {
		return
	}
	_ = contain(k.log, "event sink "+what, func() error {
		fn(k.run.Events)
		return nil
	})
}
