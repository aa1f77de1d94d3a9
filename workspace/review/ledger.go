package review

import (
	"crypto/rand"
	"errors"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"
)

// DefaultMaxMemory is how many bytes of text a ledger holds in memory, unless
// its options say otherwise.
const DefaultMaxMemory = 64 << 20

// LedgerOptions configure a Ledger; every field may be zero.
type LedgerOptions struct {
	// MaxMemory bounds the texts in memory, in bytes; what is beyond it is read
	// from the store when it is needed. Without a store there is no bound.
	MaxMemory int64
	Now       func() time.Time
}

// Ledger is what agents changed in the files of a workspace, and what the user
// decided. Safe for concurrent use.
type Ledger struct {
	store     *Store // nil: in memory alone
	maxMemory int64
	now       func() time.Time

	mu        sync.Mutex
	files     map[string]*file // by pathKey
	decisions []decision       // oldest first
	// removed are files that were settled since the last saving.
	removed map[string]bool
	saved   stamp
	clock   int64 // counts uses, for parking
}

// OpenLedger returns the ledger that is kept in the store, nil for one in
// memory alone. A *DamagedError comes with a ledger that can be used: what was
// stored could not be understood and was put aside.
func OpenLedger(s *Store, o LedgerOptions) (*Ledger, error) {
	l := &Ledger{store: s, maxMemory: o.MaxMemory, now: o.Now, files: map[string]*file{}, removed: map[string]bool{}}
	if l.maxMemory <= 0 {
		l.maxMemory = DefaultMaxMemory
	}
	if l.now == nil {
		l.now = time.Now
	}
	err := l.refresh()
	var damaged *DamagedError
	if err != nil && !errors.As(err, &damaged) {
		return nil, err
	}
	return l, err
}

// pathKey is what all spellings of a path have in common.
func pathKey(path string) string {
	if runtime.GOOS == "windows" {
		return strings.ToLower(path)
	}
	return path
}

func (l *Ledger) newID() string { return rand.Text() }

// paths returns the keys of all files, sorted.
func (l *Ledger) paths() []string {
	keys := make([]string, 0, len(l.files))
	for key := range l.files {
		keys = append(keys, key)
	}
	slices.Sort(keys)
	return keys
}

// touch notes that f was changed.
func (l *Ledger) touch(f *file) {
	l.clock++
	f.dirty, f.used = true, l.clock
	f.changes++
}

// Record notes an applied change of an agent. A text before it that is not the
// one known was changed by others, which is noted first. It waits for nothing;
// Flush stores it.
func (l *Ledger) Record(c Change, by Attribution) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	defer l.prune()
	from := c.Path
	if c.From != "" {
		from = c.From
	}
	f := l.files[pathKey(from)]
	if f == nil || !f.here.Exists && c.Before.Exists {
		f = newFile(from, c.Before)
	}
	if err := l.wake(f); err != nil {
		return err
	}
	if f.here.Exists && c.Before.Exists {
		f.userLines(c.Before.Text)
	}
	if occupant := l.files[pathKey(c.Path)]; c.From != "" && occupant != nil && occupant != f {
		return l.recordOver(f, occupant, c, by)
	}
	f.agentChange(c, by)
	f.unsaved = c.After.Unsaved
	l.put(pathKey(from), f)
	return nil
}

// recordOver notes a move to a path that has a review of its own, such as that
// of a file which an agent removed: as a removal here and a change there.
func (l *Ledger) recordOver(f, there *file, c Change, by Attribution) error {
	if err := l.wake(there); err != nil {
		return err
	}
	gone := Change{Path: c.From, Before: c.Before}
	f.agentChange(gone, by)
	l.put(pathKey(c.From), f)
	there.agentChange(Change{Path: c.Path, Before: State{Exists: there.here.Exists, Text: there.text}, After: c.After}, by)
	l.put(pathKey(c.Path), there)
	return nil
}

// put stores f, which was under the key from, where it is now.
func (l *Ledger) put(from string, f *file) {
	if to := pathKey(f.here.Path); to != from {
		delete(l.files, from)
		l.removed[from] = true
	}
	l.files[pathKey(f.here.Path)] = f
	l.touch(f)
}

// Tracks reports whether the ledger follows the text of a file: whether it has
// hunks or decisions that can be taken back.
func (l *Ledger) Tracks(path string) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.files[pathKey(path)] != nil
}

