package builtin

import (
	"encoding/json"
	"os/exec"
	"path/filepath"
	"runtime"
	"testing"
)

// treePatterns are the searches of docs/performance.md.
var treePatterns = []struct{ name, args string }{
	{"rare", `{"pattern":"runtimeGoexit0x"}`},
	{"common", `{"pattern":"return nil","limit":10000}`},
	{"alternation", `{"pattern":"ErrUnexpectedEOF|ErrShortBuffer","limit":10000}`},
	{"wildcard", `{"pattern":"func \\w+Reader","limit":10000}`},
	{"ignoreCase", `{"pattern":"unexpectedeof","limit":10000,"ignore_case":true}`},
}

// BenchmarkGrepTree searches the Go toolchain's own source; beside it stands
// ripgrep over the same tree, where it is installed.
func BenchmarkGrepTree(b *testing.B) {
	tree := filepath.Join(runtime.GOROOT(), "src")
	rg, _ := exec.LookPath("rg")
	for _, p := range treePatterns {
		b.Run(p.name+"/ours", func(b *testing.B) {
			s := newSessionAt(b, tree)
			b.ReportAllocs()
			for b.Loop() {
				s.ok("grep", p.args)
			}
		})
		if rg == "" {
			continue
		}
		var a GrepArgs
		if err := json.Unmarshal([]byte(p.args), &a); err != nil {
			b.Fatal(err)
		}
		b.Run(p.name+"/rg", func(b *testing.B) {
			for b.Loop() {
				cmd := exec.Command(rg, "--hidden", "-n", "-e", a.Pattern, ".")
				if a.IgnoreCase {
					cmd.Args = append(cmd.Args, "-i")
				}
				cmd.Dir = tree
				if err := cmd.Run(); err != nil && cmd.ProcessState.ExitCode() != 1 {
					b.Fatal(err)
				}
			}
		})
	}
}
