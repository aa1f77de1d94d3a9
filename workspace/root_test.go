package workspace

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

func TestResolve(t *testing.T) {
	needsUnix(t)
	out := realTemp(t)
	must(t, os.WriteFile(filepath.Join(out, "secret"), []byte("x"), 0o666))
	f := newFixture(t, map[string]string{"a.txt": "a", "dir/b.txt": "b", "sub/": ""})
	f.link("a.txt", "to-a")
	f.link("dir", "to-dir")
	f.link(out, "to-out")
	f.link(filepath.Join(out, "new"), "dangling-out")
	f.link("dir/new", "dangling-in")
	f.link("to-to-out/x", "chain")
	f.link("to-out", "to-to-out")
	f.link("../../..", "up")
	f.link(f.path("dir"), "sub/abs")
	f.link("/proc/self/root"+f.path("a.txt"), "by-proc")
	f.link("/proc/self/cwd", "by-cwd")
	in := func(name string) string { return f.path(name) }
	tests := []struct {
		path, real string
		inside     bool
	}{
		{"a.txt", in("a.txt"), true},
		{"", "", false},
		{".", f.root, true},
		{"none/at/all", in("none/at/all"), true},
		{"to-a", in("a.txt"), true},
		{"to-dir/b.txt", in("dir/b.txt"), true},
		{"to-dir/none/x", in("dir/none/x"), true},
		{"sub/abs/b.txt", in("dir/b.txt"), true},
		{"to-out", out, false},
		{"to-out/secret", filepath.Join(out, "secret"), false},
		{"to-out/none/x", filepath.Join(out, "none/x"), false},
		{"dangling-out", filepath.Join(out, "new"), false},
		{"dangling-in", in("dir/new"), true},
		{"chain", filepath.Join(out, "x"), false},
		{"to-out/../a.txt", in("a.txt"), true}, // .. is taken away as text
		{"..", filepath.Dir(f.root), false},
		{f.root + "-neighbour/x", f.root + "-neighbour/x", false},
		{f.root + "/", f.root, true},
		{"/", "/", false},
		{"/etc/passwd", "/etc/passwd", false},
	}
	for _, test := range tests {
		if test.path == "" {
			continue
		}
		real, inside, err := f.Resolve(test.path)
		if err != nil || real != test.real || inside != test.inside {
			t.Errorf("Resolve(%q) = %q, %v, %v, want %q, %v", test.path, real, inside, err, test.real, test.inside)
		}
	}
	for _, path := range []string{"/proc/self/root" + in("a.txt"), "by-proc", "by-cwd/x", "/proc/self/fd/0", "up/etc"} {
		if real, inside, err := f.Resolve(path); inside {
			t.Errorf("Resolve(%q) = %q, inside, %v", path, real, err)
		}
	}
}

func TestResolveRefusesCycles(t *testing.T) {
	needsUnix(t)
	f := newFixture(t, nil)
	f.link("loop", "loop")
	f.link("b", "a")
	f.link("a", "b")
	f.link("c/../c/x", "c")
	for _, path := range []string{"loop", "loop/x", "a", "b/x"} {
		_, _, err := f.Resolve(path)
		wantCode(t, err, FSIOError)
		wantText(t, err, "symbolic links")
		if !errors.Is(err, errLinks) {
			t.Errorf("Resolve(%q): %v", path, err)
		}
	}
}

func TestResolveRefusesWayBackFromNowhere(t *testing.T) {
	needsUnix(t)
	f := newFixture(t, map[string]string{"a.txt": "a"})
	f.link("none/../inner", "link")
	f.link("a.txt", "inner")
	_, _, err := f.Resolve("link")
	wantCode(t, err, FSNotFound)
}

func TestResolveBelowFile(t *testing.T) {
	needsUnix(t)
	f := newFixture(t, map[string]string{"a.txt": "a"})
	_, _, err := f.Resolve("a.txt/b")
	wantCode(t, err, FSNotDirectory)
	if !errors.Is(err, syscall.ENOTDIR) {
		t.Errorf("the cause is lost: %v", err)
	}
}

