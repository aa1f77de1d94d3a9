// Package search finds the lines of a text that match a pattern.
//
// It owns how a pattern becomes a fast search: patterns are RE2 expressions,
// and a text is first searched for the literals that every match must hold, so
// that the expression itself runs on few lines only. Texts are read through a
// window, so that their size costs no memory. A Matcher is not changed after
// it was compiled and is safe for concurrent use; a Scanner is for one
// goroutine.
package search

import (
	"bytes"
	"fmt"
	"regexp"
	"regexp/syntax"
)

// Options say how a pattern is meant.
type Options struct {
	Literal    bool // the pattern is plain text
	IgnoreCase bool
}

// Matcher finds matching lines.
type Matcher struct {
	// need are literals of which every matching line holds at least one; none
	// means that nothing is known.
	need []literal
	// exact says that a line with one of need matches.
	exact bool
	re    *regexp.Regexp
}

// Compile compiles a pattern. The error names it and what is wrong.
func Compile(pattern string, o Options) (*Matcher, error) {
	expr := pattern
	if o.Literal {
		expr = regexp.QuoteMeta(pattern)
	}
	flags := syntax.Perl
	if o.IgnoreCase {
		expr, flags = "(?i)"+expr, flags|syntax.FoldCase
	}
	parsed, err := syntax.Parse(expr, flags)
	if err != nil {
		return nil, fmt.Errorf("invalid pattern %q: %w", pattern, err)
	}
	re, err := regexp.Compile(expr)
	if err != nil {
		return nil, fmt.Errorf("invalid pattern %q: %w", pattern, err)
	}
	m := &Matcher{re: re}
	set, exact := required(parsed.Simplify())
	if usable(set) {
		m.need, m.exact = set, exact
	}
	return m, nil
}

// usable says whether a set of literals is worth searching for first.
func usable(set []literal) bool {
	const mostLiterals = 16
	if len(set) == 0 || len(set) > mostLiterals {
		return false
	}
	for _, l := range set {
		if len(l.text) == 0 || bytes.IndexByte(l.text, '\n') >= 0 {
			return false
		}
	}
	return true
}

// span is a line of a text: the bytes [start,end) without the line ending.
type span struct{ start, end int }

// lines calls found for every matching line of text, in order, until it
// returns false; then ok is false.
func (m *Matcher) lines(text []byte, found func(span) bool) (ok bool) {
	c := m.cursor(text)
	for at := 0; at < len(text); {
		i := c.next(at)
		if i < 0 {
			return true
		}
		l := lineAround(text, at, i)
		at = afterLine(text, l.end)
		if !m.exact && len(m.need) > 0 && !m.re.Match(text[l.start:l.end]) {
			continue
		}
		if !found(l) {
			return false
		}
	}
	return true
}

// lineAround is the line of the byte at i; it starts at or after from.
func lineAround(text []byte, from, i int) span {
	l := span{from, lineEnd(text, i)}
	if j := bytes.LastIndexByte(text[from:i], '\n'); j >= 0 {
		l.start = from + j + 1
	}
	l.end = max(l.end, l.start)
	return l
}

// lineEnd is the end of the line at i, without its ending.
func lineEnd(text []byte, i int) int {
	j := bytes.IndexByte(text[i:], '\n')
	if j < 0 {
		return len(text)
	}
	end := i + j
	if end > 0 && text[end-1] == '\r' {
		end--
	}
	return end
}

// afterLine is where the line after the one that ends at end starts.
func afterLine(text []byte, end int) int {
	if end+1 < len(text) && text[end] == '\r' {
		end++
	}
	return min(end+1, len(text))
}

// cursor walks over the places where a match may be.
type cursor struct {
	m       *Matcher
	text    []byte
	finders []finder
}

func (m *Matcher) cursor(text []byte) *cursor {
	c := &cursor{m: m, text: text, finders: make([]finder, len(m.need))}
	for i, l := range m.need {
		c.finders[i] = newFinder(l, text)
	}
	return c
}

// next is the first place at or after from where a match may be, -1 for none.
func (c *cursor) next(from int) int {
	if len(c.finders) == 0 {
		return c.nextLine(from)
	}
	best := -1
	for i := range c.finders {
		if at := c.finders[i].next(from); at >= 0 && (best < 0 || at < best) {
			best = at
		}
	}
	return best
}

// nextLine is the start of the first line at or after from that matches.
func (c *cursor) nextLine(from int) int {
	for from < len(c.text) {
		l := lineAround(c.text, from, from)
		if c.m.re.Match(c.text[l.start:l.end]) {
			return from
		}
		from = afterLine(c.text, l.end)
	}
	return -1
}
