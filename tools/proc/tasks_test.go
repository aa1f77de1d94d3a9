package proc

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
)

// fakeRunner starts processes that tests drive by hand.
type fakeRunner struct {
	fail error
	hold chan struct{} // when set, Start waits for it
	mu   sync.Mutex
	all  []*fakeProcess
}

type fakeProcess struct {
	c        Command
	once     sync.Once
	ended    chan struct{}
	exit     Exit
	stubborn bool
	stopped  chan struct{}
	released bool
}

func (r *fakeRunner) Start(ctx context.Context, c Command) (Process, error) {
	if r.hold != nil {
		<-r.hold
	}
	if r.fail != nil {
		return nil, r.fail
	}
	p := &fakeProcess{c: c, ended: make(chan struct{}), stopped: make(chan struct{})}
	context.AfterFunc(ctx, p.Stop)
	r.mu.Lock()
	defer r.mu.Unlock()
	r.all = append(r.all, p)
	return p, nil
}

func (r *fakeRunner) last() *fakeProcess {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.all[len(r.all)-1]
}

func (p *fakeProcess) end(e Exit) { p.once.Do(func() { p.exit = e; close(p.ended) }) }

func (p *fakeProcess) Wait(ctx context.Context) (Exit, error) {
	select {
	case <-p.ended:
		return p.exit, nil
	case <-ctx.Done():
		return Exit{}, ctx.Err()
	}
}

func (p *fakeProcess) Stop() {
	if !p.stubborn {
		p.end(Exit{Signal: "SIGTERM", Aborted: true})
	}
	select {
	case <-p.stopped:
	default:
		close(p.stopped)
	}
}

func (p *fakeProcess) Terminal() string { return "" }
func (p *fakeProcess) Release()         { p.released = true }

func exitCode(n int) Exit { return Exit{Code: &n} }

// newTasks returns tasks, a fake runner and a channel of completions.
func newTasks(t *testing.T, o TasksOptions) (*Tasks, *fakeRunner, chan Completion) {
	t.Helper()
	tasks := NewTasks(o)
	t.Cleanup(tasks.Dispose)
	done := make(chan Completion, 1000)
	tasks.OnCompletion(func(c Completion) { done <- c })
	return tasks, &fakeRunner{}, done
}

func startTask(t *testing.T, tasks *Tasks, owner string, r Runner, c Command) string {
	t.Helper()
	id, err := tasks.Start(owner, r, c)
	if err != nil {
		t.Fatal(err)
	}
	return id
}

