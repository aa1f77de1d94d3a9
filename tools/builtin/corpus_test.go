package builtin

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// corpusOps are the changes that every file of the corpus goes through.
var corpusOps = []struct {
	name, tool string
	args       func() args
}{
	{"edit text", "edit", func() args { return args{"old_string": "beta", "new_string": "BETA"} }},
	{"edit text over lines", "edit", func() args {
		return args{"old_string": "alpha one\nbeta two\n", "new_string": "ALPHA\nnew\nBETA\n"}
	}},
	{"edit text every place", "edit", func() args { return args{"old_string": "two", "new_string": "2\n2", "replace_all": true} }},
	{"edit text beyond ASCII", "edit", func() args { return args{"old_string": "beta", "new_string": "bêta"} }},
	{"edit whole", "edit", func() args { return args{"old_string": "", "new_string": "whole\nnew\n"} }},
	{"edit list", "edit", func() args {
		return args{"edits": []args{{"old_string": "gamma", "new_string": "GAMMA"}, {"old_string": "alpha", "new_string": "AL\nPHA"}}}
	}},
	{"edit lines", "edit", func() args { return args{"start_line": 2, "end_line": 2, "content": "second\nthird"} }},
	{"edit lines away", "edit", func() args { return args{"start_line": 1, "end_line": 1, "content": ""} }},
	{"edit lines at the end", "edit", func() args { return args{"start_line": 4, "end_line": 3, "content": "fourth"} }},
	{"write", "write", func() args { return args{"content": "whole\nnew\n"} }},
	{"apply_patch", "apply_patch", func() args {
		return patchOf("*** Update File: f", "@@", " alpha one", "-beta two", "+BETA", "+more", " gamma three")
	}},
	{"apply_patch at the end", "apply_patch", func() args {
		return patchOf("*** Update File: f", "@@", "-gamma three", "+GAMMA", "*** End of File")
	}},
}

// TestCorpus changes files of every line ending, encoding and shape by every
// tool, and compares the bytes that are left, or the refusal. The golden files
// are rewritten by -update; look at what that changes.
func TestCorpus(t *testing.T) {
	names, err := filepath.Glob(filepath.Join("testdata", "files", "[a-z]*"))
	if err != nil || len(names) == 0 {
		t.Fatalf("no corpus: %v", err)
	}
	for _, path := range names {
		t.Run(filepath.Base(path), func(t *testing.T) {
			before, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			var out strings.Builder
			fmt.Fprintf(&out, "before\n\t%s\n", quoteBytes(string(before)))
			for _, op := range corpusOps {
				fmt.Fprintf(&out, "%s\n\t%s\n", op.name, changeCorpusFile(t, string(before), op.tool, op.args()))
			}
			checkGolden(t, filepath.Join("testdata", "golden", filepath.Base(path)), out.String())
		})
	}
}

// changeCorpusFile runs one change of a file that was read, as far as read
// takes it, and describes what is left.
func changeCorpusFile(t *testing.T, before, tool string, a args) string {
	t.Helper()
	s := newSession(t, Options{})
	s.write("f", before)
	a["file_path"] = "f"
	if tool == "apply_patch" {
		delete(a, "file_path")
	} else if s.call("read", args{"file_path": "f"}).IsError {
		a["expected_hash"] = hash(before)
	}
	r := s.call(tool, a)
	after := s.file("f")
	if left, _ := os.ReadDir(s.dir); len(left) != 1 {
		t.Errorf("%s leaves %v", tool, left)
	}
	if !r.IsError {
		return quoteBytes(after)
	}
	if after != before {
		t.Errorf("%s fails and changes the file: %s", tool, text(r))
	}
	first, _, _ := strings.Cut(text(r), "\n")
	return r.Error.Code + " " + quoteBytes(first)
}

// quoteBytes is a text as Go source, long runs of x shortened.
func quoteBytes(s string) string {
	for _, n := range []int{9000, 5000} {
		s = strings.ReplaceAll(s, strings.Repeat("x", n), fmt.Sprintf("<%d x>", n))
	}
	return fmt.Sprintf("%+q", s)
}

