package match

import (
	"errors"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/agent-ls/agent-ls/workspace/diff"
)

// applied is text with edits made, without the diff package's help, so that
// this test also checks their order.
func applied(t *testing.T, text string, edits []diff.Edit) string {
	t.Helper()
	var b strings.Builder
	at := 0
	for _, e := range edits {
		if e.Start < at || e.End < e.Start || e.End > len(text) {
			t.Fatalf("edit %+v out of order or range", e)
		}
		b.WriteString(text[at:e.Start])
		b.WriteString(e.New)
		at = e.End
	}
	return b.String() + text[at:]
}

func TestReplace(t *testing.T) {
	two := 2
	tests := []struct {
		name, text string
		r          Request
		want       string
		mode       Mode
	}{
		{"exact", "a\nb\nc\n", Request{Old: "b", New: "B"}, "a\nB\nc\n", Exact},
		{"exact inside a line", "x := 1 + 2\n", Request{Old: "1 + 2", New: "3"}, "x := 3\n", Exact},
		{"verbatim replacement", "a\n", Request{Old: "a", New: "$1 ${x} \\1"}, "$1 ${x} \\1\n", Exact},
		{"replace all, not overlapping", "aaa", Request{Old: "aa", New: "b", ReplaceAll: true}, "ba", Exact},
		{"expected replacements", "a a", Request{Old: "a", New: "b", ReplaceAll: true, Expected: &two}, "b b", Exact},
		{"trimmed lines", "if x {\n\t\treturn 1  \n}\n", Request{Old: "  return 1\n", New: "\t\treturn 2\n"}, "if x {\n\t\treturn 2\n}\n", LineTrimmed},
		{"trimmed, no newline in old", "  a\n", Request{Old: "a ", New: "b"}, "b\n", LineTrimmed},
		{"CRLF file, LF needle", "one\r\ntwo\r\nthree\r\n", Request{Old: "two\n", New: "TWO\nand\n"}, "one\r\nTWO\r\nand\r\nthree\r\n", LineTrimmed},
		{"CRLF, part of lines", "f(a,\r\nb)\r\n", Request{Old: "(a,\nb", New: "(c,\nd"}, "f(c,\r\nd)\r\n", Folded},
		{"mixed endings keep their own", "a\r\nb\nc\r\nd", Request{Old: "b", New: "B"}, "a\r\nB\nc\r\nd", Exact},
		{"mixed endings line by line", "a\r\nb\nc\r\n", Request{Old: " a\n b\n c\n", New: "A\nB\nC\n"}, "A\r\nB\nC\r\n", LineTrimmed},
		{"no final newline", "x\r\ny", Request{Old: "y", New: "Y"}, "x\r\nY", Exact},
		{"BOM stays", "\ufeffone\ntwo\n", Request{Old: " one\n", New: "ONE\n"}, "\ufeffONE\ntwo\n", LineTrimmed},
		{"Latin-1 bytes stay", "caf\xe9\nx=1\n", Request{Old: "x=1", New: "x=2"}, "caf\xe9\nx=2\n", Exact},
		{"smart quotes", "say “hi”\n", Request{Old: `say "hi"`, New: `say "ho"`}, "say \"ho\"\n", Folded},
		{"dashes", "a — b − c\n", Request{Old: "a - b - c", New: "x"}, "x\n", Folded},
		{"no-break space", "a\u00a0b\n", Request{Old: "a b", New: "c"}, "c\n", Folded},
		{"fullwidth", "ｆｏｏ\n", Request{Old: "foo", New: "bar"}, "bar\n", Folded},
		{"compatibility forms", "ﬁne\n", Request{Old: "fine", New: "ok"}, "ok\n", Folded},
		{"exact wins over folded", "a-b\na—b\n", Request{Old: "a—b", New: "x"}, "a-b\nx\n", Exact},
		{"white space at line ends", "p(x  \ny)\n", Request{Old: "(x\ny", New: "(z"}, "p(z)\n", Folded},
		{"block anchor", "func f() {\n\ta()\n\tb()\n\tc()\n}\n", Request{Old: "func f() {\n  a()\n  b()\n  X()\n}\n", New: "gone\n"}, "gone\n", BlockAnchor},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			f, err := Replace(tt.text, tt.r)
			if err != nil {
				t.Fatal(err)
			}
			if got := applied(t, tt.text, f.Edits); got != tt.want || f.Mode != tt.mode {
				t.Errorf("got %q by %s, want %q by %s", got, f.Mode, tt.want, tt.mode)
			}
		})
	}
}

