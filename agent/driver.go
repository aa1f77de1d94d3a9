package agent

import "context"

// Driver runs turns: the Loop over a Model, or a hosted agent. It makes the
// records of its turn through t, and returns when everything it started for
// the turn has ended. When ctx ends it stops as soon as it can; what it
// returns then does not matter. One driver runs one turn at a time, unless a
// cancelled turn was left behind: the next Run has to wait for the last one.
type Driver interface {
	Run(ctx context.Context, t *Turn) (StopReason, error)
}

// Configurable is what a Driver may also be: it has settings and commands of
// its own beside the session's mode and model (acp.md §13). Its methods are
// safe for concurrent use and, but for Set, do not wait. The driver says by
// Session.SettingsChanged and CommandsChanged when they answer something else.
type Configurable interface {
	Settings() []Setting
	// Set changes a setting and returns when it is in force. An unknown
	// setting or value is an error that says what there is.
	Set(ctx context.Context, id, value string) error
	// Commands are what a prompt may begin with.
	Commands() []Command
}

// Setting is one setting of a driver: a choice, or a switch with the values
// "true" and "false".
type Setting struct {
	ID, Name, Description string
	Category              string // as ACP has it, "" for none
	Value                 string
	Switch                bool
	Choices               []SettingChoice // of a choice
}

// SettingChoice is one value of a Setting; Group is a heading, "" for none.
type SettingChoice struct{ Value, Name, Description, Group string }

// Command is a word that a prompt may begin with, without its slash. Hint says
// what may follow, "" for nothing.
type Command struct{ Name, Description, Hint string }

// configurable returns the driver of now as a Configurable, nil for none.
func (s *Session) configurable() Configurable {
	c, _ := s.Driver().(Configurable)
	return c
}

// Driver returns what runs the session's turns, nil when it is closed.
func (s *Session) Driver() Driver {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.driver
}

// Settings are those of the session's driver, none for a model.
func (s *Session) Settings() []Setting {
	if c := s.configurable(); c != nil {
		return c.Settings()
	}
	return nil
}

// Set changes a setting of the session's driver; known is false when it has
// none of this id.
func (s *Session) Set(ctx context.Context, id, value string) (known bool, err error) {
	for _, have := range s.Settings() {
		if have.ID == id {
			return true, s.configurable().Set(ctx, id, value)
		}
	}
	return false, nil
}

// Commands are those of the session's driver, none for a model.
func (s *Session) Commands() []Command {
	if c := s.configurable(); c != nil {
		return c.Commands()
	}
	return nil
}

// SettingsChanged tells the front end that Settings answers something else.
func (s *Session) SettingsChanged() { s.emitNow(SettingsChanged{}, shown) }

// CommandsChanged tells the front end that Commands answers something else.
func (s *Session) CommandsChanged() { s.emitNow(ToolsChanged{}, shown) }
