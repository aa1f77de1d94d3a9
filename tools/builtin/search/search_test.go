package search

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/iotest"
	"time"
)

// lines are the numbers of the matching lines.
func lines(t *testing.T, pattern, text string, o Options) []int {
	t.Helper()
	m, err := Compile(pattern, o)
	if err != nil {
		t.Fatal(err)
	}
	return numbers(t, &Scanner{Matcher: m}, text)
}

func numbers(t *testing.T, s *Scanner, text string) []int {
	t.Helper()
	var out []int
	all := strings.SplitAfter(text, "\n")
	err := s.Scan(strings.NewReader(text), func(l Line) bool {
		if want := strings.TrimSuffix(strings.TrimSuffix(all[l.Number-1], "\n"), "\r"); string(l.Text) != want && string(l.Text) != want+"\r" {
			t.Fatalf("line %d of %q is given as %q", l.Number, text, l.Text)
		}
		out = append(out, l.Number)
		return true
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func TestLines(t *testing.T) {
	text := "alpha one\nBeta two\r\n\ngamma one two\nlast"
	tests := []struct {
		pattern string
		o       Options
		want    []int
	}{
		{"one", Options{}, []int{1, 4}},
		{"o", Options{}, []int{1, 2, 4}},
		{"beta", Options{}, nil},
		{"beta", Options{IgnoreCase: true}, []int{2}},
		{"ONE TWO", Options{IgnoreCase: true}, []int{4}},
		{"a.e", Options{Literal: true}, nil},
		{"one|last", Options{}, []int{1, 4, 5}},
		{"^gamma", Options{}, []int{4}},
		{"two$", Options{}, []int{2, 4}},
		{"^$", Options{}, []int{3}},
		{`\w+ one`, Options{}, []int{1, 4}},
		{"one.*two", Options{}, []int{4}},
		{"[ab]l", Options{}, []int{1}},
		{"last", Options{}, []int{5}},
		{"(?i)LAST", Options{}, []int{5}},
		{"x*", Options{}, []int{1, 2, 3, 4, 5}},
	}
	for _, tt := range tests {
		if got := lines(t, tt.pattern, text, tt.o); !slices.Equal(got, tt.want) {
			t.Errorf("%q %+v: %v, want %v", tt.pattern, tt.o, got, tt.want)
		}
	}
	if got := lines(t, "k", "\u212a\n", Options{IgnoreCase: true}); !slices.Equal(got, []int{1}) {
		t.Errorf("Kelvin sign: %v", got)
	}
}

func TestCompileErrors(t *testing.T) {
	for _, p := range []string{"(", "a(?=b)", `\1`, "[z-a]"} {
		if _, err := Compile(p, Options{}); err == nil || !strings.Contains(err.Error(), "invalid pattern") {
			t.Errorf("%q: %v", p, err)
		}
	}
}

// slow is the answer without any shortcut.
func slow(re *regexp.Regexp, text string) []int {
	var out []int
	if text == "" {
		return nil
	}
	for i, l := range strings.Split(strings.TrimSuffix(text, "\n"), "\n") {
		if re.MatchString(strings.TrimSuffix(l, "\r")) {
			out = append(out, i+1)
		}
	}
	return out
}

// TestAgainstRegexp compares with the expression run on every line.
func TestAgainstRegexp(t *testing.T) {
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	rng := rand.New(rand.NewPCG(seed, 2))
	pieces := []string{"ab", "a", "b", "K", "s", "c+", "(ab|ba)", "[bc]", ".", "\\w", "a?", "(a|bc)+", "^", "$", "é", "b{2}", "x*"}
	for range 3000 {
		var p strings.Builder
		for range 1 + rng.IntN(4) {
			p.WriteString(pieces[rng.IntN(len(pieces))])
		}
		o := Options{IgnoreCase: rng.IntN(2) == 0}
		text := randomText(rng)
		expr := p.String()
		if o.IgnoreCase {
			expr = "(?i)" + expr
		}
		if got, want := lines(t, p.String(), text, o), slow(regexp.MustCompile(expr), text); !slices.Equal(got, want) {
			t.Fatalf("%q %+v in %q: %v, want %v", p.String(), o, text, got, want)
		}
	}
}

func randomText(rng *rand.Rand) string {
	alphabet := []string{"a", "b", "c", "A", "B", "k", "S", "ſ", "K", "é", "\n", "\n", "\r\n", " "}
	var b strings.Builder
	for range rng.IntN(60) {
		b.WriteString(alphabet[rng.IntN(len(alphabet))])
	}
	return b.String()
}

// TestScan compares the lines around hits, through windows of all sizes, with
// an answer made from the whole text.
func TestScan(t *testing.T) {
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	rng := rand.New(rand.NewPCG(seed, 3))
	for range 2000 {
		text, around := randomText(rng), rng.IntN(4)
		m, err := Compile("a|B+k", Options{})
		if err != nil {
			t.Fatal(err)
		}
		hits := slow(m.re, text)
		var want []int
		for i := range strings.Count(text, "\n") + 1 {
			n := i + 1
			if n == strings.Count(text, "\n")+1 && (text == "" || strings.HasSuffix(text, "\n")) {
				break
			}
			if slices.ContainsFunc(hits, func(h int) bool { return n-around <= h && h <= n+around }) {
				want = append(want, n)
			}
		}
		s := &Scanner{Matcher: m, Around: around, Window: 1 + rng.IntN(80)}
		for range 2 { // the buffer is used again
			if got := numbers(t, s, text); !slices.Equal(got, want) {
				t.Fatalf("%d around, window %d, in %q: %v, want %v", around, s.Window, text, got, want)
			}
		}
	}
}

func TestScanEnds(t *testing.T) {
	m, err := Compile("hit", Options{})
	if err != nil {
		t.Fatal(err)
	}
	s := &Scanner{Matcher: m, Around: 1, Window: 8}
	var got []string
	err = s.Scan(strings.NewReader("a\nhit 1\nb\nhit 2\nc\n"), func(l Line) bool {
		got = append(got, fmt.Sprintf("%d %t %s", l.Number, l.Hit, l.Text))
		return len(got) < 4
	})
	if want := []string{"1 false a", "2 true hit 1", "3 false b", "4 true hit 2"}; err != nil || !slices.Equal(got, want) {
		t.Errorf("%q, %v, want %q", got, err, want)
	}
	if err := s.Scan(strings.NewReader("hit\x00hit\n"), nil); !errors.Is(err, ErrBinary) {
		t.Errorf("error %v", err)
	}
	if got := numbers(t, s, strings.Repeat("x", binaryWindow)+"\nhit\x00\n"); len(got) != 2 {
		t.Errorf("a NUL behind the beginning hides the hit: %v", got)
	}
	broken := errors.New("broken")
	if err := s.Scan(io.MultiReader(strings.NewReader("hit\n"), iotest.ErrReader(broken)), nil); !errors.Is(err, broken) {
		t.Errorf("error %v", err)
	}
}

// TestScanHuge searches a text of many windows, and a line that never ends.
func TestScanHuge(t *testing.T) {
	m, err := Compile("hit", Options{})
	if err != nil {
		t.Fatal(err)
	}
	line := bytes.Repeat([]byte("x"), 99)
	s := &Scanner{Matcher: m, MaxLine: 2 << 20}
	got := 0
	text := io.MultiReader(&repeated{append(line, '\n'), 200_000}, strings.NewReader("hit\n"))
	if err := s.Scan(text, func(l Line) bool { got = l.Number; return true }); err != nil || got != 200_001 {
		t.Errorf("hit in line %d, %v", got, err)
	}
	if len(s.buf) != windowSize {
		t.Errorf("the window is %d bytes", len(s.buf))
	}
	err = s.Scan(&repeated{line, 1 << 20}, nil)
	if !errors.Is(err, ErrLineTooLong) || len(s.buf) > 4*windowSize {
		t.Errorf("%v, window %d", err, len(s.buf))
	}
}

// repeated reads a text n times.
type repeated struct {
	text []byte
	n    int
}

func (r *repeated) Read(b []byte) (int, error) {
	done := 0
	for ; r.n > 0 && len(b)-done >= len(r.text); r.n-- {
		done += copy(b[done:], r.text)
	}
	switch {
	case r.n == 0:
		return done, io.EOF
	case done == 0: // what is left of b is too small for a whole one
		return copy(b, r.text[:len(b)]), nil
	}
	return done, nil
}

func FuzzLines(f *testing.F) {
	f.Add("a|b", "a\nb\r\nc", true, uint16(1))
	f.Add("(?s)x.*y", "x\ny", false, uint16(2))
	f.Add("\\z", "\n\n", false, uint16(100))
	f.Add("k+\\b", "\u212a\nk", true, uint16(3))
	f.Fuzz(func(t *testing.T, pattern, text string, fold bool, window uint16) {
		m, err := Compile(pattern, Options{IgnoreCase: fold})
		if err != nil || len(pattern) > 200 || strings.Contains(text, "\x00") {
			return // a small window sees less of a NUL
		}
		whole := numbers(t, &Scanner{Matcher: m}, text)
		if got := numbers(t, &Scanner{Matcher: m, Window: max(int(window), 1)}, text); !slices.Equal(got, whole) {
			t.Fatalf("window %d: lines %v, else %v", window, got, whole)
		}
	})
}

func BenchmarkLiteral(b *testing.B)    { benchmark(b, "needleInHay", Options{}) }
func BenchmarkIgnoreCase(b *testing.B) { benchmark(b, "needleInHay", Options{IgnoreCase: true}) }
func BenchmarkExpression(b *testing.B) { benchmark(b, `needle\w+Hay`, Options{}) }

func benchmark(b *testing.B, pattern string, o Options) {
	text := strings.Repeat("func ordinary(line int) string { return fmt.Sprintf(\"%d\", line) }\n", 100_000)
	m, err := Compile(pattern, o)
	if err != nil {
		b.Fatal(err)
	}
	s := &Scanner{Matcher: m}
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	for b.Loop() {
		if err := s.Scan(strings.NewReader(text), func(Line) bool { return true }); err != nil {
			b.Fatal(err)
		}
	}
}
