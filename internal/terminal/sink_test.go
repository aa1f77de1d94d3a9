package terminal

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/agent-ls/agent-ls/agent"
	"github.com/agent-ls/agent-ls/presentation"
	"github.com/agent-ls/agent-ls/tools"
)

// shown is what a stored session of these events looks like.
func shown(events ...agent.Event) string {
	var b strings.Builder
	at := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	records := make([]agent.Record, len(events))
	for i, e := range events {
		records[i] = agent.Record{Seq: int64(i), Time: at.Add(time.Duration(i) * 1500 * time.Millisecond), Event: e}
	}
	Show(&b, agent.SessionInfo{ID: "s", Cwd: "/w", Title: "t", Updated: at}, records, Options{Lines: 4})
	_, body, _ := strings.Cut(b.String(), "\n\n")
	return body
}

func started(id string, v presentation.CallView) agent.ToolCallStarted {
	return agent.ToolCallStarted{CallID: id, Name: "tool", View: v}
}

func done(id string, v presentation.ResultView, r tools.Result) agent.ToolCallFinished {
	return agent.ToolCallFinished{CallID: id, View: v, Result: r}
}

func TestCards(t *testing.T) {
	old, whole, zero := "a\nb\nc", "1\n2\n3\n4\n5\n6\n7\n8\n9\n0\n", 0
	tests := []struct {
		name   string
		events []agent.Event
		want   string
	}{
		{"messages", []agent.Event{
			agent.UserMessage{Blocks: []presentation.Block{presentation.Text("do it")}},
			agent.AgentThought{MessageID: "1", Text: "hm"}, agent.AgentText{MessageID: "1", Text: "yes"}, agent.AgentText{MessageID: "1", Text: "!"}, agent.TurnEnded{},
		}, "> do it\n\nhm\n\nyes!\n\n"},
		{"generic", []agent.Event{
			started("1", &presentation.GenericCall{Title: "Read /w/a", Kind: presentation.KindRead, Locations: []presentation.FileLocation{{Path: "/w/a", Line: 7}}}),
			done("1", nil, tools.TextResult("x\n")),
		}, presentation.Icon(presentation.KindRead) + " Read a  → line 7\n│ x\n✓ completed · 1.5 s\n\n"},
		{"long content", []agent.Event{
			started("1", &presentation.GenericCall{Title: "t"}), done("1", nil, tools.TextResult("1\n2\n3\n4\n5\n6\n")),
		}, presentation.Icon("") + " t\n│ 1\n│ 2\n│ 3\n│ 4\n│ … 2 more lines\n✓ completed · 1.5 s\n\n"},
		{"diff", []agent.Event{
			started("1", &presentation.DiffCall{Title: "Edit /w/a"}),
			done("1", &presentation.DiffResult{Diffs: []presentation.FileDiff{{Path: "/w/a", OldText: &old, NewText: "a\nB\nc", Line: 2}}, Omitted: "the rest is omitted"}, tools.Result{}),
		}, presentation.Icon(presentation.KindEdit) + " Edit /w/a\n│ /w/a:2\n│  a\n│ -b\n│ +B\n│  c\n│ the rest is omitted\n✓ completed · 1.5 s\n\n"},
		{"a diff of a whole file", []agent.Event{
			started("1", &presentation.DiffCall{Title: "Edit /w/a"}),
			done("1", &presentation.DiffResult{Diffs: []presentation.FileDiff{{Path: "/w/a", OldText: &whole, NewText: "2\n3\n4\n5\n6\n7\n8\n9\n", Line: 1}}}, tools.Result{}),
		}, presentation.Icon(presentation.KindEdit) + " Edit /w/a\n│ /w/a:1\n│ -1\n│  2\n│  3\n│  4\n│ … 5 more lines\n✓ completed · 1.5 s\n\n"},
		{"terminal", []agent.Event{
			started("1", &presentation.TerminalCall{Title: "make\x1b[31m", Description: "Build"}), agent.ToolCallRunning{CallID: "1"},
			agent.ToolCallOutput{CallID: "1", Text: "1\n2\n3"}, agent.ToolCallOutput{CallID: "1", Text: "x\n4\n5\n6\n7"},
			done("1", &presentation.TerminalResult{Output: "…", ExitCode: &zero}, tools.Result{}),
		}, presentation.Icon(presentation.KindExecute) + " make�[31m  # Build\n│ 1\n│ 2\n│ … 3 lines not shown …\n│ 6\n│ 7\n✓ completed, exit code 0 · 6.0 s\n\n"},
		{"a deadline", []agent.Event{
			started("1", &presentation.TerminalCall{Title: "x"}), agent.ToolCallRunning{CallID: "1"}, agent.ToolCallOutput{CallID: "1", Text: "o\tut\n"},
			done("1", &presentation.TerminalResult{Output: "o\tut\n[late]", Signal: "SIGTERM", Notes: []string{"[late]"}}, tools.Result{}),
		}, "$ x\n│ o\tut\n│ [late]\n✓ completed, killed by SIGTERM · 4.5 s\n\n"},
		{"not streamed", []agent.Event{
			started("1", &presentation.TerminalCall{Title: "x"}), done("1", &presentation.TerminalResult{Output: "out\n", Signal: "SIGKILL"}, tools.Result{}),
		}, presentation.Icon(presentation.KindExecute) + " x\n│ out\n✓ completed, killed by SIGKILL · 1.5 s\n\n"},
		{"failed", []agent.Event{
			started("1", nil), done("1", nil, tools.Result{IsError: true, Content: []presentation.Block{presentation.Text("Error: no\u202e")}}),
		}, presentation.Icon("") + " tool\n│ Error: no�\n✗ failed · 1.5 s\n\n"},
		{"a command that was cancelled", []agent.Event{
			started("1", &presentation.TerminalCall{Title: "x"}), agent.ToolCallRunning{CallID: "1"}, agent.ToolCallOutput{CallID: "1", Text: "out\n"},
			done("1", &presentation.GenericResult{Content: []presentation.Block{presentation.Text(presentation.ConsoleFence("out\nError: aborted"))}}, tools.Result{IsError: true}),
		}, "$ x\n│ out\n│ Error: aborted\n✗ failed · 4.5 s\n\n"},
		{"a session without its end", []agent.Event{
			started("1", &presentation.TerminalCall{Title: "x"}), agent.ToolCallRunning{CallID: "1"}, agent.ToolCallOutput{CallID: "1", Text: "half"},
		}, "$ x\n│ half\n? interrupted: how it ended was not stored\n\n"},
		{"side by side", []agent.Event{
			started("1", &presentation.TerminalCall{Title: "x"}), started("2", &presentation.GenericCall{Title: "y"}),
			agent.ToolCallRunning{CallID: "1"}, agent.ToolCallRunning{CallID: "2"}, agent.ToolCallOutput{CallID: "1", Text: "1\n"},
			done("2", nil, tools.TextResult("of y")), agent.ToolCallOutput{CallID: "1", Text: "2\n"},
			done("1", &presentation.TerminalResult{ExitCode: &zero}, tools.Result{}),
		}, "$ x\n│ 1\n• y\n│ of y\n✓ completed · 6.0 s\n\n… $ x\n│ 2\n✓ completed, exit code 0 · 10.5 s\n\n"},
		{"plan and notice", []agent.Event{
			agent.PlanChanged{Entries: []presentation.PlanEntry{{Content: "a", Status: "completed"}, {Content: "b", Status: "pending"}}},
			agent.Notice{Title: "Not saved", Text: "disk full"},
		}, "Plan\n  ● a\n  ○ b\n\n! Not saved: disk full\n"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := shown(tt.events...); got != tt.want {
				t.Errorf("got:\n%s\nwant:\n%s", got, tt.want)
			}
		})
	}
}

func TestDemoScriptIsJSON(t *testing.T) {
	if !json.Valid(DemoScript) {
		t.Error("demo.json is no JSON")
	}
}
