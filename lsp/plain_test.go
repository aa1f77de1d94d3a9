package lsp

import (
	"encoding/json"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"go.lsp.dev/uri"
)

func TestWrongArguments(t *testing.T) {
	s := start(t, "vscode", world{})
	for _, c := range []struct {
		name string
		args []any
		says string
	}{
		{"showTranscript", nil, "no session yet"},
		{"prompt", nil, "text"}, {"prompt", []any{42}, "text"}, {"prompt", []any{"a", "b"}, "text"}, {"prompt", []any{nil}, "text"},
		{"cancel", []any{1}, "no arguments"}, {"newSession", []any{1}, "no arguments"},
		{"setMode", nil, "full-access"}, {"setMode", []any{"full-acess"}, "full-access"},
		{"setModel", []any{7}, "name of a model"}, {"setModel", []any{"none"}, "unknown model"},
		{"follow", []any{"yes"}, "true"}, {"follow", []any{nil}, "true"},
		{"showTranscript", []any{"no-such"}, "unknown session"},
		{"showTranscript", []any{"../../etc/passwd"}, "unknown session"},
		{"undoHunk", nil, "hunk"}, {"undoFile", []any{5}, "uri"}, {"restoreCheckpoint", []any{"x"}, "checkpoint"},
		{"noSuchCommand", nil, "agent-ls.prompt"},
	} {
		_, err := s.command("agent-ls."+c.name, c.args...)
		if err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s %v: %v, want it to say %q", c.name, c.args, err, c.says)
		}
	}
}

func TestCommandsBelongToTheCurrentSession(t *testing.T) {
	s := start(t, "vscode", world{})
	first := s.prompt("!echo one")
	var made struct{ SessionID string }
	result, err := s.command("agent-ls.newSession")
	if err != nil || json.Unmarshal(result, &made) != nil || made.SessionID == first.SessionID {
		t.Fatalf("newSession: %s, %v", result, err)
	}
	second := s.prompt("!echo two")
	if second.SessionID != made.SessionID || strings.Contains(second.Transcript, "one") {
		t.Fatalf("the prompt is of session %s:\n%s", second.SessionID, second.Transcript)
	}
	if _, err := s.command("agent-ls.setMode", "read-only"); err != nil {
		t.Fatal(err)
	}
	s.expectFailed(s.prompt("!true"), true)
}

func TestPromptsQueueAndACancelHitsThemAll(t *testing.T) {
	s := start(t, "vscode", world{})
	command := func(text string) (wait func() (json.RawMessage, error)) {
		_, wait = s.editor.start("workspace/executeCommand", map[string]any{"command": "agent-ls.prompt", "arguments": []string{text}})
		return wait
	}
	one, two := command("!sleep 300"), command("!echo two")
	_, cancelled := s.editor.start("workspace/executeCommand", map[string]any{"command": "agent-ls.cancel"})
	if _, err := cancelled(); err != nil {
		t.Fatal(err)
	}
	for _, wait := range []func() (json.RawMessage, error){one, two} {
		if r, err := wait(); err != nil || !strings.Contains(string(r), `"cancelled"`) {
			t.Fatalf("%s, %v", r, err)
		}
	}
	if out := s.prompt("!echo three"); !strings.Contains(out.Transcript, "three") || strings.Contains(out.Transcript, "two") {
		t.Fatalf("the next turn: %s", out.Transcript)
	}
}

func TestCancelRequestEndsTheTurn(t *testing.T) {
	s := start(t, "vscode", world{})
	id, wait := s.editor.start("workspace/executeCommand", map[string]any{"command": "agent-ls.prompt", "arguments": []string{"!sleep 300"}})
	s.until("the progress", func() bool { return len(s.begun) == 1 })
	s.notify("$/cancelRequest", map[string]any{"id": id})
	if r, err := wait(); err != nil && code(err) != -32800 || err == nil && !strings.Contains(string(r), `"cancelled"`) {
		t.Fatalf("%s, %v", r, err)
	}
}

func TestProgress(t *testing.T) {
	s := start(t, "vscode", world{files: map[string]string{"a.txt": "text\n"}})
	s.prompt("/read " + s.path("a.txt") + "\n!echo hello\n/read missing.txt")
	s.until("three progresses with their ends", func() bool { return len(s.begun) == 3 && len(s.ended) == 3 })
	var titles []string
	for _, title := range s.begun {
		titles = append(titles, title)
	}
	slices.Sort(titles)
	if strings.Join(titles, "|") != "Read a.txt|Read missing.txt|echo hello" {
		t.Fatalf("titles %q", titles)
	}
}

