package tools

import (
	"context"
	"encoding/json"
	"errors"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
)

// counted returns a key whose factory counts how often it ran.
func counted(id string, perRun bool) (*Key[int], *atomic.Int64) {
	var n atomic.Int64
	return &Key[int]{ID: id, PerRun: perRun, Create: func(context.Context, *Context) (int, error) {
		return int(n.Add(1)), nil
	}}, &n
}

// inCall runs fn as the tool of one call of r and returns the result.
func inCall(t *testing.T, r *Run, fn func(ctx context.Context, tc *Context) error) Result {
	t.Helper()
	p := newTestPipeline(t, tool("n", func(ctx context.Context, _ json.RawMessage, tc *Context) (Result, error) {
		if err := fn(ctx, tc); err != nil {
			return Result{}, err
		}
		return TextResult("ok"), nil
	}))
	return p.ExecuteRaw(context.Background(), r, Call{ID: "c", Name: "n"})
}

func TestResolveOncePerCallOrRun(t *testing.T) {
	for _, perRun := range []bool{false, true} {
		key, n := counted("k", perRun)
		r := &Run{}
		for range 2 {
			inCall(t, r, func(ctx context.Context, tc *Context) error {
				for range 3 {
					if _, err := Resolve(ctx, tc, key); err != nil {
						return err
					}
				}
				return nil
			})
		}
		inCall(t, &Run{}, func(ctx context.Context, tc *Context) error {
			_, err := Resolve(ctx, tc, key)
			return err
		})
		want := int64(3) // calls
		if perRun {
			want = 2 // runs
		}
		if n.Load() != want {
			t.Errorf("per run %v: created %d times, want %d", perRun, n.Load(), want)
		}
	}
}

// TestPlanAndExecuteShareACall: the dry run and the run resolve the same value.
func TestPlanAndExecuteShareACall(t *testing.T) {
	key, n := counted("k", false)
	d := tool("n", func(ctx context.Context, _ json.RawMessage, tc *Context) (Result, error) {
		_, err := Resolve(ctx, tc, key)
		return TextResult("ok"), err
	})
	d.Plan = func(ctx context.Context, _ json.RawMessage, tc *Context) (*Plan, error) {
		_, err := Resolve(ctx, tc, key)
		return nil, err
	}
	wantText(t, run(newTestPipeline(t, d), "n", ""), "ok")
	if n.Load() != 1 {
		t.Errorf("created %d times", n.Load())
	}
}

func TestConcurrentResolversShareTheCreation(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		release := make(chan struct{})
		var created atomic.Int64
		key := &Key[int]{ID: "k", Create: func(context.Context, *Context) (int, error) {
			created.Add(1)
			<-release
			return 7, nil
		}}
		inCall(t, &Run{}, func(ctx context.Context, tc *Context) error {
			var all sync.WaitGroup
			for range 10 {
				all.Go(func() {
					if v, err := Resolve(ctx, tc, key); v != 7 || err != nil {
						t.Errorf("got %d, %v", v, err)
					}
				})
			}
			synctest.Wait() // all of them wait for the one creation
			close(release)
			all.Wait()
			return nil
		})
		if created.Load() != 1 {
			t.Errorf("created %d times", created.Load())
		}
	})
}

func TestOverrides(t *testing.T) {
	key, n := counted("k", false)
	good := Overrides{}
	Override(good, key, 42)
	failing := Overrides{"k": func(context.Context, *Context) (any, error) { return nil, errors.New("no double") }}
	wrong := Overrides{"k": func(context.Context, *Context) (any, error) { return "text", nil }}
	none := Overrides{"k": func(context.Context, *Context) (any, error) { return nil, nil }}
	tests := []struct {
		name string
		deps Overrides
		want int
		err  string
	}{
		{"override", good, 42, ""},
		{"its error", failing, 0, "no double"},
		{"its type", wrong, 0, `dependency "k": have string, want int`},
		{"nil is the zero value", none, 0, ""},
	}
	for _, tt := range tests {
		r := inCall(t, &Run{Deps: tt.deps}, func(ctx context.Context, tc *Context) error {
			v, err := Resolve(ctx, tc, key)
			if v != tt.want {
				t.Errorf("%s: got %d, want %d", tt.name, v, tt.want)
			}
			return err
		})
		if tt.err == "" {
			wantText(t, r, "ok")
		} else {
			wantError(t, r, "Error: "+tt.err, "")
		}
	}
	if n.Load() != 0 {
		t.Errorf("the key's own factory ran %d times", n.Load())
	}
}

