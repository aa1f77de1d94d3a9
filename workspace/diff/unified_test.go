package diff

import (
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
)

func TestUnified(t *testing.T) {
	tests := []struct {
		name             string
		oldName, newName string
		before, after    string
		context          int
		want             string
	}{
		{"equal", "a", "b", "x\n", "x\n", 3, ""},
		{
			"one line", "a/f", "b/f", "1\n2\n3\n4\n5\n", "1\n2\nX\n4\n5\n", 1,
			"--- a/f\n+++ b/f\n@@ -2,3 +2,3 @@\n 2\n-3\n+X\n 4\n",
		},
		{"new file", "/dev/null", "b/f", "", "x\n", 3, "--- /dev/null\n+++ b/f\n@@ -0,0 +1,1 @@\n+x\n"},
		{"deleted file", "a/f", "/dev/null", "x\n", "", 3, "--- a/f\n+++ /dev/null\n@@ -1,1 +0,0 @@\n-x\n"},
		{
			"no newline on both sides", "a", "b", "x", "y", 3,
			"--- a\n+++ b\n@@ -1,1 +1,1 @@\n-x\n\\ No newline at end of file\n+y\n\\ No newline at end of file\n",
		},
		{
			"newline lost", "a", "b", "x\n", "x", 3,
			"--- a\n+++ b\n@@ -1,1 +1,1 @@\n-x\n+x\n\\ No newline at end of file\n",
		},
		{
			"newline won", "a", "b", "x", "x\n", 3,
			"--- a\n+++ b\n@@ -1,1 +1,1 @@\n-x\n\\ No newline at end of file\n+x\n",
		},
		{
			"no newline in the context", "a", "b", "x\nlast", "y\nlast", 3,
			"--- a\n+++ b\n@@ -1,2 +1,2 @@\n-x\n+y\n last\n\\ No newline at end of file\n",
		},
		{
			"CRLF stays", "a", "b", "1\r\n2\r\n", "1\r\n3\r\n", 3,
			"--- a\n+++ b\n@@ -1,2 +1,2 @@\n 1\r\n-2\r\n+3\r\n",
		},
		{"space in a name", "a b", "c", "x\n", "", 0, "--- a b\t\n+++ c\n@@ -1,1 +0,0 @@\n-x\n"},
		{"control characters in a name", "a\nb", `c"\`, "x\n", "", 0, "--- \"a\\012b\"\n+++ \"c\\\"\\\\\"\n@@ -1,1 +0,0 @@\n-x\n"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := Unified(tt.oldName, tt.newName, tt.before, tt.after, tt.context); got != tt.want {
				t.Errorf("Unified:\n%s\nwant:\n%s", got, tt.want)
			}
		})
	}
}

func TestParseReadsWhatUnifiedWrites(t *testing.T) {
	r := newRand(t)
	for range 2000 {
		before, after := randomPair(r)
		want := File{OldName: "a/old name", NewName: "b/\"new\"\t", Hunks: Hunks(before, after, 1+r.IntN(3))}
		text := want.Unified()
		got, err := Parse(text)
		if err != nil {
			t.Fatalf("Parse of\n%s\n%v", text, err)
		}
		if len(want.Hunks) == 0 {
			continue
		}
		if len(got) != 1 || !reflect.DeepEqual(got[0], want) {
			t.Fatalf("Parse of\n%s\n%+v, want %+v", text, got, want)
		}
	}
}

func TestParse(t *testing.T) {
	text := "From: somebody\n\ndiff --git a/one b/one\nindex 1..2 100644\n--- a/one\n+++ b/one\n@@ -1 +1,2 @@ func f()\n x\n+y\n" +
		"--- two\t2020-01-02 03:04:05.000000000 +0000\n+++ two\t2020-01-02 03:04:06.000000000 +0000\n@@ -4,2 +4 @@\n-a\n\n"
	got, err := Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	want := []File{
		{OldName: "a/one", NewName: "b/one", Hunks: []Hunk{{
			OldStart: 1, OldLines: 1, NewStart: 1, NewLines: 2, FirstChange: 2,
			Lines: []Line{{' ', "x", "\n"}, {'+', "y", "\n"}},
		}}},
		{OldName: "two", NewName: "two", Hunks: []Hunk{{
			OldStart: 4, OldLines: 2, NewStart: 4, NewLines: 1, FirstChange: 4,
			Lines: []Line{{'-', "a", "\n"}, {' ', "", "\n"}},
		}}},
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("Parse = %+v\nwant %+v", got, want)
	}
}

func TestParseErrors(t *testing.T) {
	for _, text := range []string{
		"--- a\n+++ b\n@@ -1,2 +1,1 @@\n-x\n",
		"--- a\n+++ b\n@@ -x +1 @@\n-x\n",
		"--- a\nno header\n",
	} {
		if got, err := Parse(text); err == nil {
			t.Errorf("Parse(%q) = %+v, want an error", text, got)
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add(Unified("a", "b", "1\n2\n3", "1\nx\n3\n", 3))
	f.Add("--- a\n+++ b\n@@ -1 +1 @@\n-x\n\\ No newline at end of file\n+y\n\\ No newline at end of file\n")
	f.Add("@@ -0,0 +0,0 @@\n\\ No newline at end of file\n")
	f.Fuzz(func(t *testing.T, text string) {
		files, err := Parse(text)
		if err != nil {
			return
		}
		for _, file := range files {
			for _, h := range file.Hunks {
				if h.FirstChange < 0 || h.OldLines < 0 || h.NewLines < 0 {
					t.Fatalf("hunk %+v", h)
				}
			}
		}
	})
}

// patched applies a unified diff of the file f in folder dir by a real tool.
func patched(t *testing.T, dir, patch string, tool []string) string {
	t.Helper()
	cmd := exec.Command(tool[0], tool[1:]...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GIT_CEILING_DIRECTORIES="+filepath.Dir(dir)) // no repository around it counts
	cmd.Stdin = strings.NewReader(patch)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v: %v\n%s\n%s", tool, err, out, patch)
	}
	data, err := os.ReadFile(filepath.Join(dir, "f"))
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

func TestRealToolsApplyUnified(t *testing.T) {
	tools := map[string][]string{
		"patch": {"patch", "--binary", "--no-backup-if-mismatch", "-s", "-p1"},
		"git":   {"git", "-c", "core.autocrlf=false", "apply", "--whitespace=nowarn"},
	}
	pairs := [][2]string{
		{"1\n2\n3\n", "1\nx\n3\n"},
		{"1\n2", "1\n2\n"},
		{"1\n2\n", "1\n2"},
		{"1\n2", "1\n3"},
		{"1\r\n2\r\n3\r\n", "1\r\nx\r\n3\r\n"},
		{"-- a\n++ b\n@@ c\n", "-- a\n++ d\n@@ c\n"},
	}
	r := newRand(t)
	for range 12 {
		before, after := randomPair(r)
		// Both tools treat an empty file as one that is not there.
		pairs = append(pairs, [2]string{"head\n" + before, "head\n" + after})
	}
	for name, tool := range tools {
		t.Run(name, func(t *testing.T) {
			if _, err := exec.LookPath(tool[0]); err != nil {
				t.Skip(err)
			}
			for _, p := range pairs {
				patch := Unified("a/f", "b/f", p[0], p[1], 3)
				if patch == "" {
					continue
				}
				dir := t.TempDir()
				if err := os.WriteFile(filepath.Join(dir, "f"), []byte(p[0]), 0o600); err != nil {
					t.Fatal(err)
				}
				if got := patched(t, dir, patch, tool); got != p[1] {
					t.Errorf("%q patched by\n%s\ngives %q, want %q", p[0], patch, got, p[1])
				}
			}
		})
	}
}
