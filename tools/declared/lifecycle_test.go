package declared

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/agent-ls/agent-ls/tools"
)

func (s *session) names() []string {
	var names []string
	for _, d := range s.registry.List(s.scope) {
		names = append(names, d.Name)
	}
	return names
}

func named(name string) string {
	return `{"name":"` + name + `","description":"d","argsSchema":` + noArgs + `}`
}

func TestDefinitions(t *testing.T) {
	s := newSession(t, Options{Caller: &Handlers{}})
	s.declare(`{"name":"c","description":"the tool","strict":true,"argsSchema":{"type":"object","properties":{"b":{"type":"string"},"a":{"type":"number"}},"required":["a"],"additionalProperties":false}}`)
	d, ok := s.registry.Get(s.scope, "c")
	if !ok || d.Source != tools.SourceDeclared || d.Access != nil || d.Timeout != 0 || !d.Strict || d.Description != "the tool" {
		t.Fatalf("got %+v", d)
	}
	text, err := d.Parameters.MarshalJSON()
	const want = `{"type":"object","properties":{"b":{"type":"string"},"a":{"type":"number"},` +
		`"timeoutMs":{"type":"integer","description":"Milliseconds after which the call is given up, in place of the tool's own timeout.","minimum":1}},` +
		`"required":["a"],"additionalProperties":false}`
	if err != nil || string(text) != want {
		t.Errorf("got %s, %v", text, err)
	}
	if _, declared := tools.AccessOf(tools.Execution{Definition: d}); !declared {
		t.Error("the tool says what it touches")
	}
}

func TestReplace(t *testing.T) {
	s := newSession(t, Options{Caller: &Handlers{}})
	if got := s.Manifest(); got.Guidance != "" || len(got.Tools) != 0 {
		t.Errorf("got %+v", got)
	}
	s.declare(named("b"), named("a"))
	if got := s.names(); !slices.Equal(got, []string{"a", "b"}) {
		t.Errorf("got %q", got)
	}
	err := s.Replace(&Manifest{Tools: []Tool{{Name: "c", Description: "d", ArgsSchema: json.RawMessage(noArgs)}, {Name: "c"}}})
	if codeOf(err) != "INVALID_INPUT" || !slices.Equal(s.names(), []string{"a", "b"}) {
		t.Errorf("got %v, %q", err, s.names())
	}
	s.declare(named("b"), named("c"))
	if got := s.names(); !slices.Equal(got, []string{"b", "c"}) || s.Manifest().Guidance != "g" || len(s.Manifest().Tools) != 2 {
		t.Errorf("got %q", got)
	}
	if err := s.Replace(&Manifest{}); err != nil || len(s.names()) != 0 {
		t.Errorf("got %v, %q", err, s.names())
	}
}

func TestAFailedReplaceKeepsTheTools(t *testing.T) {
	s := newSession(t, Options{Caller: &Handlers{}})
	s.declare(named("a"))
	other, err := s.registry.RegisterScoped(s.scope, &tools.Definition{Name: "taken", Execute: func(context.Context, json.RawMessage, *tools.Context) (tools.Result, error) {
		return tools.Result{}, nil
	}})
	if err != nil {
		t.Fatal(err)
	}
	defer other()
	if err := s.Replace(mustManifest(t, manifestOf(named("b"), named("taken")))); err == nil {
		t.Fatal("a taken name was replaced")
	}
	if got := s.names(); !slices.Equal(got, []string{"a", "taken"}) || s.Manifest().Tools[0].Name != "a" {
		t.Errorf("got %q", got)
	}
	s.declare(named("c"))
	if got := s.names(); !slices.Equal(got, []string{"c", "taken"}) {
		t.Errorf("got %q", got)
	}
}

// The author's later changes have no effect (tools.md §4.1.5).
func TestTheManifestIsCopied(t *testing.T) {
	s := newSession(t, Options{Caller: &Handlers{}})
	m := mustManifest(t, manifestOf(named("a")))
	if err := s.Replace(m); err != nil {
		t.Fatal(err)
	}
	m.Guidance, m.Tools[0].Name = "changed", "changed"
	copy(m.Tools[0].ArgsSchema, `{"type":"array" `)
	got, err := s.Manifest().MarshalJSON()
	if want := manifestOf(named("a")); err != nil || string(got) != want {
		t.Errorf("got %s, %v", got, err)
	}
}

