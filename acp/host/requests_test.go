package host_test

import (
	"context"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/agent-ls/agent-ls/acp"
	"github.com/agent-ls/agent-ls/agent"
	"github.com/agent-ls/agent-ls/presentation"
	"github.com/agent-ls/agent-ls/tools/permission"
	"github.com/agent-ls/agent-ls/workspace"
)

func info(name string) *acp.Implementation {
	if name == "" {
		return nil
	}
	return &acp.Implementation{Name: name}
}

func ask(method string, params map[string]any) step { return step{Ask: method, Params: params} }

// unsaved is an editor with one document.
type unsaved struct{ h workspace.Handle }

func (u *unsaved) Document(path string) (workspace.Handle, bool) { return u.h, path == u.h.Real }
func (u *unsaved) Documents() []workspace.Handle                 { return []workspace.Handle{u.h} }

// Apply changes the document.
func (u *unsaved) Apply(_ context.Context, f workspace.FileWrite) (workspace.Outcome, error) {
	if f.Path != u.h.Real {
		return workspace.Declined, nil
	}
	u.h = document(u.h.Real, f.After)
	return workspace.Taken, nil
}

// document is a text that is not saved.
func document(path, text string) workspace.Handle {
	h := workspace.NewHandle(path, text)
	h.Dirty, h.Version = true, 2
	return h
}

func TestReadTextFile(t *testing.T) {
	b := newBed(t)
	b.write("a.txt", "saved\n")
	b.write("lines.txt", "1\n2\n3\n4")
	b.write("latin.txt", "caf\xe9\n")
	outside := filepath.Join(realDir(t), "x.txt")
	if err := os.WriteFile(outside, []byte("secret"), 0o600); err != nil {
		t.Fatal(err)
	}
	b.overlay = &unsaved{document(b.path("a.txt"), "typed\n")}
	b.open()
	for _, tt := range []struct {
		params map[string]any
		want   string
	}{
		{map[string]any{"path": b.path("a.txt")}, `{"content":"typed\n"}`},
		{map[string]any{"path": b.path("lines.txt"), "line": 2, "limit": 2}, `{"content":"2\n3\n"}`},
		{map[string]any{"path": b.path("lines.txt"), "line": 4, "limit": 9}, `{"content":"4"}`},
		{map[string]any{"path": b.path("lines.txt"), "line": 9}, `{"content":""}`},
		{map[string]any{"path": b.path("none.txt")}, "there is no file"},
		{map[string]any{"path": b.path("latin.txt")}, "is not UTF-8"},
		{map[string]any{"path": outside}, "not allowed"},
		{map[string]any{}, "path"},
	} {
		if got := b.must(ask(acp.MethodReadTextFile, tt.params)); !strings.Contains(got, tt.want) {
			t.Errorf("%v: %s, want %s", tt.params, got, tt.want)
		}
	}
	if got := events[agent.ToolCallStarted](b); len(got) > 0 {
		t.Errorf("reads are shown: %+v", got)
	}
}

// TestWriteTextFile: a write that belongs to no call has a card of its own; one
// that does is a part of that.
func TestWriteTextFile(t *testing.T) {
	b := newBed(t)
	b.mode = permission.AcceptEdits
	b.open()
	b.write("a.txt", "one\ntwo\n")
	write := func(name, text string) step {
		return ask(acp.MethodWriteTextFile, map[string]any{"path": b.path(name), "content": text})
	}
	if got := b.must(write("a.txt", "one\nTWO\n")); !strings.Contains(got, "{}") {
		t.Fatal(got)
	}
	f := b.finished()
	if v, ok := f.View.(*presentation.DiffResult); !ok || v.Diffs[0].Line != 2 || b.read("a.txt") != "one\nTWO\n" {
		t.Errorf("%+v", f)
	}
	b.must(
		update(`{"sessionUpdate":"tool_call","toolCallId":"t1","title":"Edit","kind":"edit","locations":[{"path":?}]}`, b.path("deep/new.txt")),
		write("deep/new.txt", "new\n"),
		step{Write: map[string]string{b.path("deep/new.txt"): "new\n"}}, // as agents do that also write themselves
		update(`{"sessionUpdate":"tool_call_update","toolCallId":"t1","status":"completed"}`),
	)
	if got := events[agent.ToolCallFinished](b); len(got) != 2 {
		t.Errorf("%d calls", len(got))
	}
	if v, ok := b.finished().View.(*presentation.DiffResult); !ok || v.Diffs[0].NewText != "new" {
		t.Errorf("%+v", b.finished().View)
	}
	want := []change{{f.CallID, "a.txt", "one\ntwo\n", "one\nTWO\n"}, {b.finished().CallID, "new.txt", "", "new\n"}}
	if got := b.ledger.all(); !reflect.DeepEqual(got, want) {
		t.Errorf("told %+v", got)
	}
}

