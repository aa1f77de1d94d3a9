package presentation

import (
	"strings"

	"github.com/agent-ls/agent-ls/workspace/diff"
)

const (
	// contextLines is how many unchanged lines are shown around a change
	// (tools.md §3.11).
	contextLines = 3
	// compareLimit is how many bytes of both texts together may lie between
	// the first and the last changed line for the lines to be compared. What
	// is larger is a generated file; no card could hold its hunks.
	compareLimit = 8 << 20
)

// Hunks turns before and after of one file into one FileDiff a hunk, with
// three lines of context (tools.md §3.11, Appendix A.3). existed false means
// that the file is new: then there is exactly one diff, without old text. The
// result has no bound of its own, see [Bound].
//
// The texts are the lines joined by "\n", without one at the end: CRLF shows
// as LF, and a file whose line endings changed besides its text shows the
// change of the text. Where nothing but line endings changed, the endings are
// what the diffs hold. Bytes that are no UTF-8 show as U+FFFD, so that a diff
// stays the same when it is stored. Line is that of the first changed line.
func Hunks(path, before, after string, existed bool) []FileDiff {
	if !existed {
		return []FileDiff{{Path: path, NewText: legible(shown(after)), Change: ChangeAdd, Line: 1}}
	}
	old, new := lf(before), lf(after)
	if old == new {
		old, new = before, after
	}
	head, tail := diff.Common(old, new)
	if len(old)+len(new)-2*(head+tail) > compareLimit {
		return []FileDiff{coarse(path, old, new, head, tail)}
	}
	hunks := diff.Hunks(old, new, contextLines)
	diffs := make([]FileDiff, 0, len(hunks))
	for _, h := range hunks {
		diffs = append(diffs, fileDiff(path, h))
	}
	return diffs
}

// coarse returns all that lies between the common head and tail of two texts
// as one diff.
func coarse(path, before, after string, head, tail int) FileDiff {
	old := legible(before[head : len(before)-tail])
	return FileDiff{
		Path: path, OldText: &old, NewText: legible(after[head : len(after)-tail]),
		Line: strings.Count(after[:head], "\n") + 1,
	}
}

// lf returns s with CRLF as LF.
func lf(s string) string { return strings.ReplaceAll(s, "\r\n", "\n") }

// shown returns a whole text as a card shows it.
func shown(s string) string { return strings.TrimSuffix(lf(s), "\n") }

// legible returns s as JSON can hold it.
func legible(s string) string { return strings.ToValidUTF8(s, "\uFFFD") }

// fileDiff returns the diff of one hunk.
func fileDiff(path string, h diff.Hunk) FileDiff {
	before, after := joinLines(h.Lines, '+'), joinLines(h.Lines, '-')
	if before == after {
		before, after = withEndings(h.Lines, '+'), withEndings(h.Lines, '-')
	}
	before = legible(before)
	return FileDiff{Path: path, OldText: &before, NewText: legible(after), Line: h.FirstChange}
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
