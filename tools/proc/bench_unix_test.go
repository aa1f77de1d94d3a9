//go:build unix

package proc

import (
	"context"
	"io"
	"os/exec"
	"runtime"
	"sync/atomic"
	"testing"
	"time"
)

// BenchmarkRun and BenchmarkForkExec are a pair: the difference is what
// groups, pipes and bookkeeping cost (less than 2 ms a command).
func BenchmarkRun(b *testing.B) {
	l := NewLocal(LocalOptions{})
	defer l.Close()
	c := Command{Line: "true", Dir: b.TempDir()}
	b.ReportAllocs()
	for b.Loop() {
		p, err := l.Start(context.Background(), c)
		if err != nil {
			b.Fatal(err)
		}
		if _, err := p.Wait(context.Background()); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkForkExec(b *testing.B) {
	shell, dir := FindShell(), b.TempDir()
	b.ReportAllocs()
	for b.Loop() {
		cmd := exec.Command(shell.Path, "-c", "true")
		cmd.Dir = dir
		if err := cmd.Run(); err != nil {
			b.Fatal(err)
		}
	}
}

// bigOutput writes 100 MB of lines; the speed of the command itself is far
// above the goal of 100 MB/s.
const bigOutput = `yes 0123456789012345678901234567890123456789012345678901234567890123456789 | head -c 100000000`

func BenchmarkOutput(b *testing.B) {
	l := NewLocal(LocalOptions{})
	defer l.Close()
	var shown atomic.Int64
	c := Command{
		Line: bigOutput, Dir: b.TempDir(),
		Output: func(text string) { shown.Add(int64(len(text))) },
		Spill: func(string) (io.WriteCloser, string, error) {
			return nopCloser{io.Discard}, "ref", nil
		},
	}
	b.SetBytes(100_000_000)
	b.ReportAllocs()
	for b.Loop() {
		p, err := l.Start(context.Background(), c)
		if err != nil {
			b.Fatal(err)
		}
		if _, err := p.Wait(context.Background()); err != nil {
			b.Fatal(err)
		}
	}
}

// TestLocalMemory: the memory that 100 MB of output need is bounded.
func TestLocalMemory(t *testing.T) {
	if testing.Short() {
		t.Skip("100 MB of output")
	}
	var before, now runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	var most atomic.Uint64
	stop, stopped := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(stopped)
		for {
			runtime.ReadMemStats(&now)
			most.Store(max(most.Load(), now.HeapSys))
			select {
			case <-stop:
				return
			case <-time.After(5 * time.Millisecond):
			}
		}
	}()
	e := run(t, Command{Line: bigOutput, Output: func(string) {}})
	close(stop)
	<-stopped
	if e.Stdout.Total != 100_000_000 || !e.Stdout.Truncated {
		t.Errorf("%d bytes", e.Stdout.Total)
	}
	if grown := int64(most.Load()) - int64(before.HeapSys); grown > 30<<20 {
		t.Errorf("the heap grew by %d bytes", grown)
	}
}
