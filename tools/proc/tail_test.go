package proc

import (
	"math/rand/v2"
	"strings"
	"testing"
	"unicode/utf8"
)

func TestTail(t *testing.T) {
	long := strings.Repeat("x", 30)
	tests := []struct {
		name      string
		keep      int
		adds      []string
		want      string
		truncated bool
	}{
		{"empty", 10, nil, "", false},
		{"exactly the cap", 10, []string{"0123456789"}, "0123456789", false},
		{"one more than the cap", 10, []string{"01234567890"}, "1234567890", true},
		{"whole lines only", 10, []string{"first\nsecond\nthird\n"}, "third\n", true},
		{"window begins a line", 10, []string{"abc\n012345678\n"}, "012345678\n", true},
		{"one line alone is too large", 10, []string{"a\n", long}, long[:10], true},
		{"last line too large with its newline", 10, []string{long, "\n"}, long[:9] + "\n", true},
		{"rune is not cut", 10, []string{"ééééééa"}, "éééé" + "a", true},
		{"many small adds", 4, strings.Split("abcdefghijklmnopqrstuvwxyz", ""), "wxyz", true},
		{"add much larger than the cap", 4, []string{"ab", strings.Repeat("z", 1000) + "\nq\n"}, "q\n", true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			tail := NewTail(tt.keep)
			for _, a := range tt.adds {
				tail.Add(a)
			}
			if got := tail.String(); got != tt.want || tail.Truncated() != tt.truncated {
				t.Errorf("got %q truncated %v, want %q %v", got, tail.Truncated(), tt.want, tt.truncated)
			}
		})
	}
}

// TestTailProperties checks tools.md §2.9.2 on random input.
func TestTailProperties(t *testing.T) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	r := rand.New(rand.NewPCG(seed, 0))
	pieces := []string{"a", "é", "你", "👍🏽", "\n", "\r\n", "word ", strings.Repeat("long", 20)}
	for range 2000 {
		keep := 1 + r.IntN(64)
		tail := NewTail(keep)
		var all strings.Builder
		for range r.IntN(60) {
			p := pieces[r.IntN(len(pieces))]
			all.WriteString(p)
			tail.Add(p)
		}
		got := tail.String()
		switch {
		case len(got) > keep:
			t.Fatalf("%d bytes kept of %d", len(got), keep)
		case !strings.HasSuffix(all.String(), got):
			t.Fatalf("%q is no suffix of %q", got, all.String())
		case !utf8.ValidString(got):
			t.Fatalf("%q is not valid UTF-8", got)
		case tail.Truncated() != (all.Len() > keep):
			t.Fatalf("truncated %v with %d bytes of %d", tail.Truncated(), all.Len(), keep)
		case !tail.Truncated() && got != all.String():
			t.Fatalf("%q is not all of %q", got, all.String())
		}
	}
}

func TestTailReset(t *testing.T) {
	tail := NewTail(0)
	tail.Add(strings.Repeat("x", DefaultKeep+1))
	tail.Reset()
	tail.Add("new")
	if got := tail.String(); got != "new" || tail.Truncated() {
		t.Errorf("after Reset: %q truncated %v", got, tail.Truncated())
	}
}
