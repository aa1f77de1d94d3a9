package workspace

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"sync"
	"testing"
)

// waiters returns how many callers wait for key.
func (q *queue) waiters(key string) int {
	q.mu.Lock()
	defer q.mu.Unlock()
	if l := q.lanes[key]; l != nil {
		return len(l.waiting)
	}
	return 0
}

// untilWaiting spins until n callers wait for key.
func (q *queue) untilWaiting(t *testing.T, key string, n int) {
	t.Helper()
	for q.waiters(key) != n {
		if t.Context().Err() != nil {
			t.Fatal("nobody waits")
		}
		runtime.Gosched()
	}
}

func mustLock(t *testing.T, q *queue, keys ...string) (unlock func()) {
	t.Helper()
	unlock, err := q.lock(context.Background(), keys...)
	must(t, err)
	return unlock
}

func TestQueueOrder(t *testing.T) {
	checkLeaks(t)
	q := newQueue()
	unlock := mustLock(t, q, "a")
	var order []int
	var done sync.WaitGroup
	for i := range 20 {
		done.Go(func() {
			unlock := mustLock(t, q, "a")
			order = append(order, i) // the queue is the lock
			unlock()
		})
		q.untilWaiting(t, "a", i+1)
	}
	unlock()
	unlock() // a second time does nothing
	done.Wait()
	for i, got := range order {
		if got != i {
			t.Fatalf("order is %v", order)
		}
	}
	if len(q.lanes) != 0 {
		t.Errorf("memory is kept: %v", q.lanes)
	}
}

func TestQueueKeysAreIndependent(t *testing.T) {
	q := newQueue()
	unlockA := mustLock(t, q, "a")
	unlockB := mustLock(t, q, "b", "b", "c")
	unlockA()
	unlockB()
	if len(q.lanes) != 0 {
		t.Errorf("memory is kept: %v", q.lanes)
	}
}

func TestQueueCancel(t *testing.T) {
	checkLeaks(t)
	q := newQueue()
	unlock := mustLock(t, q, "b")
	cause := errors.New("cause")
	ctx, cancel := context.WithCancelCause(context.Background())
	failed := make(chan error)
	go func() {
		_, err := q.lock(ctx, "a", "b", "c")
		failed <- err
	}()
	q.untilWaiting(t, "b", 1)
	behind := make(chan func())
	go func() { behind <- mustLock(t, q, "a") }() // behind the one that gives up
	q.untilWaiting(t, "a", 1)
	cancel(cause)
	if err := <-failed; !errors.Is(err, cause) {
		t.Errorf("error %v", err)
	}
	(<-behind)()
	unlock()
	if len(q.lanes) != 0 {
		t.Errorf("memory is kept: %v", q.lanes)
	}
	if _, err := q.lock(ctx, "a"); !errors.Is(err, cause) {
		t.Errorf("a done context gets the lock: %v", err)
	}
}

// TestQueueCancelMeetsTurn gives up at the very moment of the turn: the turn
// goes to the next in any case.
func TestQueueCancelMeetsTurn(t *testing.T) {
	checkLeaks(t)
	q := newQueue()
	for range 500 {
		unlock := mustLock(t, q, "a")
		ctx, cancel := context.WithCancel(context.Background())
		var done sync.WaitGroup
		done.Go(func() {
			if unlock, err := q.lock(ctx, "a"); err == nil {
				unlock()
			}
		})
		q.untilWaiting(t, "a", 1)
		done.Go(cancel)
		done.Go(unlock)
		done.Wait()
		mustLock(t, q, "a")()
	}
}

