package agent

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/agent-ls/agent-ls/presentation"
	"github.com/agent-ls/agent-ls/tools"
	"github.com/agent-ls/agent-ls/tools/permission"
)

// fakeAsker answers with fn and keeps the questions.
type fakeAsker struct {
	asked chan Question
	fn    func(ctx context.Context, q Question) (Answer, error)
}

func asker(fn func(ctx context.Context, q Question) (Answer, error)) *fakeAsker {
	return &fakeAsker{asked: make(chan Question, 100), fn: fn}
}

// answers always gives a.
func answers(a Answer) *fakeAsker {
	return asker(func(context.Context, Question) (Answer, error) { return a, nil })
}

// silent never answers.
func silent() *fakeAsker {
	return asker(func(ctx context.Context, _ Question) (Answer, error) {
		<-ctx.Done()
		return "", context.Cause(ctx)
	})
}

func (a *fakeAsker) Ask(ctx context.Context, q Question) (Answer, error) {
	a.asked <- q
	return a.fn(ctx, q)
}

// asking opens a session in a mode whose questions go to a.
func (w *world) asking(mode permission.Mode, a Asker) *Session {
	return w.session(func(o *SessionOptions) { o.Mode, o.FrontEnd.Asker = mode, a })
}

// only returns the result of the only call.
func (w *world) only() tools.Result {
	w.t.Helper()
	finished := eventsOf[ToolCallFinished](w.sink.all())
	if len(finished) != 1 {
		w.t.Fatalf("%d calls finished", len(finished))
	}
	return finished[0].Result
}

// TestAModeCountsFromTheNextCall: a call is decided about as its card said when
// it was announced, also when the mode changes in between.
func TestAModeCountsFromTheNextCall(t *testing.T) {
	w := newWorld(t, model())
	s := w.asking(permission.FullAccess, nil)
	def, ok := w.registry.Get(nil, "run")
	if !ok {
		t.Fatal("no such tool")
	}
	allow := func() (tools.Decision, error) { return tools.Decision{Kind: tools.Allow}, nil }
	x := tools.Execution{Name: "run", Definition: def, Arguments: json.RawMessage(args("ls"))}
	for _, tc := range []struct {
		before, after permission.Mode
		want          tools.DecisionKind
	}{
		{permission.FullAccess, permission.AskMode, tools.Allow},
		{permission.AskMode, permission.FullAccess, tools.Ask},
		{permission.FullAccess, permission.ReadOnly, tools.Allow},
	} {
		set := func(m permission.Mode) {
			if err := s.SetMode(m); err != nil {
				t.Fatal(err)
			}
		}
		set(tc.before)
		pending := s.mayAsk(x)
		set(tc.after)
		d, err := s.decide(t.Context(), x, allow)
		if err != nil || d.Kind != tc.want || pending != (tc.want == tools.Ask) {
			t.Errorf("announced in %s, run in %s: begins as pending: %v, then %s, %v", tc.before, tc.after, pending, d.Kind, err)
		}
		s.settled(x, tools.Result{})
	}
}

func TestAnswers(t *testing.T) {
	for _, tc := range []struct {
		answer  Answer
		runs    bool
		reason  StopReason
		decided string
		text    string
	}{
		{AllowOnce, true, EndTurn, "allow_once", "ls"},
		{AllowAlways, true, EndTurn, "allow_always", "ls"},
		{RejectOnce, false, EndTurn, "reject_once", "rejected"},
		{RejectAlways, false, EndTurn, "reject_always", "rejected"},
		{AnswerCancelled, false, StopCancelled, "cancelled", "cancelled"},
		{"no_such_option", false, EndTurn, "reject_once", "rejected"},
	} {
		w := newWorld(t, model(says(Finish{}, callOf("run", args("ls")))))
		s := w.asking(permission.AskMode, answers(tc.answer))
		w.run(s, "go", tc.reason)
		r := w.only()
		if r.IsError == tc.runs || !strings.Contains(resultText(r), tc.text) {
			t.Errorf("%s: result %q, error %v", tc.answer, resultText(r), r.IsError)
		}
		records := w.sink.all()
		asked, decided := eventsOf[PermissionAsked](records), eventsOf[PermissionDecided](records)
		if len(asked) != 1 || len(decided) != 1 || asked[0].CallID != decided[0].CallID || decided[0].Outcome != tc.decided {
			t.Errorf("%s: asked %v, decided %v", tc.answer, asked, decided)
		}
		names := kinds(records)
		running := slices.Index(names, "tool_call_running")
		if tc.runs != (running > slices.Index(names, "permission_decided")) || !tc.runs && running >= 0 {
			t.Errorf("%s: records %v", tc.answer, names)
		}
		if !eventsOf[ToolCallStarted](records)[0].MayAsk {
			t.Errorf("%s: the card does not begin as pending", tc.answer)
		}
	}
}

