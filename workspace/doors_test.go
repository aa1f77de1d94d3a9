package workspace

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"syscall"
	"testing"
)

// withEditors gives a fixture's view these doors.
func (f *fixture) withEditors(editors ...*fakeEditor) {
	f.appliers = nil
	for _, e := range editors {
		e.docs = f.docs
		f.appliers = append(f.appliers, e)
	}
}

func TestEditorTakesTheWrite(t *testing.T) {
	f := newFixture(t, map[string]string{"a": "one\ntwo\n"})
	f.docs.hold(f.path("a"), "typed\none\ntwo\n", true)
	declines, editor, never := &fakeEditor{declines: true}, &fakeEditor{}, &fakeEditor{}
	f.withEditors(declines, editor, never)
	got := f.apply(update(f.read("a"), "two", "TWO"))
	f.wantFile("a", "one\ntwo\n") // exactly one write happens, and not here
	if text := f.open("a").Content(); text != "typed\none\nTWO\n" {
		t.Errorf("the editor holds %q", text)
	}
	if len(declines.writes) != 1 || len(editor.writes) != 1 || len(never.writes) != 0 {
		t.Errorf("asked %d, %d, %d times", len(declines.writes), len(editor.writes), len(never.writes))
	}
	w := editor.writes[0]
	if w.Path != f.path("a") || w.After != "typed\none\nTWO\n" || w.Create || w.Before.Version != 1 || len(w.Edits) != 1 {
		t.Errorf("write %+v", w)
	}
	if got[0].Door != DoorEditor || !got[0].After.Dirty || got[0].After.Version != 2 {
		t.Errorf("applied %+v", got[0])
	}
	f.wantTree("a")
}

// TestEditorRebase is the user typing between the plan and the write.
func TestEditorRebase(t *testing.T) {
	f := newFixture(t, map[string]string{"a": "one\ntwo\nthree\n"})
	f.withEditors(&fakeEditor{})
	base := f.read("a")
	f.docs.hold(f.path("a"), "zero\none\ntwo\nthree\n", true)
	got := f.apply(update(base, "three", "THREE"))
	if !got[0].Rebased || got[0].After.Content() != "zero\none\ntwo\nTHREE\n" {
		t.Errorf("applied %+v, after %q", got[0], got[0].After.Content())
	}
	// two edits of one batch, both planned on the oldest text
	got = f.apply(update(base, "one", "ONE"))
	if got[0].After.Content() != "zero\nONE\ntwo\nTHREE\n" {
		t.Errorf("after %q", got[0].After.Content())
	}
	f.docs.hold(f.path("a"), "zero\nuno\ntwo\nTHREE\n", true)
	err := f.applyFails(FSStaleVersion, update(base, "one", "eins"))
	wantText(t, err, "it is now:", "uno")
	f.wantFile("a", "one\ntwo\nthree\n")
}

func TestUnsavedTextUnderChangedDisk(t *testing.T) {
	f := newFixture(t, map[string]string{"a": "one\ntwo\n"})
	f.withEditors(&fakeEditor{})
	f.docs.hold(f.path("a"), "typed\none\ntwo\n", true)
	base := f.read("a")
	f.onDisk("a", "other\n")
	f.applyFails(FSStaleVersion, update(base, "two", "TWO"))
	got := f.apply(update(f.read("a"), "two", "TWO")) // the buffer, once it was seen
	if got[0].After.Content() != "typed\none\nTWO\n" {
		t.Errorf("after %q", got[0].After.Content())
	}
	f.wantFile("a", "other\n")
}

func TestUnsavedTextWithoutAnEditorThatTakesIt(t *testing.T) {
	f := newFixture(t, map[string]string{"a": "x", "b": "y"})
	f.docs.hold(f.path("a"), "typed x", true)
	f.withEditors(&fakeEditor{declines: true})
	for _, changes := range [][]Change{
		{update(f.open("a"), "x", "y")},
		{update(f.open("b"), "y", "z"), update(f.open("a"), "x", "y")},
		{create(f.open("a"), "whole")},
		{{Op: OpDelete, Base: f.open("a")}},
		{{Op: OpMove, Base: f.open("a"), MoveTo: f.path("c")}},
	} {
		wantText(t, f.applyFails(FSStaleVersion, changes...), "unsaved text", "Ask the user")
	}
	f.wantFile("a", "x")
	f.wantFile("b", "y")
	f.wantTree("a", "b")
}