func TestProgressThatIsRefused(t *testing.T) {
	s := start(t, "vscode", world{})
	s.mu.Lock()
	s.refuseCreate = true
	s.mu.Unlock()
	s.expectFailed(s.prompt("!echo fine"), false)
}

func TestCancelFromTheProgress(t *testing.T) {
	s := start(t, "vscode", world{})
	_, wait := s.editor.start("workspace/executeCommand", map[string]any{"command": "agent-ls.prompt", "arguments": []string{"!sleep 300"}})
	token := ""
	s.until("a progress that has begun", func() bool {
		for t, title := range s.begun {
			token = t
			return title != ""
		}
		return false
	})
	s.notify("window/workDoneProgress/cancel", map[string]any{"token": token})
	if r, err := wait(); err != nil || !strings.Contains(string(r), `"cancelled"`) {
		t.Fatalf("%s, %v", r, err)
	}
	s.until("its end", func() bool { return s.ended[token] })
	s.notify("window/workDoneProgress/cancel", map[string]any{"token": 7})
}

func TestQuestions(t *testing.T) {
	for button, c := range map[string]struct{ stop, want string }{
		"Allow":         {"end_turn", "seven"},
		"Allow always":  {"end_turn", "seven"},
		"Reject":        {"end_turn", "line 7"},
		"Reject always": {"end_turn", "line 7"},
		"":              {"cancelled", "line 7"},
	} {
		t.Run(button, func(t *testing.T) {
			s := start(t, "vscode", world{mode: "ask", files: map[string]string{"a.txt": numbered}})
			s.mu.Lock()
			s.onQuestion = func(q *question) string {
				if button == "" {
					return ""
				}
				return q.button(button)
			}
			s.mu.Unlock()
			out := s.prompt(s.swap("a.txt", "line 7", "seven"))
			if out.StopReason != c.stop || !strings.Contains(s.disk(t, "a.txt"), c.want) {
				t.Fatalf("stop reason %s, disk %q", out.StopReason, s.disk(t, "a.txt"))
			}
			q := s.questions[0]
			if !strings.Contains(q.text, "a.txt") || !strings.Contains(q.text, "+seven") || len(q.titles) != 4 {
				t.Errorf("question %q with %q", q.text, q.titles)
			}
		})
	}
}

func TestQuestionAboutACommandIsWhole(t *testing.T) {
	s := start(t, "nvim12", world{mode: "ask"})
	s.mu.Lock()
	s.onQuestion = func(q *question) string { return q.button("Allow") }
	s.mu.Unlock()
	command := "echo " + strings.Repeat("long ", 2000) + "\necho end"
	s.expectFailed(s.prompt(call("bash", map[string]any{"command": command})), false)
	if !strings.Contains(s.questions[0].text, command) {
		t.Fatal("the command is cut")
	}
}

func TestQuestionIsWithdrawn(t *testing.T) {
	s := start(t, "vscode", world{mode: "ask"})
	_, wait := s.editor.start("workspace/executeCommand", map[string]any{"command": "agent-ls.prompt", "arguments": []string{"!true"}})
	s.until("the question", func() bool { return len(s.questions) == 1 })
	if _, err := s.command("agent-ls.cancel"); err != nil {
		t.Fatal(err)
	}
	if r, err := wait(); err != nil || !strings.Contains(string(r), `"cancelled"`) {
		t.Fatalf("%s, %v", r, err)
	}
	s.until("the withdrawal", func() bool { return slices.Contains(s.withdrawn, s.questions[0].id) })
	s.questions[0].answer <- "Allow" // too late
}

func TestClientThatCannotBeAsked(t *testing.T) {
	s := start(t, "bare", world{mode: "ask"})
	s.expectFailed(s.prompt("!true"), true)
	s.until("a message that says why", func() bool {
		return slices.ContainsFunc(s.messages, func(m string) bool { return strings.Contains(m, "cannot ask you: true") })
	})
}

func TestFollow(t *testing.T) {
	s := start(t, "vscode", world{files: map[string]string{"a.txt": numbered, "b.txt": numbered}})
	s.prompt("/read " + s.path("a.txt"))
	if len(s.shown) != 0 {
		t.Fatalf("shown although off: %v", s.shown)
	}
	if on, err := s.command("agent-ls.follow"); err != nil || string(on) != "true" {
		t.Fatalf("toggled to %s, %v", on, err)
	}
	s.prompt("/ls " + s.dir + "\n/read " + s.path("b.txt"))
	s.until("the file that was read", func() bool { return slices.Contains(s.shown, s.uri("b.txt")) })
	if off, err := s.command("agent-ls.follow", false); err != nil || string(off) != "false" {
		t.Fatalf("off: %s, %v", off, err)
	}
}

