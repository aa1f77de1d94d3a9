package diff

import (
	"sort"
	"strings"
	"unicode/utf8"
)

// Encoding is the unit in which columns are counted: LSP's position encoding
// (contract §7).
type Encoding uint8

// The encodings of LSP. The zero value is LSP's default.
const (
	UTF16 Encoding = iota // code units of UTF-16
	UTF8                  // bytes
	UTF32                 // code points
)

// Position is a place in a text as LSP has it: 0-based line, and column in
// units of an [Encoding] from the start of the line.
type Position struct {
	Line   int `json:"line"`
	Column int `json:"column"`
}

// Mapper maps byte offsets of one text to positions and back. Lines end at
// "\n", "\r\n" and "\r", as in LSP. Building takes linear time, a look-up
// O(log n). A byte that is not part of valid UTF-8 counts as one unit.
//
// A Mapper is immutable and safe for concurrent use.
type Mapper struct {
	text   string
	starts []int // offsets of the lines' starts
	marks  []mark
}

// A mark is a known place: so many units of UTF-16 and so many code points
// come before offset, which is the start of a character. Texts of ASCII alone
// have no marks.
type mark struct{ offset, utf16, runes int }

// markEvery is the distance of marks in bytes: what a look-up may have to scan.
const markEvery = 256

// NewMapper returns a Mapper of text.
func NewMapper(text string) *Mapper {
	return &Mapper{text: text, starts: lineStarts(text), marks: marks(text)}
}

// lineStarts returns the offsets at which lines start, in LSP's sense.
func lineStarts(text string) []int {
	starts := make([]int, 1, strings.Count(text, "\n")+1)
	anyCR := strings.IndexByte(text, '\r') >= 0
	for i := 0; i < len(text); {
		n := strings.IndexByte(text[i:], '\n')
		end := i + n + 1
		if n < 0 {
			end = len(text)
		}
		if anyCR {
			starts = appendAfterCR(starts, text[i:end], i)
		}
		if n >= 0 {
			starts = append(starts, end)
		}
		i = end
	}
	return starts
}

// appendAfterCR appends the places after each lone "\r" of a line, which
// starts at offset base.
func appendAfterCR(starts []int, line string, base int) []int {
	for i := 0; ; i++ {
		n := strings.IndexByte(line[i:], '\r')
		if n < 0 {
			return starts
		}
		i += n
		if line[i+1:] != "\n" {
			starts = append(starts, base+i+1)
		}
	}
}

// marks returns marks at about every markEvery bytes of text, none for a text
// of ASCII alone.
func marks(text string) []mark {
	if asciiRun(text) == len(text) {
		return nil
	}
	list := make([]mark, 1, len(text)/markEvery+1)
	p := mark{}
	for next := markEvery; next <= len(text); next += markEvery {
		p = p.walk(text, next)
		list = append(list, p)
	}
	return list
}

// asciiRun returns how many bytes of ASCII s starts with.
func asciiRun(s string) int {
	n := 0
	for ; n+8 <= len(s); n += 8 {
		w := s[n : n+8]
		if (w[0]|w[1]|w[2]|w[3]|w[4]|w[5]|w[6]|w[7])&0x80 != 0 {
			break
		}
	}
	for n < len(s) && s[n] < utf8.RuneSelf {
		n++
	}
	return n
}

// walk returns the start of the last character at or before limit, counted
// from p on.
func (p mark) walk(text string, limit int) mark {
	for p.offset < limit {
		n := asciiRun(text[p.offset:limit])
		p = mark{p.offset + n, p.utf16 + n, p.runes + n}
		if p.offset == limit {
			break
		}
		next := p.step(text)
		if next.offset > limit {
			break
		}
		p = next
	}
	return p
}

// step returns the place one character after p.
func (p mark) step(text string) mark {
	r, size := utf8.DecodeRuneInString(text[p.offset:])
	units := 1
	if r > 0xffff {
		units = 2
	}
	return mark{p.offset + size, p.utf16 + units, p.runes + 1}
}

// units returns how many units of enc come before p.
func (p mark) units(enc Encoding) int {
	switch enc {
	case UTF8:
		return p.offset
	case UTF32:
		return p.runes
	}
	return p.utf16
}

// Lines returns the number of lines, at least 1: after a line ending comes one
// more line, which may be empty.
func (m *Mapper) Lines() int { return len(m.starts) }

// LineStart returns the offset at which the 0-based line starts; lines outside
// the text count as the nearest one, see [Mapper.Offset].
func (m *Mapper) LineStart(line int) int { return m.Offset(Position{Line: line}, UTF8) }

// LineEnd returns the offset of the line ending, or of the end of the text for
// the last line. Lines outside the text count as in LineStart.
func (m *Mapper) LineEnd(line int) int {
	if line < 0 {
		return 0
	}
	if line >= len(m.starts)-1 {
		return len(m.text)
	}
	end := m.starts[line+1] - 1
	if m.text[end] == '\n' && end > m.starts[line] && m.text[end-1] == '\r' {
		end--
	}
	return end
}

// Position returns the position of a byte offset. Offsets outside the text
// count as its start or end, an offset within a character as the character's
// start, one within "\r\n" as the place before it.
func (m *Mapper) Position(offset int, enc Encoding) Position {
	offset = max(0, min(offset, len(m.text)))
	line := sort.SearchInts(m.starts, offset+1) - 1
	offset = min(offset, m.LineEnd(line))
	start := m.starts[line]
	return Position{Line: line, Column: m.column(start, offset, enc)}
}

// Offset returns the byte offset of a position. A column beyond the line means
// the end of the line, before its ending; a column within a character the
// character's start; a line beyond the text the end of the text; negative
// numbers mean 0, a negative line the start of the text.
func (m *Mapper) Offset(p Position, enc Encoding) int {
	if p.Line < 0 {
		return 0
	}
	if p.Line >= len(m.starts) {
		return len(m.text)
	}
	start, end := m.starts[p.Line], m.LineEnd(p.Line)
	column := max(p.Column, 0)
	switch {
	case column >= end-start: // no character is shorter than its units
		return end
	case m.marks == nil:
		return start + column
	case end-start <= markEvery:
		return mark{offset: start}.find(m.text, column, end, enc)
	}
	from := m.at(start)
	target := from.units(enc) + column
	i := sort.Search(len(m.marks), func(i int) bool { return m.marks[i].units(enc) > target }) - 1
	if m.marks[i].offset > start {
		from = m.marks[i]
	}
	return from.find(m.text, target-from.units(enc), end, enc)
}

// column returns how many units of enc lie between the start of a line and the
// character that offset is in.
func (m *Mapper) column(start, offset int, enc Encoding) int {
	switch {
	case m.marks == nil:
		return offset - start
	case offset-start <= markEvery:
		from := mark{offset: start}
		return from.walk(m.text, offset).units(enc) - from.units(enc)
	}
	return m.at(offset).units(enc) - m.at(start).units(enc)
}

// at returns the place of the character that offset is in.
func (m *Mapper) at(offset int) mark {
	i := sort.Search(len(m.marks), func(i int) bool { return m.marks[i].offset > offset }) - 1
	return m.marks[i].walk(m.text, offset)
}

// find returns the offset of the character that is column units after p, at
// most end.
func (p mark) find(text string, column, end int, enc Encoding) int {
	target := p.units(enc) + column
	for p.offset < end {
		next := p.step(text)
		if next.units(enc) > target {
			break
		}
		p = next
	}
	return min(p.offset, end)
}
