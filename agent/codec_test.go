package agent

import (
	"encoding/json"
	"errors"
	"go/ast"
	"go/parser"
	"go/token"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/agent-ls/agent-ls/presentation"
	"github.com/agent-ls/agent-ls/tools"
)

var testTime = time.Date(2026, 5, 4, 3, 2, 1, 123456789, time.UTC)

// sampleEvents holds at least one of every event, with every field set, and
// the odd ones.
func sampleEvents() []Event {
	old, code := "old\n", 3
	blocks := []presentation.Block{
		presentation.Text("a <b> & \u2028 \"c\"\n"), presentation.Image([]byte{0, 1, 2}, "image/png"),
		{Type: presentation.BlockLink, URI: "file:///a%20b", Name: "a b"},
	}
	return []Event{
		TurnStarted{Turn: "t1"},
		UserMessage{MessageID: "m1", Blocks: blocks},
		AgentOpaque{MessageID: "m2", Block: presentation.Block{Type: presentation.BlockOther, Provider: "p", Kind: "k", Payload: []byte(`{"a":1}`)}},
		CompactionChanged{ID: "c1", Status: CompactionCompleted, Summary: "all of it", Prompt: true, Error: "none"},
		AgentText{MessageID: "m2", Text: "text"},
		AgentThought{MessageID: "m2", Text: "thought"},
		AssistantCalls{Calls: []AssistantCall{{CallID: "c-1", ModelID: "call_0", Name: "read", Arguments: `{"a":` + "\n"}, {CallID: "c-2", Name: "x"}}},
		ToolCallStarted{
			CallID: "c-1", Name: "read", Arguments: `{"path":"a"}`, MayAsk: true,
			View: &presentation.GenericCall{Title: "Read a", Kind: presentation.KindRead, RawInput: json.RawMessage(`{"path":"a"}`), Locations: []presentation.FileLocation{{Path: "a", Line: 3}}},
		},
		ToolCallStarted{CallID: "c-2", Name: "bash", Arguments: "", View: &presentation.TerminalCall{Title: "ls <x>", Cwd: "d"}},
		ToolCallStarted{CallID: "c-3", Name: "none"},
		ToolCallPlanned{CallID: "c-1", View: &presentation.DiffCall{Title: "Edit", Diffs: []presentation.FileDiff{{Path: "a", OldText: &old, NewText: "new\n", Line: 1}}}},
		ToolCallRunning{CallID: "c-1"},
		ToolCallOutput{CallID: "c-1", Text: "\x1b[1mout\x1b[0m\r\n"},
		ToolCallProgress{CallID: "c-1", Content: blocks},
		TerminalAttached{CallID: "c-1", TerminalID: "term"},
		ToolCallFinished{
			CallID: "c-1",
			Result: tools.Result{
				Content: blocks, Details: json.RawMessage(`{"n":1}`), Meta: json.RawMessage(`[1,2]`), Usage: &tools.Usage{Input: 1, Cost: 0.5},
				AddedTools: []string{"x"}, Terminate: true, OutputRef: "ref",
				AdditionalContext: []tools.HookContext{{Source: "guard", Text: "again"}},
			},
			View: &presentation.TerminalResult{Output: "out", ExitCode: &code},
		},
		ToolCallFinished{
			CallID: "c-2", Result: tools.Result{IsError: true, Error: &tools.ErrorInfo{Name: "E", Code: "C"}},
			View: &presentation.DiffResult{Diffs: []presentation.FileDiff{{Path: "a", NewText: "", Change: presentation.ChangeDelete}}},
		},
		ToolCallFinished{CallID: "c-3", View: &presentation.GenericResult{Title: "t", Content: blocks}},
		PermissionAsked{CallID: "c-1", Reason: "why"},
		PermissionDecided{CallID: "c-1", Outcome: "allow_once"},
		PlanChanged{Entries: []presentation.PlanEntry{{Content: "do", Priority: "high", Status: "pending"}}},
		ModeChanged{Mode: "ask"},
		ModelChanged{Model: "direct"},
		TitleChanged{Title: "title"},
		UsageChanged{Used: 10, Size: 100, Cost: 0.25, Currency: "USD"},
		MetadataChanged{Key: "k", Value: json.RawMessage(`{"a":[1,2]}`)},
		MetadataChanged{Key: "k"},
		ToolsChanged{},
		SettingsChanged{},
		ContextAdded{Source: "tasks", Text: "bash-1 ended"},
		Notice{Severity: "warning", Title: "t", Text: "x"},
		TurnEnded{Turn: "t1", Reason: EndTurn},
		TurnEnded{Turn: "t1", Error: "server away"},
	}
}

