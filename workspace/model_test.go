package workspace

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/agent-ls/agent-ls/workspace/diff"
)

// slots is how many places of a model file can be edited on their own.
const slots = 5

// modelFile is a file of the model: the values of its slots, nil when it
// does not exist.
type modelFile struct {
	values []string
	// foreign counts what other hands did to it; no value comes back, so two
	// states with the same count differ by own writes only.
	foreign int
}

func (m modelFile) text() string {
	var b strings.Builder
	for i, value := range m.values {
		fmt.Fprintf(&b, "-- slot %d\n%s\n", i, value)
	}
	return b.String()
}

// modelBase is a handle and what the model held when it was opened.
type modelBase struct {
	handle Handle
	then   modelFile
}

// model plays random operations on a view and says what must come of them.
type model struct {
	*fixture
	rnd   *rand.Rand
	files map[string]modelFile
	bases map[string][]modelBase
	n     int
}

var modelPaths = []string{"a", "b", "d/a", "d/e/b", "f/c"}

// TestRandomApplies compares random lists of changes, on fresh and on old
// bases, with other hands between and with failing disks, with a model.
func TestRandomApplies(t *testing.T) {
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	m := &model{
		fixture: newFixture(t, nil), rnd: rand.New(rand.NewPCG(seed, 0)),
		files: map[string]modelFile{}, bases: map[string][]modelBase{},
	}
	done := map[bool]int{}
	for range 800 {
		switch m.rnd.IntN(8) {
		case 0:
			m.otherHands(m.path1())
		case 1, 2, 3:
			m.look(m.path1())
		default:
			done[m.applySome()]++
		}
		m.compare()
		if t.Failed() {
			t.FailNow()
		}
	}
	t.Logf("%d lists were applied, %d refused", done[true], done[false])
	if done[true] < 50 || done[false] < 50 {
		t.Error("the operations are too one-sided to prove anything")
	}
}

func (m *model) path1() string { return modelPaths[m.rnd.IntN(len(modelPaths))] }

// value returns a text that was never used before.
func (m *model) value() string { m.n++; return fmt.Sprintf("value %d", m.n) }

func (m *model) newValues() []string {
	values := make([]string, slots)
	for i := range values {
		values[i] = m.value()
	}
	return values
}

// look opens a file and keeps the handle as a base for later.
func (m *model) look(name string) {
	h := m.read(name)
	m.bases[name] = append(m.bases[name], modelBase{h, m.files[name]})
	if len(m.bases[name]) > 3 {
		m.bases[name] = m.bases[name][1:]
	}
}

// otherHands changes a file as another process does.
func (m *model) otherHands(name string) {
	file := m.files[name]
	file.foreign++
	if file.values != nil && m.rnd.IntN(2) == 0 {
		// That nothing is there can come back, so older bases prove nothing;
		// TestApplyStale has this case.
		file.values, m.bases[name] = nil, nil
		m.remove(name)
	} else {
		file.values = m.newValues()
		m.onDisk(name, file.text())
	}
	m.files[name] = file
}

// applySome applies one to three changes of different files and says whether
// they were made.
func (m *model) applySome() bool {
	changes, after, fits := m.changes()
	if len(changes) == 0 {
		return fits
	}
	failed := false
	if fits && m.rnd.IntN(6) == 0 {
		m.w.fault = func(op, _ string) error {
			if failed || op != "rename" && op != "remove" {
				return nil // only the first fails: taking back works
			}
			failed = true
			return syscall.EIO
		}
	}
	_, err := m.Apply(context.Background(), changes)
	m.w.fault = nil
	if fits = fits && !failed; fits != (err == nil) {
		m.t.Fatalf("Apply of %s: %v, the model says %v", describe(changes), err, fits)
	}
	var coded *Error
	if err != nil && !errors.As(err, &coded) {
		m.t.Fatalf("error without a code: %v", err)
	}
	if err == nil {
		maps.Copy(m.files, after)
	}
	return err == nil
}

