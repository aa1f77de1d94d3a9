package workspace

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

// failAt makes the n-th disk operation op fail with err, counted from 1.
func (f *fixture) failAt(op string, n int, err error) {
	f.w.fault = func(did, path string) error {
		if did == op {
			if n--; n == 0 {
				return &os.PathError{Op: op, Path: path, Err: err}
			}
		}
		return nil
	}
}

// manyChanges is an Apply that uses every kind of step.
func manyChanges(f *fixture) []Change {
	move := update(f.open("move"), "m", "M")
	move.Op, move.MoveTo = OpMove, f.path("new/deep/moved")
	return []Change{
		update(f.open("edit"), "e", "E"),
		create(f.open("new/made"), "made"),
		{Op: OpDelete, Base: f.open("delete")},
		move,
		create(f.open("over"), "O"),
		{Op: OpCreate, Base: f.open("other/run"), Text: "#!", Mode: 0o755},
	}
}

// TestApplyRollsBack lets each single disk operation of a list fail: either
// way everything is as before and nothing is left behind.
func TestApplyRollsBack(t *testing.T) {
	before := map[string]string{"edit": "e\r\n", "delete": "d", "move": "m", "over": "o", "stay": "s"}
	counts := map[string]int{"create": 5, "write": 5, "sync": 5, "rename": 5, "remove": 2}
	for op, count := range counts {
		for n := 1; n <= count; n++ {
			t.Run(fmt.Sprint(op, n), func(t *testing.T) {
				f := newFixture(t, before)
				must(t, os.Chmod(f.path("delete"), 0o640))
				changes := manyChanges(f)
				f.failAt(op, n, syscall.ENOSPC)
				err := f.applyFails(FSIOError, changes...)
				wantText(t, err, "disk is full", "free space")
				f.wantTree("delete", "edit", "move", "over", "stay")
				for name, text := range before {
					f.wantFile(name, text)
				}
				if info, err := os.Stat(f.path("delete")); err != nil || info.Mode().Perm() != 0o640 {
					t.Errorf("mode of the restored file is %v, %v", info.Mode(), err)
				}
				f.w.fault = nil
				f.apply(changes...) // nothing was remembered wrongly
				f.wantFile("new/deep/moved", "M")
				f.wantFile("other/run", "#!")
			})
		}
		t.Run(op+" beyond", func(t *testing.T) {
			f := newFixture(t, before)
			changes := manyChanges(f)
			f.failAt(op, count+1, syscall.EIO)
			f.apply(changes...)
		})
	}
}

func TestRollbackSaysWhatIsChanged(t *testing.T) {
	f := newFixture(t, map[string]string{"a": "x", "b": "x", "c": "x"})
	f.failAt("rename", 3, syscall.EIO)
	err := f.applyFails(FSIOError, update(f.open("a"), "x", "y"), update(f.open("b"), "x", "y"), update(f.open("c"), "x", "y"))
	wantText(t, err, "cannot write "+f.path("c"), "put back as before: "+f.path("b")+", "+f.path("a"))

	f.failAt("write", 1, syscall.EIO)
	err = f.applyFails(FSIOError, update(f.open("a"), "x", "y"), update(f.open("b"), "x", "y"))
	wantText(t, err, "no file was changed")
}

func TestRollbackThatFailsSaysSo(t *testing.T) {
	f := newFixture(t, map[string]string{"a": "x", "b": "x", "c": "x"})
	renames := 0
	f.w.fault = func(op, path string) error {
		if op == "rename" {
			renames++
		}
		switch {
		case renames == 3 && op == "rename":
			return syscall.EIO
		case renames >= 3 && path == f.path("a"):
			return syscall.ENOSPC
		}
		return nil
	}
	err := f.applyFails(FSIOError, update(f.open("a"), "x", "y"), update(f.open("b"), "x", "y"), update(f.open("c"), "x", "y"))
	wantText(t, err, "still changed", f.path("a")+" (", "put back: "+f.path("b"), "Read these files")
	f.wantFile("a", "y")
	f.wantFile("b", "x")
	f.wantFile("c", "x")
	f.wantTree("a", "b", "c")
}