func TestTheQuestionHasThePlannedDiff(t *testing.T) {
	w := newWorld(t, model(says(Finish{}, callOf("edit", args("a.txt")))))
	a := answers(AllowOnce)
	s := w.asking(permission.AskMode, a)
	w.run(s, "go", EndTurn)
	q := <-a.asked
	started := eventsOf[ToolCallStarted](w.sink.all())[0]
	view, ok := q.View.(*presentation.DiffCall)
	if !ok || view.Title != "Edit a.txt" || q.CallID != started.CallID || q.Name != "edit" || q.Session != s {
		t.Errorf("question %+v", q)
	}
	if q.Scope == "" || q.Reason == "" || q.Arguments != args("a.txt") {
		t.Errorf("scope %q, reason %q, arguments %q", q.Scope, q.Reason, q.Arguments)
	}
	names := kinds(w.sink.all())
	if planned := slices.Index(names, "tool_call_planned"); planned < 0 || planned > slices.Index(names, "permission_asked") {
		t.Errorf("records %v", names)
	}
}

func TestAlwaysIsRemembered(t *testing.T) {
	grants := filepath.Join(t.TempDir(), "grants.json")
	call := says(Finish{}, callOf("run", args("ls -l")))
	w := newWorld(t, model(call, nil, call), func(c *Config) { c.Grants = permission.OpenGrants(grants) })
	a := answers(AllowAlways)
	s := w.asking(permission.AskMode, a)
	w.run(s, "one", EndTurn)
	w.run(s, "two", EndTurn)
	w.model.responses = []response{call}
	o := w.reopen(func(c *Config) { c.Grants = permission.OpenGrants(grants) })
	o.run(o.asking(permission.AskMode, a), "three", EndTurn)
	if n := len(a.asked); n != 1 {
		t.Errorf("asked %d times", n)
	}
	for _, f := range eventsOf[ToolCallFinished](append(w.sink.all(), o.sink.all()...)) {
		if f.Result.IsError {
			t.Errorf("denied: %s", resultText(f.Result))
		}
	}
}

func TestRejectAlwaysIsRemembered(t *testing.T) {
	call := says(Finish{}, callOf("run", args("ls -l")))
	w := newWorld(t, model(call, nil, call))
	a := answers(RejectAlways)
	s := w.asking(permission.AskMode, a)
	w.run(s, "one", EndTurn)
	w.run(s, "two", EndTurn)
	if n := len(a.asked); n != 1 {
		t.Errorf("asked %d times", n)
	}
	for _, f := range eventsOf[ToolCallFinished](w.sink.all()) {
		if !f.Result.IsError {
			t.Error("it ran")
		}
	}
}

