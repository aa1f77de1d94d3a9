package agent

import (
	"encoding/json"
	"time"

	"github.com/agent-ls/agent-ls/presentation"
	"github.com/agent-ls/agent-ls/tools"
)

// Record is one entry of a session's event log: written before it is sent,
// and the same live and on replay.
type Record struct {
	Seq   int64
	Time  time.Time
	Event Event
}

// Event is one thing that happened in a session: one of the types below, and
// nothing else.
type Event interface{ event() }

// The events, in the order a turn makes them.
type (
	// TurnStarted opens a turn.
	TurnStarted struct {
		Turn string `json:"turn"`
	}
	// UserMessage is a prompt.
	UserMessage struct {
		MessageID string               `json:"messageId"`
		Blocks    []presentation.Block `json:"blocks"`
	}
	// AgentText and AgentThought are pieces of one message of the agent.
	AgentText struct {
		MessageID string `json:"messageId"`
		Text      string `json:"text"`
	}
	AgentThought struct {
		MessageID string `json:"messageId"`
		Text      string `json:"text"`
	}
	// AgentOpaque is a piece of a message that only the model's server
	// understands, e.g. a signed thought (Delta.Opaque).
	AgentOpaque struct {
		MessageID string             `json:"messageId"`
		Block     presentation.Block `json:"block"`
	}
	// AssistantCalls is the batch of calls that one assistant message made,
	// as the model wrote it; replay needs it, front ends do not.
	AssistantCalls struct {
		Calls []AssistantCall `json:"calls"`
	}
	// ToolCallStarted announces a call, always before anything else about it.
	// CallID is unique in the session, whatever id the model gave.
	ToolCallStarted struct {
		CallID    string                `json:"callId"`
		Name      string                `json:"name"`
		Arguments string                `json:"arguments"`
		MayAsk    bool                  `json:"mayAsk,omitempty"`
		View      presentation.CallView `json:"-"`
	}
	// ToolCallPlanned replaces the pending card by the planned one.
	ToolCallPlanned struct {
		CallID string                `json:"callId"`
		View   presentation.CallView `json:"-"`
	}
	// ToolCallRunning says that the tool runs now.
	ToolCallRunning struct {
		CallID string `json:"callId"`
	}
	// ToolCallOutput is what of a command's output is shown: at most 32 KiB
	// each and 20 a second (contract §6).
	ToolCallOutput struct {
		CallID string `json:"callId"`
		Text   string `json:"text"`
	}
	// ToolCallProgress replaces what a generic card shows meanwhile.
	ToolCallProgress struct {
		CallID  string               `json:"callId"`
		Content []presentation.Block `json:"content"`
	}
	// TerminalAttached says that a client's terminal shows the call.
	TerminalAttached struct {
		CallID     string `json:"callId"`
		TerminalID string `json:"terminalId"`
	}
	// ToolCallFinished settles a call.
	ToolCallFinished struct {
		CallID string                  `json:"callId"`
		Result tools.Result            `json:"result"`
		View   presentation.ResultView `json:"-"`
	}
	// PermissionAsked and PermissionDecided are the audit pair of an ask.
	PermissionAsked struct {
		CallID string `json:"callId"`
		Reason string `json:"reason,omitempty"`
	}
	PermissionDecided struct {
		CallID  string `json:"callId"`
		Outcome string `json:"outcome"` // tools.Approval, or an option kind
	}
	// PlanChanged replaces the plan.
	PlanChanged struct {
		Entries []presentation.PlanEntry `json:"entries"`
	}
	// ModeChanged, ModelChanged, TitleChanged say what the session has now.
	ModeChanged struct {
		Mode string `json:"mode"`
	}
	ModelChanged struct {
		Model string `json:"model"`
	}
	TitleChanged struct {
		Title string `json:"title"`
	}
	// UsageChanged says how full the model's context is, in tokens (Size 0:
	// unknown), and what the session has cost so far.
	UsageChanged struct {
		Used     int64   `json:"used"`
		Size     int64   `json:"size"`
		Cost     float64 `json:"cost,omitempty"`
		Currency string  `json:"currency,omitempty"`
	}
	// CompactionChanged is a step of replacing the conversation so far by
	// Summary, which is set when it is completed. With Prompt the prompt of the
	// running turn stays behind the summary.
	CompactionChanged struct {
		ID      string           `json:"id"`
		Status  CompactionStatus `json:"status"`
		Summary string           `json:"summary,omitempty"`
		Prompt  bool             `json:"prompt,omitempty"`
		Error   string           `json:"error,omitempty"`
	}
	// MetadataChanged is small state of tools (tools.Metadata).
	MetadataChanged struct {
		Key   string          `json:"key"`
		Value json.RawMessage `json:"value,omitempty"`
	}
	// ToolsChanged says that the list of tools (commands) is another one.
	ToolsChanged struct{}
	// SettingsChanged says that the driver's own settings are others; it is
	// shown, not logged.
	SettingsChanged struct{}
	// ContextAdded is text for the model's next request that nobody typed, e.g.
	// that a background task ended (tools.md §3.10.17).
	ContextAdded struct {
		Source string `json:"source"`
		Text   string `json:"text"`
	}
	// Notice tells the user something that is not the model's.
	Notice struct {
		Severity string `json:"severity"` // info, warning, error
		Title    string `json:"title"`
		Text     string `json:"text,omitempty"`
	}
	// TurnEnded closes a turn. Error is set, and Reason empty, when the driver
	// failed.
	TurnEnded struct {
		Turn   string     `json:"turn"`
		Reason StopReason `json:"reason,omitempty"`
		Error  string     `json:"error,omitempty"`
	}
)

// AssistantCall is one call as the model wrote it, and the id it got here.
type AssistantCall struct {
	CallID    string `json:"callId"`
	ModelID   string `json:"modelId,omitempty"`
	Name      string `json:"name"`
	Arguments string `json:"arguments"`
}

func (TurnStarted) event()       {}
func (UserMessage) event()       {}
func (AgentText) event()         {}
func (AgentThought) event()      {}
func (AgentOpaque) event()       {}
func (CompactionChanged) event() {}
func (AssistantCalls) event()    {}
func (ToolCallStarted) event()   {}
func (ToolCallPlanned) event()   {}
func (ToolCallRunning) event()   {}
func (ToolCallOutput) event()    {}
func (ToolCallProgress) event()  {}
func (TerminalAttached) event()  {}
func (ToolCallFinished) event()  {}
func (PermissionAsked) event()   {}
func (PermissionDecided) event() {}
func (PlanChanged) event()       {}
func (ModeChanged) event()       {}
func (ModelChanged) event()      {}
func (TitleChanged) event()      {}
func (UsageChanged) event()      {}
func (MetadataChanged) event()   {}
func (ToolsChanged) event()      {}
func (SettingsChanged) event()   {}
func (ContextAdded) event()      {}
func (Notice) event()            {}
func (TurnEnded) event()         {}

// StopReason says why a turn ended; the words are ACP's.
type StopReason string

// The stop reasons.
const (
	EndTurn         StopReason = "end_turn"
	MaxTokens       StopReason = "max_tokens"
	MaxTurnRequests StopReason = "max_turn_requests"
	Refusal         StopReason = "refusal"
	StopCancelled   StopReason = "cancelled"
)
