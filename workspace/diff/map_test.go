package diff

import (
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"
)

func TestMapperPositions(t *testing.T) {
	// a, U+00E9 (2 bytes), U+1F600 (4 bytes, 2 units of UTF-16), b
	const text = "aé😀b\r\nx\ry\n"
	tests := []struct {
		offset             int
		line               int
		utf8, utf16, utf32 int
		back               int // the offset that the position means
		what               string
	}{
		{0, 0, 0, 0, 0, 0, "start"},
		{1, 0, 1, 1, 1, 1, "é"},
		{2, 0, 1, 1, 1, 1, "within é"},
		{3, 0, 3, 2, 2, 3, "😀"},
		{5, 0, 3, 2, 2, 3, "within 😀"},
		{7, 0, 7, 4, 3, 7, "b"},
		{8, 0, 8, 5, 4, 8, "CR of CRLF"},
		{9, 0, 8, 5, 4, 8, "LF of CRLF"},
		{10, 1, 0, 0, 0, 10, "x"},
		{11, 1, 1, 1, 1, 11, "lone CR"},
		{12, 2, 0, 0, 0, 12, "y"},
		{13, 2, 1, 1, 1, 13, "LF"},
		{14, 3, 0, 0, 0, 14, "end"},
		{-1, 0, 0, 0, 0, 0, "before the text"},
		{99, 3, 0, 0, 0, 14, "after the text"},
	}
	m := NewMapper(text)
	for _, tt := range tests {
		for enc, column := range map[Encoding]int{UTF8: tt.utf8, UTF16: tt.utf16, UTF32: tt.utf32} {
			want := Position{Line: tt.line, Column: column}
			if got := m.Position(tt.offset, enc); got != want {
				t.Errorf("%s: Position(%d, %d) = %v, want %v", tt.what, tt.offset, enc, got, want)
			}
			if got := m.Offset(want, enc); got != tt.back {
				t.Errorf("%s: Offset(%v, %d) = %d, want %d", tt.what, want, enc, got, tt.back)
			}
		}
	}
	if m.Lines() != 4 {
		t.Errorf("Lines = %d, want 4", m.Lines())
	}
}

func TestMapperClamps(t *testing.T) {
	const text = "a😀\r\nbc"
	tests := []struct {
		name string
		p    Position
		enc  Encoding
		want int
	}{
		{"column beyond the line", Position{0, 99}, UTF16, 5},
		{"column at the CR", Position{0, 3}, UTF16, 5},
		{"column at the LF", Position{0, 4}, UTF16, 5},
		{"within a surrogate pair", Position{0, 2}, UTF16, 1},
		{"within a character of UTF-8", Position{0, 3}, UTF8, 1},
		{"bytes beyond the line", Position{0, 6}, UTF8, 5},
		{"code points beyond the line", Position{0, 3}, UTF32, 5},
		{"column beyond the last line", Position{1, 99}, UTF16, 9},
		{"line beyond the text", Position{2, 0}, UTF16, 9},
		{"negative line", Position{-1, 5}, UTF16, 0},
		{"negative column", Position{1, -5}, UTF16, 7},
	}
	m := NewMapper(text)
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := m.Offset(tt.p, tt.enc); got != tt.want {
				t.Errorf("Offset(%v, %d) = %d, want %d", tt.p, tt.enc, got, tt.want)
			}
		})
	}
}

func TestMapperLines(t *testing.T) {
	tests := []struct {
		text   string
		starts []int
		ends   []int
	}{
		{"", []int{0}, []int{0}},
		{"a", []int{0}, []int{1}},
		{"a\n", []int{0, 2}, []int{1, 2}},
		{"\n\r\n\r", []int{0, 1, 3, 4}, []int{0, 1, 3, 4}},
		{"\r\r\n", []int{0, 1, 3}, []int{0, 1, 3}},
		{"\n\r", []int{0, 1, 2}, []int{0, 1, 2}},
		{"é\u2028\n", []int{0, 6}, []int{5, 6}}, // U+2028 ends no line
	}
	for _, tt := range tests {
		m := NewMapper(tt.text)
		if m.Lines() != len(tt.starts) {
			t.Errorf("%q: Lines = %d, want %d", tt.text, m.Lines(), len(tt.starts))
			continue
		}
		for i := range tt.starts {
			if start, end := m.LineStart(i), m.LineEnd(i); start != tt.starts[i] || end != tt.ends[i] {
				t.Errorf("%q: line %d is [%d,%d), want [%d,%d)", tt.text, i, start, end, tt.starts[i], tt.ends[i])
			}
		}
	}
	m := NewMapper("a\nb")
	if m.LineStart(-1) != 0 || m.LineEnd(-1) != 0 || m.LineStart(9) != 3 || m.LineEnd(9) != 3 {
		t.Error("lines outside the text are not clamped")
	}
}

