package review

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
)

// ledgerData is the ledger as stored.
type ledgerData struct {
	Files     []fileData `json:"files"`
	Decisions []decision `json:"decisions"`
}

// fileData is a file as stored.
type fileData struct {
	Base presence `json:"base"`
	Here presence `json:"here"`
	// BaseText and Text name texts.
	BaseText string        `json:"base_text"`
	Text     string        `json:"text"`
	Marks    []markData    `json:"marks"`
	PlaceID  HunkID        `json:"place_id,omitempty"`
	PlaceBy  []Attribution `json:"place_by,omitempty"`
	Unsaved  bool          `json:"unsaved,omitempty"`
}

// markData is a mark as stored.
type markData struct {
	ID       HunkID        `json:"id"`
	Status   status        `json:"status"`
	Base     [2]int        `json:"base_span"`
	Here     [2]int        `json:"here_span"`
	By       []Attribution `json:"by"`
	Mixed    bool          `json:"mixed,omitempty"`
	Written  []byte        `json:"written,omitempty"` // bytes: it may be no UTF-8
	Other    []byte        `json:"other,omitempty"`
	Decision string        `json:"decision,omitempty"`
}

// storedTexts are the names of the texts of a file, and their size in bytes.
type storedTexts struct {
	baseText, text string
	size           int64
}

// update runs fn on the ledger as all processes left it, and stores the result.
// When fn fails nothing is stored.
func (l *Ledger) update(fn func() error) error {
	change := func() error {
		if err := fn(); err != nil {
			return err
		}
		l.prune()
		return nil
	}
	if l.store == nil {
		l.mu.Lock()
		defer l.mu.Unlock()
		return change()
	}
	// The lock between processes comes first: nobody who only notes something
	// waits for another process.
	return l.store.locked(func() error {
		s, err := l.prepare(change)
		if err != nil || s == nil {
			return err
		}
		at, err := l.write(s)
		if err == nil {
			l.written(s, at)
		}
		return err
	})
}

// snapshot is what is to be stored of a ledger that goes on meanwhile.
type snapshot struct {
	data    ledgerData
	at      stamp
	texts   []string
	changes map[*file]int64
	removed []string
}

// prepare makes a change and says what to store, nothing for a ledger that was
// never used. The lock between processes is held.
func (l *Ledger) prepare(change func() error) (*snapshot, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if err := l.adopt(); err != nil {
		return nil, err
	}
	if err := change(); err != nil {
		return nil, err
	}
	if len(l.files) == 0 && len(l.decisions) == 0 && l.saved.Generation == 0 {
		clear(l.removed)
		return nil, nil
	}
	s := &snapshot{at: l.saved, changes: map[*file]int64{}, removed: slices.Collect(maps.Keys(l.removed))}
	for _, d := range l.decisions {
		d.Parts = slices.Clone(d.Parts)
		s.data.Decisions = append(s.data.Decisions, d)
	}
	for _, key := range l.paths() {
		f := l.files[key]
		s.texts = append(s.texts, f.nameTexts()...)
		s.changes[f] = f.changes
		s.data.Files = append(s.data.Files, f.data())
	}
	return s, nil
}

// nameTexts names the texts of f and returns those that are not stored yet.
func (f *file) nameTexts() (texts []string) {
	if f.stored != nil && !f.dirty {
		return nil
	}
	f.stored = &storedTexts{
		baseText: blobName(f.baseText), text: blobName(f.text), size: int64(len(f.baseText) + len(f.text)),
	}
	return []string{f.baseText, f.text}
}

// write stores a snapshot. The lock between processes is held, that of the
// ledger is not: the disk may be slow.
func (l *Ledger) write(s *snapshot) (stamp, error) {
	for _, text := range s.texts {
		if _, err := l.store.keepText(text); err != nil {
			return stamp{}, err
		}
	}
	return l.store.save(ledgerName, s.at, s.data)
}

// written notes what is stored now.
func (l *Ledger) written(s *snapshot, at stamp) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.saved = at
	for f, changes := range s.changes {
		f.dirty = f.changes != changes
	}
	for _, key := range s.removed {
		delete(l.removed, key)
	}
	for i := range l.decisions {
		stored := func(d decision) bool { return d.ID == l.decisions[i].ID }
		l.decisions[i].fresh = l.decisions[i].fresh && !slices.ContainsFunc(s.data.Decisions, stored)
	}
	l.park()
}

// refresh takes over what other processes stored.
func (l *Ledger) refresh() error {
	if l.store == nil {
		return nil
	}
	return l.store.locked(func() error {
		l.mu.Lock()
		defer l.mu.Unlock()
		return l.adopt()
	})
}

// Flush stores what was noted since the last time.
func (l *Ledger) Flush() error {
	l.mu.Lock()
	idle := l.store == nil || !l.anyDirty()
	l.mu.Unlock()
	if idle {
		return nil
	}
	return l.update(func() error { return nil })
}

func (l *Ledger) anyDirty() bool {
	for _, f := range l.files {
		if f.dirty {
			return true
		}
	}
	return len(l.removed) > 0 || slices.ContainsFunc(l.decisions, isFresh)
}

func isFresh(d decision) bool { return d.fresh }

