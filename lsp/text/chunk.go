package text

import (
	"strings"
	"unicode/utf8"

	"github.com/agent-ls/agent-ls/workspace/diff"
)

const (
	// chunkSize is the size of chunks that a text is cut into, in bytes.
	chunkSize = 4 << 10
	// maxChunk is what a chunk may grow to before it is cut, minChunk what it
	// may shrink to before it is joined to a neighbour.
	maxChunk = 2 * chunkSize
	minChunk = chunkSize / 4
)

// chunk is a piece of a text. No chunk ends between "\r" and "\n" or within a
// character, so that its counts add up.
type chunk struct {
	s      string
	utf16  int // code units of UTF-16
	runes  int
	breaks int // line ends
}

// measure counts what s holds.
func measure(s string) chunk {
	c := chunk{s: s, breaks: strings.Count(s, "\n")}
	if strings.IndexByte(s, '\r') >= 0 {
		c.breaks += loneReturns(s)
	}
	c.utf16, c.runes = count(s)
	return c
}

// loneReturns counts the "\r" that no "\n" follows.
func loneReturns(s string) (n int) {
	for {
		i := strings.IndexByte(s, '\r')
		if i < 0 {
			return n
		}
		s = s[i+1:]
		if !strings.HasPrefix(s, "\n") {
			n++
		}
	}
}

// count returns how many UTF-16 units and code points s holds.
func count(s string) (utf16, runes int) {
	runes = utf8.RuneCountInString(s)
	if runes == len(s) {
		return runes, runes
	}
	utf16 = runes
	for i := range len(s) {
		if s[i] >= 0xf0 { // begins a character outside the basic plane
			utf16++
		}
	}
	return utf16, runes
}

// units returns how many units of enc the chunk holds.
func (c *chunk) units(enc diff.Encoding) int {
	switch enc {
	case diff.UTF8:
		return len(c.s)
	case diff.UTF32:
		return c.runes
	}
	return c.utf16
}

// plain reports whether a unit of every encoding is a byte here.
func (c *chunk) plain() bool { return c.runes == len(c.s) }

// unitsOf returns how many units of enc s holds.
func unitsOf(s string, enc diff.Encoding) int {
	if enc == diff.UTF8 {
		return len(s)
	}
	utf16, runes := count(s)
	if enc == diff.UTF32 {
		return runes
	}
	return utf16
}

// seek returns the offset of the character in s that column units of enc
// lead to or into, at most len(s).
func seek(s string, column int, enc diff.Encoding) int {
	at := 0
	for at < len(s) {
		r, size := utf8.DecodeRuneInString(s[at:])
		switch {
		case enc == diff.UTF8:
			column -= size
		case enc == diff.UTF16 && r > 0xffff:
			column -= 2
		default:
			column--
		}
		if column < 0 {
			return at
		}
		at += size
	}
	return at
}

// afterBreaks returns the offset behind the n-th line end of s, n at least 1.
func afterBreaks(s string, n int) int {
	at := 0
	for {
		i := strings.IndexAny(s[at:], "\r\n")
		if i < 0 {
			return len(s)
		}
		at += i + breakLen(s[at+i:])
		if n--; n == 0 {
			return at
		}
	}
}

// breakLen returns the length of the line end that s begins with.
func breakLen(s string) int {
	if strings.HasPrefix(s, "\r\n") {
		return 2
	}
	return 1
}

// cut appends the chunks of s to list.
func cut(list []chunk, s string) []chunk {
	for len(s) > maxChunk {
		n := cutAt(s, chunkSize)
		list = append(list, measure(s[:n]))
		s = s[n:]
	}
	if s == "" {
		return list
	}
	return append(list, measure(s))
}

// cutAt returns a place at or shortly before n where s may be cut.
func cutAt(s string, n int) int {
	for !utf8.RuneStart(s[n]) {
		n--
	}
	if s[n] == '\n' && s[n-1] == '\r' {
		n--
	}
	return n
}
