package diff

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// at returns the offset of s in text.
func at(text, s string) int {
	i := strings.Index(text, s)
	if i < 0 {
		panic(fmt.Sprintf("%q is not in %q", s, text))
	}
	return i
}

// substitute is the edit that replaces old in text by s.
func substitute(text, old, s string) Edit {
	i := at(text, old)
	return Edit{Start: i, End: i + len(old), New: s}
}

// insertBefore is the edit that inserts s before what is found in text.
func insertBefore(text, found, s string) Edit {
	i := at(text, found)
	return Edit{Start: i, End: i, New: s}
}

func TestRebase(t *testing.T) {
	const base = "one\ntwo\nthree\nfour\nfive\n"
	end := Edit{Start: len(base), End: len(base)}
	appended := func(s string) Edit { e := end; e.New = s; return e }
	tests := []struct {
		name    string
		current string
		edit    Edit
		want    string // of the whole text; "" means ErrOverlap
	}{
		{"nothing changed", base, substitute(base, "two", "2"), "one\n2\nthree\nfour\nfive\n"},
		{"change above", "0\none\ntwo\nthree\nfour\nfive\n", substitute(base, "two", "2"), "0\none\n2\nthree\nfour\nfive\n"},
		{"change below", "one\ntwo\nthree\nfour\n", substitute(base, "two", "2"), "one\n2\nthree\nfour\n"},
		{"both sides", "ONE\ntwo\nthree\nfour\nFIVE5\n", substitute(base, "three", "3"), "ONE\ntwo\n3\nfour\nFIVE5\n"},
		{"line above changed", "ONE\ntwo\nthree\nfour\nfive\n", substitute(base, "two", "2"), "ONE\n2\nthree\nfour\nfive\n"},
		{"line below changed", "one\ntwo\nTHREE\nfour\nfive\n", substitute(base, "two\n", "2\n"), "one\n2\nTHREE\nfour\nfive\n"},
		{"same line, other words", "one\ntwo!\nthree\nfour\nfive\n", substitute(base, "two", "2"), ""},
		{"same line deleted", "one\nthree\nfour\nfive\n", substitute(base, "two", "2"), ""},
		{"inserted within the range", "one\ntwo\nX\nthree\nfour\nfive\n", substitute(base, "two\nthree", "2\n3"), ""},
		{"inserted before the range", "one\nX\ntwo\nthree\nfour\nfive\n", substitute(base, "two\nthree", "2\n3"), "one\nX\n2\n3\nfour\nfive\n"},
		{"inserted after the range", "one\ntwo\nthree\nX\nfour\nfive\n", substitute(base, "two\nthree", "2\n3"), "one\n2\n3\nX\nfour\nfive\n"},
		{"both insert at one point", "one\nX\ntwo\nthree\nfour\nfive\n", insertBefore(base, "two", "Y\n"), ""},
		{"insert next to a changed line", "ONE\ntwo\nthree\nfour\nfive\n", insertBefore(base, "two", "Y\n"), "ONE\nY\ntwo\nthree\nfour\nfive\n"},
		{"insert before a changed line", "one\nTWO\nthree\nfour\nfive\n", insertBefore(base, "two", "Y\n"), "one\nY\nTWO\nthree\nfour\nfive\n"},
		{"insert at a deleted line", "one\nthree\nfour\nfive\n", insertBefore(base, "two", "Y\n"), "one\nY\nthree\nfour\nfive\n"},
		{"insert inside a deleted range", "one\nfour\nfive\n", insertBefore(base, "three", "Y\n"), ""},
		{"words into a changed line", "one\nTWO\nthree\nfour\nfive\n", insertBefore(base, "two", "Y "), ""},
		{"joining a line to a changed one", "one\ntwo\nTHREE\nfour\nfive\n", substitute(base, "two\n", "two "), ""},
		{"both append", base + "X\n", appended("Y\n"), ""},
		{"append after a changed last line", "one\ntwo\nthree\nfour\nFIVE\n", appended("Y\n"), "one\ntwo\nthree\nfour\nFIVE\nY\n"},
		{"append after a last line that lost its end", "one\ntwo\nthree\nfour\nfive", appended("Y\n"), ""},
		{"last line loses its end, other appends", base + "X\n", substitute(base, "five\n", "5"), ""},
		{"word in the last line, other appends", base + "X\n", substitute(base, "five", "5"), "one\ntwo\nthree\nfour\n5\nX\n"},
		{"all deleted", "", appended("Y\n"), "Y\n"},
		{"everything replaced by other", "X\n", substitute(base, "three", "3"), ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			moved, err := Rebase(base, tt.current, []Edit{tt.edit})
			if tt.want == "" {
				if !errors.Is(err, ErrOverlap) || moved != nil {
					t.Errorf("Rebase = %v, %v; want ErrOverlap", moved, err)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if got, err := Apply(tt.current, moved); err != nil || got != tt.want {
				t.Errorf("gives %q, %v; want %q", got, err, tt.want)
			}
		})
	}
}

// Where equal lines stand together nobody can tell which of them the other
// side meant, so a change of any of them is refused.
func TestRebaseAmongEqualLines(t *testing.T) {
	const base = "head\nx\nx\nx\ntail\n"
	xs := at(base, "x")
	tests := []struct {
		name    string
		current string
		edit    Edit
		overlap bool
	}{
		{"one was deleted, another changes", "head\nx\nx\ntail\n", Edit{xs, xs + 1, "y"}, true},
		{"one was deleted, insertion between", "head\nx\nx\ntail\n", Edit{xs + 2, xs + 2, "y\n"}, true},
		{"one was inserted, insertion above", "head\nx\nx\nx\nx\ntail\n", Edit{xs, xs, "y\n"}, true},
		{"one was inserted, insertion below", "head\nx\nx\nx\nx\ntail\n", Edit{xs + 6, xs + 6, "y\n"}, true},
		{"one was inserted, last one changes", "head\nx\nx\nx\nx\ntail\n", Edit{xs + 4, xs + 5, "y"}, true},
		{"line above", "head\nx\nx\nx\nx\ntail\n", Edit{0, 4, "HEAD"}, false},
		{"line below", "head\nx\nx\ntail\n", Edit{xs + 6, xs + 10, "TAIL"}, false},
		{"one was deleted, insertion above", "head\nx\nx\ntail\n", Edit{xs, xs, "y\n"}, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := Rebase(base, tt.current, []Edit{tt.edit})
			if got := errors.Is(err, ErrOverlap); got != tt.overlap {
				t.Errorf("Rebase: %v, want overlap %v", err, tt.overlap)
			}
		})
	}
}

