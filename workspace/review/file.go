package review

import (
	"io/fs"
	"strings"

	"github.com/agent-ls/agent-ls/workspace/diff"
)

// presence is where a file is and whether it is there.
type presence struct {
	Path   string      `json:"path"`
	Exists bool        `json:"exists"`
	Mode   fs.FileMode `json:"mode,omitempty"`
}

// file is the review of one file. The ledger's lock guards it.
type file struct {
	base     presence // before agents changed it; text is baseText
	here     presence // now
	baseText string
	text     string
	marks    []*mark
	// place is the identity of what an agent did to the file as a whole.
	place placeMark

	unsaved bool // the text is an editor's and not on disk

	stored  *storedTexts // nil: not stored yet
	parked  bool         // the texts are in the store alone
	dirty   bool         // differs from what is stored
	changes int64        // counts changes, to see one while it is stored
	used    int64        // when it was last worked on, for parking
}

// placeMark names the creation, deletion or move of a file.
type placeMark struct {
	id HunkID
	by []Attribution
}

// newFile returns the review of a file that no agent has changed yet.
func newFile(path string, s State) *file {
	at := presence{Path: path, Exists: s.Exists, Mode: s.Mode}
	return &file{base: at, here: at, baseText: s.Text, text: s.Text}
}

// moved reports whether the file has another name than before.
func (f *file) moved() bool {
	return f.base.Exists && f.here.Exists && f.base.Path != f.here.Path
}

// wholeKind says what is pending about the file as a whole that no lines show,
// "" for nothing.
func (f *file) wholeKind() Kind {
	switch {
	case f.moved():
		return KindMove
	case f.base.Exists == f.here.Exists || f.hasPendingLines():
		return ""
	case f.here.Exists:
		return KindCreate
	}
	return KindDelete
}

func (f *file) hasPendingLines() bool {
	for _, m := range f.marks {
		if m.status == pending {
			return true
		}
	}
	return false
}

// settled reports whether nothing is pending.
func (f *file) settled() bool { return !f.hasPendingLines() && f.wholeKind() == "" }

// agentLines takes an agent's change of the text.
func (f *file) agentLines(after string, by Attribution) {
	edits := diff.Lines(f.text, after)
	for i := len(edits) - 1; i >= 0; i-- {
		f.agentEdit(edits[i], by)
	}
}

func (f *file) agentEdit(e diff.Edit, by Attribution) {
	lo, hi := f.dropDecided(f.touched(e))
	if lo == hi {
		at := f.baseOffset(e.Start)
		m := &mark{status: pending, base: span{at, at + e.End - e.Start}, here: span{e.Start, e.End}}
		f.marks = append(f.marks[:lo], append([]*mark{m}, f.marks[lo:]...)...)
	} else {
		f.union(lo, hi, e).written = ""
	}
	m := f.marks[lo]
	m.by = withCall(m.by, by)
	f.replaceHere(lo, e.Start, e.End, e.New)
	f.tidy(m, true)
}

// userLines takes a change of the text that no agent made.
func (f *file) userLines(after string) {
	edits := diff.Lines(f.text, after)
	for i := len(edits) - 1; i >= 0; i-- {
		f.userEdit(edits[i])
	}
}

func (f *file) userEdit(e diff.Edit) {
	lo, hi := f.dropDecided(f.touched(e))
	switch {
	case lo == hi:
		f.replaceBoth(e)
	case e.New == "":
		f.userDelete(e, lo, hi)
	case e.Start == e.End && hi-lo == 1 && f.userInsert(e, f.marks[lo]):
	default:
		f.userReplace(e, lo, hi)
	}
}

