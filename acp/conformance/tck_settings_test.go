package conformance

import (
	"slices"
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

var loginRows = []row{
	{"AUTH-001", advisory, func(t *testing.T) {
		seen := map[string]bool{}
		for _, m := range start(t, options{}).init.AuthMethods {
			if id := methodID(m); seen[id] {
				t.Errorf("the method %s is there twice", id)
			} else {
				seen[id] = true
			}
		}
	}},
	{"AUTH-002", mandatory, func(t *testing.T) {
		for _, m := range start(t, options{}).init.AuthMethods {
			if terminal, ok := m.(acp.AuthMethodTerminal); ok {
				t.Errorf("the terminal method %s was not offered by the client", terminal.ID)
			}
		}
	}},
	{"AUTH-003", capability, func(t *testing.T) {
		c := start(t, options{})
		need(t, len(c.init.AuthMethods) > 0, "a way to log in")
		c.call(acp.MethodAuthenticate, params{"methodId": methodID(c.init.AuthMethods[0])}, nil)
		c.newSession()
	}},
	{"AUTH-004", capability, func(t *testing.T) {
		c := start(t, options{})
		need(t, c.init.AgentCapabilities.Auth.Logout != nil, "logout")
		c.call(acp.MethodLogout, params{}, nil)
	}},
	{"AUTH-005", advisory, func(t *testing.T) {
		c := start(t, options{})
		if len(c.init.AuthMethods) == 0 {
			c.newSession()
			c.refused(acp.MethodAuthenticate, params{"methodId": "x"}, -32601, -32602)
		}
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
