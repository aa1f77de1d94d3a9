package lsp

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/agent-ls/agent-ls/workspace"
	"github.com/agent-ls/agent-ls/workspace/diff"
)

const numbered = "line 1\nline 2\nline 3\nline 4\nline 5\nline 6\nline 7\nline 8\nline 9\n"

// dirty opens a.txt with unsaved text in line 1.
func dirty(t *testing.T, personality string, w world) *setup {
	w.files = map[string]string{"a.txt": numbered}
	s := start(t, personality, w)
	s.open("a.txt")
	s.typeAfter("a.txt", "line 1", " typed")
	return s
}

func (s *setup) expectFailed(out turn, failed bool) {
	s.t.Helper()
	if out.StopReason != "end_turn" || strings.Contains(out.Transcript, "— failed") != failed {
		s.t.Fatalf("stop reason %s, failed should be %v:\n%s", out.StopReason, failed, out.Transcript)
	}
}

func (s *setup) expectText(rel, want string) {
	s.t.Helper()
	if got := s.text(rel); got != want {
		s.t.Fatalf("%s holds %q, want %q", rel, got, want)
	}
}

func TestEditOfABuffer(t *testing.T) {
	for _, name := range []string{"vscode", "nvim10", "nvim12"} {
		t.Run(name, func(t *testing.T) {
			s := dirty(t, name, world{})
			before := s.text("a.txt")
			s.expectFailed(s.prompt(s.swap("a.txt", "line 7", "seven 😀")), false)
			s.expectText("a.txt", strings.Replace(before, "line 7", "seven 😀", 1))
			if s.disk(t, "a.txt") != numbered {
				t.Error("the disk has changed")
			}
			var p struct{ Edit workspaceEdit }
			if len(s.edits) != 1 || json.Unmarshal(s.edits[0], &p) != nil {
				t.Fatalf("%d edits", len(s.edits))
			}
			part := p.Edit.parts()[0]
			if s.server.client.documentChanges != (part.TextDocument.Version != nil && *part.TextDocument.Version == 2) {
				t.Errorf("version %v", part.TextDocument.Version)
			}
			if len(part.Edits) != 1 || part.Edits[0].NewText != "seven 😀" {
				t.Errorf("the edit is not minimal: %+v", part.Edits)
			}
		})
	}
}

func TestEditOfACleanBuffer(t *testing.T) {
	for name, buffer := range map[string]bool{"vscode": false, "nvim10": true, "nvim12": true, "bare": false} {
		t.Run(name, func(t *testing.T) {
			s := start(t, name, world{files: map[string]string{"a.txt": numbered}})
			s.open("a.txt")
			want := strings.Replace(numbered, "line 7", "seven", 1)
			s.expectFailed(s.prompt(s.swap("a.txt", "line 7", "seven")), false)
			if buffer {
				s.expectText("a.txt", want)
				if s.disk(t, "a.txt") != numbered {
					t.Error("the disk has changed")
				}
				return
			}
			if got := s.disk(t, "a.txt"); got != want || len(s.edits) != 0 {
				t.Errorf("disk %q, %d edits of the buffer", got, len(s.edits))
			}
			s.reload("a.txt")
			s.expectFailed(s.prompt(s.swap("a.txt", "line 8", "eight")), false)
			if got := s.disk(t, "a.txt"); !strings.Contains(got, "eight") || len(s.edits) != 0 {
				t.Errorf("after a reload: disk %q, %d edits of the buffer", got, len(s.edits))
			}
		})
	}
}

// TestStaleBufferOfNeovim edits a buffer that lags behind its file: what is in
// the file counts.
func TestStaleBufferOfNeovim(t *testing.T) {
	s := start(t, "nvim12", world{files: map[string]string{"a.txt": numbered}})
	s.open("a.txt")
	s.taken()
	s.write(t, "a.txt", "from outside\n"+numbered)
	s.expectFailed(s.prompt(s.swap("a.txt", "line 7", "seven")), false)
	s.expectText("a.txt", "from outside\n"+strings.Replace(numbered, "line 7", "seven", 1))
}

