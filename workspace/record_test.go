package workspace

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"
)

// notes is a Recorder that writes down what it is told.
type notes struct {
	told []string
	err  error
}

func (n *notes) Changing(files []Handle) (func([]Applied), error) {
	for _, h := range files {
		n.told = append(n.told, fmt.Sprintf("before %s %v %q", base(h.Path), h.Exists, h.Content()))
	}
	return func(applied []Applied) {
		for _, a := range applied {
			n.told = append(n.told, fmt.Sprintf("%s %s %v %q", a.Change.Op, base(a.After.Path), a.After.Exists, a.After.Content()))
		}
		n.told = append(n.told, "done")
	}, n.err
}

func base(path string) string { return path[len(path)-1:] }

func TestRecorderIsToldBeforeAndAfter(t *testing.T) {
	f := newFixture(t, map[string]string{"a": "one\n", "d": "gone\n", "m": "moves\n", "s": "same\n"})
	n := &notes{}
	v := f.RecordedBy(n)
	same := f.open("s")
	_, err := v.Apply(context.Background(), []Change{
		{Op: OpUpdate, Base: f.open("a"), Edits: wholeEdit(f.open("a"), "two\n")},
		{Op: OpCreate, Base: f.open("c"), Text: "new\n"},
		{Op: OpDelete, Base: f.open("d")},
		{Op: OpMove, Base: f.open("m"), MoveTo: f.path("n")},
		{Op: OpUpdate, Base: same},
	})
	must(t, err)
	want := []string{
		`before a true "one\n"`, `before c false ""`, `before d true "gone\n"`, `before m true "moves\n"`, `before n false ""`,
		`update a true "two\n"`, `create c true "new\n"`, `delete d false ""`, `move n true "moves\n"`, `update s true "same\n"`, "done",
	}
	if !slices.Equal(n.told, want) {
		t.Errorf("told %q\nwant %q", n.told, want)
	}
	n.told = nil
	_, err = v.Limited(Limit{Paths: []string{f.path("s")}}).Apply(context.Background(), []Change{{Op: OpUpdate, Base: f.open("s"), Edits: wholeEdit(f.open("s"), "x\n")}})
	must(t, err)
	if len(n.told) != 3 {
		t.Errorf("a limited view told %q", n.told)
	}
}

func TestRecorderRefuses(t *testing.T) {
	f := newFixture(t, map[string]string{"a": "one\n"})
	n := &notes{err: errors.New("full")}
	h := f.open("a")
	if _, err := f.RecordedBy(n).Apply(context.Background(), []Change{{Op: OpUpdate, Base: h, Edits: wholeEdit(h, "two\n")}}); !errors.Is(err, n.err) {
		t.Errorf("got %v, want the recorder's error", err)
	}
	if got := f.open("a").Content(); got != "one\n" {
		t.Errorf("the file holds %q", got)
	}
}

func TestRecorderIsToldOfFailure(t *testing.T) {
	f := newFixture(t, map[string]string{"a": "one\n"})
	f.w.fault = func(op, _ string) error {
		if op == "rename" {
			return errors.New("broken")
		}
		return nil
	}
	n := &notes{}
	h := f.open("a")
	if _, err := f.RecordedBy(n).Apply(context.Background(), []Change{{Op: OpUpdate, Base: h, Edits: wholeEdit(h, "two\n")}}); err == nil {
		t.Fatal("no error")
	}
	if want := []string{`before a true "one\n"`, "done"}; !slices.Equal(n.told, want) {
		t.Errorf("told %q, want %q", n.told, want)
	}
}