func TestAnAnswerThatCannotBeRememberedHoldsOnce(t *testing.T) {
	blocked := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(blocked, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	w := newWorld(t, model(says(Finish{}, callOf("run", args("ls")))), func(c *Config) {
		c.Grants = permission.OpenGrants(filepath.Join(blocked, "grants.json"))
	})
	w.run(w.asking(permission.AskMode, answers(AllowAlways)), "go", EndTurn)
	if r := w.only(); r.IsError {
		t.Errorf("not allowed: %s", resultText(r))
	}
	if n := eventsOf[Notice](w.sink.all()); len(n) != 1 || !strings.Contains(n[0].Title, "only this once") {
		t.Errorf("notices %v", n)
	}
}

func TestNobodyToAsk(t *testing.T) {
	w := newWorld(t, model(says(Finish{}, callOf("run", args("ls")))))
	w.run(w.asking(permission.AskMode, nil), "go", EndTurn)
	r := w.only()
	if !r.IsError || r.Error.Code != tools.CodeDenied {
		t.Errorf("result %+v", r)
	}
	if text := r.Content[0].Text; !strings.Contains(text, "no approval channel is available. Go on without it; the user can") {
		t.Errorf("it does not say what to do: %s", text)
	}
}

func TestABrokenAskerDenies(t *testing.T) {
	for why, a := range map[string]*fakeAsker{
		"connection lost": asker(func(context.Context, Question) (Answer, error) { return AllowOnce, errors.New("connection lost") }),
		"boom":            asker(func(context.Context, Question) (Answer, error) { panic("boom") }),
	} {
		w := newWorld(t, model(says(Finish{}, callOf("run", args("ls")))))
		w.run(w.asking(permission.AskMode, a), "go", EndTurn)
		r := w.only()
		if !r.IsError || r.Error.Code != tools.CodeDenied {
			t.Errorf("%s: result %+v", why, r)
		}
		if text := r.Content[0].Text; !strings.Contains(text, why) {
			t.Errorf("the reason %q is not said: %s", why, text)
		}
	}
}

func TestNoAnswerInTimeIsSaid(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, model(says(Finish{}, callOf("run", args("ls")))), func(c *Config) { c.PermissionTimeout = 30 * time.Second })
		s := w.asking(permission.AskMode, silent())
		start := time.Now()
		w.run(s, "go", EndTurn)
		if d := time.Since(start); d < 30*time.Second || d > 31*time.Second {
			t.Errorf("it took %v", d)
		}
		r := w.only()
		if !r.IsError || !strings.Contains(resultText(r), "not given within 30s") || r.Error.Code != tools.CodeDenied {
			t.Errorf("result %q, %+v", resultText(r), r.Error)
		}
		if d := eventsOf[PermissionDecided](w.sink.all()); len(d) != 1 || d[0].Outcome != "timeout" {
			t.Errorf("decided %v", d)
		}
		w.hub.Close()
	})
}

func TestCancelWithAnOpenQuestion(t *testing.T) {
	checkLeaks(t)
	w := newWorld(t, model(says(Finish{}, callOf("run", args("ls")), callOf("run", args("rm")))))
	a := silent()
	s := w.asking(permission.AskMode, a)
	wait := s.Enqueue(t.Context(), prompt("go"))
	<-a.asked
	s.Cancel()
	if reason, err := wait(); reason != StopCancelled || err != nil {
		t.Errorf("%q, %v", reason, err)
	}
	for _, f := range eventsOf[ToolCallFinished](w.sink.all()) {
		if !f.Result.IsError {
			t.Error("a call ran")
		}
	}
	if len(a.asked) != 0 {
		t.Error("a second question after the cancel")
	}
	w.hub.Close()
}

func TestADeafAskerDoesNotHoldTheTurn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		gate := make(chan struct{})
		w := newWorld(t, model(says(Finish{}, callOf("run", args("ls")))))
		a := asker(func(context.Context, Question) (Answer, error) { <-gate; return AllowAlways, nil })
		s := w.asking(permission.AskMode, a)
		wait := s.Enqueue(context.Background(), prompt("go"))
		<-a.asked
		start := time.Now()
		s.Cancel()
		if reason, _ := wait(); reason != StopCancelled || time.Since(start) > 100*time.Millisecond {
			t.Errorf("%q after %v", reason, time.Since(start))
		}
		close(gate) // the late answer changes nothing and is not remembered
		w.hub.Close()
		if g, err := w.hub.c.Grants.List(); err != nil || len(g) != 0 {
			t.Errorf("grants %v, %v", g, err)
		}
	})
}

func TestQuestionsOfASessionComeOneAtATime(t *testing.T) {
	w := newWorld(t, model())
	gate := make(chan struct{})
	a := asker(func(context.Context, Question) (Answer, error) { <-gate; return AllowOnce, nil })
	s := w.asking(permission.AskMode, a)
	results := make(chan tools.Result, 2)
	for range 2 {
		go func() {
			r, _ := s.Execute(context.Background(), tools.Call{Name: "run", Arguments: args("ls")})
			results <- r
		}()
	}
	<-a.asked
	other := w.asking(permission.AskMode, answers(AllowOnce))
	if r, err := other.Execute(t.Context(), tools.Call{Name: "run", Arguments: args("ls")}); err != nil || r.IsError {
		t.Errorf("another session waited: %+v, %v", r, err)
	}
	if len(a.asked) != 0 {
		t.Error("two questions at once")
	}
	gate <- struct{}{}
	<-a.asked
	gate <- struct{}{}
	for range 2 {
		if r := <-results; r.IsError {
			t.Errorf("denied: %s", resultText(r))
		}
	}
}

