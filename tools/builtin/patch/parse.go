// Package patch reads and applies patches in the Codex format (tools.md
// §1.11): an envelope of "*** Begin Patch" and "*** End Patch" around file
// sections.
//
// Parse knows the grammar and no files; Update.Apply turns one file's chunks
// into edits of its text, so that every byte that the patch does not change
// comes from the file. All functions are pure.
package patch

import (
	"fmt"
	"strings"
)

// Action is what a section does to its file.
type Action string

// The actions.
const (
	Add    Action = "add"
	Update Action = "update"
	Delete Action = "delete"
)

// File is one section of a patch.
type File struct {
	Action Action
	Path   string // as written
	MoveTo string // of an Update that renames, "" otherwise
	// Content is the whole text of an added file.
	Content string
	Chunks  []Chunk // of an Update
	Line    int     // 1-based, of the section's header in the patch
}

// Chunk is one changed place of an Update.
type Chunk struct {
	// Context is the text after "@@": a line to look for before the chunk.
	Context string
	Lines   []Line
	// AtEnd anchors the chunk at the end of the file.
	AtEnd bool
	Row   int // 1-based line of the patch where the chunk starts
}

// Line is one body line: Op is ' ', '-' or '+'.
type Line struct {
	Op   byte
	Text string
}

// ParseError says what is wrong with the text of a patch, and on which line.
type ParseError struct {
	Line int // 1-based, 0 when no line is to blame
	Msg  string
}

func (e *ParseError) Error() string {
	if e.Line == 0 {
		return "Patch parse failed: " + e.Msg
	}
	return fmt.Sprintf("Patch parse failed: line %d: %s", e.Line, e.Msg)
}

// The marker lines.
const (
	beginMarker  = "*** Begin Patch"
	endMarker    = "*** End Patch"
	addMarker    = "*** Add File:"
	deleteMarker = "*** Delete File:"
	updateMarker = "*** Update File:"
	moveMarker   = "*** Move to:"
	eofMarker    = "*** End of File"
)

// parser walks over the lines of a patch.
type parser struct {
	lines []string
	first int // 0-based number of lines[0] in the patch
	at    int
}

// Parse reads a patch. A shell here-document around it (apply_patch <<'EOF')
// is taken away first. Paths are returned as written.
func Parse(text string) ([]File, error) {
	p, err := envelope(text)
	if err != nil {
		return nil, err
	}
	var files []File
	for p.at < len(p.lines) {
		if strings.TrimSpace(p.lines[p.at]) == "" {
			p.at++
			continue
		}
		f, err := p.section()
		if err != nil {
			return nil, err
		}
		files = append(files, f)
	}
	if len(files) == 0 {
		return nil, &ParseError{Msg: "the patch changes no file; add an Add File, Update File or Delete File section"}
	}
	return files, nil
}

// envelope normalises line endings and returns the lines between the markers.
func envelope(text string) (*parser, error) {
	text = strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(text)
	lines := strings.Split(text, "\n")
	first, last := 0, len(lines)-1
	trim := func() {
		for first <= last && strings.TrimSpace(lines[first]) == "" {
			first++
		}
		for last >= first && strings.TrimSpace(lines[last]) == "" {
			last--
		}
	}
	trim()
	if first <= last && strings.Contains(lines[first], "<<") && strings.HasPrefix(strings.TrimSpace(lines[first]), "apply_patch") {
		first, last = first+1, last-1
		trim()
	}
	switch {
	case first > last:
		return nil, &ParseError{Msg: "the patch is empty"}
	case strings.TrimSpace(lines[first]) != beginMarker:
		return nil, &ParseError{Line: first + 1, Msg: fmt.Sprintf("the first line must be %q", beginMarker)}
	case strings.TrimSpace(lines[last]) != endMarker || first == last:
		return nil, &ParseError{Line: last + 1, Msg: fmt.Sprintf("the last line must be %q", endMarker)}
	}
	return &parser{lines: lines[first+1 : last], first: first + 1}, nil
}

// errorf blames line i of the parser.
func (p *parser) errorf(i int, format string, args ...any) error {
	return &ParseError{Line: p.first + i + 1, Msg: fmt.Sprintf(format, args...)}
}

