package review

import (
	"errors"
	"fmt"
	"slices"
	"time"
)

// maxDecisions bounds how many decisions can be taken back.
const maxDecisions = 200

// decision is a keep or an undo of the user.
type decision struct {
	ID    string    `json:"id"`
	Kind  string    `json:"kind"` // keep or undo
	Time  time.Time `json:"time"`
	Parts []part    `json:"parts"`

	fresh bool // not stored yet
}

// part is what a decision did to one file.
type part struct {
	// Base and Here are the file as a whole before the decision, After after
	// it.
	Base    presence      `json:"base"`
	Here    presence      `json:"here"`
	After   presence      `json:"after"`
	PlaceID HunkID        `json:"place_id,omitempty"`
	PlaceBy []Attribution `json:"place_by,omitempty"`
	// Lines is how many hunks of lines were decided about; Whole says that the
	// hunk about the file as a whole was.
	Lines int  `json:"lines"`
	Whole bool `json:"whole,omitempty"`
}

const (
	kindKeep = "keep"
	kindUndo = "undo"
)

// ErrNothingToTakeBack says that no decision is left to take back.
var ErrNothingToTakeBack = errors.New("there is no decision to take back")

// unknownHunk is the refusal of an id that names nothing.
func unknownHunk(id HunkID) Refusal {
	return Refusal{ID: id, Why: fmt.Sprintf("there is no pending hunk %q; it was decided about or changed since, look at the present ones", id)}
}

// part returns the part of a decision about f as it is, but for After.
func (f *file) part(lines int, whole bool) part {
	return part{Base: f.base, Here: f.here, PlaceID: f.place.id, PlaceBy: f.place.by, Lines: lines, Whole: whole}
}

// byFile groups ids by the file that they are in, in the order of paths; what
// is in none is refused.
func (l *Ledger) byFile(ids []HunkID) (groups []group, refused []Refusal) {
	found := map[HunkID]bool{}
	want := map[HunkID]bool{}
	for _, id := range ids {
		want[id] = true
	}
	for _, path := range l.paths() {
		f := l.files[path]
		marks, whole := f.chosen(want)
		if len(marks) == 0 && !whole {
			continue
		}
		for _, m := range marks {
			found[m.id] = true
		}
		if whole {
			found[f.place.id] = true
		}
		groups = append(groups, group{f, marks, whole})
	}
	for _, id := range ids {
		if !found[id] {
			refused = append(refused, unknownHunk(id))
		}
	}
	return groups, refused
}

// group is what of one file is decided about.
type group struct {
	f     *file
	marks []*mark
	whole bool
}

// count is how many hunks a group has.
func (g group) count() int {
	if g.whole {
		return len(g.marks) + 1
	}
	return len(g.marks)
}

// Keep makes hunks part of the base: no later undo touches them. No file is
// written, so nothing is left to do; ids that name no pending hunk are refused.
func (l *Ledger) Keep(ids ...HunkID) (Plan, error) {
	var plan Plan
	err := l.update(func() error {
		groups, refused := l.byFile(ids)
		plan.Refused = refused
		d := decision{ID: l.newID(), Kind: kindKeep, Time: l.now(), fresh: true}
		for _, g := range groups {
			if err := l.wake(g.f); err != nil {
				return err
			}
			p := g.f.part(len(g.marks), g.whole)
			g.f.keep(g.marks, g.whole, d.ID)
			p.After = g.f.here
			d.Parts = append(d.Parts, p)
			l.touch(g.f)
			plan.Done += g.count()
		}
		if len(d.Parts) > 0 {
			l.decisions = append(l.decisions, d)
		}
		return nil
	})
	return plan, err
}

// Undo plans to put back what hunks replaced. Nothing changes before Settle is
// told of a step. Hunks that the user wrote into are refused.
func (l *Ledger) Undo(ids ...HunkID) (Plan, error) {
	if err := l.refresh(); err != nil {
		return Plan{}, err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	groups, refused := l.byFile(ids)
	plan := Plan{Refused: refused}
	id := l.newID()
	for _, g := range groups {
		if err := l.wake(g.f); err != nil {
			return Plan{}, err
		}
		mixed := func(m *mark) bool { return m.mixed }
		for _, m := range g.marks {
			if m.mixed {
				plan.Refused = append(plan.Refused, Refusal{m.id, g.f.here.Path, "you wrote into these lines, and undoing them would lose it; keep the hunk, or change the lines by hand"})
			}
		}
		g.marks = slices.DeleteFunc(g.marks, mixed)
		if len(g.marks) == 0 && !g.whole {
			continue
		}
		plan.Steps = append(plan.Steps, g.step(id))
	}
	return plan, nil
}

// step is the step that undoes a group.
func (g group) step(decision string) Step {
	s := g.f.stepTo(g.f.undoing(g.marks, g.whole))
	s.decision, s.hunks = decision, g.count()
	for _, m := range g.marks {
		s.undo = append(s.undo, m.id)
	}
	if g.whole {
		s.undo = append(s.undo, g.f.place.id)
	}
	return s
}

// stepTo is the step that makes a of f.
func (f *file) stepTo(a after) Step {
	s := Step{
		Path:   f.here.Path,
		Before: State{Exists: f.here.Exists, Text: f.text, Mode: f.here.Mode},
		After:  State{Exists: a.Exists, Text: a.text, Mode: a.Mode},
		Edits:  a.edits,
	}
	if a.Path != f.here.Path && a.Exists && f.here.Exists {
		s.To = a.Path
	}
	return s
}

// Settle notes that a step was applied: before and after are what the file held
// just before and just after, which may differ from the plan where something
// else was changed meanwhile. It waits for nothing; Flush stores it.
func (l *Ledger) Settle(s Step, before, after State) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	defer l.prune()
	f := l.files[pathKey(s.Path)]
	if f == nil {
		return nil
	}
	if err := l.wake(f); err != nil {
		return err
	}
	if before.Exists && f.here.Exists {
		f.userLines(before.Text)
	}
	if s.takeBack {
		l.takeBack(f, s)
	} else {
		l.undone(f, s)
	}
	l.put(pathKey(s.Path), f)
	if f.here.Exists && after.Exists {
		f.userLines(after.Text)
		f.here.Mode, f.unsaved = after.Mode, after.Unsaved
	}
	return nil
}

