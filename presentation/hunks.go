package presentation

import (
	"strings"

	"github.com/agent-ls/agent-ls/workspace/diff"
)

// contextLines is how many unchanged lines are shown around a change
// (tools.md §3.11).
const contextLines = 3

// Hunks turns before and after of one file into one FileDiff a hunk, with
// three lines of context (tools.md §3.11, Appendix A.3). existed false means
// that the file is new: then there is exactly one diff, without old text.
//
// The texts are the lines joined by "\n", without one at the end: CRLF shows
// as LF, and a file whose line endings changed besides its text shows the
// change of the text. Where nothing but line endings changed, the endings are
// what the diffs hold. Line is that of the first changed line.
func Hunks(path, before, after string, existed bool) []FileDiff {
	if !existed {
		return []FileDiff{{Path: path, NewText: shown(after), Change: ChangeAdd, Line: 1}}
	}
	hunks := diff.Hunks(lf(before), lf(after), contextLines)
	if len(hunks) == 0 {
		hunks = diff.Hunks(before, after, contextLines)
	}
	diffs := make([]FileDiff, 0, len(hunks))
	for _, h := range hunks {
		diffs = append(diffs, fileDiff(path, h))
	}
	return diffs
}

// lf returns s with CRLF as LF.
func lf(s string) string { return strings.ReplaceAll(s, "\r\n", "\n") }

// shown returns a whole text as a card shows it.
func shown(s string) string { return strings.TrimSuffix(lf(s), "\n") }

// fileDiff returns the diff of one hunk.
func fileDiff(path string, h diff.Hunk) FileDiff {
	before, after := joinLines(h.Lines, '+'), joinLines(h.Lines, '-')
	if before == after {
		before, after = withEndings(h.Lines, '+'), withEndings(h.Lines, '-')
	}
	return FileDiff{Path: path, OldText: &before, NewText: after, Line: h.FirstChange}
}

// joinLines joins the lines by newlines, without those of the operation skip.
func joinLines(lines []diff.Line, skip byte) string {
	var b strings.Builder
	first := true
	for _, l := range lines {
		if l.Op == skip {
			continue
		}
		if !first {
			b.WriteByte('\n')
		}
		b.WriteString(l.Text)
		first = false
	}
	return b.String()
}

// withEndings joins the lines with the endings they have.
func withEndings(lines []diff.Line, skip byte) string {
	var b strings.Builder
	for _, l := range lines {
		if l.Op != skip {
			b.WriteString(l.Text)
			b.WriteString(l.EOL)
		}
	}
	return b.String()
}
