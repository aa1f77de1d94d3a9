package workspace

import (
	"bytes"
	"context"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// ignoreCase is a tree with ignore files; git says what must be kept.
type ignoreCase struct {
	name  string
	files map[string]string // ignore files by path
	paths []string          // other files
	kept  []string          // of paths
}

var ignoreCases = []ignoreCase{
	{"names", map[string]string{".gitignore": "a.log\nbuild\n"},
		[]string{"a.log", "x/a.log", "a.logs", "build/x", "x/build", "builds"},
		[]string{"a.logs", "builds"}},
	{"stars", map[string]string{".gitignore": "*.o\ntmp*\n*~\nx*y*z\n"},
		[]string{"a.o", "d/b.o", "o", "tmp", "tmp1/f", "atmp", "a~", "xyz", "x1y2z", "x1y2z3", ".o"},
		[]string{"o", "atmp", "x1y2z3"}},
	{"question mark and sets", map[string]string{".gitignore": "f?o\n[a-c]1\n[!x-z]2\n[]]3\n[^d]4\n*.py[co]\n[[:digit:]]x\n[[:alpha:]-]y\n"},
		[]string{"foo", "fo", "fooo", "a1", "d1", "a2", "x2", "]3", "a3", "d4", "e4", "m.pyc", "m.pyo", "m.py", "7x", "ax", "by", "-y", "7y"},
		[]string{"fo", "fooo", "d1", "x2", "a3", "d4", "m.py", "ax", "7y"}},
	{"negation", map[string]string{".gitignore": "*.log\n!keep.log\nd/*\n!d/in\nno/\n!no/x\n"},
		[]string{"a.log", "keep.log", "s/keep.log", "d/in/f", "d/out", "no/x"},
		[]string{"keep.log", "s/keep.log", "d/in/f"}},
	{"anchors", map[string]string{".gitignore": "/top\nmid/leaf\n/a/*.c\n"},
		[]string{"top", "s/top", "mid/leaf", "s/mid/leaf", "a/x.c", "a/b/x.c", "s/a/x.c"},
		[]string{"s/top", "s/mid/leaf", "a/b/x.c", "s/a/x.c"}},
	{"double stars", map[string]string{".gitignore": "**/foo\nbar/**\na/**/z\n**/x/*.t\n/q/**\n!/q/keep\nm**n\n**o\n"},
		[]string{"foo", "a/b/foo", "bar/1", "bar/2/3", "s/bar/1", "a/z", "a/b/z", "a/b/c/z", "s/a/z", "x/1.t", "s/x/1.t", "x/s/1.t", "q/a", "q/keep", "mn", "m1n", "m/n", "s/m2n"},
		[]string{"s/bar/1", "s/a/z", "x/s/1.t", "q/keep", "m/n"}},
	{"double stars after text", map[string]string{".gitignore": "/a**/**\n/s/b**/c\nx**\n"},
		[]string{"a/1", "ab/1", "b/a/1", "s/b/c", "s/bc", "s/b1/2/c", "s/b1/d", "xy", "s/xz/1"}, nil},
	{"folders only", map[string]string{".gitignore": "out/\n/bin/\nd/e/\n"},
		[]string{"out/x", "s/out/x", "t/out", "bin/x", "s/bin/x", "d/e/f", "u/d/e/f"},
		[]string{"t/out", "s/bin/x", "u/d/e/f"}},
	{"escapes and spaces", map[string]string{".gitignore": "\\!bang\n\\#hash\n#comment\ntrail  \nkeep\\ \n\\*star\n a\nb\\\\c\nin side\n"},
		[]string{"!bang", "#hash", "#comment", "trail", "keep ", "keep", "*star", "xstar", " a", "a", "in side"},
		[]string{"#comment", "keep", "xstar", "a"}},
	{"line endings", map[string]string{".gitignore": "\ufeffbom\r\nb\r\n\r\nc d \r\nlast"},
		[]string{"bom", "b", "c d", "last", "e"}, []string{"e"}},
	{"nested files", map[string]string{".gitignore": "*.a\n/x\n", "s/.gitignore": "!k.a\n/y\nz/*\n", "s/z/.gitignore": "!.gitignore\n!w\n"},
		[]string{"1.a", "s/1.a", "s/k.a", "x", "s/x", "y", "s/y", "s/t/y", "s/z/w", "s/z/v", "k.a"},
		[]string{"s/k.a", "s/x", "y", "s/t/y", "s/z/w"}},
	{"exclude file", map[string]string{".git/info/exclude": "ex\n*.x\n", ".gitignore": "!k.x\n"},
		[]string{"ex", "s/ex", "a.x", "k.x"}, []string{"k.x"}},
	{"odd patterns", map[string]string{".gitignore": "/\n//\n!\n[\n[a\n[]\na[\n\\\n**\\\n[z-a]\n[a-]q\n[[:nope:]]r\n[[:digit]s\n"},
		[]string{"a", "[", "[a", "a[", "z", "-q", "aq", "xr", "ds", "gs", "xs"}, nil},
	{"everything but", map[string]string{".gitignore": "*\n!*/\n!*.txt\n!.gitignore\n"},
		[]string{"a", "a.txt", "d/b", "d/b.txt"}, []string{"a.txt", "d/b.txt"}},
	{"not ascii", map[string]string{".gitignore": "ü*\n文?\n[é]1\n"},
		[]string{"über", "文", "文x", "文本", "é1"}, nil},
	{"slash in set", map[string]string{".gitignore": "a[/]b\nc[!x]d\ne?f\n"},
		[]string{"a/b", "c/d", "e/f", "cyd", "eyf"}, []string{"a/b", "c/d", "e/f"}},
}

// plant writes a case below dir.
func (c ignoreCase) plant(t *testing.T, dir string) {
	t.Helper()
	put := func(name, text string) {
		path := filepath.Join(dir, filepath.FromSlash(name))
		must(t, os.MkdirAll(filepath.Dir(path), 0o777))
		must(t, os.WriteFile(path, []byte(text), 0o666))
	}
	for name, text := range c.files {
		put(name, text)
	}
	for _, name := range c.paths {
		put(name, "")
	}
}

// walked returns the files of a walk that are among paths, in their order.
func walked(t *testing.T, v *View, dir string, paths []string) []string {
	t.Helper()
	found := map[string]bool{}
	must(t, v.Walk(context.Background(), dir, func(e Entry) error {
		found[e.Rel] = !e.Dir
		return nil
	}))
	return slices.DeleteFunc(slices.Clone(paths), func(p string) bool { return !found[p] })
}

func TestIgnore(t *testing.T) {
	needsUnix(t) // the names
	for _, c := range ignoreCases {
		t.Run(c.name, func(t *testing.T) {
			f := newFixture(t, map[string]string{".git/HEAD": "ref: refs/heads/main\n"})
			c.plant(t, f.root)
			got := walked(t, f.View, ".", c.paths)
			if c.kept != nil && !slices.Equal(got, c.kept) {
				t.Errorf("kept %q, want %q", got, c.kept)
			}
			if want, ok := gitKeeps(t, f.root, c.paths); ok && !slices.Equal(got, want) {
				t.Errorf("kept %q, git keeps %q", got, want)
			}
		})
	}
}

// gitKeeps asks git which paths it does not ignore; ok is false without git.
func gitKeeps(t *testing.T, dir string, paths []string) (kept []string, ok bool) {
	t.Helper()
	git, err := exec.LookPath("git")
	if err != nil {
		return nil, false
	}
	run := func(stdin string, args ...string) string {
		cmd := exec.CommandContext(t.Context(), git, args...)
		cmd.Dir, cmd.Stdin = dir, strings.NewReader(stdin)
		cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL="+os.DevNull, "GIT_CONFIG_NOSYSTEM=1")
		var errors bytes.Buffer
		cmd.Stderr = &errors
		out, err := cmd.Output()
		if code := cmd.ProcessState.ExitCode(); err != nil && code != 1 { // 1: none is ignored
			t.Fatalf("git %v: %v\n%s", args, err, errors.String())
		}
		return string(out)
	}
	if _, err := os.Stat(filepath.Join(dir, ".git", "refs")); err != nil {
		exclude, excludeErr := os.ReadFile(filepath.Join(dir, ".git", "info", "exclude"))
		must(t, os.RemoveAll(filepath.Join(dir, ".git")))
		run("", "init", "-q", "--template=", "-b", "main")
		if excludeErr == nil {
			must(t, os.MkdirAll(filepath.Join(dir, ".git", "info"), 0o777))
			must(t, os.WriteFile(filepath.Join(dir, ".git", "info", "exclude"), exclude, 0o666))
		}
	}
	out := run(strings.Join(paths, "\x00")+"\x00", "check-ignore", "--no-index", "--stdin", "-z")
	ignored := strings.Split(out, "\x00")
	return slices.DeleteFunc(slices.Clone(paths), func(p string) bool { return slices.Contains(ignored, p) }), true
}

// TestIgnoreLikeGit compares random patterns with git.
func TestIgnoreLikeGit(t *testing.T) {
	needsUnix(t)
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	rnd := rand.New(rand.NewPCG(seed, 0))
	pick := func(from ...string) string { return from[rnd.IntN(len(from))] }
	pattern := func() string {
		var b strings.Builder
		b.WriteString(pick("", "", "", "!", "/", "!/", "**/"))
		for range 1 + rnd.IntN(4) {
			b.WriteString(pick("a", "b", "c", "*", "?", "**", "/", "/**/", "[ab]", "[!a]", "\\a", "\\*", "[a-", " ", "ab"))
		}
		return b.String() + pick("", "", "", "/", "/*", "/**", " ", "\\")
	}
	var paths []string
	for _, x := range []string{"a", "b", "ab", "abc"} {
		for _, y := range []string{"a", "b", "c d"} {
			for _, z := range []string{"a", "ba", "c"} {
				paths = append(paths, x+"/"+y+"/"+z)
			}
		}
		paths = append(paths, x+"/x", x+"x", "x"+x)
	}
	for round := range 25 {
		c := ignoreCase{files: map[string]string{".gitignore": "", "a/.gitignore": ""}, paths: paths}
		for name := range c.files {
			for range 1 + rnd.IntN(4) {
				c.files[name] += pattern() + "\n"
			}
		}
		f := newFixture(t, nil)
		c.plant(t, f.root)
		want, ok := gitKeeps(t, f.root, paths)
		if !ok {
			t.Skip("git is not installed")
		}
		if got := walked(t, f.View, ".", paths); !slices.Equal(got, want) {
			t.Fatalf("seed %d, round %d: rules %q\nkept      %q\ngit keeps %q", seed, round, c.files, got, want)
		}
	}
}

func TestDotIgnore(t *testing.T) {
	f := newFixture(t, map[string]string{
		".git/HEAD": "", ".gitignore": "*.g\n", ".ignore": "*.i\n!kept.g\n",
		"1.g": "", "1.i": "", "kept.g": "", "s/.gitignore": "kept.g\n", "s/kept.g": "", "s/.ignore": "!2.i", "s/2.i": "",
	})
	got := walked(t, f.View, ".", []string{"1.g", "1.i", "kept.g", "s/kept.g", "s/2.i"})
	if want := []string{"kept.g", "s/kept.g", "s/2.i"}; !slices.Equal(got, want) {
		t.Errorf("kept %q, want %q", got, want)
	}
}

func TestGlobalIgnore(t *testing.T) {
	base := realTemp(t)
	c := ignoreCase{
		files: map[string]string{"global": "*.g\n/top\n*.k\n", "w/.gitignore": "!*.k\n", "w/.git/HEAD": "", "w/n/.git/HEAD": ""},
		paths: []string{"w/1.g", "w/s/1.g", "w/top", "w/s/top", "w/1.k", "w/n/1.g", "w/n/top"},
	}
	c.plant(t, base)
	v := New(Options{GlobalIgnore: filepath.Join(base, "global")}).View(ViewOptions{Cwd: filepath.Join(base, "w")})
	got := walked(t, v, ".", []string{"1.g", "s/1.g", "top", "s/top", "1.k", "n/1.g", "n/top"})
	if want := []string{"s/top", "1.k"}; !slices.Equal(got, want) {
		t.Errorf("kept %q, want %q", got, want)
	}
	v = New(Options{GlobalIgnore: filepath.Join(base, "none")}).View(ViewOptions{Cwd: filepath.Join(base, "w")})
	if got := walked(t, v, ".", []string{"1.g"}); len(got) != 1 {
		t.Error("a global file that does not exist ignores something")
	}
}

// TestIgnoreFromAbove walks a part of a repository.
func TestIgnoreFromAbove(t *testing.T) {
	f := newFixture(t, map[string]string{
		"repo/.git/HEAD": "", "repo/.git/info/exclude": "*.x\n", "repo/.gitignore": "*.log\n/w/sub/deep\nnode_modules/\n",
		"repo/w/.ignore": "*.i\n", "repo/w/sub/1.log": "", "repo/w/sub/1.x": "", "repo/w/sub/1.i": "",
		"repo/w/sub/deep/f": "", "repo/w/sub/ok": "", "repo/w/node_modules/m/f": "",
		".gitignore": "ok\n", // above the repository: git does not look there
	})
	paths := []string{"1.log", "1.x", "1.i", "deep/f", "ok"}
	for _, root := range []string{"repo/w", "repo/w/sub", "repo", "."} {
		v := f.w.View(ViewOptions{Cwd: f.path(root)})
		if got := walked(t, v, f.path("repo/w/sub"), paths); !slices.Equal(got, []string{"ok"}) {
			t.Errorf("root %s: kept %q", root, got)
		}
	}
	v := f.w.View(ViewOptions{Cwd: f.path("repo")})
	if got := walked(t, v, "w/node_modules", []string{"m/f"}); len(got) != 1 {
		t.Error("an ignored folder that was asked for is not walked")
	}
}

// TestIgnoreWithoutRepository honours .gitignore from the root on.
func TestIgnoreWithoutRepository(t *testing.T) {
	f := newFixture(t, map[string]string{".gitignore": "*.log\n", "s/1.log": "", "s/ok": ""})
	if got := walked(t, f.View, "s", []string{"1.log", "ok"}); !slices.Equal(got, []string{"ok"}) {
		t.Errorf("kept %q", got)
	}
}

func TestNestedRepositoryStandsAlone(t *testing.T) {
	f := newFixture(t, map[string]string{
		".git/HEAD": "", ".gitignore": "*.log\n", ".ignore": "*.i\n",
		"n/.git/HEAD": "", "n/.gitignore": "*.n\n", "n/1.log": "", "n/1.n": "", "n/1.i": "",
	})
	if got := walked(t, f.View, ".", []string{"n/1.log", "n/1.n", "n/1.i"}); !slices.Equal(got, []string{"n/1.log"}) {
		t.Errorf("kept %q", got)
	}
}

// TestExcludeOfWorktree reads the exclude file where git keeps it for a
// linked worktree and for a submodule.
func TestExcludeOfWorktree(t *testing.T) {
	f := newFixture(t, map[string]string{
		"main/.git/info/exclude": "*.x\n", "main/.git/worktrees/w/commondir": "../..\n",
		"w/1.x": "", "w/1.y": "",
		"sub/.git": "gitdir: ../main/.git/modules/sub\n", "main/.git/modules/sub/info/exclude": "*.y\n", "sub/1.x": "", "sub/1.y": "",
	})
	f.onDisk("w/.git", "gitdir: "+f.path("main/.git/worktrees/w")+"\n")
	got := walked(t, f.View, ".", []string{"w/1.x", "w/1.y", "sub/1.x", "sub/1.y"})
	if want := []string{"w/1.y", "sub/1.x"}; !slices.Equal(got, want) {
		t.Errorf("kept %q, want %q", got, want)
	}
}

// TestIgnoreFilesThatAreNone must not hang, fail or read too much.
func TestIgnoreFilesThatAreNone(t *testing.T) {
	needsUnix(t)
	f := newFixture(t, map[string]string{"a/.gitignore/x": "", "a/f": "", "big/f": "", "p/f": ""})
	f.onDisk("big/.gitignore", "*\n"+strings.Repeat("#", maxIgnoreSize))
	makeSpecialFiles(t, f)
	must(t, os.Rename(f.path("fifo"), f.path("p/.gitignore")))
	f.link("/etc/passwd", "a/.ignore")
	paths := []string{"a/f", "big/f", "p/f"}
	if got := walked(t, f.View, ".", paths); !slices.Equal(got, paths) {
		t.Errorf("kept %q", got)
	}
}

func TestWildmatch(t *testing.T) {
	tests := []struct {
		pattern, text string
		want          bool
	}{
		{"foo", "foo", true},
		{"", "", true},
		{"", "a", false},
		{"*", "a/b", false},
		{"**", "a/b", true},
		{"*/b", "a/b", true},
		{"*/b", "x/a/b", false},
		{"a*c", "abc", true},
		{"a*c", "ab/c", false},
		{"a/**", "a/", true},
		{"a/**", "a", false},
		{"a/**/b", "a/b", true},
		{"**/b", "b", true},
		{"**/b", "a/b", true},
		{"**a", "x/a", false},
		{"a**/b", "ax/y/b", false},
		{"[a-c]", "b", true},
		{"[!a-c]", "b", false},
		{"[a", "a", false},
		{`\[a`, "[a", true},
		{`a\`, "a", false},
		{`a\`, `a\`, false},
		{"[[:upper:]][[:lower:]]", "Ab", true},
		{"[[:space:][:punct:]]", "!", true},
		{"[[:xdigit:]]", "g", false},
		{`[\]]`, "]", true},
		{`[a\-c]`, "b", false},
		{"-*-*-*-*-*-*-12-*-*-*-m-*-*-*", "-adobe-courier-bold-o-normal--12-120-75-75-m-70-iso8859-1", true},
		{"-*-*-*-*-*-*-12-*-*-*-m-*-*-*", "-adobe-courier-bold-o-normal--12-120-75-75-X-70-iso8859-1", false},
	}
	for _, test := range tests {
		if got := wildmatch(test.pattern, test.text); got != test.want {
			t.Errorf("wildmatch(%q, %q) = %v", test.pattern, test.text, got)
		}
	}
}

// FuzzRules feeds hostile ignore files: no panic, and an end in time.
func FuzzRules(f *testing.F) {
	for _, c := range ignoreCases {
		for _, text := range c.files {
			f.Add(text, strings.Join(c.paths, "/"))
		}
	}
	f.Add("*a*a*a*a*a*a*a*a*b", strings.Repeat("a", 200))
	f.Add("**/a/**/a/**/a/**/b", strings.Repeat("a/", 60)+"c")
	f.Add("[[:", "x")
	f.Fuzz(func(t *testing.T, text, path string) {
		if len(text) > 200 || len(path) > 300 {
			t.Skip()
		}
		rs := parseRules(text)
		name := path[strings.LastIndexByte(path, '/')+1:]
		begin := time.Now()
		v := rs.judge(path, name, false)
		if took := time.Since(begin); took > time.Minute {
			t.Errorf("took %v", took)
		}
		if v == ignoredVerdict && !strings.ContainsAny(text, "*?[\\") && !strings.Contains("/"+path+"/", "/"+name+"/") {
			t.Errorf("rules %q ignore %q", text, path)
		}
	})
}
