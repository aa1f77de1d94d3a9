package conformance

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/agent-ls/agent-ls/acp"
)

var diffReports = []report{
	{1, diffsSurvive}, {2, oldTextOfOverwrite}, {4, diffsAreHunks}, {5, nothingIsResent},
	{7, newTextIsFileText}, {8, questionsShowDiffs}, {10, hugeDiffs}, {11, diffPaths},
}

// completed fails for a card that is not.
func completed(t *testing.T, k card) {
	t.Helper()
	if k.status != acp.StatusCompleted {
		t.Fatalf("card %q is %s: %s", k.title, k.status, clip(k.text()))
	}
}

// failed fails for a card that is not, or that does not say why.
func failed(t *testing.T, k card) {
	t.Helper()
	if k.status != acp.StatusFailed || strings.TrimSpace(k.text()) == "" {
		t.Fatalf("card %q is %s, and says %q", k.title, k.status, clip(k.text()))
	}
}

// onlyDiffs fails for a card that shows anything but diffs.
func onlyDiffs(t *testing.T, k card, n int) []acp.Diff {
	t.Helper()
	completed(t, k)
	ds := k.diffs()
	if len(ds) != n || len(k.content) != n {
		t.Fatalf("card %q shows %s, want %d diffs", k.title, clip(encode(k.content)), n)
	}
	return ds
}

func diffsSurvive(t *testing.T) {
	for _, mode := range []string{"ask", "accept-edits"} {
		s := inMode(t, mode, options{})
		s.h.file("a.txt", numbered(40, "line", "\n"))
		s.run(all(edit("a.txt", "line 3\n", "THREE\n"),
			tool("edit", args{"file_path": "a.txt", "edits": []args{{"old_string": "line 5\n", "new_string": "FIVE\n"}, {"old_string": "line 30\n", "new_string": "THIRTY\n"}}}),
			tool("edit", args{"file_path": "a.txt", "start_line": 20, "end_line": 21, "content": "TWENTY"}),
			patch("*** Update File: a.txt", "@@", "-line 10", "+TEN"), write("a.txt", "all\nnew\n"), write("fresh.txt", "x\n")))
		for i, n := range []int{1, 2, 1, 1, 1, 1} {
			onlyDiffs(t, s.ofKind(acp.KindEdit)[i], n)
		}
		if d := s.ofKind(acp.KindEdit)[0].diffs()[0]; !has(*d.OldText, "line 3\n") || !has(d.NewText, "THREE\n") {
			t.Errorf("the diff is %s", encode(d))
		}
		// What fails shows its error, and no diff that did not happen.
		s.run(all(replaceText("a.txt", "not in the file", "x"), patch("*** Update File: a.txt", "@@", "-not there", "+x")))
		for _, k := range s.ofKind(acp.KindEdit)[6:] {
			if failed(t, k); len(k.diffs()) > 0 {
				t.Errorf("a failed edit shows %s", encode(k.content))
			}
		}
	}
}

func oldTextOfOverwrite(t *testing.T) {
	h := newHome(t)
	f := &files{}
	for name, s := range map[string]*session{"disk": h.start(options{}).newSession(), "client": editor(h, f, options{})} {
		h.file("old.txt", "a\n")
		h.file("empty.txt", "")
		s.run(all(overwrite("old.txt", "b\n"), overwrite("empty.txt", "now full\n"), write(name+"/new.txt", "n\n"), write(name+"/void.txt", "")))
		edits := s.ofKind(acp.KindEdit)
		if d := onlyDiffs(t, edits[0], 1)[0]; d.OldText == nil || *d.OldText != "a" && *d.OldText != "a\n" {
			t.Errorf("%s: an overwrite shows %s", name, encode(d))
		}
		if d := onlyDiffs(t, edits[1], 1)[0]; d.OldText == nil || *d.OldText != "" || !has(d.NewText, "now full") {
			t.Errorf("%s: an overwrite of an empty file shows %s", name, encode(d))
		}
		if d := onlyDiffs(t, edits[2], 1)[0]; d.OldText != nil || !has(d.NewText, "n") {
			t.Errorf("%s: a new file shows %s", name, encode(d))
		}
		for _, d := range edits[3].diffs() {
			if d.OldText != nil {
				t.Errorf("%s: a new empty file shows %s", name, encode(d))
			}
		}
	}
}

