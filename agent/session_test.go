package agent

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/agent-ls/agent-ls/presentation"
	"github.com/agent-ls/agent-ls/tools"
)

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
	for _, part := range []string{"coding agent", "from the configuration of " + w.cwd, "guidance A\n\nguidance B", w.cwd, "/further/root", "Date: ", "full-access"} {
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

// hosted is a driver of its own kind.
type hosted struct {
	run    func(ctx context.Context, t *Turn) (StopReason, error)
	closed chan struct{}
}

func (h *hosted) Run(ctx context.Context, t *Turn) (StopReason, error) { return h.run(ctx, t) }

func (h *hosted) Close() error { close(h.closed); return errors.New("it was closed") }

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
