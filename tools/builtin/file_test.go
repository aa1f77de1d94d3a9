package builtin

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/agent-ls/agent-ls/presentation"
)

func hash(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:])
}

func numbered(n int, eol string) string {
	var b strings.Builder
	for i := 1; i <= n; i++ {
		fmt.Fprintf(&b, "line %d%s", i, eol)
	}
	return b.String()
}

func TestRead(t *testing.T) {
	s := newSession(t, Options{})
	s.write("a.txt", "one\ntwo\r\nthree")
	footer := "\n\n[read_metadata] content_sha256=" + hash("one\ntwo\r\nthree")
	tests := []struct {
		name string
		args args
		want string
	}{
		{"whole", args{"file_path": "a.txt"}, "1: one\n2: two\n3: three\n\n(End of file - total 3 lines)" + footer},
		{"range", args{"file_path": "a.txt", "start_line": 2, "end_line": 2}, "2: two\n\n(Showing lines 2-2 of 3. Use start_line=3 to continue.)" + footer},
		{"limit", args{"file_path": "a.txt", "limit": 1}, "1: one\n\n(Showing lines 1-1 of 3. Use start_line=2 to continue.)" + footer},
		{"end past the file", args{"file_path": "a.txt", "start_line": 3, "end_line": 99}, "3: three\n\n(End of file - total 3 lines)" + footer},
		{"0 counts as 1", args{"path": "a.txt", "offset": 0, "limit": 1}, "1: one\n\n(Showing lines 1-1 of 3. Use start_line=2 to continue.)" + footer},
		{"other spellings", args{"filePath": "@a.txt", "startLine": 3, "endLine": 3}, "3: three\n\n(End of file - total 3 lines)" + footer},
		{"as a URI", args{"file_path": "file://" + s.path("a.txt"), "start_line": 3}, "3: three\n\n(End of file - total 3 lines)" + footer},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := s.ok("read", tt.args); got != tt.want {
				t.Errorf("got %q\nwant %q", got, tt.want)
			}
		})
	}
	s.write("empty", "")
	if got := s.ok("read", args{"file_path": "empty"}); !strings.Contains(got, "total 0 lines") || !strings.Contains(got, hash("")) {
		t.Errorf("empty file: %q", got)
	}
}

func TestReadBounds(t *testing.T) {
	s := newSession(t, Options{})
	s.write("many", numbered(2500, "\n"))
	if got := s.ok("read", args{"file_path": "many"}); !strings.Contains(got, "2000: line 2000\n\n(Showing lines 1-2000 of 2500. Use start_line=2001") {
		t.Errorf("line cap: …%q", got[len(got)-200:])
	}
	s.write("wide", strings.Repeat(strings.Repeat("é", 300)+"\n", 300))
	got := s.ok("read", args{"file_path": "wide"})
	if !strings.Contains(got, "(Output capped. Showing lines 1-") || len(got) > 52<<10 {
		t.Errorf("byte cap: %d bytes, …%q", len(got), got[len(got)-200:])
	}
	s.write("long", strings.Repeat("x", 5000)+"\n")
	if got := s.ok("read", args{"file_path": "long"}); !strings.Contains(got, "... (line truncated to 2000 chars)") {
		t.Errorf("long line: %q", got[:100])
	}
	s.write("latin1", "caf\xe9\n")
	if got := s.ok("read", args{"file_path": "latin1"}); !strings.Contains(got, "1: caf�\n") || !strings.Contains(got, "not UTF-8") {
		t.Errorf("Latin-1: %q", got)
	}
}