func TestFailedCreateIsTriedAgain(t *testing.T) {
	n := 0
	key := &Key[int]{ID: "k", Create: func(context.Context, *Context) (int, error) {
		if n++; n == 1 {
			return 0, errors.New("not yet")
		}
		return n, nil
	}}
	r := inCall(t, &Run{}, func(ctx context.Context, tc *Context) error {
		if _, err := Resolve(ctx, tc, key); err == nil || err.Error() != "not yet" {
			t.Errorf("first: %v", err)
		}
		v, err := Resolve(ctx, tc, key)
		if v != 2 {
			t.Errorf("second: %d", v)
		}
		return err
	})
	wantText(t, r, "ok")
}

func TestCreateErrorIsTheToolsError(t *testing.T) {
	key := &Key[int]{ID: "k", Create: func(context.Context, *Context) (int, error) {
		return 0, &Error{Name: "DbError", Code: "DB_DOWN", Message: "no database"}
	}}
	r := inCall(t, &Run{}, func(ctx context.Context, tc *Context) error {
		_, err := Resolve(ctx, tc, key)
		return err
	})
	wantError(t, r, "Error: no database", "DB_DOWN")
}

func TestFactoriesThatDoNotReturn(t *testing.T) {
	tests := []struct {
		name   string
		create func(context.Context, *Context) (int, error)
		want   string
	}{
		{"panic", func(context.Context, *Context) (int, error) { panic("boom") }, "factory of dependency k panicked: boom"},
		{"exit", func(context.Context, *Context) (int, error) { runtime.Goexit(); return 0, nil }, `dependency "k": its factory did not return`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				started, release := make(chan struct{}), make(chan struct{})
				key := &Key[int]{ID: "k", Create: func(ctx context.Context, c *Context) (int, error) {
					close(started)
					<-release
					return tt.create(ctx, c)
				}}
				inCall(t, &Run{}, func(ctx context.Context, tc *Context) error {
					var all sync.WaitGroup
					all.Go(func() { _, _ = Resolve(ctx, tc, key) })
					<-started
					all.Go(func() {
						if _, err := Resolve(ctx, tc, key); err == nil || !strings.HasPrefix(err.Error(), tt.want) {
							t.Errorf("the one that waited got %v", err)
						}
					})
					synctest.Wait()
					close(release)
					all.Wait()
					return nil
				})
			})
		})
	}
}

// ring returns keys each of which needs the next.
func ring(perRun bool, ids ...string) []*Key[int] {
	keys := make([]*Key[int], len(ids))
	for i, id := range ids {
		keys[i] = &Key[int]{ID: id, PerRun: perRun, Create: func(ctx context.Context, c *Context) (int, error) {
			return Resolve(ctx, c, keys[(i+1)%len(keys)])
		}}
	}
	return keys
}

func TestCycles(t *testing.T) {
	tests := []struct {
		ids    []string
		perRun bool
		want   string
	}{
		{[]string{"A"}, false, "A → A"},
		{[]string{"A", "B"}, false, "A → B → A"},
		{[]string{"A", "B"}, true, "A → B → A"},
		{[]string{"A", "B", "C"}, false, "A → B → C → A"},
	}
	for _, tt := range tests {
		keys := ring(tt.perRun, tt.ids...)
		r := inCall(t, &Run{}, func(ctx context.Context, tc *Context) error {
			_, err := Resolve(ctx, tc, keys[0])
			return err
		})
		if r.code() != "DEPENDENCY_CYCLE" || !strings.Contains(r.text(), "dependency cycle: ") {
			t.Errorf("%v: got %q", tt.ids, r.text())
		}
		// The cycle is seen where it closes, so its text begins there.
		last := tt.ids[len(tt.ids)-1]
		if !strings.Contains(r.text(), last+" → "+tt.ids[0]) {
			t.Errorf("%v: got %q", tt.ids, r.text())
		}
	}
}