// userDelete removes lines: those of the agent from its hunks, which then bring
// back fewer or more lines than they take; the others from both texts.
func (f *file) userDelete(e diff.Edit, lo, hi int) {
	reached := append([]*mark(nil), f.marks[lo:hi]...)
	for i := hi - 1; i >= lo; i-- {
		m := f.marks[i]
		if from := max(m.here.end, e.Start); from < e.End {
			f.replaceBoth(diff.Edit{Start: from, End: e.End})
			e.End = from
		}
		if from := max(m.here.start, e.Start); from < e.End {
			f.replaceHere(i, from, e.End, "")
			e.End = from
		}
	}
	if e.Start < e.End {
		f.replaceBoth(e)
	}
	for _, m := range reached {
		f.tidy(m, false)
	}
}

// userInsert puts whole lines between the lines of an agent: beside the hunk
// when the text is the same there, else the hunk is parted. ok is false where
// that cannot be told.
func (f *file) userInsert(e diff.Edit, m *mark) (ok bool) {
	if m.mixed || e.Start <= m.here.start || e.Start >= m.here.end || f.text[e.Start-1] != '\n' || !strings.HasSuffix(e.New, "\n") {
		return false
	}
	if beside, ok := f.slide(e, m); ok {
		f.replaceBoth(beside)
		return true
	}
	if f.openEnd(m) {
		return false
	}
	rest := &mark{
		status: pending, by: m.by,
		base: span{m.base.end, m.base.end}, here: span{e.Start, m.here.end},
	}
	m.here.end = e.Start
	i := f.indexAt(e.Start)
	f.marks = append(f.marks[:i], append([]*mark{rest}, f.marks[i:]...)...)
	f.replaceBoth(e)
	f.name([]*mark{rest})
	f.tidy(m, false)
	return true
}

// slide moves an insertion within m up or down to the edge of m, when the text
// is the same then.
func (f *file) slide(e diff.Edit, m *mark) (diff.Edit, bool) {
	up := e
	for up.Start > m.here.start {
		start := strings.LastIndexByte(f.text[:up.Start-1], '\n') + 1
		line := f.text[start:up.Start]
		if !strings.HasSuffix(up.New, line) || !startsLine(up.New, len(up.New)-len(line)) {
			break
		}
		up = diff.Edit{Start: start, End: start, New: line + up.New[:len(up.New)-len(line)]}
	}
	if up.Start == m.here.start {
		return up, true
	}
	down := e
	for down.Start < m.here.end {
		n := strings.IndexByte(f.text[down.Start:m.here.end], '\n') + 1
		line := f.text[down.Start : down.Start+n]
		if n == 0 || !strings.HasPrefix(down.New, line) {
			break
		}
		at := down.Start + n
		down = diff.Edit{Start: at, End: at, New: down.New[n:] + line}
	}
	return down, down.Start == m.here.end
}

// startsLine reports whether a line of s starts at i.
func startsLine(s string, i int) bool { return i == 0 || s[i-1] == '\n' }

// userReplace takes the user's text into a hunk, which is mixed from then on.
func (f *file) userReplace(e diff.Edit, lo, hi int) {
	m := f.union(lo, hi, e)
	if !m.mixed {
		m.mixed, m.written = true, f.text[m.here.start:m.here.end]
	}
	f.replaceHere(lo, e.Start, e.End, e.New)
	f.tidy(m, false)
}

// hunks returns what is pending, in order.
func (f *file) hunks() []Hunk {
	var out []Hunk
	if kind := f.wholeKind(); kind != "" {
		h := Hunk{ID: f.place.id, Path: f.here.Path, Kind: kind, By: f.place.by}
		if kind == KindMove {
			h.From = f.base.Path
		}
		out = append(out, h)
	}
	line, at := 0, 0
	for _, m := range f.marks {
		if m.status != pending {
			continue
		}
		line += strings.Count(f.text[at:m.here.start], "\n")
		old, text := f.texts(m)
		h := Hunk{
			ID: m.id, Path: f.here.Path, Kind: KindText, Start: m.here.start, End: m.here.end,
			Line: line, OldText: old, By: m.by, Mixed: m.mixed,
		}
		line += strings.Count(text, "\n")
		h.EndLine = line
		if text != "" && !strings.HasSuffix(text, "\n") {
			h.EndLine++
		}
		at = m.here.end
		out = append(out, h)
	}
	return out
}
