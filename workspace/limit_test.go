package workspace

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestLimited(t *testing.T) {
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"a", "b", "sub/c", "sub/.env"} {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(name), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	whole := New(Options{}).View(ViewOptions{Cwd: dir})
	hidden := func(real string) bool { return strings.HasSuffix(real, ".env") }
	sub := filepath.Join(dir, "sub")
	tests := []struct {
		paths []string
		name  string
		ok    bool
	}{
		{[]string{filepath.Join(dir, "a")}, "a", true},
		{[]string{filepath.Join(dir, "a")}, "b", false},
		{[]string{sub}, "sub/c", true},
		{[]string{sub}, "sub/.env", false},
		{[]string{filepath.Join(sub, ".env")}, "sub/.env", true},
		{[]string{sub}, "subc", false},
		{nil, "a", false},
	}
	for _, tt := range tests {
		_, err := whole.Limited(Limit{Paths: tt.paths, Hidden: hidden}).Open(context.Background(), tt.name)
		var e *Error
		if tt.ok != (err == nil) || err != nil && (!errors.As(err, &e) || e.Code != FSNotAllowed) {
			t.Errorf("%s within %v: %v", tt.name, tt.paths, err)
		}
	}
}

// TestLimitedLink swaps a file for a link after the decision about it.
func TestLimitedLink(t *testing.T) {
	dir, outside := t.TempDir(), filepath.Join(t.TempDir(), "secret")
	if err := os.WriteFile(outside, []byte("secret"), 0o600); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, "f")
	if err := os.WriteFile(path, []byte("plain"), 0o644); err != nil {
		t.Fatal(err)
	}
	v := New(Options{}).View(ViewOptions{Cwd: dir})
	judged, _, err := v.Resolve("f")
	if err != nil {
		t.Fatal(err)
	}
	call := v.Limited(Limit{Paths: []string{judged}})
	before, err := call.Open(context.Background(), "f")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(outside, path); err != nil {
		t.Skipf("links cannot be made: %v", err)
	}
	if _, err := call.Open(context.Background(), "f"); err == nil {
		t.Error("the swapped file was read")
	}
	if _, err := call.Apply(context.Background(), []Change{{Op: OpUpdate, Base: before}}); err == nil {
		t.Error("the swapped file was written")
	}
	if b, _ := os.ReadFile(outside); string(b) != "secret" {
		t.Errorf("outside is %q", b)
	}
}