func TestResolveRoots(t *testing.T) {
	needsUnix(t)
	base := realTemp(t)
	for _, dir := range []string{"one/x", "two", "three"} {
		must(t, os.MkdirAll(filepath.Join(base, dir), 0o777))
	}
	must(t, os.Symlink(filepath.Join(base, "one"), filepath.Join(base, "link")))
	view := func(cwd string, roots ...string) *View {
		return New(Options{}).View(ViewOptions{Cwd: cwd, Roots: roots})
	}
	tests := []struct {
		name   string
		v      *View
		path   string
		inside bool
	}{
		{"second root", view(base, filepath.Join(base, "one"), filepath.Join(base, "two")), base + "/two/f", true},
		{"cwd is no root by itself", view(base, filepath.Join(base, "one")), base + "/three/f", false},
		{"root through a link, file by real path", view(base+"/link", base+"/link"), base + "/one/x", true},
		{"root through a link, file through it", view(base + "/link"), "x", true},
		{"root by real path, file through a link", view(base + "/one"), base + "/link/x", true},
		{"root that does not exist yet", view(base + "/new"), base + "/new/a/b", true},
		{"no root", view(""), base + "/one/x", false},
		{"no root, the top", view(""), "/", false},
		{"the top as root", view("/"), base + "/three", true},
		{"the top as root, proc", view("/"), "/proc/self/root/etc", false},
		{"relative root", view(base, "two"), base + "/two/f", true},
		{"root that cannot be", view(base, "a\x00b"), base + "/two", false},
	}
	for _, test := range tests {
		if real, inside, err := test.v.Resolve(test.path); err != nil || inside != test.inside {
			t.Errorf("%s: Resolve(%q) = %q, %v, %v", test.name, test.path, real, inside, err)
		}
	}
	if got := view(base).Roots(); len(got) != 1 || got[0] != base {
		t.Errorf("roots default to %q", got)
	}
	if got := view(base, "two").Roots(); len(got) != 1 || got[0] != "two" {
		t.Errorf("roots are %q, want them as given", got)
	}
	if _, _, err := view("").Resolve("rel"); err == nil {
		t.Error("a relative path resolves without a working folder")
	}
}

func TestRootSwappedForLinkTakesNothingWithIt(t *testing.T) {
	needsUnix(t)
	base := realTemp(t)
	must(t, os.MkdirAll(filepath.Join(base, "w"), 0o777))
	must(t, os.MkdirAll(filepath.Join(base, "other"), 0o777))
	must(t, os.WriteFile(filepath.Join(base, "other", "f"), []byte("x"), 0o666))
	v := New(Options{}).View(ViewOptions{Cwd: filepath.Join(base, "w")})
	must(t, os.Remove(filepath.Join(base, "w")))
	must(t, os.Symlink("other", filepath.Join(base, "w")))
	real, inside, err := v.Resolve("f")
	if err != nil || inside || real != filepath.Join(base, "other", "f") {
		t.Errorf("Resolve = %q, %v, %v, want outside", real, inside, err)
	}
}

func TestWithin(t *testing.T) {
	tests := []struct {
		root, path string
		want       bool
	}{
		{"/a", "/a", true},
		{"/a", "/a/b", true},
		{"/a", "/ab", false},
		{"/a", "/", false},
		{"/a/b", "/a", false},
		{"/", "/a", true},
		{"/", "/", true},
		{"/a", "/a..b", false},
		{"/a", "/a/..b", true},
	}
	for _, test := range tests {
		root, path := filepath.FromSlash(test.root), filepath.FromSlash(test.path)
		if got := within(root, path); got != test.want {
			t.Errorf("within(%q, %q) = %v", root, path, got)
		}
	}
}

// FuzzFollowLinks lays hostile links in a folder and resolves a path through
// them: whatever is called real must be what the system calls real.
func FuzzFollowLinks(f *testing.F) {
	f.Add("a", "b", "a/x")
	f.Add("..", "../..", "l1/l2/etc")
	f.Add("l2", "l1", "l1")
	f.Add("d/../d", "./d/.", "l1/../l2/f")
	f.Add("none/../d/l2", "f", "l1")
	f.Add("/", "/proc/self/root", "l2/etc/passwd")
	f.Fuzz(func(t *testing.T, one, two, path string) {
		needsUnix(t)
		if strings.ContainsRune(one+two+path, 0) || one == "" || two == "" || len(one)+len(two)+len(path) > 300 {
			t.Skip()
		}
		root := realTemp(t)
		must(t, os.MkdirAll(filepath.Join(root, "d"), 0o777))
		must(t, os.WriteFile(filepath.Join(root, "d", "f"), nil, 0o666))
		must(t, os.Symlink(one, filepath.Join(root, "l1")))
		must(t, os.Symlink(two, filepath.Join(root, "d", "l2")))
		abs := filepath.Join(root, path)
		got, err := followLinks(abs)
		want, wantErr := filepath.EvalSymlinks(abs)
		if wantErr == nil && (err != nil || got.real != want) {
			t.Fatalf("followLinks(%q) = %q, %v, the system says %q", path, got.real, err, want)
		}
		if err != nil {
			return
		}
		if again, err := followLinks(got.real); err != nil || again.real != got.real {
			t.Fatalf("followLinks(%q) = %q, which resolves to %q, %v", path, got.real, again.real, err)
		}
	})
}
