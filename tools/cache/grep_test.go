package cache

import (
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// grepText renders blocks for comparing: "1 2|5" are the lines 1, 2 and 5 in
// two blocks.
func numbers(g GrepResult) string {
	var blocks []string
	for _, b := range g.Blocks {
		var lines []string
		for _, l := range b {
			lines = append(lines, fmt.Sprint(l.Number))
		}
		blocks = append(blocks, strings.Join(lines, " "))
	}
	return strings.Join(blocks, "|")
}

func TestGrep(t *testing.T) {
	ten := "l1\nl2\nl3\nl4\nl5\nl6\nl7\nl8\nl9\nl10\n"
	tests := []struct {
		name string
		in   string
		o    GrepOptions
		want string
		more bool
	}{
		{"literal is literal", "abc\na.c\n", GrepOptions{Pattern: "a.c"}, "2", false},
		{"regex is not", "abc\na.c\nac\n", GrepOptions{Pattern: "a.c", Regex: true}, "1|2", false},
		{"none", ten, GrepOptions{Pattern: "zzz"}, "", false},
		{"case matters", "ABC\n", GrepOptions{Pattern: "abc"}, "", false},
		{"context at the start", ten, GrepOptions{Pattern: "l1", Before: 3, After: 1}, "1 2|7 8 9 10", false},
		{"context at the end", ten, GrepOptions{Pattern: "l9", Before: 1, After: 5}, "8 9 10", false},
		{"overlapping windows merge", ten, GrepOptions{Pattern: "[46]", Regex: true, Before: 1, After: 1}, "3 4 5 6 7", false},
		{"adjoining windows do not", ten, GrepOptions{Pattern: "[47]", Regex: true, Before: 1, After: 1}, "3 4 5|6 7 8", false},
		{"apart", ten, GrepOptions{Pattern: "[48]", Regex: true, Before: 1, After: 1}, "3 4 5|7 8 9", false},
		{"twice in a line is one", "aa aa\nb\n", GrepOptions{Pattern: "a"}, "1", false},
		{"capped", ten, GrepOptions{Pattern: "l", MaxMatches: 2}, "1|2", true},
		{"exactly the cap", "a\na\n", GrepOptions{Pattern: "a", MaxMatches: 2}, "1|2", false},
		{"negative context", ten, GrepOptions{Pattern: "l5", Before: -1, After: -9}, "5", false},
		{"line endings", "x\r\ny\r\n", GrepOptions{Pattern: "^y$", Regex: true}, "2", false},
		{"no final newline", "a\nb", GrepOptions{Pattern: "b"}, "2", false},
		{"regex without metacharacters", "foo\nbar\n", GrepOptions{Pattern: "bar", Regex: true}, "2", false},
		{"empty lines match", "\nx\n\n", GrepOptions{Pattern: "^$", Regex: true}, "1|3", false},
		{"nothing stored", "", GrepOptions{Pattern: "x"}, "", false},
		{"context is bounded", strings.Repeat("y\n", 3000) + "x\n", GrepOptions{Pattern: "x", Before: 1 << 40}, numberRange(2001, 3001), false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			g, err := Grep(strings.NewReader(tt.in), tt.o)
			if err != nil || numbers(g) != tt.want || g.More != tt.more || g.TooLarge != 0 {
				t.Errorf("%s more %v too large %d, %v; want %s", numbers(g), g.More, g.TooLarge, err, tt.want)
			}
		})
	}
	g, _ := Grep(strings.NewReader("a\nbb \r\n"), GrepOptions{Pattern: "bb"})
	if want := [][]Line{{{Number: 2, Text: "bb "}}}; !reflect.DeepEqual(g.Blocks, want) {
		t.Errorf("%+v", g.Blocks)
	}
}

func numberRange(a, b int) string {
	var s []string
	for ; a <= b; a++ {
		s = append(s, fmt.Sprint(a))
	}
	return strings.Join(s, " ")
}

func TestGrepDefaultCap(t *testing.T) {
	g, err := Grep(strings.NewReader(strings.Repeat("hit\nmiss\n", 51)), GrepOptions{Pattern: "hit"})
	if err != nil || len(g.Blocks) != 50 || !g.More {
		t.Errorf("%d blocks, more %v, %v", len(g.Blocks), g.More, err)
	}
}

