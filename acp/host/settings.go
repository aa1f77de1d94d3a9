package host

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/agent-ls/agent-ls/acp"
	"github.com/agent-ls/agent-ls/agent"
)

// settingPrefix begins the ids of the agent's settings in the session, which has
// a mode and a model of its own.
const settingPrefix = "agent."

// modeSetting is the setting that stands for the modes of an agent that has no
// config options.
const modeSetting = "mode"

// settings are what the agent lets its user choose. Safe for concurrent use.
type settings struct {
	mu       sync.Mutex
	options  []acp.SessionConfigOption
	modes    *acp.SessionModeState // of an agent without options
	commands []agent.Command
}

// begin takes what a session of the agent begins with.
func (s *settings) begin(modes *acp.SessionModeState, options []acp.SessionConfigOption) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.options, s.modes = options, modes
	if len(options) > 0 {
		s.modes = nil // the older way of saying the same (acp.md §13)
	}
}

// update takes an update that is about settings or commands; false for another.
func (s *settings) update(session *agent.Session, u acp.SessionUpdate) bool {
	switch u := u.(type) {
	case acp.ConfigOptionUpdate:
		s.begin(nil, u.ConfigOptions)
	case acp.CurrentModeUpdate:
		if !s.setMode(u.CurrentModeID) {
			return true
		}
	case acp.AvailableCommandsUpdate:
		if s.setCommands(u.AvailableCommands) {
			session.CommandsChanged()
		}
		return true
	default:
		return false
	}
	session.SettingsChanged()
	return true
}

// setMode notes the mode of an agent without options; false when it is no news.
func (s *settings) setMode(id string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.modes == nil || s.modes.CurrentModeID == id {
		return false
	}
	modes := *s.modes
	modes.CurrentModeID = id
	s.modes = &modes
	return true
}

// setCommands notes the agent's commands; false when they are no news, which
// agents tell again and again.
func (s *settings) setCommands(list []acp.AvailableCommand) bool {
	var commands []agent.Command
	for _, c := range list {
		own := agent.Command{Name: c.Name, Description: c.Description}
		if c.Input != nil {
			own.Hint = c.Input.Hint
		}
		commands = append(commands, own)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if slices.Equal(commands, s.commands) {
		return false
	}
	s.commands = commands
	return true
}

// Commands are the agent's commands.
func (d *Driver) Commands() []agent.Command {
	d.settings.mu.Lock()
	defer d.settings.mu.Unlock()
	return d.settings.commands
}

// Settings are the agent's settings.
func (d *Driver) Settings() []agent.Setting {
	d.settings.mu.Lock()
	defer d.settings.mu.Unlock()
	var out []agent.Setting
	for _, o := range d.settings.options {
		out = append(out, setting(d.config.Name, o))
	}
	if m := d.settings.modes; m != nil {
		out = append(out, modes(d.config.Name, m))
	}
	return out
}

// setting is one option of the agent. The categories mode and model are the
// session's own.
func setting(name string, o acp.SessionConfigOption) agent.Setting {
	switch o := o.(type) {
	case acp.SessionConfigBoolean:
		return agent.Setting{
			ID: settingPrefix + o.ID, Name: name + ": " + o.Name, Description: o.Description, Category: category(o.Category),
			Switch: true, Value: strconv.FormatBool(o.CurrentValue),
		}
	case acp.SessionConfigSelect:
		s := agent.Setting{
			ID: settingPrefix + o.ID, Name: name + ": " + o.Name, Description: o.Description, Category: category(o.Category), Value: o.CurrentValue,
		}
		for _, v := range o.Options.Flat {
			s.Choices = append(s.Choices, agent.SettingChoice{Value: v.Value, Name: v.Name, Description: v.Description})
		}
		for _, g := range o.Options.Groups {
			for _, v := range g.Options {
				s.Choices = append(s.Choices, agent.SettingChoice{Value: v.Value, Name: v.Name, Description: v.Description, Group: orElse(g.Name, g.Group)})
			}
		}
		return s
	default:
		return agent.Setting{}
	}
}

func category(of string) string {
	if of == "mode" || of == "model" {
		return "_agent_" + of
	}
	return of
}

// modes are the modes of an agent without options.
func modes(name string, m *acp.SessionModeState) agent.Setting {
	s := agent.Setting{ID: settingPrefix + modeSetting, Name: name + ": Mode", Category: category("mode"), Value: m.CurrentModeID}
	for _, mode := range m.AvailableModes {
		s.Choices = append(s.Choices, agent.SettingChoice{Value: mode.ID, Name: mode.Name, Description: mode.Description})
	}
	return s
}

// Set changes a setting of the agent.
func (d *Driver) Set(ctx context.Context, id, value string) error {
	l, err := d.connect(ctx)
	if err != nil {
		return err
	}
	if err := l.set(ctx, strings.TrimPrefix(id, settingPrefix), value); err != nil {
		return err
	}
	d.session.SettingsChanged()
	return nil
}

// set changes a setting of the agent by the agent's own id.
func (l *link) set(ctx context.Context, id, value string) error {
	s := &l.d.settings
	s.mu.Lock()
	byMode, isSwitch := s.modes != nil && id == modeSetting, false
	for _, o := range s.options {
		if b, ok := o.(acp.SessionConfigBoolean); ok && b.ID == id {
			isSwitch = true
		}
	}
	s.mu.Unlock()
	l.mu.Lock()
	session := l.session
	l.mu.Unlock()
	if byMode {
		if err := l.call(ctx, acp.MethodSetMode, acp.SetSessionModeRequest{SessionID: session, ModeID: value}, nil); err != nil {
			return errors.New(wireMessage(err))
		}
		s.setMode(value)
		return nil
	}
	request := acp.SetSessionConfigOptionRequest{SessionID: session, ConfigID: id}
	request.Value, _ = acp.Encode(value) // a string
	if isSwitch {
		request.Type = "boolean"
		request.Value, _ = acp.Encode(value == "true")
	}
	var response acp.SetSessionConfigOptionResponse
	if err := l.call(ctx, acp.MethodSetConfigOption, request, &response); err != nil {
		return errors.New(wireMessage(err))
	}
	s.begin(nil, response.ConfigOptions)
	return nil
}

// presets puts the configured settings in force.
func (l *link) presets(ctx context.Context) error {
	wanted := l.d.config.Options
	for _, id := range slices.Sorted(maps.Keys(wanted)) {
		if err := l.set(ctx, id, wanted[id]); err != nil {
			return fmt.Errorf("options.%s in [acp.%s] cannot be %q: %w", id, l.d.config.Name, wanted[id], err)
		}
	}
	if len(wanted) > 0 {
		l.d.session.SettingsChanged()
	}
	return nil
}