// checkGolden compares text with a golden file.
func checkGolden(t *testing.T, path, got string) {
	t.Helper()
	if *update {
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(got), 0o666); err != nil {
			t.Fatal(err)
		}
		return
	}
	golden, err := os.ReadFile(path)
	if err != nil {
		t.Fatalf("%v; go test -run TestCorpus -update makes it", err)
	}
	want := strings.Split(strings.ReplaceAll(string(golden), "\r\n", "\n"), "\n")
	for i, line := range strings.Split(got, "\n") {
		if i >= len(want) || line != want[i] {
			t.Errorf("%s, line %d:\n%s\nwant:\n%s", path, i+1, line, append(want, "nothing")[min(i, len(want))])
		}
	}
}

// TestCorpusShapes changes files that are more than their bytes.
func TestCorpusShapes(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("needs modes and links")
	}
	const before = "alpha one\nbeta two\ngamma three\n"
	shapes := []struct {
		name  string
		make  func(s *session)
		check func(t *testing.T, s *session, changed bool)
		code  string // of every refusal
	}{
		{"executable", func(s *session) { s.write("f", before); s.chmod("f", 0o755) },
			func(t *testing.T, s *session, _ bool) { s.wantMode(t, "f", 0o755) }, ""},
		{"private", func(s *session) { s.write("f", before); s.chmod("f", 0o600) },
			func(t *testing.T, s *session, _ bool) { s.wantMode(t, "f", 0o600) }, ""},
		{"read-only", func(s *session) { s.write("f", before); s.chmod("f", 0o444) },
			func(t *testing.T, s *session, _ bool) { s.wantMode(t, "f", 0o444) }, "FS_PERMISSION_DENIED"},
		{"link", func(s *session) { s.write("d/target", before); s.link("d/target", "f") },
			func(t *testing.T, s *session, changed bool) {
				if to, err := os.Readlink(s.path("f")); err != nil || to != "d/target" {
					t.Errorf("the link leads to %q, %v", to, err)
				}
				if s.file("d/target") != s.file("f") || changed != (s.file("f") != before) {
					t.Errorf("the target holds %q", s.file("d/target"))
				}
			}, ""},
		{"hard link", func(s *session) { // the other name keeps the old text, as workspace's documentation says
			s.write("other", before)
			if err := os.Link(s.path("other"), s.path("f")); err != nil {
				s.t.Fatal(err)
			}
		}, func(t *testing.T, s *session, changed bool) {
			if s.file("other") != before || changed != (s.file("f") != before) {
				t.Errorf("the other name holds %q, this one %q", s.file("other"), s.file("f"))
			}
		}, ""},
	}
	for _, shape := range shapes {
		for _, op := range corpusOps {
			t.Run(shape.name+"/"+op.name, func(t *testing.T) {
				s := newSession(t, Options{})
				shape.make(s)
				s.ok("read", args{"file_path": "f"})
				a := op.args()
				if op.tool != "apply_patch" {
					a["file_path"] = "f"
				}
				r := s.call(op.tool, a)
				if r.IsError != (shape.code != "") || r.IsError && r.Error.Code != shape.code {
					t.Errorf("error %+v: %s", r.Error, text(r))
				}
				shape.check(t, s, !r.IsError)
			})
		}
	}
}

func (s *session) chmod(name string, mode os.FileMode) {
	s.t.Helper()
	if err := os.Chmod(s.path(name), mode); err != nil {
		s.t.Fatal(err)
	}
}

func (s *session) link(target, name string) {
	s.t.Helper()
	if err := os.Symlink(target, s.path(name)); err != nil {
		s.t.Fatal(err)
	}
}

func (s *session) wantMode(t *testing.T, name string, mode os.FileMode) {
	t.Helper()
	if info, err := os.Stat(s.path(name)); err != nil || info.Mode().Perm() != mode {
		t.Errorf("%s has mode %v, %v", name, info.Mode(), err)
	}
}
