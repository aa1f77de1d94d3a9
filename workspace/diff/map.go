package diff

import (
	"sort"
	"strings"
	"unicode/utf8"
)

// Encoding is the unit in which columns are counted: LSP's position encoding.
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
	m := &Mapper{text: text, starts: lineStarts(text)}
	if !isASCII(text) {
		m.marks = marks(text)
	}
	return m
}

// lineStarts returns the offsets at which lines start, in LSP's sense.
func lineStarts(text string) []int {
	starts := make([]int, 1, strings.Count(text, "\n")+1)
	lone := strings.IndexByte(text, '\r') >= 0
	for i := 0; i < len(text); {
		n := -1
		if lone {
			n = strings.IndexAny(text[i:], "\r\n")
		} else {
			n = strings.IndexByte(text[i:], '\n')
		}
		if n < 0 {
			break
		}
		i += n + 1
		if text[i-1] == '\r' && i < len(text) && text[i] == '\n' {
			i++
		}
		starts = append(starts, i)
	}
	return starts
}

// isASCII reports whether text has no byte above 0x7f.
func isASCII(text string) bool {
	const word = 8
	for len(text) >= word {
		w := text[:word]
		if (w[0]|w[1]|w[2]|w[3]|w[4]|w[5]|w[6]|w[7])&0x80 != 0 {
			return false
		}
		text = text[word:]
	}
	for i := range len(text) {
		if text[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// marks returns marks at about every markEvery bytes of text.
func marks(text string) []mark {
	list := make([]mark, 1, len(text)/markEvery+2)
	at := mark{}
	for next := markEvery; at.offset < len(text); {
		at = at.step(text)
		if at.offset >= next {
			list = append(list, at)
			next = at.offset + markEvery
		}
	}
	return list
}

// step returns the place one character after p.
func (p mark) step(text string) mark {
	if text[p.offset] < utf8.RuneSelf {
		return mark{p.offset + 1, p.utf16 + 1, p.runes + 1}
	}
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
	if m.marks == nil {
		return Position{Line: line, Column: offset - start}
	}
	return Position{Line: line, Column: m.at(offset).units(enc) - m.at(start).units(enc)}
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
	if m.marks == nil || column >= end-start && enc == UTF8 {
		return min(start+min(column, end-start), end)
	}
	return m.find(m.at(start), column, end, enc)
}

// at returns the units before the character that offset is in.
func (m *Mapper) at(offset int) mark {
	i := sort.Search(len(m.marks), func(i int) bool { return m.marks[i].offset > offset }) - 1
	p := m.marks[i]
	for p.offset < offset {
		next := p.step(m.text)
		if next.offset > offset {
			break
		}
		p = next
	}
	return p
}

// find returns the offset of the character that is column units after start,
// at most end.
func (m *Mapper) find(start mark, column, end int, enc Encoding) int {
	if column >= end-start.offset { // no character is shorter than its units
		return end
	}
	target := start.units(enc) + column
	p := start
	i := sort.Search(len(m.marks), func(i int) bool { return m.marks[i].units(enc) > target }) - 1
	if m.marks[i].offset > p.offset {
		p = m.marks[i]
	}
	for p.offset < end {
		next := p.step(m.text)
		if next.units(enc) > target {
			break
		}
		p = next
	}
	return min(p.offset, end)
}
