package tools

import (
	"context"
	"fmt"
	"log/slog"
	"strings"
	"sync"
)

// Key names a dependency and how to make it (seed 000 §4).
type Key[T any] struct {
	ID     string
	Create func(ctx context.Context, c *Context) (T, error)
	// PerRun keeps the value for all calls of one run instead of one call.
	PerRun bool
}

// Resolve returns the dependency: an override with the key's id, else what
// Create makes, at most once per call (or run) however many ask at once. A
// cycle is an error; a failed Create is not remembered. Create must resolve
// what it needs itself through the Context that it was given.
func Resolve[T any](ctx context.Context, c *Context, k *Key[T]) (T, error) {
	var zero T
	create := func(ctx context.Context, c *Context) (any, error) { return k.Create(ctx, c) }
	v, err := c.deps.resolve(ctx, c, k.ID, k.PerRun, create)
	if err != nil || v == nil {
		return zero, err
	}
	t, ok := v.(T)
	if !ok {
		return zero, fmt.Errorf("dependency %q: have %T, want %T", k.ID, v, zero)
	}
	return t, nil
}

// Overrides replace dependencies by id.
type Overrides map[string]func(ctx context.Context, c *Context) (any, error)

// Override adds an override that yields v.
func Override[T any](o Overrides, k *Key[T], v T) {
	o[k.ID] = func(context.Context, *Context) (any, error) { return v, nil }
}

type factory = func(ctx context.Context, c *Context) (any, error)

// scopes is what one Context resolves with: the values of its call and of its
// run, and which dependency it is creating.
type scopes struct {
	run       *scope
	call      map[string]*dependency // guarded by run.mu
	overrides Overrides
	creating  *dependency // nil in the tool's own Context
}

// scope holds the dependencies of one run. Its lock also guards those of the
// run's calls, so that a cycle across goroutines and calls can be seen.
type scope struct {
	mu     sync.Mutex
	values map[string]*dependency
}

// dependency is a value that is there, or is being made.
type dependency struct {
	id    string
	done  chan struct{} // closed when value and err are set
	value any
	err   error
	needs []*dependency // those in the making that its factory waits for
}

func newScope() *scope { return &scope{values: map[string]*dependency{}} }

// newCall returns the scopes of a new call of the run.
func (s *scope) newCall(o Overrides) *scopes {
	return &scopes{run: s, call: map[string]*dependency{}, overrides: o}
}

// resolve returns the value of id from the call's or the run's scope.
func (s *scopes) resolve(ctx context.Context, c *Context, id string, perRun bool, create factory) (any, error) {
	if s == nil { // a Context that no pipeline made
		return create(ctx, c)
	}
	if o, ok := s.overrides[id]; ok {
		create = o
	}
	for {
		d, mine, err := s.claim(id, perRun)
		if err != nil {
			return nil, err
		}
		if mine {
			s.make(ctx, c, d, perRun, create)
			return d.value, d.err
		}
		if err := s.await(ctx, d); err != nil {
			return nil, err
		}
		// What failed because another caller gave up is tried again.
		if d.err == nil || !isContextError(d.err) || ctx.Err() != nil {
			return d.value, d.err
		}
	}
}

// claim finds the dependency, or adds it for the caller to make. In both cases
// what the caller itself is creating needs it from now on; closing a circle of
// such needs is an error.
func (s *scopes) claim(id string, perRun bool) (d *dependency, mine bool, err error) {
	s.run.mu.Lock()
	defer s.run.mu.Unlock()
	values := s.values(perRun)
	if d = values[id]; d == nil {
		d = &dependency{id: id, done: make(chan struct{})}
		values[id] = d
		mine = true
	}
	if s.creating == nil || d.settled() {
		return d, mine, nil
	}
	if path := d.pathTo(s.creating); path != nil {
		return nil, false, cycleError(s.creating, path)
	}
	s.creating.needs = append(s.creating.needs, d)
	return d, mine, nil
}

// values returns where a key's value lives; the caller holds the lock.
func (s *scopes) values(perRun bool) map[string]*dependency {
	if perRun {
		return s.run.values
	}
	return s.call
}

// make runs the factory and settles d, whatever the factory does.
func (s *scopes) make(ctx context.Context, c *Context, d *dependency, perRun bool, create factory) {
	d.err = fmt.Errorf("dependency %q: its factory did not return", d.id)
	defer func() {
		s.run.mu.Lock()
		defer s.run.mu.Unlock()
		if d.err != nil {
			delete(s.values(perRun), d.id)
		}
		d.needs = nil
		close(d.done)
	}()
	inner := *s
	inner.creating = d
	child := *c
	child.deps = &inner
	d.err = contain(c.logger(), "factory of dependency "+d.id, func() (err error) {
		d.value, err = create(ctx, &child)
		return err
	})
}

// await waits until d is settled, and no longer than ctx lives.
func (s *scopes) await(ctx context.Context, d *dependency) error {
	select {
	case <-d.done:
		return nil
	default:
	}
	select {
	case <-d.done:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

func (d *dependency) settled() bool {
	select {
	case <-d.done:
		return true
	default:
		return false
	}
}

// pathTo returns how d depends on target, nil when it does not.
func (d *dependency) pathTo(target *dependency) []*dependency {
	if d == target {
		return []*dependency{d}
	}
	for _, n := range d.needs {
		if path := n.pathTo(target); path != nil {
			return append([]*dependency{d}, path...)
		}
	}
	return nil
}

func cycleError(from *dependency, path []*dependency) error {
	ids := []string{from.id}
	for _, d := range path {
		ids = append(ids, d.id)
	}
	return &Error{
		Name:    "DependencyCycleError",
		Code:    "DEPENDENCY_CYCLE",
		Message: "dependency cycle: " + strings.Join(ids, " → "),
		Hint:    "This is a defect of the tool, go on in another way",
	}
}

// logger returns the call's logger, or one that drops everything.
func (c *Context) logger() *slog.Logger {
	if c.Logger == nil {
		return discard
	}
	return c.Logger
}
