package config

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/spf13/pflag"
)

// abs makes an absolute path of the system from one with slashes.
func abs(path string) string {
	p, err := filepath.Abs(filepath.FromSlash(path))
	if err != nil {
		panic(err)
	}
	return p
}

// world is sources over files that exist only here.
func world(files map[string]string, env ...string) Sources {
	return Sources{
		Environ: env, Cwd: abs("/w"), Home: abs("/home/u"), GOOS: "linux",
		ReadFile: func(name string) ([]byte, error) {
			for file, data := range files {
				if abs(file) == name {
					return []byte(data), nil
				}
			}
			return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
		},
	}
}

const userConfig = "/home/u/.config/agent-ls/config.toml"

func load(t *testing.T, s Sources) Config {
	t.Helper()
	c, err := Load(s)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func TestDefaults(t *testing.T) {
	c := load(t, world(nil))
	if c.Model != "direct" || c.Mode != "ask" || c.PermissionTimeout != 0 || c.LogLevel != "info" || c.Limits.MaxLine != 64<<20 || c.Search.Backend != "ddg" {
		t.Errorf("defaults: %+v", c)
	}
	if c.Cwd != abs("/w") || c.File != abs(userConfig) || c.StateDir != abs("/home/u/.local/state/agent-ls") {
		t.Errorf("places: %q %q %q", c.Cwd, c.File, c.StateDir)
	}
	for _, k := range Keys() {
		if o := c.Origin(k.Name); o.Source != SourceDefault || o.String() != "default" {
			t.Errorf("%s comes from %v", k.Name, o)
		}
	}
}

// Contract §1: flag, environment, editor setting, user file.
func TestPrecedence(t *testing.T) {
	files := map[string]string{userConfig: "# mine\nmodel = \"openai:file\"\n"}
	s := world(files)
	steps := []struct {
		add    func()
		want   string
		origin string
	}{
		{func() {}, "openai:file", abs(userConfig) + ":2"},
		{func() { s.Editor = json.RawMessage(`{"model":"openai:editor"}`) }, "openai:editor", "initializationOptions"},
		{func() { s.Environ = []string{"AGENT_LS_MODEL=openai:env"} }, "openai:env", "AGENT_LS_MODEL"},
		{func() { s.Flags = map[string]string{"model": "openai:flag"} }, "openai:flag", "--model"},
	}
	for _, step := range steps {
		step.add()
		c := load(t, s)
		if c.Model != step.want || c.Origin("model").String() != step.origin {
			t.Errorf("model %q from %v, want %q from %s", c.Model, c.Origin("model"), step.want, step.origin)
		}
	}
}

// Every key but the rules and agents can be set by its variable, and by every
// other place that it declares.
func TestEveryKeyFromEveryPlace(t *testing.T) {
	samples := map[Kind][2]string{ // as text, as TOML and JSON
		Text: {"x", `"x"`}, Path: {"/p/q", `"/p/q"`}, Switch: {"true", "true"}, Count: {"7", "7"},
		Seconds: {"9", "9"}, Size: {"2 KiB", `"2 KiB"`}, Texts: {"a, b", `["a", "b"]`},
	}
	for _, k := range Keys() {
		sample := samples[k.Kind]
		if k.Kind == Choice {
			last := k.Values[len(k.Values)-1]
			sample = [2]string{last, `"` + last + `"`}
		}
		if standard := defaults(); k.get(&standard) == true {
			sample = [2]string{"false", "false"}
		}
		if sample[0] == "" {
			continue
		}
		files := map[string]string{"/p/q": ""}
		cases := map[string]Sources{"variable": world(files, k.Env()+"="+sample[0])}
		if k.Flag != "" {
			s := world(files)
			s.Flags = map[string]string{k.Flag: sample[0]}
			cases["flag"] = s
		}
		if !k.Outside {
			cases["file"] = world(map[string]string{userConfig: k.Name + " = " + sample[1]})
			s := world(nil)
			s.Editor = json.RawMessage(`{"` + k.Name + `":` + sample[1] + `}`)
			cases["editor"] = s
		}
		var first any
		for place, s := range cases {
			c := load(t, s)
			got := k.get(&c)
			if first == nil {
				first = got
			}
			before := defaults()
			if reflect.DeepEqual(got, k.get(&before)) || !reflect.DeepEqual(got, first) {
				t.Errorf("%s by %s: %v, elsewhere %v", k.Name, place, got, first)
			}
			if c.Origin(k.Name).Source == SourceDefault {
				t.Errorf("%s by %s has no origin", k.Name, place)
			}
		}
	}
}

func TestValues(t *testing.T) {
	c := load(t, world(map[string]string{userConfig: `model = "script:plays/a.json"
permission_timeout = 90
log = "logs/a.log"
record = "~/rec"
limits.max_line = 1024

[bash]
timeout = 30
maxStdoutLines = 100

[read]
max_size = "10 MiB"
max_total_size = 4096.0

[web]
allow_hosts = ["localhost", "intranet.example"]

[[permission.allow]]
kind = "execute"
pattern = "go test"

[[permission.allow]]
pattern = "docs/**"
kind = "edit"

[[permission.deny]]
kind = "execute"
pattern = "git push origin"
exact = true

[openai]
api_key_cmd = ["pass", "show", "openai"]
api_key_file = "keys/openai"

[provider.router]
base_url = "https://router.example/v1"
api_key_file = "keys/router"
api_key_cmd = ["pass", "router"]
headers = { "X-Title" = "me" }
models = ["a/b"]
context_size = 1000
max_output = 100

[acp.claude]
command = "npx"
args = ["-y", "x"]
env = { A = "1" }
`}, "AGENT_LS_WIRE_LOG=wire.jsonl"))
	want := []struct{ got, want any }{
		{c.Model, "script:" + abs("/home/u/.config/agent-ls/plays/a.json")},
		{c.PermissionTimeout, 90 * time.Second},
		{c.Log, abs("/home/u/.config/agent-ls/logs/a.log")},
		{c.Record, abs("/home/u/rec")},
		{c.WireLog, abs("/w/wire.jsonl")},
		{c.Bash, Bash{Timeout: 30 * time.Second, MaxStdoutLines: 100, Sandbox: "off"}},
		{c.Read, Read{MaxSize: 10 << 20, MaxTotalSize: 4096}},
		{c.Limits.MaxLine, int64(1024)},
		{c.OpenAI.APIKeyCmd, []string{"pass", "show", "openai"}},
		{c.OpenAI.APIKeyFile, abs("/home/u/.config/agent-ls/keys/openai")},
		{c.Providers, map[string]Provider{"router": {
			Kind: "openai", API: "chat", BaseURL: "https://router.example/v1", APIKeyFile: abs("/home/u/.config/agent-ls/keys/router"),
			APIKeyCmd: []string{"pass", "router"}, Headers: map[string]string{"X-Title": "me"}, Models: []string{"a/b"}, ContextSize: 1000, MaxOutput: 100,
		}}},
		{c.Web.AllowHosts, []string{"localhost", "intranet.example"}},
		{c.Agents, map[string]Agent{"claude": {Command: "npx", Args: []string{"-y", "x"}, Env: map[string]string{"A": "1"}}}},
	}
	for i, w := range want {
		if !reflect.DeepEqual(w.got, w.want) {
			t.Errorf("value %d: %#v, want %#v", i, w.got, w.want)
		}
	}
	if len(c.Allow) != 2 || c.Allow[1].Kind != "edit" || c.Allow[1].Origin.Line != 22 || c.Allow[0].Origin.Line != 18 {
		t.Errorf("allow rules: %+v", c.Allow)
	}
	if len(c.Deny) != 1 || !c.Deny[0].Exact || c.Deny[0].Pattern != "git push origin" {
		t.Errorf("deny rules: %+v", c.Deny)
	}
}

// Contract §1: a clear error that names it and the nearest valid one.
func TestFaultsNamePlaceAndNearest(t *testing.T) {
	file := func(toml string) Sources { return world(map[string]string{userConfig: toml}) }
	editor := func(js string) Sources { s := world(nil); s.Editor = json.RawMessage(js); return s }
	flag := func(name, value string) Sources {
		s := world(nil)
		s.Flags = map[string]string{name: value}
		return s
	}
	at := abs(userConfig)
	cases := []struct {
		name string
		s    Sources
		want []string
	}{
		{"unknown key", file("\nmodle = \"x\"\n"), []string{at + ":2", `"modle"`, `"model"`}},
		{"unknown nested key", file("[bash]\n\ntimeot = 3\n"), []string{at + ":3", `"bash.timeot"`, `"bash.timeout"`}},
		{"unknown table", file("[bsh]\ntimeout = 3\n"), []string{at + ":1", `"bsh"`}},
		{"value for a table", file("bash = 3\n"), []string{at + ":1", `"bash" is a table`, "a number"}},
		{"table for a value", file("[mode]\nx = 1\n"), []string{at + ":1", "mode", "must be a text, not a table"}},
		{"number for a text", file("model = 3\n"), []string{at + ":1", "model", "must be a text, not a number"}},
		{"text for a number", file("[bash]\ntimeout = \"3\"\n"), []string{at + ":2", "bash.timeout", "must be a whole number, not a text; write seconds, such as 300"}},
		{"fraction", file("permission_timeout = 1.5\n"), []string{at + ":1", "whole number, not a fraction"}},
		{"too small", file("limits.max_requests = 0\n"), []string{at + ":1", "0 is too small; the least is 1"}},
		{"too few bytes", file("limits.max_line = \"1000\"\n"), []string{at + ":1", "1000 bytes are too few; the least is 1024"}},
		{"text without quotes", file("\nmode = read-only\n"), []string{at + ":2", `mode = "ask"`}},
		{"text without its end", file("mode = \"ask\n"), []string{at + ":1", "the closing quote is missing"}},
		{"negative", file("permission_timeout = -1\n"), []string{at + ":1", "negative"}},
		{"too long", file("permission_timeout = 9223372036854775807\n"), []string{"too many"}},
		{"date", file("model = 2020-01-01\n"), []string{"not a date"}},
		{"bad size", file("limits.max_line = \"12 XB\"\n"), []string{at + ":1", `"12 XB"`, "MiB"}},
		{"size overflow", file("limits.max_line = \"9999999999 GiB\"\n"), []string{"is no size"}},
		{"bad choice", file("mode = \"full-acess\"\n"), []string{at + ":1", `"full-acess"`, `"full-access"`}},
		{"broken file", file("model = \"x\"\nmode = \n"), []string{at + ":2"}},
		{"two spellings", file("[bash]\nmax_stdout_lines = 1\nmaxStdoutLines = 2\n"), []string{"twice"}},
		{"key of the command line", file("cwd = \"/\"\n"), []string{at + ":1", "--cwd", "AGENT_LS_CWD"}},
		{"list of numbers", file("web.allow_hosts = [1]\n"), []string{"a list of texts"}},
		{"rule without a pattern", file("[[permission.allow]]\nkind = \"read\"\n"), []string{at + ":1", "rule 1", "pattern is missing"}},
		{"rule of a wrong kind", file("[[permission.deny]]\nkind = \"exec\"\npattern = \"x\"\n"), []string{"rule 1", `"execute"`}},
		{"rule with a wrong member", file("[[permission.deny]]\nkind = \"read\"\npath = \"x\"\n"), []string{at + ":3", `"path"`, `"pattern"`}},
		{"rule without a kind", file("[[permission.deny]]\npattern = \"x\"\n"), []string{at + ":1", "kind is missing", "read, edit"}},
		{"second rule", file("[[permission.deny]]\nkind = \"read\"\npattern = \"x\"\n[[permission.deny]]\n\nkind = \"exec\"\n"), []string{at + ":6", "rule 2: kind", `"execute"`}},
		{"one table of rules", file("[permission.deny]\nkind = \"read\"\n"), []string{at + ":1", "[[permission.allow]]"}},
		{"exact rule of a path", file("[[permission.deny]]\nkind = \"read\"\npattern = \"x\"\nexact = true\n"), []string{"only for the kind execute"}},
		{"rules that are none", file("permission.allow = \"x\"\n"), []string{"a list of tables"}},
		{"agent without a command", file("[acp.x]\nargs = []\n"), []string{`agent "x"`, "command is missing"}},
		{"agent with a number", file("[acp.x]\ncommand = \"c\"\nenv = { A = 1 }\n"), []string{at + ":3", "env.A", "a text"}},
		{"agent with a wrong member", file("[acp.x]\ncomand = \"c\"\n"), []string{at + ":2", `agent "x"`, `"comand"`, `"command"`}},
		{"provider without a server", file("[provider.x]\nkind = \"openai\"\n"), []string{`provider "x"`, "base_url is missing"}},
		{"provider of a wrong kind", file("[provider.x]\nbase_url = \"u\"\nkind = \"antropic\"\n"), []string{at + ":3", `provider "x"`, `"anthropic"`}},
		{"two faults of a provider", file("[provider.x]\n\nkind = \"antropic\"\n"), []string{at + ":3: provider: provider \"x\": kind", "\n" + at + ":1: provider: provider \"x\": base_url"}},
		{"provider with a wrong member", file("[provider.x]\nbase_ulr = \"u\"\n"), []string{`"base_ulr"`, `"base_url"`}},
		{"provider with a taken name", file("[provider.openai]\nbase_url = \"u\"\n"), []string{`provider "openai"`, "another"}},
		{"provider with a wrong number", file("[provider.x]\nbase_url = \"u\"\ncontext_size = \"big\"\n"), []string{"context_size", "whole number"}},
		{"unknown variable", world(nil, "AGENT_LS_MODLE=x"), []string{"AGENT_LS_MODLE", "AGENT_LS_MODEL?"}},
		{"bad variable", world(nil, "AGENT_LS_PERMISSION_TIMEOUT=soon"), []string{"AGENT_LS_PERMISSION_TIMEOUT", `"soon"`, "whole number; write seconds, such as 300"}},
		{"bad switch", world(nil, "AGENT_LS_FOLLOW=maybe"), []string{"AGENT_LS_FOLLOW", "neither true nor false"}},
		{"bad choice in a variable", world(nil, "AGENT_LS_MODE=aks"), []string{"AGENT_LS_MODE", `"ask"`}},
		{"unknown setting", editor(`{"bash":{"timeuot":1}}`), []string{"initializationOptions", `"bash.timeuot"`, `"bash.timeout"`}},
		{"settings that are none", editor(`[1]`), []string{"initializationOptions", "object"}},
		{"null setting", editor(`{"model":null}`), []string{"must be a text, not null"}},
		{"unknown flag", flag("modle", "x"), []string{"--modle"}},
		{"bad flag", flag("mode", "ful-access"), []string{"--mode", `"full-access"`}},
		{"missing named file", flag("config", "gone.toml"), []string{"--config", "gone.toml"}},
	}
	for _, c := range cases {
		_, err := Load(c.s)
		if err == nil {
			t.Errorf("%s: no error", c.name)
			continue
		}
		for _, want := range c.want {
			if !strings.Contains(err.Error(), want) {
				t.Errorf("%s: %q does not say %q", c.name, err, want)
			}
		}
	}
}

func TestAHomeFolderIsAbsolute(t *testing.T) {
	if err := checkHome(abs("/home/u"), nil); err != nil {
		t.Error(err)
	}
	for home, want := range map[string]string{"": "set it to the absolute path", "relative": `"relative" is no absolute path`} {
		var unset error
		if home == "" {
			unset = errors.New("$HOME is not defined")
		}
		if err := checkHome(home, unset); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v", home, err)
		}
	}
}

