package review

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"

	"github.com/agent-ls/agent-ls/workspace/diff"
)

// status is what is decided about a mark.
type status string

const (
	pending status = "pending"
	// kept and undone marks stand where nothing differs any more. They remember
	// the other text, so that the decision can be taken back, and go when the
	// place changes.
	kept   status = "kept"
	undone status = "undone"
)

// span is the bytes [start,end) of a text.
type span struct{ start, end int }

// mark is a place in both texts of a file. Marks are in order and share no
// byte; outside the pending ones the texts are the same.
type mark struct {
	id     HunkID
	status status
	base   span // in the text before agents
	here   span // in the text of now
	by     []Attribution
	// mixed says that the user wrote into the place; written is what was there
	// before that, "" when it is not known.
	mixed   bool
	written string
	// other and decision are those of a decided mark: the text that is not
	// there now, and the decision.
	other    string
	decision string
}

// newID makes an id from what a hunk is and where it is made.
func (f *file) newID(by Attribution, old, text string) HunkID {
	for n := 0; ; n++ {
		sum := sha256.Sum256(fmt.Appendf(nil, "%q %q %q %d %d %s%s", f.here.Path, by.Session, by.Call, n, len(old), old, text))
		id := HunkID(hex.EncodeToString(sum[:8]))
		if !f.taken(id) {
			return id
		}
	}
}

// last returns the latest call of a list.
func last(by []Attribution) Attribution {
	if len(by) == 0 {
		return Attribution{}
	}
	return by[len(by)-1]
}

// maxCalls bounds how many calls a hunk names: the latest.
const maxCalls = 16

// withCall returns the calls with one more as the latest.
func withCall(by []Attribution, more ...Attribution) []Attribution {
	out := slices.Clone(by)
	for _, a := range more {
		out = slices.DeleteFunc(out, func(have Attribution) bool { return have == a })
		out = append(out, a)
	}
	return out[max(0, len(out)-maxCalls):]
}

// indexAt returns how many marks end at or before the offset of the text of
// now.
func (f *file) indexAt(at int) int {
	i := 0
	for i < len(f.marks) && f.marks[i].here.end <= at {
		i++
	}
	return i
}

// baseOffset maps an offset that is in no pending mark to the base. At a mark
// it is the place after it.
func (f *file) baseOffset(at int) int {
	i := f.indexAt(at)
	if i == 0 {
		return at
	}
	m := f.marks[i-1]
	return m.base.end + at - m.here.end
}

// shift moves the marks from i on.
func (f *file) shift(i, base, here int) {
	for _, m := range f.marks[i:] {
		m.base.start, m.base.end = m.base.start+base, m.base.end+base
		m.here.start, m.here.end = m.here.start+here, m.here.end+here
	}
}

// touched returns which marks [lo,hi) an edit of the text of now reaches into.
// One whose text would run together with the edit's, because a line ending is
// missing between them, counts.
func (f *file) touched(e diff.Edit) (lo, hi int) {
	for lo < len(f.marks) && f.marks[lo].here.end <= e.Start {
		lo++
	}
	for hi = lo; hi < len(f.marks) && f.marks[hi].here.start < e.End; {
		hi++
	}
	if e.New == "" {
		return lo, hi
	}
	for lo > 0 && f.marks[lo-1].here.end == e.Start && f.openEnd(f.marks[lo-1]) {
		lo--
	}
	for !strings.HasSuffix(e.New, "\n") && hi < len(f.marks) && f.marks[hi].here.start == e.End {
		hi++
	}
	return lo, hi
}

// openEnd reports whether the text that m would bring back lacks a line ending.
func (f *file) openEnd(m *mark) bool {
	old := m.other
	if m.status == pending {
		old = f.baseText[m.base.start:m.base.end]
	}
	return old != "" && !strings.HasSuffix(old, "\n")
}

