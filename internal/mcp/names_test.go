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
		"2fast": "2fast", "_x": "_x", "": "", "日本": "__",
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
	want := []string{"db", "db_2", "my_db", "my_db_2", "", "db_2_2", "db_3"}
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
		taken       func(string) bool
		prefix      string
		hashed      bool
	}{
		{"git", "log", taken(), "mcp__git__log", false},
		{"git", "a.b", taken(), "mcp__git__a_b", false},
		{"git", "a.b", taken("mcp__git__a_b"), "mcp__git__a_b_", true},
		{"git", long, taken(), "mcp__git__xxxx", true},
	} {
		got := toolName(tt.label, tt.tool, tt.taken)
		if !strings.HasPrefix(got, tt.prefix) || tt.hashed == (got == tt.prefix) || len(got) > maxName {
			t.Errorf("%s of %s is %q, want %q", tt.tool, tt.label, got, tt.prefix)
		}
	}
}

// FuzzToolName holds what the package promises of names.
func FuzzToolName(f *testing.F) {
	f.Add("git", "log")
	f.Add("", "日本\xff")
	f.Add(strings.Repeat("s", 100), strings.Repeat("t", 100))
	valid := regexp.MustCompile(`^[a-zA-Z][a-zA-Z0-9_-]{0,63}$`)
	f.Fuzz(func(t *testing.T, server, tool string) {
		label := labels([]ServerConfig{{Name: server}})[0]
		plain := toolName(label, tool, func(string) bool { return false })
		again := toolName(label, tool, func(n string) bool { return n == plain })
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
