package builtin

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// treePatterns are the searches that are compared with ripgrep's.
var treePatterns = []struct{ name, args string }{
	{"rare", `{"pattern":"runtimeGoexit0x"}`},
	{"common", `{"pattern":"return nil","limit":10000}`},
	{"alternation", `{"pattern":"ErrUnexpectedEOF|ErrShortBuffer","limit":10000}`},
	{"wildcard", `{"pattern":"func \\w+Reader","limit":10000}`},
	{"ignoreCase", `{"pattern":"unexpectedeof","limit":10000,"ignore_case":true}`},
}

// BenchmarkGrepTree searches the Go toolchain's own source. Where ripgrep is
// installed it searches the same tree in turns with ours, so that both meet
// the same load; its figures are those that begin with rg.
func BenchmarkGrepTree(b *testing.B) {
	tree := goSource(b)
	rg, _ := exec.LookPath("rg")
	for _, p := range treePatterns {
		b.Run(p.name, func(b *testing.B) {
			s := newSessionAt(b, tree)
			var ours, theirs, busy, rgBusy time.Duration
			b.ReportAllocs()
			for b.Loop() {
				cpu, start := processTime(), time.Now()
				s.ok("grep", p.args)
				ours += time.Since(start)
				busy += processTime() - cpu
				if rg == "" {
					continue
				}
				b.StopTimer()
				start = time.Now()
				rgBusy += ripgrepTree(b, rg, tree, p.args)
				theirs += time.Since(start)
				b.StartTimer()
			}
			perOp := func(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 / float64(b.N) }
			b.ReportMetric(perOp(busy), "cpu-ms/op")
			if rg != "" {
				b.ReportMetric(perOp(theirs), "rg-ms/op")
				b.ReportMetric(perOp(rgBusy), "rg-cpu-ms/op")
				b.ReportMetric(float64(ours)/float64(theirs), "x-rg")
				b.ReportMetric(float64(busy)/float64(rgBusy), "x-rg-cpu")
			}
		})
	}
}

// goSource is the folder of the Go toolchain's own source.
func goSource(t testing.TB) string {
	t.Helper()
	root, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		t.Skipf("no Go toolchain: %v", err)
	}
	tree := filepath.Join(strings.TrimSpace(string(root)), "src")
	if _, err := os.Stat(filepath.Join(tree, "encoding")); err != nil {
		t.Skipf("no source of it: %v", err)
	}
	return tree
}

// ripgrepTree runs the search with ripgrep and returns the processor time it
// took.
func ripgrepTree(b *testing.B, rg, tree, arguments string) time.Duration {
	b.Helper()
	var a GrepArgs
	if err := json.Unmarshal([]byte(arguments), &a); err != nil {
		b.Fatal(err)
	}
	cmd := exec.Command(rg, "--hidden", "-n", "-e", a.Pattern, ".")
	if a.IgnoreCase {
		cmd.Args = append(cmd.Args, "-i")
	}
	cmd.Dir = tree
	var answer bytes.Buffer
	cmd.Stdout = &answer
	if err := cmd.Run(); err != nil && cmd.ProcessState.ExitCode() != 1 {
		b.Fatal(err)
	}
	return cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
}

// BenchmarkGlobTree lists the Go files of the same tree.
func BenchmarkGlobTree(b *testing.B) {
	s := newSessionAt(b, goSource(b))
	var busy time.Duration
	b.ReportAllocs()
	for b.Loop() {
		cpu := processTime()
		s.ok("glob", `{"pattern":"**/*.go","limit":100000}`)
		busy += processTime() - cpu
	}
	b.ReportMetric(float64(busy.Microseconds())/1000/float64(b.N), "cpu-ms/op")
}
