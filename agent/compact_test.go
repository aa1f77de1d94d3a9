package agent

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/agent-ls/agent-ls/presentation"
	"github.com/agent-ls/agent-ls/tools"
)

// language makes the model one that can sum up.
func language(m *fakeModel) func(*Config) {
	return func(c *Config) {
		quick(c)
		c.OpenModel = func(id string) (Model, ModelInfo, error) {
			return m, ModelInfo{ID: id, ContextSize: 1000, Language: true, Thinking: []string{"low", "high"}}, nil
		}
	}
}

// statuses are the steps of the compactions so far.
func statuses(w *world) (out []CompactionStatus) {
	for _, e := range eventsOf[CompactionChanged](w.sink.all()) {
		out = append(out, e.Status)
	}
	return out
}

func TestCompactCommand(t *testing.T) {
	m := model(says(Finish{}, text("the answer")), says(Finish{Usage: &tools.Usage{Input: 50, Cost: 0.5}}, text("SUM"), text("MARY")), says(Finish{}, text("on")))
	w := newWorld(t, m, language(m))
	s := w.session()
	w.run(s, "the task", EndTurn)
	w.run(s, "/compact the names", EndTurn)
	w.run(s, "go on", EndTurn)
	ask := joinText(m.asked()[1].Messages[0].Blocks)
	for _, want := range []string{"the task", "the answer", "keep above all: the names"} {
		if !strings.Contains(ask, want) {
			t.Errorf("the summary is asked for without %q:\n%s", want, ask)
		}
	}
	if len(m.asked()[1].Tools) > 0 {
		t.Error("the summary is asked for with tools")
	}
	want := []string{"context SUMMARY", "user go on"}
	if got := outline(m.asked()[2].Messages); !slices.Equal(got, want) {
		t.Errorf("the next request has %q, want %q", got, want)
	}
	if got := statuses(w); !slices.Equal(got, []CompactionStatus{CompactionRunning, CompactionCompleted}) {
		t.Errorf("statuses %q", got)
	}
	if u := eventsOf[UsageChanged](w.sink.all()); len(u) != 1 || u[0].Cost != 0.5 || u[0].Used > 10 {
		t.Errorf("usage %+v", u)
	}
	s2, _ := w.reopen().load(s.ID())
	if got := outline(s2.History()); !slices.Equal(got, append(want, "assistant on")) {
		t.Errorf("after a load %q", got)
	}
}

func TestCompactIsTextToOtherModels(t *testing.T) {
	w := newWorld(t, model())
	w.run(w.session(), "/compact", EndTurn)
	if got := outline(w.model.asked()[0].Messages); !slices.Equal(got, []string{"user /compact"}) {
		t.Errorf("%q", got)
	}
}

// A conversation that fills the context is compacted between two steps, and the
// work goes on.
func TestCrowdedConversationsAreCompacted(t *testing.T) {
	full := &tools.Usage{TotalTokens: 950}
	m := model(
		says(Finish{Usage: full}, callOf("echo", args("found it"))),
		says(Finish{}, text("SUMMARY")),
		says(Finish{}, text("done")),
	)
	w := newWorld(t, m, language(m))
	w.run(w.session(), "the task", EndTurn)
	if ask := joinText(m.asked()[1].Messages[0].Blocks); !strings.Contains(ask, "found it") {
		t.Errorf("the summary is asked for without the result:\n%s", ask)
	}
	want := []string{"context SUMMARY", "user the task"}
	if got := outline(m.asked()[2].Messages); !slices.Equal(got, want) {
		t.Errorf("the next request has %q, want %q", got, want)
	}
}

func TestLongResultsAreCountedBeforeTheServerDoes(t *testing.T) {
	m := model(
		says(Finish{Usage: &tools.Usage{TotalTokens: 100}}, callOf("echo", args(strings.Repeat("word ", 1000)))),
		says(Finish{}, text("SUMMARY")),
	)
	w := newWorld(t, m, language(m))
	w.run(w.session(), "go", EndTurn)
	if got := statuses(w); len(got) != 2 {
		t.Errorf("statuses %q", got)
	}
}

