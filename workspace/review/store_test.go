package review

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
)

func openStore(t testing.TB, dir string) *Store {
	t.Helper()
	s, err := OpenStore(StoreOptions{Dir: dir})
	must(t, err)
	return s
}

func openLedger(t testing.TB, dir string, o LedgerOptions) *Ledger {
	t.Helper()
	l, err := OpenLedger(openStore(t, dir), o)
	must(t, err)
	return l
}

// TestPendingSurvivesARestart closes nothing: a process that is killed has
// stored what it flushed.
func TestPendingSurvivesARestart(t *testing.T) {
	dir := t.TempDir()
	l := openLedger(t, dir, LedgerOptions{})
	start, after := spell("1 2 3 4 5"), spell("x 2 3 y z 4 5")
	edit(t, l, start, after, call)
	must(t, l.Record(Change{Path: "/b", Before: State{Exists: true, Text: "\xff\x00\n", Mode: 0o755}}, call))
	must(t, l.Flush())
	_, err := l.Keep(l.IDs(path)[0])
	must(t, err)
	want, wantIDs := show(t, l, path), ids(t, l)

	l = openLedger(t, dir, LedgerOptions{})
	if got := show(t, l, path); got != want || !slices.Equal(ids(t, l), wantIDs) {
		t.Fatalf("hunks %s, want %s", got, want)
	}
	typed(t, l, "above\n"+after)
	plan, err := l.Undo(ids(t, l)...)
	must(t, err)
	got := apply(t, l, plan)
	if got["/b"].Text != "\xff\x00\n" || got["/b"].Mode != 0o755 || got[path].Text != "above\n"+spell("x 2 3 4 5") {
		t.Errorf("undone %+v", got)
	}
	must(t, l.Flush())

	l = openLedger(t, dir, LedgerOptions{})
	for range 2 {
		plan, err := l.UndoDecision()
		must(t, err)
		if len(plan.Refused) > 0 {
			t.Errorf("refused %+v", plan.Refused)
		}
		apply(t, l, plan)
	}
	if got := show(t, l, path); got != `1-2 "1\n">"x\n"; 4-6 "">"y\nz\n"` {
		t.Errorf("taken back after a restart: %s", got)
	}
}

func TestUnsavedTextIsRemembered(t *testing.T) {
	dir := t.TempDir()
	l := openLedger(t, dir, LedgerOptions{})
	after := file1(spell("1 x"))
	after.Unsaved = true
	must(t, l.Record(Change{Path: path, Before: file1(spell("1 2")), After: after}, call))
	must(t, l.Flush())
	if l = openLedger(t, dir, LedgerOptions{}); !l.Unsaved(path) {
		t.Error("forgotten")
	}
	typed(t, l, after.Text) // saved
	if l.Unsaved(path) {
		t.Error("still unsaved")
	}
}

// TestTextsBeyondTheBoundLieInTheStore works on many files with room for one.
func TestTextsBeyondTheBoundLieInTheStore(t *testing.T) {
	l := openLedger(t, t.TempDir(), LedgerOptions{MaxMemory: 5000})
	name := func(i int) string { return fmt.Sprint("/f", i) }
	for i := range 10 {
		must(t, l.Record(Change{Path: name(i), Before: file1(numbered(100)), After: file1(numbered(100) + "agent\n")}, call))
		must(t, l.Flush())
	}
	awake := 0
	for _, f := range l.files {
		if !f.parked {
			awake++
		}
	}
	if awake > 3 {
		t.Errorf("%d of 10 files are in memory", awake)
	}
	for i := range 10 {
		must(t, l.UserEdit(name(i), file1("user\n"+numbered(100)+"agent\n")))
	}
	plan, err := l.Undo(ids(t, l)...)
	must(t, err)
	got := apply(t, l, plan)
	for i := range 10 {
		if got[name(i)].Text != "user\n"+numbered(100) {
			t.Errorf("%s: %q", name(i), got[name(i)].Text)
		}
	}
}

