package workspace

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/iotest"
)

func TestOpen(t *testing.T) {
	f := newFixture(t, map[string]string{"d/a.txt": "one\r\ntwo", "empty": ""})
	h := f.open("d/../d/a.txt")
	if h.Content() != "one\r\ntwo" || !h.Exists || !h.SameAsDisk || h.Dirty || h.Version != 0 || !h.Inside {
		t.Errorf("handle %+v", h)
	}
	if h.Path != f.path("d/a.txt") || h.Real != f.path("d/a.txt") || !h.Mode.IsRegular() || h.Mode.Perm() == 0 {
		t.Errorf("handle %+v", h)
	}
	if h.Hash() != HashText("one\r\ntwo") || len(h.Hash()) != 64 {
		t.Errorf("hash %q", h.Hash())
	}
	const emptyHash = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
	if got := f.open("empty"); got.Hash() != emptyHash || !got.Exists {
		t.Errorf("empty file: %+v, hash %s", got, got.Hash())
	}
	for _, name := range []string{"none", "d/none", "none/none/none"} {
		got := f.open(name)
		if got.Exists || got.Content() != "" || !got.SameAsDisk || got.Real != f.path(name) || !got.Inside {
			t.Errorf("missing file: %+v", got)
		}
	}
}

func TestOpenOutsideTheRootsIsPlain(t *testing.T) {
	out := realTemp(t)
	path := filepath.Join(out, "a.txt")
	must(t, os.WriteFile(path, []byte("x"), 0o666))
	f := newFixture(t, nil)
	if h := f.open(path); h.Content() != "x" || h.Inside {
		t.Errorf("handle %+v", h)
	}
	if h := f.open(filepath.Join(out, "no/such")); h.Exists || h.Inside {
		t.Errorf("handle %+v", h)
	}
	f.link(path, "link")
	if h := f.open("link"); h.Content() != "x" || h.Inside || h.Real != path || h.Path != f.path("link") {
		t.Errorf("handle %+v", h)
	}
}

func TestOpenRefuses(t *testing.T) {
	needsUnix(t)
	f := newFixture(t, map[string]string{"a.txt": "x", "dir/": ""})
	makeSpecialFiles(t, f)
	tests := []struct{ path, code, says string }{
		{"dir", FSIsDirectory, "path is a directory"},
		{".", FSIsDirectory, "path is a directory"},
		{"/", FSIsDirectory, "path is a directory"},
		{"a.txt/b", FSNotDirectory, "ENOTDIR"},
		{"fifo", FSNotRegular, "named pipe"},
		{"socket", FSNotRegular, "socket"},
		{"/dev/null", FSNotRegular, "device"},
		{strings.Repeat("n", 300), FSIOError, "ENAMETOOLONG"},
		{"", FSInvalidPath, "empty"},
	}
	for _, test := range tests {
		_, err := f.Open(context.Background(), test.path)
		wantCode(t, err, test.code)
		wantText(t, err, test.says)
		if _, err = f.Stream(test.path); err == nil {
			t.Errorf("Stream(%q) succeeds", test.path)
		}
	}
	top := New(Options{}).View(ViewOptions{Cwd: "/"})
	_, err := top.Open(context.Background(), "/")
	wantCode(t, err, FSIsDirectory)
}

func TestOpenUnreadable(t *testing.T) {
	needsUser(t)
	f := newFixture(t, map[string]string{"a.txt": "x", "dir/b.txt": "x"})
	must(t, os.Chmod(f.path("a.txt"), 0))
	must(t, os.Chmod(f.path("dir"), 0))
	t.Cleanup(func() { _ = os.Chmod(f.path("dir"), 0o700) })
	for _, name := range []string{"a.txt", "dir/b.txt"} {
		_, err := f.Open(context.Background(), name)
		wantCode(t, err, FSPermissionDenied)
		wantText(t, err, "permission denied", "EACCES")
	}
}

func TestOpenSizeLimit(t *testing.T) {
	root := realTemp(t)
	must(t, os.WriteFile(filepath.Join(root, "10"), make([]byte, 10), 0o666))
	must(t, os.WriteFile(filepath.Join(root, "11"), make([]byte, 11), 0o666))
	v := New(Options{MaxFileSize: 10}).View(ViewOptions{Cwd: root})
	if h, err := v.Open(context.Background(), "10"); err != nil || len(h.Content()) != 10 {
		t.Errorf("a file of the limit: %v", err)
	}
	_, err := v.Open(context.Background(), "11")
	wantCode(t, err, FSTooLarge)
	wantText(t, err, "11 bytes", "10")
	r, err := v.Stream("11")
	must(t, err)
	data, err := io.ReadAll(r)
	if err != nil || len(data) != 11 {
		t.Errorf("Stream gives %d bytes, %v", len(data), err)
	}
	must(t, r.Close())
}

