package tools

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/agent-ls/agent-ls/presentation"
	"github.com/agent-ls/agent-ls/tools/schema"
)

// names returns what s sees by every way there is, and fails when they differ.
func names(t *testing.T, r *Registry, s *Scope) string {
	t.Helper()
	var listed, projected []string
	for _, d := range r.List(s) {
		listed = append(listed, d.Name)
		if got, ok := r.Get(s, d.Name); !ok || got != d {
			t.Errorf("Get(%q) is another definition than List has", d.Name)
		}
	}
	for _, p := range r.Schemas(s) {
		projected = append(projected, p.Name)
	}
	if !slices.Equal(listed, projected) {
		t.Errorf("listed %v, projected %v", listed, projected)
	}
	return strings.Join(listed, " ")
}

func mustRegister(t *testing.T, r *Registry, s *Scope, d *Definition) (dispose func()) {
	t.Helper()
	var err error
	if s == nil {
		dispose, err = r.Register(d)
	} else {
		dispose, err = r.RegisterScoped(s, d)
	}
	if err != nil {
		t.Fatal(err)
	}
	return dispose
}

func TestRegister(t *testing.T) {
	r := NewRegistry()
	first := mustRegister(t, r, nil, tool("b", nil))
	mustRegister(t, r, nil, tool("a", nil))
	if got := names(t, r, nil); got != "a b" {
		t.Errorf("sees %s", got)
	}
	first()
	again := mustRegister(t, r, nil, tool("b", nil))
	first() // does not remove the second of that name
	if got := names(t, r, nil); got != "a b" {
		t.Errorf("sees %s", got)
	}
	again()
	if _, ok := r.Get(nil, "b"); ok {
		t.Error("b is still there")
	}
}

func TestRegisterRefuses(t *testing.T) {
	r := NewRegistry()
	s, gone := r.NewScope(), r.NewScope()
	gone.Dispose()
	mustRegister(t, r, nil, tool("taken", nil))
	mustRegister(t, r, s, tool("taken", nil))
	slow := tool("n", nil)
	slow.Timeout = -time.Second
	odd := tool("n", nil)
	odd.Mode = "sometimes"
	declared := tool("bad/name", nil)
	declared.Source = SourceDeclared
	tests := []struct {
		name  string
		scope *Scope
		d     *Definition
		want  string
	}{
		{"nil", nil, nil, "tool definition is nil"},
		{"no name", nil, tool("", nil), "tool name must not be empty"},
		{"no body", nil, &Definition{Name: "n"}, `tool "n" has no Execute`},
		{"duplicate", nil, tool("taken", nil), `tool "taken" is already registered; register it in a session's scope to shadow it there`},
		{"duplicate in scope", s, tool("taken", nil), `tool "taken" is already registered in this scope`},
		{"deadline", nil, slow, `tool "n" timeoutMs must be a positive finite number`},
		{"mode", nil, odd, `tool "n": unknown execution mode "sometimes"`},
		{"declared name", s, declared, `tool name is invalid: "bad/name"; a declared tool's name begins with a letter and has only letters, digits, _ . -`},
		{"disposed scope", gone, tool("n", nil), `tool "n": the scope is disposed`},
	}
	for _, tt := range tests {
		var err error
		if tt.scope == nil {
			_, err = r.Register(tt.d)
		} else {
			_, err = r.RegisterScoped(tt.scope, tt.d)
		}
		if err == nil || err.Error() != tt.want {
			t.Errorf("%s: got %v, want %s", tt.name, err, tt.want)
		}
	}
	if _, err := r.RegisterScoped(nil, tool("n", nil)); err == nil {
		t.Error("a scoped tool without a scope was taken")
	}
	for _, name := range []string{"a", "Z9_.-"} {
		d := tool(name, nil)
		d.Source = SourceDeclared
		mustRegister(t, r, nil, d)
	}
}

// TestShadowing: the scoped tool wins, whichever was first, and the global one
// is back when it goes.
func TestShadowing(t *testing.T) {
	for _, scopedFirst := range []bool{false, true} {
		r := NewRegistry()
		s, other := r.NewScope(), r.NewScope()
		global, scoped := tool("n", nil), tool("n", nil)
		var unshadow func()
		if scopedFirst {
			unshadow = mustRegister(t, r, s, scoped)
			mustRegister(t, r, nil, global)
		} else {
			mustRegister(t, r, nil, global)
			unshadow = mustRegister(t, r, s, scoped)
		}
		sees := func(s *Scope, want *Definition) {
			t.Helper()
			if got, _ := r.Get(s, "n"); got != want {
				t.Errorf("scoped first %v: wrong definition", scopedFirst)
			}
			if n := names(t, r, s); n != "n" {
				t.Errorf("sees %q", n)
			}
		}
		sees(s, scoped)
		sees(other, global)
		sees(nil, global)
		unshadow()
		unshadow()
		sees(s, global)
	}
}

