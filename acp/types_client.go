package acp

import "encoding/json"

// RequestID is an id as it is on the wire: a string, a number or null.
type RequestID = json.RawMessage

// RequestPermissionRequest are the params of session/request_permission.
type RequestPermissionRequest struct {
	SessionID string                 `json:"sessionId"`
	ToolCall  PermissionToolCall     `json:"toolCall"`
	Options   List[PermissionOption] `json:"options"`
	Meta      Meta                   `json:"_meta,omitempty"`
}

// PermissionToolCall is the card that is asked about: a ToolCallUpdate without
// the tag that session updates have.
type PermissionToolCall ToolCallUpdate

// PermissionOptionKind is what an option does.
type PermissionOptionKind string

// The kinds of permission options; clients reject others (acp.md §9).
const (
	AllowOnce    PermissionOptionKind = "allow_once"
	AllowAlways  PermissionOptionKind = "allow_always"
	RejectOnce   PermissionOptionKind = "reject_once"
	RejectAlways PermissionOptionKind = "reject_always"
)

// PermissionOption is one answer to choose.
type PermissionOption struct {
	OptionID string               `json:"optionId"`
	Name     string               `json:"name"`
	Kind     PermissionOptionKind `json:"kind"`
	Meta     Meta                 `json:"_meta,omitempty"`
}

// RequestPermissionResponse is the result of session/request_permission.
type RequestPermissionResponse struct {
	Outcome RequestPermissionOutcome `json:"outcome"`
	Meta    Meta                     `json:"_meta,omitempty"`
}

// RequestPermissionOutcome is what the user did: SelectedPermissionOutcome or
// CancelledPermissionOutcome.
type RequestPermissionOutcome interface{ permissionOutcome() }

// SelectedPermissionOutcome is the outcome "selected".
type SelectedPermissionOutcome struct {
	OptionID string `json:"optionId"`
	Meta     Meta   `json:"_meta,omitempty"`
}

// CancelledPermissionOutcome is the outcome "cancelled": the turn is being
// cancelled.
type CancelledPermissionOutcome struct{}

func (SelectedPermissionOutcome) permissionOutcome()  {}
func (CancelledPermissionOutcome) permissionOutcome() {}

// MarshalJSON adds the tag "selected".
func (o SelectedPermissionOutcome) MarshalJSON() ([]byte, error) {
	type fields SelectedPermissionOutcome
	return Encode(struct {
		Outcome string `json:"outcome"`
		fields
	}{"selected", fields(o)})
}

// MarshalJSON writes the tag "cancelled".
func (CancelledPermissionOutcome) MarshalJSON() ([]byte, error) {
	return Encode(map[string]string{"outcome": "cancelled"})
}

// ReadTextFileRequest are the params of fs/read_text_file. Line is 1-based;
// Line and Limit 0 are absent.
type ReadTextFileRequest struct {
	SessionID string `json:"sessionId"`
	Path      string `json:"path"`
	Line      uint32 `json:"line,omitempty"`
	Limit     uint32 `json:"limit,omitempty"`
	Meta      Meta   `json:"_meta,omitempty"`
}

// ReadTextFileResponse is the result of fs/read_text_file.
type ReadTextFileResponse struct {
	Content string `json:"content"`
	Meta    Meta   `json:"_meta,omitempty"`
}

// WriteTextFileRequest are the params of fs/write_text_file.
type WriteTextFileRequest struct {
	SessionID string `json:"sessionId"`
	Path      string `json:"path"`
	Content   string `json:"content"`
	Meta      Meta   `json:"_meta,omitempty"`
}

// CreateTerminalRequest are the params of terminal/create.
type CreateTerminalRequest struct {
	SessionID       string        `json:"sessionId"`
	Command         string        `json:"command"`
	Args            []string      `json:"args,omitempty"`
	Env             []EnvVariable `json:"env,omitempty"`
	Cwd             string        `json:"cwd,omitempty"`
	OutputByteLimit uint64        `json:"outputByteLimit,omitempty"`
	Meta            Meta          `json:"_meta,omitempty"`
}

// CreateTerminalResponse is the result of terminal/create.
type CreateTerminalResponse struct {
	TerminalID string `json:"terminalId"`
	Meta       Meta   `json:"_meta,omitempty"`
}

// TerminalRequest are the params of the other terminal methods.
type TerminalRequest struct {
	SessionID  string `json:"sessionId"`
	TerminalID string `json:"terminalId"`
	Meta       Meta   `json:"_meta,omitempty"`
}

// TerminalOutputResponse is the result of terminal/output.
type TerminalOutputResponse struct {
	Output     string              `json:"output"`
	Truncated  bool                `json:"truncated" acp:"lenient"`
	ExitStatus *TerminalExitStatus `json:"exitStatus,omitempty"`
	Meta       Meta                `json:"_meta,omitempty"`
}

// TerminalExitStatus is how a terminal's command ended, and the result of
// terminal/wait_for_exit. A nil code with a signal is no success.
type TerminalExitStatus struct {
	ExitCode *uint32 `json:"exitCode,omitempty"`
	Signal   string  `json:"signal,omitempty"`
	Meta     Meta    `json:"_meta,omitempty"`
}