func TestEveryEventSurvivesTheLog(t *testing.T) {
	seen := map[reflect.Type]bool{}
	for i, e := range sampleEvents() {
		seen[reflect.TypeOf(e)] = true
		want := Record{Seq: int64(i + 1), Time: testTime, Event: e}
		line, err := marshal(want)
		if err != nil {
			t.Fatalf("%T: %v", e, err)
		}
		if strings.ContainsAny(string(line), "\n\r") {
			t.Errorf("%T: a line break in the line", e)
		}
		var got Record
		if err := json.Unmarshal(line, &got); err != nil {
			t.Fatalf("%T: %v\n%s", e, err, line)
		}
		if !reflect.DeepEqual(got, want) {
			t.Errorf("%T:\n got %#v\nwant %#v\n%s", e, got, want, line)
		}
	}
	for _, typ := range eventTypes {
		if !seen[reflect.TypeOf(typ.event)] {
			t.Errorf("no sample of %s", typ.name)
		}
	}
}

// TestEveryEventHasAName finds the arms of the union in the source: one that
// is not in eventTypes could not be logged.
func TestEveryEventHasAName(t *testing.T) {
	file, err := parser.ParseFile(token.NewFileSet(), "event.go", nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	named := map[string]bool{}
	for typ := range nameOfEvent {
		named[typ.Name()] = true
	}
	arms := 0
	for _, d := range file.Decls {
		f, ok := d.(*ast.FuncDecl)
		if !ok || f.Name.Name != "event" {
			continue
		}
		arms++
		if name := f.Recv.List[0].Type.(*ast.Ident).Name; !named[name] {
			t.Errorf("%s has no name in eventTypes", name)
		}
	}
	if arms != len(eventTypes) {
		t.Errorf("%d arms, %d names", arms, len(eventTypes))
	}
}

// TestLogFormat pins the lines that logs of today hold: a later version must
// read them.
func TestLogFormat(t *testing.T) {
	for _, tc := range []struct {
		event Event
		line  string
	}{
		{ToolsChanged{}, `{"seq":7,"time":"2026-05-04T03:02:01.123456789Z","type":"tools_changed"}`},
		{
			ToolCallStarted{CallID: "c", Name: "ls", Arguments: "{}", View: &presentation.TerminalCall{Title: "a<b"}},
			`{"seq":7,"time":"2026-05-04T03:02:01.123456789Z","type":"tool_call_started","callId":"c","name":"ls","arguments":"{}","view":{"card":"terminal","title":"a<b"}}`,
		},
		{
			ToolCallFinished{CallID: "c", Result: tools.TextResult("x")},
			`{"seq":7,"time":"2026-05-04T03:02:01.123456789Z","type":"tool_call_finished","callId":"c","result":{"content":[{"type":"text","text":"x"}]},"view":null}`,
		},
		{TurnEnded{Turn: "t", Reason: StopCancelled}, `{"seq":7,"time":"2026-05-04T03:02:01.123456789Z","type":"turn_ended","turn":"t","reason":"cancelled"}`},
	} {
		got := asJSON(t, Record{Seq: 7, Time: testTime, Event: tc.event})
		if got != tc.line {
			t.Errorf("%T\n got %s\nwant %s", tc.event, got, tc.line)
		}
	}
}

func TestDecodeRefuses(t *testing.T) {
	for _, tc := range []struct{ name, line, want string }{
		{"unknown type", `{"seq":1,"type":"moon_rose"}`, `unknown event type "moon_rose"`},
		{"no type", `{"seq":1}`, `unknown event type ""`},
		{"no object", `[1]`, "cannot unmarshal array"},
		{"wrong field", `{"seq":1,"type":"notice","title":3}`, "record 1 (notice)"},
		{"wrong view", `{"seq":1,"type":"tool_call_started","view":{"card":"diff","diffs":3}}`, "record 1 (tool_call_started)"},
		{"wrong result view", `{"seq":1,"type":"tool_call_finished","view":7}`, "record 1 (tool_call_finished)"},
		{"wrong plan", `{"seq":1,"type":"tool_call_planned","view":"x"}`, "record 1 (tool_call_planned)"},
	} {
		var r Record
		err := json.Unmarshal([]byte(tc.line), &r)
		if err == nil || !strings.Contains(err.Error(), tc.want) {
			t.Errorf("%s: %v, want %q", tc.name, err, tc.want)
		}
	}
	if _, err := json.Marshal(Record{Seq: 1}); !errors.Is(err, errUnknownEvent) {
		t.Errorf("a record without an event: %v", err)
	}
}

// FuzzRecord checks that no line makes the decoder panic, and that what it
// accepts is written and read back the same.
func FuzzRecord(f *testing.F) {
	for i, e := range sampleEvents() {
		line, err := marshal(Record{Seq: int64(i), Time: testTime, Event: e})
		if err != nil {
			f.Fatal(err)
		}
		f.Add(line)
	}
	f.Fuzz(func(t *testing.T, line []byte) {
		var first Record
		if json.Unmarshal(line, &first) != nil {
			return
		}
		again, err := marshal(first)
		if err != nil {
			t.Skip() // a time that JSON cannot hold
		}
		var second Record
		if err := json.Unmarshal(again, &second); err != nil {
			t.Fatalf("%s: %v", again, err)
		}
		if got := asJSON(t, second); got != string(again) {
			t.Fatalf("not stable:\n%s\n%s", again, got)
		}
	})
}
