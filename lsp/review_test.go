package lsp

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"go.lsp.dev/uri"

	"github.com/agent-ls/agent-ls/agent"
	"github.com/agent-ls/agent-ls/workspace"
	"github.com/agent-ls/agent-ls/workspace/review"
)

// reviewed is a server with a review.
type reviewed struct {
	*setup
	review *Review
}

// startReview starts a server with a review whose store is new; before, when
// set, fills the store as an earlier process did. rich makes the client rich.
func startReview(t *testing.T, name string, w world, rich bool, before func(dir string, l *review.Ledger)) *reviewed {
	t.Helper()
	s := &reviewed{}
	stored := t.TempDir()
	open := func() (*review.Ledger, *review.Checkpoints) {
		store, err := review.OpenStore(review.StoreOptions{Dir: stored})
		check(t, err)
		l, err := review.OpenLedger(store, review.LedgerOptions{})
		check(t, err)
		c, err := review.OpenCheckpoints(store, review.CheckpointOptions{})
		check(t, err)
		return l, c
	}
	w.hub = func(c *agent.Config) {
		c.TurnBegins = func(session *agent.Session, prompt string) { s.review.TurnBegins(session, prompt) }
		c.Recorder = func(session *agent.Session, call string) workspace.Recorder { return s.review.Recorder(session, call) }
	}
	w.change = func(_ *Options, b *Backend) {
		if b == nil {
			return
		}
		if before != nil {
			l, _ := open()
			before(b.Cwd, l)
			check(t, l.Flush())
		}
		if rich {
			b.Rich = func(o RichOptions) Rich { return &fakeRich{o: o} }
		}
		b.PromptMeta = func(session *agent.Session) map[string]any { return s.review.PromptMeta(session) }
		b.Review = func(server *Server) Reviewer {
			l, c := open()
			s.review = NewReview(server, l, c)
			return s.review
		}
	}
	if rich {
		w.params = func(p map[string]any) {
			p["capabilities"].(map[string]any)["experimental"] = map[string]any{"acp": map[string]any{}}
		}
	}
	s.setup = start(t, name, w)
	t.Cleanup(func() {
		if err := s.review.Flush(); err != nil {
			t.Errorf("close: %v", err)
		}
	})
	return s
}