func TestDisposedScopeSeesNothing(t *testing.T) {
	r := NewRegistry()
	mustRegister(t, r, nil, tool("global", nil))
	s := r.NewScope()
	dispose := mustRegister(t, r, s, tool("own", nil))
	lift, err := r.Restrict(s, Restriction{Deny: []string{"global"}})
	if err != nil {
		t.Fatal(err)
	}
	changes := 0
	r.OnChange(func() error { changes++; return nil })
	s.Dispose()
	s.Dispose()
	dispose()
	lift()
	if got := names(t, r, s); got != "" {
		t.Errorf("sees %s", got)
	}
	if got := names(t, r, nil); got != "global" {
		t.Errorf("the global layer has %s", got)
	}
	if changes != 1 {
		t.Errorf("%d changes", changes)
	}
	if _, err := r.Restrict(s, Restriction{Deny: []string{"global"}}); err == nil {
		t.Error("a disposed scope was restricted")
	}
}

func TestRestrictions(t *testing.T) {
	r := NewRegistry()
	for _, n := range []string{"a", "b", "c"} {
		mustRegister(t, r, nil, tool(n, nil))
	}
	s := r.NewScope()
	mustRegister(t, r, s, tool("own", nil))
	restrict := func(f Restriction) (lift func()) {
		t.Helper()
		lift, err := r.Restrict(s, f)
		if err != nil {
			t.Fatal(err)
		}
		return lift
	}
	sees := func(want string) {
		t.Helper()
		if got := names(t, r, s); got != want {
			t.Errorf("sees %q, want %q", got, want)
		}
	}
	given := []string{"a"}
	deny := restrict(Restriction{Deny: given})
	given[0] = "b" // too late
	sees("b c own")
	later := mustRegister(t, r, nil, tool("d", nil))
	sees("b c d own") // deny alone admits what comes later
	allow := restrict(Restriction{Allow: []string{"a", "b"}})
	sees("b own") // both hold
	mustRegister(t, r, nil, tool("e", nil))
	sees("b own") // allow keeps out what comes later
	deny()
	deny()
	sees("a b own")
	allow()
	sees("a b c d e own")
	both := restrict(Restriction{Allow: []string{"a", "b"}, Deny: []string{"b"}})
	sees("a own")
	both()
	later()
	if got := names(t, r, nil); got != "a b c e" {
		t.Errorf("the global layer has %s", got)
	}
}

// TestScopedToolIsNeverFiltered: not even when it shadows a filtered global.
func TestScopedToolIsNeverFiltered(t *testing.T) {
	r := NewRegistry()
	mustRegister(t, r, nil, tool("n", nil))
	s := r.NewScope()
	if _, err := r.Restrict(s, Restriction{Deny: []string{"n"}}); err != nil {
		t.Fatal(err)
	}
	if got := names(t, r, s); got != "" {
		t.Errorf("sees %q", got)
	}
	mustRegister(t, r, s, tool("n", nil))
	if got := names(t, r, s); got != "n" {
		t.Errorf("sees %q", got)
	}
}

func TestRestrictRefuses(t *testing.T) {
	r := NewRegistry()
	mustRegister(t, r, nil, tool("a", nil))
	mustRegister(t, r, nil, tool("b", nil))
	s := r.NewScope()
	mustRegister(t, r, s, tool("own", nil))
	tests := []struct {
		name  string
		scope *Scope
		f     Restriction
		want  string
	}{
		{"no scope", nil, Restriction{Deny: []string{"a"}}, "a tool restriction needs a scope"},
		{"empty", s, Restriction{}, "a tool restriction must allow or deny at least one tool"},
		{"empty lists", s, Restriction{Allow: []string{}, Deny: []string{}}, "a tool restriction must allow or deny at least one tool"},
		{"unknown", s, Restriction{Allow: []string{"x", "a"}, Deny: []string{"w", "x"}}, `tool restriction names "w", "x", which are no global tools; known: "a", "b"`},
		{"scoped", s, Restriction{Deny: []string{"own"}}, `tool restriction names "own", which are no global tools; known: "a", "b"`},
	}
	for _, tt := range tests {
		if _, err := r.Restrict(tt.scope, tt.f); err == nil || err.Error() != tt.want {
			t.Errorf("%s: got %v, want %s", tt.name, err, tt.want)
		}
	}
	if got := names(t, r, s); got != "a b own" {
		t.Errorf("a refused restriction holds: sees %s", got)
	}
}

