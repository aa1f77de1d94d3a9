package acp

// SessionNotification are the params of session/update.
type SessionNotification struct {
	SessionID string        `json:"sessionId"`
	Update    SessionUpdate `json:"update"`
	Meta      Meta          `json:"_meta,omitempty"`
}

// SessionUpdate is one thing to show (acp.md §6): a chunk, ToolCall,
// ToolCallUpdate, Plan, AvailableCommandsUpdate, CurrentModeUpdate,
// ConfigOptionUpdate, SessionInfoUpdate, UsageUpdate, Notice, CompactionUpdate
// or CompactionSummaryChunk.
type SessionUpdate interface{ sessionUpdate() }

// ContentChunk is a piece of a message; pieces with one MessageID belong
// together.
type ContentChunk struct {
	Content   ContentBlock `json:"content"`
	MessageID string       `json:"messageId,omitempty"`
	Meta      Meta         `json:"_meta,omitempty"`
}

// UserMessageChunk is the session update "user_message_chunk".
type UserMessageChunk struct{ ContentChunk }

// AgentMessageChunk is the session update "agent_message_chunk".
type AgentMessageChunk struct{ ContentChunk }

// AgentThoughtChunk is the session update "agent_thought_chunk".
type AgentThoughtChunk struct{ ContentChunk }

// Plan is the session update "plan"; it replaces the plan.
type Plan struct {
	Entries List[PlanEntry] `json:"entries"`
	Meta    Meta            `json:"_meta,omitempty"`
}

// PlanEntry is one line of a plan.
type PlanEntry struct {
	Content  string `json:"content"`
	Priority string `json:"priority"` // high, medium, low
	Status   string `json:"status"`   // pending, in_progress, completed
	Meta     Meta   `json:"_meta,omitempty"`
}

// AvailableCommandsUpdate is the session update "available_commands_update";
// it replaces the list.
type AvailableCommandsUpdate struct {
	AvailableCommands List[AvailableCommand] `json:"availableCommands"`
	Meta              Meta                   `json:"_meta,omitempty"`
}

// AvailableCommand is a command that a prompt may begin with, without its
// slash.
type AvailableCommand struct {
	Name        string                 `json:"name"`
	Description string                 `json:"description"`
	Input       *AvailableCommandInput `json:"input,omitempty"`
	Meta        Meta                   `json:"_meta,omitempty"`
}

// AvailableCommandInput says what may follow a command.
type AvailableCommandInput struct {
	Hint string `json:"hint"`
	Meta Meta   `json:"_meta,omitempty"`
}

// CurrentModeUpdate is the session update "current_mode_update".
type CurrentModeUpdate struct {
	CurrentModeID string `json:"currentModeId"`
	Meta          Meta   `json:"_meta,omitempty"`
}

// ConfigOptionUpdate is the session update "config_option_update"; it holds
// all options.
type ConfigOptionUpdate struct {
	ConfigOptions List[SessionConfigOption] `json:"configOptions"`
	Meta          Meta                      `json:"_meta,omitempty"`
}

// SessionInfoUpdate is the session update "session_info_update"; what is nil
// stays.
type SessionInfoUpdate struct {
	Title     *string `json:"title,omitempty"`
	UpdatedAt *string `json:"updatedAt,omitempty"` // ISO 8601
	Meta      Meta    `json:"_meta,omitempty"`
}

// UsageUpdate is the session update "usage_update": tokens in the current
// context and how many fit.
type UsageUpdate struct {
	Used uint64 `json:"used"`
	Size uint64 `json:"size"`
	Cost *Cost  `json:"cost,omitempty"`
	Meta Meta   `json:"_meta,omitempty"`
}

// Cost is money; Currency is ISO 4217.
type Cost struct {
	Amount   float64 `json:"amount"`
	Currency string  `json:"currency"`
	Meta     Meta    `json:"_meta,omitempty"`
}

// Notice is the session update "notice".
type Notice struct {
	Severity    string `json:"severity"` // info, warning, error
	Title       string `json:"title"`
	Description string `json:"description,omitempty"`
	Meta        Meta   `json:"_meta,omitempty"`
}

// CompactionUpdate is the session update "compaction_update".
type CompactionUpdate struct {
	CompactionID string         `json:"compactionId"`
	Status       string         `json:"status"` // in_progress, completed, failed, cancelled
	Summary      []ContentBlock `json:"summary,omitempty"`
	Error        string         `json:"error,omitempty"`
	Meta         Meta           `json:"_meta,omitempty"`
}

// CompactionSummaryChunk is the session update "compaction_summary_chunk".
type CompactionSummaryChunk struct {
	CompactionID string       `json:"compactionId"`
	Content      ContentBlock `json:"content"`
	Meta         Meta         `json:"_meta,omitempty"`
}

func (UserMessageChunk) sessionUpdate()        {}
func (AgentMessageChunk) sessionUpdate()       {}
func (AgentThoughtChunk) sessionUpdate()       {}
func (ToolCall) sessionUpdate()                {}
func (ToolCallUpdate) sessionUpdate()          {}
func (Plan) sessionUpdate()                    {}
func (AvailableCommandsUpdate) sessionUpdate() {}
func (CurrentModeUpdate) sessionUpdate()       {}
func (ConfigOptionUpdate) sessionUpdate()      {}
func (SessionInfoUpdate) sessionUpdate()       {}
func (UsageUpdate) sessionUpdate()             {}
func (Notice) sessionUpdate()                  {}
func (CompactionUpdate) sessionUpdate()        {}
func (CompactionSummaryChunk) sessionUpdate()  {}
