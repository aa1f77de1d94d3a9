package agent

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/agent-ls/agent-ls/tools"
)

// outline prints messages in short: role, text, calls.
func outline(messages []Message) []string {
	var out []string
	for _, m := range messages {
		line := string(m.Role)
		if t := joinText(m.Blocks); t != "" {
			line += " " + t
		}
		for _, c := range m.Calls {
			line += " " + c.Name
		}
		out = append(out, line)
	}
	return out
}

func TestLoopFeedsResultsBack(t *testing.T) {
	w := newWorld(t, model(
		says(Finish{}, text("I "), text("look"), callOf("echo", args("A")), callOf("echo", args("B"))),
		says(Finish{}, callOf("fail", args(""))),
		says(Finish{}, text("done")),
	))
	s := w.session()
	w.run(s, "go", EndTurn)
	asked := w.model.asked()
	if len(asked) != 3 {
		t.Fatalf("%d requests", len(asked))
	}
	want := []string{
		"user go", "assistant I look echo echo", "tool A", "tool B",
		"assistant fail", "tool Error executing tool: it failed",
	}
	if got := outline(asked[2].Messages); !slices.Equal(got, want) {
		t.Errorf("third request\n got %q\nwant %q", got, want)
	}
	if got, want := outline(s.History()), append(want, "assistant done"); !slices.Equal(got, want) {
		t.Errorf("history\n got %q\nwant %q", got, want)
	}
	tool := asked[2].Messages[2]
	if call := asked[2].Messages[1].Calls[0]; tool.CallID != call.CallID || tool.Name != "echo" || call.ModelID != "call_0" {
		t.Errorf("tool message %+v of call %+v", tool, call)
	}
	if !asked[2].Messages[5].IsError {
		t.Error("the failure is not marked")
	}
}

func TestHistoryIsTheSameAfterALoad(t *testing.T) {
	w := newWorld(t, model(append(busyTurn(), busyTurn()...)...))
	s := w.session()
	w.run(s, "one", EndTurn)
	w.run(s, "two", EndTurn)
	before := outline(s.History())
	s2, _ := w.reopen().load(s.ID())
	if after := outline(s2.History()); !slices.Equal(before, after) {
		t.Errorf("after the load\n got %q\nwant %q", after, before)
	}
}

func TestCallIDsAreUniqueWhateverTheModelGives(t *testing.T) {
	twice := says(Finish{}, callOf("echo", args("a")), callOf("echo", args("b")))
	w := newWorld(t, model(twice, twice, nil, twice))
	s := w.session()
	w.run(s, "one", EndTurn)
	w.run(s, "two", EndTurn)
	o := w.reopen()
	o.model.responses = []response{twice}
	s2, history := o.load(s.ID())
	o.run(s2, "three", EndTurn)
	seen := map[string]bool{}
	for _, e := range eventsOf[ToolCallStarted](append(history, o.sink.all()...)) {
		if seen[e.CallID] {
			t.Errorf("%s twice", e.CallID)
		}
		seen[e.CallID] = true
	}
	if len(seen) != 8 {
		t.Errorf("%d ids, want 8", len(seen))
	}
}

func TestStopReasons(t *testing.T) {
	call := callOf("echo", args("x"))
	for _, tc := range []struct {
		name      string
		responses []response
		want      StopReason
		requests  int
	}{
		{"no call", []response{says(Finish{}, text("x"))}, EndTurn, 1},
		{"nothing at all", []response{says(Finish{})}, EndTurn, 1},
		{"max tokens", []response{says(Finish{Reason: MaxTokens}, text("x"))}, MaxTokens, 1},
		{"refusal", []response{says(Finish{Reason: Refusal})}, Refusal, 1},
		{"refusal with calls", []response{says(Finish{Reason: Refusal}, call)}, Refusal, 1},
		{"cancelled by the model", []response{says(Finish{Reason: StopCancelled}, call)}, StopCancelled, 1},
		{"max tokens with calls goes on", []response{says(Finish{Reason: MaxTokens}, call), says(Finish{})}, EndTurn, 2},
		{"more to say", []response{says(Finish{More: true}, text("a")), says(Finish{}, text("b"))}, EndTurn, 2},
		{"more, and a reason", []response{says(Finish{More: true, Reason: Refusal})}, Refusal, 1},
		{"all calls ask to end", []response{says(Finish{}, callOf("finish", args("")))}, EndTurn, 1},
		{"one call asks to end", []response{says(Finish{}, callOf("finish", args("")), call), says(Finish{})}, EndTurn, 2},
	} {
		w := newWorld(t, model(tc.responses...))
		w.run(w.session(), "go", tc.want)
		if n := len(w.model.asked()); n != tc.requests {
			t.Errorf("%s: %d requests, want %d", tc.name, n, tc.requests)
		}
	}
}

