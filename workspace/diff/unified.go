package diff

import (
	"fmt"
	"strings"

	godiff "github.com/sourcegraph/go-diff/diff"
)

// File is the change of one file in a unified diff.
type File struct {
	// OldName and NewName are as in the header; /dev/null for a file that
	// does not exist on that side.
	OldName, NewName string
	Hunks            []Hunk
}

// Unified prints the difference in unified format, readable by patch(1);
// "" for equal texts. oldName or newName may be /dev/null. Bytes that a header
// line cannot hold are quoted in names as git does it.
func Unified(oldName, newName, before, after string, context int) string {
	hunks := Hunks(before, after, context)
	if len(hunks) == 0 {
		return ""
	}
	return File{OldName: oldName, NewName: newName, Hunks: hunks}.Unified()
}

// Unified prints f in unified format; "" when it has no hunks.
func (f File) Unified() string {
	if len(f.Hunks) == 0 {
		return ""
	}
	d := godiff.FileDiff{OrigName: headerName(f.OldName), NewName: headerName(f.NewName)}
	for _, h := range f.Hunks {
		d.Hunks = append(d.Hunks, printable(h))
	}
	text, err := godiff.PrintFileDiff(&d)
	if err != nil {
		panic(fmt.Sprintf("diff: printing into memory failed: %v", err)) // the printer fails only when its writer does
	}
	return string(text)
}

// headerName returns name as a header line can hold it.
func headerName(name string) string {
	if strings.ContainsFunc(name, func(r rune) bool { return r < ' ' || r == '"' || r == '\\' || r == 0x7f }) {
		return quoteName(name)
	}
	if strings.Contains(name, " ") {
		return name + "\t" // ends the name, for readers that would stop at a space
	}
	return name
}

// quoteName quotes name in the manner of C, as git and patch(1) read it.
func quoteName(name string) string {
	var b strings.Builder
	b.WriteByte('"')
	for i := range len(name) {
		switch c := name[i]; {
		case c == '"' || c == '\\':
			b.WriteByte('\\')
			b.WriteByte(c)
		case c < ' ' || c == 0x7f:
			fmt.Fprintf(&b, `\%03o`, c)
		default:
			b.WriteByte(c)
		}
	}
	b.WriteByte('"')
	return b.String()
}

// printable returns h in the printer's form: lines with their prefixes in one
// body, and the place of the mark for a missing newline of the old text. The
// new text lacks its newline when the body does.
func printable(h Hunk) *godiff.Hunk {
	size := 0
	for _, l := range h.Lines {
		size += len(l.Text) + len(l.EOL) + 2
	}
	body := make([]byte, 0, size)
	oldEnd := 0
	for _, l := range h.Lines {
		body = append(append(append(body, l.Op), l.Text...), l.EOL...)
		if l.EOL == "" && l.Op == '-' {
			body = append(body, '\n')
			oldEnd = len(body)
		}
	}
	return &godiff.Hunk{
		OrigStartLine: int32(h.OldStart), OrigLines: int32(h.OldLines),
		NewStartLine: int32(h.NewStart), NewLines: int32(h.NewLines),
		OrigNoNewlineAt: int32(oldEnd), Body: body,
	}
}

// Parse reads a unified diff of any number of files, as patch(1) and git
// write it. Lines around the files' diffs are skipped; a file without hunks (a
// rename, a binary file) is returned without. The error says what is wrong with
// the text. The format is ambiguous in one case: without any context, two
// changed lines that look like a file header are taken for one.
func Parse(unified string) ([]File, error) {
	parsed, err := godiff.ParseMultiFileDiffOptions([]byte(unified), godiff.ParseOptions{KeepCR: true})
	if err != nil {
		return nil, fmt.Errorf("parse unified diff: %w", err)
	}
	files := make([]File, 0, len(parsed))
	for _, d := range parsed {
		f := File{OldName: d.OrigName, NewName: d.NewName}
		for i, h := range d.Hunks {
			hunk, err := parsedHunk(h)
			if err != nil {
				return nil, fmt.Errorf("parse unified diff: %s, hunk %d: %w", d.NewName, i+1, err)
			}
			f.Hunks = append(f.Hunks, hunk)
		}
		files = append(files, f)
	}
	return files, nil
}

// parsedHunk is the reverse of printable. It fails when the lines are not as
// many as the header says.
func parsedHunk(g *godiff.Hunk) (Hunk, error) {
	h := Hunk{OldStart: int(g.OrigStartLine), NewStart: int(g.NewStartLine)}
	body, oldEnd := string(g.Body), int(g.OrigNoNewlineAt)
	line := h.NewStart
	if g.NewLines == 0 {
		line++
	}
	for at := 0; at < len(body); {
		l, rest := cutLine(body[at:])
		at = len(body) - len(rest)
		l.Op, l.Text = cutOp(l.Text)
		if at == oldEnd {
			l.Text += strings.TrimSuffix(l.EOL, "\n")
			l.EOL = ""
		}
		if l.Op != ' ' && h.FirstChange == 0 {
			h.FirstChange = max(line, 1)
		}
		if l.Op != '+' {
			h.OldLines++
		}
		if l.Op != '-' {
			h.NewLines++
			line++
		}
		h.Lines = append(h.Lines, l)
	}
	if h.OldLines != int(g.OrigLines) || h.NewLines != int(g.NewLines) {
		return Hunk{}, fmt.Errorf("its header counts %d old and %d new lines, there are %d and %d",
			g.OrigLines, g.NewLines, h.OldLines, h.NewLines)
	}
	if last := h.NewStart + h.NewLines - 1; h.NewLines > 0 && h.FirstChange > last {
		h.FirstChange = last
	}
	return h, nil
}

// cutOp cuts the prefix off a line of a hunk. A line without any is an empty
// line of context whose space a mail program or an editor removed.
func cutOp(s string) (op byte, text string) {
	if s == "" {
		return ' ', ""
	}
	return s[0], s[1:]
}
