package match

import (
	"fmt"
	"strings"

	"github.com/agent-ls/agent-ls/workspace/diff"
)

// lineTrimmed compares whole lines with the white space around them taken
// away.
func (t *text) lineTrimmed(old string) []span {
	want := trimAll(splitNeedle(old))
	lines := t.split()
	var spans []span
	for i := 0; i+len(want) <= len(lines); i++ {
		if !t.equalTrimmed(lines[i:i+len(want)], want) {
			continue
		}
		spans = append(spans, t.lineSpan(i, i+len(want)-1, old))
		i += len(want) - 1
	}
	return spans
}

func (t *text) equalTrimmed(lines []Line, want []string) bool {
	for i, l := range lines {
		if strings.TrimSpace(t.s[l.Start:l.End]) != want[i] {
			return false
		}
	}
	return true
}

func trimAll(lines []string) []string {
	for i, l := range lines {
		lines[i] = strings.TrimSpace(l)
	}
	return lines
}

// lineSpan is the span of lines first to last. It takes the last line's
// ending in when the text looked for ends with one, so that a replacement
// that ends with one does not leave an extra blank line.
func (t *text) lineSpan(first, last int, old string) span {
	lines := t.split()
	end := lines[last].End
	if strings.HasSuffix(old, "\n") {
		end = lines[last].Next
	}
	return span{lines[first].Start, end, 1}
}

// blockAnchor finds windows whose first and last lines are those looked for;
// only the windows with the best share of equal inner lines count, and more
// than half must be equal (tools.md §1.7.9).
func (t *text) blockAnchor(old string) []span {
	want := trimAll(splitNeedle(old))
	if len(want) < 3 {
		return nil
	}
	const atLeast = 0.5
	lines := t.split()
	best := atLeast
	var spans []span
	for i := 0; i+len(want) <= len(lines); i++ {
		window := lines[i : i+len(want)]
		score, ok := t.anchorScore(window, want)
		if !ok || score <= atLeast || score < best {
			continue
		}
		if score > best {
			best, spans = score, spans[:0]
		}
		s := t.lineSpan(i, i+len(want)-1, old)
		s.score = score
		if n := len(spans); n == 0 || spans[n-1].end <= s.start {
			spans = append(spans, s)
		}
	}
	return spans
}

// anchorScore is the share of equal inner lines of a window whose anchors are
// equal.
func (t *text) anchorScore(window []Line, want []string) (float64, bool) {
	trimmed := func(i int) string { return strings.TrimSpace(t.s[window[i].Start:window[i].End]) }
	last := len(want) - 1
	if trimmed(0) != want[0] || trimmed(last) != want[last] {
		return 0, false
	}
	equal := 0
	for i := 1; i < last; i++ {
		if trimmed(i) == want[i] {
			equal++
		}
	}
	return float64(equal) / float64(last-1), true
}

// RangeError says what is wrong with a line range.
type RangeError struct{ Start, End, Lines int }

func (e *RangeError) Error() string {
	return fmt.Sprintf("lines %d-%d are no range of a file of %d lines", e.Start, e.End, e.Lines)
}

// Lines replaces the 1-based, inclusive lines start to end by content (seed
// 001; tools.md §2.7.5). start one past the last line and end the last line
// append. Content gets a line ending at its end when the replaced lines had
// one; empty content deletes them.
func Lines(s string, start, end int, content string) (diff.Edit, error) {
	t := newText(s)
	top := len(s) - len(strings.TrimPrefix(s, bom))
	n := CountLines(s[top:])
	if start == n+1 && end == n {
		return t.appendLines(content, n > 0), nil
	}
	if start < 1 || end < start || end > n {
		return diff.Edit{}, &RangeError{Start: start, End: end, Lines: n}
	}
	sp := span{start: skipLines(s, top, start-1), score: 1}
	sp.end = skipLines(s, sp.start, end-start+1)
	terminated := s[sp.end-1] == '\n'
	if content != "" && terminated && !strings.HasSuffix(content, "\n") {
		content += "\n"
	}
	if !terminated {
		content = strings.TrimSuffix(strings.TrimSuffix(content, "\n"), "\r")
	}
	return diff.Edit{Start: sp.start, End: sp.end, New: t.withEndings(sp, content)}, nil
}

// skipLines returns where the line n lines after the one at offset starts.
func skipLines(s string, offset, n int) int {
	for ; n > 0; n-- {
		i := strings.IndexByte(s[offset:], '\n')
		if i < 0 {
			return len(s)
		}
		offset += i + 1
	}
	return offset
}

// appendLines adds content after the last line, if there is one, keeping a
// missing final line ending missing.
func (t *text) appendLines(content string, after bool) diff.Edit {
	at := len(t.s)
	e := endingAt(t.s, t.lineStart(at))
	content = t.withEndings(span{at, at, 1}, content)
	switch {
	case content == "" || !after:
	case !strings.HasSuffix(t.s, "\n"):
		content = e + strings.TrimSuffix(strings.TrimSuffix(content, "\n"), "\r")
	case !strings.HasSuffix(content, "\n"):
		content += e
	}
	return diff.Edit{Start: at, End: at, New: content}
}

// CountLines returns the number of lines of s; a final line ending opens no
// further line.
func CountLines(s string) int {
	n := strings.Count(s, "\n")
	if s != "" && !strings.HasSuffix(s, "\n") {
		n++
	}
	return n
}
