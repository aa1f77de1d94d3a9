package search

import (
	"bytes"
	"regexp/syntax"
	"strings"
	"unicode/utf8"
)

// literal is text that is searched for, in any case when fold is set; fold is
// only set for ASCII text.
type literal struct {
	text []byte // lower case when fold
	fold bool
	// rare is the place of the byte that is least likely to be met elsewhere.
	rare int
}

func newLiteral(text string, fold bool) literal {
	if fold {
		text = strings.ToLower(text)
	}
	l := literal{text: []byte(text), fold: fold}
	for i := range len(l.text) {
		if frequency(l.text[i]) < frequency(l.text[l.rare]) {
			l.rare = i
		}
	}
	return l
}

// frequency ranks how often a byte stands in source text, roughly.
func frequency(b byte) int {
	const common = "etaoinsrhldcumfpgwybvkxjqz"
	switch {
	case b == ' ':
		return 100
	case b >= 'a' && b <= 'z':
		return 90 - 2*strings.IndexByte(common, b)
	case b >= 'A' && b <= 'Z':
		return 38 - strings.IndexByte(common, b+'a'-'A')
	case b >= '0' && b <= '9':
		return 25
	case b == '\t', b == '(', b == ')', b == '.', b == ',', b == '_', b == '"', b == '/', b == '=', b == ';', b == '-':
		return 35
	}
	return 10
}

// finder finds the places of a literal in a text, from front to back.
type finder struct {
	literal
	s []byte
	// at is the place found last, -2 before the first search, -1 when there
	// are no more.
	at int
	// lower and upper are the next places of the two forms of the rare byte,
	// which are remembered so that a form that is far away is searched for
	// once.
	lower, upper int
}

func newFinder(l literal, s []byte) finder {
	return finder{literal: l, s: s, at: -2, lower: -1, upper: -1}
}

// next is the first place at or after from, -1 for none; from never goes
// back.
func (f *finder) next(from int) int {
	if f.at == -1 || f.at >= from {
		return f.at
	}
	f.at = f.search(from)
	return f.at
}

// search looks for the rare byte and compares the text around it.
func (f *finder) search(from int) int {
	lower := f.text[f.rare]
	upper := lower
	if f.fold && lower >= 'a' && lower <= 'z' {
		upper = lower - 'a' + 'A'
	}
	for at := from + f.rare; ; at++ {
		if f.lower < at {
			f.lower = indexFrom(f.s, lower, at)
		}
		if f.upper < at {
			f.upper = len(f.s)
			if upper != lower {
				f.upper = indexFrom(f.s, upper, at)
			}
		}
		if at = min(f.lower, f.upper); at == len(f.s) {
			return -1
		}
		start := at - f.rare
		if start+len(f.text) <= len(f.s) && f.equal(f.s[start:start+len(f.text)]) {
			return start
		}
	}
}

// indexFrom is the first place of b in s at or after from, len(s) for none.
func indexFrom(s []byte, b byte, from int) int {
	if from >= len(s) {
		return len(s)
	}
	if i := bytes.IndexByte(s[from:], b); i >= 0 {
		return from + i
	}
	return len(s)
}

// equal says whether s, of the same length, is the literal.
func (l literal) equal(s []byte) bool {
	if !l.fold {
		return bytes.Equal(s, l.text)
	}
	for i := range len(s) {
		c := s[i]
		if c >= 'A' && c <= 'Z' {
			c += 'a' - 'A'
		}
		if c != l.text[i] {
			return false
		}
	}
	return true
}

// required returns literals of which every match of re holds at least one;
// exact says that what holds one matches. An empty answer knows nothing.
func required(re *syntax.Regexp) (set []literal, exact bool) {
	switch re.Op {
	case syntax.OpLiteral:
		return literalSet(string(re.Rune), re.Flags&syntax.FoldCase != 0)
	case syntax.OpCapture:
		return required(re.Sub[0])
	case syntax.OpPlus:
		set, exact = required(re.Sub[0])
		return set, exact
	case syntax.OpRepeat:
		if re.Min > 0 {
			set, _ = required(re.Sub[0])
		}
		return set, false
	case syntax.OpAlternate:
		return alternatives(re.Sub)
	case syntax.OpConcat:
		return sequence(re.Sub)
	}
	return nil, false
}

func literalSet(text string, fold bool) ([]literal, bool) {
	if fold && !ascii(text) {
		return nil, false
	}
	if fold && strings.ContainsAny(text, "kKsS") {
		// K and ſ fold to k and s but are not ASCII: the expression decides
		// about lines without the literal, so it may not be required.
		return asciiPart(text)
	}
	return []literal{newLiteral(text, fold)}, true
}

// asciiPart is the longest part of text whose letters fold within ASCII.
func asciiPart(text string) ([]literal, bool) {
	best := ""
	for _, part := range strings.FieldsFunc(text, func(r rune) bool { return strings.ContainsRune("kKsS", r) }) {
		if len(part) > len(best) {
			best = part
		}
	}
	if best == "" {
		return nil, false
	}
	return []literal{newLiteral(best, true)}, false
}

func ascii(s string) bool {
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// alternatives joins the sets of all branches; one that knows nothing spoils
// them all.
func alternatives(branches []*syntax.Regexp) (set []literal, exact bool) {
	exact = true
	for _, b := range branches {
		more, sure := required(b)
		if len(more) == 0 {
			return nil, false
		}
		set = append(set, more...)
		exact = exact && sure
	}
	return set, exact
}

// sequence takes the part with the best set: the one whose shortest literal
// is longest.
func sequence(parts []*syntax.Regexp) (set []literal, exact bool) {
	best := 0
	for _, p := range parts {
		more, sure := required(p)
		if n := shortest(more); n > best {
			best, set = n, more
			exact = sure && len(parts) == 1
		}
	}
	return set, exact
}

func shortest(set []literal) int {
	if len(set) == 0 {
		return 0
	}
	n := len(set[0].text)
	for _, l := range set[1:] {
		n = min(n, len(l.text))
	}
	return n
}