func TestUnsavedNewFileIsNotOverwritten(t *testing.T) {
	f := newFixture(t, map[string]string{"a": "x"})
	missing := f.open("n")
	f.docs.hold(f.path("n"), "typed", true)
	f.withEditors(&fakeEditor{})
	f.applyFails(FSExists, create(missing, "ours"))
	f.applyFails(FSExists, Change{Op: OpMove, Base: f.open("a"), MoveTo: f.path("n")})
	if text := f.open("n").Content(); text != "typed" {
		t.Errorf("the editor holds %q", text)
	}
}

func TestEditorOutsideTheRoots(t *testing.T) {
	f := newFixture(t, map[string]string{"w/": "", "out/a": "x"})
	f.View = f.w.View(ViewOptions{Cwd: f.path("w")})
	editor := &fakeEditor{}
	f.withEditors(editor)
	f.apply(update(f.open(f.path("out/a")), "x", "y"))
	f.wantFile("out/a", "y")
	f.docs.hold(f.path("out/a"), "T y", true)
	f.apply(update(f.open(f.path("out/a")), "y", "z"))
	if len(editor.writes) != 1 || f.open(f.path("out/a")).Content() != "T z" {
		t.Errorf("the editor was asked %d times", len(editor.writes))
	}
}

// TestEditorCreates is field report 44: parents first, one write, no read.
func TestEditorCreates(t *testing.T) {
	f := newFixture(t, nil)
	reader := &textReader{texts: map[string]string{}}
	f.reader = reader
	editor := &fakeEditor{saves: true, before: func(w FileWrite) {
		if info, err := os.Stat(f.path("d1/d2")); err != nil || !info.IsDir() {
			t.Errorf("parents: %v", err)
		}
		if len(reader.asked) != 0 {
			t.Errorf("read before the write: %q", reader.asked)
		}
	}}
	f.withEditors(editor)
	got := f.apply(create(f.open("d1/d2/new.txt"), "text"))
	f.wantFile("d1/d2/new.txt", "text")
	if len(editor.writes) != 1 || !editor.writes[0].Create || got[0].Door != DoorEditor {
		t.Errorf("writes %+v", editor.writes)
	}
	f.wantTree("d1", "d1/d2", "d1/d2/new.txt")
}

func TestEditorFormats(t *testing.T) {
	f := newFixture(t, map[string]string{"a": "x=1\n", "b": "y\n"})
	f.withEditors(&fakeEditor{saves: true, format: func(s string) string { return strings.ReplaceAll(s, "=", " = ") }})
	a, b := f.read("a"), f.read("b")
	got := f.apply(update(a, "1", "2"), update(b, "y", "z"))
	f.wantFile("a", "x = 2\n")
	f.wantFile("b", "z\n")
	if got[0].After.Content() != "x = 2\n" || !got[0].Differs || got[1].Differs {
		t.Fatalf("applied %+v", got)
	}
	wantCode(t, f.Check(f.open("a")), FSStaleVersion) // the model has not seen it
	if err := f.Check(f.open("b")); err != nil {
		t.Error(err)
	}
}

func TestEditorThatLies(t *testing.T) {
	f := newFixture(t, map[string]string{"a": "x"})
	f.withEditors(&fakeEditor{ignores: true})
	err := f.applyFails(FSIOError, update(f.open("a"), "x", "y"))
	wantText(t, err, "text is as before")
	f.wantFile("a", "x")
	f.applyFails(FSIOError, create(f.open("d/n"), "y"))
	f.wantTree("a")
}

func TestEditorFails(t *testing.T) {
	f := newFixture(t, map[string]string{"a": "x", "b": "x"})
	f.withEditors(&fakeEditor{fails: errors.New("rejected by the user; nothing was changed")})
	err := f.applyFails(FSIOError, update(f.open("a"), "x", "y"))
	wantText(t, err, "rejected by the user")
	f.withEditors(&fakeEditor{fails: &Error{Code: FSStaleVersion, Message: "version 3 is gone", Hint: "Read again."}})
	err = f.applyFails(FSStaleVersion, create(f.open("d/n"), "y"))
	wantText(t, err, "version 3 is gone", "Read again.")
	f.wantTree("a", "b")
	f.wantFile("a", "x")
}

