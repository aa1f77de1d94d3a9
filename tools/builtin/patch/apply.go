package patch

import (
	"fmt"
	"strings"

	"github.com/agent-ls/agent-ls/tools/builtin/match"
	"github.com/agent-ls/agent-ls/workspace/diff"
)

// ApplyError says where a chunk did not fit, and what the file has there.
type ApplyError struct {
	Row int // 1-based line of the patch where the chunk starts
	Msg string
}

func (e *ApplyError) Error() string { return e.Msg }

// source is a file's text and lines.
type source struct {
	text  string
	lines []match.Line
}

func (s *source) line(i int) string { return s.text[s.lines[i].Start:s.lines[i].End] }

// Apply returns the edits that the chunks make in text, in order. Context and
// unchanged lines stay as the file has them, however they were matched; added
// lines get the line ending of their place, and a missing final line ending
// stays missing.
func (f *File) Apply(text string) ([]diff.Edit, error) {
	s := &source{text: text, lines: match.Split(text)}
	var edits []diff.Edit
	cursor := 0
	for _, c := range f.Chunks {
		if c.Context != "" {
			i, ok := s.seek([]string{c.Context}, cursor, false)
			if !ok {
				return nil, s.miss(c, []string{c.Context}, cursor, f.Path, "context '%s' not found in %s", c.Context)
			}
			cursor = i + 1
		}
		next, es, err := s.apply(c, cursor, f.Path)
		if err != nil {
			return nil, err
		}
		edits = append(edits, es...)
		cursor = next
	}
	return edits, nil
}

// apply finds one chunk from cursor on.
func (s *source) apply(c Chunk, cursor int, path string) (int, []diff.Edit, error) {
	var old []string
	for _, l := range c.Lines {
		if l.Op != '+' {
			old = append(old, l.Text)
		}
	}
	at := cursor
	switch {
	case len(old) == 0 && c.AtEnd:
		at = len(s.lines)
	case len(old) > 0:
		i, ok := s.seekChunk(old, cursor, c.AtEnd)
		if !ok {
			return 0, nil, s.miss(c, old, cursor, path, "expected lines not found in %s")
		}
		at = i
	}
	return at + len(old), s.edits(c, at), nil
}

// seekChunk looks for the old lines of a chunk; an anchored one is tried flush
// with the end first, and elsewhere only when exactly one place matches
// (tools.md §5 row 21).
func (s *source) seekChunk(old []string, from int, atEnd bool) (int, bool) {
	if !atEnd {
		return s.seek(old, from, false)
	}
	if i, ok := s.seek(old, from, true); ok {
		return i, true
	}
	i, ok := s.seek(old, from, false)
	if !ok {
		return 0, false
	}
	_, again := s.seek(old, i+1, false)
	return i, !again
}

// tiers are the ways to compare a line, the strictest first; each is tried
// over the whole rest of the file before the next (tools.md §1.11.11).
var tiers = []func(string) string{
	func(s string) string { return s },
	func(s string) string { return strings.TrimRight(s, " \t\r\u00a0") },
	strings.TrimSpace,
	func(s string) string { return strings.TrimSpace(match.Fold(strings.ReplaceAll(s, "…", "..."))) },
}

// seek returns the first line at or after from where want stands.
func (s *source) seek(want []string, from int, atEnd bool) (int, bool) {
	last := len(s.lines) - len(want)
	if atEnd {
		from = max(from, last)
	}
	for _, norm := range tiers {
		w := make([]string, len(want))
		for i := range want {
			w[i] = norm(want[i])
		}
		for i := from; i <= last; i++ {
			if s.equal(i, w, norm) {
				return i, true
			}
		}
	}
	return 0, false
}

func (s *source) equal(at int, want []string, norm func(string) string) bool {
	for j, w := range want {
		if norm(s.line(at+j)) != w {
			return false
		}
	}
	return true
}

// edits turns the changed runs of a chunk that starts at line at into edits.
func (s *source) edits(c Chunk, at int) []diff.Edit {
	var out []diff.Edit
	for i := 0; i < len(c.Lines); {
		if c.Lines[i].Op == ' ' {
			i, at = i+1, at+1
			continue
		}
		first, removed := at, 0
		var added []string
		for ; i < len(c.Lines) && c.Lines[i].Op != ' '; i++ {
			if c.Lines[i].Op == '-' {
				removed++
			} else {
				added = append(added, c.Lines[i].Text)
			}
		}
		at += removed
		out = append(out, s.replace(first, removed, added))
	}
	return out
}

// replace is the edit that puts added in the place of removed lines from
// first on.
func (s *source) replace(first, removed int, added []string) diff.Edit {
	n := len(s.lines)
	start := len(s.text)
	if first < n {
		start = s.lines[first].Start
	}
	end := start
	if removed > 0 {
		end = s.lines[first+removed-1].Next
	}
	var b strings.Builder
	for j, l := range added {
		b.WriteString(l)
		b.WriteString(match.Ending(s.text, s.lines, min(first+j, max(first, first+removed-1))))
	}
	text := b.String()
	if first+removed < n || match.Terminated(s.lines) {
		return diff.Edit{Start: start, End: end, New: text}
	}
	// The file ends without a line ending, and so it stays.
	text = strings.TrimSuffix(strings.TrimSuffix(text, "\n"), "\r")
	switch {
	case removed == 0 && n > 0 && text != "":
		text = match.Ending(s.text, s.lines, n) + text
	case len(added) == 0 && first > 0:
		start = s.lines[first-1].End
	}
	return diff.Edit{Start: start, End: end, New: text}
}

// miss reports a chunk that does not fit from a line on, with the nearest text
// and the first line that differs.
func (s *source) miss(c Chunk, want []string, from int, path, format string, args ...any) error {
	msg := "Patch apply failed: " + fmt.Sprintf(format, append(args, path)...)
	if _, several := s.seek(want, from, false); several {
		msg += " at its end, but in several other places: add lines around them"
	} else if _, before := s.seek(want, 0, false); before {
		msg += "; the lines stand only before an earlier chunk: chunks must be in the order of the file"
	} else if n := match.FindNearest(s.text, strings.Join(want, "\n")); n != nil {
		msg += fmt.Sprintf("; nearest at line %d, first difference at line %d: file %q, patch %q", n.Line, n.DiffLine, n.File, n.Want)
	}
	return &ApplyError{Row: c.Row, Msg: msg}
}