func TestAllFaultsAreReported(t *testing.T) {
	s := world(map[string]string{userConfig: "modle = 1\nmode = 2\n"}, "AGENT_LS_NOPE=1")
	_, err := Load(s)
	if err == nil || strings.Count(err.Error(), "\n") != 2 {
		t.Errorf("faults: %v", err)
	}
	var one *Error
	if !errors.As(err, &one) {
		t.Errorf("%T holds no *Error", err)
	}
}

func TestTheVariableOfCompletionScriptsIsNoFault(t *testing.T) {
	load(t, world(nil, "AGENT_LS_ACTIVE_HELP=0"))
}

func TestEmptyVariableIsNotSet(t *testing.T) {
	if c := load(t, world(nil, "AGENT_LS_MODEL=", "OTHER=1", "=C:=x", "broken")); c.Model != "direct" {
		t.Errorf("model %q", c.Model)
	}
}

func TestNamedFile(t *testing.T) {
	files := map[string]string{"/w/my.toml": "model = \"openai:mine\"\nlog = \"l\"\n", userConfig: "model = \"openai:other\"\n"}
	for _, s := range []Sources{world(files, "AGENT_LS_CONFIG=my.toml"), func() Sources {
		s := world(files, "AGENT_LS_CONFIG=elsewhere.toml")
		s.Flags = map[string]string{"config": "my.toml"}
		return s
	}()} {
		if c := load(t, s); c.Model != "openai:mine" || c.File != abs("/w/my.toml") || c.Log != abs("/w/l") {
			t.Errorf("%q %q %q", c.Model, c.File, c.Log)
		}
	}
}