func TestReadErrors(t *testing.T) {
	s := newSession(t, Options{ReadMaxSize: 1 << 20})
	s.write("a.txt", "one\n")
	s.write("bin", "a\x00b")
	s.write("big", strings.Repeat("x\n", 1<<20))
	if err := os.Mkdir(s.path("d"), 0o755); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		code string
		args args
		want string
	}{
		{"FS_NOT_FOUND", args{"file_path": "nope"}, "File not found: nope"},
		{"FS_IS_DIRECTORY", args{"file_path": "d"}, "directory"},
		{"FS_NOT_TEXT", args{"file_path": "bin"}, "binary"},
		{"FS_TOO_LARGE", args{"file_path": "big"}, "more than the limit of 1048576"},
		{"FS_NOT_FOUND", args{"file_path": "a.txt", "start_line": 5}, "start_line 5 is out of range for \"a.txt\" (1 lines)"},
		{"INVALID_ARGS", args{"file_path": "a.txt", "start_line": 5, "end_line": 4}, "end_line 4 is before start_line 5"},
		{"INVALID_ARGS", args{"file_path": "a.txt", "limit": 5000}, "limit must be less than or equal to 2000"},
		{"INVALID_ARGS", args{"file_path": "a.txt", "path": "a.txt"}, "two spellings"},
		{"INVALID_ARGS", args{}, "file_path"},
		{"INVALID_ARGS", args{"file_path": 7}, "must be a string"},
	} {
		if got := s.fails(tt.code, "read", tt.args); !strings.Contains(got, tt.want) {
			t.Errorf("%v: %q, want %q in it", tt.args, got, tt.want)
		}
	}
}

func TestReadCard(t *testing.T) {
	s := newSession(t, Options{})
	s.write("a.txt", numbered(30, "\n"))
	for _, tt := range []struct {
		args  args
		title string
		line  int
	}{
		{args{"file_path": "a.txt"}, "Read a.txt", 1},
		{args{"file_path": "a.txt", "start_line": 5, "end_line": 20}, "Read a.txt (5 - 20)", 5},
		{args{"file_path": "a.txt", "start_line": 5, "limit": 3}, "Read a.txt (5 - 7)", 5},
		{args{"file_path": "a.txt", "start_line": 5}, "Read a.txt (from line 5)", 5},
	} {
		s.ok("read", tt.args)
		v := s.cards.started.(*presentation.GenericCall)
		if v.Title != tt.title || v.Kind != presentation.KindRead || len(v.Locations) != 1 || v.Locations[0] != (presentation.FileLocation{Path: "a.txt", Line: tt.line}) {
			t.Errorf("%v: %+v", tt.args, v)
		}
	}
}

func TestReadTotalSize(t *testing.T) {
	s := newSession(t, Options{ReadMaxTotalSize: 10})
	s.write("a", "123456")
	s.ok("read", args{"file_path": "a"})
	s.fails("FS_TOO_LARGE", "read", args{"file_path": "a"})
}

func TestWrite(t *testing.T) {
	s := newSession(t, Options{})
	if got := s.ok("write", args{"file_path": "nested/notes.txt", "content": "hello world"}); !strings.HasPrefix(got, "Wrote 11 bytes to nested/notes.txt\n\n--- /dev/null\n+++ nested/notes.txt\n") {
		t.Errorf("create: %q", got)
	}
	if d := s.diffs(); len(d) != 1 || d[0].OldText != nil || d[0].NewText != "hello world" || d[0].Change != presentation.ChangeAdd {
		t.Errorf("create card: %+v", d)
	}
	if got := s.ok("write", args{"file_path": "u", "content": "あ"}); !strings.HasPrefix(got, "Wrote 3 bytes to u") {
		t.Errorf("bytes: %q", got)
	}
	s.write("old.txt", "a\n")
	s.fails("FS_NOT_OBSERVED", "write", args{"file_path": "old.txt", "content": "b\n"})
	s.ok("read", args{"file_path": "old.txt"})
	s.ok("write", args{"file_path": "old.txt", "content": "b\n"})
	if d := s.diffs(); len(d) != 1 || d[0].OldText == nil || *d[0].OldText != "a" || d[0].NewText != "b" {
		t.Errorf("overwrite card: %+v", d)
	}
	s.write("old.txt", "c\n")
	s.fails("FS_STALE_VERSION", "write", args{"file_path": "old.txt", "content": "d\n"})
	s.ok("write", args{"file_path": "old.txt", "content": "d\n", "expected_hash": hash("c\n")})
	s.fails("FS_STALE_VERSION", "write", args{"file_path": "old.txt", "content": "e\n", "expected_hash": hash("c\n")})
	s.fails("FS_NOT_FOUND", "write", args{"file_path": "none", "content": "e\n", "expected_hash": hash("c\n")})
	s.fails("INVALID_ARGS", "write", args{"file_path": "none", "content": "e\n", "expected_hash": "abc"})
	if got := s.file("old.txt"); got != "d\n" || s.exists("none") {
		t.Errorf("old.txt %q", got)
	}
	if got := s.ok("write", args{"file_path": "old.txt", "content": "d\n"}); !strings.Contains(got, "held just that already") {
		t.Errorf("unchanged: %q", got)
	}
}

