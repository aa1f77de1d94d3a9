package builtin

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/agent-ls/agent-ls/presentation"
)

func TestGrep(t *testing.T) {
	s := newSession(t, Options{})
	s.write("a.txt", "one\ntwo\nthree\n")
	s.write("sub/b.go", "x\r\ntwo words\r\n")
	s.write("sub/.hidden", "two\n")
	s.write("bin", "two\x00")
	s.write(".gitignore", "ignored\n")
	s.write("ignored", "two\n")
	tests := []struct {
		args args
		want string
	}{
		{args{"pattern": "two"}, "a.txt:2: two\nsub/.hidden:1: two\nsub/b.go:2: two words"},
		{args{"pattern": "TWO", "ignoreCase": true, "path": "sub", "glob": "*.go"}, "sub/b.go:2: two words"},
		{args{"pattern": "t.o", "literal": true}, "No matches found"},
		{args{"pattern": "^t", "path": "a.txt"}, "a.txt:2: two\na.txt:3: three"},
		{args{"pattern": "two", "path": "a.txt", "context": 1}, "a.txt-1- one\na.txt:2: two\na.txt-3- three"},
		{args{"pattern": "one|three", "path": "a.txt", "context": 1}, "a.txt:1: one\na.txt-2- two\na.txt:3: three"},
		{args{"pattern": "t", "path": "a.txt", "limit": 1}, "a.txt:2: two\n\n[Stopped at 1 hits; narrow the pattern or raise limit]"},
	}
	for _, tt := range tests {
		if got := s.ok("grep", tt.args); got != tt.want {
			t.Errorf("%v:\n%s\nwant:\n%s", tt.args, got, tt.want)
		}
	}
	s.ok("grep", args{"pattern": "two"})
	if v := s.cards.started.(*presentation.GenericCall); v.Title != `Search "two" in .` || v.Kind != presentation.KindSearch || v.Locations != nil {
		t.Errorf("pending %+v", v)
	}
	if l := s.cards.result.(*presentation.GenericResult).Locations; len(l) != 3 || l[0] != (presentation.FileLocation{Path: s.path("a.txt"), Line: 2}) {
		t.Errorf("locations %+v", l)
	}
}

func TestGrepBounds(t *testing.T) {
	s := newSession(t, Options{})
	for i := range 60 {
		s.write(fmt.Sprintf("d/f%02d.txt", i), "hit\nno\nhit\n")
	}
	s.write("long", "hit"+strings.Repeat("é", 3<<20)+"\n")
	got := s.ok("grep", args{"pattern": "hit", "path": "d"})
	if strings.Count(got, "\n") != 101 || !strings.HasPrefix(got, "d/f00.txt:1: hit\nd/f00.txt:3: hit\nd/f01.txt:1: hit\n") || !strings.Contains(got, "Stopped at 100 hits") {
		t.Errorf("limit: %q", got)
	}
	if l := s.cards.result.(*presentation.GenericResult).Locations; len(l) != 20 {
		t.Errorf("%d locations", len(l))
	}
	if got := s.ok("grep", args{"pattern": "^hit", "path": "long"}); len(got) > 2000 || !strings.Contains(got, "cut at 500 characters") {
		t.Errorf("long line: %d bytes", len(got))
	}
	if got := s.ok("grep", args{"pattern": ".", "limit": 10000, "context": 1}); len(got) > 52<<10 {
		t.Errorf("%d bytes of output", len(got))
	}
}

func TestGrepErrors(t *testing.T) {
	s := newSession(t, Options{})
	for _, tt := range []struct {
		code string
		args args
		want string
	}{
		{"INVALID_ARGS", args{"pattern": "("}, "RE2"},
		{"INVALID_ARGS", args{"pattern": "x", "glob": "["}, "glob"},
		{"INVALID_ARGS", args{"pattern": ""}, "pattern"},
		{"FS_NOT_FOUND", args{"pattern": "x", "path": "nope"}, "Path not found: nope"},
	} {
		if got := s.fails(tt.code, "grep", tt.args); !strings.Contains(got, tt.want) {
			t.Errorf("%v: %q", tt.args, got)
		}
	}
}

func TestGlobAndLs(t *testing.T) {
	s := newSession(t, Options{})
	s.write("a.go", "")
	s.write("B.txt", "")
	s.write("sub/c.go", "")
	s.write("sub/deep/d.ts", "")
	s.write(".gitignore", "out\n")
	s.write("out/x.go", "")
	if err := os.Mkdir(s.path("empty"), 0o755); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct{ tool, want string }{
		{"glob *.go", "a.go\nsub/c.go"},
		{"glob **/*.{go,ts}", "a.go\nsub/c.go\nsub/deep/d.ts"},
		{"glob sub/*", "sub/c.go\nsub/deep/"},
		{"glob nothing*", "No files found matching pattern nothing*"},
	} {
		name, pattern, _ := strings.Cut(tt.tool, " ")
		if got := s.ok(name, args{"pattern": pattern}); got != tt.want {
			t.Errorf("%s: %q, want %q", tt.tool, got, tt.want)
		}
	}
	if got := s.ok("glob", args{"pattern": "*.go", "limit": 1}); !strings.Contains(got, "Stopped at 1 entries") {
		t.Errorf("limit: %q", got)
	}
	if got, want := s.ok("ls", ""), ".gitignore\na.go\nB.txt\nempty/\nout/\nsub/"; got != want {
		t.Errorf("ls: %q, want %q", got, want)
	}
	if v := s.cards.started.(*presentation.GenericCall); v.Kind != presentation.KindRead || v.Locations != nil {
		t.Errorf("%+v", v)
	}
	if got := s.ok("ls", args{"path": "empty"}); got != "(empty directory)" {
		t.Errorf("empty: %q", got)
	}
	if got := s.fails("FS_NOT_DIRECTORY", "ls", args{"path": "a.go"}); !strings.Contains(got, "Not a directory: a.go") {
		t.Errorf("%q", got)
	}
	s.fails("FS_NOT_FOUND", "ls", args{"path": "nope"})
	s.fails("FS_NOT_FOUND", "glob", args{"pattern": "*", "path": "nope"})
}
