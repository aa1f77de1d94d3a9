package watch

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/fsnotify/fsnotify"
)

// recorder keeps every path that was told, and lets a test wait for one.
type recorder struct {
	mu    sync.Mutex
	paths []string
	more  chan struct{}
}

func newRecorder() *recorder { return &recorder{more: make(chan struct{}, 1)} }

func (r *recorder) changed(paths []string) {
	r.mu.Lock()
	r.paths = append(r.paths, paths...)
	r.mu.Unlock()
	select {
	case r.more <- struct{}{}:
	default:
	}
}

// wait returns when path, or a folder above it, was told; the test's own
// deadline ends it otherwise.
func (r *recorder) wait(t *testing.T, path string) {
	t.Helper()
	for {
		r.mu.Lock()
		found := slices.ContainsFunc(r.paths, func(p string) bool { return p == path || within(p, path) })
		r.mu.Unlock()
		if found {
			return
		}
		select {
		case <-r.more:
		case <-t.Context().Done():
			t.Fatalf("%s was not told", path)
		}
	}
}

func (r *recorder) forget() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.paths = nil
}

// folders lists real folders; those whose name begins with "ignored" are.
func folders(_ context.Context, dir string, deep bool, fn func(string)) error {
	return filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil || path == dir || !d.IsDir():
			return nil
		case strings.HasPrefix(d.Name(), "ignored"):
			return filepath.SkipDir
		}
		fn(path)
		if !deep {
			return filepath.SkipDir
		}
		return nil
	})
}

func start(t *testing.T, o Options) (*Watcher, *recorder) {
	t.Helper()
	r := newRecorder()
	o.Folders, o.Changed = folders, r.changed
	w, err := New(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(w.Close)
	return w, r
}

func write(t *testing.T, path string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(path), 0o644); err != nil {
		t.Fatal(err)
	}
}

// realDir is a temporary folder without links in its path.
func realDir(t *testing.T) string {
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

func TestChangesBelowARoot(t *testing.T) {
	root := realDir(t)
	write(t, filepath.Join(root, "sub", "old.txt"))
	w, r := start(t, Options{})
	w.SetRoots([]string{root})
	r.wait(t, root) // the first report says that the root is watched
	r.forget()

	write(t, filepath.Join(root, "sub", "old.txt"))
	r.wait(t, filepath.Join(root, "sub", "old.txt"))

	write(t, filepath.Join(root, "new", "deep", "a.txt"))
	r.wait(t, filepath.Join(root, "new"))
	r.forget()
	if err := os.Remove(filepath.Join(root, "sub", "old.txt")); err != nil {
		t.Fatal(err)
	}
	r.wait(t, filepath.Join(root, "sub", "old.txt"))
}

func TestIgnoredFoldersAreNotWatched(t *testing.T) {
	root := realDir(t)
	write(t, filepath.Join(root, "ignored-a", "x", "f.txt"))
	write(t, filepath.Join(root, "seen", "f.txt"))
	w, r := start(t, Options{})
	w.SetRoots([]string{root})
	r.wait(t, root)
	write(t, filepath.Join(root, "ignored-b", "f.txt"))
	write(t, filepath.Join(root, "seen", "last.txt"))
	r.wait(t, filepath.Join(root, "seen", "last.txt"))
	w.Close()
	if got := slices.Sorted(keys(w.watched)); !slices.Equal(got, []string{root, filepath.Join(root, "seen")}) {
		t.Fatalf("watched: %v", got)
	}
}

func keys(m map[string]bool) func(func(string) bool) {
	return func(yield func(string) bool) {
		for k := range m {
			if !yield(k) {
				return
			}
		}
	}
}

func TestLimitIsSaidOnce(t *testing.T) {
	root := realDir(t)
	for i := range 10 {
		write(t, filepath.Join(root, fmt.Sprintf("d%d", i), "f.txt"))
	}
	said := make(chan string, 10)
	w, r := start(t, Options{Limit: 3, Limited: func(m string) { said <- m }})
	w.SetRoots([]string{root})
	r.wait(t, root)
	w.Close()
	if len(w.watched) != 3 || len(said) != 1 {
		t.Fatalf("watched %d folders, said %d times", len(w.watched), len(said))
	}
	if m := <-said; !strings.Contains(m, "3") {
		t.Fatalf("said %q", m)
	}
}

func TestOtherRoots(t *testing.T) {
	a, b := realDir(t), realDir(t)
	w, r := start(t, Options{})
	w.SetRoots([]string{a})
	r.wait(t, a)
	w.SetRoots([]string{b})
	r.wait(t, b)
	w.Close()
	if w.watched[a] || !w.watched[b] {
		t.Fatalf("watched: %v", w.watched)
	}
}

func TestEventsOfOthersAreMerged(t *testing.T) {
	w, r := start(t, Options{})
	w.Touched([]string{"/elsewhere/x"})
	r.wait(t, "/elsewhere/x")
}

func TestManyPathsBecomeTheirRoots(t *testing.T) {
	w := &Watcher{changed: map[string]bool{}, now: []string{"/root"}}
	for i := range maxGathered + 1 {
		w.note(fmt.Sprint("/root/", i))
	}
	if len(w.changed) != 1 || !w.changed["/root"] {
		t.Fatalf("gathered %d paths", len(w.changed))
	}
}

func TestOverflowRescans(t *testing.T) {
	root := realDir(t)
	w, r := start(t, Options{})
	w.SetRoots([]string{root})
	r.wait(t, root)
	r.forget()
	w.fs.Errors <- fsnotify.ErrEventOverflow
	r.wait(t, root)
}