func TestFollowPausesWhileTheUserTypes(t *testing.T) {
	s := start(t, "vscode", world{files: map[string]string{"a.txt": numbered, "b.txt": numbered}})
	if _, err := s.command("agent-ls.follow", true); err != nil {
		t.Fatal(err)
	}
	s.open("a.txt")
	s.prompt("/read " + s.path("a.txt"))
	s.until("the file", func() bool { return len(s.shown) == 1 })
	s.typeAfter("a.txt", "line 1", "x")
	s.taken()
	paused := func() bool {
		s.server.follow.mu.Lock()
		defer s.server.follow.mu.Unlock()
		return s.server.follow.f.Paused()
	}
	if !paused() {
		t.Fatal("following goes on where the user types")
	}
	if s.prompt("hello"); paused() {
		t.Fatal("the next turn does not follow")
	}
}

func TestTranscriptFile(t *testing.T) {
	s := start(t, "nvim12", world{})
	out := s.prompt("!echo in the file; exit 3")
	path := s.server.transcriptPath(out.SessionID)
	data, err := os.ReadFile(path)
	if err != nil || string(data) != out.Transcript {
		t.Fatalf("%v: the file differs from the answer:\n%s", err, data)
	}
	if info, err := os.Stat(path); err != nil || runtime.GOOS != "windows" && info.Mode().Perm() != 0o600 {
		t.Fatalf("mode %v, %v", info.Mode(), err)
	}
	if _, err := s.command("agent-ls.showTranscript"); err != nil {
		t.Fatal(err)
	}
	if u := s.shown[0]; filepath.Base(uri.URI(u).FsPath()) != "transcript.md" || !strings.Contains(u, out.SessionID) {
		t.Fatalf("shown %s", u)
	}
	for _, want := range []string{"!echo in the file; exit 3", "in the file", "completed, exit code 3", "1 call: 1 completed"} {
		if !strings.Contains(out.Transcript, want) {
			t.Errorf("no %q in:\n%s", want, out.Transcript)
		}
	}
}

// declareContent makes a client say that it shows documents of our scheme.
func declareContent(p map[string]any) {
	p["capabilities"].(map[string]any)["workspace"].(map[string]any)["textDocumentContent"] = map[string]any{}
}

func TestTranscriptDocument(t *testing.T) {
	s := start(t, "vscode", world{params: declareContent, files: map[string]string{"a.txt": numbered}})
	out := s.prompt(s.swap("a.txt", "line 7", "seven"))
	u := transcriptURI(out.SessionID)
	read := func(u string) (string, error) {
		var r struct{ Text string }
		result, err := s.request("workspace/textDocumentContent", map[string]any{"uri": u})
		if err == nil {
			err = json.Unmarshal(result, &r)
		}
		return r.Text, err
	}
	if text, err := read(u); err != nil || text != out.Transcript {
		t.Fatalf("%v: the document differs from the answer:\n%s", err, text)
	}
	s.prompt("!echo more")
	s.until("a refresh", func() bool { return slices.Contains(s.refreshed, u) })
	if text, err := read(u); err != nil || !strings.HasPrefix(text, out.Transcript) || !strings.Contains(text, "echo more") {
		t.Fatalf("%v: %s", err, text)
	}
	for _, bad := range []string{transcriptURI("none"), "agent-ls:/session/../../etc/passwd", "agent-ls:/session/..%2f..%2fetc%2fpasswd", "agent-ls:/", "file:///etc/passwd"} {
		if text, err := read(bad); err == nil {
			t.Errorf("%s: %q", bad, text)
		}
	}
}

func TestFilesChangedOutside(t *testing.T) {
	s := start(t, "vscode", world{files: map[string]string{"a.txt": "one\n"}})
	s.open("a.txt")
	s.taken()
	s.write(t, "a.txt", "two\n")
	s.notify("workspace/didChangeWatchedFiles", map[string]any{"changes": []any{map[string]any{"uri": s.uri("a.txt"), "type": 2}}})
	s.setText("a.txt", "one\ntyped\n")
	out := s.prompt("/read " + s.path("a.txt"))
	if !strings.Contains(out.Transcript, "typed") || !strings.Contains(out.Transcript, "on disk has changed") {
		t.Fatalf("%s", out.Transcript)
	}
}
