package cache

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/agent-ls/agent-ls/presentation"
)

func newStore(t *testing.T, o Options) *Store {
	t.Helper()
	if o.Dir == "" {
		o.Dir = filepath.Join(t.TempDir(), "outputs")
	}
	return Open(o)
}

func put(t *testing.T, s *Store, session, id, text string) (Ref, string) {
	t.Helper()
	ref, path, err := s.Put(session, id, text)
	if err != nil {
		t.Fatal(err)
	}
	return ref, path
}

func read(t *testing.T, s *Store, session string, ref Ref) string {
	t.Helper()
	f, err := s.OpenRef(session, ref)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	data, err := io.ReadAll(f)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

func TestStoreRefs(t *testing.T) {
	s := newStore(t, Options{})
	long := strings.Repeat("x", 300)
	tests := []struct{ id, want string }{
		{"call_1", `^call_1$`},
		{"call_1", `^call_1_2-[0-9a-f]{8}$`}, // providers use ids again
		{"call_1", `^call_1_3-[0-9a-f]{8}$`},
		{"a/b", `^a_b-[0-9a-f]{8}$`},
		{"a b", `^a_b-[0-9a-f]{8}$`}, // not the one above
		{"../../etc/passwd", `^______etc_passwd-[0-9a-f]{8}$`},
		{"é", `^_-[0-9a-f]{8}$`},
		{"\x00\xff", `^__-[0-9a-f]{8}$`},
		{long, `^x{71}-[0-9a-f]{8}$`},
		{long + "y", `^x{71}-[0-9a-f]{8}$`},
	}
	seen := map[Ref]bool{}
	for i, tt := range tests {
		text := fmt.Sprintf("text %d", i)
		ref, path := put(t, s, "session", tt.id, text)
		if !regexp.MustCompile(tt.want).MatchString(string(ref)) || len(ref) > 80 || seen[ref] {
			t.Errorf("id %.20q: ref %q", tt.id, ref)
		}
		seen[ref] = true
		if got := read(t, s, "session", ref); got != text {
			t.Errorf("ref %q holds %q", ref, got)
		}
		if found, err := s.Path("session", ref); err != nil || found != path {
			t.Errorf("path %q, %v", found, err)
		}
		if back, ok := s.RefOf(path); !ok || back != ref {
			t.Errorf("ref of the path: %q, %v", back, ok)
		}
	}
	if got := read(t, s, "session", "a/b"); got != "text 3" {
		t.Errorf("an id is looked up as it was stored: %q", got)
	}
}

func TestStoreModes(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("no modes")
	}
	s := newStore(t, Options{})
	ref, path := put(t, s, "s", "id", "x")
	if _, err := s.PutParts("s", "image", []presentation.Block{presentation.Image([]byte{1}, "image/png")}); err != nil {
		t.Fatal(err)
	}
	for p, want := range map[string]fs.FileMode{
		path:               0o600,
		filepath.Dir(path): 0o700,
		s.opts.Dir:         0o700,
		filepath.Join(filepath.Dir(path), "image.json"): 0o600,
	} {
		info, err := os.Stat(p)
		if err != nil {
			t.Fatal(err)
		}
		if info.Mode().Perm() != want {
			t.Errorf("%s of %s has mode %v", ref, p, info.Mode())
		}
	}
}

