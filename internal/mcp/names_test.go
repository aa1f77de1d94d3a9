package mcp

import (
	"regexp"
	"slices"
	"strings"
	"testing"
)

func TestClean(t *testing.T) {
	for name, want := range map[string]string{
		"echo": "echo", "get-issue_2": "get-issue_2", "a.b": "a_b", "a b/c": "a_b_c", "größe": "gr__e",
		"2fast": "mcp_2fast", "_x": "mcp__x", "-x": "mcp_-x", "": "mcp_", "日本": "mcp___",
	} {
		if got := clean(name); got != want {
			t.Errorf("clean(%q) = %q, want %q", name, got, want)
		}
	}
}

func TestLabels(t *testing.T) {
	var servers []ServerConfig
	for _, name := range []string{"db", "db", "my db", "my.db", "", "db_2", "db"} {
		servers = append(servers, ServerConfig{Name: name})
	}
	want := []string{"db", "db_2", "my_db", "my_db_2", "mcp_", "db_2_2", "db_3"}
	if got := labels(servers); !slices.Equal(got, want) {
		t.Errorf("labels %q, want %q", got, want)
	}
}

func TestToolName(t *testing.T) {
	long := strings.Repeat("x", 70)
	taken := func(names ...string) func(string) bool {
		return func(n string) bool { return slices.Contains(names, n) }
	}
	for _, tt := range []struct {
		label, tool string
		alone       bool
		taken       func(string) bool
		want        string
	}{
		{"git", "log", true, taken(), "log"},
		{"git", "log", true, taken("log"), "git_log"},
		{"git", "log", false, taken(), "git_log"},
		{"git", "git_log", false, taken(), "git_log"},
		{"git", "git_log", true, taken("git_log"), "git_log_6e969002"},
		{"git", "a.b", true, taken("a_b", "git_a_b"), "git_a_b_7e516e15"},
		{"git", long, true, taken(), long[:55] + "_70c8ea84"},
	} {
		got := toolName(tt.label, tt.tool, tt.alone, tt.taken)
		if got != tt.want {
			t.Errorf("%s of %s is %q, want %q", tt.tool, tt.label, got, tt.want)
		}
	}
}

// FuzzToolName holds what the package promises of names.
func FuzzToolName(f *testing.F) {
	f.Add("git", "log", false)
	f.Add("", "日本\xff", true)
	f.Add(strings.Repeat("s", 100), strings.Repeat("t", 100), false)
	valid := regexp.MustCompile(`^[a-zA-Z][a-zA-Z0-9_-]{0,63}$`)
	f.Fuzz(func(t *testing.T, server, tool string, alone bool) {
		label := labels([]ServerConfig{{Name: server}})[0]
		plain := toolName(label, tool, alone, func(string) bool { return false })
		again := toolName(label, tool, alone, func(n string) bool { return n == plain })
		if !valid.MatchString(plain) || !valid.MatchString(again) || plain == again {
			t.Errorf("%q of %q is %q, and %q when that is taken", tool, server, plain, again)
		}
	})
}

func TestEnvironment(t *testing.T) {
	got := environment(
		[]string{"PATH=/bin", "HOME=/h", "LC_TIME=C", "XDG_TOKEN=no", "FOO=no", "API_KEY=no", "EDITOR=vi", "ProgramFiles=x"},
		[]string{"API_KEY=given", "HOME=/other"},
	)
	for _, want := range []string{"PATH=/bin", "HOME=/other", "LC_TIME=C", "API_KEY=given", "EDITOR=false", "ProgramFiles=x"} {
		if !slices.Contains(got, want) {
			t.Errorf("%q is missing in %q", want, got)
		}
	}
	for _, bad := range []string{"XDG_TOKEN=no", "FOO=no", "API_KEY=no", "HOME=/h", "EDITOR=vi"} {
		if slices.Contains(got, bad) {
			t.Errorf("%q is in %q", bad, got)
		}
	}
}