// sided is an edit of one of two sides.
type sided struct {
	Edit
	ours bool
}

// disjointEdits returns edits of two sides that touch no line in common, in
// order. The lines that they insert are all different. After an insertion comes
// an unchanged line: between two touching edits of one side, which are one
// change, the other may not insert.
func disjointEdits(r *rand.Rand, base string) []sided {
	starts := splitLines(base)
	lines := len(starts) - 1
	var edits []sided
	added := 0
	for line := 0; line <= lines; {
		first := line + r.IntN(3)
		last := first + r.IntN(3)
		if last > lines {
			break
		}
		e := sided{Edit{Start: starts[first], End: starts[last]}, r.IntN(2) == 0}
		for range r.IntN(3) {
			added++
			e.New += fmt.Sprintf("new %d\n", added)
		}
		line = last
		if first == last {
			line++
		}
		if first < last || e.New != "" {
			edits = append(edits, e)
		}
	}
	return edits
}

func side(edits []sided, ours bool) []Edit {
	var list []Edit
	for _, e := range edits {
		if e.ours == ours {
			list = append(list, e.Edit)
		}
	}
	return list
}

func mustApply(t *testing.T, text string, edits []Edit) string {
	t.Helper()
	after, err := Apply(text, edits)
	if err != nil {
		t.Fatal(err)
	}
	return after
}

