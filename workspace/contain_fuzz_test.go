package workspace

import (
	"context"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// FuzzContainment gives hostile paths to everything that a view bounded to
// its root does: nothing outside may be read, listed or changed.
func FuzzContainment(f *testing.F) {
	for _, path := range []string{
		"in", "../outside/secret", "out/secret", "up/outside/secret", "sub/../../outside/secret", "sub/out/secret",
		"/etc/passwd", "/proc/self/root/etc/passwd", "proc/etc/passwd", "loop", "loop/x", "self/self/out/secret",
		"file:///etc/passwd", "file://localhost/etc/%70asswd", "file:../outside/secret", "~/secret", "@../outside/secret",
		"in/../../outside/secret", "gone/../out/new", "out/new", "dangling", "dangling/x", "..", "../..", ".", "", "/", "//",
		"C:\\Windows\\win.ini", "\\\\?\\C:\\x", "\\\\server\\share", "sub\\..\\..\\outside\\secret", "in\x00/../secret",
		strings.Repeat("../", 50) + "etc/passwd", strings.Repeat("a/", 300), "sub/././/../in", "out/../../in", "in/", "ｅtc", "out\u2215secret",
	} {
		f.Add(path)
	}
	f.Fuzz(func(t *testing.T, path string) {
		base := realTemp(t)
		root, outside := filepath.Join(base, "root"), filepath.Join(base, "outside")
		must(t, os.MkdirAll(filepath.Join(root, "sub"), 0o777))
		must(t, os.Mkdir(outside, 0o777))
		must(t, os.WriteFile(filepath.Join(root, "in"), []byte("inside"), 0o666))
		must(t, os.WriteFile(filepath.Join(outside, "secret"), []byte("SECRET"), 0o666))
		for name, target := range map[string]string{
			"out": "../outside", "sub/out": outside, "up": "..", "self": ".", "loop": "loop", "proc": "/proc/self/root", "dangling": "../outside/none",
		} {
			if err := os.Symlink(target, filepath.Join(root, filepath.FromSlash(name))); err != nil {
				t.Skipf("links cannot be made: %v", err)
			}
		}
		v := New(Options{Home: outside}).View(ViewOptions{Cwd: root}).Limited(Limit{Paths: []string{root}})
		ctx := context.Background()
		if h, err := v.Open(ctx, path); err == nil {
			if !h.Inside || !within(root, h.Real) || strings.Contains(h.Content(), "SECRET") {
				t.Errorf("Open(%q) leads to %s", path, h.Real)
			}
			if _, err := v.Apply(ctx, []Change{{Op: OpCreate, Base: h, Text: "written"}}); err == nil && !within(root, h.Real) {
				t.Errorf("Apply to %q wrote %s", path, h.Real)
			}
		}
		if r, err := v.Stream(path); err == nil {
			if text, err := io.ReadAll(r); err == nil && strings.Contains(string(text), "SECRET") {
				t.Errorf("Stream(%q) gives what is outside", path)
			}
			closeQuietly(r)
		}
		_ = v.Walk(ctx, path, func(e Entry) error {
			if text, err := streamed(v, e); strings.Contains(text, "SECRET") || err == nil && e.name == "secret" {
				t.Errorf("Walk(%q) reads %s", path, e.Path)
			}
			return nil
		})
		left, err := os.ReadDir(outside)
		if text, readErr := os.ReadFile(filepath.Join(outside, "secret")); err != nil || len(left) != 1 || readErr != nil || string(text) != "SECRET" {
			t.Errorf("%q: outside holds %v, the secret %q", path, left, text)
		}
		if around, err := os.ReadDir(base); err != nil || len(around) != 2 {
			t.Errorf("%q: beside the root are %v", path, around)
		}
	})
}
