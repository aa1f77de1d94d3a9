package workspace

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/agent-ls/agent-ls/workspace/diff"
)

func TestApplyUpdate(t *testing.T) {
	f := newFixture(t, map[string]string{"a.txt": "one\ntwo\n"})
	got := f.apply(update(f.open("a.txt"), "two", "TWO"))
	f.wantFile("a.txt", "one\nTWO\n")
	f.wantTree("a.txt")
	a := got[0]
	if a.Before.Content() != "one\ntwo\n" || a.After.Content() != "one\nTWO\n" || a.Rebased || a.Door != DoorDisk {
		t.Errorf("applied %+v", a)
	}
	if !a.After.Exists || !a.After.SameAsDisk || a.After.Path != f.path("a.txt") || a.After.Hash() != f.open("a.txt").Hash() {
		t.Errorf("after %+v", a.After)
	}
}

// TestApplyKeepsBytes is field reports 35, 37, 38: bytes outside the edits
// stay, whatever their encoding and line endings.
func TestApplyKeepsBytes(t *testing.T) {
	for _, text := range []string{
		"one\r\nX\r\nthree\r\n",
		"one\r\nX\nthree\rfour",
		"\ufeffone\nX\n",
		"caf\xe9\nX=1\n\xff\xfe\x80",
		"\xff\xfeX\x00\r\x00\n\x00",
		"a\x00X\x00b",
		"X",
	} {
		f := newFixture(t, map[string]string{"a": text})
		f.apply(update(f.open("a"), "X", "yes"))
		f.wantFile("a", strings.Replace(text, "X", "yes", 1))
	}
}

func TestApplyCreate(t *testing.T) {
	f := newFixture(t, map[string]string{"there": "old"})
	missing, there := f.open("d1/d2/new.txt"), f.open("there")
	got := f.apply(create(missing, "text"), create(there, "new"))
	f.wantFile("d1/d2/new.txt", "text")
	f.wantFile("there", "new")
	f.wantTree("d1", "d1/d2", "d1/d2/new.txt", "there")
	if got[0].Before.Exists || !got[0].After.Exists || got[1].Before.Content() != "old" {
		t.Errorf("applied %+v", got)
	}
	err := f.applyFails(FSExists, create(missing, "again"))
	wantText(t, err, "already exists")
	f.wantFile("d1/d2/new.txt", "text")
	f.apply(create(f.open("empty"), ""))
	f.wantFile("empty", "")
}

func TestApplyCreateRefuses(t *testing.T) {
	needsUnix(t)
	f := newFixture(t, map[string]string{"file": "x", "dir/": ""})
	makeSpecialFiles(t, f)
	for name, code := range map[string]string{
		"dir": FSIsDirectory, "file/below": FSNotDirectory, "fifo": FSNotRegular, "fifo/x": FSNotDirectory,
		"dir/" + strings.Repeat("n", 300): FSIOError,
	} {
		f.applyFails(code, create(Handle{Path: f.path(name)}, "text"))
	}
	f.wantTree("dir", "file", "fifo", "socket")
}

func TestApplyMode(t *testing.T) {
	needsUnix(t)
	setUmask(t, 0o027)
	f := newFixture(t, nil)
	f.apply(create(f.open("new"), "x"), Change{Op: OpCreate, Base: f.open("restored"), Text: "x", Mode: 0o755})
	f.onDisk("run.sh", "x")
	must(t, os.Chmod(f.path("run.sh"), 0o755))
	f.onDisk("private", "x")
	must(t, os.Chmod(f.path("private"), 0o600))
	f.onDisk("sticky", "x")
	must(t, os.Chmod(f.path("sticky"), 0o711|os.ModeSetgid))
	f.apply(update(f.open("run.sh"), "x", "y"))
	f.apply(create(f.open("private"), "y"))
	f.apply(update(f.open("sticky"), "x", "y"))
	f.apply(Change{Op: OpMove, Base: f.open("run.sh"), MoveTo: f.path("moved.sh")})
	for name, want := range map[string]os.FileMode{
		"new": 0o640, "restored": 0o755, "private": 0o600, "moved.sh": 0o755, "sticky": 0o711 | os.ModeSetgid,
	} {
		info, err := os.Stat(f.path(name))
		must(t, err)
		if info.Mode() != want {
			t.Errorf("%s has mode %v, want %v", name, info.Mode(), want)
		}
		if h := f.open(name); h.Mode != want {
			t.Errorf("the handle of %s has mode %v", name, h.Mode)
		}
	}
}