func TestEditShapes(t *testing.T) {
	s := newSession(t, Options{})
	edit := func(a args) string {
		t.Helper()
		s.write("f", "one\ntwo\nthree\n")
		s.ok("read", args{"file_path": "f"})
		a["file_path"] = "f"
		return s.ok("edit", a)
	}
	if got := edit(args{"old_string": "two", "new_string": "2"}); !strings.HasPrefix(got, "Replaced 1 occurrence(s) in f\n\n--- f\n+++ f\n@@ -1,3 +1,3 @@\n one\n-two\n+2\n three") || s.file("f") != "one\n2\nthree\n" {
		t.Errorf("text: %q", got)
	}
	if edit(args{"edits": []args{{"oldText": "one", "newText": "1"}, {"old_string": "three", "new_string": "3"}}}); s.file("f") != "1\ntwo\n3\n" {
		t.Errorf("list: %q", s.file("f"))
	}
	if edit(args{"edits": `[{"old_string":"one","new_string":"1"}]`}); s.file("f") != "1\ntwo\nthree\n" {
		t.Errorf("quoted list: %q", s.file("f"))
	}
	if got := edit(args{"startLine": 2, "endLine": 3, "content": "x"}); !strings.HasPrefix(got, "✓ Edited lines 2-3 in f\n") || s.file("f") != "one\nx\n" {
		t.Errorf("lines: %q, %q", got, s.file("f"))
	}
	if got := edit(args{"old_string": "two", "new_string": "2", "dry_run": true}); !strings.HasPrefix(got, "Preview: 1 replacement(s) in f") || s.file("f") != "one\ntwo\nthree\n" {
		t.Errorf("dry run: %q", got)
	}
	if got := edit(args{"old_string": "two", "new_string": "two"}); !strings.HasPrefix(got, "No changes needed in f") {
		t.Errorf("equal: %q", got)
	}
	if got := edit(args{"old_string": "", "new_string": "all\n"}); !strings.HasPrefix(got, "Replaced 1 occurrence(s)") || s.file("f") != "all\n" {
		t.Errorf("whole: %q", got)
	}
	s.ok("edit", args{"file_path": "d/new", "old_string": "", "new_string": "x\n"})
	if s.file("d/new") != "x\n" {
		t.Error("not created")
	}
	s.ok("edit", args{"file_path": "missing", "old_string": "a", "new_string": "a"}) // idempotent, even there
}

