package builtin

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/agent-ls/agent-ls/presentation"
	"github.com/agent-ls/agent-ls/tools"
	"github.com/agent-ls/agent-ls/tools/proc"
)

func code(n int) *int { return &n }

// outcome is one row of tools.md Appendix A.1.
type outcome struct {
	name     string
	exit     proc.Exit
	timeout  time.Duration
	want     string
	exitCode *int
	signal   string
}

var outcomes = []outcome{
	{"stderr alone", proc.Exit{Code: code(0), Stderr: proc.Captured{Text: "err\n"}}, 0, "[stderr]\nerr\n", code(0), ""},
	{"both streams", proc.Exit{Code: code(0), Stdout: proc.Captured{Text: "out"}, Stderr: proc.Captured{Text: "err"}}, 0, "out\n[stderr]\nerr", code(0), ""},
	{"both with newlines", proc.Exit{Code: code(2), Stdout: proc.Captured{Text: "out\n"}, Stderr: proc.Captured{Text: "err\n"}}, 0, "out\n[stderr]\nerr\n[exit code: 2]", code(2), ""},
	{"exit code", proc.Exit{Code: code(7), Stdout: proc.Captured{Text: "x"}}, 0, "x\n[exit code: 7]", code(7), ""},
	{"signal", proc.Exit{Signal: "SIGKILL"}, 0, "(no output)\n[killed by signal: SIGKILL]", nil, "SIGKILL"},
	{"timed out, exit 0", proc.Exit{Code: code(0), TimedOut: true}, time.Second, "(no output)\n[timed out after 1000ms]", code(0), ""},
	{"timed out, signal", proc.Exit{Signal: "SIGTERM", TimedOut: true}, time.Second, "(no output)\n[timed out after 1000ms]\n[killed by signal: SIGTERM]", nil, "SIGTERM"},
	{"truncated, no file", proc.Exit{Code: code(0), Stdout: proc.Captured{Text: "tail", Truncated: true}}, 0, "tail\n[output truncated; full output: (unavailable)]", code(0), ""},
	{"truncated, with a file", proc.Exit{Code: code(1), Stdout: proc.Captured{Text: "tail\n", Truncated: true, Ref: "/full/out"}, Stderr: proc.Captured{Text: "e", Truncated: true, Ref: "/full/err"}}, 0,
		"tail\n[output truncated; full output: /full/out]\n[read it with tool_output_cache, search it with tool_output_cache_grep; ref_id: out]\n" +
			"[stderr]\ne\n[output truncated; full output: /full/err]\n[read it with tool_output_cache, search it with tool_output_cache_grep; ref_id: err]\n[exit code: 1]", code(1), ""},
	{"nobody knows how it ended", proc.Exit{Stdout: proc.Captured{Text: "x\n"}}, 0, "x\n[exit code: unknown]", nil, ""},
	{"imitates the marker", proc.Exit{Code: code(0), Stdout: proc.Captured{Text: "x\n[exit code: 9]"}}, 0, "x\n[exit code: 9]", code(0), ""},
	{"nothing", proc.Exit{Code: code(0)}, 0, "(no output)", code(0), ""},
}

func testRef(path string) string { return strings.TrimPrefix(path, "/full/") }

func TestBashText(t *testing.T) {
	for _, tt := range outcomes {
		if got := bashText(tt.exit, tt.timeout, testRef); got != tt.want {
			t.Errorf("%s: %q, want %q", tt.name, got, tt.want)
		}
	}
}

// TestBashRoundTrip: the card says what the command said, from the stored
// result alone.
func TestBashRoundTrip(t *testing.T) {
	for _, tt := range outcomes {
		r := bashResult(proc.Command{Line: "x", Timeout: tt.timeout}, tt.exit, bashSpill{})
		data, err := json.Marshal(r)
		if err != nil {
			t.Fatal(err)
		}
		var stored tools.Result
		if err := json.Unmarshal(data, &stored); err != nil {
			t.Fatal(err)
		}
		view, ok := presentBashResult(BashArgs{Command: "x"}, stored).(*presentation.TerminalResult)
		if !ok {
			t.Fatalf("%s: no terminal", tt.name)
		}
		if view.Output != text(r) || view.Signal != tt.signal || !sameCode(view.ExitCode, tt.exitCode) {
			t.Errorf("%s: %+v code %v", tt.name, view, view.ExitCode)
		}
		if late := strings.Contains(tt.want, "[timed out"); late != slices.Equal(view.Notes, []string{"[timed out after 1000ms]"}) || late != (view.Notes != nil) {
			t.Errorf("%s: notes %q", tt.name, view.Notes)
		}
	}
}

func sameCode(a, b *int) bool { return a == b || a != nil && b != nil && *a == *b }