func TestApplyKeepsOwner(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("only the superuser can give files away")
	}
	f := newFixture(t, map[string]string{"a": "x"})
	must(t, os.Chown(f.path("a"), 12345, 12345))
	f.apply(update(f.open("a"), "x", "y"))
	if got := ownerOf(t, f.path("a")); got != 12345 {
		t.Errorf("owner is %d", got)
	}
}

func TestApplyDelete(t *testing.T) {
	f := newFixture(t, map[string]string{"a": "x", "b": "y"})
	a := f.open("a")
	got := f.apply(Change{Op: OpDelete, Base: a})
	f.wantTree("b")
	if got[0].Before.Content() != "x" || got[0].After.Exists || got[0].After.Path != f.path("a") {
		t.Errorf("applied %+v", got[0])
	}
	f.applyFails(FSStaleVersion, Change{Op: OpDelete, Base: a})
	f.applyFails(FSNotFound, Change{Op: OpDelete, Base: f.open("none")})
	b := f.open("b")
	f.onDisk("b", "changed")
	f.applyFails(FSStaleVersion, Change{Op: OpDelete, Base: b})
	f.wantFile("b", "changed")
	f.apply(create(f.open("a"), "again"))
	f.wantFile("a", "again")
}

func TestApplyMove(t *testing.T) {
	f := newFixture(t, map[string]string{"a": "one\ntwo\n", "b": "x", "c": "z"})
	move := update(f.open("a"), "two", "TWO")
	move.Op, move.MoveTo = OpMove, f.path("d/e/a2")
	got := f.apply(move)
	f.wantFile("d/e/a2", "one\nTWO\n")
	f.wantTree("b", "c", "d", "d/e", "d/e/a2")
	if got[0].Before.Path != f.path("a") || got[0].After.Path != f.path("d/e/a2") || got[0].After.Content() != "one\nTWO\n" {
		t.Errorf("applied %+v", got[0])
	}
	b := f.open("b")
	f.applyFails(FSExists, Change{Op: OpMove, Base: b, MoveTo: f.path("c")})
	f.applyFails(FSIsDirectory, Change{Op: OpMove, Base: b, MoveTo: f.path("d")})
	f.applyFails(FSNotDirectory, Change{Op: OpMove, Base: b, MoveTo: f.path("c/x")})
	self := update(b, "x", "y")
	self.Op, self.MoveTo = OpMove, f.path("b")
	f.apply(self) // onto itself is an update
	f.wantFile("b", "y")
	f.onDisk("b", "changed")
	f.applyFails(FSStaleVersion, Change{Op: OpMove, Base: b, MoveTo: f.path("new")})
	f.wantTree("b", "c", "d", "d/e", "d/e/a2")
}

// TestApplyIntoVacated is tools.md A.7: delete b and move a to b.
func TestApplyIntoVacated(t *testing.T) {
	f := newFixture(t, map[string]string{"a": "A", "b": "B", "c": "C"})
	a, b, c := f.open("a"), f.open("b"), f.open("c")
	f.apply(
		Change{Op: OpDelete, Base: b},
		Change{Op: OpMove, Base: a, MoveTo: f.path("b")},
		create(a, "new a"), // over what was moved away
		Change{Op: OpMove, Base: c, MoveTo: f.path("d")},
	)
	f.wantFile("b", "A")
	f.wantFile("a", "new a")
	f.wantFile("d", "C")
	f.wantTree("a", "b", "d")
}

