package diff

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"
)

func TestLines(t *testing.T) {
	tests := []struct {
		name          string
		before, after string
		want          []Edit
	}{
		{"both empty", "", "", nil},
		{"equal", "a\nb\n", "a\nb\n", nil},
		{"from nothing", "", "a\n", []Edit{{0, 0, "a\n"}}},
		{"to nothing", "a\nb\n", "", []Edit{{0, 4, ""}}},
		{"one line in the middle", "a\nb\nc\n", "a\nB\nc\n", []Edit{{2, 4, "B\n"}}},
		{"first line", "a\nb\n", "A\nb\n", []Edit{{0, 2, "A\n"}}},
		{"last line", "a\nb\n", "a\nB\n", []Edit{{2, 4, "B\n"}}},
		{"insert", "a\nc\n", "a\nb\nc\n", []Edit{{2, 2, "b\n"}}},
		{"delete", "a\nb\nc\n", "a\nc\n", []Edit{{2, 4, ""}}},
		{"append", "a\n", "a\nb\n", []Edit{{2, 2, "b\n"}}},
		{"newline lost", "a\nb\n", "a\nb", []Edit{{2, 4, "b"}}},
		{"newline won", "a\nb", "a\nb\n", []Edit{{2, 3, "b\n"}}},
		{"append to an open line", "a", "a\nb", []Edit{{0, 1, "a\nb"}}},
		{"common letters are no common lines", "xa\nya", "xb\nyb", []Edit{{0, 5, "xb\nyb"}}},
		{"CRLF kept", "a\r\nb\r\nc\r\n", "a\r\nB\r\nc\r\n", []Edit{{3, 6, "B\r\n"}}},
		{"one ending", "a\r\nb\r\nc\r\n", "a\r\nb\nc\r\n", []Edit{{3, 6, "b\n"}}},
		{"lone CR is text", "a\rb\nc\n", "a\rB\nc\n", []Edit{{0, 4, "a\rB\n"}}},
		{"two places", "a\nb\nc\nd\ne\n", "A\nb\nc\nd\nE\n", []Edit{{0, 2, "A\n"}, {8, 10, "E\n"}}},
		{"not UTF-8", "\xff\na\n", "\xff\nb\n", []Edit{{2, 4, "b\n"}}},
		{"prefix repeats", "a\na\na\n", "a\na\n", []Edit{{4, 6, ""}}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := Lines(tt.before, tt.after); !reflect.DeepEqual(got, tt.want) {
				t.Errorf("Lines = %v, want %v", got, tt.want)
			}
		})
	}
}

// A block that was inserted among similar ones is reported as a person would
// see it: whole, and not with the end of its neighbour.
func TestBlocksSitWhereTheyRead(t *testing.T) {
	before := "func a() {\n\tx()\n}\n\nfunc c() {\n\tx()\n}\n"
	after := "func a() {\n\tx()\n}\n\nfunc b() {\n\tx()\n}\n\nfunc c() {\n\tx()\n}\n"
	block := "func b() {\n\tx()\n}\n\n"
	at := strings.Index(before, "func c")
	if got, want := Lines(before, after), []Edit{{at, at, block}}; !reflect.DeepEqual(got, want) {
		t.Errorf("insertion: %+v, want %+v", got, want)
	}
	if got, want := Lines(after, before), []Edit{{at, at + len(block), ""}}; !reflect.DeepEqual(got, want) {
		t.Errorf("deletion: %+v, want %+v", got, want)
	}
	python := "class A:\n    def f(self):\n        pass\n\n    def h(self):\n        pass\n"
	more := "class A:\n    def f(self):\n        pass\n\n    def g(self):\n        pass\n\n    def h(self):\n        pass\n"
	at = strings.Index(python, "    def h")
	if got, want := Lines(python, more), []Edit{{at, at, "    def g(self):\n        pass\n\n"}}; !reflect.DeepEqual(got, want) {
		t.Errorf("method: %+v, want %+v", got, want)
	}
}

// checkLines reports what is wrong with the edits from before to after.
func checkLines(before, after string, edits []Edit) error {
	got, err := Apply(before, edits)
	if err != nil {
		return err
	}
	if got != after {
		return fmt.Errorf("they give %q", got)
	}
	done := -1
	for _, e := range edits {
		switch {
		case !startsLine(before, e.Start), e.End < len(before) && !startsLine(before, e.End):
			return fmt.Errorf("%v does not cover whole lines", e)
		case e.Start == done:
			return fmt.Errorf("%v touches the edit before it", e)
		case e.Start == e.End && e.New == "":
			return fmt.Errorf("%v does nothing", e)
		}
		done = e.End
	}
	return nil
}

func TestLinesGiveTheText(t *testing.T) {
	r := newRand(t)
	for range 5000 {
		before, after := randomPair(r)
		edits := Lines(before, after)
		if err := checkLines(before, after, edits); err != nil {
			t.Fatalf("Lines(%q, %q) = %v: %v", before, after, edits, err)
		}
		if got, want := changedCount(before, edits), shortest(before, after); got != want {
			t.Fatalf("Lines(%q, %q) = %v: %d lines changed, %d would do", before, after, edits, got, want)
		}
	}
}

// changedCount returns how many lines are deleted and inserted.
func changedCount(before string, edits []Edit) int {
	n := 0
	for _, e := range edits {
		n += len(splitLines(before[e.Start:e.End])) - 1 + len(splitLines(e.New)) - 1
	}
	return n
}