// TestQueueOverlappingKeys takes keys in all orders; nobody blocks for ever.
func TestQueueOverlappingKeys(t *testing.T) {
	checkLeaks(t)
	q := newQueue()
	keys := []string{"a", "b", "c", "d"}
	held := map[string]int{}
	var mu sync.Mutex
	count := func(keys []string, by int) {
		mu.Lock()
		defer mu.Unlock()
		for _, k := range keys {
			if held[k] += by; held[k] > 1 {
				t.Errorf("%s is held twice", k)
			}
		}
	}
	var done sync.WaitGroup
	for i := range 8 {
		done.Go(func() {
			for j := range 100 {
				mine := []string{keys[(i+j)%4], keys[(i*j+1)%4]}
				if mine[0] == mine[1] {
					mine = mine[:1]
				}
				unlock := mustLock(t, q, mine...)
				count(mine, 1)
				count(mine, -1)
				unlock()
			}
		})
	}
	done.Wait()
	if len(q.lanes) != 0 {
		t.Errorf("memory is kept: %v", q.lanes)
	}
}

// TestHundredWriters is tools.md §2.6: a hundred edits of one file, planned
// on the same text, all land.
func TestHundredWriters(t *testing.T) {
	var text strings.Builder
	for i := range 100 {
		fmt.Fprintf(&text, "line %03d old\n\n", i)
	}
	f := newFixture(t, map[string]string{"a": text.String()})
	base := f.read("a")
	var done sync.WaitGroup
	errs := make([]error, 100)
	for i := range 100 {
		done.Go(func() {
			line := fmt.Sprintf("line %03d ", i)
			_, errs[i] = f.Apply(context.Background(), []Change{update(base, line+"old", line+"new")})
		})
	}
	done.Wait()
	must(t, errors.Join(errs...))
	f.wantFile("a", strings.ReplaceAll(text.String(), "old", "new"))
	f.wantTree("a")
}

// TestHundredSessions is tools.md §3.11: of guarded writes by different
// sessions exactly one wins.
func TestHundredSessions(t *testing.T) {
	f := newFixture(t, map[string]string{"a": "old"})
	base := f.open("a")
	var done sync.WaitGroup
	errs := make([]error, 100)
	for i := range 100 {
		v := f.w.View(ViewOptions{Cwd: f.root})
		done.Go(func() {
			_, errs[i] = v.Apply(context.Background(), []Change{create(base, fmt.Sprint(i))})
		})
	}
	done.Wait()
	won := 0
	for i, err := range errs {
		if err == nil {
			won++
			f.wantFile("a", fmt.Sprint(i))
			continue
		}
		wantCode(t, err, FSStaleVersion)
	}
	if won != 1 {
		t.Errorf("%d won", won)
	}
}

// TestLinkAndFileShareAQueue edits one file by two names at once.
func TestLinkAndFileShareAQueue(t *testing.T) {
	needsUnix(t)
	f := newFixture(t, map[string]string{"a": strings.Repeat("x\n\n", 40)})
	f.link("a", "link")
	bases := []Handle{f.read("a"), f.read("link")}
	var done sync.WaitGroup
	errs := make([]error, 40)
	for i := range 40 {
		done.Go(func() {
			c := update(bases[i%2], "x", fmt.Sprint(i))
			c.Edits[0].Start, c.Edits[0].End = 3*i, 3*i+1
			_, errs[i] = f.Apply(context.Background(), []Change{c})
		})
	}
	done.Wait()
	must(t, errors.Join(errs...))
	if text := f.open("a").Content(); strings.Contains(text, "x") {
		t.Errorf("an edit is lost: %q", text)
	}
}

func TestApplyWaitsAreCancellable(t *testing.T) {
	f := newFixture(t, map[string]string{"a": "x"})
	base := f.open("a")
	unlock := mustLock(t, f.w.queue, pathKey(f.path("a")))
	ctx, cancel := context.WithCancel(context.Background())
	failed := make(chan error)
	go func() {
		_, err := f.Apply(ctx, []Change{update(base, "x", "y")})
		failed <- err
	}()
	f.w.queue.untilWaiting(t, pathKey(f.path("a")), 1)
	cancel()
	wantCode(t, <-failed, FSAborted)
	unlock()
	f.wantFile("a", "x")
}