// The file in a workspace narrows, and does nothing else (contract §1).
func TestWorkspaceFile(t *testing.T) {
	const file = "/w/.agent-ls.toml"
	cases := []struct {
		name, user, workspace string
		mode                  string
		timeout               time.Duration
		deny                  int
		warnings              int
		fault                 string
	}{
		{"narrower mode", "mode = \"full-access\"", "mode = \"ask\"", "ask", 0, 0, 0, ""},
		{"wider mode", "mode = \"ask\"", "mode = \"full-access\"", "ask", 0, 0, 1, ""},
		{"wider than the default", "", "mode = \"accept-edits\"", "ask", 0, 0, 1, ""},
		{"same mode", "mode = \"ask\"", "mode = \"ask\"", "ask", 0, 0, 0, ""},
		{"shorter wait", "permission_timeout = 60", "permission_timeout = 10", "ask", 10 * time.Second, 0, 0, ""},
		{"some wait instead of none", "", "permission_timeout = 10", "ask", 10 * time.Second, 0, 0, ""},
		{"longer wait", "permission_timeout = 60", "permission_timeout = 90", "ask", 60 * time.Second, 0, 1, ""},
		{"same wait", "permission_timeout = 60", "permission_timeout = 60", "ask", 60 * time.Second, 0, 0, ""},
		{"no wait", "permission_timeout = 60", "permission_timeout = 0", "ask", 60 * time.Second, 0, 1, ""},
		{"more deny rules", "[[permission.deny]]\nkind = \"tool\"\npattern = \"a\"", "[[permission.deny]]\nkind = \"tool\"\npattern = \"b\"", "ask", 0, 2, 0, ""},
		{"allow rules", "", "[[permission.allow]]\nkind = \"tool\"\npattern = \"b\"", "ask", 0, 0, 0, "permission.allow"},
		{"model", "", "model = \"openai:x\"", "ask", 0, 0, 0, "model"},
		{"base URL", "", "openai.base_url = \"http://evil\"", "ask", 0, 0, 0, "openai.base_url"},
		{"program", "", "[acp.x]\ncommand = \"evil\"", "ask", 0, 0, 0, "acp"},
		{"private hosts", "", "web.allow_hosts = [\"localhost\"]", "ask", 0, 0, 0, "web.allow_hosts"},
		{"bad mode", "", "mode = \"reed-only\"", "ask", 0, 0, 0, "read-only"},
		{"unknown key", "", "moode = \"ask\"", "ask", 0, 0, 0, "\"mode\""},
	}
	for _, c := range cases {
		got, err := Load(world(map[string]string{userConfig: c.user, file: c.workspace}))
		if (err != nil) != (c.fault != "") || err != nil && (!strings.Contains(err.Error(), c.fault) || !strings.Contains(err.Error(), abs(file)+":1")) {
			t.Errorf("%s: error %v", c.name, err)
		}
		if got.Mode != c.mode || got.PermissionTimeout != c.timeout || len(got.Deny) != c.deny || len(got.Warnings) != c.warnings {
			t.Errorf("%s: mode %s, wait %v, deny %v, warnings %v", c.name, got.Mode, got.PermissionTimeout, got.Deny, got.Warnings)
		}
		if got.Model != "direct" || len(got.Allow) != 0 || got.OpenAI.BaseURL != "" || got.Agents != nil || got.Web.AllowHosts != nil {
			t.Errorf("%s: the workspace widened something: %+v", c.name, got)
		}
	}
}

