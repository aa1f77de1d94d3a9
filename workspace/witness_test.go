package workspace

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
)

// toldRecorder keeps what a recorder is told.
type toldRecorder struct {
	announced []string
	applied   []Applied
	refuse    error
}

func (r *toldRecorder) Changing(files []Handle) (func([]Applied), error) {
	for _, h := range files {
		r.announced = append(r.announced, h.Content())
	}
	return func(a []Applied) { r.applied = append(r.applied, a...) }, r.refuse
}

func TestWitness(t *testing.T) {
	dir := t.TempDir()
	file := func(name string) string { return filepath.Join(dir, name) }
	write := func(name, text string) {
		t.Helper()
		if err := os.WriteFile(file(name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	write("a.txt", "one\n")
	write("gone.txt", "two\n")
	write("late.txt", "new\n")
	write("same.txt", "same\n")
	r := &toldRecorder{refuse: errors.New("it is no use to refuse")}
	v := New(Options{}).View(ViewOptions{Cwd: dir}).RecordedBy(r)
	w := v.Witness(t.Context(), []string{
		file("a.txt"), file("a.txt"), file("gone.txt"), file("late.txt"), file("same.txt"), file("made.txt"),
		filepath.Join(t.TempDir(), "outside.txt"), dir,
	})
	if !w.Follows(file("a.txt")) || w.Follows(file("other.txt")) {
		t.Error("Follows is wrong")
	}
	if text, ok := w.Before(file("gone.txt")); text != "two\n" || !ok {
		t.Errorf("before: %q, %t", text, ok)
	}
	write("a.txt", "ONE\n")
	write("made.txt", "made\n")
	if err := os.Remove(file("gone.txt")); err != nil {
		t.Fatal(err)
	}
	saw := w.Settle(t.Context(), func(path, now string) (string, bool, bool) {
		return "old\n", true, path == file("late.txt")
	})
	got := map[string][2]string{}
	for _, s := range saw {
		got[filepath.Base(s.Path)] = [2]string{s.Before.Content(), s.After.Content()}
	}
	want := map[string][2]string{
		"a.txt": {"one\n", "ONE\n"}, "made.txt": {"", "made\n"}, "gone.txt": {"two\n", ""}, "late.txt": {"old\n", "new\n"},
	}
	if len(got) != len(want) || len(r.applied) != len(want) {
		t.Errorf("saw %q, told %d", got, len(r.applied))
	}
	for name, texts := range want {
		if got[name] != texts {
			t.Errorf("%s: %q", name, got[name])
		}
	}
	for _, a := range r.applied {
		if a.Change.Op == OpDelete && a.After.Exists || a.Change.Op == OpCreate && a.Before.Exists {
			t.Errorf("%s: %+v", a.Change.Op, a)
		}
	}
	if again := w.Settle(t.Context(), nil); len(again) != 0 {
		t.Errorf("settled twice: %v", again)
	}
}

// TestSaved: the disk under unsaved text.
func TestSaved(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "a.txt")
	if err := os.WriteFile(path, []byte("disk\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	w := New(Options{})
	doc := NewHandle(path, "typed\n")
	doc.Dirty, doc.Version = true, 3
	w.SetOverlay(oneDocument{doc})
	h, err := w.View(ViewOptions{Cwd: dir}).Open(t.Context(), path)
	if err != nil || h.Content() != "typed\n" {
		t.Fatalf("%q, %v", h.Content(), err)
	}
	if s := h.Saved(); s.Content() != "disk\n" || s.Dirty || !s.Exists || s.Saved().Content() != "disk\n" {
		t.Errorf("%q, %+v", s.Content(), s)
	}
}

type oneDocument struct{ h Handle }

func (o oneDocument) Document(path string) (Handle, bool) { return o.h, path == o.h.Real }
func (o oneDocument) Documents() []Handle                 { return []Handle{o.h} }
