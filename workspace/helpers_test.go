package workspace

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/agent-ls/agent-ls/workspace/diff"
)

// fixture is a view on a fresh folder.
type fixture struct {
	*View
	t    *testing.T
	root string // real
	docs *fakeOverlay
}

// newFixture makes a folder with files (a name with / at its end is a
// folder) and a view whose only root it is. Open files and goroutines that
// outlive the test fail it.
func newFixture(t *testing.T, files map[string]string, options ...func(*ViewOptions)) *fixture {
	t.Helper()
	checkLeaks(t)
	root := realTemp(t)
	for name, text := range files {
		path := filepath.Join(root, filepath.FromSlash(name))
		if strings.HasSuffix(name, "/") {
			must(t, os.MkdirAll(path, 0o777))
			continue
		}
		must(t, os.MkdirAll(filepath.Dir(path), 0o777))
		must(t, os.WriteFile(path, []byte(text), 0o666))
	}
	f := &fixture{t: t, root: root, docs: &fakeOverlay{docs: map[string]Handle{}}}
	w := New(Options{Home: filepath.Join(root, "home")})
	w.SetOverlay(f.docs)
	o := ViewOptions{Cwd: root}
	for _, set := range options {
		set(&o)
	}
	f.View = w.View(o)
	return f
}

// realTemp is t.TempDir without symbolic links in its path.
func realTemp(t testing.TB) string {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	must(t, err)
	return dir
}

func (f *fixture) path(name string) string { return filepath.Join(f.root, filepath.FromSlash(name)) }

func (f *fixture) open(name string) Handle {
	f.t.Helper()
	h, err := f.Open(context.Background(), name)
	must(f.t, err)
	return h
}

// read opens and observes, as the read tool does.
func (f *fixture) read(name string) Handle {
	f.t.Helper()
	h := f.open(name)
	f.Observe(h)
	return h
}

func (f *fixture) apply(changes ...Change) []Applied {
	f.t.Helper()
	applied, err := f.Apply(context.Background(), changes)
	must(f.t, err)
	return applied
}

func (f *fixture) applyFails(code string, changes ...Change) error {
	f.t.Helper()
	_, err := f.Apply(context.Background(), changes)
	wantCode(f.t, err, code)
	return err
}

// onDisk writes a file as another process would.
func (f *fixture) onDisk(name, text string) {
	f.t.Helper()
	must(f.t, os.MkdirAll(filepath.Dir(f.path(name)), 0o777))
	must(f.t, os.WriteFile(f.path(name), []byte(text), 0o666))
}

func (f *fixture) link(target, name string) {
	f.t.Helper()
	must(f.t, os.Symlink(target, f.path(name)))
}

func (f *fixture) wantFile(name, text string) {
	f.t.Helper()
	got, err := os.ReadFile(f.path(name))
	must(f.t, err)
	if string(got) != text {
		f.t.Errorf("%s holds %q, want %q", name, got, text)
	}
}

func (f *fixture) wantNoFile(name string) {
	f.t.Helper()
	if _, err := os.Lstat(f.path(name)); !errors.Is(err, fs.ErrNotExist) {
		f.t.Errorf("%s is there (%v), want nothing", name, err)
	}
}

// wantTree compares all names below the root; temporary files show here.
func (f *fixture) wantTree(names ...string) {
	f.t.Helper()
	var got []string
	must(f.t, filepath.WalkDir(f.root, func(path string, d fs.DirEntry, err error) error {
		if path != f.root {
			rel, _ := filepath.Rel(f.root, path)
			got = append(got, filepath.ToSlash(rel))
		}
		return err
	}))
	slices.Sort(names)
	if !slices.Equal(got, names) {
		f.t.Errorf("files are %q, want %q", got, names)
	}
}

// update replaces the first occurrence of old in the text of base.
func update(base Handle, old, new string) Change {
	i := strings.Index(base.Content(), old)
	if i < 0 {
		panic("no " + old + " in " + base.Path)
	}
	return Change{Op: OpUpdate, Base: base, Edits: []diff.Edit{{Start: i, End: i + len(old), New: new}}}
}

func create(base Handle, text string) Change { return Change{Op: OpCreate, Base: base, Text: text} }

