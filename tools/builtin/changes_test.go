package builtin

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"unicode/utf8"

	"github.com/agent-ls/agent-ls/presentation"
	"github.com/agent-ls/agent-ls/tools"
	"github.com/agent-ls/agent-ls/tools/cache"
)

// TestEditEdges are the rows of tools.md §1.7.15 and §3.11 that hold for the
// tool as a whole.
func TestEditEdges(t *testing.T) {
	const before = "a\n\tb\na\n"
	tests := []struct {
		name  string
		args  args
		code  string // of the refusal
		says  string
		after string
	}{
		{"nothing of it is there, none expected", args{"old_string": "z", "new_string": "y", "expected_replacements": 0}, "FS_EDIT_NOT_FOUND", "String not found in f", before},
		{"two places, two expected", args{"old_string": "a", "new_string": "A", "replace_all": true, "expected_replacements": 2}, "", "Replaced 2 occurrence(s) in f", "A\n\tb\nA\n"},
		{"whole text, equal", args{"old_string": "", "new_string": before}, "", "No changes needed in f", before},
		{"whole text, one expected", args{"old_string": "", "new_string": "x", "expected_replacements": 1}, "", "Replaced 1 occurrence(s) in f", "x"},
		{"whole text, two expected", args{"old_string": "", "new_string": "x", "expected_replacements": 2}, "FS_AMBIGUOUS_EDIT", "Expected 2 replacements, found 1", before},
		{"whole text, equal, one expected", args{"old_string": "", "new_string": before, "expected_replacements": 1}, "FS_AMBIGUOUS_EDIT", "Expected 1 replacements, found 0", before},
		{"exact mode sees white space", args{"old_string": " b ", "new_string": "x", "match_mode": "exact"}, "FS_EDIT_NOT_FOUND", "String not found", before},
		{"trimmed mode does not", args{"old_string": " b ", "new_string": "x", "match_mode": "line_trimmed"}, "", "Replaced 1", "a\nx\na\n"},
		{"verbatim", args{"old_string": "b", "new_string": "$1 \\0 ${x}"}, "", "Replaced 1", "a\n\t$1 \\0 ${x}\na\n"},
		{"overlapping pairs", args{"edits": []args{{"old_string": "a\n\tb", "new_string": "x"}, {"old_string": "b\na", "new_string": "y"}}}, "FS_EDIT_NOT_FOUND", "edits[0] and edits[1] overlap", before},
		{"pair without a text", args{"edits": []args{{"old_string": "", "new_string": "x"}}}, "INVALID_ARGS", "old_string", before},
		{"no pairs", args{"edits": []args{}}, "INVALID_ARGS", "edits", before},
		{"two spellings", args{"old_string": "b", "oldText": "b", "new_string": "x"}, "INVALID_ARGS", "two spellings", before},
		{"line 0", args{"start_line": 0, "end_line": 1, "content": "x"}, "INVALID_ARGS", "lines 0-1 are no range of a file of 3 lines", before},
		{"end before start", args{"start_line": 3, "end_line": 1, "content": "x"}, "INVALID_ARGS", "lines 3-1 are no range", before},
		{"half a range", args{"start_line": 1, "content": "x"}, "INVALID_ARGS", "go together", before},
		{"malformed hash", args{"old_string": "b", "new_string": "x", "expected_hash": strings.ToUpper(hash(before))}, "INVALID_ARGS", "expected_hash", before},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := newSession(t, Options{})
			s.write("f", before)
			s.ok("read", args{"file_path": "f"})
			tt.args["file_path"] = "f"
			r := s.call("edit", tt.args)
			code := ""
			if r.IsError && r.Error != nil {
				code = r.Error.Code
			}
			if code != tt.code || r.IsError != (tt.code != "") || !strings.Contains(text(r), tt.says) {
				t.Errorf("code %q, text %q; want %q and %q", code, text(r), tt.code, tt.says)
			}
			if got := s.file("f"); got != tt.after {
				t.Errorf("the file holds %q, want %q", got, tt.after)
			}
		})
	}
}

// TestFoldersAreNoFiles: every file tool says so.
func TestFoldersAreNoFiles(t *testing.T) {
	s := newSession(t, Options{})
	s.write("d/f", "x\n")
	for _, c := range []callSpec{
		{"read", args{"file_path": "d"}},
		{"write", args{"file_path": "d", "content": "x"}},
		{"edit", args{"file_path": "d", "old_string": "a", "new_string": "b"}},
		{"edit", args{"file_path": "d", "old_string": "", "new_string": "b"}},
		{"apply_patch", patchOf("*** Update File: d", "@@", "-x", "+y")},
		{"apply_patch", patchOf("*** Add File: d", "+y")},
		{"apply_patch", patchOf("*** Delete File: d")},
		{"apply_patch", patchOf("*** Update File: d/f", "*** Move to: d")},
	} {
		if got := s.fails("FS_IS_DIRECTORY", c.name, c.args); !strings.Contains(got, "ath is a directory") {
			t.Errorf("%s: %q", c.name, got)
		}
	}
}

