package permission

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"

	"mvdan.cc/sh/v3/syntax"

	"github.com/agent-ls/agent-ls/tools"
)

// TestMain also plays the other processes of TestManyWriters.
func TestMain(m *testing.M) {
	if path := os.Getenv(helperGrants); path != "" {
		if err := addMany(path, os.Getenv("PERMISSION_TEST_WHO"), 10); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	os.Exit(m.Run())
}

// fuzzRules are the allow rules of the property tests.
var fuzzRules = []Rule{
	allow(tools.AccessExecute, "git status"),
	allow(tools.AccessExecute, "go test"),
	allow(tools.AccessExecute, "cat"),
	{Effect: EffectAllow, Kind: tools.AccessExecute, Pattern: "touch made-once", Exact: true},
}

// mayRun are the calls that the rules above allow, by their first words.
func mayRun(argv []string) bool {
	for _, prefix := range [][]string{{"git", "status"}, {"go", "test"}, {"cat"}} {
		if len(argv) >= len(prefix) && slices.Equal(argv[:len(prefix)], prefix) {
			return true
		}
	}
	return slices.Equal(argv, []string{"touch", "made-once"}) || len(argv) > 0 && argv[0] == "cd"
}

// suspects is the independent judgement of a covered line: what its syntax
// tree holds that could run or change anything besides the commands, and
// commands whose words are not those of the rules.
func suspects(line string) []string {
	file, err := syntax.NewParser(syntax.Variant(syntax.LangBash)).Parse(strings.NewReader(line), "")
	if err != nil {
		return []string{"unparsable: " + err.Error()}
	}
	var found []string
	var printed bytes.Buffer
	syntax.Walk(file, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.CmdSubst, *syntax.ProcSubst, *syntax.ParamExp, *syntax.ArithmExp, *syntax.ArithmCmd, *syntax.Assign,
			*syntax.FuncDecl, *syntax.DeclClause, *syntax.LetClause, *syntax.CoprocClause, *syntax.TimeClause, *syntax.TestClause, *syntax.ExtGlob:
			found = append(found, fmt.Sprintf("%T", n))
		case *syntax.Stmt:
			if n.Background {
				found = append(found, "background")
			}
		case *syntax.CallExpr:
			printed.Reset()
			if err := syntax.NewPrinter().Print(&printed, n); err != nil {
				found = append(found, err.Error())
			}
			// Without quotes the words are those that run; what is left of
			// the rules' alphabet is compared as text.
			text := strings.NewReplacer(`'`, "", `"`, "", `\`, "", "\n", "").Replace(printed.String())
			if !mayRun(strings.Fields(text)) {
				found = append(found, "command "+text)
			}
		}
		return true
	})
	return found
}

// bash runs covered lines in a shell that knows no program: what a line calls
// is written down instead.
type bash struct {
	t          *testing.T
	shell, dir string
}

func newBash(t *testing.T) *bash {
	t.Helper()
	shell, err := exec.LookPath("bash")
	if err != nil || runtime.GOOS == "windows" {
		t.Skip("no bash here")
	}
	b := &bash{t, shell, t.TempDir()}
	if err := os.Mkdir(filepath.Join(b.dir, "sub"), 0o755); err != nil {
		t.Fatal(err)
	}
	return b
}

// prelude makes the shell write down calls as NUL-terminated texts: how many
// words, and the words. Restricted mode keeps it from writing files and from
// leaving the folder, whatever the line says.
const prelude = `exec 9>>calls
command_not_found_handle() { printf '%s\0' "$#" "$@" >&9; }
cd() { command_not_found_handle cd "$@"; }
set -r
`

// run returns what a line called, in order.
func (b *bash) run(line string) [][]string {
	b.t.Helper()
	cmd := exec.Command(b.shell, "--norc", "--noprofile", "-c", prelude+line)
	cmd.Dir = b.dir
	cmd.Env = []string{"PATH=" + filepath.Join(b.dir, "none")}
	if out, err := cmd.CombinedOutput(); err != nil {
		b.t.Logf("%q: %v: %s", line, err, out) // a failing last command is fine
	}
	path := filepath.Join(b.dir, "calls")
	data, err := os.ReadFile(path)
	if err != nil {
		b.t.Fatal(err)
	}
	if err := os.Remove(path); err != nil {
		b.t.Fatal(err)
	}
	var calls [][]string
	for words := strings.Split(string(data), "\x00"); len(words) > 1; {
		n, err := strconv.Atoi(words[0])
		if err != nil || n >= len(words) {
			b.t.Fatalf("%q: odd log %q", line, data)
		}
		calls, words = append(calls, words[1:n+1]), words[n+1:]
	}
	return calls
}

// attacks are pieces that turn an allowed line into one that runs more.
var attacks = []string{
	"$(touch x)", "`touch x`", "${x:-$(touch x)}", "<(touch x)", ">(touch x)", "&& touch x", "; touch x", "| touch x", "|| touch x", "& touch x",
	"|& touch x", "\ntouch x", "\r\ntouch x", "> x", ">> x", "<<EOF\n$(touch x)\nEOF", "<<'EOF'\n$(x)\nEOF\ntouch x", "<<EOF\nEOF\ntouch x", "<<< $(touch x)",
	"{ touch x; }", "( touch x )", "'; touch x; '", "\"; touch x; \"", "'\ntouch x\n'", "\"$(touch x)\"", "\\\ntouch x", "\\; touch x", "\\\\; touch x",
	"# x\ntouch x", "$'\\n' touch x", "'a'$(touch x)'b'", "{a,b}", "--exec=touch", "\u2028touch x", "\u00a0; touch x", "！touch x", "; (touch x)",
	"\\\n; touch x", "; if touch x; then :; fi", "; for x in y; do touch x; done", "; case x in *) touch x;; esac", "; time touch x", "; ! touch x",
	"; { touch x; }", "; eval touch x", "; exec touch x", "; . x", "; command touch x", "; [[ $(touch x) ]]", "; ((a[$(touch x)]))", "; x=$(touch x)",
	"; f() { touch x; }; f", "; coproc touch x", "\x00; touch x", "2>&1; touch x", ">&2; touch x", ">/dev/null; touch x", "; cd sub && touch x",
}

// FuzzRuleCoversOnlyItself: whatever a line is, when the allow rules cover it,
// it runs nothing but their commands.
func FuzzRuleCoversOnlyItself(f *testing.F) {
	for _, line := range []string{"git status", "go test ./... && cat x", "cat <<'EOF'\n$(x)\nEOF", "if git status; then go test; fi", "cd sub && git status"} {
		f.Add(line)
	}
	for _, a := range attacks {
		f.Add("git status " + a)
		f.Add(a + " git status")
	}
	for line := range escapes {
		if len(line) < 1000 {
			f.Add(line)
		}
	}
	p := &Policy{}
	f.Fuzz(func(t *testing.T, line string) {
		if !p.lineCovered(fuzzRules, line, "") {
			return
		}
		if found := suspects(line); found != nil {
			t.Errorf("%q is covered, but holds %v", line, found)
		}
	})
}

// The same with a real shell as the judge, over the attacks and over random
// compositions of pieces.
func TestCoveredLinesInARealShell(t *testing.T) {
	b := newBash(t)
	p := newRoom(t, AskMode).Policy
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	random := rand.New(rand.NewPCG(seed, 2))
	pieces := append([]string{
		"git status", "go test ./...", "cat a 'b c'", "touch made-once", "cd sub", "&&", "||", ";", "|", "\n", "(", ")", "if", "then", "fi", "until", "do", "done",
		"!", "2>&1", ">/dev/null", "'x'", "\"y\"", "\\", "#", "<<'EOF'\n$(touch x)\nEOF\n", "for i in a b; do", "{", "}", "case a in a)", ";; esac", "*.go",
	}, attacks...)
	var lines []string
	for _, a := range attacks {
		lines = append(lines, "git status "+a, a+"\ngit status", "git status"+a)
	}
	for range 3000 {
		var parts []string
		for range 1 + random.IntN(6) {
			parts = append(parts, pieces[random.IntN(len(pieces))])
		}
		lines = append(lines, strings.Join(parts, []string{" ", "", " ; "}[random.IntN(3)]))
	}
	covered := 0
	for _, line := range lines {
		if !p.lineCovered(fuzzRules, line, "") {
			continue
		}
		if covered++; covered > 60 {
			break
		}
		for _, argv := range b.run(line) {
			if !mayRun(argv) {
				t.Errorf("%q is covered, and ran %q", line, argv)
			}
		}
	}
	t.Logf("%d covered lines run", covered)
	if covered < 5 {
		t.Errorf("only %d lines were covered, the test shows nothing", covered)
	}
}

// FuzzDeny: a deny rule finds its command in every line in which the
// independent walk does, and never panics.
func FuzzDeny(f *testing.F) {
	for _, line := range []string{"git push", "a; git push", "$(git push)", "sh -c 'git push'", "git push (", "git -C x push", "\x00", "eval \"$(eval 'git push')\"", "<<a\n$(git push)\na"} {
		f.Add(line)
	}
	rule := deny(tools.AccessExecute, "git push")
	f.Fuzz(func(t *testing.T, line string) {
		denied := deniesLine(rule, line)
		file, err := syntax.NewParser(syntax.Variant(syntax.LangBash)).Parse(strings.NewReader(line), "")
		if err != nil {
			return
		}
		syntax.Walk(file, func(n syntax.Node) bool {
			if c, ok := n.(*syntax.CallExpr); ok && len(c.Args) > 1 && c.Args[0].Lit() == "git" && c.Args[1].Lit() == "push" && !denied {
				t.Errorf("%q is not denied", line)
			}
			return true
		})
	})
}
