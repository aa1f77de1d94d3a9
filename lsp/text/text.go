package text

import (
	"hash/maphash"
	"strings"
	"unicode/utf8"

	"github.com/agent-ls/agent-ls/workspace/diff"
)

// Text is an immutable text. The zero value is empty.
type Text struct {
	chunks []chunk
	size   int
	lines  int // line ends
}

// New returns the text s. Bytes that are not UTF-8 become U+FFFD.
func New(s string) Text {
	if !utf8.ValidString(s) {
		s = strings.ToValidUTF8(s, "\ufffd")
	}
	t := Text{size: len(s)}
	t.chunks = cut(make([]chunk, 0, len(s)/chunkSize+1), s)
	for i := range t.chunks {
		t.lines += t.chunks[i].breaks
	}
	return t
}

// Len returns the length in bytes.
func (t Text) Len() int { return t.size }

// Lines returns the number of lines, at least 1: one more than line ends.
func (t Text) Lines() int { return t.lines + 1 }

// String returns the whole text; it copies it unless it is in one piece.
func (t Text) String() string {
	if len(t.chunks) == 1 {
		return t.chunks[0].s
	}
	var b strings.Builder
	b.Grow(t.size)
	for i := range t.chunks {
		b.WriteString(t.chunks[i].s)
	}
	return b.String()
}

// WriteTo writes the text to h.
func (t Text) WriteTo(h *maphash.Hash) {
	for i := range t.chunks {
		h.WriteString(t.chunks[i].s)
	}
}

// Offset returns the byte offset of a position, in the same sense as
// [diff.Mapper.Offset]: a column beyond the line is its end before the line
// ending, one within a character the character's start, a line beyond the text
// the end of the text, a negative line its start.
func (t Text) Offset(p diff.Position, enc diff.Encoding) int {
	switch {
	case p.Line < 0:
		return 0
	case p.Line > t.lines:
		return t.size
	}
	i, base := 0, 0
	for left := p.Line; i < len(t.chunks); i++ {
		c := &t.chunks[i]
		if left <= c.breaks {
			at := 0
			if left > 0 {
				at = afterBreaks(c.s, left)
			}
			return t.along(i, base, at, max(p.Column, 0), enc)
		}
		left -= c.breaks
		base += len(c.s)
	}
	return t.size
}

// along walks column units from a place in chunk i, which starts at base, but
// not beyond the end of the line.
func (t Text) along(i, base, at, column int, enc diff.Encoding) int {
	for ; i < len(t.chunks); i++ {
		c := &t.chunks[i]
		rest := c.s[at:]
		end := len(rest)
		last := false
		if c.breaks > 0 {
			if n := strings.IndexAny(rest, "\r\n"); n >= 0 {
				end, last = n, true
			}
		}
		units := end
		switch {
		case c.plain():
		case at == 0 && !last:
			units = c.units(enc)
		default:
			units = unitsOf(rest[:end], enc)
		}
		if column <= units || last {
			if c.plain() {
				return base + at + min(column, end)
			}
			return base + at + seek(rest[:end], column, enc)
		}
		column -= units
		base += len(c.s)
		at = 0
	}
	return t.size
}

// Position returns the position of a byte offset, in the same sense as
// [diff.Mapper.Position].
func (t Text) Position(offset int, enc diff.Encoding) diff.Position {
	offset = max(0, min(offset, t.size))
	i, at := t.find(offset)
	p := diff.Position{}
	for j := range i {
		p.Line += t.chunks[j].breaks
	}
	if i == len(t.chunks) {
		return p
	}
	head := t.chunks[i].s[:characterStart(t.chunks[i].s, at)]
	inside := measure(head)
	p.Line += inside.breaks
	if inside.breaks > 0 {
		p.Column = unitsOf(lastLine(head), enc)
		return p
	}
	p.Column = inside.units(enc)
	for i--; i >= 0; i-- {
		c := &t.chunks[i]
		if c.breaks > 0 {
			p.Column += unitsOf(lastLine(c.s), enc)
			break
		}
		p.Column += c.units(enc)
	}
	return p
}

// characterStart returns the start of the character or line ending that at is
// in.
func characterStart(s string, at int) int {
	for at > 0 && at < len(s) && !utf8.RuneStart(s[at]) {
		at--
	}
	if at > 0 && at < len(s) && s[at] == '\n' && s[at-1] == '\r' {
		at--
	}
	return at
}

// lastLine returns what follows the last line end of s.
func lastLine(s string) string { return s[strings.LastIndexAny(s, "\r\n")+1:] }

// find returns the chunk that holds the byte at offset and the place in it; at
// the end of the text the end of the last chunk.
func (t Text) find(offset int) (i, at int) {
	for i = range t.chunks {
		n := len(t.chunks[i].s)
		if offset < n || i == len(t.chunks)-1 {
			return i, offset
		}
		offset -= n
	}
	return 0, 0
}