// TestEditWithoutReadingAgain: what this session wrote it has seen.
func TestEditWithoutReadingAgain(t *testing.T) {
	s := newSession(t, Options{})
	s.ok("write", args{"file_path": "f", "content": "one\n"})
	s.ok("edit", args{"file_path": "f", "old_string": "one", "new_string": "two"})
	s.ok("apply_patch", patchOf("*** Update File: f", "@@", "-two", "+three"))
	s.ok("edit", args{"file_path": "f", "start_line": 2, "end_line": 1, "content": "four"})
	s.ok("write", args{"file_path": "f", "content": s.file("f") + "five\n"})
	if got := s.file("f"); got != "three\nfour\nfive\n" {
		t.Errorf("%q", got)
	}
	for i, r := range s.batch([]callSpec{
		{"edit", args{"file_path": "f", "old_string": "three", "new_string": "3"}},
		{"write", args{"file_path": "f", "content": "all\n"}},
		{"edit", args{"file_path": "f", "old_string": "all", "new_string": "end"}},
	}) {
		if r.IsError {
			t.Errorf("call %d of the batch: %s", i, text(r))
		}
	}
	if got := s.file("f"); got != "end\n" {
		t.Errorf("after the batch: %q", got)
	}
}

// TestGuardedWritesRace: of writers that expect the same text exactly one
// wins (tools.md §3.11).
func TestGuardedWritesRace(t *testing.T) {
	s := newSession(t, Options{})
	s.write("f", "old\n")
	sessions := make([]*session, 8)
	for i := range sessions {
		sessions[i] = newSessionAt(t, s.dir)
		tools.Override(sessions[i].run.Deps, Files, s.view)
	}
	results := make([]tools.Result, len(sessions))
	var all sync.WaitGroup
	for i, other := range sessions {
		all.Go(func() {
			results[i] = other.call("write", args{"file_path": "f", "content": fmt.Sprintf("by %d\n", i), "expected_hash": hash("old\n")})
		})
	}
	all.Wait()
	won := 0
	for i, r := range results {
		switch {
		case !r.IsError:
			won++
			if got := s.file("f"); got != fmt.Sprintf("by %d\n", i) {
				t.Errorf("writer %d won and the file holds %q", i, got)
			}
		case r.Error == nil || r.Error.Code != "FS_STALE_VERSION":
			t.Errorf("writer %d: %s", i, text(r))
		}
	}
	if won != 1 {
		t.Errorf("%d writers won", won)
	}
}

// TestPatchEdges are the rows of tools.md §1.11.19 and Appendix A.7 that hold
// for the tool as a whole.
func TestPatchEdges(t *testing.T) {
	s := newSession(t, Options{})
	s.write("old.txt", "x\n")
	if got := s.ok("apply_patch", patchOf("*** Update File: old.txt", "*** Move to: sub/renamed.txt")); got != "Applied patch to 1 file(s)\nR old.txt -> sub/renamed.txt" {
		t.Errorf("move only: %q", got)
	}
	if s.exists("old.txt") || s.file("sub/renamed.txt") != "x\n" {
		t.Error("not moved")
	}
	if got := s.ok("apply_patch", patchOf("*** Update File: sub/renamed.txt", "*** Move to: ./sub/renamed.txt", "@@", "-x", "+y")); !strings.Contains(got, "\nM sub/renamed.txt\n") || s.file("sub/renamed.txt") != "y\n" {
		t.Errorf("move onto itself: %q", got)
	}
	dry := patchOf("*** Update File: sub/renamed.txt", "*** Move to: elsewhere")
	dry["dry_run"] = true
	if got := s.ok("apply_patch", dry); !strings.HasPrefix(got, "Patch preview ready for 1 file(s)") || s.exists("elsewhere") {
		t.Errorf("dry move: %q", got)
	}
	s.write("empty", "")
	s.ok("apply_patch", patchOf("*** Add File: new/empty", "*** Delete File: empty"))
	d := s.diffs()
	if len(d) != 2 || d[0].Path != "new/empty" || d[0].OldText != nil || d[0].NewText != "" || d[0].Change != presentation.ChangeAdd ||
		d[1].Path != "empty" || d[1].OldText == nil || d[1].NewText != "" || d[1].Change != presentation.ChangeDelete {
		t.Errorf("empty files: %+v", d)
	}
	if s.exists("empty") || s.file("new/empty") != "" {
		t.Error("empty files are not as patched")
	}
	s.write("a", "1\n")
	got := s.ok("apply_patch", patchOf("*** Add File: b", "+2", "*** Update File: a", "@@", "-1", "+one"))
	if want := "\n\n--- /dev/null\n+++ b\n@@ -0,0 +1,1 @@\n+2\n\n--- a\n+++ a\n@@ -1,1 +1,1 @@\n-1\n+one"; !strings.HasSuffix(got, want) {
		t.Errorf("diffs of two files: %q", got)
	}
	s.fails("FS_NOT_FOUND", "apply_patch", patchOf("*** Update File: none", "@@", "-x", "+y"))
	s.fails("PATCH_PARSE_FAILED", "apply_patch", patchOf("*** Update File: a", "@@", " one"))
}