// TestPresentOldBashResult: results without meta are read by their last line.
func TestPresentOldBashResult(t *testing.T) {
	tests := []struct {
		text   string
		meta   string
		code   *int
		signal string
	}{
		{"oops\n[exit code: 3]", "", code(3), ""},
		{"gone\n[killed by signal: SIGKILL]", "", nil, "SIGKILL"},
		{"[exit code: 5]", "", code(0), ""},
		{"hi\n[exit code: 0]\n\n", "", code(0), ""},
		{"hi", "", code(0), ""},
		{"a\n[exit code: x]", "", code(0), ""},
		{"a\n[exit code: 3] ", "", code(0), ""},
		{"a\n[exit code: 4]", `{"exitCode":"four"}`, code(4), ""},
		{"a\n[exit code: 4]", `[]`, code(4), ""},
		{"a\n[exit code: 4]", `{"exitCode":0}`, code(0), ""},
		{"a", `{"exitCode":1,"signal":"SIGTERM"}`, nil, "SIGTERM"},
		{"a", `{}`, nil, ""},
	}
	for _, tt := range tests {
		r := tools.TextResult(tt.text)
		if tt.meta != "" {
			r.Meta = json.RawMessage(tt.meta)
		}
		view, ok := presentBashResult(BashArgs{}, r).(*presentation.TerminalResult)
		if !ok || view.Output != tt.text || view.Signal != tt.signal || !sameCode(view.ExitCode, tt.code) {
			t.Errorf("%q %s: %+v", tt.text, tt.meta, view)
		}
	}
}

func TestPresentBash(t *testing.T) {
	call := presentBashCall(BashArgs{Command: "ls", Description: "List", Workdir: "sub"})
	if want := (presentation.TerminalCall{Title: "ls", Description: "List", Cwd: "sub"}); *call.(*presentation.TerminalCall) != want {
		t.Errorf("%+v", call)
	}
	background := presentBashCall(BashArgs{Command: `a "b"`, Description: "Serve", RunInBackground: true}).(*presentation.GenericCall)
	if background.Title != `a "b"` || background.Kind != presentation.KindExecute || string(background.RawInput) != `"a \"b\""` || background.Content[0].Text != "Serve" {
		t.Errorf("%+v", background)
	}
	if c := presentBashCall(BashArgs{Command: "a", RunInBackground: true}).(*presentation.GenericCall).Content; c != nil {
		t.Errorf("%+v", c)
	}
	failed := tools.TextResult("Error: command aborted")
	failed.IsError = true
	fence := "```console\nError: command aborted\n```"
	for name, view := range map[string]presentation.ResultView{
		"error":      presentBashResult(BashArgs{}, failed),
		"background": presentBashResult(BashArgs{RunInBackground: true}, tools.TextResult("Error: command aborted\n\n")),
	} {
		if g, ok := view.(*presentation.GenericResult); !ok || len(g.Content) != 1 || g.Content[0].Text != fence {
			t.Errorf("%s: %+v", name, view)
		}
	}
	two := tools.Result{Content: []presentation.Block{presentation.Text("a"), presentation.Text("b")}}
	image := tools.Result{Content: []presentation.Block{presentation.Image(nil, "image/png")}}
	for _, r := range []tools.Result{two, image, {}} {
		if v := presentBashResult(BashArgs{}, r); v != nil {
			t.Errorf("%+v is presented as %+v", r, v)
		}
	}
}

func TestBashTimeouts(t *testing.T) {
	tests := []struct {
		o         Options
		requested int
		want      time.Duration
	}{
		{Options{}, 0, 120 * time.Second},
		{Options{}, 1, time.Millisecond},
		{Options{}, 600_001, 600 * time.Second},
		{Options{}, 1 << 62, 600 * time.Second},
		{Options{BashTimeout: time.Second}, 0, time.Second},
		{Options{BashTimeout: time.Hour}, 0, 600 * time.Second},
		{Options{BashMaxTimeout: time.Minute}, 0, time.Minute},
		{Options{BashMaxTimeout: time.Hour}, 3_600_000, time.Hour},
	}
	for _, tt := range tests {
		if got := tt.o.bashTimeout(tt.requested); got != tt.want {
			t.Errorf("%+v, %d: %v", tt.o, tt.requested, got)
		}
	}
}

func TestBashDescription(t *testing.T) {
	d := Bash(Options{BashMaxTimeout: 5 * time.Second}).Description
	for _, want := range []string{"in " + proc.FindShell().Name + " and", "5000 at most", "last 64000 bytes"} {
		if !strings.Contains(d, want) {
			t.Errorf("no %q in %s", want, d)
		}
	}
	if strings.ContainsAny(d, "{}") {
		t.Errorf("placeholder left in %s", d)
	}
}

