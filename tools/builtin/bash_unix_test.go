//go:build unix

package builtin

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/agent-ls/agent-ls/presentation"
	"github.com/agent-ls/agent-ls/tools"
	"github.com/agent-ls/agent-ls/tools/proc"
)

// newShell is a session that can run commands, whose processes end with the
// test. They have all the time that a busy machine needs to end by TERM.
func newShell(t *testing.T, o Options) (*session, *proc.Tasks) {
	t.Helper()
	return newShellWithGrace(t, o, unreasonable)
}

// newShellWithGrace is newShell for commands that TERM does not end.
func newShellWithGrace(t *testing.T, o Options, grace time.Duration) (*session, *proc.Tasks) {
	t.Helper()
	s := newSession(t, o)
	local := proc.NewLocal(proc.LocalOptions{Grace: grace})
	t.Cleanup(local.Close)
	tasks := proc.NewTasks(proc.TasksOptions{})
	t.Cleanup(tasks.Dispose)
	tools.Override[proc.Runner](s.run.Deps, Runner, local)
	tools.Override(s.run.Deps, Tasks, tasks)
	return s, tasks
}

func TestBashRuns(t *testing.T) {
	s, _ := newShell(t, Options{})
	tests := []struct{ command, want string }{
		{"echo hi", "hi\n"},
		{"printf x; exit 7", "x\n[exit code: 7]"},
		{"echo out; echo err >&2; exit 1", "out\n[stderr]\nerr\n[exit code: 1]"},
		{"kill -9 $$", "(no output)\n[killed by signal: SIGKILL]"},
		{"true", "(no output)"},
		{"cat", "(no output)"},
		{`printf '\033[31mred\033[0m\n'`, "red\n"},
		{`printf '10%%\r100%%\n'`, "100%\n"},
	}
	for _, tt := range tests {
		r := s.call("bash", args{"command": tt.command, "description": "Test"})
		if r.IsError || text(r) != tt.want {
			t.Errorf("%s: %q, want %q", tt.command, text(r), tt.want)
		}
		view, ok := s.cards.result.(*presentation.TerminalResult)
		if !ok || view.Output != tt.want {
			t.Errorf("%s: card %+v", tt.command, s.cards.result)
		}
	}
}

func TestBashDetails(t *testing.T) {
	s, _ := newShell(t, Options{})
	r := s.call("bash", args{"command": "echo out; echo err >&2; exit 3"})
	var got, want map[string]any
	if err := json.Unmarshal(r.Details, &got); err != nil {
		t.Fatal(err)
	}
	want = map[string]any{"command": "echo out; echo err >&2; exit 3", "cwd": s.dir, "exitCode": 3.0, "stdout": "out\n", "stderr": "err\n", "truncated": false}
	for key, v := range want {
		if got[key] != v {
			t.Errorf("%s: %v, want %v", key, got[key], v)
		}
	}
	if string(r.Meta) != `{"exitCode":3}` {
		t.Errorf("meta %s", r.Meta)
	}
	r = s.call("bash", args{"command": "kill -9 $$"})
	if !strings.Contains(string(r.Details), `"exitCode":null`) || string(r.Meta) != `{"signal":"SIGKILL"}` {
		t.Errorf("details %s, meta %s", r.Details, r.Meta)
	}
}

// TestBashStreams: every chunk is shown as it came, terminal sequences
// included.
func TestBashStreams(t *testing.T) {
	s, _ := newShell(t, Options{})
	s.ok("bash", args{"command": `printf '\033[1mone\033[0m '; printf two >&2`})
	var shown strings.Builder
	for _, u := range s.cards.updates {
		shown.WriteString(u.(tools.Output).Text)
	}
	if got := shown.String(); len(got) != len("\x1b[1mone\x1b[0m two") || !strings.Contains(got, "\x1b[1mone\x1b[0m ") {
		t.Errorf("shown %q", got)
	}
}

func TestBashFolders(t *testing.T) {
	s, _ := newShell(t, Options{})
	s.write("sub/file", "")
	for workdir, want := range map[string]string{"": s.dir, "sub": s.path("sub"), s.path("sub"): s.path("sub"), "sub/..": s.dir} {
		a := args{"command": "pwd -P"}
		if workdir != "" {
			a["workdir"] = workdir
		}
		if got := s.ok("bash", a); got != want+"\n" {
			t.Errorf("workdir %q: %q", workdir, got)
		}
	}
	if got := s.fails(proc.CodeBadFolder, "bash", args{"command": "true", "workdir": "none"}); !strings.Contains(got, "does not exist") {
		t.Error(got)
	}
	configured, _ := newShell(t, Options{BashCwd: "inner"})
	configured.write("inner/file", "")
	if got := configured.ok("bash", args{"command": "pwd -P"}); got != configured.path("inner")+"\n" {
		t.Errorf("configured folder: %q", got)
	}
}

