package agent

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/agent-ls/agent-ls/tools"
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

func TestList(t *testing.T) {
	now := testTime
	w := newWorld(t, model(), func(c *Config) {
		c.Now = func() time.Time { now = now.Add(time.Second); return now }
	})
	var want []string
	for i := range 7 {
		s := w.session()
		w.run(s, fmt.Sprint("prompt ", i), EndTurn)
		want = append([]string{s.ID()}, want...)
		if i%2 == 0 {
			s.Close()
		}
	}
	idle := w.session()
	want = append([]string{idle.ID()}, want...)
	var got []string
	cursor := ""
	for pages := 0; ; pages++ {
		page, next, err := w.hub.List("", cursor, 3)
		if err != nil {
			t.Fatal(err)
		}
		for _, i := range page {
			got = append(got, i.ID)
		}
		if next == "" {
			if pages != 2 {
				t.Errorf("%d pages", pages+1)
			}
			break
		}
		cursor = next
	}
	if !slices.Equal(got, want) {
		t.Errorf("order\n got %v\nwant %v", got, want)
	}
	all, next, err := w.hub.List("", "", 0)
	if err != nil || len(all) != 8 || next != "" || all[1].Title != "prompt 6" {
		t.Errorf("all: %v, %q, %v", all, next, err)
	}
	for _, bad := range []string{"x", "e30=", "!!!"} {
		if _, _, err := w.hub.List("", bad, 3); err == nil {
			t.Errorf("cursor %q was accepted", bad)
		}
	}
	// A session that was never used is gone with its process.
	if page, _, _ := w.reopen().hub.List("", "", 0); len(page) != 7 {
		t.Errorf("%d sessions in another process", len(page))
	}
}

func TestListComparesFoldersByWhereTheyAre(t *testing.T) {
	w := newWorld(t, model())
	link := filepath.Join(t.TempDir(), "link")
	if err := os.Symlink(w.cwd, link); err != nil {
		t.Skip("no symlinks: ", err)
	}
	through := w.session(func(o *SessionOptions) { o.Cwd = link })
	real := w.session()
	w.run(through, "x", EndTurn)
	w.run(real, "x", EndTurn)
	through.Close()
	for _, cwd := range []string{w.cwd, link, w.cwd + string(filepath.Separator), filepath.Join(w.cwd, "sub", "..")} {
		page, _, err := w.hub.List(cwd, "", 0)
		if err != nil || len(page) != 2 {
			t.Errorf("List(%s): %v, %v", cwd, page, err)
		}
		for _, i := range page {
			if i.Cwd != cwd {
				t.Errorf("listed with cwd %s, asked %s", i.Cwd, cwd)
			}
		}
	}
	if page, _, _ := w.hub.List(t.TempDir(), "", 0); len(page) != 0 {
		t.Errorf("another folder has %v", page)
	}
	if runtime.GOOS == "windows" {
		if page, _, _ := w.hub.List(strings.ToUpper(w.cwd), "", 0); len(page) != 2 {
			t.Error("letter case counts on Windows")
		}
	}
}

