package match

import (
	"sort"
	"strings"
	"unicode/utf8"
)

// bom is the UTF-8 byte order mark, which belongs to the file and not to its
// first line.
const bom = "\ufeff"

// text is a file's bytes with its lines.
type text struct {
	s       string
	lines   []Line // made on first use
	checked bool   // valid is known
	valid   bool
}

// Line is one line of a text in bytes: [Start,End) without its ending, Next
// where the next line starts.
type Line struct{ Start, End, Next int }

// Split returns the lines of s. A final line ending opens no further line; a
// byte order mark is left out of the first.
func Split(s string) []Line {
	at := 0
	if strings.HasPrefix(s, bom) {
		at = len(bom)
	}
	lines := make([]Line, 0, 1+strings.Count(s, "\n"))
	for at < len(s) {
		l := Line{Start: at, End: len(s), Next: len(s)}
		if i := strings.IndexByte(s[at:], '\n'); i >= 0 {
			l.End, l.Next = at+i, at+i+1
			if l.End > l.Start && s[l.End-1] == '\r' {
				l.End--
			}
		}
		lines = append(lines, l)
		at = l.Next
	}
	return lines
}

// Ending returns the line ending of line i, or of the nearest line before it
// that has one; "\n" for a text without any.
func Ending(s string, lines []Line, i int) string {
	for j := min(i, len(lines)-1); j >= 0; j-- {
		if e := s[lines[j].End:lines[j].Next]; e != "" {
			return e
		}
	}
	return "\n"
}

// Terminated says whether the last line has a line ending, or there is none.
func Terminated(lines []Line) bool {
	n := len(lines)
	return n == 0 || lines[n-1].Next > lines[n-1].End
}

func newText(s string) *text { return &text{s: s} }

// utf8 reports whether the text is UTF-8.
func (t *text) utf8() bool {
	if !t.checked {
		t.checked, t.valid = true, utf8.ValidString(t.s)
	}
	return t.valid
}

func (t *text) split() []Line {
	if t.lines == nil {
		t.lines = Split(t.s)
	}
	return t.lines
}

// lineAt returns the index of the line that holds the byte at offset.
func (t *text) lineAt(offset int) int {
	lines := t.split()
	return max(0, sort.Search(len(lines), func(i int) bool { return lines[i].Start > offset })-1)
}

func (t *text) lineNumbers(spans []span) []int {
	out := make([]int, len(spans))
	for i, s := range spans {
		out[i] = t.lineAt(s.start) + 1
	}
	return out
}

// withEndings returns replacement with its bare line feeds turned into the
// line endings of the lines that the span replaces, line by line, the last
// one's for those beyond. CRLF in the replacement stays.
func (t *text) withEndings(s span, replacement string) string {
	if !strings.Contains(replacement, "\n") {
		return replacement
	}
	at := t.lineStart(s.start)
	last := max(at, t.lineStart(max(s.start, s.end-1)))
	var b strings.Builder
	for {
		before, after, more := strings.Cut(replacement, "\n")
		b.WriteString(before)
		if !more {
			return b.String()
		}
		split := b.Len() == 0 && s.start > 0 && t.s[s.start-1] == '\r' // CRLF
		if split || strings.HasSuffix(before, "\r") {
			b.WriteByte('\n')
		} else {
			b.WriteString(endingAt(t.s, at))
		}
		if i := strings.IndexByte(t.s[at:], '\n'); i >= 0 && at+i+1 <= last {
			at += i + 1
		}
		replacement = after
	}
}

// lineStart returns where the line with the byte at offset starts; at the end
// of the text that is its last line.
func (t *text) lineStart(offset int) int {
	if offset == len(t.s) && offset > 0 {
		offset--
	}
	return strings.LastIndexByte(t.s[:offset], '\n') + 1
}

// endingAt returns the line ending of the line that starts at offset, or of
// the one before it when it has none; "\n" for a text without any.
func endingAt(s string, offset int) string {
	end := strings.IndexByte(s[offset:], '\n') + offset
	if end < offset {
		end = offset - 1
	}
	if end > 0 && s[end-1] == '\r' {
		return "\r\n"
	}
	return "\n"
}

// splitNeedle splits text that is looked for into lines without their
// endings; a final line ending opens no further line.
func splitNeedle(s string) []string {
	lines := strings.Split(s, "\n")
	if len(lines) > 1 && lines[len(lines)-1] == "" {
		lines = lines[:len(lines)-1]
	}
	for i, l := range lines {
		lines[i] = strings.TrimSuffix(l, "\r")
	}
	return lines
}