func TestEditErrors(t *testing.T) {
	s := newSession(t, Options{})
	s.write("f", "a\nb\na\n")
	s.write("u16", "\xff\xfea\x00\n\x00")
	s.fails("FS_NOT_OBSERVED", "edit", args{"file_path": "f", "old_string": "b", "new_string": "B"})
	s.ok("read", args{"file_path": "f"})
	for _, tt := range []struct {
		code string
		args args
		want string
	}{
		{"FS_EDIT_NOT_FOUND", args{"file_path": "f", "old_string": "zz", "new_string": "B"}, "String not found in f"},
		{"FS_AMBIGUOUS_EDIT", args{"file_path": "f", "old_string": "a", "new_string": "B"}, "Multiple matches (2) found in f, at lines 1, 3"},
		{"FS_AMBIGUOUS_EDIT", args{"file_path": "f", "old_string": "a", "new_string": "B", "replace_all": true, "expected_replacements": 3}, "Expected 3 replacements, found 2"},
		{"FS_EDIT_NOT_FOUND", args{"file_path": "f", "edits": []args{{"old_string": "b", "new_string": "B"}, {"old_string": "zz", "new_string": ""}}}, "edits[1]: String not found in f"},
		{"FS_NOT_FOUND", args{"file_path": "none", "old_string": "a", "new_string": "B"}, "File not found: none"},
		{"FS_NOT_FOUND", args{"file_path": "none", "old_string": "a", "new_string": "B", "expected_hash": hash("x")}, "Expected hash provided but file not found: none"},
		{"FS_STALE_VERSION", args{"file_path": "f", "old_string": "zz", "new_string": "B", "expected_hash": hash("x")}, "Hash mismatch"},
		{"INVALID_ARGS", args{"file_path": "f"}, "exactly one of"},
		{"INVALID_ARGS", args{"file_path": "f", "old_string": "a", "new_string": "b", "content": "c", "start_line": 1, "end_line": 1}, "exactly one of"},
		{"INVALID_ARGS", args{"file_path": "f", "old_string": "a"}, `missing required property "new_string"`},
		{"INVALID_ARGS", args{"file_path": "f", "start_line": 3, "end_line": 9, "content": "x"}, "lines 3-9 are no range of a file of 3 lines"},
		{"INVALID_ARGS", args{"file_path": "f", "old_string": "a", "new_string": "b", "match_mode": "fuzzy"}, "must be one of"},
		{"INVALID_ARGS", args{"file_path": "f", "old_string": "a", "new_string": "b", "extra": 1}, "extra"},
	} {
		if got := s.fails(tt.code, "edit", tt.args); !strings.Contains(got, tt.want) {
			t.Errorf("%v: %q, want %q in it", tt.args, got, tt.want)
		}
	}
	if _, isDiff := s.cards.result.(*presentation.DiffResult); isDiff {
		t.Errorf("a failed edit has the card %+v", s.cards.result)
	}
	s.fails("FS_NOT_TEXT", "edit", args{"file_path": "u16", "old_string": "a", "new_string": "b", "expected_hash": hash("\xff\xfea\x00\n\x00")})
	if s.file("f") != "a\nb\na\n" {
		t.Errorf("changed: %q", s.file("f"))
	}
}

func TestEditKeepsBytes(t *testing.T) {
	tests := []struct{ name, before, old, new, want string }{
		{"CRLF", "one\r\ntwo\r\nthree\r\n", "two\n", "TWO\n", "one\r\nTWO\r\nthree\r\n"},
		{"mixed", "a\r\nb\nc\r\nd", "b", "B", "a\r\nB\nc\r\nd"},
		{"BOM", "\ufeffone\ntwo\n", "one", "ONE", "\ufeffONE\ntwo\n"},
		{"no final newline", "x\ny", "x", "X", "X\ny"},
		{"Latin-1", "caf\xe9\nx=1\n", "x=1", "x=2", "caf\xe9\nx=2\n"},
		{"GBK", "\xc4\xe3\xba\xc3\nx=1\n", "x=1", "x=2", "\xc4\xe3\xba\xc3\nx=2\n"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := newSession(t, Options{})
			s.write("f", tt.before)
			if err := os.Chmod(s.path("f"), 0o750); err != nil {
				t.Fatal(err)
			}
			s.ok("read", args{"file_path": "f"})
			s.ok("edit", args{"file_path": "f", "old_string": tt.old, "new_string": tt.new})
			if got := s.file("f"); got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
			if st, _ := os.Stat(s.path("f")); st.Mode().Perm() != 0o750 {
				t.Errorf("mode %v", st.Mode())
			}
		})
	}
	s := newSession(t, Options{})
	s.write("f", "caf\xe9\nx=1\n")
	s.ok("read", args{"file_path": "f"})
	for _, tt := range []struct{ old, new, word string }{
		{"x=1", "x=é", "x=é"}, {"some café", "tea", "café"}, {"x=1", "x=\u00a01", "x=\u00a01"},
	} {
		got := s.fails("FS_NOT_TEXT", "edit", args{"file_path": "f", "old_string": tt.old, "new_string": tt.new})
		if !strings.Contains(got, strconv.Quote(tt.word)+" is not plain ASCII") {
			t.Errorf("%q to %q: the text that cannot be used is not named: %s", tt.old, tt.new, got)
		}
	}
}