func TestReadUpTo(t *testing.T) {
	for _, test := range []struct {
		text  string
		size  int64
		limit int64
		fits  bool
	}{
		{"", 0, 0, true},
		{"abc", 0, 3, true}, // says 0 like files in /proc
		{"abc", 10, 3, true},
		{"abc", 1, 2, false}, // grew after the stat
		{strings.Repeat("x", 5000), 0, 5000, true},
		{strings.Repeat("x", 5000), 5000, 4999, false},
	} {
		for _, like := range []string{"", "a", test.text, test.text + "b", "b" + test.text, strings.Repeat("x", 4000)} {
			got, err := readUpTo(iotest.HalfReader(strings.NewReader(test.text)), test.size, test.limit, like)
			if test.fits && (err != nil || got != test.text) || !test.fits && !errors.Is(err, errTooLong) {
				t.Errorf("%d bytes, size %d, limit %d: %d bytes, %v", len(test.text), test.size, test.limit, len(got), err)
			}
		}
	}
	broken := errors.New("broken")
	if _, err := readUpTo(io.MultiReader(strings.NewReader("a"), failingReader{broken}), 5, 9, "ab"); !errors.Is(err, broken) {
		t.Errorf("error %v", err)
	}
}

type failingReader struct{ err error }

func (r failingReader) Read([]byte) (int, error) { return 0, r.err }

func TestOpenCancelled(t *testing.T) {
	f := newFixture(t, map[string]string{"a.txt": "x"})
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	_, err := f.Open(ctx, "a.txt")
	wantCode(t, err, FSAborted)
	if !errors.Is(err, context.Canceled) {
		t.Errorf("the cause is lost: %v", err)
	}
}

func TestOpenOverlay(t *testing.T) {
	f := newFixture(t, map[string]string{"clean": "disk", "dirty": "disk", "same": "disk", "stale": "disk"})
	f.docs.hold(f.path("clean"), "disk", false)
	f.docs.hold(f.path("dirty"), "typed", true)
	f.docs.hold(f.path("same"), "disk", true)
	f.docs.hold(f.path("stale"), "old", false)
	f.docs.hold(f.path("d/new"), "typed", true)
	f.docs.hold(f.path("removed"), "old", false)
	changed := f.docs.hold(f.path("changed"), "typed", true)
	changed.DiskChanged = true
	f.docs.docs[f.path("changed")] = changed
	f.onDisk("changed", "other")

	tests := []struct {
		name, text                    string
		version                       int32
		exists, dirty, sameAsDisk, ch bool
	}{
		{"clean", "disk", 1, true, false, true, false},
		{"dirty", "typed", 1, true, true, false, false},
		{"same", "disk", 1, true, false, true, false},
		{"stale", "disk", 0, true, false, true, false}, // the disk wins over a clean buffer
		{"d/new", "typed", 1, true, true, false, false},
		{"removed", "", 0, false, false, true, false},
		{"changed", "typed", 1, true, true, false, true},
	}
	for _, test := range tests {
		h := f.open(test.name)
		if h.Content() != test.text || h.Version != test.version || h.Exists != test.exists ||
			h.Dirty != test.dirty || h.SameAsDisk != test.sameAsDisk || h.DiskChanged != test.ch {
			t.Errorf("%s: %+v with text %q", test.name, h, h.Content())
		}
		doc, ok := f.Overlaid(test.name)
		if wantDoc := test.dirty || test.name == "same"; ok != wantDoc {
			t.Errorf("Overlaid(%s) = %v", test.name, ok)
		}
		if ok && (doc.Path != f.path(test.name) || !doc.Inside || doc.Content() != test.text) {
			t.Errorf("Overlaid(%s) = %+v", test.name, doc)
		}
	}
	r, err := f.Stream("dirty")
	must(t, err)
	if data, err := io.ReadAll(r); err != nil || string(data) != "typed" {
		t.Errorf("Stream of unsaved text = %q, %v", data, err)
	}
	must(t, r.Close())
}

func TestOpenOverlayByLink(t *testing.T) {
	needsUnix(t)
	f := newFixture(t, map[string]string{"real/a": "disk"})
	f.link("real", "link")
	f.docs.hold(f.path("real/a"), "typed", true)
	if h := f.open("link/a"); h.Content() != "typed" || h.Path != f.path("link/a") || h.Real != f.path("real/a") {
		t.Errorf("handle %+v", h)
	}
}

// textReader is a Reader with a text for some paths.
type textReader struct {
	texts map[string]string
	err   error
	asked []string
	disks []string
}

func (r *textReader) ReadText(_ context.Context, path, disk string) (string, bool, error) {
	r.asked, r.disks = append(r.asked, path), append(r.disks, disk)
	text, ok := r.texts[path]
	return text, ok, r.err
}

