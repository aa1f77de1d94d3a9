package script_test

import (
	"context"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/agent-ls/agent-ls/agent"
	"github.com/agent-ls/agent-ls/agent/script"
)

// play lets m answer the prompts, each until it makes no call, and returns what
// it said.
func play(t *testing.T, m agent.Model, prompts int) (said []agent.Delta) {
	t.Helper()
	var at agent.Progress
	for range prompts {
		at = agent.Progress{Prompts: at.Prompts + 1}
		for again := true; again; {
			calls := 0
			_, err := m.Respond(context.Background(), agent.Request{Session: "s1", Progress: at}, func(d agent.Delta) error {
				if d.Call != nil {
					calls++
				}
				if n := len(said); n > 0 && d.Text != "" && said[n-1].Text != "" {
					said[n-1].Text += d.Text
					return nil
				}
				said = append(said, d)
				return nil
			})
			if err != nil {
				said = append(said, agent.Delta{Text: "error: " + err.Error()})
			}
			if again = calls > 0; again {
				at.Batches++
			}
		}
	}
	return said
}

// A recording plays as what was recorded.
func TestRecordings(t *testing.T) {
	s, err := script.Parse([]byte(`{"turns":[
		{"steps":[{"think":"hm"},{"say":"one "},{"say":"two"},{"calls":[{"name":"a","args":{"x":"<&>"},"id":"i"},{"name":"b","args":"{\"x\": 1}"},{"name":"c"}]},{"say":"done"}]},
		{"steps":[{"say":"cut"},{"stop":"max_tokens"}]},
		{"steps":[{"error":{"status":400,"message":"no"}}]}]}`))
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(t.TempDir(), "new")
	r := script.NewRecorder(dir, slog.New(slog.DiscardHandler))
	want := play(t, r.Wrap(script.NewModel(s)), 3)
	aside := agent.Request{Session: "s1", Aside: true, Progress: agent.Progress{Prompts: 1}}
	if _, err := r.Wrap(script.NewModel(s)).Respond(context.Background(), aside, func(agent.Delta) error { return nil }); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(dir, "s1.script.json")
	again, err := script.Load(file)
	if err != nil {
		t.Fatal(err)
	}
	got := play(t, script.NewModel(again), 3)
	if len(got) != len(want) || len(got) != 7 {
		t.Fatalf("%d pieces, want %d", len(got), len(want))
	}
	for i := range got {
		if got[i].Text != want[i].Text || got[i].Thought != want[i].Thought || (got[i].Call != nil) != (want[i].Call != nil) || got[i].Call != nil && *got[i].Call != *want[i].Call {
			t.Errorf("piece %d is %+v, want %+v", i, got[i], want[i])
		}
	}
	if info, err := os.Stat(file); err != nil || info.Mode().Perm()&0o077 != 0 && os.PathSeparator == '/' {
		t.Errorf("mode %v, %v", info.Mode(), err)
	}
}

// answers is a model that answers each request as the next of its answers says.
type answers []func(yield func(agent.Delta) error) error

func (a *answers) Respond(_ context.Context, _ agent.Request, yield func(agent.Delta) error) (agent.Finish, error) {
	next := (*a)[0]
	*a = (*a)[1:]
	return agent.Finish{}, next(yield)
}

// A conversation that was replaced by a summary goes on in the turn where it is,
// and what the summary helped against is not played.
func TestRecordingsAcrossASummary(t *testing.T) {
	say := func(text string) func(func(agent.Delta) error) error {
		return func(yield func(agent.Delta) error) error { return yield(agent.Delta{Text: text}) }
	}
	full := func(func(agent.Delta) error) error { return &agent.ProviderError{Message: "full", TooLong: true} }
	dir := t.TempDir()
	m := script.NewRecorder(dir, slog.New(slog.DiscardHandler)).Wrap(&answers{say("one"), say("a summary"), say("three"), full, say("a summary"), say("four")})
	for _, r := range []agent.Request{
		{Progress: agent.Progress{Prompts: 1}}, {Progress: agent.Progress{Prompts: 2}, Aside: true}, {Progress: agent.Progress{Prompts: 3}},
		{Progress: agent.Progress{Prompts: 4}}, {Progress: agent.Progress{Prompts: 4}, Aside: true}, {Progress: agent.Progress{Prompts: 4}},
	} {
		r.Session = "s1"
		_, _ = m.Respond(context.Background(), r, func(agent.Delta) error { return nil }) // one of them fails
	}
	s, err := script.Load(filepath.Join(dir, "s1.script.json"))
	if err != nil {
		t.Fatal(err)
	}
	said := play(t, script.NewModel(s), 4)
	var words []string
	for _, d := range said {
		words = append(words, d.Text)
	}
	if got := strings.Join(words, " "); got != "onethreefour" || len(s.Turns) != 4 {
		t.Errorf("plays %q in %d turns", got, len(s.Turns))
	}
}
