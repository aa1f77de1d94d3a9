package text

import (
	"hash/maphash"
	"math/rand/v2"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/agent-ls/agent-ls/workspace/diff"
)

var encodings = []diff.Encoding{diff.UTF8, diff.UTF16, diff.UTF32}

// pieces are what random texts are made of: every length of a character,
// combining marks, and every line ending, also those that meet.
var pieces = []string{
	"a", "word ", "é", "e\u0301", "中", "😀", "👩‍👩‍👧", "🇫🇷", "\n", "\r\n", "\r", "\n\r", "\t",
	strings.Repeat("x", 700), strings.Repeat("中😀", 300), strings.Repeat("line\r\n", 200),
}

func randomText(r *rand.Rand, n int) string {
	var b strings.Builder
	for range n {
		b.WriteString(pieces[r.IntN(len(pieces))])
	}
	return b.String()
}

func newRand(t testing.TB) *rand.Rand {
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	return rand.New(rand.NewPCG(seed, seed))
}

// boundary moves n to the start of a character of s.
func boundary(s string, n int) int {
	for n < len(s) && !utf8.RuneStart(s[n]) {
		n--
	}
	return n
}

// check compares t with the text that it should be, as diff.Mapper has it.
func check(t *testing.T, got Text, want string, r *rand.Rand) {
	t.Helper()
	if got.String() != want {
		t.Fatalf("text differs: got %d bytes, want %d", len(got.String()), len(want))
	}
	m := diff.NewMapper(want)
	if got.Len() != len(want) || got.Lines() != m.Lines() {
		t.Fatalf("got %d bytes, %d lines; want %d, %d", got.Len(), got.Lines(), len(want), m.Lines())
	}
	for range 12 {
		enc := encodings[r.IntN(len(encodings))]
		offset := r.IntN(len(want)+3) - 1
		if p, q := got.Position(offset, enc), m.Position(offset, enc); p != q {
			t.Fatalf("position of %d in encoding %d: got %v, want %v", offset, enc, p, q)
		}
		p := diff.Position{Line: r.IntN(m.Lines()+2) - 1, Column: r.IntN(40) - 1}
		if r.IntN(4) == 0 {
			p.Column = r.IntN(2000)
		}
		if a, b := got.Offset(p, enc), m.Offset(p, enc); a != b {
			t.Fatalf("offset of %v in encoding %d: got %d, want %d", p, enc, a, b)
		}
	}
	for i := range got.chunks {
		if c := got.chunks[i]; c != measure(c.s) || c.s == "" {
			t.Fatalf("chunk %d has wrong counts", i)
		}
	}
}

func TestRandomEditsAgainstString(t *testing.T) {
	r := newRand(t)
	for range 20 {
		want := randomText(r, r.IntN(60))
		b := NewBuffer(New(want))
		var kept []Text
		var keptWant []string
		for range 120 {
			start := boundary(want, r.IntN(len(want)+1))
			end := boundary(want, start+r.IntN(min(len(want)-start, 1+r.IntN(9000))+1))
			end = max(start, end)
			insert := randomText(r, r.IntN(4))
			b.Replace(start, end, insert)
			want = want[:start] + insert + want[end:]
			check(t, b.Peek(), want, r)
			if r.IntN(20) == 0 {
				kept, keptWant = append(kept, b.Text()), append(keptWant, want)
			}
		}
		for i := range kept {
			check(t, kept[i], keptWant[i], r) // what was taken stays as it was
		}
	}
}

func TestHashIsThatOfTheString(t *testing.T) {
	seed := maphash.MakeSeed()
	s := strings.Repeat("some text é\r\n", 5000)
	var h maphash.Hash
	h.SetSeed(seed)
	New(s).WriteTo(&h)
	if h.Sum64() != maphash.String(seed, s) {
		t.Fatal("hash of the chunks differs from that of the string")
	}
}

func TestInvalidUTF8(t *testing.T) {
	b := NewBuffer(New("a\xffb"))
	b.Replace(0, 1, "\xc3")
	if got := b.Text().String(); got != "\ufffd\ufffdb" {
		t.Fatalf("got %q", got)
	}
}

func FuzzReplace(f *testing.F) {
	f.Add("a\r\nb", 2, 3, "\r", uint8(1))
	f.Add("😀é\n", 0, 4, "\n", uint8(2))
	f.Add("", 0, 0, "\r\n", uint8(0))
	f.Add(strings.Repeat("x\r", 3000)+"\n", 4096, 4097, "\n", uint8(0))
	f.Fuzz(func(t *testing.T, s string, start, n int, insert string, enc uint8) {
		s, insert = strings.ToValidUTF8(s, "?"), strings.ToValidUTF8(insert, "?")
		start = boundary(s, max(0, min(start, len(s))))
		end := max(start, boundary(s, min(len(s), start+max(0, min(n, len(s))))))
		b := NewBuffer(New(s))
		b.Replace(start, end, insert)
		want := s[:start] + insert + s[end:]
		got := b.Text()
		if got.String() != want {
			t.Fatalf("got %q, want %q", got.String(), want)
		}
		m, e := diff.NewMapper(want), encodings[int(enc)%len(encodings)]
		if p, q := got.Position(start, e), m.Position(start, e); p != q {
			t.Fatalf("position: got %v, want %v", p, q)
		}
		p := diff.Position{Line: int(enc) % 5, Column: start}
		if a, w := got.Offset(p, e), m.Offset(p, e); a != w {
			t.Fatalf("offset of %v: got %d, want %d", p, a, w)
		}
	})
}

// BenchmarkKeystroke types in the middle of 20 MB.
func BenchmarkKeystroke(b *testing.B) {
	line := "the quick brown fox jumps over the lazy dog 0123456789 é\n"
	buffer := NewBuffer(New(strings.Repeat(line, (20<<20)/len(line))))
	lines := buffer.Peek().Lines()
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		p := diff.Position{Line: (i * 7919) % lines, Column: 12}
		at := buffer.Peek().Offset(p, diff.UTF16)
		buffer.Replace(at, at, "x")
		buffer.Text()
	}
}

// BenchmarkOneLine types in a text of one long line.
func BenchmarkOneLine(b *testing.B) {
	buffer := NewBuffer(New(strings.Repeat("abc é 😀 ", 1<<20)))
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		at := buffer.Peek().Offset(diff.Position{Column: (i * 7919) % (5 << 20)}, diff.UTF16)
		buffer.Replace(at, at, "x")
	}
}
