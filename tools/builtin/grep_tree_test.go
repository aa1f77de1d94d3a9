package builtin

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/agent-ls/agent-ls/presentation"
	"github.com/agent-ls/agent-ls/tools"
	"github.com/agent-ls/agent-ls/tools/builtin/search"
	"github.com/agent-ls/agent-ls/workspace"
)

// TestGrepLikeRipgrep compares the number of hits in every file of a real
// tree with ripgrep's.
func TestGrepLikeRipgrep(t *testing.T) {
	rg, err := exec.LookPath("rg")
	if err != nil {
		t.Skip("ripgrep (rg) is not installed")
	}
	tree := goSource(t)
	if testing.Short() || raceDetector {
		tree = filepath.Join(tree, "encoding")
	}
	for _, p := range treePatterns {
		t.Run(p.name, func(t *testing.T) {
			var a GrepArgs
			if err := json.Unmarshal([]byte(p.args), &a); err != nil {
				t.Fatal(err)
			}
			got, want := allHits(t, tree, a), ripgrepHits(t, rg, tree, a)
			t.Logf("%d files with hits", len(got))
			for _, f := range got {
				if !slices.Contains(want, f) {
					t.Errorf("%s, not as ripgrep says", f)
				}
			}
			for _, f := range want {
				if !slices.Contains(got, f) {
					t.Errorf("ripgrep says %s", f)
				}
			}
		})
	}
}

// allHits are the files with hits and how many these are, without a bound.
func allHits(t *testing.T, tree string, a GrepArgs) []string {
	t.Helper()
	m, err := search.Compile(a.Pattern, search.Options{IgnoreCase: a.IgnoreCase})
	if err != nil {
		t.Fatal(err)
	}
	files, err := newGrepping(newSessionAt(t, tree).view, GrepArgs{Limit: 1 << 30}, m).run(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, f := range files {
		if f.err != nil {
			t.Errorf("%s: %v", f.entry.Rel, f.err)
		}
		out = append(out, fmt.Sprintf("%s has %d", f.entry.Rel, f.hits))
	}
	return out
}

// ripgrepHits are ripgrep's, in files that are text for grep.
func ripgrepHits(t *testing.T, rg, tree string, a GrepArgs) []string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), rg, "--no-config", "--hidden", "--text", "--no-ignore-global", "--encoding=none", "--null", "--count", "-e", "(?-u)"+a.Pattern)
	if a.IgnoreCase {
		cmd.Args = append(cmd.Args, "-i")
	}
	cmd.Args = append(cmd.Args, "./")
	cmd.Dir = tree
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	answer, err := cmd.Output()
	if err != nil && cmd.ProcessState.ExitCode() != 1 { // 1: none
		t.Fatalf("%v: %s", err, &stderr)
	}
	var out []string
	for line := range strings.Lines(string(answer)) {
		name, count, _ := strings.Cut(strings.TrimSuffix(line, "\n"), "\x00")
		name = strings.TrimPrefix(filepath.ToSlash(name), "./")
		if text, err := os.ReadFile(filepath.Join(tree, name)); err != nil || bytes.IndexByte(text[:min(len(text), 8<<10)], 0) < 0 {
			out = append(out, fmt.Sprintf("%s has %s", name, count))
		}
	}
	return out
}

