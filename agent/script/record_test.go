package script_test

import (
	"context"
	"log/slog"
	"os"
	"path/filepath"
	"testing"

	"github.com/agent-ls/agent-ls/agent"
	"github.com/agent-ls/agent-ls/agent/script"
	"github.com/agent-ls/agent-ls/presentation"
)

// play lets m answer the prompts, each until it makes no call, and returns what
// it said.
func play(t *testing.T, m agent.Model, prompts int) (said []agent.Delta) {
	t.Helper()
	var messages []agent.Message
	for range prompts {
		messages = append(messages, agent.Message{Role: agent.RoleUser, Blocks: []presentation.Block{presentation.Text("go")}})
		for again := true; again; {
			var calls []agent.AssistantCall
			_, err := m.Respond(context.Background(), agent.Request{Session: "s1", Messages: messages}, func(d agent.Delta) error {
				if d.Call != nil {
					calls = append(calls, agent.AssistantCall{Name: d.Call.Name})
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
			if again = len(calls) > 0; again {
				messages = append(messages, agent.Message{Role: agent.RoleAssistant, Calls: calls}, agent.Message{Role: agent.RoleTool})
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
	aside := agent.Request{Session: "s1", Aside: true}
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