func TestWriteEdges(t *testing.T) {
	s := newSession(t, Options{})
	if got := s.ok("write", args{"file_path": "f", "content": ""}); got != "Wrote 0 bytes to f\n\n--- /dev/null\n+++ f\n@@ -0,0 +0,0 @@" {
		t.Errorf("empty: %q", got)
	}
	if d := s.diffs(); len(d) != 1 || d[0].OldText != nil || d[0].NewText != "" {
		t.Errorf("card of an empty file: %+v", d)
	}
	if got := s.ok("write", args{"file_path": "f", "content": ""}); got != "Wrote 0 bytes to f (it held just that already)\n\n--- f\n+++ f\n@@ -0,0 +0,0 @@" {
		t.Errorf("unchanged: %q", got)
	}
	s.ok("write", args{"file_path": "f", "content": "x\n", "expected_hash": hash("")})
	s.fails("INVALID_ARGS", "write", args{"file_path": "f"})
	s.fails("INVALID_ARGS", "write", args{"file_path": "f", "content": "x", "dry_run": true})
	s.fails("FS_INVALID_PATH", "write", args{"file_path": "", "content": "x"})
	if got := s.file("f"); got != "x\n" {
		t.Errorf("%q", got)
	}
}

// TestDiffIsBounded: tools.md §1.9.2 and §1.9.3, for every tool that changes
// files.
func TestDiffIsBounded(t *testing.T) {
	before, after := numbered(500, "\n"), strings.ReplaceAll(numbered(500, "\n"), "line", "row")
	var lines []string
	for line := range strings.Lines(before) {
		lines = append(lines, "-"+strings.TrimSuffix(line, "\n"))
	}
	for line := range strings.Lines(after) {
		lines = append(lines, "+"+strings.TrimSuffix(line, "\n"))
	}
	for _, c := range []callSpec{
		{"write", args{"file_path": "f", "content": after}},
		{"edit", args{"file_path": "f", "old_string": "line", "new_string": "row", "replace_all": true}},
		{"apply_patch", patchOf(append([]string{"*** Update File: f", "@@"}, lines...)...)},
	} {
		for _, store := range []string{"kept", "full", "none"} {
			s := newSession(t, Options{})
			switch store {
			case "full":
				tools.Override(s.run.Deps, Outputs, cache.Open(cache.Options{Dir: s.path("f") + "/cache"}))
			case "none":
				delete(s.run.Deps, Outputs.ID)
			}
			s.write("f", before)
			s.ok("read", args{"file_path": "f"})
			r := s.call(c.name, c.args)
			var d struct {
				Diff      string `json:"diff"`
				Truncated bool   `json:"diff_truncated"`
				ID        string `json:"diff_cache_id"`
				Error     string `json:"diff_cache_error"`
			}
			if err := json.Unmarshal(r.Details, &d); err != nil || r.IsError || s.file("f") != after {
				t.Fatalf("%s, store %s: %v, %s", c.name, store, err, text(r))
			}
			shown := strings.Split(d.Diff, "\n")
			if !d.Truncated || len(shown) != 121 || shown[60] != fmt.Sprintf("...[%d lines omitted]...", 3+1000-120) || len(d.Diff) > previewBytes {
				t.Errorf("%s: %d lines, %q", c.name, len(shown), shown[min(60, len(shown)-1)])
			}
			if (d.ID != "") != (store == "kept") || (d.Error != "") == (store == "kept") {
				t.Errorf("%s, store %s: id %q, error %q", c.name, store, d.ID, d.Error)
			}
			if store == "kept" {
				if got := s.ok("tool_output_cache", args{"ref_id": d.ID, "offset": 600, "limit": 1}); !strings.Contains(got, "+row ") {
					t.Errorf("%s: the kept diff has %q", c.name, got)
				}
			}
		}
	}
}