// TestRollbackLeavesOthersWork lets another process write a file between our
// write of it and the rollback.
func TestRollbackLeavesOthersWork(t *testing.T) {
	f := newFixture(t, map[string]string{"a": "x", "b": "x"})
	changes := []Change{update(f.open("a"), "x", "y"), update(f.open("b"), "x", "y")}
	f.w.fault = func(op, path string) error {
		if op == "rename" && path == f.path("b") {
			f.onDisk("a", "somebody's work")
			return syscall.EIO
		}
		return nil
	}
	err := f.applyFails(FSIOError, changes...)
	wantText(t, err, "still changed", f.path("a"))
	f.wantFile("a", "somebody's work")
}

func TestRollbackKeepsFoldersInUse(t *testing.T) {
	f := newFixture(t, nil)
	f.w.fault = func(op, path string) error {
		if op != "rename" {
			return nil
		}
		f.onDisk("d/other", "somebody's work")
		return syscall.EIO
	}
	f.applyFails(FSIOError, create(f.open("d/e/a"), "x"))
	f.wantTree("d", "d/other")
}

// TestApplySeesLateChanges changes files while their new texts are staged.
func TestApplySeesLateChanges(t *testing.T) {
	f := newFixture(t, map[string]string{"a": "x", "b": "x", "c": "x"})
	update, made := update(f.open("a"), "x", "y"), create(f.open("n"), "y")
	removed := Change{Op: OpDelete, Base: f.open("b")}
	during := func(do func()) {
		f.w.fault = func(op, path string) error {
			if op == "sync" {
				do()
			}
			return nil
		}
	}
	during(func() { f.onDisk("a", "other") })
	f.applyFails(FSStaleVersion, update)
	f.wantFile("a", "other")
	during(func() { f.onDisk("n", "other") })
	f.applyFails(FSExists, made)
	f.wantFile("n", "other")
	during(func() { f.onDisk("b", "other") })
	f.applyFails(FSStaleVersion, create(f.open("m"), "y"), removed)
	f.wantFile("b", "other")
	during(func() { f.remove("c") })
	gone := Change{Op: OpDelete, Base: f.open("c")}
	f.applyFails(FSStaleVersion, create(f.open("m"), "y"), gone)
	f.wantTree("a", "b", "n")
}

func TestStageLeavesNothing(t *testing.T) {
	w := New(Options{})
	dir, err := openFolder(realTemp(t), "", nil)
	must(t, err)
	defer closeQuietly(dir)
	for _, op := range []string{"create", "write", "sync"} {
		broken := errors.New("broken")
		w.fault = func(did, _ string) error {
			if did == op {
				return broken
			}
			return nil
		}
		if temp, err := w.stage(dir, "text", 0, nil); !errors.Is(err, broken) || temp != "" {
			t.Errorf("%s: %q, %v", op, temp, err)
		}
	}
	if entries, err := os.ReadDir(dir.path); err != nil || len(entries) != 0 {
		t.Errorf("left behind: %v, %v", entries, err)
	}
}

func TestStageIsPrivateUntilItIsDone(t *testing.T) {
	needsUnix(t)
	setUmask(t, 0)
	f := newFixture(t, map[string]string{"a": "x"})
	must(t, os.Chmod(f.path("a"), 0o644))
	var names []string
	f.w.fault = func(op, path string) error {
		if op != "write" {
			return nil
		}
		names = append(names, filepath.Base(path))
		if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("mode while writing is %v, %v", info.Mode(), err)
		}
		if filepath.Dir(path) != f.root || filepath.Base(path)[0] != '.' {
			t.Errorf("staged at %s", path)
		}
		return nil
	}
	f.apply(update(f.open("a"), "x", "y"))
	f.apply(update(f.open("a"), "y", "z"))
	if len(names) != 2 || names[0] == names[1] {
		t.Errorf("names %q", names)
	}
}

func TestApplyWithUnreadableFile(t *testing.T) {
	needsUser(t)
	f := newFixture(t, map[string]string{"a": "x", "b": "x"})
	a := f.open("a")
	must(t, os.Chmod(f.path("a"), 0o200))
	_, err := f.Apply(context.Background(), []Change{update(f.open("b"), "x", "y"), update(a, "x", "y")})
	wantCode(t, err, FSPermissionDenied)
	f.wantFile("b", "x")
}
