package review

import (
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// world is a file that agents and its user change, and the ledger that watches.
// Every line is unique, so that what must become of it can be told.
type world struct {
	t    *testing.T
	r    *rand.Rand
	l    *Ledger
	text string
	next int
	// base are the lines that undoing all hunks must leave: those of the start,
	// those that the user wrote, those that were kept.
	base map[string]bool
	// mixed says that the user wrote into an agent's line since the last time
	// that nothing was pending.
	mixed bool
	steps int
	// dir is where the ledger is stored, "" for nowhere; typed says that the
	// user has changed something since it was.
	dir   string
	typed bool
}

func newWorld(t *testing.T, l *Ledger, seed uint64) *world {
	w := &world{t: t, r: seeded(t, seed), l: l, base: map[string]bool{}}
	w.text = w.fresh("start", 30)
	w.base = setOf(w.text)
	return w
}

// fresh returns n new lines.
func (w *world) fresh(who string, n int) string {
	var b strings.Builder
	for range n {
		w.next++
		fmt.Fprintf(&b, "%s %d\n", who, w.next)
	}
	return b.String()
}

func setOf(text string) map[string]bool {
	set := map[string]bool{}
	for line := range strings.Lines(text) {
		set[line] = true
	}
	return set
}

// span returns a random range of lines.
func (w *world) span(atMost int) (before []string, mid []string, after []string) {
	all := lines(w.text)
	from := w.r.IntN(len(all) + 1)
	to := min(len(all), from+w.r.IntN(atMost+1))
	return all[:from], all[from:to], all[to:]
}

func join(parts ...[]string) string { return strings.Join(slices.Concat(parts...), "") }

func (w *world) hunks() []Hunk {
	hunks, err := w.l.Hunks(path)
	must(w.t, err)
	return hunks
}

func (w *world) agent() {
	before, mid, after := w.span(3)
	added := lines(w.fresh("agent", w.r.IntN(4)))
	next := join(before, added, after)
	if next == w.text {
		return
	}
	_ = mid
	by := Attribution{"s", fmt.Sprint("c", w.r.IntN(5))}
	must(w.t, w.l.Record(Change{Path: path, Before: file1(w.text), After: file1(next)}, by))
	w.text = next
	w.flush()
}

// flush stores the ledger, as is done after each change and decision.
func (w *world) flush() {
	must(w.t, w.l.Flush())
	w.typed = false
}

// outside is another process that changes several places at once.
func (w *world) outside() {
	all := lines(w.text)
	var next []string
	for _, line := range all {
		switch {
		case w.r.IntN(10) == 0 && w.base[line]:
			delete(w.base, line)
			continue
		case w.r.IntN(10) == 0:
			added := w.fresh("user", 1)
			w.base[added] = true
			next = append(next, added)
		}
		next = append(next, line)
	}
	w.mixed = true // a line taken and one put beside it are a change of a line
	w.set(join(next))
}

// crash starts the process anew; what was not stored is read from the file.
func (w *world) crash() {
	if w.dir == "" {
		return
	}
	w.l = openLedger(w.t, w.dir, LedgerOptions{MaxMemory: 1})
	w.mixed = w.mixed || w.typed
	must(w.t, w.l.UserEdit(path, file1(w.text)))
}

func (w *world) userInserts() {
	before, _, after := w.span(0)
	added := w.fresh("user", 1+w.r.IntN(2))
	w.set(join(before, lines(added), after))
	maps.Copy(w.base, setOf(added))
}

func (w *world) userDeletes() {
	before, mid, after := w.span(3)
	w.set(join(before, after))
	for _, line := range mid {
		delete(w.base, line)
	}
}

func (w *world) userChanges() {
	before, mid, after := w.span(2)
	if len(mid) == 0 {
		return
	}
	own := 0
	for _, line := range mid {
		if w.base[line] {
			own++
		}
	}
	added := w.fresh("user", 1+w.r.IntN(2))
	w.set(join(before, lines(added), after))
	if own < len(mid) {
		w.mixed = true
		return
	}
	for _, line := range mid {
		delete(w.base, line)
	}
	maps.Copy(w.base, setOf(added))
}

// set makes a text that is not the agent's.
func (w *world) set(text string) {
	w.text, w.typed = text, true
	must(w.t, w.l.UserEdit(path, file1(text)))
}

func (w *world) pick() (Hunk, bool) {
	hunks := w.hunks()
	if len(hunks) == 0 {
		return Hunk{}, false
	}
	return hunks[w.r.IntN(len(hunks))], true
}

func (w *world) keep() {
	h, ok := w.pick()
	if !ok {
		return
	}
	plan, err := w.l.Keep(h.ID)
	must(w.t, err)
	if plan.Done != 1 || len(plan.Steps)+len(plan.Refused) > 0 {
		w.t.Fatalf("keep: %+v", plan)
	}
	for line := range strings.Lines(h.OldText) {
		delete(w.base, line)
	}
	maps.Copy(w.base, setOf(w.text[h.Start:h.End]))
	w.maybeTakeBack(h, w.text)
}

func (w *world) undo() {
	h, ok := w.pick()
	if !ok {
		return
	}
	before := w.text
	plan, err := w.l.Undo(h.ID)
	must(w.t, err)
	if h.Mixed {
		if len(plan.Steps) > 0 || len(plan.Refused) != 1 {
			w.t.Fatalf("a mixed hunk was not refused: %+v", plan)
		}
		return
	}
	apply(w.t, w.l, plan)
	w.flush()
	w.text = plan.Steps[0].After.Text
	if want := before[:h.Start] + h.OldText + before[h.End:]; w.text != want {
		w.t.Fatalf("undo of %q\n got %q\nwant %q", before[h.Start:h.End], w.text, want)
	}
	w.maybeTakeBack(h, before)
}

// maybeTakeBack takes the decision about h back, sometimes; text is what the
// file must hold then.
func (w *world) maybeTakeBack(h Hunk, text string) {
	if w.r.IntN(3) != 0 {
		return
	}
	plan, err := w.l.UndoDecision()
	must(w.t, err)
	apply(w.t, w.l, plan)
	w.flush()
	if len(plan.Refused) > 0 {
		w.t.Fatalf("taking back at once was refused: %+v", plan.Refused)
	}
	if len(plan.Steps) == 1 {
		w.text = plan.Steps[0].After.Text
	}
	if w.text != text {
		w.t.Fatalf("taken back\n got %q\nwant %q", w.text, text)
	}
	if !slices.ContainsFunc(w.hunks(), func(o Hunk) bool { return o.ID == h.ID && o.OldText == h.OldText && o.Start == h.Start }) {
		w.t.Fatalf("the hunk %+v did not come back: %s", h, show(w.t, w.l, path))
	}
	for line := range setOf(w.text[h.Start:h.End]) {
		delete(w.base, line)
	}
	maps.Copy(w.base, setOf(h.OldText))
}

// undoAll undoes everything; what the user wrote and what was kept is left.
func (w *world) undoAll() {
	before := setOf(w.text)
	plan, err := w.l.Undo(ids(w.t, w.l)...)
	must(w.t, err)
	apply(w.t, w.l, plan)
	w.flush()
	if len(plan.Steps) == 1 {
		w.text = plan.Steps[0].After.Text
	}
	for line := range before {
		if strings.HasPrefix(line, "user") && !setOf(w.text)[line] {
			w.t.Fatalf("the user's line %q was lost", line)
		}
	}
	if len(plan.Refused) == 0 && !w.mixed && !maps.Equal(setOf(w.text), w.base) {
		w.t.Fatalf("undo of all\n got %v\nwant %v", slices.Sorted(maps.Keys(setOf(w.text))), slices.Sorted(maps.Keys(w.base)))
	}
}

// settleAll decides about all that is left and begins anew.
func (w *world) settleAll() {
	w.undoAll()
	_, err := w.l.Keep(ids(w.t, w.l)...)
	must(w.t, err)
	if len(w.l.Pending()) > 0 {
		w.t.Fatalf("pending after all decisions: %s", show(w.t, w.l, path))
	}
	w.base, w.mixed = setOf(w.text), false
	if len(w.base) < 10 {
		w.userInserts()
	}
	if all := lines(w.text); len(all) > 100 {
		w.set(join(all[:40]))
		w.base = setOf(w.text)
	}
}

func (w *world) step() {
	w.steps++
	actions := []struct {
		weight int
		do     func()
	}{
		{6, w.agent}, {4, w.userInserts}, {2, w.userDeletes}, {1, w.userChanges}, {3, w.keep}, {3, w.undo}, {1, w.undoAll}, {1, w.settleAll},
		{1, w.outside}, {1, w.crash}, {1, w.flush},
	}
	n := w.r.IntN(24)
	for _, a := range actions {
		if n -= a.weight; n < 0 {
			a.do()
			break
		}
	}
	check(w.t, w.l)
	if text, ok := w.l.Text(path); ok && text != w.text {
		w.t.Fatalf("step %d: the ledger has %q\nthe file has %q", w.steps, text, w.text)
	}
}

// TestRandomInterleavings lets an agent and a user change a file at random,
// while hunks are kept, undone and taken back.
func TestRandomInterleavings(t *testing.T) {
	for seed := range uint64(4) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			w := newWorld(t, newLedger(t), seed+1)
			for range 2500 {
				w.step()
			}
		})
	}
}

