// Package search finds the lines of a text that match a pattern.
//
// It owns how a pattern becomes a fast search: patterns are RE2 expressions,
// and a text is first searched for the literals that every match must hold, so
// that the expression itself runs on few lines only. A Matcher is not changed
// after it was compiled and is safe for concurrent use.
package search

import (
	"fmt"
	"regexp"
	"regexp/syntax"
	"strings"
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
		if l.text == "" || strings.Contains(l.text, "\n") {
			return false
		}
	}
	return true
}

// Line is a matching line: the bytes [Start,End) of the text without the line
// ending, and its number, 1-based.
type Line struct {
	Start, End int
	Number     int
}

// Lines calls found for every matching line of text, in order, until it
// returns false.
func (m *Matcher) Lines(text string, found func(Line) bool) {
	c := m.cursor(text)
	number, counted := 1, 0
	for at := 0; at < len(text); {
		i := c.next(at)
		if i < 0 {
			return
		}
		l := lineAround(text, at, i)
		if !m.exact && len(m.need) > 0 && !m.re.MatchString(text[l.Start:l.End]) {
			at = afterLine(text, l.End)
			continue
		}
		number += strings.Count(text[counted:l.Start], "\n")
		counted = l.Start
		l.Number = number
		if !found(l) {
			return
		}
		at = afterLine(text, l.End)
	}
}

// lineAround is the line of the byte at i; it starts at or after from.
func lineAround(text string, from, i int) Line {
	l := Line{Start: from, End: len(text)}
	if j := strings.LastIndexByte(text[from:i], '\n'); j >= 0 {
		l.Start = from + j + 1
	}
	if j := strings.IndexByte(text[i:], '\n'); j >= 0 {
		l.End = i + j
	}
	if l.End > l.Start && text[l.End-1] == '\r' && l.End < len(text) {
		l.End--
	}
	return l
}

// afterLine is where the line after the one that ends at end starts.
func afterLine(text string, end int) int {
	if end < len(text) && text[end] == '\r' {
		end++
	}
	return min(end+1, len(text))
}

// cursor walks over the places where a match may be.
type cursor struct {
	m       *Matcher
	text    string
	finders []finder
}

func (m *Matcher) cursor(text string) *cursor {
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
		if c.m.re.MatchString(c.text[l.Start:l.End]) {
			return from
		}
		from = afterLine(c.text, l.End)
	}
	return -1
}