// section reads one file section.
func (p *parser) section() (File, error) {
	start := p.at
	header := strings.TrimSpace(p.lines[p.at])
	f := File{Line: p.first + start + 1}
	for marker, action := range map[string]Action{addMarker: Add, deleteMarker: Delete, updateMarker: Update} {
		if path, ok := strings.CutPrefix(header, marker); ok {
			f.Action, f.Path = action, strings.TrimSpace(path)
		}
	}
	if f.Action == "" {
		return f, p.errorf(start, "unexpected line %q outside a file section", p.lines[start])
	}
	if f.Path == "" {
		return f, p.errorf(start, "the path is missing after %q", header)
	}
	p.at++
	switch f.Action {
	case Add:
		return f, p.added(&f)
	case Update:
		return f, p.updated(&f)
	}
	return f, nil
}

// isHeader says whether a line starts another section.
func isHeader(line string) bool {
	line = strings.TrimSpace(line)
	for _, m := range []string{addMarker, deleteMarker, updateMarker} {
		if strings.HasPrefix(line, m) {
			return true
		}
	}
	return false
}

// added reads the body of an Add File section.
func (p *parser) added(f *File) error {
	var b strings.Builder
	for ; p.at < len(p.lines) && !isHeader(p.lines[p.at]); p.at++ {
		l, ok := strings.CutPrefix(p.lines[p.at], "+")
		switch {
		case ok:
			b.WriteString(l + "\n")
		case strings.TrimSpace(p.lines[p.at]) == "":
		default:
			return p.errorf(p.at, "every line of an added file must start with '+'")
		}
	}
	f.Content = b.String()
	return nil
}

// updated reads the body of an Update File section.
func (p *parser) updated(f *File) error {
	start := p.at - 1
	if p.at < len(p.lines) {
		if to, ok := strings.CutPrefix(strings.TrimSpace(p.lines[p.at]), moveMarker); ok {
			if f.MoveTo = strings.TrimSpace(to); f.MoveTo == "" {
				return p.errorf(p.at, "the path is missing after %q", moveMarker)
			}
			p.at++
		}
	}
	changes := 0
	for p.at < len(p.lines) && !isHeader(p.lines[p.at]) {
		if strings.TrimSpace(p.lines[p.at]) == "" {
			p.at++
			continue
		}
		c, n, err := p.chunk(len(f.Chunks) == 0)
		if err != nil {
			return err
		}
		changes += n
		f.Chunks = append(f.Chunks, c)
	}
	switch {
	case changes == 0 && (f.MoveTo == "" || len(f.Chunks) > 0):
		return p.errorf(start, "update file section must contain at least one '+' or '-' change")
	}
	return nil
}

// chunk reads one chunk and counts its changed lines. Only the first chunk of
// a section may go without its "@@" line.
func (p *parser) chunk(first bool) (Chunk, int, error) {
	c := Chunk{Row: p.first + p.at + 1}
	if after, ok := strings.CutPrefix(p.lines[p.at], "@@"); ok {
		c.Context = strings.TrimLeft(after, " \t")
		p.at++
	} else if !first {
		return c, 0, p.errorf(p.at, "invalid change marker in %q; a chunk starts with \"@@\"", p.lines[p.at])
	}
	changes := 0
	for ; p.at < len(p.lines); p.at++ {
		l := p.lines[p.at]
		if strings.HasPrefix(l, "@@") || isHeader(l) {
			break
		}
		if strings.TrimSpace(l) == eofMarker {
			c.AtEnd = true
			p.at++
			break
		}
		if l == "" {
			if p.onlyBlankAhead() {
				break
			}
			l = " " // an empty line is blank context
		}
		switch l[0] {
		case '+', '-':
			changes++
		case ' ':
		default:
			return c, 0, p.errorf(p.at, "invalid change marker %q; a line starts with ' ', '-' or '+'", l[:1])
		}
		c.Lines = append(c.Lines, Line{Op: l[0], Text: l[1:]})
	}
	return c, changes, nil
}

// onlyBlankAhead says whether nothing but blank lines stands between here and
// the next chunk, section or end.
func (p *parser) onlyBlankAhead() bool {
	for i := p.at; i < len(p.lines); i++ {
		l := p.lines[i]
		if strings.HasPrefix(l, "@@") || isHeader(l) {
			return true
		}
		if l != "" {
			return false
		}
	}
	return true
}
