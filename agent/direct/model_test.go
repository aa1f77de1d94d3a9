package direct

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/agent-ls/agent-ls/agent"
	"github.com/agent-ls/agent-ls/presentation"
	"github.com/agent-ls/agent-ls/tools"
	"github.com/agent-ls/agent-ls/tools/permission"
)

// respond collects what the model says to messages.
func respond(t *testing.T, messages ...agent.Message) (text string, calls []agent.CallDelta) {
	t.Helper()
	finish, err := New().Respond(t.Context(), agent.Request{Messages: messages, Tools: offered}, func(d agent.Delta) error {
		text += d.Text
		if d.Call != nil {
			calls = append(calls, *d.Call)
		}
		return nil
	})
	if err != nil || finish.Reason != "" || finish.More {
		t.Fatalf("finish %+v, %v", finish, err)
	}
	return text, calls
}

func user(blocks ...presentation.Block) agent.Message {
	return agent.Message{Role: agent.RoleUser, Blocks: blocks}
}

func batch(n int) agent.Message {
	return agent.Message{Role: agent.RoleAssistant, Calls: make([]agent.AssistantCall, n)}
}

func result(failed bool) agent.Message { return agent.Message{Role: agent.RoleTool, IsError: failed} }

func TestBatchesComeOneAfterAnother(t *testing.T) {
	prompt := user(presentation.Text("/ls a\n& /ls b\n/ls c"))
	if _, calls := respond(t, prompt); len(calls) != 2 || calls[1].Arguments != `{"path":"b"}` {
		t.Errorf("first batch %v", calls)
	}
	since := []agent.Message{prompt, batch(2), result(false), result(true)}
	if _, calls := respond(t, since...); len(calls) != 1 || calls[0].Arguments != `{"path":"c"}` {
		t.Errorf("second batch %v", calls)
	}
	since = append(since, batch(1), result(false), agent.Message{Role: agent.RoleContext})
	text, calls := respond(t, since...)
	if len(calls) != 0 || text != "3 calls: 2 completed, 1 failed." {
		t.Errorf("the end: %q, %v", text, calls)
	}
}

func TestOnlyTheLastPromptCounts(t *testing.T) {
	text, calls := respond(t, user(presentation.Text("/ls a")), batch(1), result(true), user(presentation.Text("/ls b")), batch(1), result(false))
	if text != "1 call: 1 completed, 0 failed." || calls != nil {
		t.Errorf("%q, %v", text, calls)
	}
}

func TestOnlyTextIsAProgram(t *testing.T) {
	text, calls := respond(t, user(
		presentation.Block{Type: presentation.BlockResource, Text: "/ls resource", URI: "file:///x"},
		presentation.Text("look at"),
		presentation.Block{Type: presentation.BlockLink, Name: "!rm", URI: "/ls link"},
		presentation.Text("/ls text"),
	))
	if len(calls) != 1 || calls[0].Arguments != `{"path":"text"}` {
		t.Errorf("%q, %v", text, calls)
	}
}

func TestAPromptWithoutACallIsAnswered(t *testing.T) {
	for _, prompt := range []string{"hello", "/tmp is full?", ""} {
		text, calls := respond(t, user(presentation.Text(prompt)))
		if calls != nil || !strings.Contains(text, "/read") || !strings.Contains(text, "--model") || strings.Contains(text, "\n") || len(text) > 600 {
			t.Errorf("%q: %q, %v", prompt, text, calls)
		}
	}
	if text, _ := respond(t); text == "" {
		t.Error("no messages at all: no answer")
	}
}

func TestAnErrorOfYieldEndsTheResponse(t *testing.T) {
	stop := errors.New("stop")
	for _, prompt := range []string{"hello", "/ls\n& /ls"} {
		n := 0
		_, err := New().Respond(t.Context(), agent.Request{Messages: []agent.Message{user(presentation.Text(prompt))}, Tools: offered}, func(agent.Delta) error {
			n++
			return stop
		})
		if !errors.Is(err, stop) || n != 1 {
			t.Errorf("%q: %v after %d pieces", prompt, err, n)
		}
	}
}

// TestInASession runs a program through a whole session.
func TestInASession(t *testing.T) {
	registry := tools.NewRegistry()
	type args struct {
		Text string `json:"text"`
	}
	_, err := registry.Register(tools.Define(tools.Spec[args]{
		Name: "say", Access: func(args) []tools.Access { return nil },
		Execute: func(_ context.Context, a args, _ *tools.Context) (tools.Result, error) {
			return tools.TextResult(a.Text), nil
		},
	}))
	if err != nil {
		t.Fatal(err)
	}
	hub := agent.NewHub(agent.Config{
		Registry: registry, DefaultModel: Name, DefaultMode: permission.FullAccess,
		OpenModel: func(string) (agent.Model, agent.ModelInfo, error) { return New(), Info(), nil },
	})
	defer hub.Close()
	s, err := hub.New(t.Context(), agent.SessionOptions{Cwd: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	var program []string
	for range 250 { // more than a model may make requests
		program = append(program, "/say hello")
	}
	program = append(program, "/say {\"text\": 1}", "/say {broken")
	reason, err := s.Prompt(t.Context(), []presentation.Block{presentation.Text(strings.Join(program, "\n"))})
	if reason != agent.EndTurn || err != nil {
		t.Fatalf("%q, %v", reason, err)
	}
	history := s.History()
	if got := history[len(history)-1].Blocks[0].Text; got != "252 calls: 250 completed, 2 failed." {
		t.Errorf("closing line %q", got)
	}
	failed := slices.DeleteFunc(history, func(m agent.Message) bool { return !m.IsError })
	for _, m := range failed {
		if len(m.Blocks) == 0 || !strings.Contains(m.Blocks[0].Text, "rgument") {
			t.Errorf("failed call says %v", m.Blocks)
		}
	}
}

func TestMistypedNames(t *testing.T) {
	for prompt, want := range map[string]string{
		"/lss a":             "`/lss` is not a tool and was taken as text; did you mean `/ls`?",
		"/lss\n/lss\n/x y":   "`/x` is not a tool",
		"/etc/hosts is full": "",
		"a /lss":             "",
	} {
		text, calls := respond(t, user(presentation.Text(prompt)))
		if calls != nil || want == "" && strings.Contains(text, "not a tool") || !strings.Contains(text, want) {
			t.Errorf("%q: %q", prompt, text)
		}
		text, _ = respond(t, user(presentation.Text("/ls\n"+prompt)), batch(1), result(false))
		if !strings.HasPrefix(text, "1 call: 1 completed, 0 failed.") || !strings.Contains(text, want) {
			t.Errorf("%q after a call: %q", prompt, text)
		}
	}
	var many strings.Builder
	for i := range 100 {
		many.WriteString("/no" + strings.Repeat("x", i) + "\n")
	}
	if text, _ := respond(t, user(presentation.Text(many.String()))); strings.Count(text, "not a tool") != maxHints {
		t.Errorf("hints: %q", text)
	}
}

// BenchmarkLongProgram asks for the last batch of a long program, as happens
// once for each of its lines.
func BenchmarkLongProgram(b *testing.B) {
	const lines = 10_000
	messages := []agent.Message{user(presentation.Text(strings.Repeat("/ls some/folder/of/the/workspace\n", lines)))}
	for range lines - 1 {
		messages = append(messages, batch(1), result(false))
	}
	m := New()
	b.ReportAllocs()
	for b.Loop() {
		_, err := m.Respond(b.Context(), agent.Request{Messages: messages, Tools: offered}, func(agent.Delta) error { return nil })
		if err != nil {
			b.Fatal(err)
		}
	}
}