// UserEdit notes what a file that is followed holds, where no agent made it:
// the user's typing, or another process. Only a file that is there counts. The
// text is what counts, so a notice may come late or twice. It waits for nothing;
// Flush stores it, and after a crash the text of the file tells it again.
func (l *Ledger) UserEdit(path string, now State) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	f := l.files[pathKey(path)]
	if f == nil || !now.Exists {
		return nil
	}
	if err := l.wake(f); err != nil {
		return err
	}
	if !f.here.Exists {
		// Somebody made the file anew; what was removed is no matter of it.
		delete(l.files, pathKey(path))
		l.removed[pathKey(path)] = true
		return nil
	}
	if f.text == now.Text && f.unsaved == now.Unsaved {
		return nil
	}
	f.userLines(now.Text)
	f.unsaved = now.Unsaved
	l.touch(f)
	return nil
}

// Unsaved reports whether a file that is followed held text, when it was last
// told of, that only an editor had.
func (l *Ledger) Unsaved(path string) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	f := l.files[pathKey(path)]
	return f != nil && f.unsaved
}

// Paths returns the files that the ledger follows, sorted.
func (l *Ledger) Paths() []string {
	l.mu.Lock()
	defer l.mu.Unlock()
	var paths []string
	for _, key := range l.paths() {
		paths = append(paths, l.files[key].here.Path)
	}
	return paths
}

// PathOf returns the file that a pending hunk is in.
func (l *Ledger) PathOf(id HunkID) (path string, ok bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	groups, _ := l.byFile([]HunkID{id})
	if len(groups) == 0 {
		return "", false
	}
	return groups[0].f.here.Path, true
}

// Text returns the text that the ledger takes a file to hold.
func (l *Ledger) Text(path string) (text string, ok bool) {
	return l.textOf(path, func(f *file) (string, bool) { return f.text, f.here.Exists })
}

// Base returns what a file was before agents changed it.
func (l *Ledger) Base(path string) (text string, ok bool) {
	return l.textOf(path, func(f *file) (string, bool) { return f.baseText, f.base.Exists })
}

func (l *Ledger) textOf(path string, of func(*file) (string, bool)) (string, bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	f := l.files[pathKey(path)]
	if f == nil || l.wake(f) != nil {
		return "", false
	}
	return of(f)
}

// Hunks returns what is pending in a file, in the order of its lines.
func (l *Ledger) Hunks(path string) ([]Hunk, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	f := l.files[pathKey(path)]
	if f == nil {
		return nil, nil
	}
	if err := l.wake(f); err != nil {
		return nil, err
	}
	return f.hunks(), nil
}

// Pending returns the paths of all files with hunks, sorted.
func (l *Ledger) Pending() []string {
	l.mu.Lock()
	defer l.mu.Unlock()
	var paths []string
	for _, key := range l.paths() {
		if f := l.files[key]; !f.settled() {
			paths = append(paths, f.here.Path)
		}
	}
	return paths
}

// IDs returns the ids of all hunks of a file, or of all files for "".
func (l *Ledger) IDs(path string) []HunkID {
	l.mu.Lock()
	defer l.mu.Unlock()
	var ids []HunkID
	for _, key := range l.paths() {
		f := l.files[key]
		if path != "" && key != pathKey(path) {
			continue
		}
		if f.wholeKind() != "" {
			ids = append(ids, f.place.id)
		}
		for _, m := range f.marks {
			if m.status == pending {
				ids = append(ids, m.id)
			}
		}
	}
	return ids
}

// prune forgets what no hunk and no decision needs.
func (l *Ledger) prune() {
	if drop := len(l.decisions) - maxDecisions; drop > 0 {
		l.decisions = slices.Delete(l.decisions, 0, drop)
	}
	known := map[string]bool{}
	needed := map[string]bool{}
	for _, d := range l.decisions {
		known[d.ID] = true
		for _, p := range d.Parts {
			needed[pathKey(p.After.Path)] = true
		}
	}
	for key, f := range l.files {
		f.marks = slices.DeleteFunc(f.marks, func(m *mark) bool { return m.status != pending && !known[m.decision] })
		if f.settled() && !needed[key] {
			delete(l.files, key)
			l.removed[key] = true
		}
	}
	if l.store == nil {
		clear(l.removed) // nobody to tell
	}
}
