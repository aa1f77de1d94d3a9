package tools

import (
	"context"
	"sync"
	"sync/atomic"
)

// BatchOptions bound a batch.
type BatchOptions struct {
	// Parallel is the size of the pool, 8 when 0; 1 runs one after another.
	Parallel int
	// Truncated says that the model's message was cut off by its output
	// limit: no call runs, each gets an error result.
	Truncated bool
}

// defaultParallel is the size of the pool (tools.md §2.3.10).
const defaultParallel = 8

// The texts of calls that were not run.
const (
	notRunText = "tool call aborted before dispatch"
	cutOffText = "tool call not executed: the output limit of the model cut this message off, so its arguments may be incomplete. Issue the call again, in smaller pieces if it is large"
	notRunName = "ToolNotRunError"
)

// ExecuteBatch runs the calls of one assistant message: preparation and
// approval in source order, bodies in a pool with exclusive tools as
// barriers, results in source order, one for every call. terminate is set
// when every result asked for it.
//
// A barrier holds for preparation too: an exclusive call is planned and asked
// about when all before it is done, and what comes after it when it is done,
// so that a plan is never made on what a call before it is about to change.
// When ctx ends, or a question is cancelled, no further call runs: each of the
// rest is announced and finished with CodeNotRun.
func (p *Pipeline) ExecuteBatch(ctx context.Context, run *Run, calls []Call, o BatchOptions) (results []Result, terminate bool) {
	if run == nil {
		run = &Run{}
	}
	b := batch{pipeline: p, run: run, calls: calls, options: o, results: make([]Result, len(calls))}
	if b.options.Parallel <= 0 {
		b.options.Parallel = defaultParallel
	}
	for from := 0; from < len(calls); {
		to := b.stretch(from)
		b.execute(ctx, from, to)
		from = to
	}
	terminate = len(calls) > 0
	for _, r := range b.results {
		terminate = terminate && r.Terminate
	}
	return b.results, terminate
}

// batch is one ExecuteBatch.
type batch struct {
	pipeline *Pipeline
	run      *Run
	calls    []Call
	options  BatchOptions
	results  []Result
	// withdrawn says that a question was cancelled.
	withdrawn bool
}

// stretch returns the end of the calls from the given one on that may run
// together: up to the next exclusive one, or just that one.
func (b *batch) stretch(from int) (to int) {
	if b.exclusive(from) {
		return from + 1
	}
	for to = from + 1; to < len(b.calls) && !b.exclusive(to); to++ {
	}
	return to
}

func (b *batch) exclusive(i int) bool {
	if b.options.Parallel == 1 {
		return true
	}
	d, ok := b.pipeline.registry.Get(b.pipeline.scope, b.calls[i].Name)
	return ok && d.Mode == Sequential
}

// execute prepares the calls of a stretch one after another, then runs what
// was admitted.
func (b *batch) execute(ctx context.Context, from, to int) {
	var ready []int
	started := make([]*call, len(b.calls))
	for i := from; i < to; i++ {
		k := b.pipeline.begin(b.run, b.calls[i])
		started[i] = k
		switch {
		case b.options.Truncated:
			k.finish(errorResult(&ErrorInfo{Name: notRunName, Code: CodeOutputLimit}, cutOffText))
		case b.stopped(ctx):
			k.finish(notRun())
		case k.admit(ctx):
			ready = append(ready, i)
			continue
		}
		b.withdrawn = b.withdrawn || k.withdrawn
		b.results[i] = k.result
	}
	b.pool(len(ready), func(n int) {
		k := started[ready[n]]
		if b.stopped(ctx) {
			k.finish(notRun())
		} else {
			k.perform(ctx)
		}
		b.results[ready[n]] = k.result
	})
}

func (b *batch) stopped(ctx context.Context) bool { return b.withdrawn || ctx.Err() != nil }

func notRun() Result {
	return errorResult(&ErrorInfo{Name: notRunName, Code: CodeNotRun}, notRunText)
}

// pool runs body for 0 to n-1, in order of their start, at most Parallel at
// the same time, and returns when all are done.
func (b *batch) pool(n int, body func(i int)) {
	if n == 1 {
		body(0)
		return
	}
	var next atomic.Int64
	var workers sync.WaitGroup
	for range min(n, b.options.Parallel) {
		workers.Go(func() {
			for i := int(next.Add(1)) - 1; i < n; i = int(next.Add(1)) - 1 {
				body(i)
			}
		})
	}
	workers.Wait()
}