func TestCallsOfACutOffMessageDoNotRun(t *testing.T) {
	w := newWorld(t, model(says(Finish{Reason: MaxTokens}, callOf("block", args("never")))))
	w.run(w.session(), "go", EndTurn)
	finished := eventsOf[ToolCallFinished](w.sink.all())
	if len(finished) != 1 || finished[0].Result.Error.Code != tools.CodeOutputLimit || len(w.started) > 0 {
		t.Errorf("finished %+v", finished)
	}
}

func TestRequestsAreBounded(t *testing.T) {
	again := says(Finish{}, callOf("echo", args("x")))
	w := newWorld(t, model(again, again, again, again, again), func(c *Config) { c.MaxRequests = 3 })
	w.run(w.session(), "go", MaxTurnRequests)
	if n := len(w.model.asked()); n != 3 {
		t.Errorf("%d requests", n)
	}
}

func TestDirectModelsAreNotBounded(t *testing.T) {
	var responses []response
	for range 5 {
		responses = append(responses, says(Finish{}, callOf("echo", args("x"))))
	}
	m := model(responses...)
	w := newWorld(t, m, func(c *Config) {
		c.MaxRequests = 3
		c.OpenModel = func(string) (Model, ModelInfo, error) { return m, ModelInfo{ID: "fake", Direct: true}, nil }
	})
	w.run(w.session(), "go", EndTurn)
}

func TestUsageIsWhatTheModelSays(t *testing.T) {
	w := newWorld(t, model(
		says(Finish{Usage: &tools.Usage{Input: 10, Output: 5, CacheRead: 3, Cost: 0.5}}, callOf("echo", args("x"))),
		says(Finish{Usage: &tools.Usage{TotalTokens: 40, Cost: 0.25}}),
		says(Finish{Usage: &tools.Usage{}}),
	))
	s := w.session()
	w.run(s, "one", EndTurn)
	w.run(s, "two", EndTurn)
	got := eventsOf[UsageChanged](w.sink.all())
	want := []UsageChanged{{18, 1000, 0.5, "USD"}, {40, 1000, 0.75, "USD"}}
	if !slices.Equal(got, want) {
		t.Errorf("usage %+v, want %+v", got, want)
	}
}

func TestContextComesBehindTheResultsOfTheStep(t *testing.T) {
	w := newWorld(t, model(
		says(Finish{}, callOf("echo", args("a")), callOf("echo", args("b"))),
		says(Finish{}, text("done")),
	))
	s := w.session()
	w.sink.hook = func(_ *Session, r Record) {
		if e, ok := r.Event.(ToolCallStarted); ok && strings.Contains(e.Arguments, "b") {
			go s.AddContext("tasks", "bash-1 ended")
		}
	}
	s.pipeline.OnPostExecute(func(_ context.Context, x tools.Execution, _ tools.Result, next func() (tools.PostDecision, error)) (tools.PostDecision, error) {
		w.sink.wait(has[ContextAdded])
		d, err := next()
		d.Context = append(d.Context, tools.HookContext{Source: "guard", Text: "about " + x.CallID[len(x.CallID)-1:]})
		return d, err
	})
	w.run(s, "go", EndTurn)
	want := []string{
		"user go", "assistant echo echo", "tool a", "tool b",
		"context about 1", "context about 2", "context bash-1 ended", "assistant done",
	}
	if got := outline(s.History()); !slices.Equal(got, want) {
		t.Errorf("history\n got %q\nwant %q", got, want)
	}
	if got := s.History()[4].Name; got != "guard" {
		t.Errorf("source %q", got)
	}
}
