package agent

import (
	"context"
	"slices"
	"strconv"
	"strings"

	"go.lsp.dev/jsonrpc2"

	"github.com/agent-ls/agent-ls/acp"
	"github.com/agent-ls/agent-ls/agent"
	"github.com/agent-ls/agent-ls/tools/permission"
)

// The ids of the config options (acp.md §13); their categories are the same.
const (
	optionMode  = "mode"
	optionModel = "model"
)

// modes are the session's modes and the one that is on.
func modes(s *agent.Session) *acp.SessionModeState {
	state := &acp.SessionModeState{CurrentModeID: string(s.Mode())}
	for _, m := range permission.Modes() {
		state.AvailableModes = append(state.AvailableModes, acp.SessionMode{ID: string(m.ID), Name: m.Name, Description: m.Description})
	}
	return state
}

// configOptions are all settings of a session, in step with its modes.
func (s *Server) configOptions(session *agent.Session) []acp.SessionConfigOption {
	options := []acp.SessionConfigOption{modeOption(session), s.modelOption(session)}
	return append(options, driverOptions(session, s.capabilities())...)
}

func modeOption(s *agent.Session) acp.SessionConfigSelect {
	o := acp.SessionConfigSelect{
		ID: optionMode, Name: "Mode", Category: optionMode, CurrentValue: string(s.Mode()),
		Description: "What the agent may do without asking.",
	}
	for _, m := range permission.Modes() {
		o.Options.Flat = append(o.Options.Flat, acp.SessionConfigSelectOption{Value: string(m.ID), Name: m.Name, Description: m.Description})
	}
	return o
}

// modelOption offers the models; the one in use is always among them.
func (s *Server) modelOption(session *agent.Session) acp.SessionConfigSelect {
	current := session.Model()
	o := acp.SessionConfigSelect{
		ID: optionModel, Name: "Model", Category: optionModel, CurrentValue: current.ID,
		Description: "Who decides the tool calls.",
	}
	listed := false
	for _, m := range s.hub.Models() {
		listed = listed || m.ID == current.ID
		o.Options.Flat = append(o.Options.Flat, selectModel(m))
	}
	if !listed {
		o.Options.Flat = append([]acp.SessionConfigSelectOption{selectModel(current)}, o.Options.Flat...)
	}
	return o
}

func selectModel(m agent.ModelInfo) acp.SessionConfigSelectOption {
	return acp.SessionConfigSelectOption{Value: m.ID, Name: first(m.Name, m.ID), Description: m.Description}
}

func (s *Server) optionsUpdate(session *agent.Session) acp.ConfigOptionUpdate {
	return acp.ConfigOptionUpdate{ConfigOptions: s.configOptions(session)}
}

// setMode serves session/set_mode. The notifications come from the record that
// the change makes, before the answer.
func (s *Server) setMode(ctx context.Context, p acp.SetSessionModeRequest) (any, error) {
	b, err := s.bridge(p.SessionID)
	if err != nil {
		return nil, err
	}
	jsonrpc2.Async(ctx)
	if err := b.session.SetMode(permission.Mode(p.ModeID)); err != nil {
		return nil, acp.InvalidParams("modeId: %v", err)
	}
	return acp.Empty{}, nil
}

// setConfigOption serves session/set_config_option.
func (s *Server) setConfigOption(ctx context.Context, p acp.SetSessionConfigOptionRequest) (any, error) {
	b, err := s.bridge(p.SessionID)
	if err != nil {
		return nil, err
	}
	value, err := optionValue(b.session, p)
	if err != nil {
		return nil, err
	}
	jsonrpc2.Async(ctx)
	known := true
	switch p.ConfigID {
	case optionMode:
		err = b.session.SetMode(permission.Mode(value))
	case optionModel:
		err = b.session.SetModel(value)
	default:
		known, err = b.session.Set(ctx, p.ConfigID, value)
	}
	switch {
	case !known:
		return nil, acp.InvalidParams("configId: unknown option %q, expected one of %s", p.ConfigID, strings.Join(optionIDs(b.session), ", "))
	case err != nil:
		return nil, acp.InvalidParams("value of %s: %v", p.ConfigID, err)
	}
	return acp.SetSessionConfigOptionResponse{ConfigOptions: s.configOptions(b.session)}, nil
}