func TestApplyOneChangePerFile(t *testing.T) {
	f := newFixture(t, map[string]string{"a": "A", "b": "B"})
	a, b := f.open("a"), f.open("b")
	for _, changes := range [][]Change{
		{update(a, "A", "X"), update(a, "A", "Y")},
		{update(a, "A", "X"), {Op: OpDelete, Base: a}},
		{{Op: OpDelete, Base: a}, {Op: OpDelete, Base: a}},
		{{Op: OpDelete, Base: a}, update(a, "A", "X")},
		{create(f.open("n"), "1"), create(f.open("n"), "2")},
		{{Op: OpMove, Base: a, MoveTo: f.path("n")}, create(f.open("n"), "2")},
		{{Op: OpMove, Base: a, MoveTo: f.path("n")}, {Op: OpMove, Base: b, MoveTo: f.path("n")}},
		{{Op: OpMove, Base: a, MoveTo: f.path("b")}, {Op: OpMove, Base: b, MoveTo: f.path("n")}},
	} {
		f.applyFails(FSExists, changes...)
		f.wantTree("a", "b")
		f.wantFile("a", "A")
		f.wantFile("b", "B")
	}
}

func TestApplyNothing(t *testing.T) {
	f := newFixture(t, map[string]string{"a": "x"})
	if got, err := f.Apply(context.Background(), nil); got != nil || err != nil {
		t.Errorf("Apply of nothing: %v, %v", got, err)
	}
	before, err := os.Stat(f.path("a"))
	must(t, err)
	f.apply(create(f.open("a"), "x")) // the text that is there
	after, err := os.Stat(f.path("a"))
	must(t, err)
	if !os.SameFile(before, after) {
		t.Error("a file that does not change is written")
	}
	_, err = f.Apply(context.Background(), []Change{{Op: "rub", Base: f.open("a")}})
	wantText(t, err, "rub")
	_, err = f.Apply(context.Background(), []Change{{Op: OpUpdate, Base: f.open("a"), Edits: []diff.Edit{{Start: 5, End: 9}}}})
	wantText(t, err, "edits of")
	f.wantFile("a", "x")
}

// TestApplyStale is the last paragraph of contract §3 in both directions.
func TestApplyStale(t *testing.T) {
	const text = "one\ntwo\nthree\nfour\nfive\n"
	tests := []struct {
		name    string
		between func(f *fixture)
		after   string // "" is FS_STALE_VERSION
	}{
		{"nothing", func(*fixture) {}, "one\ntwo\nthree\nfour\nFIVE\n"},
		{"another process, elsewhere", func(f *fixture) { f.onDisk("a", "ONE\ntwo\nthree\nfour\nfive\n") }, ""},
		{"another process, and then read", func(f *fixture) { f.onDisk("a", "ONE\ntwo\nthree\nfour\nfive\n"); f.read("a") }, ""},
		{"another session", func(f *fixture) {
			_, err := f.w.View(ViewOptions{Cwd: f.root}).Apply(f.t.Context(), []Change{update(f.open("a"), "one", "ONE")})
			must(f.t, err)
		}, ""},
		{"removed", func(f *fixture) { f.remove("a") }, ""},
		{"own edit, elsewhere", func(f *fixture) { f.apply(update(f.open("a"), "one", "1\n1")) },
			"1\n1\ntwo\nthree\nfour\nFIVE\n"},
		{"own edit, at the place", func(f *fixture) { f.apply(update(f.open("a"), "five", "5")) }, ""},
		{"own edit, then another's", func(f *fixture) {
			f.apply(update(f.open("a"), "one", "1"))
			f.onDisk("a", "1\ntwo\nthree\nfour\nfive\nsix\n")
		}, ""},
		{"another's, then own", func(f *fixture) {
			f.onDisk("a", "1\ntwo\nthree\nfour\nfive\n")
			f.apply(update(f.open("a"), "two", "2"))
		}, ""},
		{"own delete", func(f *fixture) { f.apply(Change{Op: OpDelete, Base: f.open("a")}) }, ""},
		{"typed and saved elsewhere", func(f *fixture) {
			f.docs.hold(f.path("a"), "typed\n"+text, true)
			f.docs.save(f.t, f.path("a"))
		}, "typed\none\ntwo\nthree\nfour\nFIVE\n"},
		{"typed and saved at the place", func(f *fixture) {
			f.docs.hold(f.path("a"), "one\ntwo\nthree\nfour\n5\n", true)
			f.docs.save(f.t, f.path("a"))
		}, ""},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			f := newFixture(t, map[string]string{"a": text})
			base := f.read("a")
			test.between(f)
			change := update(base, "five", "FIVE")
			if test.after == "" {
				f.applyFails(FSStaleVersion, change)
				return
			}
			got := f.apply(change)
			f.wantFile("a", test.after)
			if rebased := test.name != "nothing"; got[0].Rebased != rebased {
				t.Errorf("rebased is %v", got[0].Rebased)
			}
		})
	}
}

