package workspace

import (
	"context"
	"errors"
	"io/fs"
	"slices"
	"sync"
	"sync/atomic"
)

// WalkParallel calls fn for each file that Walk would report, from the given
// number of goroutines and nearly in order; of folders only those are reported
// that cannot be listed, with their Err. An
// entry for which fn returns fs.SkipAll leaves out what comes after it in the
// order of Walk (Entry.Compare); what comes before it is reported still.
// Another error, and a panic, of fn ends the walk and is passed on. The calls
// that still run are waited for.
func (v *View) WalkParallel(ctx context.Context, dir string, workers int, fn func(Entry) error) error {
	top, above, end, err := v.startWalk(dir)
	if err != nil {
		return err
	}
	defer end()
	l, err := top.list(above)
	if err != nil {
		return wrap("list", top.abs, err)
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	c := &crew{ctx: ctx, cancel: cancel, fn: fn}
	c.wake.L = &c.mu
	c.push(top, l)
	var running sync.WaitGroup
	for range workers {
		running.Go(c.work)
	}
	running.Wait()
	if c.panicked != nil {
		panic(c.panicked)
	}
	return context.Cause(ctx)
}

// crew are the goroutines of one WalkParallel.
type crew struct {
	ctx    context.Context
	cancel context.CancelCauseFunc
	fn     func(Entry) error
	last   atomic.Pointer[Entry] // after which nothing is wanted; nil: none

	mu       sync.Mutex
	wake     sync.Cond // there are jobs, or nobody makes new ones
	jobs     []job     // the next to do is at the end
	busy     int       // goroutines that may make jobs
	panicked any
}

// filesPerJob is how many files of a folder are handed out at once.
const filesPerJob = 32

// job is files of one folder, or one folder that is to be listed.
type job struct {
	files []Entry
	below Entry
	above *level
	held  *node // what keeps the folder of the entries open; nil for nothing
}

// push adds the jobs of a listed folder: its files first, then its folders in
// order.
func (c *crew) push(n *node, l listing) {
	var files []Entry
	var jobs []job
	add := func(j job) {
		if n.keep() {
			j.held = n
		}
		jobs = append(jobs, j)
	}
	for _, e := range l.entries {
		if !e.Dir {
			files = append(files, e)
			continue
		}
		add(job{below: e, above: l.level})
	}
	slices.Reverse(jobs)
	batches := slices.Collect(slices.Chunk(files, filesPerJob))
	for _, batch := range slices.Backward(batches) {
		add(job{files: batch})
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.jobs = append(c.jobs, jobs...)
	c.wake.Broadcast()
}

// work does jobs until there are none.
func (c *crew) work() {
	for {
		j, ok := c.next()
		if !ok {
			return
		}
		c.do(j)
	}
}

// next takes a job, and counts its goroutine as busy; do ends that. ok is
// false when the walk is over.
func (c *crew) next() (j job, ok bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for len(c.jobs) == 0 && c.busy > 0 {
		c.wake.Wait()
	}
	if len(c.jobs) == 0 {
		return job{}, false
	}
	end := len(c.jobs) - 1
	j, c.jobs = c.jobs[end], c.jobs[:end]
	c.busy++
	return j, true
}

func (c *crew) do(j job) {
	defer func() {
		thrown := recover()
		if j.held != nil {
			j.held.drop()
		}
		c.mu.Lock()
		defer c.mu.Unlock()
		if thrown != nil {
			c.panicked = thrown
			c.cancel(context.Canceled)
		}
		if c.busy--; c.busy == 0 && len(c.jobs) == 0 {
			c.wake.Broadcast()
		}
	}()
	if j.below.Dir {
		c.enter(j)
		return
	}
	for _, e := range j.files {
		if !c.wanted(e) {
			return
		}
		c.report(e)
	}
}

// report calls fn.
func (c *crew) report(e Entry) {
	switch err := c.fn(e); {
	case errors.Is(err, fs.SkipAll):
		c.cut(e)
	case err != nil:
		c.cancel(err)
	}
}

// enter lists a folder and adds the jobs of what is in it.
func (c *crew) enter(j job) {
	if !c.wanted(j.below) {
		return
	}
	n := j.below.node()
	if n.keep() {
		defer n.drop()
	}
	l, err := n.list(j.above)
	if err == nil {
		c.push(n, l)
		return
	}
	if errors.Is(err, fs.ErrNotExist) {
		return // it has gone meanwhile
	}
	j.below.Err = err
	c.report(j.below)
}

// wanted reports whether the walk goes on at e.
func (c *crew) wanted(e Entry) bool {
	if c.ctx.Err() != nil {
		return false
	}
	last := c.last.Load()
	return last == nil || e.Compare(*last) <= 0
}

// cut leaves out what comes after e.
func (c *crew) cut(e Entry) {
	for {
		last := c.last.Load()
		if last != nil && last.Compare(e) <= 0 || c.last.CompareAndSwap(last, &e) {
			return
		}
	}
}
