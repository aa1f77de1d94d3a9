package builtin

import (
	"os"
	"strings"
	"testing"

	"github.com/agent-ls/agent-ls/presentation"
	"github.com/agent-ls/agent-ls/workspace"
)

// patchOf is the argument of a patch of these lines.
func patchOf(lines ...string) args {
	return args{"patch": "*** Begin Patch\n" + strings.Join(lines, "\n") + "\n*** End Patch\n"}
}

func TestApplyPatch(t *testing.T) {
	s := newSession(t, Options{})
	s.write("u.txt", "a\r\nb\r\n")
	s.write("d.txt", "gone\n")
	s.write("m.txt", "m\n")
	if err := os.Chmod(s.path("m.txt"), 0o755); err != nil {
		t.Fatal(err)
	}
	got := s.ok("apply_patch", patchOf("*** Add File: sub/n.txt", "+n", "*** Update File: u.txt", "@@", " a", "-b", "+B",
		"*** Delete File: d.txt", "*** Update File: m.txt", "*** Move to: sub/m2.txt", "@@", "-m", "+M"))
	if !strings.HasPrefix(got, "Applied patch to 4 file(s)\nA sub/n.txt\nM u.txt\nD d.txt\nR m.txt -> sub/m2.txt\n") {
		t.Errorf("text %q", got)
	}
	if s.file("sub/n.txt") != "n\n" || s.file("u.txt") != "a\r\nB\r\n" || s.exists("d.txt") || s.exists("m.txt") || s.file("sub/m2.txt") != "M\n" {
		t.Error("files are not as patched")
	}
	if st, _ := os.Stat(s.path("sub/m2.txt")); st.Mode().Perm() != 0o755 {
		t.Errorf("mode after the move: %v", st.Mode())
	}
	var seen []presentation.FileChange
	for _, d := range s.diffs() {
		seen = append(seen, d.Change)
		if d.Path == "" || strings.Contains(d.NewText, "@@") {
			t.Errorf("diff %+v", d)
		}
	}
	want := []presentation.FileChange{presentation.ChangeAdd, "", presentation.ChangeDelete, presentation.ChangeMove}
	if len(seen) != 4 || seen[0] != want[0] || seen[2] != want[2] || seen[3] != want[3] {
		t.Errorf("changes %v", seen)
	}
	if v := s.cards.started.(*presentation.DiffCall); v.Title != "Patch 4 files" || len(v.Locations) != 3 {
		t.Errorf("pending %+v", v)
	}
}

func TestApplyPatchKinds(t *testing.T) {
	s := newSession(t, Options{})
	s.write("a", "x\n")
	s.write("b", "y\n")
	s.ok("apply_patch", patchOf("*** Delete File: a"))
	if v := s.cards.planned.(*presentation.DiffCall); v.Kind != presentation.KindDelete || v.Title != "Patch a" {
		t.Errorf("delete: %+v", v)
	}
	s.ok("apply_patch", patchOf("*** Update File: b", "*** Move to: c"))
	if v := s.cards.planned.(*presentation.DiffCall); v.Kind != presentation.KindMove || s.file("c") != "y\n" || s.exists("b") {
		t.Errorf("move: %+v", v)
	}
	if d := s.diffs(); len(d) != 1 || d[0].OldPath != "b" || d[0].Path != "c" {
		t.Errorf("move: %+v", d)
	}
}

func TestApplyPatchVacated(t *testing.T) {
	s := newSession(t, Options{})
	s.write("a", "A\n")
	s.write("b", "B\n")
	s.ok("apply_patch", patchOf("*** Delete File: b", "*** Update File: a", "*** Move to: b"))
	if s.file("b") != "A\n" || s.exists("a") {
		t.Error("the move into the freed path failed")
	}
}

func TestApplyPatchErrors(t *testing.T) {
	s := newSession(t, Options{})
	s.write("a", "x\n")
	s.write("b", "y\n")
	for _, tt := range []struct {
		code string
		args args
		want string
	}{
		{"PATCH_PARSE_FAILED", args{"patch": "x"}, "Patch parse failed"},
		{"FS_NOT_FOUND", patchOf("*** Update File: a", "@@", "-x", "+X", "*** Delete File: none"), "File not found: none"},
		{"FS_EXISTS", patchOf("*** Add File: a", "+z"), "File already exists: a"},
		{"FS_EXISTS", patchOf("*** Update File: a", "*** Move to: b"), "File already exists: b"},
		{"PATCH_CONFLICT", patchOf("*** Update File: a", "@@", "-x", "+X", "*** Update File: ./a", "@@", "-x", "+X"), "Duplicate file"},
		{"FS_EDIT_NOT_FOUND", patchOf("*** Delete File: b", "*** Update File: a", "@@", "-nope", "+X"), "expected lines not found in a"},
	} {
		if got := s.fails(tt.code, "apply_patch", tt.args); !strings.Contains(got, tt.want) {
			t.Errorf("%q, want %q in it", got, tt.want)
		}
	}
	if s.file("a") != "x\n" || s.file("b") != "y\n" {
		t.Error("a failed patch changed files")
	}
	s.ok("read", args{"file_path": "a"})
	s.write("a", "x\nby another hand\n")
	s.fails(workspace.FSStaleVersion, "apply_patch", patchOf("*** Update File: a", "@@", "-x", "+X"))
}

func TestApplyPatchDryRun(t *testing.T) {
	s := newSession(t, Options{})
	s.write("a", "x\n")
	p := patchOf("*** Update File: a", "@@", "-x", "+X", "*** Add File: n", "+n")
	p["dry_run"] = true
	if got := s.ok("apply_patch", p); !strings.HasPrefix(got, "Patch preview ready for 2 file(s)") || s.file("a") != "x\n" || s.exists("n") {
		t.Errorf("%q", got)
	}
}
