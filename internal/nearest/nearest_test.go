package nearest

import (
	"math/rand/v2"
	"testing"
)

func TestOf(t *testing.T) {
	modes := []string{"read-only", "ask", "accept-edits", "full-access"}
	cases := []struct {
		word       string
		candidates []string
		want       string
	}{
		{"full-acess", modes, "full-access"},
		{"FULL-ACCESS", modes, "full-access"},
		{"aks", modes, "ask"},
		{"readonly", modes, "read-only"},
		{"", modes, "ask"},
		{"x", nil, ""},
		{"b", []string{"a", "c"}, "a"},
		{"modle", []string{"mode", "model"}, "model"},
		{"exec", []string{"read", "edit", "execute"}, "execute"},
		{"path", []string{"kind", "pattern"}, "pattern"},
		{"größe", []string{"grosse", "größen"}, "größen"},
	}
	for _, c := range cases {
		if got := Of(c.word, c.candidates); got != c.want {
			t.Errorf("Of(%q, %v) = %q, want %q", c.word, c.candidates, got, c.want)
		}
	}
}

func TestDistance(t *testing.T) {
	cases := []struct {
		a, b string
		want int
	}{
		{"", "", 0}, {"", "abc", 3}, {"abc", "", 3}, {"abc", "abc", 0}, {"abc", "abd", 1},
		{"abc", "acb", 1}, {"abc", "xabc", 1}, {"modle", "model", 1}, {"kitten", "sitting", 3}, {"ä", "a", 1},
	}
	for _, c := range cases {
		if got := Distance(c.a, c.b); got != c.want {
			t.Errorf("Distance(%q, %q) = %d, want %d", c.a, c.b, got, c.want)
		}
	}
}

func TestDistanceIsSymmetric(t *testing.T) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	r := rand.New(rand.NewPCG(seed, 1))
	word := func() string {
		b := make([]rune, r.IntN(8))
		for i := range b {
			b[i] = []rune("abcä")[r.IntN(4)]
		}
		return string(b)
	}
	for range 500 {
		a, b := word(), word()
		d := Distance(a, b)
		if d != Distance(b, a) || (d == 0) != (a == b) || d > max(len([]rune(a)), len([]rune(b))) {
			t.Fatalf("Distance(%q, %q) = %d, the other way %d", a, b, d, Distance(b, a))
		}
	}
}