func TestRebaseCommutes(t *testing.T) {
	r := newRand(t)
	for range 3000 {
		base := numberedText("line", r.IntN(25))
		all := disjointEdits(r, base)
		a, b := side(all, true), side(all, false)
		var merged []Edit
		for _, e := range all {
			merged = append(merged, e.Edit)
		}
		want := mustApply(t, base, merged)
		for _, order := range [][2][]Edit{{a, b}, {b, a}} {
			current := mustApply(t, base, order[0])
			moved, err := Rebase(base, current, order[1])
			if err != nil {
				t.Fatalf("base %q, first %+v, then %+v: %v", base, order[0], order[1], err)
			}
			if got := mustApply(t, current, moved); got != want {
				t.Fatalf("base %q, first %+v, then %+v: %q, want %q", base, order[0], order[1], got, want)
			}
		}
	}
}

// checkRebase reports what is wrong with rebased edits: each must replace what
// it replaced in base.
func checkRebase(base, current string, edits, moved []Edit) error {
	if len(moved) != len(edits) {
		return fmt.Errorf("%d edits of %d", len(moved), len(edits))
	}
	if _, err := Apply(current, moved); err != nil {
		return err
	}
	for i, e := range edits {
		if got, want := current[moved[i].Start:moved[i].End], base[e.Start:e.End]; got != want || moved[i].New != e.New {
			return fmt.Errorf("%+v became %+v: replaces %q instead of %q", e, moved[i], got, want)
		}
	}
	return nil
}

func TestRebaseReplacesTheSame(t *testing.T) {
	r := newRand(t)
	moves := 0
	for range 5000 {
		base, current := randomPair(r)
		edits := randomEdits(r, base)
		if len(edits) > 1 {
			n := r.IntN(len(edits))
			edits = edits[n : n+1]
		}
		moved, err := Rebase(base, current, edits)
		if err != nil {
			if !errors.Is(err, ErrOverlap) {
				t.Fatal(err)
			}
			continue
		}
		moves++
		if err := checkRebase(base, current, edits, moved); err != nil {
			t.Fatalf("Rebase(%q, %q, %+v) = %+v: %v", base, current, edits, moved, err)
		}
	}
	if moves == 0 {
		t.Error("no edit could be moved")
	}
}

func TestRebaseOntoItselfChangesNothing(t *testing.T) {
	r := newRand(t)
	for range 300 {
		base := randomText(r, 10)
		edits := randomEdits(r, base)
		moved, err := Rebase(base, base, edits)
		if err != nil || !slices.Equal(moved, edits) {
			t.Fatalf("Rebase(%q, same, %+v) = %+v, %v", base, edits, moved, err)
		}
	}
}

func FuzzRebase(f *testing.F) {
	f.Add("one\ntwo\nthree\n", "one\n2\nthree\n", 8, 13, "3\n")
	f.Add("x\nx\nx\n", "x\nx\n", 2, 3, "y")
	f.Add("a\nb\n", "a\nb", 4, 4, "c\n")
	f.Fuzz(func(t *testing.T, base, current string, start, end int, text string) {
		edits := []Edit{{start, end, text}}
		moved, err := Rebase(base, current, edits)
		if err != nil {
			return
		}
		if err := checkRebase(base, current, edits, moved); err != nil {
			t.Fatal(err)
		}
	})
}

func BenchmarkRebase(b *testing.B) {
	base, current := scattered(100_000, 1_000, numberedLine)
	var edits []Edit
	for i := 0; i < len(base); i += len(base) / 100 {
		line := base[i : i+strings.IndexByte(base[i:], '\n')]
		e := Edit{Start: i, End: i + len(line), New: line + "!"}
		if _, err := Rebase(base, current, []Edit{e}); err == nil {
			edits = append(edits, e)
		}
	}
	b.ReportAllocs()
	for b.Loop() {
		if _, err := Rebase(base, current, edits); err != nil {
			b.Fatal(err)
		}
	}
}
