package conformance

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/agent-ls/agent-ls/acp"
)

var settingRows = []row{
	{"MODES-001", capability, func(t *testing.T) {
		m := open(t, options{}).made.Modes
		need(t, m != nil, "modes")
		if !slices.ContainsFunc(m.AvailableModes, func(x acp.SessionMode) bool { return x.ID == m.CurrentModeID }) {
			t.Errorf("the mode %s is none of %v", m.CurrentModeID, m.AvailableModes)
		}
	}},
	{"MODES-002", capability, func(t *testing.T) {
		s := open(t, options{})
		need(t, s.made.Modes != nil, "modes")
		other := s.made.Modes.AvailableModes[0].ID
		if other == s.made.Modes.CurrentModeID {
			other = s.made.Modes.AvailableModes[1].ID
		}
		s.setMode(other)
		s.untilScreen("the update of the mode", func(sc *screen) bool { return sc.mode == other })
	}},
	{"CONFIG-001", capability, func(t *testing.T) {
		options := open(t, options{}).made.ConfigOptions
		need(t, len(options) > 0, "configOptions")
		for _, o := range options {
			if v, ok := o.(acp.SessionConfigSelect); ok && !slices.Contains(valuesOf(v), v.CurrentValue) {
				t.Errorf("%s: the value %s is none of %v", v.ID, v.CurrentValue, valuesOf(v))
			}
		}
	}},
	{"CONFIG-002", capability, func(t *testing.T) {
		s := open(t, options{})
		need(t, len(s.made.ConfigOptions) > 0, "configOptions")
		mode := selectOf(s.made.ConfigOptions, "mode")
		value := valuesOf(mode)[0]
		if value == mode.CurrentValue {
			value = valuesOf(mode)[1]
		}
		got := s.setOption(mode.ID, value)
		if len(got) != len(s.made.ConfigOptions) || selectOf(got, "mode").CurrentValue != value {
			t.Errorf("answered %s", encode(got))
		}
	}},
	{"CONFIG-003", mandatory, func(t *testing.T) {
		for _, o := range open(t, options{}).made.ConfigOptions {
			if b, ok := o.(acp.SessionConfigBoolean); ok {
				t.Errorf("the boolean option %s was not offered by the client", b.ID)
			}
		}
	}},
}

// valuesOf are the values of a select, those of groups too.
func valuesOf(o acp.SessionConfigSelect) []string {
	flat := o.Options.Flat
	for _, g := range o.Options.Groups {
		flat = append(flat, g.Options...)
	}
	var values []string
	for _, v := range flat {
		values = append(values, v.Value)
	}
	return values
}

// selectOf is the option of a category, empty where there is none.
func selectOf(options []acp.SessionConfigOption, category string) acp.SessionConfigSelect {
	for _, o := range options {
		if v, ok := o.(acp.SessionConfigSelect); ok && v.Category == category {
			return v
		}
	}
	return acp.SessionConfigSelect{}
}

// setOption sets an option and returns all of them.
func (s *session) setOption(id, value string) []acp.SessionConfigOption {
	s.t.Helper()
	var r acp.SetSessionConfigOptionResponse
	s.call(acp.MethodSetConfigOption, params{"sessionId": s.id, "configId": id, "value": value}, &r)
	return r.ConfigOptions
}

// withAccounts runs a row with agents that have something to log in to: one with
// a key for its model, and one that hosts the first.
func withAccounts(t *testing.T, row func(t *testing.T, o options)) {
	key := options{args: []string{"--model", "anthropic:x"}, env: map[string]string{"ANTHROPIC_API_KEY": "k"}}
	table := fmt.Sprintf("[acp.inner]\ncommand = %q\nargs = [\"acp\", \"--model\", \"anthropic:x\"]\nenv = { ANTHROPIC_API_KEY = \"k\" }\n", program)
	file := filepath.Join(t.TempDir(), "config.toml")
	if err := os.WriteFile(file, []byte(table), 0o600); err != nil {
		t.Fatal(err)
	}
	hosted := options{args: []string{"--config", file, "--model", "acp:inner"}, permission: always(acp.RejectOnce)}
	t.Run("key", func(t *testing.T) { row(t, key) })
	t.Run("hosted", func(t *testing.T) { row(t, hosted) })
}

var loginRows = []row{
	{"AUTH-001", advisory, func(t *testing.T) {
		withAccounts(t, func(t *testing.T, o options) {
			seen := map[string]bool{}
			for _, m := range start(t, o).init.AuthMethods {
				if id := methodID(m); seen[id] {
					t.Errorf("the method %s is there twice", id)
				} else {
					seen[id] = true
				}
			}
		})
	}},
	{"AUTH-002", mandatory, func(t *testing.T) {
		withAccounts(t, func(t *testing.T, o options) {
			for _, m := range start(t, o).init.AuthMethods {
				if terminal, ok := m.(acp.AuthMethodTerminal); ok {
					t.Errorf("the terminal method %s was not offered by the client", terminal.ID)
				}
			}
		})
	}},
	{"AUTH-003", capability, func(t *testing.T) {
		withAccounts(t, func(t *testing.T, o options) {
			c := start(t, o)
			if len(c.init.AuthMethods) == 0 {
				t.Fatal("there is no way to log in")
			}
			c.call(acp.MethodAuthenticate, params{"methodId": methodID(c.init.AuthMethods[0])}, nil)
			c.newSession()
		})
	}},
	{"AUTH-004", capability, func(t *testing.T) {
		withAccounts(t, func(t *testing.T, o options) {
			c := start(t, o)
			if c.init.AgentCapabilities.Auth.Logout == nil {
				t.Fatal("logout is not offered")
			}
			c.call(acp.MethodLogout, params{}, nil)
			s := c.newSession()
			if err := c.refused(acp.MethodSessionPrompt, params{"sessionId": s.id, "prompt": []any{params{"type": "text", "text": "hello"}}}, -32000); !strings.Contains(err.Message, "logged out") {
				t.Errorf("after a logout a prompt is refused with %q", err.Message)
			}
		})
	}},
	{"AUTH-005", advisory, func(t *testing.T) {
		c := start(t, options{})
		if len(c.init.AuthMethods) > 0 {
			t.Errorf("there are ways to log in to nothing: %+v", c.init.AuthMethods)
		}
		c.newSession()
		c.refused(acp.MethodAuthenticate, params{"methodId": "x"}, -32601, -32602)
	}},
}

func methodID(m acp.AuthMethod) string {
	switch m := m.(type) {
	case acp.AuthMethodTerminal:
		return m.ID
	case acp.AuthMethodAgent:
		return m.ID
	}
	return ""
}