func TestTooLongConversationsAreCompacted(t *testing.T) {
	m := model(
		fails(&ProviderError{Status: 400, Message: "too many tokens", TooLong: true}),
		says(Finish{}, text("SUMMARY")),
		says(Finish{}, text("done")),
	)
	w := newWorld(t, m, language(m))
	w.run(w.session(), "the task", EndTurn)
	if got := outline(m.asked()[2].Messages); !slices.Equal(got, []string{"context SUMMARY", "user the task"}) {
		t.Errorf("the next request has %q", got)
	}
}

func TestCompactionThatFails(t *testing.T) {
	for _, tc := range []struct {
		name string
		r    response
		want CompactionStatus
	}{
		{"an error", fails(&ProviderError{Status: 400, Message: "no"}), CompactionFailed},
		{"nothing", says(Finish{}), CompactionFailed},
	} {
		m := model(says(Finish{}, text("a")), tc.r)
		w := newWorld(t, m, language(m))
		s := w.session()
		w.run(s, "one", EndTurn)
		if _, err := s.Prompt(context.Background(), prompt("/compact")); err == nil {
			t.Errorf("%s: no error", tc.name)
		}
		if got := statuses(w); got[len(got)-1] != tc.want {
			t.Errorf("%s: %q", tc.name, got)
		}
		if got := outline(s.History()); !slices.Equal(got, []string{"user one", "assistant a", "user /compact"}) {
			t.Errorf("%s: the history is %q", tc.name, got)
		}
	}
}

func TestCompactionThatIsCancelled(t *testing.T) {
	m := model(says(Finish{}, text("a")), func(ctx context.Context, _ Request, _ func(Delta) error) (Finish, error) {
		<-ctx.Done()
		return Finish{}, ctx.Err()
	})
	w := newWorld(t, m, language(m))
	s := w.session()
	w.run(s, "one", EndTurn)
	go func() {
		w.sink.wait(has[CompactionChanged])
		s.Cancel()
	}()
	w.run(s, "/compact", StopCancelled)
	if got := statuses(w); !slices.Equal(got, []CompactionStatus{CompactionRunning, CompactionCancelled}) {
		t.Errorf("statuses %q", got)
	}
}

func TestTranscriptsAreBounded(t *testing.T) {
	var messages []Message
	for i := range 100 {
		messages = append(messages, Message{Role: RoleTool, Name: "echo", Blocks: []presentation.Block{
			presentation.Text(fmt.Sprintf("result %d %s", i, strings.Repeat("é", 5000))),
		}})
	}
	got := transcript(messages, 10_000)
	if len(got) > 11_000 || !strings.Contains(got, "result 99") || strings.Contains(got, "result 9 ") || !strings.Contains(got, "earlier messages are left out") {
		t.Errorf("%d bytes: %.200s", len(got), got)
	}
	if strings.ToValidUTF8(got, "") != got {
		t.Error("cut in the middle of a character")
	}
}

func TestThinkingIsASetting(t *testing.T) {
	m := model()
	w := newWorld(t, m, language(m), func(c *Config) { c.Thinking = "low" })
	s := w.session()
	w.run(s, "one", EndTurn)
	if err := s.Driver().(Configurable).Set(context.Background(), "thought_level", "high"); err != nil {
		t.Fatal(err)
	}
	w.run(s, "two", EndTurn)
	if err := s.Driver().(Configurable).Set(context.Background(), "thought_level", "default"); err != nil {
		t.Fatal(err)
	}
	w.run(s, "three", EndTurn)
	var got []string
	for _, r := range m.asked() {
		got = append(got, r.Thinking)
	}
	if !slices.Equal(got, []string{"low", "high", ""}) {
		t.Errorf("asked for %q", got)
	}
	if err := s.Driver().(Configurable).Set(context.Background(), "thought_level", "enormous"); err == nil || !strings.Contains(err.Error(), "low, high") {
		t.Errorf("error %v", err)
	}
}
