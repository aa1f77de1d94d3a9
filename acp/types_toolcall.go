package acp

import "encoding/json"

// ToolKind picks the icon of a tool call.
type ToolKind string

// The kinds of tool calls (acp.md §8).
const (
	KindRead       ToolKind = "read"
	KindEdit       ToolKind = "edit"
	KindDelete     ToolKind = "delete"
	KindMove       ToolKind = "move"
	KindSearch     ToolKind = "search"
	KindExecute    ToolKind = "execute"
	KindThink      ToolKind = "think"
	KindFetch      ToolKind = "fetch"
	KindSwitchMode ToolKind = "switch_mode"
	KindOther      ToolKind = "other"
)

// ToolCallStatus is how far a tool call is.
type ToolCallStatus string

// The states of a tool call; pending is "arguments streaming, or asking".
const (
	StatusPending    ToolCallStatus = "pending"
	StatusInProgress ToolCallStatus = "in_progress"
	StatusCompleted  ToolCallStatus = "completed"
	StatusFailed     ToolCallStatus = "failed"
)

// ToolCall is the session update "tool_call": a card is announced.
type ToolCall struct {
	ToolCallID string             `json:"toolCallId"`
	Title      string             `json:"title"`
	Name       string             `json:"name,omitempty"`
	Kind       ToolKind           `json:"kind,omitempty"`
	Status     ToolCallStatus     `json:"status,omitempty"`
	Content    []ToolCallContent  `json:"content,omitempty"`
	Locations  []ToolCallLocation `json:"locations,omitempty"`
	RawInput   json.RawMessage    `json:"rawInput,omitempty"`
	RawOutput  json.RawMessage    `json:"rawOutput,omitempty"`
	Meta       Meta               `json:"_meta,omitempty"`
}

// ToolCallUpdate is the session update "tool_call_update": what is absent
// stays. Content and Locations replace the whole list; nil keeps it, an empty
// list clears it.
type ToolCallUpdate struct {
	ToolCallID string             `json:"toolCallId"`
	Kind       ToolKind           `json:"kind,omitempty"`
	Status     ToolCallStatus     `json:"status,omitempty"`
	Title      string             `json:"title,omitempty"`
	Name       string             `json:"name,omitempty"`
	Content    []ToolCallContent  `json:"content,omitzero"`
	Locations  []ToolCallLocation `json:"locations,omitzero"`
	RawInput   json.RawMessage    `json:"rawInput,omitempty"`
	RawOutput  json.RawMessage    `json:"rawOutput,omitempty"`
	Meta       Meta               `json:"_meta,omitempty"`
}

// ToolCallLocation is a place for the client to follow: an absolute path and a
// 1-based line, 0 when there is none.
type ToolCallLocation struct {
	Path string `json:"path"`
	Line uint32 `json:"line,omitempty"`
	Meta Meta   `json:"_meta,omitempty"`
}

// ToolCallContent is something that a card shows: Content, Diff or Terminal.
type ToolCallContent interface{ toolCallContent() }

// Content is the card content "content".
type Content struct {
	Content ContentBlock `json:"content"`
	Meta    Meta         `json:"_meta,omitempty"`
}

// Diff is the card content "diff": an absolute path and a changed region or
// file. OldText nil means that the file is new.
type Diff struct {
	Path    string  `json:"path"`
	OldText *string `json:"oldText,omitempty"`
	NewText string  `json:"newText"`
	Meta    Meta    `json:"_meta,omitempty"`
}

// Terminal is the card content "terminal".
type Terminal struct {
	TerminalID string `json:"terminalId"`
	Meta       Meta   `json:"_meta,omitempty"`
}

func (Content) toolCallContent()  {}
func (Diff) toolCallContent()     {}
func (Terminal) toolCallContent() {}

// MarshalJSON adds the tag "content".
func (c Content) MarshalJSON() ([]byte, error) {
	type fields Content
	return Encode(struct {
		Type string `json:"type"`
		fields
	}{"content", fields(c)})
}

// MarshalJSON adds the tag "diff".
func (c Diff) MarshalJSON() ([]byte, error) {
	type fields Diff
	return Encode(struct {
		Type string `json:"type"`
		fields
	}{"diff", fields(c)})
}

// MarshalJSON adds the tag "terminal".
func (c Terminal) MarshalJSON() ([]byte, error) {
	type fields Terminal
	return Encode(struct {
		Type string `json:"type"`
		fields
	}{"terminal", fields(c)})
}
