package diff

import (
	"errors"
	"math/rand/v2"
	"testing"
)

func TestApply(t *testing.T) {
	tests := []struct {
		name  string
		text  string
		edits []Edit
		want  string
	}{
		{"nothing", "abc", nil, "abc"},
		{"replace", "abc", []Edit{{1, 2, "X"}}, "aXc"},
		{"insert at the start", "abc", []Edit{{0, 0, "X"}}, "Xabc"},
		{"insert at the end", "abc", []Edit{{3, 3, "X"}}, "abcX"},
		{"delete all", "abc", []Edit{{0, 3, ""}}, ""},
		{"into nothing", "", []Edit{{0, 0, "X"}}, "X"},
		{"two at one place keep their order", "ab", []Edit{{1, 1, "X"}, {1, 1, "Y"}}, "aXYb"},
		{"touching", "abcd", []Edit{{0, 2, "X"}, {2, 4, "Y"}}, "XY"},
		{"insert before a replacement", "ab", []Edit{{1, 1, "X"}, {1, 2, "Y"}}, "aXY"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := Apply(tt.text, tt.edits)
			if err != nil || got != tt.want {
				t.Errorf("Apply = %q, %v; want %q", got, err, tt.want)
			}
		})
	}
}

func TestBadEdits(t *testing.T) {
	tests := []struct {
		name  string
		edits []Edit
	}{
		{"negative", []Edit{{-1, 0, ""}}},
		{"end before start", []Edit{{2, 1, ""}}},
		{"beyond the end", []Edit{{2, 4, ""}}},
		{"overlapping", []Edit{{0, 2, ""}, {1, 3, ""}}},
		{"out of order", []Edit{{2, 3, ""}, {0, 1, ""}}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got, err := Apply("abc", tt.edits); !errors.Is(err, ErrBadEdits) || got != "" {
				t.Errorf("Apply = %q, %v; want ErrBadEdits", got, err)
			}
			if _, err := Invert("abc", tt.edits); !errors.Is(err, ErrBadEdits) {
				t.Errorf("Invert: %v, want ErrBadEdits", err)
			}
			if _, err := Rebase("abc", "abc", tt.edits); !errors.Is(err, ErrBadEdits) {
				t.Errorf("Rebase: %v, want ErrBadEdits", err)
			}
		})
	}
}

// randomEdits returns edits of any bytes of text, in order and apart.
func randomEdits(r *rand.Rand, text string) []Edit {
	var edits []Edit
	for at := 0; at <= len(text); {
		start := at + r.IntN(6)
		end := start + r.IntN(4)
		if end > len(text) {
			break
		}
		edits = append(edits, Edit{start, end, randomText(r, 2)})
		at = end
		if r.IntN(3) == 0 {
			at++
		}
	}
	return edits
}

func TestUndoOfApplyIsIdentity(t *testing.T) {
	r := newRand(t)
	for range 3000 {
		text := randomText(r, 10)
		edits := randomEdits(r, text)
		after, err := Apply(text, edits)
		if err != nil {
			t.Fatalf("Apply(%q, %v): %v", text, edits, err)
		}
		undo, err := Invert(text, edits)
		if err != nil {
			t.Fatalf("Invert(%q, %v): %v", text, edits, err)
		}
		back, err := Apply(after, undo)
		if err != nil || back != text {
			t.Fatalf("%q, edits %v, undo %v: back to %q, %v", text, edits, undo, back, err)
		}
		redo, err := Invert(after, undo)
		if err != nil {
			t.Fatal(err)
		}
		again, err := Apply(text, redo)
		if err != nil || again != after {
			t.Fatalf("%q, redo %v: %q, want %q (%v)", text, redo, again, after, err)
		}
	}
}

func FuzzApply(f *testing.F) {
	f.Add("one\ntwo\n", 0, 3, "1", 4, 4, "new\n")
	f.Add("", 0, 0, "x", 0, 0, "y")
	f.Add("abc", 2, 1, "", -1, 9, "")
	f.Fuzz(func(t *testing.T, text string, s1, e1 int, n1 string, s2, e2 int, n2 string) {
		edits := []Edit{{s1, e1, n1}, {s2, e2, n2}}
		after, err := Apply(text, edits)
		undo, invertErr := Invert(text, edits)
		if (err == nil) != (invertErr == nil) {
			t.Fatalf("Apply: %v, Invert: %v", err, invertErr)
		}
		if err != nil {
			return
		}
		if back, err := Apply(after, undo); err != nil || back != text {
			t.Fatalf("back to %q, %v; want %q", back, err, text)
		}
	})
}
