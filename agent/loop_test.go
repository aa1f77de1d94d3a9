package agent

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/agent-ls/agent-ls/presentation"
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

func TestInstructions(t *testing.T) {
	w := newWorld(t, model(), func(c *Config) {
		c.System = func(s *Session) string { return "from the configuration of " + s.Cwd() }
	})
	s := w.session(func(o *SessionOptions) { o.Roots = []string{"/further/root"} })
	s.SetGuidance("b", "guidance B")
	s.SetGuidance("a", "guidance A")
	s.SetGuidance("c", "guidance C")
	s.SetGuidance("c", "")
	w.run(s, "go", EndTurn)
	system := w.model.asked()[0].System
	at := 0
	for _, part := range []string{"coding agent", w.cwd, "/further/root", "from the configuration of " + w.cwd, "guidance A\n\nguidance B"} {
		i := strings.Index(system[at:], part)
		if i < 0 {
			t.Fatalf("%q is not there, or not in order:\n%s", part, system)
		}
		at += i
	}
	if strings.Contains(system, "guidance C") {
		t.Error("removed guidance is still there")
	}
}

func TestToolsOfASession(t *testing.T) {
	w := newWorld(t, model())
	s, other := w.session(), w.session()
	def := tools.Define(tools.Spec[echoArgs]{
		Name: "aaa_mine", Description: "mine",
		Execute: func(context.Context, echoArgs, *tools.Context) (tools.Result, error) { return tools.Result{}, nil },
	})
	n := len(s.Tools())
	dispose, err := s.AddTool(def)
	if err != nil {
		t.Fatal(err)
	}
	if got := s.Tools(); len(got) != n+1 || got[0].Name != "aaa_mine" {
		t.Errorf("tools %v", got)
	}
	if got := other.Tools(); len(got) != n {
		t.Error("another session sees it")
	}
	w.run(s, "go", EndTurn)
	if got := w.model.asked()[0].Tools; len(got) != n+1 {
		t.Errorf("the model sees %d tools", len(got))
	}
	dispose()
	dispose()
	if got := s.Tools(); len(got) != n {
		t.Errorf("%d tools after dispose", len(got))
	}
	if n := len(eventsOf[ToolsChanged](w.sink.all())); n != 2 {
		t.Errorf("%d ToolsChanged", n)
	}
	if _, err := s.AddTool(def, &tools.Definition{}); err == nil {
		t.Error("a tool without a name was added")
	}
	if got := s.Tools(); len(got) != n {
		t.Error("AddTool added some of its tools and failed")
	}
}

func TestMetadataIsRestored(t *testing.T) {
	w := newWorld(t, model())
	s := w.session()
	m := metadata{s}
	if err := m.Set("bad", json.RawMessage(`{"a":`)); err == nil {
		t.Error("broken JSON was stored")
	}
	for key, value := range map[string]string{"todos": `[ 1, 2 ]`, "gone": `1`, "null": `null`} {
		if err := m.Set(key, json.RawMessage(value)); err != nil {
			t.Fatal(err)
		}
	}
	if err := m.Set("gone", nil); err != nil {
		t.Fatal(err)
	}
	w.run(s, "go", EndTurn)
	s2, _ := w.reopen().load(s.ID())
	for _, s := range []*Session{s, s2} {
		m := metadata{s}
		if got := string(m.Get("todos")); got != `[1,2]` {
			t.Errorf("todos %s", got)
		}
		if got := m.Get("gone"); got != nil {
			t.Errorf("gone %s", got)
		}
		if got := string(m.Get("null")); got != `null` {
			t.Errorf("null %s", got)
		}
	}
}