func readTask(t *testing.T, tasks *Tasks, owner, id string) Delta {
	t.Helper()
	d, err := tasks.Read(owner, id)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func TestTasksDeltas(t *testing.T) {
	tasks, r, done := newTasks(t, TasksOptions{})
	id := startTask(t, tasks, "s1", r, Command{Line: "server", Timeout: 1})
	p := r.last()
	if p.c.Timeout != 0 {
		t.Error("a background task has a timeout")
	}
	if d := readTask(t, tasks, "s1", id); d.Stdout != "" || d.Stderr != "" || d.Exit != nil || d.Dropped {
		t.Errorf("nothing yet: %+v", d)
	}
	p.c.Output("one\n")
	p.c.Stderr("warn\n")
	p.c.Output("two\n")
	if d := readTask(t, tasks, "s1", id); d.Stdout != "one\ntwo\n" || d.Stderr != "warn\n" {
		t.Errorf("first: %+v", d)
	}
	p.c.Output("three")
	if d := readTask(t, tasks, "s1", id); d.Stdout != "three" || d.Stderr != "" {
		t.Errorf("second: %+v", d)
	}
	p.c.Output("last")
	p.end(exitCode(3))
	if c := <-done; c.ID != id || c.Owner != "s1" || c.Line != "server" || *c.Exit.Code != 3 {
		t.Errorf("completion %+v", c)
	}
	if !p.released {
		t.Error("the process was not released")
	}
	if d := readTask(t, tasks, "s1", id); d.Stdout != "last" || d.Exit == nil || *d.Exit.Code != 3 {
		t.Errorf("ended: %+v", d)
	}
	if d := readTask(t, tasks, "s1", id); d.Stdout != "" || d.Exit == nil {
		t.Errorf("again: %+v", d)
	}
}

func TestTasksLossy(t *testing.T) {
	tasks, r, done := newTasks(t, TasksOptions{})
	spill := func(stream string) (io.WriteCloser, string, error) {
		return nopWriteCloser{}, "/full/" + stream, nil
	}
	id := startTask(t, tasks, "", r, Command{Line: "x", Keep: 8, Spill: spill})
	p := r.last()
	p.c.Output("0123456789")
	if d := readTask(t, tasks, "", id); !d.Dropped || len(d.Refs) != 0 || d.Stdout != "23456789" {
		t.Errorf("without a file: %+v", d)
	}
	for _, stream := range []string{StreamStdout, StreamStderr} {
		if _, _, err := p.c.Spill(stream); err != nil {
			t.Fatal(err)
		}
	}
	p.c.Output("0123456789")
	p.c.Stderr("0123456789")
	if d := readTask(t, tasks, "", id); !d.Dropped || !slices.Equal(d.Refs, []string{"/full/stdout", "/full/stderr"}) {
		t.Errorf("with files: %+v", d)
	}
	p.c.Output("small")
	if d := readTask(t, tasks, "", id); d.Dropped || d.Refs != nil {
		t.Errorf("nothing lost: %+v", d)
	}
	p.c.Output("0123456789")
	p.end(Exit{Stdout: Captured{Truncated: true}}) // the file was lost at the end
	<-done
	if d := readTask(t, tasks, "", id); !d.Dropped || len(d.Refs) != 0 {
		t.Errorf("lost file: %+v", d)
	}
}

type nopWriteCloser struct{}

func (nopWriteCloser) Write(p []byte) (int, error) { return len(p), nil }
func (nopWriteCloser) Close() error                { return nil }

// TestTasksOwners: tools.md §3.10.16.
func TestTasksOwners(t *testing.T) {
	tasks, r, _ := newTasks(t, TasksOptions{})
	owned := startTask(t, tasks, "s1", r, Command{Line: "x"})
	open := startTask(t, tasks, "", r, Command{Line: "x"})
	if owned != "bash-1" || open != "bash-2" {
		t.Errorf("ids %s, %s", owned, open)
	}
	tests := []struct{ owner, id, code, message string }{
		{"s1", owned, "", ""},
		{"s1", open, "", ""},
		{"", open, "", ""},
		{"s2", owned, CodeTaskForeign, "task bash-1 belongs to another session"},
		{"", owned, CodeTaskForeign, "task bash-1 belongs to another session"},
		{"s1", "bash-9", CodeTaskNotFound, `unknown bash task "bash-9"`},
		{"s1", "", CodeInvalidTask, "task_id is empty"},
	}
	for _, tt := range tests {
		_, readErr := tasks.Read(tt.owner, tt.id)
		if tt.code == "" {
			if readErr != nil {
				t.Errorf("%q reads %q: %v", tt.owner, tt.id, readErr)
			}
			continue
		}
		_, killErr := tasks.Kill(context.Background(), tt.owner, tt.id)
		for _, err := range []error{readErr, killErr} {
			var coded *Error
			if !errors.As(err, &coded) || coded.ErrorCode() != tt.code || coded.Message != tt.message || coded.Hint == "" {
				t.Errorf("%q, %q: %v, want %s", tt.owner, tt.id, err, tt.message)
			}
		}
	}
}

func TestTasksKill(t *testing.T) {
	tasks, r, done := newTasks(t, TasksOptions{})
	ctx := context.Background()
	id := startTask(t, tasks, "s", r, Command{Line: "x"})
	if killed, err := tasks.Kill(ctx, "s", id); !killed || err != nil {
		t.Errorf("kill: %v, %v", killed, err)
	}
	<-done
	if killed, err := tasks.Kill(ctx, "s", id); killed || err != nil {
		t.Errorf("kill again: %v, %v", killed, err)
	}
	stubborn := startTask(t, tasks, "s", r, Command{Line: "x"})
	p := r.last()
	p.stubborn = true
	cancelled, cancel := context.WithCancel(ctx)
	cancel()
	if killed, err := tasks.Kill(cancelled, "s", stubborn); !killed || !errors.Is(err, context.Canceled) {
		t.Errorf("kill that is given up: %v, %v", killed, err)
	}
	<-p.stopped
	p.end(Exit{Signal: "SIGKILL", Aborted: true})
}

func TestTasksStartFails(t *testing.T) {
	tasks, r, _ := newTasks(t, TasksOptions{MaxRunning: 1})
	r.fail = errors.New("no such folder")
	for range 3 {
		if _, err := tasks.Start("s", r, Command{Line: "x"}); !errors.Is(err, r.fail) {
			t.Fatalf("start: %v", err)
		}
	}
	r.fail = nil
	if id := startTask(t, tasks, "s", r, Command{Line: "x"}); id != "bash-1" {
		t.Errorf("failed starts used up ids: %s", id)
	}
}

func TestTasksBounds(t *testing.T) {
	tasks, r, done := newTasks(t, TasksOptions{MaxRunning: 2, MaxEnded: 3})
	startTask(t, tasks, "a", r, Command{Line: "x"})
	startTask(t, tasks, "a", r, Command{Line: "x"})
	var coded *Error
	if _, err := tasks.Start("a", r, Command{Line: "x"}); !errors.As(err, &coded) || coded.Code != CodeTooManyTasks {
		t.Errorf("third task: %v", err)
	}
	var ids []string
	for range 5 {
		ids = append(ids, startTask(t, tasks, "b", r, Command{Line: "x"}))
		r.last().end(exitCode(0))
		<-done
	}
	for i, id := range ids {
		if _, err := tasks.Read("b", id); (err == nil) != (i >= 2) {
			t.Errorf("task %d of 5: %v", i+1, err)
		}
	}
	if _, err := tasks.Read("a", "bash-1"); err != nil {
		t.Errorf("a running task was forgotten: %v", err)
	}
}

func TestTasksListeners(t *testing.T) {
	tasks := NewTasks(TasksOptions{Logger: slog.New(slog.DiscardHandler)})
	defer tasks.Dispose()
	r := &fakeRunner{}
	var told []string
	done := make(chan struct{}, 10)
	tasks.OnCompletion(func(Completion) { panic("first") })
	remove := tasks.OnCompletion(func(c Completion) { told = append(told, "removed "+c.ID) })
	tasks.OnCompletion(func(c Completion) { told = append(told, c.ID); done <- struct{}{} })
	for i := range 2 {
		startTask(t, tasks, "", r, Command{Line: "x"})
		r.last().end(exitCode(i))
		<-done
		remove()
		remove()
	}
	if got := strings.Join(told, ", "); got != "removed bash-1, bash-1, bash-2" {
		t.Errorf("told %s", got)
	}
}

// TestTasksDispose: it waits for every task, also for one that is starting.
func TestTasksDispose(t *testing.T) {
	tasks := NewTasks(TasksOptions{})
	running, starting := &fakeRunner{}, &fakeRunner{hold: make(chan struct{})}
	startTask(t, tasks, "s", running, Command{Line: "x"})
	p := running.last()
	p.stubborn = true
	started := make(chan error)
	go func() {
		_, err := tasks.Start("s", starting, Command{Line: "y"})
		started <- err
	}()
	for tasks.startingCount("s") == 0 {
		runtime.Gosched()
	}
	disposed := make(chan struct{})
	go func() { tasks.Dispose(); close(disposed) }()
	<-p.stopped
	select {
	case <-disposed:
		t.Fatal("Dispose did not wait")
	default:
	}
	p.end(Exit{Signal: "SIGKILL", Aborted: true})
	close(starting.hold)
	if err := <-started; err != nil {
		t.Errorf("start: %v", err)
	}
	<-disposed
	if e := starting.last().exit; e.Signal != "SIGTERM" {
		t.Errorf("the late task ended with %+v", e)
	}
	if _, err := tasks.Start("s", running, Command{Line: "x"}); err == nil {
		t.Error("a task started after Dispose")
	}
	if d := readTask(t, tasks, "s", "bash-1"); d.Exit == nil {
		t.Error("tasks cannot be read after Dispose")
	}
}

func (t *Tasks) startingCount(owner string) int {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.starting[owner]
}

func TestTasksDisposeOwner(t *testing.T) {
	tasks, r, done := newTasks(t, TasksOptions{})
	mine := startTask(t, tasks, "a", r, Command{Line: "x"})
	other := startTask(t, tasks, "b", r, Command{Line: "x"})
	tasks.DisposeOwner("a")
	if c := <-done; c.ID != mine {
		t.Errorf("ended %s", c.ID)
	}
	if _, err := tasks.Read("a", mine); err == nil {
		t.Error("the task of a closed session is known")
	}
	if d := readTask(t, tasks, "b", other); d.Exit != nil {
		t.Error("another session's task was ended")
	}
}

func TestTasksConcurrently(t *testing.T) {
	tasks, r, _ := newTasks(t, TasksOptions{MaxRunning: 50})
	var all sync.WaitGroup
	for i := range 50 {
		all.Go(func() {
			id := startTask(t, tasks, "s", r, Command{Line: fmt.Sprint(i)})
			if _, err := tasks.Read("s", id); err != nil {
				t.Error(err)
			}
			if _, err := tasks.Kill(context.Background(), "s", id); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
}
