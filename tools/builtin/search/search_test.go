package search

import (
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
)

// lines are the numbers of the matching lines.
func lines(t *testing.T, pattern, text string, o Options) []int {
	t.Helper()
	m, err := Compile(pattern, o)
	if err != nil {
		t.Fatal(err)
	}
	var out []int
	m.Lines(text, func(l Line) bool {
		if l.Start < 0 || l.End < l.Start || l.End > len(text) || strings.Contains(text[l.Start:l.End], "\n") {
			t.Fatalf("line %+v of %q", l, text)
		}
		out = append(out, l.Number)
		return true
	})
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

func FuzzLines(f *testing.F) {
	f.Add("a|b", "a\nb\r\nc", true)
	f.Add("(?s)x.*y", "x\ny", false)
	f.Add("\\z", "\n\n", false)
	f.Fuzz(func(t *testing.T, pattern, text string, fold bool) {
		m, err := Compile(pattern, Options{IgnoreCase: fold})
		if err != nil || len(pattern) > 200 {
			return
		}
		last := 0
		m.Lines(text, func(l Line) bool {
			if l.Number <= last || l.End > len(text) {
				t.Fatalf("line %+v after %d", l, last)
			}
			last = l.Number
			return true
		})
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
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	for b.Loop() {
		m.Lines(text, func(Line) bool { return true })
	}
}