func TestTextIsPaced(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const pieces = 500
		w := newWorld(t, model(func(ctx context.Context, _ Request, yield func(Delta) error) (Finish, error) {
			for i := range pieces {
				d := Delta{Text: fmt.Sprintf("<%d>", i)}
				if i%100 == 50 {
					d = Delta{Thought: "hm"}
				}
				if err := yield(d); err != nil {
					return Finish{}, err
				}
				time.Sleep(4 * time.Millisecond) // of the fake clock
			}
			return Finish{}, nil
		}))
		s := w.session()
		w.run(s, "go", EndTurn)
		records := w.sink.all()
		var said strings.Builder
		var times []time.Time
		for _, r := range records {
			if e, ok := r.Event.(AgentText); ok {
				said.WriteString(e.Text)
				times = append(times, r.Time)
			}
		}
		if n := strings.Count(said.String(), "<"); n != pieces-pieces/100 || !strings.HasSuffix(said.String(), "<499>") {
			t.Errorf("%d pieces arrived", n)
		}
		// 2 s at 20 a second, and one more at every change to a thought.
		if len(times) > 50 || len(times) < 30 {
			t.Errorf("%d records", len(times))
		}
		if first := times[0]; first.Sub(records[0].Time) > time.Millisecond {
			t.Errorf("the first piece waited %v", first.Sub(records[0].Time))
		}
		w.hub.Close()
	})
}

func TestRunesAreNotBroken(t *testing.T) {
	synctest.Test(t, testRunes)
}

func testRunes(t *testing.T) {
	for _, tc := range []struct{ name, in, want string }{
		{"split runes", "a≤b😀c", "a≤b😀c"},
		{"ends in a rune's beginning", "a≤"[:3], "a\uFFFD"},
		{"no text at all", "\xff\xfe", "\uFFFD\uFFFD"},
	} {
		w := newWorld(t, model(func(_ context.Context, _ Request, yield func(Delta) error) (Finish, error) {
			for i := range len(tc.in) {
				if err := yield(text(tc.in[i : i+1])); err != nil {
					return Finish{}, err
				}
				time.Sleep(pace) // of the fake clock: each byte is sent alone
			}
			return Finish{}, nil
		}))
		w.run(w.session(), "go", EndTurn)
		var got strings.Builder
		for _, e := range eventsOf[AgentText](w.sink.all()) {
			got.WriteString(e.Text)
		}
		if got.String() != tc.want {
			t.Errorf("%s: %q, want %q", tc.name, got.String(), tc.want)
		}
		w.hub.Close()
	}
}

func TestAModelFasterThanTheSinkWaits(t *testing.T) {
	gate := make(chan struct{})
	yielded := make(chan int, 10_000)
	w := newWorld(t, model(func(ctx context.Context, _ Request, yield func(Delta) error) (Finish, error) {
		for i := range 1000 {
			if err := yield(text(strings.Repeat("x", 1<<10))); err != nil {
				return Finish{}, err
			}
			yielded <- i
		}
		return Finish{}, nil
	}))
	w.sink.hook = func(_ *Session, r Record) {
		if _, ok := r.Event.(AgentText); ok {
			<-gate
		}
	}
	s := w.session()
	wait := s.Enqueue(t.Context(), prompt("go"))
	w.sink.wait(has[AgentText])
	for range maxHeld >> 10 {
		<-yielded // so many fit; the model cannot get much further
	}
	if n := len(yielded); n > 200 {
		t.Errorf("%d KiB were taken from the model while the sink was blocked", n)
	}
	close(gate)
	if reason, err := wait(); reason != EndTurn || err != nil {
		t.Errorf("%q, %v", reason, err)
	}
	total := 0
	for _, e := range eventsOf[AgentText](w.sink.all()) {
		total += len(e.Text)
	}
	if total != 1000<<10 {
		t.Errorf("%d bytes arrived", total)
	}
}

// hosted is a driver of its own kind.
type hosted struct {
	run    func(ctx context.Context, t *Turn) (StopReason, error)
	closed chan struct{}
}

func (h *hosted) Run(ctx context.Context, t *Turn) (StopReason, error) { return h.run(ctx, t) }
func (h *hosted) Close() error                                         { close(h.closed); return errors.New("it was closed") }

