package text

import (
	"slices"
	"strings"
	"unicode/utf8"
)

// Buffer is a text that can be edited.
type Buffer struct {
	t Text
	// shared says that a Text taken from here has the same list of chunks.
	shared bool
}

// NewBuffer returns a buffer that holds t.
func NewBuffer(t Text) *Buffer { return &Buffer{t: t, shared: true} }

// Text returns the text as it is now; later edits do not change it. It costs
// nothing now, and a copy of the list of chunks at the next edit.
func (b *Buffer) Text() Text {
	b.shared = true
	return b.t
}

// Peek is Text for a look before the next edit: what it returns must not be
// used after that.
func (b *Buffer) Peek() Text { return b.t }

// Replace replaces the bytes [start,end), which begin and end at characters
// and lie inside the text. Bytes of s that are not UTF-8 become U+FFFD.
func (b *Buffer) Replace(start, end int, s string) {
	if !utf8.ValidString(s) {
		s = strings.ToValidUTF8(s, "\ufffd")
	}
	t := &b.t
	if len(t.chunks) == 0 {
		*b = Buffer{t: New(s)}
		return
	}
	from, at := t.find(start)
	to, until := t.find(end)
	region := t.chunks[from].s[:at] + s + t.chunks[to].s[until:]
	from, to, region = b.settle(from, to+1, region)
	b.splice(from, to, cut(nil, region))
	t.size += len(s) - (end - start)
}

// settle widens the region that stands for chunks [from,to) until it may stand
// between its neighbours: not too small, and not in the middle of "\r\n".
func (b *Buffer) settle(from, to int, region string) (int, int, string) {
	chunks := b.t.chunks
	for from > 0 && (len(region) < minChunk || region[0] == '\n' && strings.HasSuffix(chunks[from-1].s, "\r")) {
		from--
		region = chunks[from].s + region
	}
	for to < len(chunks) && (len(region) < minChunk || chunks[to].s[0] == '\n' && region[len(region)-1] == '\r') {
		region += chunks[to].s
		to++
	}
	return from, to, region
}

// splice puts fresh chunks in the place of [from,to).
func (b *Buffer) splice(from, to int, fresh []chunk) {
	t := &b.t
	for i := from; i < to; i++ {
		t.lines -= t.chunks[i].breaks
	}
	for i := range fresh {
		t.lines += fresh[i].breaks
	}
	if b.shared {
		t.chunks = slices.Clone(t.chunks)
		b.shared = false
	}
	t.chunks = slices.Replace(t.chunks, from, to, fresh...)
}