func TestACallEndsWithTheToolItBeganWith(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		goOn := make(chan struct{})
		s := newSession(t, Options{Caller: callerFunc(func(context.Context, Request) (json.RawMessage, error) {
			<-goOn
			return json.RawMessage(`"old"`), nil
		})})
		s.declare(named("a"))
		got := make(chan string)
		go func() { got <- outcome(s.call(t.Context(), "c1", "a", `{}`)) }()
		synctest.Wait()
		s.declare(named("b"))
		close(goOn)
		if got := <-got; got != "old" {
			t.Errorf("got %s", got)
		}
		if got := outcome(s.call(t.Context(), "c2", "a", `{}`)); got != "UNKNOWN_TOOL" {
			t.Errorf("got %s", got)
		}
	})
}

func TestClose(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newSession(t, Options{Caller: callerFunc(func(ctx context.Context, _ Request) (json.RawMessage, error) {
			<-ctx.Done()
			time.Sleep(time.Second) // cleans up
			return nil, ctx.Err()
		})})
		s.declare(named("a"))
		d, _ := s.registry.Get(s.scope, "a")
		results := make(chan string)
		for _, id := range []string{"c1", "c2"} { // one runs, one queues
			go func() { results <- outcome(s.call(t.Context(), id, "a", `{}`)) }()
			synctest.Wait()
		}
		start := time.Now()
		if err := s.Close(t.Context()); err != nil || time.Since(start) != time.Second {
			t.Errorf("got %v after %s", err, time.Since(start))
		}
		for range 2 {
			if got := <-results; got != "SESSION_ENDED" {
				t.Errorf("got %s", got)
			}
		}
		if len(s.names()) != 0 {
			t.Errorf("left behind: %q", s.names())
		}
		if err := s.Replace(&Manifest{}); codeOf(err) != "SESSION_ENDED" {
			t.Errorf("got %v", err)
		}
		if r, err := d.Execute(t.Context(), json.RawMessage(`{}`), &tools.Context{}); err != nil || outcome(r) != "SESSION_ENDED" {
			t.Errorf("got %s, %v", outcome(r), err)
		}
		if err := s.Close(t.Context()); err != nil {
			t.Error(err)
		}
	})
}

func TestCloseDoesNotWaitForEver(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		goOn := make(chan struct{})
		s := newSession(t, Options{Caller: callerFunc(func(context.Context, Request) (json.RawMessage, error) {
			<-goOn
			return json.RawMessage(`1`), nil
		})})
		s.declare(named("a"))
		got := make(chan string)
		go func() { got <- outcome(s.call(t.Context(), "c1", "a", `{}`)) }()
		synctest.Wait()
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if err := s.Close(ctx); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("got %v", err)
		}
		if got := <-got; got != "SESSION_ENDED" {
			t.Errorf("got %s", got)
		}
		close(goOn)
		synctest.Wait()
		if s.Late() != 1 {
			t.Errorf("%d late answers", s.Late())
		}
	})
}

// The clock comes in through fields.
func TestInjectedClock(t *testing.T) {
	fire := make(chan func(), 1)
	stopped := make(chan time.Duration, 1)
	s := newSession(t, Options{
		AfterFunc: func(d time.Duration, f func()) func() bool {
			fire <- f
			return func() bool { stopped <- d; return true }
		},
		Caller: callerFunc(func(ctx context.Context, _ Request) (json.RawMessage, error) {
			(<-fire)()
			<-ctx.Done()
			return nil, ctx.Err()
		}),
	})
	s.declare(named("a"))
	if got := outcome(s.call(t.Context(), "c1", "a", `{}`)); got != "TOOL_TIMEOUT" {
		t.Errorf("got %s", got)
	}
	if d := <-stopped; d != DefaultTimeout {
		t.Errorf("the timer was for %s", d)
	}
}

// Appendix A.10: a named override, then disposed, in the same turn.
func TestOverrideThenInline(t *testing.T) {
	var turns []string
	say := func(text string) Handler {
		return func(_ context.Context, r Request) (json.RawMessage, error) {
			turns = append(turns, r.TurnID)
			return json.RawMessage(text), nil
		}
	}
	var h Handlers
	s := newSession(t, Options{Caller: &h, Turn: func() (string, time.Time) { return "turn1", time.Time{} }})
	m := mustManifest(t, manifestOf(named("a")))
	m.Tools[0].Handler = say(`"inline"`)
	if err := s.Replace(m); err != nil {
		t.Fatal(err)
	}
	dispose, err := h.On("a", say(`"named"`))
	if err != nil {
		t.Fatal(err)
	}
	first := outcome(s.call(t.Context(), "c1", "a", `{}`))
	dispose()
	second := outcome(s.call(t.Context(), "c2", "a", `{}`))
	if first != "named" || second != "inline" || !slices.Equal(turns, []string{"turn1", "turn1"}) {
		t.Errorf("got %s, %s in %q", first, second, turns)
	}
}
