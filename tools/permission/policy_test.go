package permission

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/agent-ls/agent-ls/tools"
	"github.com/agent-ls/agent-ls/workspace"
)

// room is a workspace folder with a policy over it, and a folder outside.
type room struct {
	*Policy
	t            *testing.T
	dir, outside string
	mode         Mode
}

func newRoom(t *testing.T, mode Mode, rules ...Rule) *room {
	t.Helper()
	base, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	r := &room{t: t, dir: filepath.Join(base, "work"), outside: filepath.Join(base, "outside"), mode: mode}
	for _, dir := range []string{r.dir, r.outside, filepath.Join(r.dir, "sub")} {
		if err := os.MkdirAll(dir, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	view := workspace.New(workspace.Options{}).View(workspace.ViewOptions{Cwd: r.dir})
	r.Policy = &Policy{View: view, Mode: func() Mode { return r.mode }, Rules: rules}
	return r
}

func (r *room) link(target, name string) {
	r.t.Helper()
	if err := os.Symlink(target, filepath.Join(r.dir, name)); err != nil {
		r.t.Skipf("no symbolic links here: %v", err)
	}
}

func (r *room) decide(access ...tools.Access) tools.Decision { return r.Decide("tool", access, false) }

func read(path string) tools.Access { return tools.Access{Kind: tools.AccessRead, Path: path} }
func edit(path string) tools.Access { return tools.Access{Kind: tools.AccessEdit, Path: path} }
func run(line string) tools.Access  { return tools.Access{Kind: tools.AccessExecute, Command: line} }
func fetch(url string) tools.Access { return tools.Access{Kind: tools.AccessFetch, URL: url} }
func allow(k tools.AccessKind, pattern string) Rule {
	return Rule{Effect: EffectAllow, Kind: k, Pattern: pattern}
}
func deny(k tools.AccessKind, pattern string) Rule {
	return Rule{Effect: EffectDeny, Kind: k, Pattern: pattern}
}

// TestTheTable is contract §3, row by row and mode by mode.
func TestTheTable(t *testing.T) {
	const (
		yes = tools.Allow
		ask = tools.Ask
		no  = tools.Deny
	)
	r := newRoom(t, AskMode)
	out := filepath.Join(r.outside, "f.txt")
	r.Protected = []string{filepath.Join(r.dir, "state")}
	rows := []struct {
		name     string
		access   []tools.Access
		declared bool
		want     [4]tools.DecisionKind
	}{
		{"reading inside the workspace roots", []tools.Access{read("a.txt")}, false, [4]tools.DecisionKind{yes, yes, yes, yes}},
		{"reading outside them", []tools.Access{read(out)}, false, [4]tools.DecisionKind{no, ask, ask, yes}},
		{"editing inside them", []tools.Access{edit("sub/a.txt")}, false, [4]tools.DecisionKind{no, ask, yes, yes}},
		{"editing outside them", []tools.Access{edit(out)}, false, [4]tools.DecisionKind{no, ask, ask, yes}},
		{"executing a command", []tools.Access{run("ls")}, false, [4]tools.DecisionKind{no, ask, ask, yes}},
		{"fetching from the network", []tools.Access{fetch("https://example.com/")}, false, [4]tools.DecisionKind{no, ask, ask, yes}},
		{"sensitive file read", []tools.Access{read(".env")}, false, [4]tools.DecisionKind{no, ask, ask, yes}},
		{"sensitive file edited", []tools.Access{edit(".git/hooks/pre-commit")}, false, [4]tools.DecisionKind{no, ask, ask, yes}},
		{"our own state", []tools.Access{edit("state/grants.json")}, false, [4]tools.DecisionKind{no, ask, ask, yes}},
		{"a client-declared or MCP tool", nil, true, [4]tools.DecisionKind{no, ask, ask, yes}},
		{"an access of an unknown kind", []tools.Access{{Kind: "teleport"}}, false, [4]tools.DecisionKind{no, ask, ask, yes}},
		{"no access: todo, cache, done", nil, false, [4]tools.DecisionKind{yes, yes, yes, yes}},
		{"empty list", []tools.Access{}, false, [4]tools.DecisionKind{yes, yes, yes, yes}},
		{"the strictest of several", []tools.Access{read("a"), edit("b"), read(out)}, false, [4]tools.DecisionKind{no, ask, ask, yes}},
		{"two free ones", []tools.Access{read("a"), read("b")}, false, [4]tools.DecisionKind{yes, yes, yes, yes}},
	}
	for _, row := range rows {
		for i, m := range Modes() {
			r.mode = m.ID
			got := r.Decide("some_tool", row.access, row.declared)
			if got.Kind != row.want[i] {
				t.Errorf("%s in mode %s: %s (%s), want %s", row.name, m.ID, got.Kind, got.Reason, row.want[i])
			}
			if (got.Reason == "") != (got.Kind == tools.Allow) {
				t.Errorf("%s in mode %s: %s with reason %q", row.name, m.ID, got.Kind, got.Reason)
			}
		}
	}
}

// TestMayRead: what may be edited after a question may often be read without
// one.
func TestMayRead(t *testing.T) {
	r := newRoom(t, AskMode, deny(tools.AccessRead, "sub/**"))
	for _, tt := range []struct {
		access []tools.Access
		want   bool
	}{
		{nil, true}, {[]tools.Access{edit("a.txt")}, true}, {[]tools.Access{edit("a.txt"), run("ls")}, true}, {[]tools.Access{edit(".env")}, false},
		{[]tools.Access{edit("a.txt"), edit(filepath.Join(r.outside, "b.txt"))}, false}, {[]tools.Access{edit("sub/c.txt")}, false},
	} {
		if got := r.MayRead("tool", tt.access); got != tt.want {
			t.Errorf("%v: %v, want %v", tt.access, got, tt.want)
		}
	}
}

func TestReasons(t *testing.T) {
	r := newRoom(t, AskMode, deny(tools.AccessExecute, "git push"))
	out := filepath.Join(r.outside, "f")
	cases := []struct {
		mode   Mode
		access []tools.Access
		want   []string
	}{
		{AskMode, []tools.Access{run("make  all")}, []string{"make  all"}},
		{AskMode, []tools.Access{edit("sub/a")}, []string{"editing sub/a"}},
		{AskMode, []tools.Access{read(out)}, []string{out, "outside"}},
		{AskMode, []tools.Access{read(".env"), fetch("http://h/")}, []string{"sensitive", ".env", "; ", "http://h/"}},
		{ReadOnly, []tools.Access{edit("a")}, []string{`"read-only"`, "editing a", "ask the user"}},
		{FullAccess, []tools.Access{run("git push")}, []string{"denies", "`git push`", "ask the user"}},
	}
	for _, c := range cases {
		r.mode = c.mode
		got := r.decide(c.access...)
		for _, want := range c.want {
			if !strings.Contains(got.Reason, want) {
				t.Errorf("%v: reason %q does not say %q", c.access, got.Reason, want)
			}
		}
	}
}

// A user who meant something else has to know which file says so.
func TestReasonsNameTheFile(t *testing.T) {
	const file = "/home/me/play/.agent-ls.toml:3"
	rule := deny(tools.AccessExecute, "git push")
	rule.From = file
	r := newRoom(t, FullAccess, rule)
	if got := r.decide(run("git push")).Reason; !strings.Contains(got, "the rule in "+file+" denies") {
		t.Errorf("a rule: %s", got)
	}
	from := file
	r.ModeFrom = func() string { return from }
	r.mode = ReadOnly
	if got := r.decide(run("ls")).Reason; !strings.Contains(got, `the mode "read-only" (set by `+file+`) does not allow`) {
		t.Errorf("the mode of a file: %s", got)
	}
	from = ""
	if got := r.decide(run("ls")).Reason; !strings.Contains(got, `the mode "read-only" does not allow`) {
		t.Errorf("the user's own mode: %s", got)
	}
}

func TestModeThatDoesNotExistIsTheStrictest(t *testing.T) {
	if got := newRoom(t, "yolo").decide(edit("a")); got.Kind != tools.Deny {
		t.Errorf("%+v", got)
	}
}

func TestZeroPolicy(t *testing.T) {
	var p Policy
	for _, c := range []struct {
		access tools.Access
		want   tools.DecisionKind
	}{{read("a"), tools.Ask}, {edit("a"), tools.Ask}, {run("ls"), tools.Ask}, {fetch("http://h"), tools.Ask}} {
		if got := p.Decide("x", []tools.Access{c.access}, false); got.Kind != c.want {
			t.Errorf("%+v: %+v", c.access, got)
		}
	}
	if words, rules := p.Scope("x", []tools.Access{run("ls")}, false); words == "" || len(rules) != 1 {
		t.Errorf("scope %q %v", words, rules)
	}
	if err := p.Remember(nil); err == nil || !strings.Contains(err.Error(), "allowed once only") {
		t.Errorf("remembering nowhere: %v", err)
	}
}

func TestWorkspaceWithoutRoots(t *testing.T) {
	view := workspace.New(workspace.Options{}).View(workspace.ViewOptions{Roots: []string{}})
	p := &Policy{View: view}
	if got := p.Decide("x", []tools.Access{read(filepath.Join(t.TempDir(), "a"))}, false); got.Kind != tools.Ask {
		t.Errorf("%+v", got)
	}
}

// Deny beats allow beats asking; no rule lifts what the mode denies.
func TestRules(t *testing.T) {
	glob := []Rule{allow(tools.AccessEdit, "docs/**"), deny(tools.AccessEdit, "docs/secret/*"), allow(tools.AccessRead, "/opt/data/**")}
	cases := []struct {
		name   string
		mode   Mode
		rules  []Rule
		access tools.Access
		want   tools.DecisionKind
	}{
		{"allowed glob", AskMode, glob, edit("docs/a/b.md"), tools.Allow},
		{"beside the glob", AskMode, glob, edit("src/a.go"), tools.Ask},
		{"deny beats allow", AskMode, glob, edit("docs/secret/x"), tools.Deny},
		{"deny in full access", FullAccess, glob, edit("docs/secret/x"), tools.Deny},
		{"deny in accept-edits", AcceptEdits, glob, edit("docs/secret/x"), tools.Deny},
		{"a rule of another kind", AskMode, glob, read("docs/secret/x"), tools.Allow},
		{"read-only stays", ReadOnly, glob, edit("docs/a.md"), tools.Deny},
		{"absolute glob outside", AskMode, glob, read("/opt/data/x/y"), tools.Allow},
		{"a glob allows no sensitive file", AskMode, glob, edit("docs/.env"), tools.Ask},
		{"nor does any", AskMode, []Rule{allow(tools.AccessEdit, "**")}, edit(".git/config"), tools.Ask},
		{"named in full it does", AskMode, []Rule{allow(tools.AccessEdit, "docs/.env")}, edit("docs/.env"), tools.Allow},
		{"one segment only", AskMode, []Rule{allow(tools.AccessEdit, "docs/*")}, edit("docs/a/b"), tools.Ask},
		{"malformed glob", AskMode, []Rule{allow(tools.AccessEdit, "[")}, edit("["), tools.Ask},
		{"host", AskMode, []Rule{allow(tools.AccessFetch, "example.com")}, fetch("https://example.com/x"), tools.Allow},
		{"other host", AskMode, []Rule{allow(tools.AccessFetch, "example.com")}, fetch("https://example.com.evil.net/"), tools.Ask},
		{"denied host", FullAccess, []Rule{deny(tools.AccessFetch, "*.evil.net")}, fetch("https://a.evil.net:8443/"), tools.Deny},
		{"command", AskMode, []Rule{allow(tools.AccessExecute, "go test")}, run("go test ./..."), tools.Allow},
		{"denied command", FullAccess, []Rule{deny(tools.AccessExecute, "git push")}, run("cd sub && git push"), tools.Deny},
	}
	for _, c := range cases {
		r := newRoom(t, c.mode, c.rules...)
		if got := r.decide(c.access); got.Kind != c.want {
			t.Errorf("%s: %+v, want %s", c.name, got, c.want)
		}
	}
}

func TestRulesByToolName(t *testing.T) {
	rules := []Rule{allow("", "mcp__git__*"), deny("", "mcp__git__push"), deny("", "bash")}
	cases := []struct {
		tool     string
		declared bool
		mode     Mode
		want     tools.DecisionKind
	}{
		{"mcp__git__log", true, AskMode, tools.Allow},
		{"mcp__git__push", true, FullAccess, tools.Deny},
		{"mcp__other", true, AskMode, tools.Ask},
		{"mcp__git__log", true, ReadOnly, tools.Deny},
		{"bash", false, FullAccess, tools.Deny},
	}
	for _, c := range cases {
		r := newRoom(t, c.mode, rules...)
		if got := r.Decide(c.tool, nil, c.declared); got.Kind != c.want {
			t.Errorf("%s: %+v, want %s", c.tool, got, c.want)
		}
	}
	// A name says nothing about what a tool with known access touches.
	r := newRoom(t, AskMode, allow("", "editor"))
	if got := r.Decide("editor", []tools.Access{edit("a")}, false); got.Kind != tools.Ask {
		t.Errorf("a rule by name allowed an edit: %+v", got)
	}
}

func TestRuleCheck(t *testing.T) {
	good := []Rule{
		allow(tools.AccessRead, "src/**"), deny(tools.AccessEdit, "~/.ssh/**"), allow(tools.AccessExecute, "go test"),
		allow(tools.AccessExecute, "python3 scripts/x.py"), deny(tools.AccessExecute, "sudo"), allow(tools.AccessFetch, "*.example.com:8080"),
		allow("", "mcp__*"), {Effect: EffectAllow, Kind: tools.AccessExecute, Pattern: "a | b", Exact: true},
	}
	for _, r := range good {
		if err := r.Check(); err != nil {
			t.Errorf("%+v: %v", r, err)
		}
	}
	bad := map[string]Rule{
		"not one of allow, deny":   {Effect: "ask", Kind: tools.AccessRead, Pattern: "x"},
		"not one of read":          {Effect: EffectAllow, Kind: "write", Pattern: "x"},
		"is empty":                 allow(tools.AccessRead, " "),
		"malformed glob":           allow(tools.AccessRead, "[x"),
		"not one simple command":   allow(tools.AccessExecute, "a && b"),
		"cannot be parsed":         deny(tools.AccessExecute, "a ("),
		"runs other commands":      allow(tools.AccessExecute, "sudo apt"),
		"name the script":          allow(tools.AccessExecute, "python3"),
		"the shell expands":        allow(tools.AccessExecute, "gi? status"),
		"without scheme":           allow(tools.AccessFetch, "https://example.com"),
		"only possible as its":     allow(tools.AccessFetch, "exa*mple.com"),
		"pattern of a tool's name": allow("", "[x"),
	}
	for want, r := range bad {
		if err := r.Check(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%+v: error %v does not say %q", r, err, want)
		}
	}
}

// A path counts by where it really leads.
func TestSymlinks(t *testing.T) {
	r := newRoom(t, AcceptEdits)
	r.link(r.outside, "out")
	r.link(filepath.Join(r.dir, "sub"), "in")
	r.link(filepath.Join(r.dir, ".env"), "innocent")
	r.link("loop", "loop")
	r.link(filepath.Join(r.outside, "none"), "dangling")
	cases := []struct {
		access tools.Access
		want   tools.DecisionKind
	}{
		{read("out/f"), tools.Ask},
		{edit("out/new/f"), tools.Ask},
		{edit("in/f"), tools.Allow},
		{read("in"), tools.Allow},
		{read("innocent"), tools.Ask},
		{edit("innocent"), tools.Ask},
		{read("loop"), tools.Ask},
		{edit("dangling"), tools.Ask},
		{edit("sub/../../outside/f"), tools.Ask},
		{read("sub/../a"), tools.Allow},
		{read(""), tools.Ask},
		{read("a\x00b"), tools.Ask},
	}
	for _, c := range cases {
		if got := r.decide(c.access); got.Kind != c.want {
			t.Errorf("%s %q: %+v, want %s", c.access.Kind, c.access.Path, got, c.want)
		}
	}
	// An allowed glob does not follow a link out of it; a denied one holds for
	// the name and for what it leads to.
	r.Rules = []Rule{allow(tools.AccessEdit, "out/**"), deny(tools.AccessRead, "in/**"), deny(tools.AccessRead, filepath.ToSlash(r.outside)+"/x")}
	if got := r.decide(edit("out/f")); got.Kind != tools.Allow {
		t.Errorf("a rule about the link itself: %+v", got)
	}
	for _, path := range []string{"in/f", "sub/f", "out/x", filepath.Join(r.outside, "x")} {
		if got := r.decide(read(path)); got.Kind != tools.Deny {
			t.Errorf("%s: %+v", path, got)
		}
	}
}

func TestAllowedFolderIsNoDoor(t *testing.T) {
	r := newRoom(t, AskMode, allow(tools.AccessEdit, "sub/**"))
	if err := os.Symlink(r.outside, filepath.Join(r.dir, "sub", "door")); err != nil {
		t.Skip(err)
	}
	if got := r.decide(edit("sub/door/f")); got.Kind != tools.Ask {
		t.Errorf("%+v", got)
	}
}

func TestProtected(t *testing.T) {
	r := newRoom(t, AcceptEdits)
	config := filepath.Join(r.outside, "config.toml")
	r.Protected = []string{config, filepath.Join(r.dir, "state"), ""}
	r.link(config, "conf")
	for path, want := range map[string]tools.DecisionKind{
		"conf": tools.Ask, "state/x/y": tools.Ask, "state": tools.Ask, "stateless": tools.Allow, ".agent-ls.toml": tools.Ask, "sub/.agent-ls.toml": tools.Ask,
	} {
		if got := r.decide(edit(path)); got.Kind != want {
			t.Errorf("%s: %+v, want %s", path, got, want)
		}
	}
}

func TestSensitive(t *testing.T) {
	yes := []string{
		".env", ".env.local", "a/.envrc", ".ENV", "deploy/server.pem", "x.key", "x.p12", "id_rsa", "a/id_ed25519", ".netrc", ".npmrc",
		".git/config", ".git/hooks/pre-commit", ".git/hooks", "sub/.git/config", ".git/modules/x/config", ".git/worktrees/x/config.worktree",
		".GIT/Config", ".git/commondir", "home/.ssh/known_hosts", ".ssh", ".gnupg/x", ".aws/credentials", ".agent-ls.toml", "GIT~1/config",
		".env.", ".env::$DATA", ".git./config", ".git/config ", ".kube/config", ".docker/config.json",
	}
	no := []string{
		"env", "a.env", "environment.go", "id_rsa.pub", "key.go", "keys", "config", ".git/HEAD", ".git/objects/x", ".gitignore", ".git",
		"git/config", "hooks/pre-commit", "ssh/x", "aws/credentials", "docker/config.json", "a/..", ".", "..", "", "README.md", ".env/lib/x.py",
	}
	for _, path := range yes {
		if !Sensitive(path) || !Sensitive(filepath.FromSlash("/w/"+path)) {
			t.Errorf("%q is not sensitive", path)
		}
	}
	for _, path := range no {
		if Sensitive(path) {
			t.Errorf("%q is sensitive", path)
		}
	}
	r := newRoom(t, AcceptEdits)
	if got := r.decide(edit(".git")); got.Kind != tools.Ask {
		t.Errorf("replacing .git: %+v", got)
	}
	if got := r.decide(read(".git")); got.Kind != tools.Allow {
		t.Errorf("listing .git: %+v", got)
	}
}

func TestHosts(t *testing.T) {
	cases := []struct {
		pattern, url string
		allow, deny  bool
	}{
		{"example.com", "https://example.com/a", true, true},
		{"example.com", "HTTPS://EXAMPLE.COM./a", true, true},
		{"EXAMPLE.com", "http://example.com", true, true},
		{"example.com", "https://example.com:443/", true, true},
		{"example.com", "https://example.com:8443/", false, true},
		{"example.com:8443", "https://example.com:8443/", true, true},
		{"example.com:443", "https://example.com/", true, true},
		{"example.com", "https://www.example.com/", false, false},
		{"*.example.com", "https://www.example.com/", true, true},
		{"*.example.com", "https://example.com/", false, false},
		{"*.example.com", "https://badexample.com/", false, false},
		{"example.com", "https://example.com@evil.net/", false, false},
		{"example.com", "https://evil.net/example.com", false, false},
		{"example.com", "https://evil.net?example.com", false, false},
		{"example.com", "https://evil.net#@example.com", false, false},
		{"example.com", `https://evil.net\@example.com/`, false, false},
		{"example.com", "ftp://example.com/", false, false},
		{"example.com", "example.com", false, false},
		{"bücher.example", "https://xn--bcher-kva.example/", true, true},
		{"::1", "http://[::1]/", true, true},
		{"[::1]", "http://[::1]/", true, true},
		{"[::1]:80", "http://[::1]/", true, true},
		{"https://example.com", "https://example.com/", false, false},
		{"*", "https://example.com/", false, false},
	}
	for _, c := range cases {
		if got := hostMatches(c.pattern, c.url, false); got != c.allow {
			t.Errorf("allow %q for %s: %v", c.pattern, c.url, got)
		}
		if got := hostMatches(c.pattern, c.url, true); got != c.deny {
			t.Errorf("deny %q for %s: %v", c.pattern, c.url, got)
		}
	}
}

func TestScope(t *testing.T) {
	r := newRoom(t, AskMode)
	out := filepath.Join(r.outside, "f[1].txt")
	exact := func(line string) Rule {
		return Rule{Effect: EffectAllow, Kind: tools.AccessExecute, Pattern: line, Exact: true}
	}
	long := "echo " + strings.Repeat("word ", 30) + "end"
	in := func(line, dir string) tools.Access {
		return tools.Access{Kind: tools.AccessExecute, Command: line, Dir: dir}
	}
	subdir := exact("make")
	subdir.Dir = filepath.Join(r.dir, "sub")
	outdir := exact("make")
	outdir.Dir = r.outside
	cases := []struct {
		access tools.Access
		words  string
		rule   Rule
	}{
		{edit("sub/a.go"), "edits of sub/a.go", allow(tools.AccessEdit, escapeGlob(filepath.ToSlash(filepath.Join(r.dir, "sub", "a.go"))))},
		{read(out), "reads of " + out, allow(tools.AccessRead, escapeGlob(filepath.ToSlash(out)))},
		{fetch("https://Example.com/x?y"), "requests to example.com", allow(tools.AccessFetch, "example.com")},
		{fetch("http://localhost:3000/"), "requests to localhost:3000", allow(tools.AccessFetch, "localhost:3000")},
		{fetch("http://[::1]/"), "requests to [::1]", allow(tools.AccessFetch, "[::1]")},
		{run("touch made-once"), "the command `touch made-once`", exact("touch made-once")},
		{run(" touch made-once\n"), "the command `touch made-once`", exact("touch made-once")},
		{run("git status -s"), "commands that begin with `git status`", allow(tools.AccessExecute, "git status")},
		{run("git 'status'"), "commands that begin with `git status`", allow(tools.AccessExecute, "git status")},
		{run("cd sub && go test ./..."), "commands that begin with `go test`", allow(tools.AccessExecute, "go test")},
		{run("npm run 'a b'"), "commands that begin with `npm run 'a b'`", allow(tools.AccessExecute, "npm run 'a b'")},
		{run("npx prettier x"), "commands that begin with `npx prettier`", allow(tools.AccessExecute, "npx prettier")},
		{run("npx -y prettier x"), "the command `npx -y prettier x`", exact("npx -y prettier x")},
		{run("git -C .. status"), "the command `git -C .. status`", exact("git -C .. status")},
		{run("git push origin"), "the command `git push origin`", exact("git push origin")},
		{run("git diff --output=x"), "the command `git diff --output=x`", exact("git diff --output=x")},
		{run("X=1 git status"), "the command `X=1 git status`", exact("X=1 git status")},
		{run("sudo git status"), "the command `sudo git status`", exact("sudo git status")},
		{run("git status | cat"), "the command `git status | cat`", exact("git status | cat")},
		{run("git log > x"), "the command `git log > x`", exact("git log > x")},
		{run("rm -rf \"$X\""), "the command `rm -rf \"$X\"`", exact("rm -rf \"$X\"")},
		{run("a (("), "the command `a ((`", exact("a ((")},
		{run("a\nb"), "exactly this command", exact("a\nb")},
		{run(long), "exactly this command", exact(long)},
		{in("make", "sub"), "the command `make` in " + subdir.Dir, subdir},
		{in("make", r.outside), "the command `make` in " + r.outside, outdir},
		{in("git status", "sub"), "commands that begin with `git status`", allow(tools.AccessExecute, "git status")},
	}
	for _, c := range cases {
		words, rules := r.Scope("bash", []tools.Access{c.access}, false)
		if words != c.words || len(rules) != 1 || rules[0] != c.rule {
			t.Errorf("%+v: %q %+v, want %q %+v", c.access, words, rules, c.words, c.rule)
			continue
		}
		// What "always" says holds: the same call is not asked again, and a
		// rejected one is denied.
		r.Rules = rules
		if got := r.decide(c.access); got.Kind != tools.Allow {
			t.Errorf("%+v after always: %+v", c.access, got)
		}
		r.Rules = Denying(rules)
		if got := r.decide(c.access); got.Kind != tools.Deny {
			t.Errorf("%+v after never: %+v", c.access, got)
		}
		r.Rules = nil
	}
}

func TestScopeOfSeveral(t *testing.T) {
	r := newRoom(t, AskMode, allow(tools.AccessEdit, "known"))
	words, rules := r.Scope("apply_patch", []tools.Access{edit("a"), edit("b"), read("c"), edit("a"), edit("known"), edit("d")}, false)
	if words != "edits of a, edits of b and edits of d" || len(rules) != 3 {
		t.Errorf("%q %+v", words, rules)
	}
	words, rules = r.Scope("mcp__x", nil, true)
	if words != "the tool `mcp__x`" || len(rules) != 1 || rules[0] != allow("", "mcp__x") {
		t.Errorf("%q %+v", words, rules)
	}
	for name, access := range map[string]tools.Access{"free": read("a"), "no host": fetch("::"), "no command": run(" ")} {
		if words, rules := r.Scope("x", []tools.Access{access}, false); words != "" || rules != nil {
			t.Errorf("%s: %q %+v", name, words, rules)
		}
	}
}

// Field report 62.
func TestAlwaysIsNarrow(t *testing.T) {
	r := newRoom(t, AskMode)
	r.Grants = OpenGrants("")
	_, rules := r.Scope("bash", []tools.Access{run("touch made-once")}, false)
	if err := r.Remember(rules); err != nil {
		t.Fatal(err)
	}
	for line, want := range map[string]tools.DecisionKind{
		"touch made-once":                     tools.Allow,
		"touch  made-once":                    tools.Allow,
		"touch 'made-once'":                   tools.Allow,
		"touch made-once && rm -f made-once":  tools.Ask,
		"touch made-once made-twice":          tools.Ask,
		"touch made-once; touch made-once":    tools.Allow,
		"mkdir other":                         tools.Ask,
		"touch made-once > x":                 tools.Ask,
		"/tmp/touch made-once":                tools.Ask,
		"cd sub && touch made-once":           tools.Ask,
		"(touch made-once)":                   tools.Allow,
		"if true; then touch made-once; fi":   tools.Ask,
		"touch \"made-once\" $(rm -f other)":  tools.Ask,
		"touch made-once # && rm -f made-one": tools.Allow,
	} {
		if got := r.decide(run(line)); got.Kind != want {
			t.Errorf("%q: %+v, want %s", line, got, want)
		}
	}
}

func TestWordsFold(t *testing.T) {
	for _, c := range []struct {
		in   []string
		want string
	}{{nil, ""}, {[]string{"a"}, "a"}, {[]string{"a", "b"}, "a and b"}, {[]string{"a", "b", "c"}, "a, b and c"}} {
		if got := sentence(c.in); got != c.want {
			t.Errorf("%v: %q", c.in, got)
		}
	}
}

func BenchmarkDecide(b *testing.B) {
	dir := b.TempDir()
	view := workspace.New(workspace.Options{}).View(workspace.ViewOptions{Cwd: dir})
	p := &Policy{View: view, Grants: OpenGrants(filepath.Join(dir, "grants.json"))}
	var rules []Rule
	for i := range 50 {
		rules = append(rules, allow(tools.AccessExecute, fmt.Sprintf("git status %d", i)))
	}
	if err := p.Remember(rules); err != nil {
		b.Fatal(err)
	}
	access := []tools.Access{run("git status 49 && git status 48")}
	b.ReportAllocs()
	for b.Loop() {
		if p.Decide("bash", access, false).Kind != tools.Allow {
			b.Fatal("not allowed")
		}
	}
}