func TestEveryKeyOfAWorkspaceIsJudged(t *testing.T) {
	narrowing := map[string]bool{"mode": true, "permission_timeout": true, "permission.deny": true, "bash.sandbox": true}
	display := map[string]bool{"follow": true}
	for _, k := range Keys() {
		want := Forbidden
		if narrowing[k.Name] {
			want = Narrows
		}
		if display[k.Name] {
			want = Displays
		}
		if k.Workspace != want {
			t.Errorf("%s: a workspace may set it: %q, want %q", k.Name, k.Workspace, want)
		}
	}
}

func TestWorkspaceDisplaySettings(t *testing.T) {
	files := map[string]string{"/r1/.agent-ls.toml": "follow = true", "/r2/.agent-ls.toml": "mode = \"read-only\""}
	s := world(files)
	s.Workspaces = []string{abs("/r1"), abs("/r2")}
	if c := load(t, s); !c.Follow || c.Mode != "read-only" || c.Origin("mode").Name != abs("/r2/.agent-ls.toml") {
		t.Errorf("follow %v, mode %s from %v", c.Follow, c.Mode, c.Origin("mode"))
	}
	s.Environ = []string{"AGENT_LS_FOLLOW=false"}
	if c := load(t, s); c.Follow {
		t.Error("the workspace beat the user's own setting")
	}
}