// adopt reads the stored ledger where another process changed it. Of a file
// that was changed here too, our state stays. The lock is held.
func (l *Ledger) adopt() error {
	if !l.store.changed(ledgerName, l.saved) {
		return nil
	}
	var data ledgerData
	at, err := l.store.load(ledgerName, &data)
	switch {
	case !at.read:
		return err
	case err != nil && l.saved.read: // what we know is in memory
		l.store.log.Warn("the stored review is written anew", "error", err)
		l.saved = at
		for _, f := range l.files {
			f.dirty = true
		}
		return nil
	}
	files := l.decode(data)
	for key, f := range l.files {
		if f.dirty {
			files[key] = f
		}
	}
	for key := range l.removed {
		if f := files[key]; f != nil && !f.dirty {
			delete(files, key)
		}
	}
	for _, d := range l.decisions {
		if d.fresh {
			data.Decisions = append(data.Decisions, d)
		}
	}
	l.files, l.decisions, l.saved = files, data.Decisions, at
	return err
}

// decode makes files of stored ones. What cannot be is left out and told in the
// log, so that one bad entry does not cost the others.
func (l *Ledger) decode(data ledgerData) map[string]*file {
	files := map[string]*file{}
	for _, d := range data.Files {
		f, err := d.file()
		if err != nil {
			l.store.log.Warn("the review of a file is lost", "path", d.Here.Path, "error", err)
			continue
		}
		files[pathKey(f.here.Path)] = f
	}
	return files
}

// file makes a file of its stored form.
func (d fileData) file() (*file, error) {
	f := &file{
		base: d.Base, here: d.Here, place: placeMark{d.PlaceID, d.PlaceBy},
		stored: &storedTexts{baseText: d.BaseText, text: d.Text}, parked: true, unsaved: d.Unsaved,
	}
	if d.Here.Path == "" {
		return nil, errors.New("it has no path")
	}
	var before mark
	for _, m := range d.Marks {
		k := &mark{
			id: m.ID, status: m.Status, base: span{m.Base[0], m.Base[1]}, here: span{m.Here[0], m.Here[1]},
			by: m.By, mixed: m.Mixed, written: string(m.Written), other: string(m.Other), decision: m.Decision,
		}
		if !slices.Contains([]status{pending, kept, undone}, k.status) || m.ID == "" {
			return nil, errors.New("a hunk has no id or an unknown status")
		}
		if !k.base.follows(before.base) || !k.here.follows(before.here) || k.base.start-before.base.end != k.here.start-before.here.end {
			return nil, errors.New("its hunks are out of order")
		}
		f.marks = append(f.marks, k)
		before = *k
	}
	return f, nil
}

// follows reports whether s is a span after o.
func (s span) follows(o span) bool { return s.start >= o.end && s.end >= s.start }

// wake brings the texts of f into memory.
func (l *Ledger) wake(f *file) error {
	l.clock++
	f.used = l.clock
	if !f.parked {
		return nil
	}
	baseText, err := l.store.texts.get(f.stored.baseText)
	if err != nil {
		return l.lost(f, err)
	}
	text, err := l.store.texts.get(f.stored.text)
	if err != nil {
		return l.lost(f, err)
	}
	if !f.fits(baseText, text) {
		return l.lost(f, errors.New("the stored hunks do not fit the stored texts"))
	}
	f.baseText, f.text, f.parked = baseText, text, false
	f.stored.size = int64(len(baseText) + len(text))
	return nil
}

// fits reports whether the texts are the same outside the pending marks.
func (f *file) fits(baseText, text string) bool {
	var before mark
	for _, m := range append(slices.Clone(f.marks), &mark{
		status: kept, base: span{len(baseText), len(baseText)}, here: span{len(text), len(text)},
	}) {
		if m.base.end > len(baseText) || m.here.end > len(text) || m.base.start < before.base.end || m.here.start < before.here.end {
			return false
		}
		if baseText[before.base.end:m.base.start] != text[before.here.end:m.here.start] {
			return false
		}
		if m.status != pending && baseText[m.base.start:m.base.end] != text[m.here.start:m.here.end] {
			return false
		}
		before = *m
	}
	return true
}

// lost forgets a file whose stored texts are gone or damaged.
func (l *Ledger) lost(f *file, cause error) error {
	key := pathKey(f.here.Path)
	delete(l.files, key)
	l.removed[key] = true
	return fmt.Errorf("the review of %s is lost: %w", f.here.Path, cause)
}

// data returns f as stored.
func (f *file) data() fileData {
	d := fileData{
		Base: f.base, Here: f.here, BaseText: f.stored.baseText, Text: f.stored.text, PlaceID: f.place.id, PlaceBy: f.place.by,
		Unsaved: f.unsaved,
	}
	for _, m := range f.marks {
		d.Marks = append(d.Marks, markData{
			ID: m.id, Status: m.status, Base: [2]int{m.base.start, m.base.end}, Here: [2]int{m.here.start, m.here.end},
			By: m.by, Mixed: m.mixed, Written: []byte(m.written), Other: []byte(m.other), Decision: m.decision,
		})
	}
	return d
}

// park takes the texts of stored files out of memory that were not used for
// longest, until what is left is within the bound.
func (l *Ledger) park() {
	var awake []*file
	var total int64
	for _, f := range l.files {
		if !f.parked && !f.dirty && f.stored != nil {
			awake = append(awake, f)
			total += f.stored.size
		}
	}
	slices.SortFunc(awake, func(a, b *file) int { return cmp.Compare(a.used, b.used) })
	for _, f := range awake {
		if total <= l.maxMemory {
			return
		}
		total -= f.stored.size
		f.baseText, f.text, f.parked = "", "", true
	}
}