// optionValue is the new value of an option; that of a switch is "true" or
// "false".
func optionValue(s *agent.Session, p acp.SetSessionConfigOptionRequest) (string, error) {
	var value string
	if p.Type != "boolean" && acp.Decode(p.Value, &value) == nil {
		return value, nil
	}
	isSwitch := slices.ContainsFunc(s.Settings(), func(own agent.Setting) bool { return own.ID == p.ConfigID && own.Switch })
	var on bool
	switch {
	case !isSwitch:
		return "", acp.InvalidParams("value: expected a string")
	case acp.Decode(p.Value, &on) != nil:
		return "", acp.InvalidParams(`value: expected a boolean with the type "boolean", or the string "true" or "false"`)
	}
	return strconv.FormatBool(on), nil
}

// optionIDs are the ids of all options, for an error message.
func optionIDs(s *agent.Session) []string {
	ids := []string{optionMode, optionModel}
	for _, own := range s.Settings() {
		ids = append(ids, own.ID)
	}
	return ids
}

// driverOptions are the settings of what runs the session's turns, such as a
// hosted agent. A switch is a choice of two for clients without booleans.
func driverOptions(s *agent.Session, caps acp.ClientCapabilities) []acp.SessionConfigOption {
	var out []acp.SessionConfigOption
	booleans := caps.Session != nil && caps.Session.ConfigOptions != nil && caps.Session.ConfigOptions.Boolean != nil
	for _, own := range s.Settings() {
		if own.Switch && booleans {
			out = append(out, acp.SessionConfigBoolean{
				ID: own.ID, Name: own.Name, Description: own.Description, Category: own.Category, CurrentValue: own.Value == "true",
			})
			continue
		}
		if own.Switch {
			own.Choices = []agent.SettingChoice{{Value: "true", Name: "On"}, {Value: "false", Name: "Off"}}
		}
		out = append(out, acp.SessionConfigSelect{
			ID: own.ID, Name: own.Name, Description: own.Description, Category: own.Category,
			CurrentValue: own.Value, Options: selectOptions(own.Choices),
		})
	}
	return out
}

// selectOptions are the values of a choice, in groups where there are some.
func selectOptions(list []agent.SettingChoice) acp.SessionConfigSelectOptions {
	var out acp.SessionConfigSelectOptions
	for _, c := range list {
		o := acp.SessionConfigSelectOption{Value: c.Value, Name: first(c.Name, c.Value), Description: c.Description}
		last := len(out.Groups) - 1
		switch {
		case c.Group == "":
			out.Flat = append(out.Flat, o)
		case last >= 0 && out.Groups[last].Group == c.Group:
			out.Groups[last].Options = append(out.Groups[last].Options, o)
		default:
			out.Groups = append(out.Groups, acp.SessionConfigSelectGroup{
				Group: c.Group, Name: c.Group, Options: acp.List[acp.SessionConfigSelectOption]{o},
			})
		}
	}
	return out
}

// commands are what a prompt may begin with: the tools, where the prompt itself
// is the program (contract §2), else what the session's driver has.
func commands(s *agent.Session) acp.AvailableCommandsUpdate {
	var u acp.AvailableCommandsUpdate
	if !s.Model().Direct {
		for _, own := range s.Commands() {
			c := acp.AvailableCommand{Name: own.Name, Description: own.Description}
			if own.Hint != "" {
				c.Input = &acp.AvailableCommandInput{Hint: own.Hint}
			}
			u.AvailableCommands = append(u.AvailableCommands, c)
		}
		return u
	}
	for _, t := range s.Tools() {
		c := acp.AvailableCommand{Name: t.Name, Description: firstLine(t.Description)}
		if t.Parameters != nil && len(t.Parameters.Properties) > 0 {
			var names []string
			for _, p := range t.Parameters.Properties {
				names = append(names, p.Name)
			}
			c.Input = &acp.AvailableCommandInput{Hint: inputHint(names, t.Parameters.IsRequired)}
		}
		u.AvailableCommands = append(u.AvailableCommands, c)
	}
	return u
}

// inputHint names the parameters of a tool, the required ones first, the others
// in brackets.
func inputHint(names []string, required func(string) bool) string {
	var must, may []string
	for _, name := range names {
		if required(name) {
			must = append(must, name)
		} else {
			may = append(may, "["+name+"]")
		}
	}
	return strings.Join(append(must, may...), " ")
}

func firstLine(s string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(s), "\n")
	return line
}