// TestWriteOverUnsavedText: an agent that has read the saved text changes that;
// what the user typed elsewhere stays.
func TestWriteOverUnsavedText(t *testing.T) {
	b := newBed(t)
	b.mode = permission.FullAccess
	saved := "one\n" + strings.Repeat("same\n", 9) + "two\n"
	b.write("a.txt", saved)
	editor := &unsaved{document(b.path("a.txt"), "typed\n"+saved)}
	b.overlay, b.appliers = editor, []workspace.Applier{editor}
	b.open()
	said := b.must(ask(acp.MethodWriteTextFile, map[string]any{"path": b.path("a.txt"), "content": strings.Replace(saved, "two", "TWO", 1)}))
	changes := b.ledger.all()
	if len(changes) != 1 || !strings.HasPrefix(changes[0].after, "typed\none\n") || !strings.HasSuffix(changes[0].after, "TWO\n") {
		t.Errorf("told %+v: %s", changes, said)
	}
}

func TestDeniedByMode(t *testing.T) {
	b := newBed(t)
	b.mode = permission.ReadOnly
	b.answer = func(agent.Question) agent.Answer { return agent.AllowOnce }
	b.open()
	b.write("a.txt", "one\n")
	said := b.must(
		ask(acp.MethodWriteTextFile, map[string]any{"path": b.path("a.txt"), "content": "two\n"}),
		ask(acp.MethodTerminalCreate, map[string]any{"command": "touch", "args": []string{b.path("b.txt")}}),
		update(`{"sessionUpdate":"tool_call","toolCallId":"t1","title":"ls","kind":"execute","rawInput":{"command":"ls"}}`),
		question("t1"),
	)
	if strings.Count(said, "read-only") != 2 || !strings.Contains(said, `"optionId":"no"`) || b.read("a.txt") != "one\n" || len(b.asked) > 0 {
		t.Errorf("%s\nasked %d times", said, len(b.asked))
	}
	for _, f := range events[agent.ToolCallFinished](b)[:2] {
		if !f.Result.IsError {
			t.Errorf("%+v", f)
		}
	}
}

// question asks about a call with the usual options.
func question(call string) step {
	return ask(acp.MethodRequestPermission, map[string]any{
		"toolCall": map[string]any{"toolCallId": call},
		"options": []map[string]any{
			{"optionId": "yes", "name": "Allow", "kind": "allow_once"},
			{"optionId": "always", "name": "Always", "kind": "allow_always"},
			{"optionId": "no", "name": "Reject", "kind": "reject_once"},
		},
	})
}

// TestPermission: the session's own rules and the user decide; "always" is
// remembered here, and the agent is told "once".
func TestPermission(t *testing.T) {
	b := newBed(t)
	var next agent.Answer
	b.answer = func(agent.Question) agent.Answer { return next }
	b.open()
	run := func(id, command string) string {
		return b.must(
			update(`{"sessionUpdate":"tool_call","toolCallId":?,"title":"x","kind":"execute","rawInput":{"command":?}}`, id, command),
			question(id),
			update(`{"sessionUpdate":"tool_call_update","toolCallId":?,"status":"completed"}`, id),
		)
	}
	for _, tt := range []struct {
		answer  agent.Answer
		command string
		want    string
		asked   int
	}{
		{agent.RejectOnce, "go test ./a", `"optionId":"no"`, 1},
		{agent.AllowOnce, "go test ./a", `"optionId":"yes"`, 2},
		{agent.AllowAlways, "go test ./a", `"optionId":"yes"`, 3},
		{agent.RejectOnce, "go test ./b", `"optionId":"yes"`, 3},
		{agent.RejectOnce, "rm -r x", `"optionId":"no"`, 4},
	} {
		next = tt.answer
		if said := run("c"+tt.command+string(tt.answer), tt.command); !strings.Contains(said, tt.want) || len(b.asked) != tt.asked {
			t.Errorf("%s %s: %s, asked %d times", tt.answer, tt.command, said, len(b.asked))
		}
	}
	q := b.asked[0]
	if v, ok := q.View.(*presentation.TerminalCall); !ok || v.Title != "go test ./a" || q.Scope == "" || len(q.Choices) > 0 {
		t.Errorf("%+v", q)
	}
}