func TestOpenReader(t *testing.T) {
	reader := &textReader{texts: map[string]string{}}
	f := newFixture(t, map[string]string{"a": "disk", "b": "disk", "c": "disk", "d": "disk"},
		func(o *ViewOptions) { o.Reader = reader })
	reader.texts[f.path("a")] = "buffer"
	reader.texts[f.path("b")] = "disk"
	f.docs.hold(f.path("d"), "typed", true)

	if h := f.open("a"); h.Content() != "buffer" || !h.Dirty || h.SameAsDisk {
		t.Errorf("a: %+v", h)
	}
	if h := f.open("b"); h.Content() != "disk" || h.Dirty || !h.SameAsDisk {
		t.Errorf("b: %+v", h)
	}
	if h := f.open("c"); h.Content() != "disk" || h.Dirty {
		t.Errorf("c: %+v", h)
	}
	asked := len(reader.asked)
	if h := f.open("d"); h.Content() != "typed" || len(reader.asked) != asked {
		t.Errorf("the Reader is asked about a document of the overlay: %+v", h)
	}
	if h := f.open("missing"); h.Exists || len(reader.asked) != asked {
		t.Error("the Reader is asked about a missing file (field report 44)")
	}
	if reader.disks[0] != "disk" {
		t.Errorf("the Reader gets %q as the text on disk", reader.disks[0])
	}
	reader.err = errors.New("no such buffer")
	_, err := f.Open(context.Background(), "a")
	wantCode(t, err, FSIOError)
	wantText(t, err, "no such buffer", "editor")
}

func TestHandles(t *testing.T) {
	calls := 0
	h := LazyHandle("/x", func() string { calls++; return "text" })
	if calls != 0 {
		t.Error("the text is made too early")
	}
	same := h
	if h.Content() != "text" || same.Content() != "text" || h.Hash() != HashText("text") || calls != 1 {
		t.Errorf("content %q, made %d times", h.Content(), calls)
	}
	if n := NewHandle("/x", "text"); !n.sameText(h) || !n.Exists || !n.SameAsDisk || n.Real != "/x" {
		t.Errorf("handle %+v", n)
	}
	var zero Handle
	if zero.Content() != "" || zero.Hash() != HashText("") || zero.diskVersion() != absent || zero.textVersion() != absent {
		t.Errorf("zero handle %+v", zero)
	}
	if zero.sameText(NewHandle("/x", "")) {
		t.Error("no file and an empty file are the same text")
	}
}

func TestStat(t *testing.T) {
	f := newFixture(t, map[string]string{"a.txt": "abc", "dir/b": ""})
	f.docs.hold(f.path("new/deep/c"), "typed", true)
	f.docs.hold(f.path("gone"), "old", false)
	for _, test := range []struct {
		path         string
		dir, overlay bool
	}{
		{"a.txt", false, false},
		{"dir", true, false},
		{".", true, false},
		{"/", true, false},
		{"new/deep/c", false, true},
		{"new/deep", true, true},
		{"new", true, true},
	} {
		e, err := f.Stat(test.path)
		if err != nil || e.Dir != test.dir || e.Overlay != test.overlay || (e.Info == nil) != test.overlay {
			t.Errorf("Stat(%q) = %+v, %v", test.path, e, err)
		}
		if f.IsDir(test.path) != test.dir {
			t.Errorf("IsDir(%q) = %v", test.path, !test.dir)
		}
	}
	for _, path := range []string{"none", "dir/none", "gone"} {
		_, err := f.Stat(path)
		wantCode(t, err, FSNotFound)
	}
	if f.IsDir("none") || f.IsDir("\x00") {
		t.Error("IsDir of nothing")
	}
}

func TestEncoding(t *testing.T) {
	tests := []struct {
		text, name string
		ok         bool
	}{
		{"", UTF8, true},
		{"plain", UTF8, true},
		{"grün 文", UTF8, true},
		{"\ufeffx", UTF8BOM, true},
		{"\xff\xfea\x00", UTF16LE, false},
		{"\xfe\xff\x00a", UTF16BE, false},
		{"a\x00b", Binary, false},
		{strings.Repeat("a", binaryWindow-1) + "\x00", Binary, false},
		{strings.Repeat("a", binaryWindow) + "\x00", UTF8, true},
		{"caf\xe9\nx=1", EightBit, false},
		{"\x89PNG\r\n\x1a\n\x00", Binary, false},
	}
	for _, test := range tests {
		if name, ok := Encoding(test.text); name != test.name || ok != test.ok {
			t.Errorf("Encoding(%.20q) = %q, %v, want %q, %v", test.text, name, ok, test.name, test.ok)
		}
	}
}