func TestBareClientKeepsUnsavedText(t *testing.T) {
	s := dirty(t, "bare", world{})
	before := s.text("a.txt")
	s.expectFailed(s.prompt(s.swap("a.txt", "line 7", "seven")), true)
	s.expectText("a.txt", before)
	if s.disk(t, "a.txt") != numbered {
		t.Error("the disk has changed")
	}
}

// TestEditsThatDoNotArrive has an editor that does not do what it says.
func TestEditsThatDoNotArrive(t *testing.T) {
	for _, c := range []struct {
		name, personality, verdict string
		times                      editTimes // of what does not come
		attempts                   int
	}{
		{"refused", "vscode", "reject", editTimes{}, 2},
		{"a lie", "vscode", "lie", editTimes{confirm: 100 * time.Millisecond}, 1},
		{"no answer", "nvim12", "silent", editTimes{answer: 300 * time.Millisecond}, 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := dirty(t, c.personality, world{times: c.times})
			before := s.text("a.txt")
			s.mu.Lock()
			s.onEdit = func() string { return c.verdict }
			s.mu.Unlock()
			s.expectFailed(s.prompt(s.swap("a.txt", "line 7", "seven")), true)
			s.expectText("a.txt", before)
			s.mu.Lock()
			n := len(s.edits)
			s.onEdit = nil
			s.mu.Unlock()
			if n != c.attempts {
				t.Errorf("%d attempts, want %d", n, c.attempts)
			}
			s.server.times = editTimes{}.patient()
			s.expectFailed(s.prompt(s.swap("a.txt", "line 7", "seven")), false)
			s.expectText("a.txt", strings.Replace(before, "line 7", "seven", 1))
		})
	}
}

// TestUserTypesWhileAnEditIsOnItsWay: an honest failure, and nothing of the
// user's is lost.
func TestUserTypesWhileAnEditIsOnItsWay(t *testing.T) {
	for _, name := range []string{"vscode", "nvim12"} {
		t.Run(name, func(t *testing.T) {
			// An editor that skips an edit without a word costs this much each time.
			s := dirty(t, name, world{params: declareVersions, times: editTimes{confirm: 3 * time.Second}})
			before := s.text("a.txt")
			s.typeOnEdit("line 9", " raced")
			s.expectFailed(s.prompt(s.swap("a.txt", "line 7", "seven")), false)
			s.expectText("a.txt", strings.NewReplacer("line 9", "line 9 raced", "line 7", "seven").Replace(before))
			// In the very place of the edit the user wins.
			before = s.text("a.txt")
			s.typeOnEdit("line 6", " raced")
			s.expectFailed(s.prompt(s.swap("a.txt", "line 6", "six")), true)
			s.expectText("a.txt", strings.Replace(before, "line 6", "line 6 raced", 1))
		})
	}
}

// typeOnEdit makes the user type once, when the next edit arrives.
func (s *setup) typeOnEdit(after, text string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.onEdit = func() string {
		s.mu.Lock()
		s.onEdit = nil
		s.mu.Unlock()
		s.typeAfter("a.txt", after, text)
		return ""
	}
}

// declareVersions makes a client say that it knows versioned edits.
func declareVersions(p map[string]any) {
	caps := p["capabilities"].(map[string]any)["workspace"].(map[string]any)
	caps["workspaceEdit"].(map[string]any)["documentChanges"] = true
}

func TestUserTypedElsewhereSinceTheRead(t *testing.T) {
	s := start(t, "vscode", world{files: map[string]string{"a.txt": numbered}})
	s.open("a.txt")
	s.prompt("/read " + s.path("a.txt"))
	s.typeAfter("a.txt", "line 1", "\nnew 😀")
	users := s.text("a.txt")
	edit := call("edit", map[string]any{"file_path": s.path("a.txt"), "old_string": "line 7", "new_string": "seven"})
	s.expectFailed(s.prompt(edit), false)
	s.expectText("a.txt", strings.Replace(users, "line 7", "seven", 1))
}