// TestTypingIsTriedAgain has the user type elsewhere while the change is on its
// way, once and then without end.
func TestTypingIsTriedAgain(t *testing.T) {
	f := newFixture(t, map[string]string{"a": "x=1\n"})
	f.docs.hold(f.path("a"), "x=1\n", true)
	typed := 0
	editor := &fakeEditor{}
	f.withEditors(editor)
	editor.before = func(FileWrite) {
		editor.fails = nil
		if typed > 0 {
			typed--
			f.docs.hold(f.path("a"), "typed\n"+f.open("a").Content(), true)
			editor.fails = fmt.Errorf("%w: typed", ErrTryAgain)
		}
	}
	typed = 1
	got := f.apply(update(f.read("a"), "1", "2"))
	if got[0].After.Content() != "typed\nx=2\n" || !got[0].Rebased || len(editor.writes) != 2 {
		t.Errorf("after %d writes %q", len(editor.writes), got[0].After.Content())
	}
	typed = 1000
	_, err := f.Apply(t.Context(), []Change{update(f.read("a"), "2", "3")})
	if !errors.Is(err, ErrTryAgain) || len(editor.writes) != 4 {
		t.Errorf("after %d writes %v", len(editor.writes), err)
	}
}

// TestConfirmedIsNotReadBack has the user type on before the text could be
// read.
func TestConfirmedIsNotReadBack(t *testing.T) {
	f := newFixture(t, map[string]string{"a": "x=1\n"})
	f.docs.hold(f.path("a"), "x=1\n", true)
	f.appliers = []Applier{applierFunc(func(_ context.Context, w FileWrite) (Outcome, error) {
		f.docs.hold(w.Path, w.After+"typed on", true)
		return Confirmed, nil
	})}
	got := f.apply(update(f.read("a"), "1", "2"))
	if got[0].After.Content() != "x=2\n" || got[0].Differs || !got[0].After.Dirty {
		t.Errorf("%+v, text %q", got[0], got[0].After.Content())
	}
	if h, err := f.Seen(f.open("a")); err != nil || h.Content() != "x=2\n" {
		t.Errorf("seen %q, %v", h.Content(), err)
	}
}

// TestEditorBlocks is field report 43: cancelling works while the editor
// waits for its user, and others are not held up afterwards.
func TestEditorBlocks(t *testing.T) {
	f := newFixture(t, map[string]string{"a": "x"})
	asked := make(chan struct{})
	f.appliers = []Applier{applierFunc(func(ctx context.Context, _ FileWrite) (Outcome, error) {
		close(asked)
		<-ctx.Done()
		return Declined, errors.New("not answered; the outcome is unknown")
	})}
	ctx, cancel := context.WithCancel(context.Background())
	failed := make(chan error)
	go func() {
		_, err := f.Apply(ctx, []Change{update(f.open("a"), "x", "y")})
		failed <- err
	}()
	<-asked
	cancel()
	err := <-failed
	wantCode(t, err, FSAborted)
	wantText(t, err, "outcome is unknown", "Read the file")
	f.appliers = nil
	f.apply(update(f.open("a"), "x", "z"))
	f.wantFile("a", "z")
}

type applierFunc func(context.Context, FileWrite) (Outcome, error)

func (a applierFunc) Apply(ctx context.Context, w FileWrite) (Outcome, error) { return a(ctx, w) }

