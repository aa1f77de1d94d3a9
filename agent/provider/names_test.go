package provider

import (
	"regexp"
	"strings"
	"testing"

	"github.com/agent-ls/agent-ls/agent"
	"github.com/agent-ls/agent-ls/tools"
)

func TestNamesThereAndBack(t *testing.T) {
	valid := regexp.MustCompile(`^[a-zA-Z0-9_-]{1,64}$`)
	names := []string{
		"read", "mcp__server__tool", "a-b", "a.b", "a_b", "a/b", "", "文件", "ファイル", strings.Repeat("x", 64), strings.Repeat("x", 65), strings.Repeat("x", 200),
		strings.Repeat("é", 40),
	}
	var req agent.Request
	for _, name := range names {
		req.Tools = append(req.Tools, tools.ToolSchema{Name: name})
	}
	n := NewNames(req)
	seen := map[string]string{}
	for _, name := range names {
		wire := n.Wire(name)
		if !valid.MatchString(wire) {
			t.Errorf("%q becomes %q", name, wire)
		}
		if valid.MatchString(name) && wire != name {
			t.Errorf("%q needs no change, but becomes %q", name, wire)
		}
		if other, twice := seen[wire]; twice {
			t.Errorf("%q and %q both become %q", name, other, wire)
		}
		seen[wire] = name
		if got := n.Original(wire); got != name {
			t.Errorf("%q comes back as %q", name, got)
		}
	}
	if got := n.Original("made_up"); got != "made_up" {
		t.Errorf("an unknown name becomes %q", got)
	}
}

func TestArgumentsAreObjects(t *testing.T) {
	for raw, want := range map[string]string{
		"": "{}", " ": "{}", `{"a":1}`: `{"a":1}`, "[1]": `{"_raw":"[1]"}`, `"x"`: `{"_raw":"\"x\""}`, "{": `{"_raw":"{"}`,
	} {
		if got := string(Arguments(raw)); got != want {
			t.Errorf("%q becomes %s, want %s", raw, got, want)
		}
	}
}
