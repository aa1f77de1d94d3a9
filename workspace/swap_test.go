package workspace

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"sync"
	"testing"
)

// swapper exchanges a folder or file of the root for a link to outside and
// back, as fast as it can, until stop is called.
func swapper(t *testing.T, inside, outside string) (stop func()) {
	t.Helper()
	link := inside + ".link"
	must(t, os.Symlink(outside, link))
	quit := make(chan struct{})
	var done sync.WaitGroup
	done.Go(func() {
		for {
			select {
			case <-quit:
				return
			default:
			}
			if exchange(inside, link) == nil {
				_ = exchange(link, inside)
			}
		}
	})
	return func() { close(quit); done.Wait() }
}

// rounds is how often the race is run; each one swaps many times.
const rounds = 400

// TestSwappedFolderCannotLeadOutside races all operations against a folder
// that turns into a link to a folder of the same names outside the roots.
func TestSwappedFolderCannotLeadOutside(t *testing.T) {
	needsUnix(t)
	out := realTemp(t)
	for _, name := range []string{"a", "b"} {
		must(t, os.WriteFile(filepath.Join(out, name), []byte("SECRET"), 0o666))
	}
	f := newFixture(t, map[string]string{"dir/a": "open", "dir/b": "open"})
	inside := f.Limited(Limit{Paths: []string{f.root}})
	stop := swapper(t, f.path("dir"), out)
	ctx := context.Background()
	missing := Handle{Path: f.path("dir/new"), Real: f.path("dir/new"), Inside: true}
	won, led := 0, 0
	for range rounds {
		if h, err := f.Open(ctx, "dir/b"); err == nil && h.Inside && h.Content() == "SECRET" {
			t.Fatal("a file outside was read as one inside")
		}
		noSecret := func(e Entry) error {
			if text, err := streamed(inside, e); err == nil && text == "SECRET" {
				t.Error("a walk left the roots")
			}
			return nil
		}
		_ = inside.Walk(ctx, "dir", noSecret)
		_ = inside.WalkParallel(ctx, ".", 2, noSecret)
		h, err := f.Open(ctx, "dir/a")
		if err != nil || !h.Inside {
			led++
		} else {
			_, _ = f.Apply(ctx, []Change{create(h, "written")})
		}
		if made, err := f.Apply(ctx, []Change{create(missing, "written")}); err == nil {
			won++
			_, _ = f.Apply(ctx, []Change{{Op: OpDelete, Base: made[0].After}})
		}
	}
	stop()
	entries, err := os.ReadDir(out)
	must(t, err)
	if len(entries) != 2 {
		t.Errorf("outside holds %v", entries)
	}
	for _, name := range []string{"a", "b"} {
		if text, err := os.ReadFile(filepath.Join(out, name)); err != nil || string(text) != "SECRET" {
			t.Errorf("outside, %s holds %q, %v", name, text, err)
		}
	}
	t.Logf("of %d rounds %d writes went through, %d reads were led astray", rounds, won, led)
}

// TestSwappedFileCannotLeadElsewhere races against a file that turns into a
// link, to outside and to another file of its folder.
func TestSwappedFileCannotLeadElsewhere(t *testing.T) {
	needsUnix(t)
	for _, target := range []string{"outside", "beside"} {
		t.Run(target, func(t *testing.T) {
			f := newFixture(t, map[string]string{"dir/a": "open", "dir/secret": "SECRET"})
			to := f.path("dir/secret")
			if target == "outside" {
				to = filepath.Join(realTemp(t), "secret")
				must(t, os.WriteFile(to, []byte("SECRET"), 0o666))
			}
			stop := swapper(t, f.path("dir/a"), to)
			for range rounds {
				h, err := f.Open(context.Background(), "dir/a")
				if err == nil && h.Real == f.path("dir/a") && h.Content() == "SECRET" {
					t.Fatal("another file was read under the name of this one")
				}
				var e *Error
				if err != nil && !errors.As(err, &e) {
					t.Fatalf("error without a code: %v", err)
				}
				h = NewHandle(f.path("dir/a"), "open")
				_, _ = f.Apply(context.Background(), []Change{update(h, "open", "open")})
				_, _ = f.Apply(context.Background(), []Change{create(h, "open")})
			}
			stop()
			if text, err := os.ReadFile(to); err != nil || string(text) != "SECRET" {
				t.Errorf("the target of the link holds %q, %v", text, err)
			}
		})
	}
}

// TestReplacedFolderIsSeen opens a folder step by step while a part of the
// path is a link, without a race.
func TestReplacedFolderIsSeen(t *testing.T) {
	needsUnix(t)
	f := newFixture(t, map[string]string{"a/b/c": "x", "other/c": "y"})
	p, err := f.locate("a/b/c")
	must(t, err)
	must(t, os.Rename(f.path("a/b"), f.path("a/old")))
	f.link("../other", "a/b")
	if _, err := p.openParent(); !errors.Is(err, errMoved) {
		t.Errorf("openParent through a link: %v", err)
	}
	_, err = f.openPlace(t.Context(), p)
	wantCode(t, err, FSOutsideRoots)

	top, err := openFolder(f.path("other"), f.root, nil)
	must(t, err)
	defer closeQuietly(top)
	f.link("c", "other/link")
	if _, _, err := top.readFile("link", 100, ""); !errors.Is(err, errMoved) {
		t.Errorf("readFile of a link: %v", err)
	}
	must(t, os.Rename(f.root, f.root+".old"))
	t.Cleanup(func() { _ = os.RemoveAll(f.root + ".old") })
	must(t, os.Symlink(f.root+".old", f.root))
	if _, err := openFolder(f.path("other"), f.root, nil); !errors.Is(err, errMoved) {
		t.Errorf("openFolder below a root that is a link now: %v", err)
	}
}
