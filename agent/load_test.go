package agent

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/agent-ls/agent-ls/tools/permission"
)

func TestLoadGivesWhatWasShown(t *testing.T) {
	edit := says(Finish{}, text("now "), callOf("edit", args("a.txt")), callOf("emit", args("out\n")), callOf("nonsense", "{"))
	w := newWorld(t, model(append(busyTurn(), edit, nil, func(context.Context, Request, func(Delta) error) (Finish, error) {
		return Finish{}, &ProviderError{Message: "away"}
	})...))
	s := w.asking(permission.AskMode, answers(AllowAlways))
	w.run(s, "one", EndTurn)
	w.run(s, "two", EndTurn)
	if _, err := s.Prompt(t.Context(), prompt("three")); err == nil {
		t.Fatal("no error")
	}
	if err := s.SetMode(permission.ReadOnly); err != nil {
		t.Fatal(err)
	}
	live := s.state
	o := w.reopen()
	loaded, history := o.load(s.ID())
	if got, want := asJSON(t, history), asJSON(t, w.sink.all()); got != want {
		t.Errorf("the history differs\n got %s\nwant %s", got, want)
	}
	if len(o.sink.all()) != 0 {
		t.Error("Load gave records to the sink")
	}
	if got, want := fmt.Sprintf("%+v", loaded.state), fmt.Sprintf("%+v", live); got != want {
		t.Errorf("the state differs\n got %s\nwant %s", got, want)
	}
	if loaded.Mode() != permission.ReadOnly || loaded.Info().Title != "one" {
		t.Errorf("mode %q, title %q", loaded.Mode(), loaded.Info().Title)
	}
	o.run(loaded, "four", EndTurn)
	if first := o.sink.all()[0]; first.Seq != history[len(history)-1].Seq+1 {
		t.Errorf("goes on with number %d", first.Seq)
	}
}

func TestLoadOfAnOpenSessionTakesItOver(t *testing.T) {
	w := newWorld(t, model(blocks("a")))
	s := w.session()
	wait := s.Enqueue(t.Context(), prompt("go"))
	<-w.started
	s2, history, err := w.hub.Load(t.Context(), s.ID(), w.options())
	if err != nil {
		t.Fatal(err)
	}
	if reason, _ := wait(); reason != StopCancelled {
		t.Errorf("the old turn ended with %q", reason)
	}
	if got, _ := w.hub.Get(s.ID()); got != s2 || s2 == s {
		t.Error("the hub has the old session")
	}
	if !has[TurnEnded](history) {
		t.Error("the history has an open turn")
	}
	w.run(s2, "next", EndTurn)
}

func TestLoadOfASessionThatWasNeverPrompted(t *testing.T) {
	w := newWorld(t, model())
	s := w.session()
	if err := s.SetMode(permission.ReadOnly); err != nil {
		t.Fatal(err)
	}
	s2, history := w.load(s.ID())
	if len(history) != 0 || s2.Mode() != permission.ReadOnly || s2.ID() != s.ID() {
		t.Errorf("history %v, mode %s", history, s2.Mode())
	}
	w.run(s2, "go", EndTurn)
	if _, history := w.reopen().load(s.ID()); !has[UserMessage](history) {
		t.Error("nothing was saved")
	}
}

func TestLoadRefuses(t *testing.T) {
	w := newWorld(t, model())
	for _, id := range []string{"nobody", "", "../../etc/passwd", strings.Repeat("x", 500), "a/b", `a\b`, ".", "a.jsonl"} {
		if _, _, err := w.hub.Load(t.Context(), id, w.options()); !errors.Is(err, ErrUnknownSession) {
			t.Errorf("Load(%q): %v", id, err)
		}
		if err := w.hub.Delete(id); err != nil {
			t.Errorf("Delete(%q): %v", id, err)
		}
	}
	s := w.session()
	w.run(s, "go", EndTurn)
	o := w.reopen()
	if _, _, err := o.hub.Load(t.Context(), s.ID(), o.options(func(o *SessionOptions) { o.Mode = "nonsense" })); err == nil {
		t.Error("a nonsense mode was accepted")
	}
	if _, _, err := o.hub.Load(t.Context(), s.ID(), o.options(func(o *SessionOptions) { o.Model = "nonsense" })); err == nil {
		t.Error("a nonsense model was accepted")
	}
	o.load(s.ID()) // the failures left no lock behind
}