func TestBashTimesOut(t *testing.T) {
	s, _ := newShell(t, Options{})
	r := s.call("bash", args{"command": "exec sleep 100", "timeoutMs": 50})
	if r.IsError || text(r) != "(no output)\n[timed out after 50ms]\n[killed by signal: SIGTERM]" || string(r.Meta) != `{"signal":"SIGTERM","timedOut":true,"notes":["[timed out after 50ms]"]}` {
		t.Errorf("%q, %s", text(r), r.Meta)
	}
}

// TestBashTruncates: the note names a file that holds everything, and the ref
// that the tools for stored output take.
func TestBashTruncates(t *testing.T) {
	s, _ := newShell(t, Options{})
	r := s.call("bash", args{"command": "i=0; while [ $i -lt 9000 ]; do echo line number $i; i=$((i+1)); done; exit 4"})
	got := text(r)
	note := regexp.MustCompile(`\n\[output truncated; full output: (.+)\]\n\[read it .* ref_id: (\S+)\]\n\[exit code: 4\]$`).FindStringSubmatch(got)
	if note == nil {
		t.Fatalf("no note: …%q", got[max(0, len(got)-300):])
	}
	full, err := os.ReadFile(note[1])
	if err != nil || !strings.HasPrefix(string(full), "line number 0\n") || !strings.HasSuffix(string(full), "line number 8999\n") {
		t.Errorf("full output: %d bytes, %v", len(full), err)
	}
	if kept, _, _ := strings.Cut(got, "\n[output truncated"); len(kept) > proc.DefaultKeep || !strings.HasPrefix(kept, "line number ") {
		t.Errorf("%d bytes kept, from %.20q", len(kept), kept)
	}
	if r.OutputRef != note[2] {
		t.Errorf("output ref %q, note %q", r.OutputRef, note[2])
	}
	if page := s.ok("tool_output_cache", args{"ref_id": note[2], "offset": 8998}); page != " 8999  line number 8998\n 9000  line number 8999" {
		t.Errorf("last page %q", page)
	}
	if !strings.Contains(string(r.Details), `"truncated":true`) {
		t.Errorf("details say nothing: %.80s", r.Details)
	}
}

func TestBashMaxLines(t *testing.T) {
	s, _ := newShell(t, Options{BashMaxStdoutLines: 2, BashMaxStderrLines: 1})
	got := s.ok("bash", args{"command": "printf 'a\\nb\\nc\\n'; echo e >&2"})
	note := regexp.MustCompile(`^b\nc\n\[output truncated; full output: (.+)\]\n\[read it .*\]\n\[stderr\]\ne\n$`).FindStringSubmatch(got)
	if note == nil {
		t.Fatalf("%q", got)
	}
	if full, err := os.ReadFile(note[1]); err != nil || string(full) != "a\nb\nc\n" {
		t.Errorf("full output %q, %v", full, err)
	}
}

// TestBashWithoutStore: a command never fails for want of a place for its
// output.
func TestBashWithoutStore(t *testing.T) {
	s, _ := newShell(t, Options{BashMaxStdoutLines: 1})
	delete(s.run.Deps, Outputs.ID)
	if got := s.ok("bash", args{"command": "printf 'a\\nb\\n'"}); got != "b\n[output truncated; full output: (unavailable)]" {
		t.Errorf("%q", got)
	}
}

func TestBashAborted(t *testing.T) {
	s, _ := newShellWithGrace(t, Options{}, 200*time.Millisecond)
	for _, command := range []string{"echo ready; exec sleep 100", "trap '' TERM; echo ready; while :; do sleep 1; done"} {
		ctx, cancel := context.WithCancel(context.Background())
		s.run.Events = cancelOnOutput{s.cards, cancel}
		r := s.pipe.ExecuteRaw(ctx, s.run, tools.Call{ID: "c", Name: "bash", Arguments: string(mustJSON(args{"command": command}))})
		if !r.IsError || r.Error == nil || r.Error.Code != tools.CodeAborted || !strings.Contains(text(r), "command aborted") {
			t.Errorf("%s: %q %+v", command, text(r), r.Error)
		}
		if _, ok := s.cards.result.(*presentation.GenericResult); !ok {
			t.Errorf("%s: card %T", command, s.cards.result)
		}
		cancel()
	}
}

// cancelOnOutput cancels the call when its command has shown something.
type cancelOnOutput struct {
	tools.Events
	cancel func()
}

