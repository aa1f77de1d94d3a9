package workspace

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// manyFiles are n files in nested folders with names that sort differently
// from their paths.
func manyFiles(n int) map[string]string {
	files := map[string]string{}
	for i := range n {
		files[fmt.Sprintf("d%d/e%d.x/f%d", i%3, i%7, i)] = fmt.Sprint(i)
		files[fmt.Sprintf("d%d/e%d", i%3, i)] = "beside"
	}
	return files
}

func TestWalkParallel(t *testing.T) {
	files := manyFiles(150)
	f := newFixture(t, files)
	var n atomic.Int64
	must(t, f.WalkParallel(t.Context(), ".", 8, func(e Entry) error {
		text, err := f.stream(e)
		if err != nil || files[e.Rel] != text || e.Dir {
			t.Errorf("%s: %q, %v", e.Rel, text, err)
		}
		n.Add(1)
		return nil
	}))
	if n.Load() != int64(len(files)) {
		t.Errorf("%d files, want %d", n.Load(), len(files))
	}
}

func TestCompareIsTheOrderOfWalk(t *testing.T) {
	f := newFixture(t, map[string]string{"a/b/c": "", "a/b.c": "", "a.b": "", "a-": "", "a/é": "", "ab": ""})
	var got []Entry
	must(t, f.Walk(t.Context(), ".", func(e Entry) error { got = append(got, e); return nil }))
	if !slices.IsSortedFunc(got, Entry.Compare) {
		t.Errorf("Walk reports %v", got)
	}
	if got[0].Compare(got[0]) != 0 || got[1].Compare(got[0]) <= 0 {
		t.Error("Compare does not tell entries apart")
	}
}

// TestWalkParallelSkipsTheRest ends walks at random files: all before them
// must be reported still, each once.
func TestWalkParallelSkipsTheRest(t *testing.T) {
	f := newFixture(t, manyFiles(120))
	var order []string
	must(t, f.Walk(t.Context(), ".", func(e Entry) error {
		if !e.Dir {
			order = append(order, e.Rel)
		}
		return nil
	}))
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	rnd := rand.New(rand.NewPCG(seed, 0))
	for range 20 {
		last := rnd.IntN(len(order))
		ends := map[string]bool{order[last]: true, order[last+rnd.IntN(len(order)-last)]: true}
		var mu sync.Mutex
		seen := map[string]int{}
		must(t, f.WalkParallel(t.Context(), ".", 1+rnd.IntN(6), func(e Entry) error {
			mu.Lock()
			defer mu.Unlock()
			seen[e.Rel]++
			if ends[e.Rel] {
				return fs.SkipAll
			}
			return nil
		}))
		for _, name := range order[:last+1] {
			if seen[name] != 1 {
				t.Errorf("%s is before %s and was reported %d times", name, order[last], seen[name])
			}
		}
	}
}

func TestWalkParallelEnds(t *testing.T) {
	f := newFixture(t, manyFiles(250))
	boom := errors.New("boom")
	var calls atomic.Int64
	count := func(err error) func(Entry) error {
		return func(Entry) error {
			if calls.Add(1) == 10 {
				return err
			}
			return nil
		}
	}
	if err := f.WalkParallel(t.Context(), ".", 4, count(boom)); !errors.Is(err, boom) {
		t.Errorf("error %v", err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	err := f.WalkParallel(ctx, ".", 4, func(Entry) error { cancel(); return nil })
	if !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
	wantCode(t, f.WalkParallel(t.Context(), "none", 4, count(nil)), FSNotFound)
	func() {
		defer func() {
			if got := recover(); got != "thrown" {
				t.Errorf("recovered %v", got)
			}
		}()
		_ = f.WalkParallel(t.Context(), ".", 4, func(e Entry) error {
			if e.Rel == "d0/e0" {
				panic("thrown")
			}
			return nil
		})
	}()
}

// TestWalkOfDeepAndWideTrees walks more levels than stay open.
func TestWalkOfDeepAndWideTrees(t *testing.T) {
	needsUnix(t) // the length of the path
	f := newFixture(t, nil)
	const depth = maxOpenNodes + 12
	path := f.root
	for i := range depth {
		path = filepath.Join(path, "d")
		must(t, os.Mkdir(path, 0o777))
		must(t, os.WriteFile(filepath.Join(path, "f"), []byte(fmt.Sprint(i)), 0o666))
		must(t, os.Mkdir(filepath.Join(path, "z"), 0o777))
		must(t, os.WriteFile(filepath.Join(path, "z", "f"), []byte(fmt.Sprint(i)), 0o666))
	}
	files := openFiles()
	check := func(e Entry) {
		level := strings.Count(e.Rel, "d/") - 1
		if text, err := f.stream(e); err != nil || text != fmt.Sprint(level) {
			t.Errorf("%s holds %q, %v", e.Rel, text, err)
		}
		if now := openFiles(); now > files+maxOpenNodes+10 {
			t.Fatalf("%d files are open", now)
		}
	}
	n := 0
	must(t, f.Walk(t.Context(), ".", func(e Entry) error {
		if !e.Dir {
			n++
			check(e)
		}
		return nil
	}))
	if n != 2*depth {
		t.Errorf("%d files, want %d", n, 2*depth)
	}
	var parallel atomic.Int64
	must(t, f.WalkParallel(t.Context(), ".", 2, func(e Entry) error {
		parallel.Add(1)
		check(e)
		return nil
	}))
	if parallel.Load() != int64(n) {
		t.Errorf("%d files in parallel, want %d", parallel.Load(), n)
	}
}

// TestStreamEntryOfWhatChanged opens files that are not what the walk saw.
func TestStreamEntryOfWhatChanged(t *testing.T) {
	needsUnix(t)
	f := newFixture(t, map[string]string{"d/a": "old", "d/gone": "", "d/link": "", "d/folder": "", "d/grown": "12", "secret": "SECRET"})
	entries, err := f.ReadDir("d")
	must(t, err)
	f.onDisk("d/a", "new and longer")
	f.remove("d/gone")
	f.remove("d/link")
	f.link(filepath.Join(filepath.Dir(f.root), "nowhere"), "d/link")
	f.remove("d/folder")
	must(t, os.Mkdir(f.path("d/folder"), 0o777))
	codes := map[string]string{"gone": FSNotFound, "link": FSNotFound, "folder": FSIsDirectory}
	for _, e := range entries {
		text, err := f.stream(e)
		if code := codes[e.Rel]; code != "" {
			wantCode(t, err, code)
		} else if want := map[string]string{"a": "new and longer", "grown": "12"}[e.Rel]; err != nil || text != want {
			t.Errorf("%s holds %q, %v", e.Rel, text, err)
		}
	}
	stale := entries[0]
	must(t, os.RemoveAll(f.path("d")))
	_, err = f.stream(stale)
	wantCode(t, err, FSNotFound)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	_, err = f.StreamEntry(ctx, stale)
	wantCode(t, err, FSAborted)
}
