package match

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// folded matches text that differs only in what a model tends to retype:
// line endings, white space at line ends, quotes, dashes, special spaces and
// compatibility forms (tools.md §2.7.2).
func (t *text) folded(old string) []span {
	if !t.utf8() {
		return nil
	}
	needle, _ := fold(old)
	if strings.TrimSpace(needle) == "" {
		return nil
	}
	hay, at := fold(t.s)
	var spans []span
	for from := 0; ; {
		i := strings.Index(hay[from:], needle)
		if i < 0 {
			return spans
		}
		start, end := from+i, from+i+len(needle)
		from = end
		if !boundary(at, start) || !boundary(at, end) {
			from = start + 1
			continue
		}
		spans = append(spans, span{int(at[start]), int(at[end]), 1})
	}
}

// boundary says whether the folded byte at i begins what one source rune
// folded to.
func boundary(at []int32, i int) bool { return i == 0 || at[i] != at[i-1] }

// fold returns the folded text and, for each of its bytes and its end, the
// offset in the source of the rune that it comes from.
func fold(s string) (string, []int32) {
	var b strings.Builder
	b.Grow(len(s))
	at := make([]int32, 0, len(s)+1)
	add := func(text string, from int) {
		b.WriteString(text)
		for range len(text) {
			at = append(at, int32(from))
		}
	}
	for i := 0; i < len(s); {
		r, n := utf8.DecodeRuneInString(s[i:])
		if isBlank(r) {
			j := i + blankRun(s[i:])
			if j == len(s) || strings.HasPrefix(s[j:], "\n") || strings.HasPrefix(s[j:], "\r\n") {
				i = j // white space at the end of a line
				continue
			}
		}
		if strings.HasPrefix(s[i:], "\r\n") {
			n = 2
			add("\n", i)
		} else {
			add(foldRune(r), i)
		}
		i += n
	}
	return b.String(), append(at, int32(len(s)))
}

func isBlank(r rune) bool { return r == ' ' || r == '\t' || unicode.Is(unicode.Zs, r) }

func blankRun(s string) int {
	for i, r := range s {
		if !isBlank(r) {
			return i
		}
	}
	return len(s)
}

func foldRune(r rune) string {
	switch {
	case r < utf8.RuneSelf:
		return string(r)
	case r >= 0x2018 && r <= 0x201b:
		return "'"
	case r >= 0x201c && r <= 0x201f:
		return `"`
	case r >= 0x2010 && r <= 0x2015, r == 0x2212:
		return "-"
	case unicode.Is(unicode.Zs, r):
		return " "
	case r == 0xfeff:
		return ""
	}
	return norm.NFKD.String(string(r))
}

// Fold returns s folded as the Folded mode compares it.
func Fold(s string) string { f, _ := fold(s); return f }