func TestApplyStaleBeatsEverything(t *testing.T) {
	f := newFixture(t, map[string]string{"a": "one\n", "b": "two\n"})
	a, b := f.read("a"), f.read("b")
	f.onDisk("b", "changed\n")
	f.applyFails(FSStaleVersion, update(a, "one", "ONE"), update(b, "two", "TWO"))
	f.wantFile("a", "one\n")
	f.wantFile("b", "changed\n")
	f.wantTree("a", "b")
}

func TestApplyCreateOver(t *testing.T) {
	tests := []struct {
		name    string
		between func(f *fixture)
		exact   bool
		code    string
	}{
		{"nothing", func(*fixture) {}, false, ""},
		{"own edit", func(f *fixture) { f.apply(update(f.open("a"), "one", "1")) }, false, ""},
		{"own edit, exact", func(f *fixture) { f.apply(update(f.open("a"), "one", "1")) }, true, FSStaleVersion},
		{"another's edit", func(f *fixture) { f.onDisk("a", "other\n") }, false, FSStaleVersion},
		{"own delete", func(f *fixture) { f.apply(Change{Op: OpDelete, Base: f.open("a")}) }, false, ""},
		{"own delete, exact", func(f *fixture) { f.apply(Change{Op: OpDelete, Base: f.open("a")}) }, true, FSStaleVersion},
		{"another's delete", func(f *fixture) { f.remove("a") }, false, FSStaleVersion},
		{"typed and saved", func(f *fixture) {
			f.docs.hold(f.path("a"), "typed\n", true)
			f.docs.save(f.t, f.path("a"))
		}, false, FSStaleVersion},
		{"typed", func(f *fixture) { f.docs.hold(f.path("a"), "typed\n", true) }, false, FSStaleVersion},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			f := newFixture(t, map[string]string{"a": "one\n"})
			c := create(f.read("a"), "whole\n")
			c.Exact = test.exact
			test.between(f)
			if test.code != "" {
				f.applyFails(test.code, c)
				return
			}
			f.apply(c)
			f.wantFile("a", "whole\n")
		})
	}
}

// TestApplyExactUpdate is a named hash: exactly one of two edits wins.
func TestApplyExactUpdate(t *testing.T) {
	f := newFixture(t, map[string]string{"a": "one\ntwo\nthree\n"})
	base := f.read("a")
	first, second := update(base, "one", "1"), update(base, "three", "3")
	first.Exact, second.Exact = true, true
	f.apply(first)
	f.applyFails(FSStaleVersion, second)
	f.wantFile("a", "1\ntwo\nthree\n")
}

func TestOverlapShowsBothTexts(t *testing.T) {
	f := newFixture(t, map[string]string{"a": "one\ntwo\nthree\nfour\nfive\nsix\n"})
	base := f.read("a")
	f.apply(update(base, "two", "zwei"))
	err := f.applyFails(FSStaleVersion, update(base, "two", "TWO"))
	wantText(t, err, "it was:\ntwo\n", "it is now:\nzwei\n", "Read the file again")
	if strings.Contains(err.Error(), "five") {
		t.Errorf("the error shows what is not at the place: %v", err)
	}
	if !errors.Is(err, diff.ErrOverlap) {
		t.Error("the cause is lost")
	}
}

func TestOverlapIsBounded(t *testing.T) {
	long := strings.Repeat("a long line of text\n", 10_000)
	f := newFixture(t, map[string]string{"a": long})
	base := f.read("a")
	f.apply(create(base, strings.ToUpper(long)))
	err := f.applyFails(FSStaleVersion, update(base, "long", "short"))
	if n := len(err.Error()); n > 3*maxShownBytes {
		t.Errorf("the error has %d bytes", n)
	}
	wantText(t, err, "a long line", "A LONG LINE", "more lines)")
}