func TestPlatformFolders(t *testing.T) {
	home := abs("/h")
	cases := []struct {
		goos, env     string
		config, state string
	}{
		{"linux", "", "/h/.config/agent-ls", "/h/.local/state/agent-ls"},
		{"linux", "XDG_STATE_HOME=relative", "/h/.config/agent-ls", "/h/.local/state/agent-ls"},
		{"darwin", "", "/h/Library/Application Support/agent-ls", "/h/Library/Application Support/agent-ls/state"},
		{"windows", "", "/h/AppData/Local/agent-ls", "/h/AppData/Local/agent-ls/state"},
		{"windows", "LOCALAPPDATA=" + abs("/l"), "/l/agent-ls", "/l/agent-ls/state"},
	}
	for _, goos := range []string{"linux", "darwin", "windows"} {
		cases = append(cases,
			struct{ goos, env, config, state string }{goos, "XDG_STATE_HOME=" + abs("/x"), "", "/x/agent-ls"},
			struct{ goos, env, config, state string }{goos, "XDG_CONFIG_HOME=" + abs("/x"), "/x/agent-ls", ""})
	}
	for _, c := range cases {
		env := newEnvironment([]string{c.env}, c.goos)
		if got := configDir(env, c.goos, home); c.config != "" && got != abs(c.config) {
			t.Errorf("%s with %q: configuration in %s", c.goos, c.env, got)
		}
		if got := stateDir(env, c.goos, home); c.state != "" && got != abs(c.state) {
			t.Errorf("%s with %q: state in %s", c.goos, c.env, got)
		}
	}
}