// TestWordedQuestion: options of the agent's own are passed on, in every mode.
func TestWordedQuestion(t *testing.T) {
	b := newBed(t)
	b.mode = permission.FullAccess
	b.answer = func(agent.Question) agent.Answer { return "plan" }
	b.open()
	said := b.must(ask(acp.MethodRequestPermission, map[string]any{
		"toolCall": map[string]any{"toolCallId": "t1", "title": "Ready to code?", "kind": "switch_mode"},
		"options": []map[string]any{
			{"optionId": "auto", "name": "Yes, and accept edits", "kind": "allow_always"},
			{"optionId": "manual", "name": "Yes, and ask", "kind": "allow_once"},
			{"optionId": "plan", "name": "No, keep planning", "kind": "reject_once"},
		},
	}))
	if !strings.Contains(said, `"optionId":"plan"`) || len(b.asked) != 1 || b.asked[0].Choices[0].Name != "Yes, and accept edits" {
		t.Errorf("%s; asked %+v", said, b.asked)
	}
}

func TestNobodyToAsk(t *testing.T) {
	b := newBed(t).open()
	said := b.must(update(`{"sessionUpdate":"tool_call","toolCallId":"t","title":"x","kind":"execute","rawInput":{"command":"ls"}}`), question("t"))
	if !strings.Contains(said, `"optionId":"no"`) {
		t.Error(said)
	}
}

func TestTerminal(t *testing.T) {
	b := newBed(t)
	b.mode = permission.FullAccess
	b.open()
	said := b.must(
		update(`{"sessionUpdate":"tool_call","toolCallId":"t1","title":"sh","kind":"execute","rawInput":{"command":"sh"}}`),
		ask(acp.MethodTerminalCreate, map[string]any{"command": "sh", "args": []string{"-c", "echo $NAME; exit 4"}, "env": []map[string]string{{"name": "NAME", "value": "it's"}}}),
		update(`{"sessionUpdate":"tool_call_update","toolCallId":"t1","status":"in_progress","content":[{"type":"terminal","terminalId":"term-1"}]}`),
		ask(acp.MethodTerminalWait, map[string]any{"terminalId": "$"}),
		ask(acp.MethodTerminalOutput, map[string]any{"terminalId": "$"}),
		update(`{"sessionUpdate":"tool_call_update","toolCallId":"t1","status":"completed"}`),
		ask(acp.MethodTerminalRelease, map[string]any{"terminalId": "$"}),
		ask(acp.MethodTerminalOutput, map[string]any{"terminalId": "$"}),
	)
	for _, want := range []string{`wait_for_exit: {"exitCode":4}`, `"output":"it's\n"`, `terminal/release: {}`, `unknown terminal`} {
		if !strings.Contains(said, want) {
			t.Errorf("%s lacks %s", said, want)
		}
	}
	v, ok := b.finished().View.(*presentation.TerminalResult)
	if !ok || v.Output != "it's\n" || v.ExitCode == nil || *v.ExitCode != 4 || len(events[agent.ToolCallStarted](b)) != 1 {
		t.Errorf("%+v", b.finished().View)
	}
	if got := events[agent.ToolCallOutput](b); len(got) != 1 || got[0].Text != "it's\n" {
		t.Errorf("output %+v", got)
	}
}

// TestTerminalIsKilled: by the agent, and unasked when the turn is cancelled.
func TestTerminalIsKilled(t *testing.T) {
	b := newBed(t)
	b.mode = permission.FullAccess
	b.open()
	said := b.must(
		ask(acp.MethodTerminalCreate, map[string]any{"command": "sleep 300"}),
		ask(acp.MethodTerminalKill, map[string]any{"terminalId": "$"}),
		ask(acp.MethodTerminalWait, map[string]any{"terminalId": "$"}),
	)
	if !strings.Contains(said, `"signal":"SIGTERM"`) {
		t.Error(said)
	}
	if f := b.finished(); f.Result.IsError {
		t.Errorf("%+v", f)
	}
}
