package proc

import (
	"context"
	"fmt"
	"log/slog"
	"slices"
	"sync"
)

// TasksOptions configure Tasks; every field may be zero.
type TasksOptions struct {
	// MaxRunning bounds the running tasks of one owner (10).
	MaxRunning int
	// MaxEnded bounds the ended tasks that can still be read (100); the
	// oldest are forgotten first.
	MaxEnded int
	Logger   *slog.Logger
}

// Tasks are commands that run in the background (tools.md §3.10.13–18). Each
// belongs to an owner, a session's id, and nobody else can reach it; a task
// without an owner is everybody's. Ids are bash-1, bash-2, … in the order of
// starting. Dispose ends them all.
type Tasks struct {
	opts TasksOptions
	ctx  context.Context
	stop context.CancelFunc
	work sync.WaitGroup // tasks that start or run

	mu        sync.Mutex
	disposed  bool
	last      int // number of the newest id
	starting  map[string]int
	tasks     []*task // in the order of starting
	listeners []*func(Completion)
}

// Completion says that a task has ended.
type Completion struct {
	ID    string
	Owner string
	Line  string
	Exit  Exit
}

// Delta is what a task wrote since it was read before, and how it stands.
type Delta struct {
	// Stdout and Stderr are valid UTF-8; each holds the end of what was
	// written when that was more than Command.Keep.
	Stdout, Stderr string
	// Dropped says that some of it is missing; Refs then names the full
	// output of the streams that it is missing from, as far as there is one.
	Dropped bool
	Refs    []string
	// Exit is nil while the task runs.
	Exit *Exit
}

// NewTasks returns an empty set of tasks.
func NewTasks(o TasksOptions) *Tasks {
	if o.MaxRunning <= 0 {
		o.MaxRunning = 10
	}
	if o.MaxEnded <= 0 {
		o.MaxEnded = 100
	}
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	ctx, stop := context.WithCancel(context.Background())
	return &Tasks{opts: o, ctx: ctx, stop: stop, starting: make(map[string]int)}
}

// Start starts c with r as a task of owner. It has no timeout, and its output
// goes to Read instead of c's own functions.
func (t *Tasks) Start(owner string, r Runner, c Command) (id string, err error) {
	if err := t.reserve(owner); err != nil {
		return "", err
	}
	k := newTask(owner, &c)
	process, err := r.Start(t.ctx, c)

	t.mu.Lock()
	defer t.mu.Unlock()
	if t.starting[owner]--; t.starting[owner] <= 0 {
		delete(t.starting, owner)
	}
	if err != nil {
		t.work.Done()
		return "", err
	}
	t.last++
	k.id, k.process = fmt.Sprintf("bash-%d", t.last), process
	t.tasks = append(t.tasks, k)
	go func() {
		defer t.work.Done()
		t.wait(k)
	}()
	return k.id, nil
}

// reserve takes a place for a task of owner, which Dispose waits for.
func (t *Tasks) reserve(owner string) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.disposed {
		return errShuttingDown()
	}
	running := t.starting[owner]
	for _, k := range t.tasks {
		if k.owner == owner && !k.ended() {
			running++
		}
	}
	if running >= t.opts.MaxRunning {
		return &Error{
			Code:    CodeTooManyTasks,
			Message: fmt.Sprintf("%d background tasks are running, no more are possible", running),
			Hint:    "End one with bash_kill first",
		}
	}
	t.starting[owner]++
	t.work.Add(1)
	return nil
}

// wait settles k when its process has ended, and tells the listeners.
func (t *Tasks) wait(k *task) {
	exit, err := k.process.Wait(context.Background())
	k.process.Release()
	if err != nil {
		t.opts.Logger.Warn("a background task was lost", "task", k.id, "error", err)
	}
	k.settle(exit)

	t.mu.Lock()
	t.forgetOldest()
	listeners := slices.Clone(t.listeners)
	t.mu.Unlock()
	for _, l := range listeners {
		t.tell(*l, Completion{ID: k.id, Owner: k.owner, Line: k.line, Exit: exit})
	}
}