// TestGrepOrderAndLimit searches a tree with several goroutines and compares
// with the answer in order, for limits that end the search in between.
func TestGrepOrderAndLimit(t *testing.T) {
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	rnd := rand.New(rand.NewPCG(seed, 1))
	s := newSession(t, Options{})
	for i := range 200 {
		name := fmt.Sprintf("d%d/e%d.x/f%03d", i%5, i%3, i)
		if i%4 == 0 {
			name = fmt.Sprintf("d%d.f%03d", i%5, i)
		}
		var text strings.Builder
		for range rnd.IntN(6) {
			text.WriteString([]string{"hit\n", "miss\n", "a hit\r\n"}[rnd.IntN(3)])
		}
		s.write(name, text.String())
	}
	var want []string
	err := filepath.WalkDir(s.dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		rel, _ := filepath.Rel(s.dir, path)
		for i, line := range strings.Split(s.file(rel), "\n") {
			if strings.Contains(line, "hit") {
				want = append(want, fmt.Sprintf("%s:%d: %s", filepath.ToSlash(rel), i+1, strings.TrimSuffix(line, "\r")))
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for range 20 {
		limit := 1 + rnd.IntN(len(want)+5)
		got, notice, _ := strings.Cut(s.ok("grep", args{"pattern": "hit", "limit": limit}), "\n\n")
		shown := want[:min(limit, len(want))]
		if got != strings.Join(shown, "\n") || (notice != "") != (limit < len(want)) {
			t.Fatalf("limit %d of %d: %q\n%s", limit, len(want), notice, got)
		}
		if l := s.cards.result.(*presentation.GenericResult).Locations; len(l) != min(len(shown), 20) {
			t.Errorf("limit %d: %d locations", limit, len(l))
		}
	}
}

func TestGrepContext(t *testing.T) {
	s := newSession(t, Options{})
	s.write("a", "1\n2\nhit\n4\n5\n6\n7\nhit\nhit\n10\n")
	s.write("b", "1\n2\nhit\n")
	const a = "a-2- 2\na:3: hit\na-4- 4\n--\na-7- 7\na:8: hit\na:9: hit\na-10- 10"
	stopped := func(n int) string {
		return fmt.Sprintf("\n\n[Stopped at %d hits; narrow the pattern or raise limit]", n)
	}
	for _, tt := range []struct {
		args args
		want string
	}{
		{args{"pattern": "hit", "context": 1}, a + "\nb-2- 2\nb:3: hit"},
		{args{"pattern": "hit", "context": 1, "limit": 3}, a + stopped(3)},
		{args{"pattern": "hit", "context": 1, "limit": 1}, "a-2- 2\na:3: hit\na-4- 4" + stopped(1)},
		{args{"pattern": "hit", "context": 3, "limit": 1, "path": "a"}, "a-1- 1\na-2- 2\na:3: hit\na-4- 4\na-5- 5\na-6- 6" + stopped(1)},
		{args{"pattern": "7", "context": 50, "path": "a"}, "a-1- 1\na-2- 2\na-3- hit\na-4- 4\na-5- 5\na-6- 6\na:7: 7\na-8- hit\na-9- hit\na-10- 10"},
	} {
		if got := s.ok("grep", tt.args); got != tt.want {
			t.Errorf("%v:\n%s\nwant:\n%s", tt.args, got, tt.want)
		}
	}
}

// TestGrepMemory has far more hits than can be shown.
func TestGrepMemory(t *testing.T) {
	s := newSession(t, Options{})
	line := strings.Repeat("x", 400) + "\n"
	for i := range 40 {
		s.write(fmt.Sprintf("f%02d", i), strings.Repeat(line, 200))
	}
	got := s.ok("grep", args{"pattern": "x", "limit": 10000})
	if len(got) > searchBytes+200 || !strings.HasSuffix(got, "[Output cut at 50 KiB]") || !strings.HasPrefix(got, "f00:1: xxx") {
		t.Errorf("%d bytes, ending %q", len(got), got[max(0, len(got)-100):])
	}
	if l := s.cards.result.(*presentation.GenericResult).Locations; len(l) != 20 || l[19].Line != 20 {
		t.Errorf("locations %+v", l)
	}
	s.write("f00", strings.Repeat(line, 10)+"last\n")
	s.write("a", strings.Repeat("y\n", 30000))
	if got := s.ok("grep", args{"pattern": "y", "limit": 10000}); !strings.Contains(got, "Stopped at 10000 hits") || !strings.Contains(got, "Output cut") {
		t.Errorf("ending %q", got[max(0, len(got)-100):])
	}
}

func TestGrepLeavesOut(t *testing.T) {
	s := newSession(t, Options{})
	s.write("bin", "hit\x00")
	s.write("late", strings.Repeat("x", 9000)+"\x00\nhit\n")
	if got := s.ok("grep", args{"pattern": "hit"}); got != "late:2: hit" {
		t.Errorf("%q", got)
	}
	if got := s.ok("grep", args{"pattern": "hit", "path": "bin"}); got != "No matches found\n\n[Files left out: 1 binary]" {
		t.Errorf("%q", got)
	}
}

// TestGrepLargeFile searches a file over the size that is read whole.
func TestGrepLargeFile(t *testing.T) {
	s := newSession(t, Options{})
	s.view = workspace.New(workspace.Options{MaxFileSize: 1 << 20}).View(workspace.ViewOptions{Cwd: s.dir})
	tools.Override(s.run.Deps, Files, s.view)
	line := strings.Repeat("some text ", 99) + "\n"
	s.write("d/big", strings.Repeat(line, 2<<20/len(line))+"before\na hit\n")
	want := fmt.Sprintf("d/big-%d- before\nd/big:%d: a hit", 2<<20/len(line)+1, 2<<20/len(line)+2)
	for _, path := range []string{".", "d/big"} {
		if got := s.ok("grep", args{"pattern": "hit", "context": 1, "path": path}); !strings.HasSuffix(got, want) {
			t.Errorf("in %s: %q", path, got[:min(len(got), 300)])
		}
	}
}

func TestGrepNotices(t *testing.T) {
	var o leftOut
	for err, n := range map[error]int{
		nil: 1, errors.New("?"): 1, search.ErrBinary: 1, search.ErrLineTooLong: 2,
		&workspace.Error{Code: workspace.FSNotAllowed}: 3, &workspace.Error{Code: workspace.FSNotFound}: 1,
	} {
		for range n {
			o.add(workspace.Entry{}, err)
		}
	}
	want := "Files left out: 1 that could not be read, 3 sensitive (name such a file as path to search it), 2 with a line of more than 64 MiB, 1 binary"
	if got := o.notices(); len(got) != 1 || got[0] != want {
		t.Errorf("%q", got)
	}
	folders := leftOut{}
	folders.add(workspace.Entry{Dir: true}, fs.ErrPermission)
	if got := folders.notices(); len(got) != 1 || got[0] != "Folders left out, because they could not be read: 1" {
		t.Errorf("%q", got)
	}
}

// buffers are an editor's open documents.
type buffers map[string]workspace.Handle

func (b buffers) Document(path string) (workspace.Handle, bool) { h, ok := b[path]; return h, ok }
func (b buffers) Documents() []workspace.Handle                 { return slices.Collect(maps.Values(b)) }

// TestSearchUnsavedText: what is typed counts, what is saved below it does
// not, and files that only the editor has are there.
func TestSearchUnsavedText(t *testing.T) {
	s := newSession(t, Options{})
	open := buffers{}
	w := workspace.New(workspace.Options{})
	w.SetOverlay(open)
	s.view = w.View(workspace.ViewOptions{Cwd: s.dir})
	tools.Override(s.run.Deps, Files, s.view)
	s.write("a.txt", "saved\n")
	s.write("b.txt", "saved\n")
	for name, text := range map[string]string{"a.txt": "typed\n", "new/c.txt": "typed too\n"} {
		h := workspace.NewHandle(s.path(name), text)
		h.Dirty, h.SameAsDisk, h.Version = true, false, 1
		open[h.Real] = h
	}
	for _, tt := range []struct {
		tool string
		args args
		want string
	}{
		{"grep", args{"pattern": "typed"}, "a.txt:1: typed\nnew/c.txt:1: typed too"},
		{"grep", args{"pattern": "saved"}, "b.txt:1: saved"},
		{"grep", args{"pattern": "typed", "path": "a.txt"}, "a.txt:1: typed"},
		{"grep", args{"pattern": "typed", "path": "new"}, "new/c.txt:1: typed too"},
		{"grep", args{"pattern": "typed", "path": "new/c.txt"}, "new/c.txt:1: typed too"},
		{"glob", args{"pattern": "*.txt"}, "a.txt\nb.txt\nnew/c.txt"},
		{"ls", args{"path": "new"}, "c.txt"},
	} {
		if got := s.ok(tt.tool, tt.args); got != tt.want {
			t.Errorf("%s %v: %q, want %q", tt.tool, tt.args, got, tt.want)
		}
	}
}

// TestSearchLeavesSensitiveFilesOut: a decision about a folder is none about
// the sensitive files in it, and the result says so.
func TestSearchLeavesSensitiveFilesOut(t *testing.T) {
	s := newSession(t, Options{})
	s.write(".env", "token\n")
	s.write("a.txt", "token\n")
	limit := workspace.Limit{Paths: []string{s.dir}, Hidden: func(real string) bool { return filepath.Base(real) == ".env" }}
	tools.Override(s.run.Deps, Files, s.view.Limited(limit))
	want := "a.txt:1: token\n\n[Files left out: 1 sensitive (name such a file as path to search it)]"
	if got := s.ok("grep", args{"pattern": "token"}); got != want {
		t.Errorf("%q", got)
	}
	limit.Paths = append(limit.Paths, s.path(".env"))
	tools.Override(s.run.Deps, Files, s.view.Limited(limit))
	if got := s.ok("grep", args{"pattern": "token", "path": ".env"}); got != ".env:1: token" {
		t.Errorf("%q", got)
	}
}
