package tools

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Restriction filters the global layer for one scope (seed 002
// ToolRestriction). With Allow, only those globals are seen, and none that is
// registered later under another name; with Deny, all but those. With both, a
// tool must be in Allow and not in Deny. Tools of the scope itself are always
// seen.
type Restriction struct {
	Allow []string
	Deny  []string
}

// compiledRestriction is a Restriction with the names it had when it was
// added; a nil allow admits all.
type compiledRestriction struct {
	allow, deny map[string]bool
}

// Restrict adds a restriction to s; several intersect. Names that are no
// global tool are an error. lift takes back just this one.
func (r *Registry) Restrict(s *Scope, f Restriction) (lift func(), err error) {
	if s == nil {
		return nil, errors.New("a tool restriction needs a scope")
	}
	if len(f.Allow) == 0 && len(f.Deny) == 0 {
		return nil, errors.New("a tool restriction must allow or deny at least one tool")
	}
	c := &compiledRestriction{allow: nameSet(f.Allow), deny: nameSet(f.Deny)}
	if err := r.restrict(s, c, f); err != nil {
		return nil, err
	}
	remove := func() bool { return r.unrestrict(s, c) }
	if err := r.announce(func() { remove() }); err != nil {
		return nil, fmt.Errorf("tool restriction undone: %w", err)
	}
	return func() {
		if remove() {
			r.changed()
		}
	}, nil
}

func (r *Registry) restrict(s *Scope, c *compiledRestriction, f Restriction) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if s.disposed {
		return errors.New("tool restriction: the scope is disposed")
	}
	if unknown := r.unknown(f); len(unknown) > 0 {
		known := slices.Sorted(maps.Keys(r.global))
		return fmt.Errorf("tool restriction names %s, which are no global tools; known: %s",
			quoted(unknown), quoted(known))
	}
	s.restrictions = append(s.restrictions, c)
	return nil
}

// unrestrict reports whether c was still there.
func (r *Registry) unrestrict(s *Scope, c *compiledRestriction) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	i := slices.Index(s.restrictions, c)
	if i < 0 {
		return false
	}
	s.restrictions = slices.Delete(slices.Clone(s.restrictions), i, i+1)
	return true
}

// unknown returns the names of f that are no global tool, sorted.
func (r *Registry) unknown(f Restriction) []string {
	var names []string
	for _, n := range slices.Concat(f.Allow, f.Deny) {
		if _, ok := r.global[n]; !ok && !slices.Contains(names, n) {
			names = append(names, n)
		}
	}
	slices.Sort(names)
	return names
}

// admits reports whether s sees the global tool name; the caller holds the
// registry's lock.
func (s *Scope) admits(name string) bool {
	if s.disposed {
		return false
	}
	for _, c := range s.restrictions {
		if c.deny[name] || c.allow != nil && !c.allow[name] {
			return false
		}
	}
	return true
}

func nameSet(names []string) map[string]bool {
	if len(names) == 0 {
		return nil
	}
	set := make(map[string]bool, len(names))
	for _, n := range names {
		set[n] = true
	}
	return set
}

func quoted(names []string) string {
	out := make([]string, len(names))
	for i, n := range names {
		out[i] = fmt.Sprintf("%q", n)
	}
	return strings.Join(out, ", ")
}