// tell calls one listener; a panic of one does not starve the others.
func (t *Tasks) tell(listener func(Completion), c Completion) {
	defer func() {
		if v := recover(); v != nil {
			t.opts.Logger.Error("a listener for background tasks panicked", "task", c.ID, "panic", v)
		}
	}()
	listener(c)
}

// forgetOldest forgets ended tasks over the bound. The caller holds t.mu.
func (t *Tasks) forgetOldest() {
	ended := 0
	for _, k := range t.tasks {
		if k.ended() {
			ended++
		}
	}
	t.tasks = slices.DeleteFunc(t.tasks, func(k *task) bool {
		if ended <= t.opts.MaxEnded || !k.ended() {
			return false
		}
		ended--
		return true
	})
}

// OnCompletion adds a listener that is told of every task that ends, in a
// goroutine of that task. Dispose waits for it, so it must not call Dispose.
func (t *Tasks) OnCompletion(listener func(Completion)) (dispose func()) {
	t.mu.Lock()
	defer t.mu.Unlock()
	entry := &listener
	t.listeners = append(t.listeners, entry)
	return func() {
		t.mu.Lock()
		defer t.mu.Unlock()
		t.listeners = slices.DeleteFunc(t.listeners, func(l *func(Completion)) bool { return l == entry })
	}
}

// Read returns what task id wrote since the last Read, whoever read it.
func (t *Tasks) Read(owner, id string) (Delta, error) {
	k, err := t.find(owner, id)
	if err != nil {
		return Delta{}, err
	}
	return k.read(), nil
}

// Kill ends task id and waits until it has ended, or ctx has. killed is false
// when it had finished before.
func (t *Tasks) Kill(ctx context.Context, owner, id string) (killed bool, err error) {
	k, err := t.find(owner, id)
	if err != nil || k.ended() {
		return false, err
	}
	k.process.Stop()
	select {
	case <-k.done:
		return true, nil
	case <-ctx.Done():
		return true, context.Cause(ctx)
	}
}

// find returns task id if owner may reach it.
func (t *Tasks) find(owner, id string) (*task, error) {
	if id == "" {
		return nil, &Error{Code: CodeInvalidTask, Message: "task_id is empty", Hint: "Give the id that bash answered with, such as bash-1"}
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	i := slices.IndexFunc(t.tasks, func(k *task) bool { return k.id == id })
	switch {
	case i < 0:
		return nil, &Error{Code: CodeTaskNotFound, Message: fmt.Sprintf("unknown bash task %q", id), Hint: "Give the id that bash answered with, such as bash-1"}
	case t.tasks[i].owner != "" && t.tasks[i].owner != owner:
		return nil, &Error{Code: CodeTaskForeign, Message: fmt.Sprintf("task %s belongs to another session", id), Hint: "Use tasks that this session started"}
	}
	return t.tasks[i], nil
}

// DisposeOwner ends and forgets the tasks of owner and waits for them.
func (t *Tasks) DisposeOwner(owner string) {
	t.mu.Lock()
	var owned []*task
	t.tasks = slices.DeleteFunc(t.tasks, func(k *task) bool {
		if k.owner != owner {
			return false
		}
		owned = append(owned, k)
		return true
	})
	t.mu.Unlock()
	for _, k := range owned {
		k.process.Stop()
	}
	for _, k := range owned {
		<-k.done
	}
}

// Dispose ends every task, waits for them (KILL included) and for their
// listeners, and lets no other start.
func (t *Tasks) Dispose() {
	t.mu.Lock()
	t.disposed = true
	t.mu.Unlock()
	// Ending the context of a process stops it, also one that is starting.
	t.stop()
	t.work.Wait()
}