// changedLines counts the lines of a diff and those that differ; both sides
// must be as long.
func changedLines(d acp.Diff) (lines, changed int) {
	split := func(s string) []string {
		return strings.Split(strings.TrimSuffix(strings.ReplaceAll(s, "\r\n", "\n"), "\n"), "\n")
	}
	from, to := split(*d.OldText), split(d.NewText)
	for i := range max(len(from), len(to)) {
		if i >= len(from) || i >= len(to) || from[i] != to[i] {
			changed++
		}
	}
	return max(len(from), len(to)), changed
}

func diffsAreHunks(t *testing.T) {
	s := inMode(t, "accept-edits", options{})
	for _, eol := range []string{"\r\n", "\n"} {
		text := numbered(5000, "line", eol)
		for _, line := range []string{"line 1", "line 2500", "line 5000"} {
			s.h.file("big.txt", text)
			s.run(edit("big.txt", line+"\n", line+" changed\n"))
			d := onlyDiffs(t, s.lastEdit(), 1)[0]
			if n, changed := changedLines(d); n > 7 || changed != 1 {
				t.Errorf("%q: a diff of %d lines, %d changed", line, n, changed)
			}
			want := strings.Replace(text, line+eol, line+" changed"+eol, 1)
			if s.h.text("big.txt") != want {
				t.Errorf("%q with %q: the file is not as wanted", line, eol)
			}
			// The same change as a whole new text.
			s.h.file("big.txt", text)
			s.run(overwrite("big.txt", want))
			if n, changed := changedLines(onlyDiffs(t, s.lastEdit(), 1)[0]); n > 7 || changed != 1 {
				t.Errorf("%q: a diff of %d lines, %d changed, for a write", line, n, changed)
			}
		}
	}
}

// everything is a session that has shown a card of every kind.
func everything(t *testing.T, o options) *session {
	t.Helper()
	s := open(t, o)
	s.h.file("a.txt", numbered(30, "line", "\n"))
	s.h.file("sub/b.txt", "x\nMARK here\n")
	s.h.file("sub/deep/c.md", "MARK\n")
	s.run(all(edit("a.txt", "line 12\n", "line twelve\n"), write("n.txt", "x\n"), "/grep MARK", tool("glob", args{"pattern": "**/*"}), "/ls sub", "/ls",
		"!ls; exit 3", tool("bash", args{"command": "pwd", "workdir": "sub", "description": "Where"}), "!kill -9 $$",
		patch("*** Update File: sub/b.txt", "@@", " x", "-MARK here", "+MARK there", "*** Add File: sub/new.txt", "+n"),
		"/read missing.txt", "/read sub", tool("todo_new", args{"todos": []args{{"content": "one"}, {"content": "two", "status": "in_progress"}}}),
		"/read {broken", tool("read", args{"no_such": 1}), "& "+read("a.txt"), "& !echo in a batch", "some words"))
	return s
}

func nothingIsResent(t *testing.T) { // the judge compares each update with its card
	for _, caps := range []acp.ClientCapabilities{{}, everyCapability} {
		s := everything(t, options{caps: caps})
		s.settledCards()
		for _, k := range s.ofKind(acp.KindEdit) {
			if n := len(k.history); k.status == acp.StatusCompleted && k.history[n-1].update.Title+string(k.history[n-1].update.Kind) != "" {
				t.Errorf("the last update of %q is %s", k.title, encode(k.history[n-1].update))
			}
		}
		s.reload(options{caps: caps})
	}
}

func newTextIsFileText(t *testing.T) {
	for name, eol := range map[string]string{"LF": "\n", "CRLF": "\r\n"} {
		s := inMode(t, "accept-edits", options{})
		s.h.file("a.txt", numbered(30, "line", eol)+"no end")
		s.h.file("gone.txt", "gone"+eol)
		s.h.file("from.txt", "one"+eol+"two"+eol)
		s.run(all(read("a.txt"), patch("*** Update File: a.txt", "@@", " line 4", "-line 5", "+line five", " line 6", "@@", "-line 20", "+line twenty", "+@@ is no mark here",
			"@@", "-no end", "+still no end", "*** Add File: b.txt", "+fresh", "+*** End", "*** Delete File: gone.txt", "*** Update File: from.txt", "*** Move to: sub/to.txt", "@@", "-two", "+TWO")))
		k := s.lastEdit()
		completed(t, k)
		if n := len(k.diffs()); n < 5 {
			t.Errorf("%s: %d diffs", name, n)
		}
		for _, d := range k.diffs() {
			after, err := os.ReadFile(d.Path)
			deleted := string(d.Meta["kind"]) == `"delete"`
			if deleted != (err != nil) || !has(strings.ReplaceAll(string(after), "\r\n", "\n"), strings.ReplaceAll(d.NewText, "\r\n", "\n")) {
				t.Errorf("%s: newText of %s is no text of it: %q", name, d.Path, d.NewText)
			}
		}
	}
}