func TestReplaceErrors(t *testing.T) {
	one := 1
	tests := []struct {
		name, text string
		r          Request
		want       string // part of the error
	}{
		{"ambiguous", "a\nb\na\n", Request{Old: "a", New: "c"}, "2 matches, at lines 1, 3"},
		{"ambiguity ends auto", " a\n a\n", Request{Old: "a\n", New: "c"}, "2 matches"},
		{"expected", "a a", Request{Old: "a", New: "b", ReplaceAll: true, Expected: &one}, "expected 1 replacements, found 2"},
		{"exact only", "  a\n", Request{Old: " a \n", Mode: Exact}, "not found"},
		{"block of braces only", "{\n1\n2\n}\n", Request{Old: "{\n3\n4\n}", New: ""}, "not found"},
		{"block of two lines", "a\nb\n", Request{Old: "a\nc", Mode: BlockAnchor}, "not found"},
		{"half is not enough", "{\n1\n2\n}\n", Request{Old: "{\n1\n4\n}", Mode: BlockAnchor}, "not found"},
		{"two equal blocks", "{\n1\n2\n3\n}\n{\n1\n2\n3\n}\n", Request{Old: "{\n1\n2\nX\n}", Mode: BlockAnchor}, "2 matches, at lines 1, 6"},
		{"trail byte", "\xc4x=1\n", Request{Old: "x=1", New: "x=2"}, "multi-byte"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := Replace(tt.text, tt.r)
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("error %v, want %q in it", err, tt.want)
			}
		})
	}
}

func TestNearest(t *testing.T) {
	text := "package p\n\nfunc a() {\n\tone()\n\ttwo()\n\tthree()\n}\n"
	tests := []struct {
		old                string
		line, diff         int
		file, wantLineText string
	}{
		{"func a() {\n\tone()\n\tTWO()\n\tthree()\n}\n", 3, 5, "\ttwo()", "\tTWO()"},
		{"func a(x int) {", 3, 3, "func a() {", "func a(x int) {"},
		{"\tthree()\n}\nmore\n", 6, 8, "", "more"},
	}
	for _, tt := range tests {
		_, err := Replace(text, Request{Old: tt.old, New: "", Mode: Exact})
		var nf *NotFoundError
		if !errors.As(err, &nf) || nf.Nearest == nil {
			t.Fatalf("%q: %v", tt.old, err)
		}
		if n := *nf.Nearest; n != (Nearest{tt.line, tt.diff, tt.file, tt.wantLineText}) {
			t.Errorf("%q: %+v", tt.old, n)
		}
	}
	if _, err := Replace("abc\n", Request{Old: "zzzzzzzz"}); !strings.HasPrefix(err.Error(), "not found") {
		t.Error(err)
	}
}

func TestMany(t *testing.T) {
	text := "one\ntwo\nthree\n"
	f, err := Many(text, []Pair{{"three", "3"}, {"one", "1"}}, Auto)
	if err != nil {
		t.Fatal(err)
	}
	if got := applied(t, text, f.Edits); got != "1\ntwo\n3\n" {
		t.Errorf("got %q", got)
	}
	// Every pair is matched against the original text.
	if f, err = Many(text, []Pair{{"one", "two"}, {"two", "one"}}, Auto); err != nil {
		t.Fatal(err)
	} else if got := applied(t, text, f.Edits); got != "two\none\nthree\n" {
		t.Errorf("got %q", got)
	}
	for _, tt := range []struct {
		pairs []Pair
		want  string
	}{
		{[]Pair{{"one", "1"}, {"nope", "x"}}, "edits[1]: not found"},
		{[]Pair{{"one\ntwo", "x"}, {"two\nthree", "y"}}, "edits[0] and edits[1] overlap"},
		{[]Pair{{"e", "x"}}, "edits[0]: 3 matches"},
	} {
		if _, err := Many(text, tt.pairs, Auto); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%v: error %v, want %q", tt.pairs, err, tt.want)
		}
	}
}