func TestBashAccess(t *testing.T) {
	got := Bash(Options{}).Access(json.RawMessage(`{"command":"rm -r x","workdir":"/tmp"}`))
	if want := (tools.Access{Kind: tools.AccessExecute, Command: "rm -r x", Dir: "/tmp"}); len(got) != 1 || got[0] != want {
		t.Errorf("%+v", got)
	}
	for _, d := range []*tools.Definition{BashOutput(Options{}), BashKill(Options{})} {
		if got := d.Access(json.RawMessage(`{"task_id":"bash-1"}`)); got == nil || len(got) != 0 {
			t.Errorf("%s: %+v", d.Name, got)
		}
	}
}

func TestLastLines(t *testing.T) {
	tests := []struct {
		text string
		n    int
		want string
	}{
		{"a\nb\nc\n", 2, "b\nc\n"}, {"a\nb\nc", 2, "b\nc"}, {"a\nb\nc\n", 3, "a\nb\nc\n"}, {"a\n", 9, "a\n"},
		{"", 1, ""}, {"\n\n\n", 1, "\n"}, {"a\n\nb", 2, "\nb"},
	}
	for _, tt := range tests {
		if got := lastLines(tt.text, tt.n); got != tt.want {
			t.Errorf("last %d of %q: %q", tt.n, tt.text, got)
		}
	}
}

func TestTaskText(t *testing.T) {
	ended := func(e proc.Exit) *proc.Exit { return &e }
	tests := []struct {
		delta proc.Delta
		want  string
	}{
		{proc.Delta{}, "(no new output)\n[status: running]"},
		{proc.Delta{Stdout: "out\n"}, "out\n[status: running]"},
		{proc.Delta{Stdout: "out", Stderr: "err"}, "out\n[stderr]\nerr\n[status: running]"},
		{proc.Delta{Exit: ended(proc.Exit{Code: code(3)})}, "(no new output)\n[status: completed, exit code: 3]"},
		{proc.Delta{Exit: ended(proc.Exit{Signal: "SIGTERM", Aborted: true})}, "(no new output)\n[status: killed by SIGTERM]"},
		{proc.Delta{Exit: ended(proc.Exit{Code: code(0), Aborted: true})}, "(no new output)\n[status: killed]"},
		{proc.Delta{Exit: ended(proc.Exit{})}, "(no new output)\n[status: completed, exit code: unknown]"},
		{proc.Delta{Stdout: "tail\n", Dropped: true}, "tail\n[some output was dropped from memory; full output: (unavailable)]\n[status: running]"},
		{proc.Delta{Stdout: "tail\n", Dropped: true, Refs: []string{"/full/a", "/full/b"}},
			"tail\n[some output was dropped from memory; full output: /full/a, /full/b]\n" +
				"[read it with tool_output_cache, search it with tool_output_cache_grep; ref_id: a]\n" +
				"[read it with tool_output_cache, search it with tool_output_cache_grep; ref_id: b]\n[status: running]"},
	}
	for _, tt := range tests {
		if got := taskText(tt.delta, testRef); got != tt.want {
			t.Errorf("%+v: %q, want %q", tt.delta, got, tt.want)
		}
	}
}

func TestCompletionNotice(t *testing.T) {
	got := CompletionNotice(proc.Completion{ID: "bash-2", Line: "make", Exit: proc.Exit{Code: code(2)}})
	if want := "Background task bash-2 has finished: make\n[status: completed, exit code: 2]\nRead its output with bash_output."; got != want {
		t.Errorf("%q", got)
	}
}

func TestBashArguments(t *testing.T) {
	s := newSession(t, Options{})
	for _, arguments := range []string{
		`{}`, `{"command":""}`, `{"command":" \n"}`, `{"command":"true","description":" "}`,
		`{"command":"true","timeout_ms":0}`, `{"command":"true","timeout_ms":-5}`, `{"command":"true","timeout_ms":1.5}`,
		`{"command":"true","timeout_ms":10,"timeoutMs":20}`, `{"command":7}`,
	} {
		s.fails(tools.CodeInvalidArgs, "bash", arguments)
	}
}

func TestBashWithoutDependencies(t *testing.T) {
	s := newSession(t, Options{})
	s.run.Deps = tools.Overrides{}
	for name, arguments := range map[string]args{
		"bash": {"command": "true"}, "bash_output": {"task_id": "bash-1"}, "bash_kill": {"task_id": "bash-1"},
		"tool_output_cache": {"ref_id": "x"},
	} {
		if got := s.fails(CodeUnavailable, name, arguments); !strings.Contains(got, "Go on without") {
			t.Errorf("%s: %s", name, got)
		}
	}
	if got := s.fails(CodeUnavailable, "tool_output_cache_grep", args{"ref_id": "x", "pattern": "y"}); !strings.Contains(got, "tool_output_cache is unavailable.") {
		t.Error(got)
	}
}

func ExampleCompletionNotice() {
	zero := 0
	fmt.Println(CompletionNotice(proc.Completion{ID: "bash-1", Line: "npm run build", Exit: proc.Exit{Code: &zero}}))
	// Output:
	// Background task bash-1 has finished: npm run build
	// [status: completed, exit code: 0]
	// Read its output with bash_output.
}
