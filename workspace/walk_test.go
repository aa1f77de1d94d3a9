package workspace

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// names returns what a walk reports, folders with / and documents that only
// an editor has with + at the end.
func (f *fixture) names(dir string) []string {
	f.t.Helper()
	var got []string
	must(f.t, f.Walk(context.Background(), dir, func(e Entry) error {
		if e.Path != filepath.Join(f.cwd, dir, filepath.FromSlash(e.Rel)) || e.Dir != e.Type.IsDir() {
			f.t.Errorf("entry %+v", e)
		}
		name := e.Rel
		if e.Dir {
			name += "/"
		}
		if e.Overlay {
			name += "+"
		}
		got = append(got, name)
		return nil
	}))
	return got
}

// stream returns the text that StreamEntry gives.
func (f *fixture) stream(e Entry) (string, error) { return streamed(f.View, e) }

func streamed(v *View, e Entry) (string, error) {
	r, err := v.StreamEntry(context.Background(), e)
	if err != nil {
		return "", err
	}
	defer closeQuietly(r)
	text, err := io.ReadAll(r)
	return string(text), err
}

func wantNames(t *testing.T, got, want []string) {
	t.Helper()
	if !slices.Equal(got, want) {
		t.Errorf("walked %q\nwant   %q", got, want)
	}
}

func TestWalkOrder(t *testing.T) {
	f := newFixture(t, map[string]string{
		"b/x": "", "b/a/y": "", "a.txt": "", "a/z": "", "B": "", ".hidden/f": "", ".dot": "", "empty/": "",
		".git/HEAD": "", "b/.git/HEAD": "", "c/.git": "gitdir: elsewhere", "c/f": "",
	})
	wantNames(t, f.names("."), []string{
		".dot", ".hidden/", ".hidden/f", "B", "a/", "a/z", "a.txt", "b/", "b/a/", "b/a/y", "b/x", "c/", "c/f", "empty/",
	})
	wantNames(t, f.names("b"), []string{"a/", "a/y", "x"})
	wantNames(t, f.names("empty"), nil)
}

func TestWalkSkips(t *testing.T) {
	f := newFixture(t, map[string]string{"a/1": "", "a/2": "", "b/1": "", "c": "", "d": ""})
	boom := errors.New("boom")
	tests := []struct {
		at   string
		err  error
		want []string
		fail error
	}{
		{"a", fs.SkipDir, []string{"a", "b", "b/1", "c", "d"}, nil},
		{"a/1", fs.SkipDir, []string{"a", "a/1", "b", "b/1", "c", "d"}, nil},
		{"c", fs.SkipDir, []string{"a", "a/1", "a/2", "b", "b/1", "c"}, nil},
		{"b/1", fs.SkipAll, []string{"a", "a/1", "a/2", "b", "b/1"}, nil},
		{"a/2", boom, []string{"a", "a/1", "a/2"}, boom},
	}
	for _, test := range tests {
		var got []string
		err := f.Walk(context.Background(), ".", func(e Entry) error {
			got = append(got, e.Rel)
			if e.Rel == test.at {
				return test.err
			}
			return nil
		})
		if !errors.Is(err, test.fail) || test.fail == nil && err != nil {
			t.Errorf("%s at %s: error %v", test.err, test.at, err)
		}
		wantNames(t, got, test.want)
	}
}