func TestDelete(t *testing.T) {
	var forgot []string
	w := newWorld(t, model(blocks("a")), func(c *Config) {
		c.Forget = func(id string) error { forgot = append(forgot, id); return nil }
	})
	s := w.session()
	wait := s.Enqueue(t.Context(), prompt("go"))
	<-w.started
	if err := w.hub.Delete(s.ID()); err != nil {
		t.Fatal(err)
	}
	if reason, _ := wait(); reason != StopCancelled {
		t.Errorf("the turn ended with %q", reason)
	}
	if left, _ := os.ReadDir(filepath.Join(w.dir, "sessions")); len(left) != 0 {
		t.Errorf("left over: %v", left)
	}
	if err := w.hub.Delete(s.ID()); err != nil {
		t.Errorf("deleting twice: %v", err)
	}
	if !slices.Contains(forgot, s.ID()) {
		t.Error("the rest of it was not forgotten")
	}
	if err := w.hub.Delete("../x"); err != nil || slices.Contains(forgot, "../x") {
		t.Errorf("a path as an id: %v, forgot %v", err, forgot)
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

// storeSessions writes n closed sessions into the state of w.
func storeSessions(tb testing.TB, dir, cwd string, n int) {
	store := NewStore(dir, nil)
	for i := range n {
		id := fmt.Sprintf("session-%04d", i)
		at := testTime.Add(time.Duration(i) * time.Second)
		l := store.create(logHeader{Session: id, Cwd: cwd, RealCwd: cwd, Created: at})
		for _, e := range []Event{TurnStarted{Turn: "t"}, TitleChanged{Title: id}, UserMessage{Blocks: prompt(id)}, TurnEnded{Turn: "t", Reason: EndTurn}} {
			if err := l.append(Record{Seq: 1, Time: at, Event: e}); err != nil {
				tb.Fatal(err)
			}
		}
		if err := l.summarize(logSummary{Title: id, Cwd: cwd, RealCwd: cwd, Updated: at}); err != nil {
			tb.Fatal(err)
		}
		l.close()
	}
}

func TestAThousandSessionsAreListed(t *testing.T) {
	w := newWorld(t, model())
	storeSessions(t, w.dir, w.cwd, 1000)
	page, next, err := w.hub.List(w.cwd, "", 50)
	if err != nil || len(page) != 50 || next == "" || page[0].Title != "session-0999" {
		t.Errorf("%d entries, %v", len(page), err)
	}
}

func BenchmarkListThousand(b *testing.B) {
	w := newWorld(b, model())
	storeSessions(b, w.dir, w.cwd, 1000)
	b.ReportAllocs()
	for b.Loop() {
		if _, _, err := w.hub.List(w.cwd, "", 50); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkNew(b *testing.B) {
	w := newWorld(b, model())
	b.ReportAllocs()
	for b.Loop() {
		w.session().Close()
	}
}

func BenchmarkTurnOfFiftyCalls(b *testing.B) {
	w := newWorld(b, model())
	s := w.session()
	b.ReportAllocs()
	for b.Loop() {
		w.model.responses = nil
		for range 50 {
			w.model.responses = append(w.model.responses, says(Finish{}, callOf("echo", args("x"))))
		}
		w.run(s, "go", EndTurn)
	}
}

func TestResultsFromOutsideAreCutAndStored(t *testing.T) {
	store := newOutputs(t)
	big := strings.Repeat("a line of the result\n", 10_000)
	w := newWorld(t, model(says(Finish{}, callOf("foreign", args("")), callOf("ours", args("")))), func(c *Config) { c.Outputs = store })
	for name, source := range map[string]tools.Source{"foreign": tools.SourceMCP, "ours": tools.SourceBuiltin} {
		def := tools.Define(tools.Spec[echoArgs]{
			Name: name, Source: source, Access: func(echoArgs) []tools.Access { return nil },
			Execute: func(context.Context, echoArgs, *tools.Context) (tools.Result, error) {
				return tools.TextResult(big), nil
			},
		})
		if _, err := w.registry.Register(def); err != nil {
			t.Fatal(err)
		}
	}
	s := w.session()
	w.run(s, "go", EndTurn)
	for _, m := range s.History() {
		if m.Role != RoleTool {
			continue
		}
		size := len(joinText(m.Blocks))
		if cut := m.Name == "foreign"; cut != (size < len(big)) || cut != (m.OutputRef != "") {
			t.Errorf("%s: %d bytes, ref %q", m.Name, size, m.OutputRef)
		}
	}
}

func TestOldResultsGiveWay(t *testing.T) {
	big := strings.Repeat("x", 30_000)
	w := newWorld(t, model(
		says(Finish{}, callOf("echo", args("old"+big))),
		says(Finish{}, callOf("echo", args("mid"+big))),
		says(Finish{}, callOf("echo", args("new"+big))),
	), func(c *Config) {
		c.Outputs, c.Cache.TotalBudgetTrim, c.Cache.ContextBudgetTokens = newOutputs(t), true, 20_000
	})
	s := w.session()
	w.run(s, "go", EndTurn)
	asked := w.model.asked()
	var got []string
	for _, m := range asked[len(asked)-1].Messages {
		if m.Role == RoleTool {
			got = append(got, joinText(m.Blocks)[:10])
		}
	}
	if want := []string{"[tool outp", "midxxxxxxx", "newxxxxxxx"}; !slices.Equal(got, want) {
		t.Errorf("results %q, want %q", got, want)
	}
	if got := joinText(s.History()[2].Blocks); len(got) < len(big) {
		t.Error("the history itself was trimmed")
	}
}
