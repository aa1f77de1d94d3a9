package builtin

import (
	"testing"

	"github.com/agent-ls/agent-ls/presentation"
)

// TestNamesThatAreNoUTF8: such a file is found and shown, as far as text can
// show it; no location leads to it.
func TestNamesThatAreNoUTF8(t *testing.T) {
	s := newSession(t, Options{})
	s.write("a\xff.txt", "hit\n")
	s.write("b.txt", "hit\n")
	for _, tt := range []struct {
		tool string
		args args
		want string
	}{
		{"grep", args{"pattern": "hit"}, "a�.txt:1: hit\nb.txt:1: hit"},
		{"glob", args{"pattern": "*.txt"}, "a�.txt\nb.txt"},
		{"ls", args{}, "a�.txt\nb.txt"},
	} {
		if got := s.ok(tt.tool, tt.args); got != tt.want {
			t.Errorf("%s: %q, want %q", tt.tool, got, tt.want)
		}
		for _, l := range s.cards.result.(*presentation.GenericResult).Locations {
			if l.Path != s.path("b.txt") {
				t.Errorf("%s points to %q", tt.tool, l.Path)
			}
		}
	}
}
