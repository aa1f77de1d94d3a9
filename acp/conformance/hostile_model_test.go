package conformance

import (
	"fmt"
	"strings"
	"testing"

	"github.com/agent-ls/agent-ls/acp"
)

// hostileModels are models that do not keep to their tools.
var hostileModels = []scenario{
	{"arguments", modelArguments}, {"names", modelNames}, {"huge arguments", modelHugeArguments}, {"a thousand calls at once", modelThousandCalls},
	{"texts", modelTexts}, {"stop reasons", modelStops}, {"the same call again and again", modelRepeats}, {"a pattern that costs minutes", modelPattern},
}

// calls is a step of one batch.
func calls(list ...args) step { return step{"calls": list} }

func modelArguments(t *testing.T) {
	var list []args
	for i, a := range []any{
		"{broken", "", "null", "[]", `"text"`, "42", `{"file_path":`, `{"file_path":"a.txt"} trailing`, "{\"file_path\":\"a.txt\",}",
		args{}, args{"file_path": nil}, args{"file_path": 5}, args{"file_path": args{"a": 1}}, args{"file_path": "a.txt", "unknown": true},
		args{"file_path": "a.txt", "start_line": -1}, args{"file_path": "a.txt", "start_line": 1e300}, args{"file_path": "a.txt", "limit": 1.5},
		args{"file_path": "a.txt", "path": "b.txt"}, args{"file_path": strings.Repeat("x/", 5000)}, args{"file_path": "\x00"}, args{"file_path": ""},
		`{"file_path":"a.txt","file_path":"b.txt"}`, "{\"file_path\":\"\xff\"}", `{"__proto__":{},"file_path":"a.txt"}`,
	} {
		list = append(list, args{"name": "read", "args": a, "id": fmt.Sprintf("call_%d", i%3)})
	}
	s := scripted(t, turnsOf([]step{calls(list...), {"say": "done"}}), options{})
	s.h.file("a.txt", "a\n")
	s.run("go")
	s.settledCards()
	failures := 0
	for _, k := range s.cards() {
		if k.status == acp.StatusFailed {
			failed(t, k)
			failures++
		}
	}
	if n := len(s.cards()); n != len(list) || failures < len(list)/2 {
		t.Errorf("%d cards of %d calls, %d failed", n, len(list), failures)
	}
}

func modelNames(t *testing.T) {
	var list []args
	names := []string{"no_such_tool", "READ", "read ", "../read", strings.Repeat("n", 10_000), "na\nme", "ünï", "functions.read", "<script>"}
	for _, name := range names {
		list = append(list, args{"name": name, "args": args{"file_path": "a.txt"}})
	}
	s := scripted(t, turnsOf([]step{calls(list...), {"say": "done"}}), options{})
	s.run("go")
	for _, k := range s.cards() {
		failed(t, k)
	}
	if n := len(s.cards()); n != len(names) {
		t.Errorf("%d cards of %d calls", n, len(names))
	}
}

func modelHugeArguments(t *testing.T) {
	count := 200_000
	if testing.Short() || underRace {
		count /= 10
	}
	big := strings.Repeat("line of text\n", count)
	s := scripted(t, turnsOf([]step{calls(
		args{"name": "write", "args": args{"file_path": "big.txt", "content": big}},
		args{"name": "no_such_tool", "args": args{"x": big}},
		args{"name": "bash", "args": args{"command": "true " + strings.Repeat("x", 1<<20)}},
		args{"name": "read", "args": strings.Repeat("[", 1_000_000)},
	)}), options{})
	turn := s.run("go")
	s.settledCards()
	if s.h.text("big.txt") != big {
		t.Error("the file was not written")
	}
	for _, l := range s.updates(turn.from) {
		if l.size > 4<<20 {
			t.Errorf("an update of %d bytes", l.size)
		}
	}
	s.reload(options{env: s.o.env})
}

func modelThousandCalls(t *testing.T) {
	var list []args
	for i := range 1000 {
		list = append(list, args{"name": "read", "args": args{"file_path": "a.txt", "start_line": i%5 + 1}, "id": "call_0"})
	}
	s := scripted(t, turnsOf([]step{calls(list...)}), options{})
	s.h.file("a.txt", numbered(5, "line", "\n"))
	s.run("go")
	if n := len(s.cards()); n != 1000 {
		t.Errorf("%d cards", n)
	}
	s.settledCards()
}

func modelTexts(t *testing.T) {
	s := scripted(t, turnsOf([]step{
		{"think": "\x00\x1b[31m"}, {"say": ""}, {"say": "a\r\nb\u2028\ufeff"}, {"say": strings.Repeat("long ", 200_000)}, {"think": ""},
		calls(args{"name": "bash", "args": args{"command": "printf 'a\\nb' # two\nlines", "description": "des\ncription"}}),
		{"say": "after"},
	}), options{})
	s.run("go")
	s.settledCards()
	if text := s.agentText(); !has(text, strings.Repeat("long ", 200_000), "after") {
		t.Errorf("%d bytes were said", len(text))
	}
	s.reload(options{env: s.o.env})
}

func modelStops(t *testing.T) {
	reasons := []acp.StopReason{acp.StopEndTurn, acp.StopMaxTokens, acp.StopMaxTurnRequests, acp.StopRefusal, acp.StopCancelled}
	var turns [][]step
	for _, r := range reasons {
		turns = append(turns, []step{{"say": "x"}, {"stop": r}, {"say": "never said"}})
	}
	s := scripted(t, turnsOf(append(turns, []step{})...), options{})
	for _, want := range reasons {
		if got := s.prompt("go").reason(); got != want {
			t.Errorf("stop reason %s, want %s", got, want)
		}
	}
	s.run("go") // a turn of nothing
	if has(s.agentText(), "never") {
		t.Error("the turn went on after its end")
	}
}

func modelRepeats(t *testing.T) {
	var steps []step
	for range 40 {
		steps = append(steps, calls(args{"name": "read", "args": args{"file_path": "missing.txt"}}))
	}
	s := scripted(t, turnsOf(steps), options{})
	s.prompt("go").wait()
	s.settledCards()
}

// modelPattern: a search that would take minutes ends with its turn.
func modelPattern(t *testing.T) {
	s := open(t, options{})
	s.h.file("a.txt", strings.Repeat(strings.Repeat("a", 200)+"\n", 30_000))
	turn := s.prompt(tool("grep", args{"pattern": strings.Repeat("a?", 400) + strings.Repeat("a", 400) + "$"}))
	s.untilRunning()
	s.cancelled(turn)
	s.call(acp.MethodSessionClose, params{"sessionId": s.id}, nil) // which waits for what runs
}
