package workspace

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/agent-ls/agent-ls/workspace/diff"
)

// benchTree makes 10,000 files of 4 KiB in 1,000 folders, with some ignore
// files of the usual size.
func benchTree(b *testing.B) string {
	b.Helper()
	root := b.TempDir()
	text := []byte(strings.Repeat("a line of forty characters, more or less\n", 100))
	for i := range 10 {
		for j := range 100 {
			dir := filepath.Join(root, fmt.Sprintf("package-%d", i), fmt.Sprintf("folder-%02d", j))
			must(b, os.MkdirAll(dir, 0o777))
			for k := range 10 {
				must(b, os.WriteFile(filepath.Join(dir, fmt.Sprintf("file%d.go", k)), text, 0o666))
			}
		}
		ignore := filepath.Join(root, fmt.Sprintf("package-%d", i), gitIgnore)
		must(b, os.WriteFile(ignore, []byte("/dist\n*.tmp\n*.log\nnode_modules/\n**/cache/*.bin\n"), 0o666))
	}
	must(b, os.WriteFile(filepath.Join(root, gitIgnore), []byte("*.o\n*.a\n*.so\nbin/\nout/\n.env\n*.py[co]\n!keep.log\n/coverage.*\n"), 0o666))
	return root
}

func BenchmarkWalk10k(b *testing.B) {
	v := New(Options{}).View(ViewOptions{Cwd: benchTree(b)})
	b.ReportAllocs()
	for b.Loop() {
		n := 0
		must(b, v.Walk(context.Background(), ".", func(Entry) error { n++; return nil }))
		if n != 10_000+1_000+10+11 {
			b.Fatalf("%d entries", n)
		}
	}
}

func BenchmarkStream10kParallel(b *testing.B) {
	v := New(Options{}).View(ViewOptions{Cwd: benchTree(b)})
	ctx := context.Background()
	b.ReportAllocs()
	for b.Loop() {
		must(b, v.WalkParallel(ctx, ".", 4, func(e Entry) error {
			r, err := v.StreamEntry(ctx, e)
			if err != nil {
				return err
			}
			defer closeQuietly(r)
			_, err = io.Copy(io.Discard, r)
			return err
		}))
	}
}

func BenchmarkOpen(b *testing.B) {
	root := b.TempDir()
	must(b, os.MkdirAll(filepath.Join(root, "a/b/c"), 0o777))
	must(b, os.WriteFile(filepath.Join(root, "a/b/c/f.go"), make([]byte, 4096), 0o666))
	v := New(Options{}).View(ViewOptions{Cwd: root})
	b.ReportAllocs()
	for b.Loop() {
		_, err := v.Open(context.Background(), "a/b/c/f.go")
		must(b, err)
	}
}

func BenchmarkApply(b *testing.B) {
	root := b.TempDir()
	text := strings.Repeat("a line of forty characters, more or less\n", 5000)
	must(b, os.WriteFile(filepath.Join(root, "f.go"), []byte(text), 0o666))
	v := New(Options{}).View(ViewOptions{Cwd: root})
	ctx := context.Background()
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		h, err := v.Open(ctx, "f.go")
		must(b, err)
		_, err = v.Apply(ctx, []Change{{Op: OpUpdate, Base: h, Edits: []diff.Edit{{Start: 100, End: 101, New: fmt.Sprint(i % 10)}}}})
		must(b, err)
	}
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