// dropDecided removes the decided marks of [lo,hi) and returns the range of
// those that are left.
func (f *file) dropDecided(lo, hi int) (int, int) {
	before := len(f.marks)
	tail := slices.Clone(f.marks[hi:])
	rest := slices.DeleteFunc(f.marks[lo:hi:hi], func(m *mark) bool { return m.status != pending })
	f.marks = append(f.marks[:lo+len(rest)], tail...)
	return lo, hi - (before - len(f.marks))
}

// replaceHere replaces [start,end) of the text of now, which is within mark i.
func (f *file) replaceHere(i, start, end int, text string) {
	f.text = f.text[:start] + text + f.text[end:]
	grown := len(text) - (end - start)
	f.marks[i].here.end += grown
	f.shift(i+1, 0, grown)
}

// replaceBoth makes an edit that is in no mark in both texts.
func (f *file) replaceBoth(e diff.Edit) {
	i := f.indexAt(e.Start)
	start := f.baseOffset(e.Start)
	end := start + e.End - e.Start
	f.baseText = f.baseText[:start] + e.New + f.baseText[end:]
	f.text = f.text[:e.Start] + e.New + f.text[e.End:]
	grown := len(e.New) - (e.End - e.Start)
	f.shift(i, grown, grown)
}

// union makes one mark of the pending marks [lo,hi) that also covers what e
// replaces.
func (f *file) union(lo, hi int, e diff.Edit) *mark {
	first, end := f.marks[lo], f.marks[hi-1]
	m := &mark{
		id: first.id, status: pending,
		base: span{first.base.start, end.base.end}, here: span{first.here.start, end.here.end},
	}
	for _, old := range f.marks[lo:hi] {
		m.by = withCall(m.by, old.by...)
		m.mixed = m.mixed || old.mixed
	}
	if hi-lo == 1 {
		m.written = first.written
	}
	if before := m.here.start - e.Start; before > 0 {
		m.here.start, m.base.start = e.Start, m.base.start-before
		m.written = ""
	}
	if after := e.End - m.here.end; after > 0 {
		m.here.end, m.base.end = e.End, m.base.end+after
		m.written = ""
	}
	f.marks = slices.Replace(f.marks, lo, hi, m)
	return m
}

// texts returns what m replaced and what is there now.
func (f *file) texts(m *mark) (old, text string) {
	return f.baseText[m.base.start:m.base.end], f.text[m.here.start:m.here.end]
}

// tidy makes of a pending mark what its texts need: nothing where they are the
// same, several marks where lines between are. fresh asks for new ids.
func (f *file) tidy(m *mark, fresh bool) {
	i := slices.Index(f.marks, m)
	if i < 0 || m.status != pending {
		return
	}
	old, text := f.texts(m)
	if m.mixed && m.written != "" && text == m.written {
		m.mixed, m.written = false, ""
	}
	if m.mixed && old != text {
		if fresh {
			m.id = f.newID(last(m.by), old, text)
		}
		return
	}
	var parts []*mark
	grown := 0
	for n, e := range diff.Lines(old, text) {
		p := &mark{
			status: pending, by: m.by,
			base: span{m.base.start + e.Start, m.base.start + e.End},
			here: span{m.here.start + grown + e.Start, m.here.start + grown + e.Start + len(e.New)},
		}
		grown += len(e.New) - (e.End - e.Start)
		if n == 0 && !fresh {
			p.id = m.id
		}
		parts = append(parts, p)
	}
	f.marks = slices.Replace(f.marks, i, i+1, parts...)
	f.name(parts)
}

// name gives an id to the marks that have none.
func (f *file) name(marks []*mark) {
	for _, m := range marks {
		if m.id == "" {
			old, text := f.texts(m)
			m.id = f.newID(last(m.by), old, text)
		}
	}
}

// taken reports whether an id is that of a mark of f.
func (f *file) taken(id HunkID) bool {
	return f.place.id == id || slices.ContainsFunc(f.marks, func(m *mark) bool { return m.id == id })
}