// TestEditorWritesAreRolledBack fails the disk after an editor took a file.
func TestEditorWritesAreRolledBack(t *testing.T) {
	setup := func(t *testing.T) (*fixture, *fakeEditor, []Change) {
		f := newFixture(t, map[string]string{"a": "one\ntwo\n", "b": "x"})
		f.docs.hold(f.path("a"), "typed\none\ntwo\n", true)
		editor := &fakeEditor{}
		f.appliers = []Applier{applierFunc(func(ctx context.Context, w FileWrite) (Outcome, error) {
			if w.Path != f.path("a") {
				return Declined, nil
			}
			return editor.Apply(ctx, w)
		})}
		editor.docs = f.docs
		f.failAt("rename", 1, syscall.EIO)
		return f, editor, []Change{update(f.open("a"), "two", "TWO"), update(f.open("b"), "x", "y")}
	}
	t.Run("back", func(t *testing.T) {
		f, editor, changes := setup(t)
		err := f.applyFails(FSIOError, changes...)
		wantText(t, err, "put back as before: "+f.path("a"))
		if text := f.open("a").Content(); text != "typed\none\ntwo\n" || len(editor.writes) != 2 {
			t.Errorf("the editor holds %q after %d writes", text, len(editor.writes))
		}
		f.wantFile("b", "x")
	})
	t.Run("not back", func(t *testing.T) {
		f, editor, changes := setup(t)
		editor.before = func(FileWrite) {
			if len(editor.writes) == 1 {
				editor.fails = errors.New("closed")
			}
		}
		err := f.applyFails(FSIOError, changes...)
		wantText(t, err, "still changed", f.path("a")+" (closed)")
	})
	t.Run("declined", func(t *testing.T) {
		f, editor, changes := setup(t)
		editor.before = func(FileWrite) { editor.declines = len(editor.writes) == 1 }
		wantText(t, f.applyFails(FSIOError, changes...), "did not take it back")
	})
	t.Run("another text", func(t *testing.T) {
		f, editor, changes := setup(t)
		editor.before = func(FileWrite) {
			if len(editor.writes) == 1 {
				editor.format = strings.ToUpper
			}
		}
		wantText(t, f.applyFails(FSIOError, changes...), "another text than before")
	})
	t.Run("created", func(t *testing.T) {
		f := newFixture(t, map[string]string{"b": "x"})
		editor := &fakeEditor{saves: true}
		f.appliers = []Applier{applierFunc(func(ctx context.Context, w FileWrite) (Outcome, error) {
			if !w.Create {
				return Declined, nil
			}
			return editor.Apply(ctx, w)
		})}
		f.failAt("rename", 1, syscall.EIO)
		f.applyFails(FSIOError, create(f.open("d/n"), "y"), update(f.open("b"), "x", "y"))
		f.wantTree("b")
	})
}

func TestEditorsAreNotAskedForMoves(t *testing.T) {
	f := newFixture(t, map[string]string{"a": "x", "b": "y"})
	editor := &fakeEditor{}
	f.withEditors(editor)
	f.apply(
		Change{Op: OpMove, Base: f.open("a"), MoveTo: f.path("c")},
		Change{Op: OpDelete, Base: f.open("b")},
		Change{Op: OpCreate, Base: f.open("run"), Text: "#!", Mode: 0o755},
	)
	if len(editor.writes) != 0 {
		t.Errorf("asked for %+v", editor.writes)
	}
	f.wantTree("c", "run")
}

// TestEditorIsAskedBeforeStaging: a file that the editor takes leaves no
// trace of ours in its folder, which editors watch.
func TestEditorIsAskedBeforeStaging(t *testing.T) {
	f := newFixture(t, map[string]string{"a": "x"})
	var ops []string
	f.w.fault = func(op, _ string) error { ops = append(ops, op); return nil }
	f.withEditors(&fakeEditor{})
	f.apply(update(f.open("a"), "x", "y"))
	if len(ops) != 0 {
		t.Errorf("disk operations %q", ops)
	}
	f.withEditors(&fakeEditor{declines: true})
	f.docs.docs = map[string]Handle{}
	f.apply(update(f.open("a"), "x", "y"))
	if !slices.Equal(ops, []string{"create", "write", "sync", "rename"}) {
		t.Errorf("disk operations %q", ops)
	}
}

func TestReaderTextIsTheBase(t *testing.T) {
	f := newFixture(t, map[string]string{"a": "one\n"})
	reader := &textReader{texts: map[string]string{f.path("a"): "typed\none\n"}}
	f.reader = reader
	editor := &fakeEditor{saves: true, before: func(w FileWrite) { reader.texts[w.Path] = w.After }}
	f.withEditors(editor)
	got := f.apply(update(f.read("a"), "one", "ONE"))
	f.wantFile("a", "typed\nONE\n")
	if !got[0].After.SameAsDisk || got[0].After.Dirty {
		t.Errorf("after %+v", got[0].After)
	}
	must(t, f.Check(f.open("a")))
}
