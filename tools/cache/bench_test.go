package cache

import (
	"bytes"
	"os"
	"path/filepath"
	"runtime"
	"testing"
)

// bigFile returns a file of 100 MB of lines whose last line matches.
func bigFile(tb testing.TB) *os.File {
	tb.Helper()
	line := []byte("2030-01-01T00:00:00Z INFO request served in 12 ms by worker seven\n")
	const size = 100_000_000
	f, err := os.Create(filepath.Join(tb.TempDir(), "big.txt"))
	if err != nil {
		tb.Fatal(err)
	}
	chunk := bytes.Repeat(line, 1<<20/len(line))
	for written := 0; written < size; {
		n, err := f.Write(chunk)
		if err != nil {
			tb.Fatal(err)
		}
		written += n
	}
	if _, err := f.WriteString("the needle\n"); err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { _ = f.Close() })
	return f
}

func rewind(tb testing.TB, f *os.File) {
	tb.Helper()
	if _, err := f.Seek(0, 0); err != nil {
		tb.Fatal(err)
	}
}

// BenchmarkGrepLiteral: at least 500 MB/s.
func BenchmarkGrepLiteral(b *testing.B) {
	benchmarkGrep(b, GrepOptions{Pattern: "the needle", Before: 2, After: 2})
}

func BenchmarkGrepRegex(b *testing.B) {
	benchmarkGrep(b, GrepOptions{Pattern: "the n[e]+dle", Regex: true})
}

func benchmarkGrep(b *testing.B, o GrepOptions) {
	f := bigFile(b)
	b.SetBytes(100_000_000)
	b.ReportAllocs()
	for b.Loop() {
		rewind(b, f)
		g, err := Grep(f, o)
		if err != nil || len(g.Blocks) != 1 {
			b.Fatal(len(g.Blocks), err)
		}
	}
}

// BenchmarkReadPage reads the last page of 100 MB.
func BenchmarkReadPage(b *testing.B) {
	f := bigFile(b)
	b.SetBytes(100_000_000)
	b.ReportAllocs()
	for b.Loop() {
		rewind(b, f)
		if p, err := ReadPage(f, 1_500_000, 100); err != nil || len(p.Lines) == 0 {
			b.Fatal(len(p.Lines), err)
		}
	}
}

// BenchmarkReadSegment reads the end of one line of 100 MB.
func BenchmarkReadSegment(b *testing.B) {
	line := bytes.Repeat([]byte("0123456789"), 10_000_000)
	b.SetBytes(int64(len(line)))
	b.ReportAllocs()
	for b.Loop() {
		if s, err := ReadSegment(bytes.NewReader(line), 1, 99_990_000, 10_000); err != nil || len(s.Text) != 10_000 {
			b.Fatal(len(s.Text), err)
		}
	}
}

// TestSearchMemory: searching and paging 100 MB takes less than 8 MB, even
// when all of it is one line.
func TestSearchMemory(t *testing.T) {
	if testing.Short() {
		t.Skip("100 MB of text")
	}
	f := bigFile(t)
	for name, use := range map[string]func() error{
		"literal": func() error { _, err := Grep(f, GrepOptions{Pattern: "the needle"}); return err },
		"page":    func() error { _, err := ReadPage(f, 1_500_000, 0); return err },
		"segment": func() error { _, err := ReadSegment(f, 1_500_000, 0, 100); return err },
	} {
		rewind(t, f)
		var before, after runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&before)
		if err := use(); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		runtime.ReadMemStats(&after)
		if used := after.TotalAlloc - before.TotalAlloc; used > 8<<20 {
			t.Errorf("%s allocates %d bytes", name, used)
		}
	}
}