// walkPositions returns the position of every offset of text by the
// definition: a walk from the start. Offsets within a character, or within a
// CRLF, have that of its start.
func walkPositions(text string, enc Encoding) []Position {
	var list []Position
	var p Position
	for i := 0; i < len(text); {
		r, size := utf8.DecodeRuneInString(text[i:])
		if strings.HasPrefix(text[i:], "\r\n") {
			size = 2
		}
		for range size {
			list = append(list, p)
		}
		i += size
		switch {
		case r == '\n' || r == '\r':
			p = Position{Line: p.Line + 1}
		case enc == UTF8:
			p.Column += size
		case enc == UTF16 && r > 0xffff:
			p.Column += 2
		default:
			p.Column++
		}
	}
	return append(list, p)
}

// checkMapper compares every offset of text with the definition, and maps it
// back.
func checkMapper(text string) error {
	m := NewMapper(text)
	for _, enc := range []Encoding{UTF8, UTF16, UTF32} {
		for offset, want := range walkPositions(text, enc) {
			if got := m.Position(offset, enc); got != want {
				return fmt.Errorf("Position(%d, %d) = %v, want %v", offset, enc, got, want)
			}
			back := m.Offset(want, enc)
			if back > offset || m.Position(back, enc) != want {
				return fmt.Errorf("Offset(%v, %d) = %d, from %d", want, enc, back, offset)
			}
			if more := m.Offset(Position{want.Line, want.Column + 1}, enc); more < back || more > m.LineEnd(want.Line) {
				return fmt.Errorf("Offset one column after %v, %d = %d, at %d before", want, enc, more, back)
			}
		}
	}
	return nil
}

func TestMapperAgreesWithTheDefinition(t *testing.T) {
	r := newRand(t)
	pieces := []string{"a", "bc", "é", "€", "😀", "\xff", "\xf0\x9f", "\n", "\r\n", "\r", strings.Repeat("x", 100), strings.Repeat("ü", 150)}
	for range 300 {
		var b strings.Builder
		for range r.IntN(20) {
			b.WriteString(pieces[r.IntN(len(pieces))])
		}
		if err := checkMapper(b.String()); err != nil {
			t.Fatalf("%q: %v", b.String(), err)
		}
	}
}

func FuzzMapper(f *testing.F) {
	f.Add("aé😀b\r\nx\ry\n")
	f.Add(strings.Repeat("ü", 300) + "\r\n\xff\xfe")
	f.Fuzz(func(t *testing.T, text string) {
		if len(text) > 4000 {
			return
		}
		if err := checkMapper(text); err != nil {
			t.Fatal(err)
		}
	})
}

func BenchmarkMapper(b *testing.B) {
	ascii := numberedText("line", 100_000)
	texts := map[string]string{"ascii": ascii, "mixed": strings.ReplaceAll(ascii, "line", "línea 😀"), "one line": strings.Repeat("línea 😀 ", 100_000)}
	for name, text := range texts {
		b.Run("build "+name, func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			b.ReportAllocs()
			for b.Loop() {
				NewMapper(text)
			}
		})
		b.Run("look up "+name, func(b *testing.B) {
			m := NewMapper(text)
			b.ReportAllocs()
			offset := 0
			for b.Loop() {
				offset = (offset + 7919) % len(text)
				m.Offset(m.Position(offset, UTF16), UTF16)
			}
		})
	}
}