func TestCancelWhileAnEditIsOnItsWay(t *testing.T) {
	s := dirty(t, "vscode", world{})
	s.mu.Lock()
	s.onEdit = func() string { return "silent" }
	s.mu.Unlock()
	_, wait := s.editor.start("workspace/executeCommand", map[string]any{
		"command": "agent-ls.prompt", "arguments": []string{s.swap("a.txt", "line 7", "seven")},
	})
	s.until("the edit", func() bool { return len(s.edits) == 1 })
	if _, err := s.command("agent-ls.cancel"); err != nil {
		t.Fatal(err)
	}
	result, err := wait()
	if err != nil || !strings.Contains(string(result), `"cancelled"`) {
		t.Fatalf("%s, %v", result, err)
	}
	s.until("the withdrawal", func() bool { return len(s.withdrawn) == 1 })
}

func TestByteOrderMarkOfABuffer(t *testing.T) {
	s := start(t, "vscode", world{files: map[string]string{"a.txt": bom + "one\r\ntwo\r\nthree\r\n"}})
	s.open("a.txt")
	s.typeAfter("a.txt", "one", " typed")
	s.expectFailed(s.prompt(s.swap("a.txt", "two\nthree", "2\n2.5\n3")), false)
	s.expectText("a.txt", "one typed\r\n2\r\n2.5\r\n3\r\n")
}

func TestTrim(t *testing.T) {
	for _, c := range []struct {
		old, new         string
		start, end       int
		replaced, insert string
	}{
		{"line 7\n", "seven\n", 0, 7, "line 7", "seven"},
		{"abc\n", "abXc\n", 0, 4, "", "X"},
		{"é\n", "è\n", 0, 3, "é", "è"}, // two characters that share their first byte
		{"😀a", "😁a", 0, 5, "😀", "😁"},
		{"a\r\n", "a\r\nb\r\n", 0, 3, "", "b\r\n"},
		{"a\n", "a\r\n", 0, 2, "\n", "\r\n"},
		{"same", "same", 0, 4, "", ""},
		{"xx", "xxx", 0, 2, "", "x"},
	} {
		e := trim(c.old, diff.Edit{Start: c.start, End: c.end, New: c.new})
		if got := c.old[e.Start:e.End]; got != c.replaced || e.New != c.insert {
			t.Errorf("trim(%q → %q): %q → %q, want %q → %q", c.old, c.new, got, e.New, c.replaced, c.insert)
		}
		if got, err := diff.Apply(c.old, []diff.Edit{e}); err != nil || got != c.new {
			t.Errorf("trim(%q → %q) makes %q", c.old, c.new, got)
		}
	}
}

// TestTypingBeforeAnEditIsSent types in a clean buffer after an edit of its
// file was planned: the edit is planned anew, and does not take the text away.
func TestTypingBeforeAnEditIsSent(t *testing.T) {
	s := start(t, "nvim12", world{files: map[string]string{"a.txt": numbered}})
	s.open("a.txt")
	s.taken()
	path := s.path("a.txt")
	before, ok := s.server.docs.Document(path)
	if !ok || before.Dirty {
		t.Fatalf("open %v, dirty %v", ok, before.Dirty)
	}
	write := workspace.FileWrite{Path: path, Before: before, After: strings.Replace(numbered, "line 7", "seven", 1)}
	s.typeAfter("a.txt", "line 1", " typed")
	s.taken()
	target, _ := s.server.docs.await(path, write.After)
	if edits, err := target.edits(write); !errors.Is(err, workspace.ErrTryAgain) {
		t.Fatalf("edits %v, %v", edits, err)
	}
}
