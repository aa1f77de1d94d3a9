package permission

import (
	"path/filepath"
	"slices"
	"testing"

	"github.com/agent-ls/agent-ls/tools"
)

// What a search leaves out in each mode: sensitive files unless they may be
// read, and always what a rule denies.
func TestHider(t *testing.T) {
	rules := []Rule{deny(tools.AccessRead, "secret/**"), allow(tools.AccessRead, "known.pem"), allow(tools.AccessRead, "**"), deny(tools.AccessEdit, "a.go")}
	cases := []struct {
		path string
		want [4]bool // by mode
	}{
		{"a.go", [4]bool{false, false, false, false}},
		{".env", [4]bool{true, true, true, false}},
		{".git/config", [4]bool{true, true, true, false}},
		{"state/grants.json", [4]bool{true, true, true, false}},
		{"known.pem", [4]bool{true, false, false, false}},
		{"other.pem", [4]bool{true, true, true, false}},
		{"secret/x/y", [4]bool{true, true, true, true}},
	}
	r := newRoom(t, AskMode, rules...)
	r.Protected = []string{filepath.Join(r.dir, "state")}
	for i, m := range Modes() {
		r.mode = m.ID
		hidden := r.Hider()
		for _, c := range cases {
			if got := hidden(filepath.Join(r.dir, filepath.FromSlash(c.path))); got != c.want[i] {
				t.Errorf("%s in mode %s: hidden %v", c.path, m.ID, got)
			}
		}
	}
}

// A decision names the files that it was about, so that a call reaches no
// others.
func TestJudgeNamesThePaths(t *testing.T) {
	r := newRoom(t, AcceptEdits)
	r.link(r.outside, "out")
	d, paths := r.Judge("x", []tools.Access{read("a"), edit("out/f"), run("ls"), fetch("http://h/")}, false)
	want := []string{filepath.Join(r.dir, "a"), filepath.Join(r.outside, "f")}
	if d.Kind != tools.Ask || !slices.Equal(paths, want) {
		t.Errorf("%+v %v, want %v", d, paths, want)
	}
}

func BenchmarkHider(b *testing.B) {
	p := &Policy{Protected: []string{filepath.Join(b.TempDir(), "state")}, Rules: []Rule{deny(tools.AccessRead, "/secret/**")}}
	hidden := p.Hider()
	path := filepath.Join(b.TempDir(), "src", "package", "file.go")
	b.ReportAllocs()
	for b.Loop() {
		if hidden(path) {
			b.Fatal("hidden")
		}
	}
}