func questionsShowDiffs(t *testing.T) {
	s := open(t, options{})
	s.h.file("a.txt", "one\ntwo\n")
	s.h.file("b.txt", "b\n")
	s.h.file("c.txt", "c\n")
	s.run(all(edit("a.txt", "two", "TWO"), write("new.txt", "new\n"), overwrite("b.txt", "B\n"),
		read("c.txt"), patch("*** Update File: b.txt", "@@", "-B", "+bb", "*** Delete File: c.txt")))
	qs := s.allQuestions()
	if len(qs) != 4 {
		t.Fatalf("%d questions", len(qs))
	}
	for i, want := range []struct{ path, from, to string }{{"a.txt", "two", "TWO"}, {"new.txt", "", "new"}, {"b.txt", "b", "B"}, {"b.txt", "B", "bb"}} {
		ds := qs[i].diffs()
		if len(ds) == 0 || len(ds) != len(qs[i].ToolCall.Content) {
			t.Fatalf("question %d shows %s", i, encode(qs[i].ToolCall))
		}
		if d := ds[0]; d.Path != s.h.path(want.path) || !has(d.NewText, want.to) || (want.from == "") != (d.OldText == nil) || d.OldText != nil && !has(*d.OldText, want.from) {
			t.Errorf("question %d shows %s", i, encode(d))
		}
		if qs[i].ToolCall.Title == "" || qs[i].ToolCall.Kind != acp.KindEdit || len(qs[i].ToolCall.RawInput) == 0 {
			t.Errorf("question %d is about %s", i, encode(qs[i].ToolCall))
		}
	}
	if ds := qs[3].diffs(); len(ds) != 2 || ds[1].Path != s.h.path("c.txt") || string(ds[1].Meta["kind"]) != `"delete"` {
		t.Errorf("the question of the patch shows %s", encode(ds))
	}
}

func hugeDiffs(t *testing.T) {
	s := inMode(t, "accept-edits", options{})
	s.h.file("big.txt", numbered(1_800_000, "line", "\n"))
	if info, err := os.Stat(s.h.path("big.txt")); err != nil || info.Size() < 20_000_000 {
		t.Fatal("the file is not large enough")
	}
	s.run(tool("read", args{"file_path": "big.txt", "limit": 5}))
	turn := s.run(write("big.txt", numbered(50, "fresh", "\n")))
	k := s.lastEdit()
	completed(t, k)
	for _, l := range s.updates(turn.from) {
		if l.size > 1<<20 {
			t.Errorf("a line of %d bytes", l.size)
		}
	}
	if text := strings.ToLower(k.text()); !has(text, "omitted") {
		t.Errorf("the card does not say that its diff is left out: %s", encode(k.content))
	}
	if s.h.text("big.txt") != numbered(50, "fresh", "\n") {
		t.Error("the file was not written")
	}
}

func diffPaths(t *testing.T) { // the judge wants each absolute
	s := inMode(t, "accept-edits", options{})
	for _, name := range []string{"u.txt", "d.txt", "m.txt", "sub/x.txt"} {
		s.h.file(name, name+"\n")
	}
	s.run(patch("*** Add File: sub/n.txt", "+n", "*** Update File: ./u.txt", "@@", "-u.txt", "+U", "*** Delete File: d.txt",
		"*** Update File: m.txt", "*** Move to: sub/m2.txt", "@@", "-m.txt", "+M", "*** Update File: sub/../sub/x.txt", "@@", "-sub/x.txt", "+X"))
	completed(t, s.lastEdit())
	paths := map[string]bool{}
	for _, d := range s.lastEdit().diffs() {
		paths[d.Path] = d.Path == filepath.Clean(d.Path)
	}
	for _, want := range []string{"sub/n.txt", "u.txt", "d.txt", "sub/x.txt"} {
		if !paths[s.h.path(want)] {
			t.Errorf("no diff of %s in %v", want, paths)
		}
	}
	if !paths[s.h.path("m.txt")] && !paths[s.h.path("sub/m2.txt")] {
		t.Errorf("no diff of the moved file in %v", paths)
	}
}
