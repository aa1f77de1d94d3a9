package review

import "github.com/agent-ls/agent-ls/workspace/diff"

// agentChange takes an applied change of an agent, whose text before is f's.
func (f *file) agentChange(c Change, by Attribution) {
	switch {
	case !c.After.Exists:
		f.agentDelete(by)
	case !f.here.Exists:
		f.agentCreate(c.After, by)
	default:
		f.agentLines(c.After.Text, by)
		if c.After.Mode != 0 {
			f.here.Mode = c.After.Mode
		}
	}
	if c.Path != f.here.Path {
		f.here.Path = c.Path
		f.claim(by)
	}
	if !f.base.Exists {
		f.base.Path = f.here.Path // what was not there before has no name of its own
	}
}

// claim makes by the one who changed the file as a whole.
func (f *file) claim(by Attribution) {
	calls := withCall(f.place.by, by)
	f.place = placeMark{}
	f.place = placeMark{id: f.newID(by, f.base.Path, ""), by: calls}
}

// agentCreate takes a file that was not there.
func (f *file) agentCreate(s State, by Attribution) {
	f.here.Exists, f.here.Mode = true, s.Mode
	if !f.base.Exists {
		f.marks, f.baseText = nil, ""
	}
	f.text = s.Text
	f.rewrite(by)
	f.claim(by)
}

// agentDelete takes the removal of a file.
func (f *file) agentDelete(by Attribution) {
	f.here.Exists = false
	if !f.base.Exists {
		f.marks, f.baseText = nil, "" // it came and went
	}
	f.text = ""
	f.rewrite(by)
	f.claim(by)
}

// rewrite makes the marks anew from the two texts.
func (f *file) rewrite(by Attribution) {
	var calls []Attribution
	for _, m := range f.marks {
		calls = withCall(calls, m.by...)
	}
	m := &mark{
		status: pending, base: span{0, len(f.baseText)}, here: span{0, len(f.text)}, by: withCall(calls, by),
	}
	f.marks = []*mark{m}
	f.tidy(m, true)
}

// chosen are the pending marks among ids, and whether the file as a whole is.
func (f *file) chosen(ids map[HunkID]bool) (marks []*mark, whole bool) {
	for _, m := range f.marks {
		if m.status == pending && ids[m.id] {
			marks = append(marks, m)
		}
	}
	return marks, f.wholeKind() != "" && ids[f.place.id]
}

// after is what a file becomes.
type after struct {
	presence
	text  string
	edits []diff.Edit
}

// undoing returns what the file is without the marks, and without what was done
// to it as a whole where whole says so.
func (f *file) undoing(marks []*mark, whole bool) after {
	a := after{presence: f.here}
	left := 0
	for _, m := range f.marks {
		if m.status == pending {
			left++
		}
	}
	for _, m := range marks {
		a.edits = append(a.edits, diff.Edit{Start: m.here.start, End: m.here.end, New: f.baseText[m.base.start:m.base.end]})
	}
	a.text = mustApply(f.text, a.edits)
	switch {
	case whole && f.moved():
		a.Path = f.base.Path
	case f.base.Exists && !f.here.Exists:
		a.presence = f.base
		a.Path = f.here.Path
	case !f.base.Exists && f.here.Exists && left == len(marks) && a.text == "":
		a.Exists = false
	}
	return a
}

// mustApply applies edits that were made for this very text.
func mustApply(text string, edits []diff.Edit) string {
	out, err := diff.Apply(text, edits)
	if err != nil {
		panic("review: marks do not fit their text: " + err.Error())
	}
	return out
}

// undo makes the file what undoing says and remembers the decision.
func (f *file) undo(marks []*mark, whole bool, decision string) {
	a := f.undoing(marks, whole)
	for i := len(f.marks) - 1; i >= 0; i-- {
		m := f.marks[i]
		if !contains(marks, m) {
			continue
		}
		old, text := f.texts(m)
		f.replaceHere(i, m.here.start, m.here.end, old)
		m.decide(undone, text, decision)
	}
	f.here = a.presence
	if f.here.Exists && !f.base.Exists && !f.hasPendingLines() {
		f.base.Exists = true // what is left is the user's
	}
	if !f.base.Exists {
		f.base.Path = f.here.Path
	}
}

// keep makes the marks, and where whole says so what was done to the file, a
// part of the base.
func (f *file) keep(marks []*mark, whole bool, decision string) {
	for i := len(f.marks) - 1; i >= 0; i-- {
		m := f.marks[i]
		if !contains(marks, m) {
			continue
		}
		old, text := f.texts(m)
		f.replaceBase(i, text)
		m.decide(kept, old, decision)
	}
	switch {
	case f.moved():
		if whole {
			f.base.Path = f.here.Path
		}
	default:
		f.base.Exists, f.base.Mode = f.here.Exists, f.here.Mode
	}
}

// replaceBase replaces the base of mark i.
func (f *file) replaceBase(i int, text string) {
	m := f.marks[i]
	f.baseText = f.baseText[:m.base.start] + text + f.baseText[m.base.end:]
	grown := len(text) - (m.base.end - m.base.start)
	m.base.end += grown
	f.shift(i+1, grown, 0)
}

// decide makes m a decided mark.
func (m *mark) decide(s status, other, decision string) {
	m.status, m.other, m.decision = s, other, decision
	m.written = ""
}

func contains(marks []*mark, m *mark) bool {
	for _, have := range marks {
		if have == m {
			return true
		}
	}
	return false
}

// revivable are the marks of a decision whose text can come back where it was
// without running together with its neighbours.
func (f *file) revivable(decision string) (marks []*mark) {
	for _, m := range f.marks {
		if m.status == pending || m.decision != decision {
			continue
		}
		glued := m.here.start > 0 && f.text[m.here.start-1] != '\n' ||
			m.other != "" && m.other[len(m.other)-1] != '\n' && m.here.end != len(f.text)
		if !glued {
			marks = append(marks, m)
		}
	}
	return marks
}

// reviving returns what the file is when the undone marks are taken back.
func (f *file) reviving(marks []*mark, p part) after {
	a := after{presence: p.Here}
	for _, m := range marks {
		if m.status == undone {
			a.edits = append(a.edits, diff.Edit{Start: m.here.start, End: m.here.end, New: m.other})
		}
	}
	a.text = mustApply(f.text, a.edits)
	return a
}

// revive makes decided marks pending again.
func (f *file) revive(marks []*mark, p part) {
	for i := len(f.marks) - 1; i >= 0; i-- {
		m := f.marks[i]
		if !contains(marks, m) {
			continue
		}
		if m.status == undone {
			f.replaceHere(i, m.here.start, m.here.end, m.other)
		} else {
			f.replaceBase(i, m.other)
		}
		m.status, m.other, m.decision = pending, "", ""
	}
	f.place = placeMark{id: p.PlaceID, by: p.PlaceBy}
	f.here = p.Here
	f.base.Mode = p.Base.Mode
	if p.Base.Exists || f.baseText == "" {
		f.base.Exists, f.base.Path = p.Base.Exists, p.Base.Path
	}
}