// changes returns random changes, what becomes of their files, and whether
// they can be made.
func (m *model) changes() (changes []Change, after map[string]modelFile, fits bool) {
	after, fits = map[string]modelFile{}, true
	for range 1 + m.rnd.IntN(2)*m.rnd.IntN(3) {
		name := m.path1()
		if _, used := after[name]; used {
			continue
		}
		if len(m.bases[name]) == 0 || m.rnd.IntN(3) > 0 {
			m.look(name)
		}
		bases := m.bases[name]
		base := bases[len(bases)-1]
		if m.rnd.IntN(3) == 0 {
			base = bases[m.rnd.IntN(len(bases))]
		}
		change, ok := m.change(name, base, after)
		changes = append(changes, change)
		fits = fits && ok
	}
	return changes, after, fits
}

// change makes one random change and says whether it can be made; after gets
// what becomes of the files.
func (m *model) change(name string, base modelBase, after map[string]modelFile) (c Change, fits bool) {
	now := m.files[name]
	own := now.foreign == base.then.foreign
	same := own && now.text() == base.then.text() && (now.values == nil) == (base.then.values == nil)
	c = Change{Base: base.handle}
	next := now
	switch m.rnd.IntN(4) {
	case 0:
		next.values = m.newValues()
		c.Op, c.Text = OpCreate, next.text()
		fits = own && base.then.values != nil || now.values == nil && base.then.values == nil
	case 1:
		c.Op, next.values = OpDelete, nil
		fits = same && now.values != nil
	case 2:
		return m.move(c, name, base, same, after)
	default:
		next, fits = m.edit(&c, base, now)
		c.Op = OpUpdate
	}
	after[name] = next
	return c, fits
}

// edit gives c the edit of one slot.
func (m *model) edit(c *Change, base modelBase, now modelFile) (next modelFile, fits bool) {
	slot, value := m.rnd.IntN(slots), m.value()
	c.Edits = slotEdit(base, slot, value)
	if now.foreign != base.then.foreign || now.values == nil || base.then.values == nil ||
		now.values[slot] != base.then.values[slot] {
		return now, false
	}
	now.values = slices.Clone(now.values)
	now.values[slot] = value
	return now, true
}

// move makes a random move with an edit, so that no text comes back; the
// target is free, taken, or vacated earlier in the list.
func (m *model) move(c Change, name string, base modelBase, same bool, after map[string]modelFile) (Change, bool) {
	to := m.path1()
	now := m.files[name]
	next, fits := m.edit(&c, base, now)
	c.Op, c.MoveTo = OpMove, m.path(to)
	if to == name { // onto itself: an update
		after[name] = next
		return c, fits
	}
	target, used := after[to]
	if !used {
		target = m.files[to]
	}
	fits = same && now.values != nil && target.values == nil
	target.values = next.values
	after[to] = target
	now.values = nil
	after[name] = now
	return c, fits
}

// slotEdit replaces the value of one slot, as it was in base.
func slotEdit(base modelBase, slot int, value string) []diff.Edit {
	text := base.then.text()
	if text == "" {
		return []diff.Edit{{New: value}}
	}
	start := strings.Index(text, base.then.values[slot]+"\n")
	return []diff.Edit{{Start: start, End: start + len(base.then.values[slot]), New: value}}
}

// compare holds all files of the disk against the model.
func (m *model) compare() {
	m.t.Helper()
	found := 0
	must(m.t, filepath.WalkDir(m.root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		found++
		name, _ := filepath.Rel(m.root, path)
		got, err := os.ReadFile(path)
		if want := m.files[filepath.ToSlash(name)]; want.values == nil || string(got) != want.text() {
			m.t.Errorf("%s holds %q, the model %q", name, got, want.text())
		}
		return err
	}))
	for _, file := range m.files {
		if file.values != nil {
			found--
		}
	}
	if found != 0 {
		m.t.Errorf("the disk has %d files more than the model", found)
	}
}

func describe(changes []Change) string {
	var b strings.Builder
	for _, c := range changes {
		fmt.Fprintf(&b, "[%s %s %s] ", c.Op, filepath.Base(c.Base.Path), c.MoveTo)
	}
	return b.String()
}
