package diff

import "strings"

// Hunk is a changed region with its context. Line numbers are 1-based; a
// count of 0 follows the convention of unified diffs: the start is then the
// line before the place, 0 at the beginning of the text.
type Hunk struct {
	OldStart, OldLines int
	NewStart, NewLines int
	Lines              []Line
	// FirstChange is the 1-based line of the new text at which the first
	// changed line of this hunk is; for a pure deletion the line after it,
	// or the last line where there is none after it. It is at least 1.
	FirstChange int
}

// Line is one line of a hunk: Op is ' ', '-' or '+', Text without its line
// ending, EOL the ending as in the source ("", "\n" or "\r\n").
type Line struct {
	Op   byte
	Text string
	EOL  string
}

// Hunks returns the differences with the given number of context lines;
// none for equal texts. Changes whose contexts meet share a hunk. A negative
// context counts as 0.
func Hunks(before, after string, context int) []Hunk {
	spans := compare(before, after)
	if len(spans) == 0 {
		return nil
	}
	h := hunker{before: before, after: after, context: max(context, 0)}
	for i, s := range spans {
		h.equal(s.a0, s.b0, i == 0)
		h.change(s)
	}
	h.finish()
	return h.hunks
}

// hunker walks over two texts and collects hunks. a and b are the offsets it
// has come to, oldLine and newLine the lines before them.
type hunker struct {
	before, after    string
	context          int
	hunks            []Hunk
	a, b             int
	oldLine, newLine int
}

// equal passes over equal text up to the offsets a and b of the next change,
// and gives what hunks need of it as context.
func (h *hunker) equal(a, b int, first bool) {
	gap := h.before[h.a:a]
	lines := strings.Count(gap, "\n")
	if !first && lines <= 2*h.context {
		h.add(' ', gap)
	} else {
		skipped := lines
		if !first {
			h.add(' ', firstLines(gap, h.context))
			h.close()
			skipped -= h.context
		}
		lead := lastLines(gap, h.context)
		skipped -= strings.Count(lead, "\n")
		h.oldLine, h.newLine = h.oldLine+skipped, h.newLine+skipped
		h.hunks = append(h.hunks, Hunk{OldStart: h.oldLine + 1, NewStart: h.newLine + 1})
		h.add(' ', lead)
		h.current().FirstChange = h.newLine + 1
	}
	h.a, h.b = a, b
}

// change adds a changed span to the hunk at hand.
func (h *hunker) change(s span) {
	h.add('-', h.before[s.a0:s.a1])
	h.add('+', h.after[s.b0:s.b1])
	h.a, h.b = s.a1, s.b1
}

// finish adds the context after the last change.
func (h *hunker) finish() {
	h.add(' ', firstLines(h.before[h.a:], h.context))
	last := h.current()
	h.close()
	if h.b == len(h.after) && h.newLine < last.FirstChange {
		last.FirstChange = max(h.newLine, 1)
	}
}

// current returns the hunk at hand.
func (h *hunker) current() *Hunk { return &h.hunks[len(h.hunks)-1] }

// close applies the convention for counts of 0 to the hunk at hand.
func (h *hunker) close() {
	k := h.current()
	if k.OldLines == 0 {
		k.OldStart--
	}
	if k.NewLines == 0 {
		k.NewStart--
	}
}

// add adds the lines of text to the hunk at hand.
func (h *hunker) add(op byte, text string) {
	k := h.current()
	n := 0
	for text != "" {
		var line Line
		line, text = cutLine(text)
		line.Op = op
		k.Lines = append(k.Lines, line)
		n++
	}
	if op != '+' {
		k.OldLines += n
		h.oldLine += n
	}
	if op != '-' {
		k.NewLines += n
		h.newLine += n
	}
}

// cutLine cuts the first line off text, which is not empty.
func cutLine(text string) (line Line, rest string) {
	i := strings.IndexByte(text, '\n')
	switch {
	case i < 0:
		return Line{Text: text}, ""
	case i > 0 && text[i-1] == '\r':
		return Line{Text: text[:i-1], EOL: "\r\n"}, text[i+1:]
	}
	return Line{Text: text[:i], EOL: "\n"}, text[i+1:]
}

// firstLines returns the first n lines of s.
func firstLines(s string, n int) string {
	end := 0
	for ; n > 0 && end < len(s); n-- {
		i := strings.IndexByte(s[end:], '\n')
		if i < 0 {
			return s
		}
		end += i + 1
	}
	return s[:end]
}

// lastLines returns the last n lines of s, which is empty or ends a line.
func lastLines(s string, n int) string {
	start := len(s)
	for ; n > 0 && start > 0; n-- {
		start = strings.LastIndexByte(s[:start-1], '\n') + 1
	}
	return s[start:]
}