func TestLoadWithOtherOptions(t *testing.T) {
	w := newWorld(t, model())
	s := w.session()
	w.run(s, "go", EndTurn)
	updated := s.Info().Updated
	o := w.reopen()
	elsewhere := t.TempDir()
	change := func(o *SessionOptions) {
		o.Cwd, o.Roots, o.Mode, o.Model = elsewhere, []string{"/x"}, permission.ReadOnly, "other"
	}
	s2, history, err := o.hub.Load(t.Context(), s.ID(), o.options(change))
	if err != nil {
		t.Fatal(err)
	}
	if s2.Cwd() != elsewhere || s2.Mode() != permission.ReadOnly || s2.Model().ID != "other" || s2.View().Cwd() != elsewhere {
		t.Errorf("cwd %s, mode %s, model %s", s2.Cwd(), s2.Mode(), s2.Model().ID)
	}
	if !has[ModeChanged](history) || !has[ModelChanged](history) {
		t.Errorf("history %v", kinds(history))
	}
	p := o.reopen()
	page, _, err := p.hub.List(elsewhere, "", 0)
	if err != nil || len(page) != 1 || !page[0].Updated.Equal(updated) || !slices.Equal(page[0].Roots, []string{"/x"}) {
		t.Errorf("List of the new folder: %+v, %v", page, err)
	}
	if page, _, _ = p.hub.List(w.cwd, "", 0); len(page) != 0 {
		t.Error("still listed in the old folder")
	}
}

func TestAModelThatIsGoneIsReplaced(t *testing.T) {
	w := newWorld(t, model())
	s := w.session(func(o *SessionOptions) { o.Model = "other" })
	w.run(s, "go", EndTurn)
	o := w.reopen(func(c *Config) {
		open := c.OpenModel
		c.OpenModel = func(id string) (Model, ModelInfo, error) {
			if id == "other" {
				return nil, ModelInfo{}, errors.New("no key for it")
			}
			return open(id)
		}
	})
	s2, history := o.load(s.ID())
	notices := eventsOf[Notice](history)
	if s2.Model().ID != "fake" || len(notices) != 1 || !strings.Contains(notices[0].Text, "no key for it") {
		t.Errorf("model %q, notices %v", s2.Model().ID, notices)
	}
}

func TestNewRefuses(t *testing.T) {
	w := newWorld(t, model())
	for name, change := range map[string]func(*SessionOptions){
		"mode":  func(o *SessionOptions) { o.Mode = "nonsense" },
		"model": func(o *SessionOptions) { o.Model = "nonsense" },
	} {
		if _, err := w.hub.New(t.Context(), w.options(change)); err == nil || !strings.Contains(err.Error(), "nonsense") {
			t.Errorf("%s: %v", name, err)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := w.hub.New(ctx, w.options()); !errors.Is(err, context.Canceled) {
		t.Errorf("with a cancelled context: %v", err)
	}
	if page, _, _ := w.hub.List("", "", 0); len(page) != 0 {
		t.Errorf("sessions left over: %v", page)
	}
}

func TestCurrentSessionOfAConnection(t *testing.T) {
	w := newWorld(t, model())
	conn, other := new(int), new(int)
	on := func(c any) func(*SessionOptions) { return func(o *SessionOptions) { o.FrontEnd.Connection = c } }
	if _, ok := w.hub.Current(conn); ok {
		t.Error("a current session before any was made")
	}
	first, second := w.session(on(conn)), w.session(on(conn))
	elsewhere := w.session(on(other))
	for c, want := range map[any]*Session{conn: second, other: elsewhere} {
		if got, ok := w.hub.Current(c); !ok || got != want {
			t.Errorf("current session %v", got)
		}
	}
	first.Close()
	second.Close()
	if _, ok := w.hub.Current(conn); ok {
		t.Error("a closed session is current")
	}
}

func TestManyLoadsOfOneSession(t *testing.T) {
	w := newWorld(t, model())
	s := w.session()
	w.run(s, "go", EndTurn)
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			if _, history, err := w.hub.Load(t.Context(), s.ID(), w.options()); err != nil || len(history) != 4 {
				t.Errorf("%d records, %v", len(history), err)
			}
		})
	}
	all.Wait()
}