// TestApplyTwoEditsOfOneBatch is tools.md §2.7: both land.
func TestApplyTwoEditsOfOneBatch(t *testing.T) {
	f := newFixture(t, map[string]string{"a": "one\ntwo\nthree\nfour\nfive\n"})
	base := f.read("a")
	errs := make(chan error, 2)
	for _, change := range []Change{update(base, "one", "ONE"), update(base, "five", "FIVE")} {
		go func() {
			_, err := f.Apply(context.Background(), []Change{change})
			errs <- err
		}()
	}
	must(t, errors.Join(<-errs, <-errs))
	f.wantFile("a", "ONE\ntwo\nthree\nfour\nFIVE\n")
}

func TestApplyChainWithoutReading(t *testing.T) {
	f := newFixture(t, nil)
	got := f.apply(create(f.open("a"), "one\ntwo\n"))
	for _, word := range []string{"one", "two"} {
		must(t, f.Check(f.open("a")))
		got = f.apply(update(got[0].After, word, strings.ToUpper(word)))
	}
	f.wantFile("a", "ONE\nTWO\n")
}

func TestApplyThroughLinks(t *testing.T) {
	needsUnix(t)
	f := newFixture(t, map[string]string{"real/a": "x"})
	f.link("real/a", "link")
	f.link("real", "dir")
	f.link("real/new", "dangling")
	f.apply(update(f.open("link"), "x", "y"))
	f.apply(create(f.open("dangling"), "made"))
	f.apply(create(f.open("dir/b"), "b"))
	f.wantFile("real/a", "y")
	f.wantFile("real/new", "made")
	f.wantFile("real/b", "b")
	for _, name := range []string{"link", "dir", "dangling"} {
		if info, err := os.Lstat(f.path(name)); err != nil || info.Mode()&os.ModeSymlink == 0 {
			t.Errorf("%s is no link any more", name)
		}
	}
	for _, change := range []Change{
		{Op: OpDelete, Base: f.open("link")},
		{Op: OpMove, Base: f.open("link"), MoveTo: f.path("other")},
	} {
		wantText(t, f.applyFails(FSNotRegular, change), "symbolic link", f.path("real/a"))
	}
	f.apply(Change{Op: OpDelete, Base: f.open("dir/b")})
	f.wantNoFile("real/b")
}

func TestApplyLinkedFileTwice(t *testing.T) {
	needsUnix(t)
	f := newFixture(t, map[string]string{"a": "one\ntwo\nthree\n"})
	f.link("a", "link")
	f.applyFails(FSExists, update(f.open("a"), "one", "1"), update(f.open("link"), "three", "3"))
	f.wantFile("a", "one\ntwo\nthree\n")
}

func TestApplyBreaksHardLinks(t *testing.T) {
	f := newFixture(t, map[string]string{"a": "x"})
	must(t, os.Link(f.path("a"), f.path("b")))
	f.apply(update(f.open("a"), "x", "y"))
	f.wantFile("a", "y")
	f.wantFile("b", "x")
}

func TestApplyRefusesReadOnly(t *testing.T) {
	needsUnix(t)
	f := newFixture(t, map[string]string{"a": "x", "b": "y"})
	must(t, os.Chmod(f.path("a"), 0o444))
	for _, changes := range [][]Change{
		{update(f.open("a"), "x", "z")},
		{create(f.open("a"), "z")},
		{{Op: OpDelete, Base: f.open("a")}},
		{{Op: OpMove, Base: f.open("a"), MoveTo: f.path("c")}},
		{update(f.open("b"), "y", "z"), update(f.open("a"), "x", "z")},
	} {
		wantText(t, f.applyFails(FSPermissionDenied, changes...), "read-only")
	}
	f.wantFile("a", "x")
	f.wantFile("b", "y")
	f.wantTree("a", "b")
}

func TestApplyRefusesReadOnlyFolder(t *testing.T) {
	needsUser(t)
	f := newFixture(t, map[string]string{"d/a": "x", "e/b": "x"})
	must(t, os.Chmod(f.path("d"), 0o555))
	t.Cleanup(func() { _ = os.Chmod(f.path("d"), 0o700) })
	f.applyFails(FSPermissionDenied, update(f.open("d/a"), "x", "y"))
	f.applyFails(FSPermissionDenied, create(f.open("d/new"), "y"))
	f.applyFails(FSPermissionDenied, create(f.open("d/new/x"), "y"))
	f.applyFails(FSPermissionDenied, Change{Op: OpDelete, Base: f.open("d/a")})
	err := f.applyFails(FSPermissionDenied, update(f.open("e/b"), "x", "y"), create(f.open("d/new"), "y"))
	wantText(t, err, "EACCES")
	f.wantFile("d/a", "x")
	f.wantFile("e/b", "x")
	f.wantTree("d", "d/a", "e", "e/b")
}

