package cache

import (
	"bytes"
	"fmt"
	"io"

	"github.com/rivo/uniseg"
)

// The bounds of what one reading returns (tools.md §1.6).
const (
	// maxSegmentBytes bounds a segment, whose characters may be of any size.
	maxSegmentBytes = 512 << 10
	// maxCluster is the longest grapheme cluster, in bytes, that is kept in
	// one piece.
	maxCluster = 4 << 10
)

// Segment is a part of one line. Its positions count grapheme clusters, what
// people take for one character.
type Segment struct {
	Text string
	// From and To are 0-based; Text is [From, To).
	From, To int64
	// Length is the length of the whole line.
	Length int64
}

// RangeError is a line or character position outside an output.
type RangeError struct {
	// Line says that a line was asked for that is not there; else the offset
	// in it is out of range.
	Line bool
	// Position is what was asked for; Total what there is.
	Position, Total int64
}

// Error says what is out of range, in the words of tools.md §1.6.7.
func (e *RangeError) Error() string {
	if e.Line {
		return fmt.Sprintf("Line number out of range: %d (total %d)", e.Position, e.Total)
	}
	return fmt.Sprintf("char_offset out of range: %d (line length %d)", e.Position, e.Total)
}

// ReadSegment returns at most limit clusters of line (1-based) of r, from
// offset (0-based) on. The end of the line is an offset too, with an empty
// segment; beyond it, as for a line that is not there, the error is a
// *RangeError.
func ReadSegment(r io.Reader, line, offset, limit int64) (Segment, error) {
	lines := NewLineReader(r)
	if line < 1 {
		_, err := lines.Skip(1 << 62)
		return Segment{}, firstError(err, &RangeError{Line: true, Position: line, Total: lines.Lines()})
	}
	if _, err := lines.Skip(line - 1); err != nil {
		return Segment{}, err
	}
	more, err := lines.More()
	if err != nil || !more {
		return Segment{}, firstError(err, &RangeError{Line: true, Position: line, Total: lines.Lines()})
	}
	c := clusters{from: offset, to: offset + limit}
	if _, err := lines.eachPart(func(part []byte) { c.feed(part, false) }); err != nil {
		return Segment{}, err
	}
	c.finish()
	if offset < 0 || offset > c.count {
		return Segment{}, &RangeError{Position: offset, Total: c.count}
	}
	return Segment{Text: validUTF8(c.text), From: offset, To: c.taken(), Length: c.count}, nil
}

func firstError(err, other error) error {
	if err != nil {
		return err
	}
	return other
}

// clusters counts the grapheme clusters of a line that comes in parts, and
// keeps those of a window.
type clusters struct {
	from, to int64 // the window
	count    int64
	text     []byte // of the window
	full     bool   // text reached its bound
	fullAt   int64
	rest     []byte // the last cluster, which may go on
}

// taken is where the kept text ends.
func (c *clusters) taken() int64 {
	if c.full {
		return c.fullAt
	}
	return max(c.from, min(c.to, c.count))
}

// finish counts what is held back. The line's ending, a \r that is left of
// it, is no character.
func (c *clusters) finish() {
	if n := len(c.rest); n > 0 && c.rest[n-1] == '\r' {
		c.rest = c.rest[:n-1]
	}
	c.feed(nil, true)
}

// feed adds the next part of the line; last says that it ends here.
func (c *clusters) feed(part []byte, last bool) {
	const joint = 64 // bytes of part to join to what is held back, at a time
	for len(c.rest) > 0 && len(part) > 0 {
		n := min(len(part), joint)
		c.rest = c.split(append(c.rest, part[:n]...), false)
		if len(c.rest) <= n {
			// All of it lies in part.
			n -= len(c.rest)
			c.rest = nil
		}
		part = part[n:]
	}
	if len(part) == 0 {
		part = c.rest
	}
	c.rest = bytes.Clone(c.split(part, last))
}

// split takes the whole clusters of data and returns the rest, nothing when
// data is the last.
func (c *clusters) split(data []byte, last bool) (rest []byte) {
	end := len(data)
	if !last {
		end -= incomplete(data)
	}
	at := 0
	for at < end {
		if n := singles(data[at:end]); n > 0 {
			c.take(data[at:at+n], n)
			at += n
			continue
		}
		cluster, after, _, _ := uniseg.FirstGraphemeCluster(data[at:end], -1)
		if len(after) == 0 && !last && len(cluster) < maxCluster {
			break
		}
		c.take(cluster, 1)
		at += len(cluster)
	}
	return data[at:]
}

// singles returns how many bytes at the start of p are a cluster each:
// printable ASCII characters that another one follows.
func singles(p []byte) int {
	n := 0
	for n < len(p) && printable(p[n]) {
		n++
	}
	return max(0, n-1)
}

func printable(b byte) bool { return b-0x20 < 0x7F-0x20 }

// take counts n clusters, the bytes of p. Several are of one byte each.
func (c *clusters) take(p []byte, n int) {
	begin := c.count
	c.count += int64(n)
	if c.full || c.count <= c.from || begin >= c.to {
		return
	}
	if n > 1 {
		p = p[max(0, c.from-begin):min(int64(n), c.to-begin)]
	}
	if room := maxSegmentBytes - len(c.text); len(p) > room {
		c.full, c.fullAt = true, max(begin, c.from)
		if n > 1 {
			c.fullAt += int64(room)
			c.text = append(c.text, p[:room]...)
		}
		return
	}
	c.text = append(c.text, p...)
}

// ClipClusters returns the first most grapheme clusters of text, and whether
// there are more.
func ClipClusters(text string, most int) (string, bool) {
	if len(text) <= most {
		return text, false
	}
	rest, state := text, -1
	for range most {
		if rest == "" {
			return text, false
		}
		_, rest, _, state = uniseg.FirstGraphemeClusterInString(rest, state)
	}
	return text[:len(text)-len(rest)], rest != ""
}