func (c cancelOnOutput) Updated(x tools.Execution, u tools.Update) {
	c.Events.Updated(x, u)
	c.cancel()
}

func TestBashInBackground(t *testing.T) {
	s, tasks := newShell(t, Options{})
	done := make(chan proc.Completion, 10)
	tasks.OnCompletion(func(c proc.Completion) { done <- c })

	if got := s.ok("bash", args{"command": "echo out; echo err >&2; exit 3", "run_in_background": true}); got != "started background task bash-1" {
		t.Fatal(got)
	}
	if view, ok := s.cards.result.(*presentation.GenericResult); !ok || view.Content[0].Text != "```console\nstarted background task bash-1\n```" {
		t.Errorf("card %+v", s.cards.result)
	}
	if c := <-done; c.Owner != "s1" {
		t.Errorf("owner %q", c.Owner)
	}
	if got := s.ok("bash_output", args{"taskId": "bash-1"}); got != "out\n[stderr]\nerr\n[status: completed, exit code: 3]" {
		t.Errorf("%q", got)
	}
	card := s.cards.started.(*presentation.GenericCall)
	if card.Title != "Read output from background task bash-1" || card.Kind != presentation.KindExecute || string(card.RawInput) != `"bash-1"` {
		t.Errorf("%+v", card)
	}
	if got := s.ok("bash_output", args{"task_id": "bash-1"}); got != "(no new output)\n[status: completed, exit code: 3]" {
		t.Errorf("%q", got)
	}
	if got := s.ok("bash_kill", args{"task_id": "bash-1"}); got != "task bash-1 had already finished" {
		t.Errorf("%q", got)
	}

	s.ok("bash", args{"command": "exec sleep 100", "run_in_background": true})
	if got := s.ok("bash_kill", args{"task_id": "bash-2"}); got != "killed background task bash-2" {
		t.Errorf("%q", got)
	}
	if card := s.cards.started.(*presentation.GenericCall); card.Title != "Kill background task bash-2" {
		t.Errorf("%+v", card)
	}
	if got := s.ok("bash_output", args{"task_id": "bash-2"}); got != "(no new output)\n[status: killed by SIGTERM]" {
		t.Errorf("%q", got)
	}
}

// TestBashTaskOwners: tools.md §3.10.16.
func TestBashTaskOwners(t *testing.T) {
	s, _ := newShell(t, Options{})
	s.ok("bash", args{"command": "exec sleep 100", "run_in_background": true})
	s.run.Session = "s2"
	for _, name := range []string{"bash_output", "bash_kill"} {
		if got := s.fails(proc.CodeTaskForeign, name, args{"task_id": "bash-1"}); !strings.Contains(got, "task bash-1 belongs to another session") {
			t.Errorf("%q", got)
		}
		if got := s.fails(proc.CodeTaskNotFound, name, args{"task_id": "bash-7"}); !strings.Contains(got, `unknown bash task "bash-7"`) {
			t.Errorf("%q", got)
		}
		s.fails(proc.CodeInvalidTask, name, args{"task_id": ""})
	}
	if got := s.fails(proc.CodeBadFolder, "bash", args{"command": "x", "workdir": "none", "run_in_background": true}); !strings.Contains(got, "does not exist") {
		t.Error(got)
	}
}

// TestBashBackgroundDrops: a task that prints too much names the files that
// hold it all.
func TestBashBackgroundDrops(t *testing.T) {
	s, tasks := newShell(t, Options{})
	done := make(chan proc.Completion, 1)
	tasks.OnCompletion(func(c proc.Completion) { done <- c })
	s.ok("bash", args{"command": "i=0; while [ $i -lt 9000 ]; do echo line number $i; i=$((i+1)); done", "run_in_background": true})
	<-done
	got := s.ok("bash_output", args{"task_id": "bash-1"})
	note := regexp.MustCompile(`\n\[some output was dropped from memory; full output: (.+)\]\n\[read it .* ref_id: (\S+)\]\n\[status: completed, exit code: 0\]$`).FindStringSubmatch(got)
	if note == nil {
		t.Fatalf("no note: …%q", got[max(0, len(got)-300):])
	}
	if _, err := os.Stat(note[1]); err != nil || filepath.Base(note[1]) != note[2]+".txt" {
		t.Errorf("file %s, ref %s, %v", note[1], note[2], err)
	}
	if hits := s.ok("tool_output_cache_grep", args{"ref_id": note[2], "pattern": "number 4242"}); hits != "ref:"+note[2]+"\n 4243  line number 4242" {
		t.Errorf("%q", hits)
	}
}