func TestEditCard(t *testing.T) {
	s := newSession(t, Options{})
	s.write("a.txt", numbered(5000, "\r\n"))
	s.ok("read", args{"file_path": "a.txt"})
	s.ok("edit", args{"file_path": "a.txt", "old_string": "line 2500\n", "new_string": "line 2500 changed\n"})
	for name, v := range map[string][]presentation.FileDiff{"planned": s.cards.planned.(*presentation.DiffCall).Diffs, "result": s.diffs()} {
		if len(v) != 1 || strings.Count(*v[0].OldText, "\n") != 6 || strings.Contains(v[0].NewText, "\r") || v[0].Line != 2500 {
			t.Errorf("%s: %+v", name, v)
		}
	}
	pending := s.cards.started.(*presentation.DiffCall)
	if pending.Title != "Edit a.txt" || len(pending.Diffs) != 1 || pending.Locations[0].Path != "a.txt" {
		t.Errorf("pending: %+v", pending)
	}
	if l := s.cards.result.(*presentation.DiffResult).Locations; len(l) != 1 || l[0].Line != 2500 {
		t.Errorf("locations %+v", l)
	}
	s.ok("edit", args{"file_path": "a.txt", "edits": []args{{"old_string": "line 3\r\n", "new_string": "3\n"}, {"old_string": "line 4000\r\n", "new_string": "4\n"}}})
	if d := s.diffs(); len(d) != 2 || d[0].Line != 3 || d[1].Line != 4000 {
		t.Errorf("two places: %+v", d)
	}
}

func TestHugeChangeIsSaid(t *testing.T) {
	s := newSession(t, Options{})
	s.write("big", numbered(400_000, "\n"))
	s.ok("read", args{"file_path": "big", "limit": 1})
	s.ok("write", args{"file_path": "big", "content": numbered(50, " fresh\n")})
	v := s.cards.result.(*presentation.DiffResult)
	if len(v.Diffs) != 0 || !strings.Contains(v.Omitted, "omitted") {
		t.Errorf("%+v", v)
	}
	s.write("wide", numbered(500, "\n"))
	s.ok("read", args{"file_path": "wide"})
	got := s.ok("write", args{"file_path": "wide", "content": strings.ReplaceAll(numbered(500, "\n"), "line", "row")})
	if !strings.Contains(got, "lines omitted]...") || !strings.Contains(got, "tool_output_cache ref_id=") {
		t.Errorf("long diff: %q", got[:300])
	}
}

func TestParallelEdits(t *testing.T) {
	s := newSession(t, Options{})
	s.write("f", numbered(40, "\n"))
	s.ok("read", args{"file_path": "f"})
	calls := make([]callSpec, 8)
	for i := range calls {
		calls[i] = callSpec{"edit", args{"file_path": "f", "old_string": fmt.Sprintf("line %d\n", 5*i+1), "new_string": fmt.Sprintf("edited %d\n", i)}}
	}
	for i, r := range s.batch(calls) {
		if r.IsError {
			t.Errorf("call %d: %s", i, text(r))
		}
	}
	if n := strings.Count(s.file("f"), "edited"); n != 8 {
		t.Errorf("%d edits landed", n)
	}
}