func wantCode(t testing.TB, err error, code string) {
	t.Helper()
	var e *Error
	if !errors.As(err, &e) || e.ErrorCode() != code {
		t.Fatalf("error is %v, want one with code %s", err, code)
	}
	if e.Message == "" || e.Hint == "" {
		t.Errorf("error %#v lacks a message or a next step", e)
	}
}

func wantText(t testing.TB, err error, parts ...string) {
	t.Helper()
	for _, part := range parts {
		if err == nil || !strings.Contains(err.Error(), part) {
			t.Errorf("error is %q, want it to say %q", err, part)
		}
	}
}

// needsUser skips what the superuser may do anyway.
func needsUser(t *testing.T) {
	t.Helper()
	if os.Geteuid() <= 0 {
		t.Skip("permissions do not bind this user")
	}
}

// needsUnix skips what only systems with modes, pipes and free links have.
func needsUnix(t *testing.T) {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("needs modes and symbolic links")
	}
}

// checkLeaks fails the test when it leaves goroutines of the package or
// files open. The package waits for its goroutines, so nothing needs time to
// settle.
func checkLeaks(t *testing.T) {
	t.Helper()
	files := openFiles()
	t.Cleanup(func() {
		if now := openFiles(); now > files {
			t.Errorf("%d files are open, before %d", now, files)
		}
		stacks := make([]byte, 1<<20)
		stacks = stacks[:runtime.Stack(stacks, true)]
		if bytes.Contains(stacks, []byte("created by github.com/agent-ls/agent-ls/workspace.(*")) {
			t.Errorf("goroutines of the package run still:\n%s", stacks)
		}
	})
}

// openFiles counts descriptors of files and folders where the system tells;
// the runtime's own are of neither kind.
func openFiles() int {
	entries, _ := os.ReadDir("/proc/self/fd")
	n := 0
	for _, e := range entries {
		if target, err := os.Readlink("/proc/self/fd/" + e.Name()); err == nil && filepath.IsAbs(target) {
			n++
		}
	}
	return n
}

// fakeOverlay is the document store of an editor.
type fakeOverlay struct {
	mu   sync.Mutex
	docs map[string]Handle
}

func (o *fakeOverlay) Document(path string) (Handle, bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	h, ok := o.docs[path]
	return h, ok
}

func (o *fakeOverlay) Documents() []Handle {
	o.mu.Lock()
	defer o.mu.Unlock()
	var all []Handle
	for _, h := range o.docs {
		all = append(all, h)
	}
	return all
}

// hold opens path in the editor with the given text.
func (o *fakeOverlay) hold(path, text string, dirty bool) Handle {
	o.mu.Lock()
	defer o.mu.Unlock()
	h := NewHandle(path, text)
	h.Version, h.Dirty, h.SameAsDisk = o.docs[path].Version+1, dirty, !dirty
	h.SavedHash = o.docs[path].SavedHash
	o.docs[path] = h
	return h
}

// save writes the document to the disk as an editor does.
func (o *fakeOverlay) save(t *testing.T, path string) {
	t.Helper()
	o.mu.Lock()
	defer o.mu.Unlock()
	h := o.docs[path]
	must(t, os.WriteFile(path, []byte(h.Content()), 0o666))
	h.Dirty, h.SameAsDisk, h.SavedHash = false, true, h.Hash()
	o.docs[path] = h
}

func (f *fixture) remove(name string) {
	f.t.Helper()
	must(f.t, os.Remove(f.path(name)))
}

// fakeEditor is an Applier over a fakeOverlay.
type fakeEditor struct {
	docs *fakeOverlay
	// saves makes it write to the disk, as an ACP client does.
	saves bool
	// declines makes it leave the file to the next door.
	declines bool
	// format changes what is written; fails is what it answers.
	format func(string) string
	fails  error
	// ignores makes it take the write and do nothing.
	ignores bool
	before  func(w FileWrite) // called first
	writes  []FileWrite
}

func (e *fakeEditor) Apply(ctx context.Context, w FileWrite) (Outcome, error) {
	if e.before != nil {
		e.before(w)
	}
	e.writes = append(e.writes, w)
	switch {
	case e.fails != nil:
		return Declined, e.fails
	case e.declines:
		return Declined, nil
	case e.ignores:
		return Taken, nil
	}
	text := w.After
	if e.format != nil {
		text = e.format(text)
	}
	if e.saves {
		return Taken, os.WriteFile(w.Path, []byte(text), 0o666)
	}
	e.docs.hold(w.Path, text, true)
	return Taken, nil
}