func TestBoundDiff(t *testing.T) {
	for _, full := range []string{
		"", "one\n", strings.Repeat("x\n", previewLines), strings.Repeat("é", 3*previewBytes), strings.Repeat(strings.Repeat("漢", 500)+"\n", 300),
		strings.Repeat("x", previewBytes), strings.Repeat("x", previewBytes+1),
	} {
		d := boundDiff(full)
		if len(d.text) > previewBytes || strings.Count(d.text, "\n") > previewLines+1 || !utf8.ValidString(d.text) || d.full != full {
			t.Errorf("%d bytes: %d bytes, %d lines", len(full), len(d.text), strings.Count(d.text, "\n"))
		}
		if d.truncated != (d.text != strings.TrimSuffix(full, "\n")) {
			t.Errorf("%d bytes: truncated %v", len(full), d.truncated)
		}
	}
}

// TestCallsOfAnEndedTurn change nothing.
func TestCallsOfAnEndedTurn(t *testing.T) {
	s := newSession(t, Options{})
	s.write("f", "x\n")
	ctx, cancel := context.WithCancelCause(context.Background())
	cancel(errors.New("the user went away"))
	for _, c := range []callSpec{
		{"read", args{"file_path": "f"}}, {"grep", args{"pattern": "x"}}, {"glob", args{"pattern": "*"}}, {"ls", args{}},
		{"write", args{"file_path": "new", "content": "x"}}, {"edit", args{"file_path": "new", "old_string": "", "new_string": "x"}},
		{"apply_patch", patchOf("*** Add File: new", "+x")}, {"bash", args{"command": "touch new"}},
	} {
		r := s.pipe.ExecuteRaw(ctx, s.run, tools.Call{ID: c.name, Name: c.name, Arguments: string(mustJSON(c.args))})
		if !r.IsError || r.Error == nil || r.Error.Code != tools.CodeAborted && r.Error.Code != tools.CodeNotRun && r.Error.Code != "FS_ABORTED" {
			t.Errorf("%s: %+v %s", c.name, r.Error, text(r))
		}
	}
	if s.exists("new") {
		t.Error("a file was made")
	}
}

func TestTodoContentIsNotBlank(t *testing.T) {
	s := newSession(t, Options{})
	s.ok("todo_new", args{"todos": []args{{"content": "first"}}})
	for _, c := range []callSpec{
		{"todo_new", args{"todos": []args{{"content": " \t"}}}},
		{"todo_append", args{"todos": []args{{"id": "x", "content": "\n"}}}},
		{"todo_patch", args{"updates": []args{{"id": "first", "content": " "}}}},
	} {
		if got := s.fails("INVALID_ARGS", c.name, c.args); !strings.Contains(got, "blank") {
			t.Errorf("%s: %q", c.name, got)
		}
	}
	if got := s.ok("todo_read", ""); !strings.Contains(got, "1. [ ] [first] (p3) first\n1 pending") {
		t.Errorf("%q", got)
	}
}

// TestTodoOrder is Appendix A.8: the order given is the order shown, whatever
// the priorities, and the next item follows it.
func TestTodoOrder(t *testing.T) {
	s := newSession(t, Options{})
	got := s.ok("todo_new", args{"todos": []args{
		{"id": "done", "content": "Done", "status": "completed", "priority": 5},
		{"id": "todo-a", "content": "A", "priority": 4},
		{"id": "todo-b", "content": "B", "priority": 1},
		{"content": "!!!"},
		{"id": "-Mixed Case!-", "content": "C", "priority": 2},
	}})
	if got != "Updated todos (new): 4 pending, 0 in progress, 1 completed. Next: [todo-a]." {
		t.Errorf("%q", got)
	}
	want := "Todo plan:\n1. [x] [done] (p5) Done\n2. [ ] [todo-a] (p4) A\n3. [ ] [todo-b] (p1) B\n4. [ ] [todo] (p3) !!!\n5. [ ] [mixed-case] (p2) C\n"
	if got := s.ok("todo_read", ""); !strings.HasPrefix(got, want) {
		t.Errorf("%q", got)
	}
	other := newSession(t, Options{})
	if got := other.ok("todo_read", ""); got != "Todo list is empty" {
		t.Errorf("another session sees %q", got)
	}
	again := newSession(t, Options{}) // a new process with the session's metadata
	again.run.Metadata = &s.meta
	if got := again.ok("todo_read", ""); !strings.HasPrefix(got, want) {
		t.Errorf("restored: %q", got)
	}
}