func TestChanges(t *testing.T) {
	r := NewRegistry()
	s := r.NewScope()
	var seen []string
	stop := r.OnChange(func() error { seen = append(seen, names(t, r, s)); return nil })
	dispose := mustRegister(t, r, nil, tool("a", nil))
	mustRegister(t, r, s, tool("b", nil))
	lift, err := r.Restrict(s, Restriction{Deny: []string{"a"}})
	if err != nil {
		t.Fatal(err)
	}
	lift()
	lift()
	dispose()
	dispose()
	stop()
	mustRegister(t, r, s, tool("c", nil))
	if got, want := strings.Join(seen, "|"), "a|a b|b|a b|b"; got != want {
		t.Errorf("saw %s, want %s", got, want)
	}
}

// TestChangesAreRolledBack: when a listener refuses, nothing has changed, and
// who saw the change sees it undone.
func TestChangesAreRolledBack(t *testing.T) {
	refusals := map[string]func() error{
		"error": func() error { return errors.New("no room") },
		"panic": func() error { panic("no room") },
	}
	for how, refuse := range refusals {
		r := NewRegistry()
		s := r.NewScope()
		mustRegister(t, r, nil, tool("a", nil))
		var seen []string
		r.OnChange(func() error { seen = append(seen, names(t, r, s)); return nil })
		r.OnChange(refuse)
		if _, err := r.Register(tool("b", nil)); err == nil || !strings.Contains(err.Error(), "no room") {
			t.Errorf("%s: Register says %v", how, err)
		}
		if _, err := r.RegisterScoped(s, tool("c", nil)); err == nil {
			t.Errorf("%s: RegisterScoped was taken", how)
		}
		if _, err := r.Restrict(s, Restriction{Deny: []string{"a"}}); err == nil {
			t.Errorf("%s: Restrict was taken", how)
		}
		if got, want := strings.Join(seen, "|"), "a b|a|a c|a||a"; got != want {
			t.Errorf("%s: saw %s, want %s", how, got, want)
		}
		if got := names(t, r, s); got != "a" {
			t.Errorf("%s: sees %s", how, got)
		}
	}
}

func TestRemovalCannotBeRefused(t *testing.T) {
	r := NewRegistry()
	dispose := mustRegister(t, r, nil, tool("a", nil))
	r.OnChange(func() error { return errors.New("no") })
	dispose()
	if got := names(t, r, nil); got != "" {
		t.Errorf("sees %s", got)
	}
}

// TestSchemasHaveThreeKeys: nothing but name, description and parameters ever
// reaches a model (seed 002).
func TestSchemasHaveThreeKeys(t *testing.T) {
	r := NewRegistry()
	d := tool("n", nil)
	d.Label, d.Timeout, d.Strict, d.Mode, d.Source = "L", time.Second, true, Sequential, SourceMCP
	d.Parameters = numberArg()
	d.PresentCall = func(json.RawMessage) presentation.CallView { return nil }
	mustRegister(t, r, nil, d)
	mustRegister(t, r, nil, tool("bare", nil))
	data, err := json.Marshal(r.Schemas(nil))
	if err != nil {
		t.Fatal(err)
	}
	want := `[{"name":"bare","description":"a test","parameters":{"type":"object"}},` +
		`{"name":"n","description":"a test","parameters":{"type":"object","properties":{"a":{"type":"number"}},"required":["a"]}}]`
	if string(data) != want {
		t.Errorf("got  %s\nwant %s", data, want)
	}
}

func TestSchemasAreCopies(t *testing.T) {
	r := NewRegistry()
	d := tool("n", nil)
	d.Parameters = numberArg()
	mustRegister(t, r, nil, d)
	got := r.Schemas(nil)
	got[0].Parameters.Required[0] = "z"
	got[0].Parameters.Properties[0].Schema.Type = "string"
	got[0].Parameters.Closed = true
	if v := d.Parameters.Validate([]byte(`{"a":1,"b":2}`)); len(v) != 0 {
		t.Errorf("the tool's own schema has changed: %s", schema.Join(v))
	}
	again := r.Schemas(nil)[0].Parameters
	if again.Required[0] != "a" || again.Properties[0].Schema.Type != "number" || again.Closed {
		t.Errorf("the next projection has changed: %+v", again)
	}
}

func TestRegistryIsSafeForConcurrentUse(t *testing.T) {
	r := NewRegistry()
	mustRegister(t, r, nil, tool("shared", nil))
	r.OnChange(func() error { r.List(nil); return nil })
	var all sync.WaitGroup
	for i := range 4 {
		all.Go(func() {
			s := r.NewScope()
			for j := range 20 {
				dispose, err := r.RegisterScoped(s, tool(fmt.Sprint("t", i, j), nil))
				if err != nil {
					t.Error(err)
					return
				}
				lift, err := r.Restrict(s, Restriction{Deny: []string{"shared"}})
				if err != nil {
					t.Error(err)
					return
				}
				r.Schemas(s)
				lift()
				dispose()
			}
			s.Dispose()
		})
	}
	all.Wait()
	if got := names(t, r, nil); got != "shared" {
		t.Errorf("sees %s", got)
	}
}