func TestLines(t *testing.T) {
	tests := []struct {
		name, text string
		a, b       int
		content    string
		want       string
	}{
		{"middle", "a\nb\nc\n", 2, 2, "B", "a\nB\nc\n"},
		{"several, with newline", "a\nb\nc\n", 1, 2, "x\ny\nz\n", "x\ny\nz\nc\n"},
		{"delete", "a\nb\nc\n", 2, 3, "", "a\n"},
		{"append", "a\n", 2, 1, "b", "a\nb\n"},
		{"append to a missing newline", "a", 2, 1, "b\n", "a\nb"},
		{"first line of an empty file", "", 1, 0, "a\n", "a\n"},
		{"last line without newline", "a\nb", 2, 2, "B\n", "a\nB"},
		{"CRLF", "a\r\nb\r\n", 2, 2, "x\ny", "a\r\nx\r\ny\r\n"},
		{"BOM", "\ufeffa\nb\n", 1, 1, "A", "\ufeffA\nb\n"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			e, err := Lines(tt.text, tt.a, tt.b, tt.content)
			if err != nil {
				t.Fatal(err)
			}
			if got := applied(t, tt.text, []diff.Edit{e}); got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
	for _, r := range [][2]int{{0, 1}, {2, 1}, {1, 4}, {5, 5}, {-1, 2}} {
		if _, err := Lines("a\nb\nc\n", r[0], r[1], "x"); err == nil {
			t.Errorf("range %v accepted", r)
		}
	}
}

// TestReplaceRandom takes a random piece of a random text: it must be found,
// and replacing it by itself must change nothing.
func TestReplaceRandom(t *testing.T) {
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	rng := rand.New(rand.NewPCG(seed, 1))
	for range 2000 {
		text := randomText(rng)
		a := rng.IntN(len(text))
		b := a + 1 + rng.IntN(len(text)-a)
		f, err := Replace(text, Request{Old: text[a:b], New: text[a:b], ReplaceAll: true})
		if errors.Is(err, ErrTrailByte) {
			continue
		}
		if err != nil {
			t.Fatalf("%q of %q: %v", text[a:b], text, err)
		}
		if got := applied(t, text, f.Edits); got != text {
			t.Fatalf("%q of %q gives %q", text[a:b], text, got)
		}
	}
}

func randomText(rng *rand.Rand) string {
	pieces := []string{"a", "b", " ", "\t", "{", "}", "é", "“", "—", "\u00a0", "ﬁ", "\n", "\r\n", "\n", "word"}
	var b strings.Builder
	for range 1 + rng.IntN(40) {
		b.WriteString(pieces[rng.IntN(len(pieces))])
	}
	return b.String()
}

func FuzzReplace(f *testing.F) {
	f.Add("a\r\nb\n“c”\n", "b", "x\ny", "auto")
	f.Add("\ufeff{\n1\n2\n3\n}\n", "{\n1\n9\n3\n}", "", "block_anchor")
	f.Add("caf\xe9 x\n", "x", "é", "line_trimmed")
	f.Add("a  \n\u2028b", "a\n", "$1", "folded")
	f.Fuzz(func(t *testing.T, text, old, new, mode string) {
		if old == "" {
			return
		}
		found, err := Replace(text, Request{Old: old, New: new, Mode: Mode(mode), ReplaceAll: true})
		if err != nil {
			return
		}
		after := applied(t, text, found.Edits)
		if back := applied(t, after, invert(text, found.Edits)); back != text {
			t.Fatalf("undo gives %q, want %q", back, text)
		}
	})
}

// invert gives the edits that take applied edits back.
func invert(text string, edits []diff.Edit) []diff.Edit {
	out := make([]diff.Edit, len(edits))
	shift := 0
	for i, e := range edits {
		out[i] = diff.Edit{Start: e.Start + shift, End: e.Start + shift + len(e.New), New: text[e.Start:e.End]}
		shift += len(e.New) - (e.End - e.Start)
	}
	return out
}

func BenchmarkReplaceLineTrimmed10MB(b *testing.B) {
	text := strings.Repeat("some ordinary line of text, forty bytes\r\n", 250_000) + "\tthe one\r\n"
	b.ReportAllocs()
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		if _, err := Replace(text, Request{Old: "the one\n", New: "that one\n"}); err != nil {
			b.Fatal(err)
		}
	}
}