func TestStoreUnknownRefs(t *testing.T) {
	dir := t.TempDir()
	s := newStore(t, Options{Dir: filepath.Join(dir, "store")})
	put(t, s, "s1", "known", "secret")
	outside := filepath.Join(dir, "outside.txt")
	if err := os.WriteFile(outside, []byte("outside"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(filepath.Join(dir, "store", "s1", "folder.txt"), 0o700); err != nil {
		t.Fatal(err)
	}
	_ = os.Symlink(outside, filepath.Join(dir, "store", "s1", "link.txt"))
	tests := []struct {
		session string
		ref     Ref
	}{
		{"s1", "unknown"}, {"s2", "known"}, {"s1", ""}, {"s1", "../../outside"}, {"s1", "../s1/known"},
		{"s1", "known.txt"}, {"s1", "known\x00"}, {"s1", Ref(strings.Repeat("x", 5000))},
		{"s1", "folder"}, {"s1", "link"}, {"../s1", "known"},
	}
	for _, tt := range tests {
		if f, err := s.OpenRef(tt.session, tt.ref); !errors.Is(err, ErrNotFound) {
			t.Errorf("%s, %.20q: %v, %v", tt.session, tt.ref, f, err)
		}
	}
	for _, session := range []string{""} {
		if _, err := s.OpenRef(session, "known"); err == nil {
			t.Errorf("session %q", session)
		}
	}
	if _, _, err := s.Put("s1", "", "x"); err == nil {
		t.Error("an empty id was taken")
	}
	if ref, ok := s.RefOf(outside); ok {
		t.Errorf("a foreign path has the ref %q", ref)
	}
}

func TestStoreParts(t *testing.T) {
	s := newStore(t, Options{})
	blocks := []presentation.Block{
		presentation.Text("Image loaded: a.png\n"),
		presentation.Image([]byte{0, 1, 254, 255}, "image/png"),
		{Type: presentation.BlockDocument, Data: []byte("%PDF"), MIMEType: "application/pdf"},
		{Type: presentation.BlockOther, Provider: "acme", Kind: "chart", Payload: []byte(`{"a":1}`)},
		{Type: presentation.BlockLink, URI: "file:///x"},
	}
	ref, err := s.PutParts("s", "c1", blocks)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := read(t, s, "s", ref), "Image loaded: a.png\n[image][document][other:acme/chart][content]"; got != want {
		t.Errorf("projection %q, want %q", got, want)
	}
	back, err := s.Parts("s", ref)
	if err != nil || !reflect.DeepEqual(back, blocks) {
		t.Errorf("parts %+v, %v", back, err)
	}
	plain, _ := put(t, s, "s", "c2", "text")
	if back, err := s.Parts("s", plain); back != nil || err != nil {
		t.Errorf("parts of text: %v, %v", back, err)
	}
	if _, err := s.Parts("s", "none"); !errors.Is(err, ErrNotFound) {
		t.Errorf("parts of nothing: %v", err)
	}
}

func TestStoreEntryLimit(t *testing.T) {
	s := newStore(t, Options{MaxEntryBytes: 10})
	w, ref, _, err := s.Create("s", "big")
	if err != nil {
		t.Fatal(err)
	}
	for range 3 {
		if n, err := io.WriteString(w, "12345678"); n != 8 || err != nil {
			t.Fatalf("write: %d, %v", n, err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if got := read(t, s, "s", ref); got != "1234567812\n[14 more bytes were not kept]\n" {
		t.Errorf("stored %q", got)
	}
}

// TestStoreConcurrently: one id from many at once gets a ref each.
func TestStoreConcurrently(t *testing.T) {
	s := newStore(t, Options{})
	var all sync.WaitGroup
	var mu sync.Mutex
	refs := map[Ref]string{}
	for i := range 50 {
		all.Go(func() {
			text := fmt.Sprint(i)
			ref, _, err := s.Put("s", "same", text)
			if err != nil {
				t.Error(err)
			}
			mu.Lock()
			defer mu.Unlock()
			refs[ref] = text
		})
	}
	all.Wait()
	if len(refs) != 50 {
		t.Fatalf("%d refs", len(refs))
	}
	for ref, text := range refs {
		if got := read(t, s, "s", ref); got != text {
			t.Errorf("%s holds %q, want %q", ref, got, text)
		}
	}
}

func TestStoreRemove(t *testing.T) {
	s := newStore(t, Options{})
	gone, _ := put(t, s, "a", "x", "1")
	kept, _ := put(t, s, "b", "x", "2")
	if err := s.Remove("a"); err != nil {
		t.Fatal(err)
	}
	if _, err := s.OpenRef("a", gone); !errors.Is(err, ErrNotFound) {
		t.Errorf("removed: %v", err)
	}
	if got := read(t, s, "b", kept); got != "2" {
		t.Errorf("kept %q", got)
	}
	if err := s.Remove("never"); err != nil {
		t.Error(err)
	}
}

func TestStoreCannotWrite(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	s := Open(Options{Dir: file})
	if _, _, err := s.Put("s", "id", "x"); err == nil {
		t.Error("stored below a file")
	}
}

func TestSweep(t *testing.T) {
	now := time.Date(2030, 1, 31, 0, 0, 0, 0, time.UTC)
	s := newStore(t, Options{MaxBytes: 100, MaxAge: 10 * 24 * time.Hour, Now: func() time.Time { return now }})
	age := func(session, id string, size, days int) Ref {
		ref, path := put(t, s, session, id, strings.Repeat("x", size))
		when := now.Add(-time.Duration(days) * 24 * time.Hour)
		if err := os.Chtimes(path, when, when); err != nil {
			t.Fatal(err)
		}
		return ref
	}
	old := age("a", "old", 1, 11)
	first := age("b", "first", 60, 9)
	second := age("b", "second", 60, 8)
	third := age("c", "third", 40, 1)
	w, writing, path, err := s.Create("d", "writing")
	if err != nil {
		t.Fatal(err)
	}
	ancient := now.Add(-1000 * time.Hour)
	if err := os.Chtimes(path, ancient, ancient); err != nil {
		t.Fatal(err)
	}
	if err := s.Sweep(); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		session string
		ref     Ref
		kept    bool
	}{{"a", old, false}, {"b", first, false}, {"b", second, true}, {"c", third, true}, {"d", writing, true}} {
		if _, err := s.Path(tt.session, tt.ref); (err == nil) != tt.kept {
			t.Errorf("%s: %v, want kept %v", tt.ref, err, tt.kept)
		}
	}
	if _, err := os.Stat(filepath.Join(s.opts.Dir, "a")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the empty folder stays: %v", err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if err := os.Chtimes(path, ancient, ancient); err != nil {
		t.Fatal(err)
	}
	if err := s.Sweep(); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Path("d", writing); !errors.Is(err, ErrNotFound) {
		t.Errorf("a closed old entry stays: %v", err)
	}
	if err := newStore(t, Options{}).Sweep(); err != nil {
		t.Errorf("sweep of nothing: %v", err)
	}
}

// FuzzRef: no ref leads out of its session's folder, and names are stable.
func FuzzRef(f *testing.F) {
	for _, id := range []string{"call_1", "../../etc/passwd", "a\x00b", "..", ".", "/", `C:\x`, "é👍🏽", strings.Repeat("x", 81)} {
		f.Add(id)
	}
	f.Fuzz(func(t *testing.T, id string) {
		name, err := safeName(id)
		if err != nil {
			return
		}
		if !regexp.MustCompile(`^[A-Za-z0-9_-]{1,80}$`).MatchString(name) {
			t.Fatalf("%q becomes %q", id, name)
		}
		if again, err := safeName(name); err != nil || again != name {
			t.Fatalf("%q becomes %q, then %q (%v)", id, name, again, err)
		}
	})
}