func TestApplyOutsideTheRoots(t *testing.T) {
	out := realTemp(t)
	f := newFixture(t, nil)
	path := filepath.Join(out, "d/e/a")
	f.apply(create(f.open(path), "x\ny\n"))
	got := f.apply(update(f.open(path), "x", "z"))
	if got[0].After.Inside || got[0].After.Content() != "z\ny\n" {
		t.Errorf("after %+v", got[0].After)
	}
	f.apply(Change{Op: OpMove, Base: f.open(path), MoveTo: filepath.Join(out, "b"), MoveReal: filepath.Join(out, "b")})
	f.apply(Change{Op: OpDelete, Base: f.open(filepath.Join(out, "b"))})
}

// TestApplyRefusesAnotherFileThanPlanned exchanges parts of a path between
// the plan, when permission is asked, and the use.
func TestApplyRefusesAnotherFileThanPlanned(t *testing.T) {
	needsUnix(t)
	out := realTemp(t)
	must(t, os.WriteFile(filepath.Join(out, "a"), []byte("x"), 0o666))
	must(t, os.WriteFile(filepath.Join(out, "b"), []byte("x"), 0o666))
	f := newFixture(t, map[string]string{"d/a": "x", "d/b": "x", "c": "x"})
	a, missing := f.open("d/a"), f.open("d/new")
	moveIn := Change{Op: OpMove, Base: f.open("c"), MoveTo: f.path("d/c")}
	movePlanned := moveIn
	movePlanned.MoveReal = f.path("d/c")
	must(t, os.Rename(f.path("d"), f.path("old")))
	f.link(out, "d")
	for _, change := range []Change{
		update(a, "x", "y"), {Op: OpDelete, Base: a}, create(missing, "y"), moveIn, movePlanned,
		{Op: OpMove, Base: a, MoveTo: f.path("e")},
	} {
		wantText(t, f.applyFails(FSOutsideRoots, change), out)
	}
	must(t, os.Remove(f.path("d")))
	f.link("old", "d") // another file, though inside
	f.applyFails(FSOutsideRoots, update(a, "x", "y"))
	f.applyFails(FSOutsideRoots, movePlanned)
	f.wantFile("old/a", "x")
	if entries, err := os.ReadDir(out); err != nil || len(entries) != 2 {
		t.Errorf("outside holds %v, %v", entries, err)
	}
}

func TestApplyAborted(t *testing.T) {
	f := newFixture(t, map[string]string{"a": "x", "b": "x"})
	ctx, cancel := context.WithCancel(context.Background())
	changes := []Change{update(f.open("a"), "x", "y"), update(f.open("b"), "x", "y"), create(f.open("d/c"), "x")}
	renames := 0
	f.w.fault = func(op, path string) error {
		if op == "sync" {
			cancel() // while the texts are staged
		}
		if op == "rename" {
			renames++
		}
		return nil
	}
	_, err := f.Apply(ctx, changes)
	wantCode(t, err, FSAborted)
	_, err = f.Apply(ctx, changes) // and when it is done from the start
	wantCode(t, err, FSAborted)
	_, err = f.Apply(ctx, changes[:1])
	wantCode(t, err, FSAborted)
	if renames != 0 {
		t.Errorf("%d renames", renames)
	}
	f.wantTree("a", "b")
	f.wantFile("a", "x")
}

func TestApplyGoesOnOnceStarted(t *testing.T) {
	f := newFixture(t, map[string]string{"a": "x", "b": "x"})
	ctx, cancel := context.WithCancel(context.Background())
	f.w.fault = func(op, path string) error {
		if op == "rename" {
			cancel()
		}
		return nil
	}
	_, err := f.Apply(ctx, []Change{update(f.open("a"), "x", "y"), update(f.open("b"), "x", "y")})
	must(t, err)
	f.wantFile("a", "y")
	f.wantFile("b", "y")
}