// TestRandomCrashes does the same with a ledger that is stored, has no room in
// memory and is opened anew again and again.
func TestRandomCrashes(t *testing.T) {
	dir := t.TempDir()
	w := newWorld(t, openLedger(t, dir, LedgerOptions{MaxMemory: 1}), 11)
	w.dir = dir
	for range 400 {
		w.step()
	}
}

// TestRandomTexts is about texts of few different lines, with and without a
// last line ending, where no diff is unique: undoing what is still whole always
// gives the text before, byte for byte.
func TestRandomTexts(t *testing.T) {
	r := seeded(t, 7)
	text := func() string {
		var b strings.Builder
		for range r.IntN(8) {
			b.WriteString([]string{"a\n", "b\n", "}\n", "\n", "a\r\n"}[r.IntN(5)])
		}
		if r.IntN(3) == 0 {
			b.WriteString([]string{"a", "b", "\r"}[r.IntN(3)])
		}
		return b.String()
	}
	for range 3000 {
		l := newLedger(t)
		start, now := text(), text()
		edit(t, l, start, now, call)
		for range r.IntN(3) {
			next := text()
			edit(t, l, now, next, Attribution{"s", fmt.Sprint(r.IntN(3))})
			now = next
		}
		undone := now
		for _, id := range shuffled(r, ids(t, l)) {
			plan, err := l.Undo(id)
			must(t, err)
			undone = apply(t, l, plan)[path].Text
		}
		if undone != start {
			t.Fatalf("%q became %q; undone it is %q", start, now, undone)
		}
		for {
			plan, err := l.UndoDecision()
			if errors.Is(err, ErrNothingToTakeBack) {
				break
			}
			must(t, err)
			if len(plan.Steps) > 0 {
				undone = apply(t, l, plan)[path].Text
			}
		}
		if undone != now {
			t.Fatalf("%q taken back is %q, not %q", start, undone, now)
		}
	}
}

func shuffled(r *rand.Rand, ids []HunkID) []HunkID {
	r.Shuffle(len(ids), func(i, j int) { ids[i], ids[j] = ids[j], ids[i] })
	return ids
}