func TestTwoProcesses(t *testing.T) {
	dir := t.TempDir()
	a, b := openLedger(t, dir, LedgerOptions{}), openLedger(t, dir, LedgerOptions{})
	must(t, a.Record(Change{Path: "/a", After: file1("a\n")}, call))
	must(t, a.Flush())
	must(t, b.Record(Change{Path: "/b", After: file1("b\n")}, call))
	must(t, b.Flush())
	if got := b.Pending(); !slices.Equal(got, []string{"/a", "/b"}) {
		t.Errorf("the second sees %v", got)
	}
	if _, err := b.Keep(b.IDs("/a")...); err != nil {
		t.Fatal(err)
	}
	plan, err := a.Undo(a.IDs("")...)
	must(t, err)
	if len(plan.Steps) != 0 || len(plan.Refused) != 1 {
		t.Errorf("the first undoes what the second kept: %+v", plan)
	}
	if _, err := a.UndoDecision(); err != nil {
		t.Errorf("the first cannot take the second's keep back: %v", err)
	}
}

// TestProcessesAtOnce lets ledgers and checkpoints of one folder work at the
// same time.
func TestProcessesAtOnce(t *testing.T) {
	dir := t.TempDir()
	var wait sync.WaitGroup
	for i := range 4 {
		l := openLedger(t, dir, LedgerOptions{})
		c, err := OpenCheckpoints(l.store, CheckpointOptions{})
		must(t, err)
		wait.Go(func() {
			for n := range 5 {
				name := fmt.Sprintf("/%d-%d", i, n)
				err := l.Record(Change{Path: name, After: file1(name)}, call)
				c.Mark("s", name)
				keepErr := c.Keep("s", map[string]State{name: {}})
				if err := errors.Join(err, l.Flush(), keepErr); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wait.Wait()
	l := openLedger(t, dir, LedgerOptions{})
	if n := len(l.Pending()); n != 20 {
		t.Errorf("%d files are pending, want 20", n)
	}
	c, err := OpenCheckpoints(l.store, CheckpointOptions{})
	must(t, err)
	if n := len(c.List("s")); n != 20 {
		t.Errorf("%d checkpoints, want 20", n)
	}
}

func TestDamagedFilesAreKeptAside(t *testing.T) {
	for _, content := range []string{"", "{", `{"version":0}`, `{"version":1,"data":7}`, `{"version":1,"data":[7]}`} {
		t.Run(content, func(t *testing.T) {
			dir := t.TempDir()
			s := openStore(t, dir)
			for _, name := range []string{ledgerName, checkpointsName} {
				must(t, os.WriteFile(filepath.Join(dir, name), []byte(content), 0o600))
			}
			var damaged *DamagedError
			l, err := OpenLedger(s, LedgerOptions{})
			if !errors.As(err, &damaged) || l == nil {
				t.Fatalf("ledger %v, error %v", l, err)
			}
			if got, err := os.ReadFile(damaged.Aside); err != nil || string(got) != content {
				t.Errorf("aside %q, %v", got, err)
			}
			if !strings.Contains(err.Error(), damaged.Aside) {
				t.Errorf("the error does not say where it is: %v", err)
			}
			edit(t, l, "1\n", "2\n", call)
			must(t, l.Flush())
			c, err := OpenCheckpoints(s, CheckpointOptions{})
			if !errors.As(err, &damaged) || c == nil {
				t.Fatalf("checkpoints %v, error %v", c, err)
			}
			c.Mark("s", "p")
			must(t, c.Flush())
		})
	}
}

func TestNewerFilesAreLeftAlone(t *testing.T) {
	dir := t.TempDir()
	s := openStore(t, dir)
	newer := `{"version":2,"data":{"what":"ever"}}`
	must(t, os.WriteFile(filepath.Join(dir, ledgerName), []byte(newer), 0o600))
	var e *NewerError
	if _, err := OpenLedger(s, LedgerOptions{}); !errors.As(err, &e) {
		t.Fatalf("got %v", err)
	}
	if got, _ := os.ReadFile(filepath.Join(dir, ledgerName)); string(got) != newer {
		t.Errorf("the file is %q now", got)
	}
}

// TestTruncatedStore cuts the stored ledger and its texts at every length, as a
// disk may that loses its last writes: no panic, no wrong text.
func TestTruncatedStore(t *testing.T) {
	dir := t.TempDir()
	l := openLedger(t, dir, LedgerOptions{})
	edit(t, l, spell("1 2"), spell("1 x"), call)
	must(t, l.Flush())
	whole, err := os.ReadFile(filepath.Join(dir, ledgerName))
	must(t, err)
	for n := range len(whole) {
		must(t, os.WriteFile(filepath.Join(dir, ledgerName), whole[:n], 0o600))
		var damaged *DamagedError
		l, err := OpenLedger(&Store{dir: dir, log: l.store.log, texts: l.store.texts}, LedgerOptions{})
		if !errors.As(err, &damaged) {
			t.Fatalf("%d bytes: %v", n, err)
		}
		if len(l.Pending()) > 0 {
			t.Fatalf("%d bytes: %v is pending", n, l.Pending())
		}
	}
	must(t, os.WriteFile(filepath.Join(dir, ledgerName), whole, 0o600))
	for _, name := range []string{blobName(spell("1 2")), blobName(spell("1 x"))} {
		blob := filepath.Join(dir, "texts", name)
		text, err := os.ReadFile(blob)
		must(t, err)
		must(t, os.WriteFile(blob, text[:2], 0o600))
		if _, err := openLedger(t, dir, LedgerOptions{}).Hunks(path); err == nil {
			t.Error("a damaged text is not told")
		}
		must(t, os.WriteFile(blob, text, 0o600))
	}
	if got := show(t, openLedger(t, dir, LedgerOptions{}), path); got != `1-2 "2\n">"x\n"` {
		t.Errorf("hunks %s", got)
	}
}

// TestStoredNonsense changes the places of stored hunks at random.
func TestStoredNonsense(t *testing.T) {
	r := seeded(t, 5)
	dir := t.TempDir()
	l := openLedger(t, dir, LedgerOptions{})
	edit(t, l, spell("1 2 3 4"), spell("1 x 3 y"), call)
	must(t, l.Flush())
	file := filepath.Join(dir, ledgerName)
	whole, err := os.ReadFile(file)
	must(t, err)
	for range 300 {
		var e envelope
		var data ledgerData
		must(t, json.Unmarshal(whole, &e))
		must(t, json.Unmarshal(e.Data, &data))
		m := &data.Files[0].Marks[r.IntN(2)]
		m.Base[r.IntN(2)] += r.IntN(9) - 4
		m.Here[r.IntN(2)] += r.IntN(9) - 4
		e.Data, err = json.Marshal(data)
		must(t, err)
		changed, err := json.Marshal(e)
		must(t, err)
		must(t, os.WriteFile(file, changed, 0o600))
		l, err := OpenLedger(&Store{dir: dir, log: l.store.log, texts: l.store.texts}, LedgerOptions{})
		must(t, err)
		if _, err := l.Hunks(path); err != nil {
			continue
		}
		f := l.files[path]
		if f != nil && !f.fits(f.baseText, f.text) {
			t.Fatalf("hunks that do not fit are taken: %s", f.describe())
		}
		if plan, err := l.Undo(l.IDs("")...); err == nil {
			for _, s := range plan.Steps {
				must(t, l.Settle(s, s.Before, s.After))
			}
		}
	}
}

func TestSweepLeavesWhatIsNamed(t *testing.T) {
	dir := t.TempDir()
	l := openLedger(t, dir, LedgerOptions{})
	c, err := OpenCheckpoints(l.store, CheckpointOptions{})
	must(t, err)
	c.Mark("s", "p")
	must(t, c.Keep("s", map[string]State{"/c": file1("checkpoint\n")}))
	text := "0\n"
	for i := range 5 {
		next := fmt.Sprintln(i + 1)
		edit(t, l, text, next, call)
		must(t, l.Flush())
		text = next
	}
	must(t, os.WriteFile(filepath.Join(dir, ledgerName+".new-1"), nil, 0o600))
	openStore(t, dir)
	entries, err := os.ReadDir(filepath.Join(dir, "texts"))
	must(t, err)
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
		info, err := e.Info()
		must(t, err)
		if runtime.GOOS != "windows" && info.Mode() != 0o600 {
			t.Errorf("mode %v", info.Mode())
		}
	}
	want := []string{blobName("0\n"), blobName("5\n"), blobName("checkpoint\n")}
	slices.Sort(want)
	if !slices.Equal(names, want) {
		t.Errorf("texts %v, want %v", names, want)
	}
	if leftovers, _ := filepath.Glob(filepath.Join(dir, "*.new-*")); len(leftovers) > 0 {
		t.Errorf("left: %v", leftovers)
	}
}
