package acp

// The methods of version 1 that this package has types for (acp.md §2).
const (
	MethodInitialize        = "initialize"
	MethodAuthenticate      = "authenticate"
	MethodLogout            = "logout"
	MethodSessionNew        = "session/new"
	MethodSessionLoad       = "session/load"
	MethodSessionResume     = "session/resume"
	MethodSessionFork       = "session/fork" // not in the stable schema
	MethodSessionList       = "session/list"
	MethodSessionClose      = "session/close"
	MethodSessionDelete     = "session/delete"
	MethodSessionPrompt     = "session/prompt"
	MethodSessionCancel     = "session/cancel"
	MethodSetMode           = "session/set_mode"
	MethodSetConfigOption   = "session/set_config_option"
	MethodCancelRequest     = "$/cancel_request"
	MethodSessionUpdate     = "session/update"
	MethodRequestPermission = "session/request_permission"
	MethodReadTextFile      = "fs/read_text_file"
	MethodWriteTextFile     = "fs/write_text_file"
	MethodTerminalCreate    = "terminal/create"
	MethodTerminalOutput    = "terminal/output"
	MethodTerminalWait      = "terminal/wait_for_exit"
	MethodTerminalKill      = "terminal/kill"
	MethodTerminalRelease   = "terminal/release"

	MethodElicitationCreate   = "elicitation/create"
	MethodElicitationComplete = "elicitation/complete"
)

// NewSessionRequest are the params of session/new.
type NewSessionRequest struct {
	Cwd                   string          `json:"cwd"`
	AdditionalDirectories []string        `json:"additionalDirectories,omitempty"`
	McpServers            List[McpServer] `json:"mcpServers" acp:"lenient"`
	Meta                  Meta            `json:"_meta,omitempty"`
}

// NewSessionResponse is the result of session/new.
type NewSessionResponse struct {
	SessionID     string                `json:"sessionId"`
	Modes         *SessionModeState     `json:"modes,omitempty"`
	ConfigOptions []SessionConfigOption `json:"configOptions,omitempty"`
	Meta          Meta                  `json:"_meta,omitempty"`
}

// LoadSessionRequest are the params of session/load.
type LoadSessionRequest struct {
	McpServers            List[McpServer] `json:"mcpServers" acp:"lenient"`
	Cwd                   string          `json:"cwd"`
	AdditionalDirectories []string        `json:"additionalDirectories,omitempty"`
	SessionID             string          `json:"sessionId"`
	Meta                  Meta            `json:"_meta,omitempty"`
}

// LoadSessionResponse is the result of session/load and session/resume.
type LoadSessionResponse struct {
	Modes         *SessionModeState     `json:"modes,omitempty"`
	ConfigOptions []SessionConfigOption `json:"configOptions,omitempty"`
	Meta          Meta                  `json:"_meta,omitempty"`
}

// ResumeSessionRequest are the params of session/resume.
type ResumeSessionRequest struct {
	SessionID             string      `json:"sessionId"`
	Cwd                   string      `json:"cwd"`
	AdditionalDirectories []string    `json:"additionalDirectories,omitempty"`
	McpServers            []McpServer `json:"mcpServers,omitempty"`
	Meta                  Meta        `json:"_meta,omitempty"`
}

// ListSessionsRequest are the params of session/list.
type ListSessionsRequest struct {
	Cwd    string `json:"cwd,omitempty"`
	Cursor string `json:"cursor,omitempty"`
	Meta   Meta   `json:"_meta,omitempty"`
}

// ListSessionsResponse is the result of session/list.
type ListSessionsResponse struct {
	Sessions   List[SessionInfo] `json:"sessions"`
	NextCursor string            `json:"nextCursor,omitempty"`
	Meta       Meta              `json:"_meta,omitempty"`
}

// SessionInfo is one entry of a list of sessions.
type SessionInfo struct {
	SessionID             string   `json:"sessionId"`
	Cwd                   string   `json:"cwd"`
	AdditionalDirectories []string `json:"additionalDirectories,omitempty"`
	Title                 string   `json:"title,omitempty"`
	UpdatedAt             string   `json:"updatedAt,omitempty"` // ISO 8601
	Meta                  Meta     `json:"_meta,omitempty"`
}

// SessionRequest are the params of session/close, session/delete and
// session/cancel.
type SessionRequest struct {
	SessionID string `json:"sessionId"`
	Meta      Meta   `json:"_meta,omitempty"`
}

// PromptRequest are the params of session/prompt.
type PromptRequest struct {
	SessionID string             `json:"sessionId"`
	Prompt    List[ContentBlock] `json:"prompt" acp:"whole"`
	Meta      Meta               `json:"_meta,omitempty"`
}

// StopReason says why a turn ended.
type StopReason string

// The stop reasons (acp.md §5).
const (
	StopEndTurn         StopReason = "end_turn"
	StopMaxTokens       StopReason = "max_tokens"
	StopMaxTurnRequests StopReason = "max_turn_requests"
	StopRefusal         StopReason = "refusal"
	StopCancelled       StopReason = "cancelled"
)

// PromptResponse is the result of session/prompt.
type PromptResponse struct {
	StopReason StopReason `json:"stopReason"`
	Meta       Meta       `json:"_meta,omitempty"`
}

// SetSessionModeRequest are the params of session/set_mode.
type SetSessionModeRequest struct {
	SessionID string `json:"sessionId"`
	ModeID    string `json:"modeId"`
	Meta      Meta   `json:"_meta,omitempty"`
}

// Empty is the result of methods that have nothing to say.
type Empty struct {
	Meta Meta `json:"_meta,omitempty"`
}

// SessionModeState lists the modes and says which one is on.
type SessionModeState struct {
	CurrentModeID  string            `json:"currentModeId"`
	AvailableModes List[SessionMode] `json:"availableModes"`
	Meta           Meta              `json:"_meta,omitempty"`
}

// SessionMode is one mode.
type SessionMode struct {
	ID          string `json:"id"`
	Name        string `json:"name"`
	Description string `json:"description,omitempty"`
	Meta        Meta   `json:"_meta,omitempty"`
}

// CancelRequestNotification are the params of $/cancel_request. RequestID is
// the very id of the request, nil for null.
type CancelRequestNotification struct {
	RequestID RequestID `json:"requestId" acp:"lenient"`
	Meta      Meta      `json:"_meta,omitempty"`
}