func TestADriverOfItsOwn(t *testing.T) {
	d := &hosted{closed: make(chan struct{}), run: func(ctx context.Context, t *Turn) (StopReason, error) {
		if t.Session() == nil || t.ID() == "" || t.Prompt()[0].Text != "go" {
			return "", errors.New("the turn is not whole")
		}
		m := t.NewMessage()
		m.Text("hosted says")
		m.End()
		t.Record(ToolCallStarted{CallID: "their-id", Name: "tool", View: &presentation.GenericCall{Title: "x"}})
		return EndTurn, nil
	}}
	w := newWorld(t, model(), func(c *Config) {
		c.OpenDriver = func(_ *Session, id string) (Driver, ModelInfo, bool, error) {
			return d, ModelInfo{ID: id}, id == "acp:x", nil
		}
	})
	s := w.session(func(o *SessionOptions) { o.Model = "acp:x" })
	w.run(s, "go", EndTurn)
	records := w.sink.all()
	if got := eventsOf[AgentText](records); len(got) != 1 || got[0].Text != "hosted says" {
		t.Errorf("text %v", got)
	}
	// A card that the driver left open is settled with the turn.
	if got := eventsOf[ToolCallFinished](records); len(got) != 1 || got[0].CallID != "their-id" || !got[0].Result.IsError {
		t.Errorf("finished %v", got)
	}
	if err := s.SetModel("fake"); err != nil {
		t.Fatal(err)
	}
	<-d.closed
	w.run(s, "to the model", EndTurn)
	if len(w.model.asked()) != 1 {
		t.Error("the model was not asked")
	}
}

func TestSetModel(t *testing.T) {
	w := newWorld(t, model())
	s := w.session()
	if err := s.SetModel("nonsense"); err == nil || s.Model().ID != "fake" {
		t.Errorf("SetModel(nonsense): %v, model %q", err, s.Model().ID)
	}
	for range 2 {
		if err := s.SetModel("other"); err != nil {
			t.Fatal(err)
		}
	}
	if n := len(eventsOf[ModelChanged](w.sink.all())); n != 1 || s.Model().ID != "other" {
		t.Errorf("%d changes, model %q", n, s.Model().ID)
	}
	w.run(s, "go", EndTurn)
	s2, _ := w.reopen().load(s.ID())
	if got := s2.Model().ID; got != "other" {
		t.Errorf("after a load the model is %q", got)
	}
}

func TestExecuteOutsideOfATurn(t *testing.T) {
	checkLeaks(t)
	w := newWorld(t, model())
	s := w.session()
	r, err := s.Execute(t.Context(), tools.Call{Name: "echo", Arguments: args("x")})
	if err != nil || resultText(r) != "x" {
		t.Errorf("%+v, %v", r, err)
	}
	if got := kinds(w.sink.all()); !slices.Equal(got, []string{"tool_call_started", "tool_call_running", "tool_call_finished"}) {
		t.Errorf("records %v", got)
	}
	if len(s.History()) != 0 {
		t.Error("it entered the conversation")
	}
	done := make(chan tools.Result)
	go func() {
		r, _ := s.Execute(context.Background(), tools.Call{Name: "block", Arguments: args("x")})
		done <- r
	}()
	<-w.started
	s.Close()
	if r := <-done; !r.IsError {
		t.Error("Close did not cancel it")
	}
	w.hub.Close()
}

func TestATurnDoesNotSettleTheCallsOfOthers(t *testing.T) {
	w := newWorld(t, model())
	s := w.session()
	done := make(chan tools.Result)
	go func() {
		r, _ := s.Execute(context.Background(), tools.Call{Name: "block", Arguments: args("x")})
		done <- r
	}()
	<-w.started
	w.run(s, "go", EndTurn)
	close(w.release)
	if r := <-done; r.IsError {
		t.Errorf("result %q", resultText(r))
	}
	if f := eventsOf[ToolCallFinished](w.sink.all()); len(f) != 1 || f[0].Result.IsError {
		t.Errorf("finished %+v", f)
	}
}