func TestFlags(t *testing.T) {
	fs := pflag.NewFlagSet("agent-ls", pflag.ContinueOnError)
	AddFlags(fs)
	for _, name := range []string{"cwd", "model", "mode", "config", "state-dir", "log", "log-level", "wire-log", "record"} {
		if fs.Lookup(name) == nil {
			t.Errorf("contract §1 names --%s", name)
		}
	}
	if usage := fs.FlagUsages(); !strings.Contains(usage, "--model NAME") || !strings.Contains(usage, "AGENT_LS_MODEL") || strings.Contains(usage, "`") {
		t.Errorf("usage:\n%s", usage)
	}
	if err := fs.Parse([]string{"--model", "direct", "--mode=ask"}); err != nil {
		t.Fatal(err)
	}
	if got := FlagValues(fs); !reflect.DeepEqual(got, map[string]string{"model": "direct", "mode": "ask"}) {
		t.Errorf("values %v", got)
	}
	err := FlagError(fs.Parse([]string{"--modle=x"}), fs)
	if err == nil || !strings.Contains(err.Error(), "--modle") || !strings.Contains(err.Error(), "--model?") {
		t.Errorf("error %v", err)
	}
	if err := FlagError(fs.Parse([]string{"-model"}), fs); err == nil || !strings.Contains(err.Error(), "unknown flag -m in -model; long names have two dashes") {
		t.Errorf("a long name with one dash: %v", err)
	}
	if other := errors.New("other"); FlagError(other, fs) != other {
		t.Error("another error was changed")
	}
}