// shortest returns the length of a shortest edit script by the plain table of
// longest common subsequences.
func shortest(before, after string) int {
	a, b := allLines(before), allLines(after)
	row := make([]int, len(b)+1)
	for i := range a {
		diagonal := 0
		for j := range b {
			above := row[j+1]
			if a[i] == b[j] {
				row[j+1] = diagonal + 1
			} else {
				row[j+1] = max(row[j], above)
			}
			diagonal = above
		}
	}
	return len(a) + len(b) - 2*row[len(b)]
}

func allLines(s string) []string {
	var lines []string
	for l := range strings.Lines(s) {
		lines = append(lines, l)
	}
	return lines
}

// Texts that differ more than the search is willing to pay for still give a
// right answer, if not a shortest one.
func TestLinesOfTextsThatDifferALot(t *testing.T) {
	r := newRand(t)
	for _, letters := range []int{2, 40, 3000} {
		before, after := letterText(r, 4000, letters), letterText(r, 4500, letters)
		if err := checkLines(before, after, Lines(before, after)); err != nil {
			t.Errorf("%d letters: %v", letters, err)
		}
	}
}

// letterText returns n lines out of so many different ones.
func letterText(r *rand.Rand, n, letters int) string {
	var b strings.Builder
	for range n {
		fmt.Fprintf(&b, "%d\n", r.IntN(letters))
	}
	return b.String()
}

func TestSearchWithLimits(t *testing.T) {
	r := newRand(t)
	for range 300 {
		x, y := randomIDs(r, r.IntN(60), r.IntN(60), 6)
		s := newSearch(x, y)
		s.maxCost, s.work = 1+r.IntN(4), r.IntN(400)
		s.compare(box{0, len(s.x.ids), 0, len(s.y.ids)})
		if got, want := unchanged(x, s.changedX), unchanged(y, s.changedY); !reflect.DeepEqual(got, want) {
			t.Fatalf("%v, %v: the unchanged lines are %v and %v", x, y, got, want)
		}
	}
}

// randomIDs returns the lines of two texts with so many lines and letters.
func randomIDs(r *rand.Rand, n, m, letters int) (x, y []lineID) {
	a, b := letterText(r, n, letters), letterText(r, m, letters)
	return intern(a, splitLines(a), b, splitLines(b))
}

func unchanged(ids []lineID, changed []bool) []lineID {
	kept := []lineID{}
	for i, id := range ids {
		if !changed[i] {
			kept = append(kept, id)
		}
	}
	return kept
}

func TestWorkIsBounded(t *testing.T) {
	r := newRand(t)
	s := newSearch(randomIDs(r, 20000, 20000, 50))
	s.work = 1 << 18
	s.compare(box{0, len(s.x.ids), 0, len(s.y.ids)})
	// A search may overdraw by the work of one more cost, not by more.
	if s.work < -1<<18 {
		t.Errorf("%d steps beyond the limit", -s.work)
	}
}

func FuzzLines(f *testing.F) {
	f.Add("a\nb\nc\n", "a\nB\nc\n")
	f.Add("a\r\nb", "b\r\na\n")
	f.Add("x\n\n\nx\n", "x\n\nx")
	f.Add("", "\xff\r")
	f.Fuzz(func(t *testing.T, before, after string) {
		if err := checkLines(before, after, Lines(before, after)); err != nil {
			t.Fatal(err)
		}
	})
}

// scattered returns a text of n lines and the same with changes places changed.
func scattered(n, changes int, line func(i int) string) (before, after string) {
	r := rand.New(rand.NewPCG(1, 2))
	places := make(map[int]bool)
	for len(places) < changes {
		places[r.IntN(n)] = true
	}
	var b, a strings.Builder
	for i := range n {
		l := line(i)
		b.WriteString(l)
		switch {
		case !places[i]:
			a.WriteString(l)
		case i%3 == 0:
			a.WriteString("changed " + l)
		case i%3 == 1:
			a.WriteString(l + "inserted\n")
		}
	}
	return b.String(), a.String()
}

func numberedLine(i int) string { return fmt.Sprintf("line %d of a text with some words\n", i) }

// codeLine returns lines that repeat all over, as those of source code do.
func codeLine() func(int) string {
	r := rand.New(rand.NewPCG(5, 6))
	kinds := []string{"}\n", "\t}\n", "\n", "\tif err != nil {\n", "\t\treturn nil, err\n", "x := y\n"}
	return func(int) string { return kinds[r.IntN(len(kinds))] }
}

func BenchmarkLines(b *testing.B) {
	r := rand.New(rand.NewPCG(3, 4))
	tests := []struct {
		name string
		make func() (before, after string)
	}{
		{"scattered", func() (string, string) { return scattered(100_000, 1_000, numberedLine) }},
		{"code", func() (string, string) { return scattered(100_000, 1_000, codeLine()) }},
		{"one change", func() (string, string) { return scattered(100_000, 1, numberedLine) }},
		{"worst case", func() (string, string) { return letterText(r, 100_000, 1000), letterText(r, 100_000, 1000) }},
		{"20MB rewritten", func() (string, string) {
			return numberedText("a line that is as long as most:", 500_000), numberedText("another that is as long as most:", 500_000)
		}},
	}
	for _, tt := range tests {
		b.Run(tt.name, func(b *testing.B) {
			before, after := tt.make()
			b.SetBytes(int64(len(before) + len(after)))
			b.ReportAllocs()
			for b.Loop() {
				Lines(before, after)
			}
		})
	}
}

func BenchmarkUnified(b *testing.B) {
	before, after := scattered(100_000, 1_000, numberedLine)
	b.ReportAllocs()
	for b.Loop() {
		Unified("a", "b", before, after, 3)
	}
}