func check(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

type wireCommand struct {
	Command   string
	Arguments []any
}

// lenses are the lenses of a document as "keepHunk 3" lines, with the commands
// by these.
func (s *reviewed) lenses(rel string) (list []string, commands map[string]wireCommand) {
	s.t.Helper()
	raw, err := s.request("textDocument/codeLens", map[string]any{"textDocument": map[string]any{"uri": s.uri(rel)}})
	check(s.t, err)
	var lenses []struct {
		Range   struct{ Start struct{ Line int } }
		Command wireCommand
	}
	check(s.t, json.Unmarshal(raw, &lenses))
	commands = map[string]wireCommand{}
	for _, l := range lenses {
		name := fmt.Sprintf("%s %d", strings.TrimPrefix(l.Command.Command, "agent-ls."), l.Range.Start.Line)
		list = append(list, name)
		commands[name] = l.Command
	}
	return list, commands
}

func (s *reviewed) expectLenses(rel string, lines ...int) {
	s.t.Helper()
	var want []string
	for _, line := range lines {
		want = append(want, fmt.Sprintf("keepHunk %d", line), fmt.Sprintf("undoHunk %d", line))
	}
	if got, _ := s.lenses(rel); !slices.Equal(got, want) {
		s.t.Fatalf("lenses %v, want %v", got, want)
	}
}

// press runs the lens with this name.
func (s *reviewed) press(rel, name string) {
	s.t.Helper()
	_, commands := s.lenses(rel)
	c, ok := commands[name]
	if !ok {
		s.t.Fatalf("no lens %q", name)
	}
	s.do(strings.TrimPrefix(c.Command, "agent-ls."), c.Arguments...)
}

func (s *reviewed) do(name string, args ...any) json.RawMessage {
	s.t.Helper()
	raw, err := s.command("agent-ls."+name, args...)
	if err != nil {
		s.t.Fatalf("%s: %v", name, err)
	}
	return raw
}

// edits lets the agent make several replacements of one file.
func (s *reviewed) agentEdits(rel string, pairs ...string) {
	s.t.Helper()
	var edits []any
	for i := 0; i < len(pairs); i += 2 {
		edits = append(edits, map[string]any{"old_string": pairs[i], "new_string": pairs[i+1]})
	}
	out := s.prompt(call("read", map[string]any{"file_path": s.path(rel)}) + "\n" +
		call("edit", map[string]any{"file_path": s.path(rel), "edits": edits}))
	s.expectFailed(out, false)
}

// TestReviewOfABuffer is about unsaved text: hunks come and go with the edits
// of the buffer, and what the user types stays.
func TestReviewOfABuffer(t *testing.T) {
	for _, name := range []string{"vscode", "nvim10", "nvim12"} {
		t.Run(name, func(t *testing.T) {
			s := startReview(t, name, world{files: map[string]string{"a.txt": bom + numbered}}, false, nil)
			s.open("a.txt")
			s.typeAfter("a.txt", "line 1", " typed")
			s.agentEdits("a.txt", "line 3\n", "three\nand more\n", "line 7\n", "seven\n")
			s.expectLenses("a.txt", 2, 7)
			s.typeAfter("a.txt", "line 1 typed\n", "mine\n")
			s.typeAfter("a.txt", "line 5", " too")
			s.taken()
			s.expectLenses("a.txt", 3, 8)
			typed := s.text("a.txt")
			s.press("a.txt", "undoHunk 3")
			s.expectText("a.txt", strings.Replace(typed, "three\nand more\n", "line 3\n", 1))
			s.expectLenses("a.txt", 7)
			s.do("undoDecision")
			s.expectText("a.txt", typed)
			s.press("a.txt", "keepHunk 8")
			s.do("undoAll")
			s.expectText("a.txt", strings.Replace(typed, "three\nand more\n", "line 3\n", 1))
			s.expectLenses("a.txt")
		})
	}
}

// TestEditToldInParts makes edits of several places, whose parts the editor
// tells of one by one: all of them are the agent's, and none is the user's
// typing, which would pause following.
func TestEditToldInParts(t *testing.T) {
	s := startReview(t, "nvim12", world{files: map[string]string{"a.txt": numbered}}, false, nil)
	s.open("a.txt")
	s.agentEdits("a.txt", "line 2\nline 3\nline 4\n", "two\nthree\nfour\n", "line 7\n", "seven\n")
	s.server.follow.set(true)
	s.server.follow.shown = s.path("a.txt")
	s.agentEdits("a.txt", "two\n", "2\n", "four\n", "4\n", "line 9\n", "nine\n")
	if s.server.follow.f.Paused() {
		t.Error("following was paused")
	}
	s.expectLenses("a.txt", 1, 6, 8)
	s.do("undoAll")
	s.expectText("a.txt", numbered)
}

// TestTypingBeforeARefusedEdit types while an edit is on its way that the editor
// then refuses: what was typed stays the user's through the next attempt.
func TestTypingBeforeARefusedEdit(t *testing.T) {
	s := startReview(t, "nvim12", world{files: map[string]string{"a.txt": numbered}}, false, nil)
	s.open("a.txt")
	s.agentEdits("a.txt", "line 3\n", "three\n")
	s.onEdit = func() string {
		s.onEdit = nil
		s.typeAfter("a.txt", "line 1\n", "mine\n")
		return "reject"
	}
	s.agentEdits("a.txt", "line 7\n", "seven\n")
	s.expectLenses("a.txt", 3, 7)
	s.do("undoAll")
	s.expectText("a.txt", strings.Replace(numbered, "line 1\n", "line 1\nmine\n", 1))
}

// TestTypingToldWithAnEdit types what the editor tells of only with the edit:
// the edit is there, and what was typed is the user's.
func TestTypingToldWithAnEdit(t *testing.T) {
	for _, name := range []string{"vscode", "nvim12"} {
		t.Run(name, func(t *testing.T) {
			s := startReview(t, name, world{files: map[string]string{"a.txt": bom + numbered}}, false, nil)
			s.open("a.txt")
			s.typeAfter("a.txt", "line 1", " typed")
			s.onEdit = func() string {
				s.onEdit = nil
				s.typeHeld("a.txt", "line 9", " mine")
				return ""
			}
			s.agentEdits("a.txt", "line 3\n", "three\n")
			if n := len(s.edits); n != 1 {
				t.Errorf("%d edits, want 1", n)
			}
			s.expectLenses("a.txt", 2)
			s.do("undoAll")
			s.expectText("a.txt", strings.NewReplacer("line 1", "line 1 typed", "line 9", "line 9 mine").Replace(numbered))
			s.server.times.confirm = 100 * time.Millisecond
			s.typeAfter("a.txt", "line 5", " more")
			s.onEdit = func() string {
				s.onEdit = nil
				s.typeHeld("a.txt", "line 7", " too")
				return ""
			}
			out := s.prompt(s.swap("a.txt", "line 7", "seven"))
			s.expectFailed(out, true)
			if !strings.Contains(out.Transcript, " is not known") || len(s.edits) != 3 {
				t.Errorf("%d edits:\n%s", len(s.edits), out.Transcript)
			}
		})
	}
}

// TestReviewOfTheDisk is about a clean buffer, whose editor reads the file
// again late or not at all.
func TestReviewOfTheDisk(t *testing.T) {
	s := startReview(t, "vscode", world{files: map[string]string{"a.txt": numbered}}, false, nil)
	s.open("a.txt")
	s.agentEdits("a.txt", "line 3\n", "three\n")
	first := s.disk(t, "a.txt")
	s.agentEdits("a.txt", "line 7\n", "seven\n")
	second := s.disk(t, "a.txt")
	s.setText("a.txt", first) // late
	s.taken()
	s.expectLenses("a.txt", 2, 6)
	s.setText("a.txt", second)
	s.taken()
	s.expectLenses("a.txt", 2, 6)
	s.press("a.txt", "undoHunk 6")
	if got := s.disk(t, "a.txt"); got != first {
		t.Errorf("the disk has %q", got)
	}
	s.reload("a.txt")
	s.taken()
	s.do("undoFile", s.uri("a.txt"))
	if got := s.disk(t, "a.txt"); got != numbered {
		t.Errorf("the disk has %q", got)
	}
}

func TestReviewOfOtherProcesses(t *testing.T) {
	s := startReview(t, "vscode", world{files: map[string]string{"a.txt": numbered}}, false, nil)
	s.agentEdits("a.txt", "line 7\n", "seven\n")
	s.write(t, "a.txt", "theirs\n"+s.disk(t, "a.txt"))
	s.review.FilesChanged([]string{s.dir})
	s.expectLenses("a.txt", 7)
	check(t, os.Remove(s.path("a.txt")))
	s.review.FilesChanged([]string{s.path("a.txt")})
	if _, err := s.command("agent-ls.undoAll"); code(err) != int(codeRequestFailed) {
		t.Errorf("undo of a file that is gone: %v", err)
	}
	s.write(t, "a.txt", "theirs\n"+strings.Replace(numbered, "line 7", "seven", 1)) // it was being written
	s.do("undoAll")
	if got := s.disk(t, "a.txt"); got != "theirs\n"+numbered {
		t.Errorf("the disk has %q", got)
	}
}

func TestReviewOfWholeFiles(t *testing.T) {
	s := startReview(t, "vscode", world{files: map[string]string{"gone.sh": "#!\n", "old.txt": "moves\n"}}, false, nil)
	check(t, os.Chmod(s.path("gone.sh"), 0o755))
	s.expectFailed(s.prompt(call("write", map[string]any{"file_path": s.path("made/new.txt"), "content": "new\n"})), false)
	s.expectFailed(s.prompt(call("apply_patch", map[string]any{"patch": "*** Begin Patch\n*** Delete File: gone.sh\n" +
		"*** Update File: old.txt\n*** Move to: now.txt\n@@\n-moves\n+moved\n*** End Patch\n"})), false)
	s.open("made/new.txt")
	s.expectLenses("made/new.txt", 0)
	s.open("now.txt")
	s.expectLenses("now.txt", 0, 0)
	before, after := s.tree(), "gone.sh made/ old.txt"
	s.do("undoAll")
	if got := s.tree(); got != after || s.disk(t, "old.txt") != "moves\n" {
		t.Errorf("undone: %s, want %s", got, after)
	}
	if info, err := os.Stat(s.path("gone.sh")); err != nil || info.Mode().Perm() != 0o755 {
		t.Errorf("mode of the file that came back: %v, %v", info, err)
	}
	s.do("undoDecision")
	if got := s.tree(); got != before || s.disk(t, "now.txt") != "moved\n" {
		t.Errorf("taken back: %s, want %s", got, before)
	}
}

// tree lists the workspace.
func (s *reviewed) tree() string {
	var names []string
	_ = filepath.WalkDir(s.dir, func(path string, d os.DirEntry, err error) error {
		if rel, _ := filepath.Rel(s.dir, path); rel != "." && err == nil {
			if d.IsDir() {
				rel += "/"
			}
			names = append(names, filepath.ToSlash(rel))
		}
		return nil
	})
	return strings.Join(names, " ")
}

func TestHunksThatTheUserWroteIn(t *testing.T) {
	s := startReview(t, "vscode", world{files: map[string]string{"a.txt": numbered}}, false, nil)
	s.open("a.txt")
	s.typeAfter("a.txt", "line 1", " typed")
	s.agentEdits("a.txt", "line 3\n", "three\n", "line 7\n", "seven\n")
	s.typeAfter("a.txt", "three", " of mine")
	s.taken()
	before := s.text("a.txt")
	_, commands := s.lenses("a.txt")
	_, err := s.command("agent-ls.undoHunk", commands["undoHunk 2"].Arguments...)
	if code(err) != int(codeRequestFailed) || !strings.Contains(err.Error(), "you wrote into") {
		t.Errorf("undo: %v", err)
	}
	s.do("undoAll") // the other one
	s.expectText("a.txt", strings.Replace(before, "seven\n", "line 7\n", 1))
	s.until("a warning", func() bool {
		return slices.ContainsFunc(s.messages, func(m string) bool { return strings.Contains(m, "a.txt: you wrote into") })
	})
	s.press("a.txt", "keepHunk 2")
	s.expectLenses("a.txt")
}

func TestCodeActionsOfHunks(t *testing.T) {
	s := startReview(t, "vscode", world{files: map[string]string{"a.txt": numbered}}, false, nil)
	s.open("a.txt")
	s.agentEdits("a.txt", "line 3\n", "three\nand\nmore\n", "line 7\n", "seven\n")
	for _, tc := range []struct {
		from, to int
		want     string
	}{
		{1, 1, ""},
		{2, 2, "keepHunk undoHunk keepFile undoFile"},
		{4, 4, "keepHunk undoHunk keepFile undoFile"},
		{5, 7, ""},
		{0, 20, "keepHunk undoHunk keepHunk undoHunk keepFile undoFile"},
	} {
		raw, err := s.request("textDocument/codeAction", map[string]any{
			"textDocument": map[string]any{"uri": s.uri("a.txt")}, "context": map[string]any{"diagnostics": []any{}},
			"range": map[string]any{"start": map[string]any{"line": tc.from, "character": 0}, "end": map[string]any{"line": tc.to, "character": 0}},
		})
		check(t, err)
		var actions []struct{ Command wireCommand }
		check(t, json.Unmarshal(raw, &actions))
		var got []string
		for _, a := range actions {
			got = append(got, strings.TrimPrefix(a.Command.Command, "agent-ls."))
		}
		if strings.Join(got, " ") != tc.want {
			t.Errorf("lines %d to %d: %v, want %s", tc.from, tc.to, got, tc.want)
		}
	}
}

func TestReviewArguments(t *testing.T) {
	s := startReview(t, "vscode", world{}, false, nil)
	for _, tc := range []struct {
		name string
		args []any
		want string
	}{
		{"keepHunk", nil, "expected [hunk id]"},
		{"undoHunk", []any{1}, "expected [hunk id]"},
		{"keepHunk", []any{"a", "b"}, "expected [hunk id]"},
		{"keepHunk", []any{"none"}, `no pending hunk "none"`},
		{"undoHunk", []any{"none"}, `no pending hunk "none"`},
		{"keepFile", nil, "expected [uri]"},
		{"undoFile", []any{"untitled:x"}, "expected [uri]"},
		{"keepAll", []any{true}, "expected no arguments"},
		{"undoAll", []any{""}, "expected no arguments"},
		{"undoDecision", []any{1}, "expected no arguments"},
		{"undoDecision", nil, "no decision to take back"},
		{"restoreCheckpoint", []any{1}, "expected [checkpoint id]"},
		{"restoreCheckpoint", []any{"x", map[string]any{"dry": true}}, "dryRun"},
		{"restoreCheckpoint", nil, "there is no session yet"},
		{"restoreCheckpoint", []any{"none"}, `unknown checkpoint "none"`},
		{"checkpoints", []any{"none"}, `unknown session "none"`},
		{"checkpoints", nil, "there is no session yet"},
	} {
		if _, err := s.command("agent-ls."+tc.name, tc.args...); err == nil || !strings.Contains(err.Error(), tc.want) {
			t.Errorf("%s %v: %v, want %q", tc.name, tc.args, err, tc.want)
		}
	}
	s.do("undoAll")
	s.do("keepFile", s.uri("none.txt"))
}

// document reads a document of our own scheme; "" when there is none.
func (s *reviewed) document(u string) string {
	text, err := s.readDocument(u)
	if err != nil {
		return ""
	}
	return text
}

func (s *reviewed) readDocument(u string) (string, error) {
	raw, err := s.request("workspace/textDocumentContent", map[string]any{"uri": u})
	var r struct{ Text string }
	if err == nil {
		err = json.Unmarshal(raw, &r)
	}
	return r.Text, err
}

func TestBaseDocument(t *testing.T) {
	s := startReview(t, "vscode", world{files: map[string]string{"a b.txt": bom + numbered}}, false, nil)
	read := func(u uri.URI) (string, error) { return s.readDocument(string(u)) }
	u := baseURI(s.path("a b.txt"))
	if _, err := read(u); err == nil {
		t.Error("a file that no agent changed has a base")
	}
	s.agentEdits("a b.txt", "line 7\n", "seven\n")
	if text, err := read(u); err != nil || text != numbered {
		t.Errorf("base %q, %v", text, err)
	}
	for _, u := range []uri.URI{"agent-ls:/review/base", "agent-ls:/review/base/", "agent-ls:/review/other", "agent-ls:/checkpoint/none/a"} {
		if _, err := read(u); err == nil {
			t.Errorf("%s is a document", u)
		}
	}
}

// told is a notification of hunks.
type told struct {
	URI     string
	Version *int
	Hunks   []struct {
		ID    string
		Range struct {
			Start, End struct{ Line, Character int }
		}
		OldText               string
		SessionID, ToolCallID string
	}
}

// news waits for a notification about a file that ok holds for.
func (s *reviewed) news(what, rel string, ok func(told) bool) told {
	s.t.Helper()
	var found told
	s.until(what, func() bool {
		for _, raw := range slices.Backward(s.reviews) {
			var r told
			if json.Unmarshal(raw, &r) == nil && r.URI == s.uri(rel) {
				found = r
				return ok(r)
			}
		}
		return false
	})
	return found
}

func TestRichClientsAreToldOfHunks(t *testing.T) {
	s := startReview(t, "vscode", world{files: map[string]string{"a.txt": "😀 one\n😀 two", "b.txt": numbered}}, true, nil)
	s.open("a.txt")
	s.typeAfter("a.txt", "one", " typed")
	s.agentEdits("a.txt", "😀 two", "😀😀")
	r := s.news("a hunk", "a.txt", func(r told) bool { return len(r.Hunks) == 1 && r.Version != nil && *r.Version == 3 })
	h := r.Hunks[0]
	if h.OldText != "😀 two" || h.SessionID == "" || h.ToolCallID == "" || h.Range.Start.Line != 1 || h.Range.End.Line != 1 || h.Range.End.Character != 4 {
		t.Errorf("hunk %+v", h)
	}
	s.typeAfter("a.txt", "typed", " more")
	if again := s.news("the next version", "a.txt", func(r told) bool { return r.Version != nil && *r.Version == 4 }); again.Hunks[0].ID != h.ID {
		t.Error("typing changed the id")
	}
	s.agentEdits("b.txt", "line 7\n", "seven\n")
	s.news("a hunk of a file that is not open", "b.txt", func(r told) bool { return len(r.Hunks) == 1 && r.Version == nil })
	s.do("undoAll")
	s.news("none", "a.txt", func(r told) bool { return len(r.Hunks) == 0 })
	s.news("none", "b.txt", func(r told) bool { return len(r.Hunks) == 0 })
}

// earlier is what an earlier process left: a change of a file, made in the
// buffer alone where unsaved says so.
func earlier(unsaved bool) func(dir string, l *review.Ledger) {
	return func(dir string, l *review.Ledger) {
		after := review.State{Exists: true, Text: strings.Replace(numbered, "line 7", "seven", 1), Unsaved: unsaved}
		if err := l.Record(review.Change{
			Path: filepath.Join(dir, "a.txt"), Before: review.State{Exists: true, Text: numbered}, After: after,
		}, review.Attribution{Session: "s", Call: "c"}); err != nil {
			panic(err)
		}
	}
}

func TestPendingFilesAreToldAtStart(t *testing.T) {
	onDisk := "theirs\n" + strings.Replace(numbered, "line 7", "seven", 1)
	s := startReview(t, "vscode", world{files: map[string]string{"a.txt": onDisk}}, true, earlier(false))
	r := s.news("the hunk of before", "a.txt", func(r told) bool { return len(r.Hunks) == 1 })
	if r.Version != nil || r.Hunks[0].Range.Start.Line != 7 || r.Hunks[0].ToolCallID != "c" {
		t.Errorf("told %+v", r)
	}
}

func TestHunksOfUnsavedTextComeBackWithIt(t *testing.T) {
	s := startReview(t, "vscode", world{files: map[string]string{"a.txt": numbered}}, true, earlier(true))
	s.taken()
	s.openWith("a.txt", "more\n"+strings.Replace(numbered, "line 7", "seven", 1))
	s.news("the hunk of before", "a.txt", func(r told) bool {
		return len(r.Hunks) == 1 && r.Hunks[0].Range.Start.Line == 7 && *r.Version == 1
	})
}

func TestHunksOfUnsavedTextGoWithIt(t *testing.T) {
	s := startReview(t, "vscode", world{files: map[string]string{"a.txt": numbered}}, true, earlier(true))
	s.open("a.txt")
	s.taken()
	s.expectLenses("a.txt")
}

func TestCheckpoints(t *testing.T) {
	s := startReview(t, "vscode", world{files: map[string]string{"a.txt": numbered, "b.txt": numbered, "c.txt": numbered}}, false, nil)
	s.open("a.txt")
	s.typeAfter("a.txt", "line 1", " typed")
	start := s.text("a.txt")
	result, err := s.command("agent-ls.prompt", s.swap("a.txt", "line 3", "three"))
	check(t, err)
	var first struct {
		SessionID string
		Meta      map[string]string `json:"_meta"`
	}
	check(t, json.Unmarshal(result, &first))
	s.expectFailed(s.prompt(s.swap("a.txt", "line 7", "seven")+"\n"+s.swap("b.txt", "line 2", "two")+"\n"+
		call("write", map[string]any{"file_path": s.path("n.txt"), "content": "new\n"})), false)
	second, bAfter := s.text("a.txt"), s.disk(t, "b.txt")
	var list []struct {
		ID, Prompt string
		Time       time.Time
		Files      []string
	}
	check(t, json.Unmarshal(s.do("checkpoints"), &list))
	if len(list) != 2 || list[1].ID != first.Meta[metaCheckpoint] || !strings.Contains(list[1].Prompt, "three") || !slices.Equal(list[1].Files, []string{s.path("a.txt")}) || len(list[0].Files) != 3 {
		t.Fatalf("checkpoints %+v, the first prompt's is %v", list, first.Meta)
	}
	untouched, err := os.Stat(s.path("c.txt"))
	check(t, err)

	var dry restored
	check(t, json.Unmarshal(s.do("restoreCheckpoint", list[1].ID, map[string]bool{"dryRun": true}), &dry))
	want := []foreseen{{s.path("a.txt"), "update", 2, 2}, {s.path("b.txt"), "update", 1, 1}, {s.path("n.txt"), "delete", 0, 1}}
	if !slices.Equal(dry.Changes, want) || len(dry.Files) != 3 || dry.Checkpoint != "" {
		t.Errorf("a dry run answers %+v, want %+v", dry, want)
	}
	if text := s.document(checkpointDocument + list[1].ID + strings.TrimPrefix(s.uri("b.txt"), "file://")); text != numbered {
		t.Errorf("b.txt at the checkpoint is %q", text)
	}
	if s.text("a.txt") != second || s.disk(t, "b.txt") != bAfter {
		t.Error("a dry run has changed something")
	}

	s.do("restoreCheckpoint", list[1].ID)
	s.expectText("a.txt", start)
	if s.disk(t, "b.txt") != numbered || s.tree() != "a.txt b.txt c.txt" {
		t.Errorf("restored: %s, b.txt %q", s.tree(), s.disk(t, "b.txt"))
	}
	s.expectLenses("a.txt")
	s.do("restoreCheckpoint")
	s.expectText("a.txt", second)
	if s.disk(t, "b.txt") != bAfter || s.disk(t, "n.txt") != "new\n" {
		t.Errorf("restored back: b.txt %q", s.disk(t, "b.txt"))
	}
	s.expectLenses("a.txt", 2, 6)
	if now, err := os.Stat(s.path("c.txt")); err != nil || !now.ModTime().Equal(untouched.ModTime()) || !os.SameFile(now, untouched) {
		t.Error("a file that did not differ was written")
	}
	var twice restored
	check(t, json.Unmarshal(s.do("restoreCheckpoint"), &twice))
	if len(twice.Files) != 3 || twice.Checkpoint == "" {
		t.Errorf("a third time: %+v", twice)
	}
	check(t, json.Unmarshal(s.do("restoreCheckpoint", list[1].ID), &twice))
	if len(twice.Files) != 0 {
		t.Errorf("nothing differs, but %v was written", twice.Files)
	}
}

// TestRestoreThatCannotBe changes nothing and leaves no checkpoint behind.
func TestRestoreThatCannotBe(t *testing.T) {
	s := startReview(t, "vscode", world{files: map[string]string{"a.txt": numbered}}, false, nil)
	s.expectFailed(s.prompt(s.swap("a.txt", "line 3", "three")+"\n"+
		call("write", map[string]any{"file_path": s.path("n.txt"), "content": "new\n"})), false)
	s.open("n.txt")
	s.typeAfter("n.txt", "new", " and unsaved")
	s.taken()
	after := s.disk(t, "a.txt")
	if _, err := s.command("agent-ls.restoreCheckpoint"); code(err) != int(codeRequestFailed) || !strings.Contains(err.Error(), "unsaved text") {
		t.Errorf("got %v", err)
	}
	var list []any
	check(t, json.Unmarshal(s.do("checkpoints"), &list))
	if s.disk(t, "a.txt") != after || len(list) != 1 {
		t.Errorf("a.txt is %q, %d checkpoints", s.disk(t, "a.txt"), len(list))
	}
}