func TestReport(t *testing.T) {
	s := world(map[string]string{userConfig: `
openai.api_key = "sk-secret"
openai.base_url = "https://me:sk-secret@h/v1?token=sk-secret"
web.allow_hosts = ["a", "b"]
[[permission.deny]]
kind = "tool"
pattern = "x"
[acp.one]
command = "c"
`})
	c := load(t, s)
	got := map[string]Setting{}
	for _, line := range c.Report() {
		got[line.Key] = line
	}
	if len(got) != len(Keys()) {
		t.Errorf("%d lines for %d keys", len(got), len(Keys()))
	}
	for key, want := range map[string]string{"openai.api_key": "(set)", "openai.base_url": "https://me:xxxxx@h/v1?…", "anthropic.api_key": "", "web.allow_hosts": "a, b", "limits.model_idle": "300 seconds", "permission.deny": "1 rule", "acp": "one", "limits.max_line": "67108864"} {
		if got[key].Value != want {
			t.Errorf("%s: %q, want %q", key, got[key].Value, want)
		}
	}
	if strings.Contains(fmt.Sprint(c.Report()), "sk-secret") {
		t.Error("the report shows a secret")
	}
}

func TestUnreadableFileIsAFault(t *testing.T) {
	s := world(nil)
	s.ReadFile = func(name string) ([]byte, error) {
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrPermission}
	}
	_, err := Load(s)
	if err == nil || strings.Count(err.Error(), "cannot be read") != 2 {
		t.Errorf("error %v", err)
	}
}

func TestSystemSources(t *testing.T) {
	s, err := SystemSources()
	if err != nil {
		t.Skipf("no home folder here: %v", err)
	}
	if !filepath.IsAbs(s.Cwd) || !filepath.IsAbs(s.Home) {
		t.Errorf("cwd %q, home %q", s.Cwd, s.Home)
	}
}

func TestKeyLines(t *testing.T) {
	lines := keyLines("a = 1\n# b = 2\ns = '''\nc = 3\n'''\nd = \"\"\"x\"\"\"\n[t]\n\"e\" = 1\n[[u.v]]\nf = 1\n[[u.v]]\nf = 2\n")
	want := map[string]int{"a": 1, "s": 3, "d": 6, "t": 7, "t.e": 8, "u": 9, "u.v": 9, "u.v[0]": 9, "u.v[0].f": 10, "u.v[1]": 11, "u.v[1].f": 12}
	for name, line := range want {
		if lines[name] != line {
			t.Errorf("%s on line %d, want %d", name, lines[name], line)
		}
	}
	if lines["b"]+lines["c"] != 0 {
		t.Errorf("comment or text taken for a key: %v", lines)
	}
}

// The parser and what follows it stand whatever a file holds.
func FuzzWorkspaceFile(f *testing.F) {
	for _, seed := range []string{"", "mode = \"ask\"", "[[permission.deny]]\nkind=\"read\"\npattern=\"x\"", "mode = {a = 1}", "[permission]\ndeny = [1]", "\"\"\"", "a = '''\n", "mode = \"full-access\"\n[acp]\n"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, data string) {
		c, err := Load(world(map[string]string{"/w/.agent-ls.toml": data}))
		if c.Mode != "ask" && c.Mode != "read-only" {
			t.Errorf("mode %q", c.Mode)
		}
		if c.Model != "direct" || c.Allow != nil || c.Agents != nil || c.Web.AllowHosts != nil {
			t.Errorf("widened: %+v, error %v", c, err)
		}
	})
}