func TestWalkErrors(t *testing.T) {
	f := newFixture(t, map[string]string{"a": "x"})
	never := func(Entry) error { t.Error("called"); return nil }
	for path, code := range map[string]string{
		"none": FSNotFound, "a": FSNotDirectory, "a/b": FSNotDirectory, "a\x00": FSInvalidPath,
	} {
		wantCode(t, f.Walk(context.Background(), path, never), code)
		_, err := f.ReadDir(path)
		wantCode(t, err, code)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	wantCode(t, f.Walk(ctx, ".", never), FSAborted)
}

func TestWalkUnreadable(t *testing.T) {
	needsUser(t)
	f := newFixture(t, map[string]string{"a/x": "", "b/x": "", "c": ""})
	must(t, os.Chmod(f.path("a"), 0))
	t.Cleanup(func() { _ = os.Chmod(f.path("a"), 0o700) })
	wantNames(t, f.names("."), []string{"a/", "a/", "b/", "b/x", "c"}) // a once more, with its Err
	wantCode(t, f.Walk(context.Background(), "a", nil), FSPermissionDenied)
}

// TestWalksTellOfFoldersThatCannotBeListed puts a file in the place of a folder
// while it is walked to.
func TestWalksTellOfFoldersThatCannotBeListed(t *testing.T) {
	for name, walk := range map[string]func(f *fixture, fn func(Entry) error) error{
		"one after another": func(f *fixture, fn func(Entry) error) error { return f.Walk(t.Context(), ".", fn) },
		"in parallel":       func(f *fixture, fn func(Entry) error) error { return f.WalkParallel(t.Context(), ".", 1, fn) },
	} {
		f := newFixture(t, map[string]string{"a/x": "", "b/x": "", "c/x": ""})
		var got []string
		must(t, walk(f, func(e Entry) error {
			if e.Err != nil {
				got = append(got, "cannot list "+e.Rel)
				return nil
			}
			if e.Dir {
				return nil
			}
			if got = append(got, e.Rel); e.Rel == "a/x" {
				must(t, os.RemoveAll(f.path("b")))
				must(t, os.WriteFile(f.path("b"), nil, 0o666))
			}
			return nil
		}))
		if want := []string{"a/x", "cannot list b", "c/x"}; !slices.Equal(got, want) {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
}

func TestWalkLinks(t *testing.T) {
	needsUnix(t)
	f := newFixture(t, map[string]string{"d/x": "", "w/f": "text"})
	f.link("../d", "w/to-dir")
	f.link("..", "w/to-parent")
	f.link("f", "w/to-file")
	f.link("none", "w/broken")
	f.link("w", "way")
	wantNames(t, f.names("w"), []string{"broken", "f", "to-dir", "to-file", "to-parent"})
	wantNames(t, f.names("way"), []string{"broken", "f", "to-dir", "to-file", "to-parent"})
	must(t, f.Walk(t.Context(), "w", func(e Entry) error {
		if link := e.Rel != "f"; (e.Type == fs.ModeSymlink) != link || e.Info != nil {
			t.Errorf("%s has type %v", e.Rel, e.Type)
		}
		text, err := f.stream(e)
		switch e.Rel {
		case "to-file", "f":
			if err != nil || text != "text" {
				t.Errorf("StreamEntry(%s) = %q, %v", e.Rel, text, err)
			}
		case "broken":
			wantCode(t, err, FSNotFound)
		default:
			wantCode(t, err, FSIsDirectory)
		}
		return nil
	}))
}

func TestWalkOverlay(t *testing.T) {
	f := newFixture(t, map[string]string{"a": "", "b/x": "", ".gitignore": "*.tmp\n/ign\n", "file": ""})
	for _, name := range []string{"aa", "b/a", "b/new/deep/y", "c/z", "n.tmp", "ign/f", "a", ".git/COMMIT_EDITMSG", "file/below"} {
		f.docs.hold(f.path(name), "typed", true)
	}
	f.docs.hold(f.path("closed"), "old", false) // gone from disk, nothing unsaved
	f.docs.hold(filepath.Join(filepath.Dir(f.root), "outside"), "typed", true)
	wantNames(t, f.names("."), []string{
		".gitignore", "a", "aa+", "b/", "b/a+", "b/new/+", "b/new/deep/+", "b/new/deep/y+", "b/x", "c/+", "c/z+", "file",
	})
	wantNames(t, f.names("b"), []string{"a+", "new/+", "new/deep/+", "new/deep/y+", "x"})
	wantNames(t, f.names("b/new"), []string{"deep/+", "deep/y+"})
	wantNames(t, f.names("c"), []string{"z+"})
	entries, err := f.ReadDir("b/new/deep")
	if err != nil || len(entries) != 1 || entries[0].Rel != "y" || !entries[0].Overlay {
		t.Errorf("ReadDir of a folder that is not there yet: %+v, %v", entries, err)
	}
	must(t, f.Walk(t.Context(), ".", func(e Entry) error {
		if e.Rel == "c/z" || e.Rel == "a" {
			if text, err := f.stream(e); err != nil || text != "typed" {
				t.Errorf("StreamEntry(%s) = %q, %v", e.Rel, text, err)
			}
		}
		return nil
	}))
}

func TestReadDir(t *testing.T) {
	f := newFixture(t, map[string]string{"d/b": "text", "d/a/x": "", "d/.git/HEAD": "", "d/i.tmp": "", ".gitignore": "*.tmp\n"})
	f.docs.hold(f.path("d/new"), "typed", true)
	f.docs.hold(f.path("d/sub/new"), "typed", true)
	entries, err := f.ReadDir("d")
	must(t, err)
	var got []string
	for _, e := range entries {
		got = append(got, fmt.Sprintf("%s %t %t", e.Rel, e.Dir, e.Overlay))
		if e.Path != f.path("d/"+e.Rel) {
			t.Errorf("entry %+v", e)
		}
	}
	wantNames(t, got, []string{
		".git true false", "a true false", "b false false", "i.tmp false false", "new false true", "sub true true",
	})
	if text, err := f.stream(entries[2]); err != nil || text != "text" { // no walk goes on
		t.Errorf("StreamEntry = %q, %v", text, err)
	}
}

// TestNoFolder: what is no folder is refused at once; the opening of a pipe
// would wait for its other end.
func TestNoFolder(t *testing.T) {
	needsUnix(t)
	f := newFixture(t, map[string]string{"file": ""})
	makeSpecialFiles(t, f)
	out := newFixture(t, nil)
	makeSpecialFiles(t, out)
	for _, path := range []string{"file", "fifo", "socket", out.path("fifo"), out.path("socket")} {
		_, err := f.ReadDir(path)
		wantCode(t, err, FSNotDirectory)
		wantCode(t, f.Walk(t.Context(), path, nil), FSNotDirectory)
	}
}

func TestWalkOutsideTheRoots(t *testing.T) {
	out := realTemp(t)
	must(t, os.MkdirAll(filepath.Join(out, "d"), 0o777))
	must(t, os.WriteFile(filepath.Join(out, "d", "f"), nil, 0o666))
	f := newFixture(t, nil)
	var got []string
	must(t, f.Walk(t.Context(), out, func(e Entry) error { got = append(got, e.Rel); return nil }))
	wantNames(t, got, []string{"d", "d/f"})
}

// TestWalkWhileTheTreeChanges removes what is about to be walked.
func TestWalkWhileTheTreeChanges(t *testing.T) {
	f := newFixture(t, map[string]string{"a/1": "", "b/1": "", "c/1": ""})
	var got []string
	must(t, f.Walk(t.Context(), ".", func(e Entry) error {
		got = append(got, e.Rel)
		if e.Rel == "a" {
			must(t, os.RemoveAll(f.path("b")))
		}
		return nil
	}))
	if text := strings.Join(got, " "); text != "a a/1 b c c/1" {
		t.Errorf("walked %q", text)
	}
}

// TestWalkAsksTheReaderSparingly keeps a search from asking an editor for
// every file of a tree.
func TestWalkAsksTheReaderSparingly(t *testing.T) {
	reader := &textReader{texts: map[string]string{}}
	f := newFixture(t, map[string]string{"seen": "disk", "unseen": "disk"}, func(o *ViewOptions) { o.Reader = reader })
	f.read("seen")
	reader.asked = nil
	reader.texts[f.path("seen")], reader.texts[f.path("unseen")] = "typed", "typed"
	got := map[string]string{}
	must(t, f.Walk(t.Context(), ".", func(e Entry) error {
		text, err := f.stream(e)
		got[e.Rel] = text
		return err
	}))
	if got["seen"] != "typed" || got["unseen"] != "disk" || !slices.Equal(reader.asked, []string{f.path("seen")}) {
		t.Errorf("walked %q, asked for %q", got, reader.asked)
	}
}
