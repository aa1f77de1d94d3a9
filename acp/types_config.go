package acp

import "encoding/json"

// SetSessionConfigOptionRequest are the params of session/set_config_option.
// Value is a string, or a boolean with Type "boolean".
type SetSessionConfigOptionRequest struct {
	SessionID string          `json:"sessionId"`
	ConfigID  string          `json:"configId"`
	Type      string          `json:"type,omitempty"`
	Value     json.RawMessage `json:"value"`
	Meta      Meta            `json:"_meta,omitempty"`
}

// SetSessionConfigOptionResponse is the result of session/set_config_option:
// all options.
type SetSessionConfigOptionResponse struct {
	ConfigOptions List[SessionConfigOption] `json:"configOptions"`
	Meta          Meta                      `json:"_meta,omitempty"`
}

// SessionConfigOption is a setting of a session: SessionConfigSelect or
// SessionConfigBoolean.
type SessionConfigOption interface{ sessionConfigOption() }

// SessionConfigSelect is the option "select".
type SessionConfigSelect struct {
	ID           string                     `json:"id"`
	Name         string                     `json:"name"`
	Description  string                     `json:"description,omitempty"`
	Category     string                     `json:"category,omitempty"` // mode, model, …
	CurrentValue string                     `json:"currentValue"`
	Options      SessionConfigSelectOptions `json:"options"`
	Meta         Meta                       `json:"_meta,omitempty"`
}

// SessionConfigBoolean is the option "boolean"; clients must offer it.
type SessionConfigBoolean struct {
	ID           string `json:"id"`
	Name         string `json:"name"`
	Description  string `json:"description,omitempty"`
	Category     string `json:"category,omitempty"`
	CurrentValue bool   `json:"currentValue"`
	Meta         Meta   `json:"_meta,omitempty"`
}

func (SessionConfigSelect) sessionConfigOption()  {}
func (SessionConfigBoolean) sessionConfigOption() {}

// SessionConfigSelectOptions are the values of a select: a flat list, or
// groups when there are any.
type SessionConfigSelectOptions struct {
	Flat   []SessionConfigSelectOption
	Groups []SessionConfigSelectGroup
}

// SessionConfigSelectOption is one value of a select.
type SessionConfigSelectOption struct {
	Value       string `json:"value"`
	Name        string `json:"name"`
	Description string `json:"description,omitempty"`
	Meta        Meta   `json:"_meta,omitempty"`
}

// SessionConfigSelectGroup is a named group of values.
type SessionConfigSelectGroup struct {
	Group   string                          `json:"group"`
	Name    string                          `json:"name"`
	Options List[SessionConfigSelectOption] `json:"options"`
	Meta    Meta                            `json:"_meta,omitempty"`
}

// MarshalJSON writes the groups when there are any, else the flat list.
func (o SessionConfigSelectOptions) MarshalJSON() ([]byte, error) {
	switch {
	case len(o.Groups) > 0:
		return Encode(o.Groups)
	default:
		return Encode(List[SessionConfigSelectOption](o.Flat))
	}
}

// UnmarshalJSON reads either form, leniently.
func (o *SessionConfigSelectOptions) UnmarshalJSON(data []byte) error {
	*o = SessionConfigSelectOptions{}
	if err := Decode(data, &o.Groups); err != nil {
		return err
	}
	if len(o.Groups) > 0 {
		return nil
	}
	o.Groups = nil
	return Decode(data, &o.Flat)
}

// MarshalJSON adds the tag "select".
func (o SessionConfigSelect) MarshalJSON() ([]byte, error) {
	type fields SessionConfigSelect
	return Encode(struct {
		Type string `json:"type"`
		fields
	}{"select", fields(o)})
}

// MarshalJSON adds the tag "boolean".
func (o SessionConfigBoolean) MarshalJSON() ([]byte, error) {
	type fields SessionConfigBoolean
	return Encode(struct {
		Type string `json:"type"`
		fields
	}{"boolean", fields(o)})
}