// undone carries out the undo of a step.
func (l *Ledger) undone(f *file, s Step) {
	want := map[HunkID]bool{}
	for _, id := range s.undo {
		want[id] = true
	}
	marks, whole := f.chosen(want)
	marks = slices.DeleteFunc(marks, func(m *mark) bool { return m.mixed })
	if len(marks) == 0 && !whole {
		return
	}
	p := f.part(len(marks), whole)
	f.undo(marks, whole, s.decision)
	p.After = f.here
	at := l.decisionAt(s.decision)
	if at < 0 {
		l.decisions = append(l.decisions, decision{ID: s.decision, Kind: kindUndo, Time: l.now(), fresh: true})
		at = len(l.decisions) - 1
	}
	l.decisions[at].Parts = append(l.decisions[at].Parts, p)
}

// decisionAt is the place of a decision, −1 when it is gone.
func (l *Ledger) decisionAt(id string) int {
	return slices.IndexFunc(l.decisions, func(d decision) bool { return d.ID == id })
}

// UndoDecision takes the newest decision back that was not yet taken back. A
// keep is taken back at once; an undo needs its steps applied and settled, or
// dropped. What has changed since is refused. ErrNothingToTakeBack when there
// is no decision.
func (l *Ledger) UndoDecision() (Plan, error) {
	var plan Plan
	err := l.update(func() error {
		if len(l.decisions) == 0 {
			return ErrNothingToTakeBack
		}
		at := len(l.decisions) - 1
		d := l.decisions[at]
		var open []part
		for _, p := range d.Parts {
			waits, err := l.takePartBack(&plan, d, p)
			if err != nil {
				return err
			}
			if waits {
				open = append(open, p)
			}
		}
		l.decisions[at].Parts = open
		l.dropEmpty(at)
		return nil
	})
	return plan, err
}

// dropEmpty removes a decision without parts.
func (l *Ledger) dropEmpty(at int) {
	if len(l.decisions[at].Parts) == 0 {
		l.decisions = slices.Delete(l.decisions, at, at+1)
	}
}

const (
	whyWhole = "the file was created, removed or moved since; the decision about it stands"
	whyLines = "%d of %d hunks were changed since; the decision about them stands"
	whyText  = "the file holds text that was written since; the decision about it stands"
)

// takePartBack takes back a keep of one file, or plans to take back an undo of
// it; waits says that the part needs its step settled.
func (l *Ledger) takePartBack(plan *Plan, d decision, p part) (waits bool, err error) {
	refuse := func(why string) {
		plan.Refused = append(plan.Refused, Refusal{Path: p.After.Path, Why: why})
	}
	f := l.files[pathKey(p.After.Path)]
	if f == nil || f.here.Exists != p.After.Exists {
		refuse(whyWhole)
		return false, nil
	}
	if err := l.wake(f); err != nil {
		return false, err
	}
	marks := f.revivable(d.ID)
	if missing := p.Lines - len(marks); missing > 0 {
		refuse(fmt.Sprintf(whyLines, missing, p.Lines))
	}
	switch {
	case len(marks) == 0 && !p.Whole:
		return false, nil
	case d.Kind == kindKeep:
		f.revive(marks, p)
		l.touch(f)
		plan.Done += p.count()
		return false, nil
	}
	a := f.reviving(marks, p)
	if !a.Exists && a.text != "" {
		refuse(whyText)
		return false, nil
	}
	s := f.stepTo(a)
	s.decision, s.takeBack, s.hunks = d.ID, true, p.count()
	plan.Steps = append(plan.Steps, s)
	return true, nil
}

// count is how many hunks a part decided about.
func (p part) count() int {
	if p.Whole {
		return p.Lines + 1
	}
	return p.Lines
}

// takeBack carries out what a step takes back.
func (l *Ledger) takeBack(f *file, s Step) {
	if p, ok := l.takePart(s); ok {
		f.revive(f.revivable(s.decision), p)
	}
}

// takePart removes the part that a step takes back from its decision.
func (l *Ledger) takePart(s Step) (p part, ok bool) {
	at := l.decisionAt(s.decision)
	if at < 0 {
		return part{}, false
	}
	parts := l.decisions[at].Parts
	i := slices.IndexFunc(parts, func(p part) bool { return pathKey(p.After.Path) == pathKey(s.Path) })
	if i < 0 {
		return part{}, false
	}
	p = parts[i]
	l.decisions[at].Parts = slices.Delete(parts, i, i+1)
	l.dropEmpty(at)
	return p, true
}

// Drop gives up a step that could not be applied: what it undoes stays as it
// is, and a decision that it takes back stands and is not offered again.
func (l *Ledger) Drop(s Step) error {
	if !s.takeBack {
		return nil
	}
	return l.update(func() error {
		l.takePart(s)
		return nil
	})
}