func TestModesAreInForceAtOnce(t *testing.T) {
	edit := says(Finish{}, callOf("edit", args("a.txt")))
	w := newWorld(t, model(edit, nil, edit, nil, edit, nil, edit))
	a := answers(RejectOnce)
	s := w.asking(permission.FullAccess, a)
	for _, tc := range []struct {
		mode   permission.Mode
		asked  int
		failed bool
	}{
		{permission.FullAccess, 0, false},
		{permission.AskMode, 1, true},
		{permission.ReadOnly, 0, true},
		{permission.AcceptEdits, 0, false},
	} {
		if err := s.SetMode(tc.mode); err != nil {
			t.Fatal(err)
		}
		before := len(a.asked)
		w.run(s, "go", EndTurn)
		finished := eventsOf[ToolCallFinished](w.sink.all())
		if got := finished[len(finished)-1].Result; got.IsError != tc.failed || len(a.asked)-before != tc.asked {
			t.Errorf("%s: %q, asked %d", tc.mode, resultText(got), len(a.asked)-before)
		}
	}
	err := s.SetMode("ful-access")
	if err == nil || !strings.Contains(err.Error(), "full-access") || s.Mode() != permission.AcceptEdits {
		t.Errorf("SetMode of nonsense: %v, mode %s", err, s.Mode())
	}
	if n := len(eventsOf[ModeChanged](w.sink.all())); n != 3 {
		t.Errorf("%d changes of mode", n)
	}
}

func TestARunningTurnSeesTheNewMode(t *testing.T) {
	w := newWorld(t, model(
		says(Finish{}, callOf("block", args("x"))),
		says(Finish{}, callOf("edit", args("a.txt"))),
	))
	s := w.asking(permission.FullAccess, nil)
	wait := s.Enqueue(t.Context(), prompt("go"))
	<-w.started
	if err := s.SetMode(permission.ReadOnly); err != nil {
		t.Fatal(err)
	}
	close(w.release)
	if _, err := wait(); err != nil {
		t.Fatal(err)
	}
	finished := eventsOf[ToolCallFinished](w.sink.all())
	if r := finished[1].Result; !r.IsError {
		t.Error("the edit ran in read-only mode")
	}
}

func TestRepeatsAreRemarkedForModelsAlone(t *testing.T) {
	for _, direct := range []bool{false, true} {
		var responses []response
		for range 4 {
			responses = append(responses, says(Finish{}, callOf("echo", args("x"))))
		}
		m := model(responses...)
		w := newWorld(t, m, func(c *Config) {
			c.OpenModel = func(string) (Model, ModelInfo, error) { return m, ModelInfo{ID: "fake", Direct: direct}, nil }
		})
		s := w.session()
		w.run(s, "go", EndTurn)
		reminders := 0
		for _, m := range s.History() {
			if m.Role == RoleContext {
				reminders++
			}
		}
		if (reminders > 0) == direct {
			t.Errorf("direct %v: %d reminders", direct, reminders)
		}
	}
}

func TestACallReachesOnlyWhatWasJudged(t *testing.T) {
	for _, tc := range []struct {
		mode permission.Mode
		open string
		ok   bool
	}{
		{permission.AskMode, "a.txt", true},
		{permission.AskMode, "b.txt", false},
		{permission.FullAccess, "b.txt", true},
	} {
		w := newWorld(t, model(says(Finish{}, callOf("look", args("a.txt")))))
		for _, name := range []string{"a.txt", "b.txt"} {
			if err := os.WriteFile(filepath.Join(w.cwd, name), []byte(name), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		var s *Session
		def := tools.Define(tools.Spec[echoArgs]{
			Name:   "look",
			Access: func(a echoArgs) []tools.Access { return []tools.Access{{Kind: tools.AccessRead, Path: a.Text}} },
			Execute: func(ctx context.Context, _ echoArgs, c *tools.Context) (tools.Result, error) {
				h, err := s.ViewFor(c).Open(ctx, tc.open)
				return tools.TextResult(h.Content()), err
			},
		})
		if _, err := w.registry.Register(def); err != nil {
			t.Fatal(err)
		}
		s = w.asking(tc.mode, nil)
		w.run(s, "go", EndTurn)
		if r := w.only(); r.IsError == tc.ok {
			t.Errorf("%s, %s: %q", tc.mode, tc.open, resultText(r))
		}
		if n := len(s.judged.of) + len(s.denials.of); n != 0 {
			t.Errorf("%d entries left of settled calls", n)
		}
	}
}