// TestCycleAcrossGoroutines: A waits for B and B for A, each made by another
// goroutine: one of them must see it instead of waiting for ever.
func TestCycleAcrossGoroutines(t *testing.T) {
	for _, perRun := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			var a, b *Key[int]
			making := make(chan struct{}, 2)
			release := make(chan struct{})
			needs := func(other **Key[int]) func(context.Context, *Context) (int, error) {
				return func(ctx context.Context, c *Context) (int, error) {
					making <- struct{}{}
					<-release
					return Resolve(ctx, c, *other)
				}
			}
			a = &Key[int]{ID: "A", PerRun: perRun, Create: needs(&b)}
			b = &Key[int]{ID: "B", PerRun: perRun, Create: needs(&a)}
			r := &Run{}
			start := func(k *Key[int]) func() {
				return func() {
					got := inCall(t, r, func(ctx context.Context, tc *Context) error {
						_, err := Resolve(ctx, tc, k)
						return err
					})
					if got.code() != "DEPENDENCY_CYCLE" {
						t.Errorf("per run %v, %s: got %q", perRun, k.ID, got.text())
					}
				}
			}
			if !perRun { // one call, two goroutines
				inCall(t, r, func(ctx context.Context, tc *Context) error {
					var all sync.WaitGroup
					for _, k := range []*Key[int]{a, b} {
						all.Go(func() {
							if _, err := Resolve(ctx, tc, k); err == nil {
								t.Errorf("%s resolved", k.ID)
							}
						})
					}
					<-making
					<-making
					close(release)
					all.Wait()
					return nil
				})
				return
			}
			var all sync.WaitGroup // two calls of one run
			all.Go(start(a))
			all.Go(start(b))
			<-making
			<-making
			close(release)
			all.Wait()
		})
	}
}

func TestDiamondIsNoCycle(t *testing.T) {
	leaf, n := counted("leaf", false)
	over := func(id string, below ...*Key[int]) *Key[int] {
		return &Key[int]{ID: id, Create: func(ctx context.Context, c *Context) (int, error) {
			for _, k := range below {
				if _, err := Resolve(ctx, c, k); err != nil {
					return 0, err
				}
			}
			return 1, nil
		}}
	}
	top := over("top", over("left", leaf), over("right", leaf), leaf)
	r := inCall(t, &Run{}, func(ctx context.Context, tc *Context) error {
		_, err := Resolve(ctx, tc, top)
		return err
	})
	wantText(t, r, "ok")
	if n.Load() != 1 {
		t.Errorf("the leaf was made %d times", n.Load())
	}
}

// TestWaitersEndWithTheirContext: who waits for another's creation stops when
// its own context ends.
func TestWaitersEndWithTheirContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		release := make(chan struct{})
		key := &Key[int]{ID: "k", Create: func(context.Context, *Context) (int, error) { <-release; return 1, nil }}
		inCall(t, &Run{}, func(ctx context.Context, tc *Context) error {
			var all sync.WaitGroup
			all.Go(func() { _, _ = Resolve(ctx, tc, key) })
			synctest.Wait()
			short, cancel := context.WithCancel(ctx)
			cancel()
			if _, err := Resolve(short, tc, key); !errors.Is(err, context.Canceled) {
				t.Errorf("got %v", err)
			}
			close(release)
			all.Wait()
			if v, err := Resolve(short, tc, key); v != 1 || err != nil { // it is there
				t.Errorf("got %d, %v", v, err)
			}
			return nil
		})
	})
}

// TestAnotherCallersCancelIsNotMine: a creation that failed because its first
// caller was cancelled is tried again by the next.
func TestAnotherCallersCancelIsNotMine(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := 0
		key := &Key[int]{ID: "k", PerRun: true, Create: func(ctx context.Context, _ *Context) (int, error) {
			if n++; n == 1 {
				<-ctx.Done()
				return 0, ctx.Err()
			}
			return n, nil
		}}
		inCall(t, &Run{}, func(ctx context.Context, tc *Context) error {
			first, cancel := context.WithCancel(ctx)
			var all sync.WaitGroup
			all.Go(func() {
				if _, err := Resolve(first, tc, key); !errors.Is(err, context.Canceled) {
					t.Errorf("first: %v", err)
				}
			})
			synctest.Wait()
			all.Go(func() {
				if v, err := Resolve(ctx, tc, key); v != 2 || err != nil {
					t.Errorf("second: %d, %v", v, err)
				}
			})
			synctest.Wait()
			cancel()
			all.Wait()
			return nil
		})
	})
}

func TestResolveOutsideAPipeline(t *testing.T) {
	key, n := counted("k", false)
	for range 2 {
		if _, err := Resolve(context.Background(), &Context{}, key); err != nil {
			t.Error(err)
		}
	}
	if n.Load() != 2 {
		t.Errorf("created %d times, want no cache", n.Load())
	}
}