func TestGrepSizes(t *testing.T) {
	huge := strings.Repeat("A", 70_000)
	tests := []struct {
		name     string
		in       string
		o        GrepOptions
		want     string
		more     bool
		tooLarge int64
	}{
		{"first match does not fit", "x\n" + huge + "needle\n", GrepOptions{Pattern: "needle"}, "", false, 2},
		{"its context does not fit", "x\n" + huge + "\nneedle\n", GrepOptions{Pattern: "needle", Before: 1}, "", false, 3},
		{"a later match does not fit", "needle\n" + huge + "needle\nneedle\n", GrepOptions{Pattern: "needle"}, "1", true, 0},
		{"context after it does not fit", "needle\n" + huge + "\n", GrepOptions{Pattern: "needle", After: 1}, "1", true, 0},
		{"many do not fit", strings.Repeat(strings.Repeat("n", 10_000)+"\n", 10), GrepOptions{Pattern: "n"}, "1|2|3|4|5|6", true, 0},
		{"regex in a line larger than the buffer", strings.Repeat("A", 3*grepBuffer) + "needle\r\nneedle\n", GrepOptions{Pattern: "needle$", Regex: true}, "", false, 1},
		{"after such a line", strings.Repeat("A", 3*grepBuffer) + "\nneedle\n", GrepOptions{Pattern: "^needle|B", Regex: true}, "2", false, 0},
		{"such a line ends the output", "b\n" + strings.Repeat("A", 3*grepBuffer), GrepOptions{Pattern: "[bc]", Regex: true}, "1", false, 0},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			g, err := Grep(strings.NewReader(tt.in), tt.o)
			if err != nil || numbers(g) != tt.want || g.More != tt.more || g.TooLarge != tt.tooLarge {
				t.Errorf("%s more %v too large %d, %v", numbers(g), g.More, g.TooLarge, err)
			}
		})
	}
}

func TestGrepBadPatterns(t *testing.T) {
	for _, o := range []GrepOptions{
		{Pattern: ""}, {Pattern: "", Regex: true}, {Pattern: "a\nb"}, {Pattern: strings.Repeat("x", maxPattern+1)},
		{Pattern: "(", Regex: true}, {Pattern: "(?=look)", Regex: true}, {Pattern: `(a)\1`, Regex: true},
	} {
		var bad *PatternError
		if _, err := Grep(strings.NewReader("x"), o); !errors.As(err, &bad) || !strings.Contains(err.Error(), "invalid pattern") {
			t.Errorf("%.20q: %v", o.Pattern, err)
		}
	}
}

// TestGrepBorders: matches at the borders of the buffer are found, and lines
// are counted right.
func TestGrepBorders(t *testing.T) {
	for _, at := range []int{grepBuffer - 7, grepBuffer - 6, grepBuffer - 5, grepBuffer - 1, grepBuffer, grepBuffer + 1, 2*grepBuffer - 3} {
		in := strings.Repeat("\n", at) + "needle\nneedle"
		g, err := Grep(strings.NewReader(in), GrepOptions{Pattern: "needle"})
		if want := fmt.Sprintf("%d|%d", at+1, at+2); err != nil || numbers(g) != want {
			t.Errorf("at %d: %s, %v, want %s", at, numbers(g), err, want)
		}
	}
	// The rest of a matching line lies in the next buffer, with another match.
	in := "needle" + strings.Repeat("x", grepBuffer) + "needle\nneedle"
	found, err := literal("needle").find(strings.NewReader(in), 10)
	if want := []int64{1, 2}; err != nil || !slices.Equal(found, want) {
		t.Errorf("%v, %v", found, err)
	}
}

// TestGrepAgrees compares both finders with the plain way, on small buffers'
// worth of random text.
func TestGrepAgrees(t *testing.T) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	r := rand.New(rand.NewPCG(seed, 2))
	for range 500 {
		var b strings.Builder
		for range r.IntN(200) {
			b.WriteString([]string{"a", "b", "ab", "\n", "\r\n", "é"}[r.IntN(6)])
		}
		in := b.String()
		pattern := []string{"a", "ab", "ba", "é", "aa"}[r.IntN(5)]
		var want []int64
		for i, line := range splitLines(in) {
			if strings.Contains(line, pattern) {
				want = append(want, int64(i+1))
			}
		}
		for name, find := range map[string]func(io.Reader, int) ([]int64, error){
			"literal": literal(pattern).find, "expression": expression{regexp.MustCompile(pattern)}.find,
		} {
			if got, err := find(strings.NewReader(in), 1000); err != nil || !slices.Equal(got, want) {
				t.Fatalf("%s %q in %q: %v, %v, want %v", name, pattern, in, got, err, want)
			}
		}
	}
}
