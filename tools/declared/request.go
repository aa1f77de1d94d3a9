package declared

import (
	"context"
	"encoding/json"
	"errors"
	"time"
)

// Request asks the declaring side to run one of its tools. Its JSON is the
// parameters of _agent-ls/tool_call (contract §4).
type Request struct {
	SessionID string `json:"sessionId"`
	// ToolRequestID is the id of the call's card, unique in the session.
	ToolRequestID string          `json:"toolRequestId"`
	Tool          string          `json:"tool"`
	Args          json.RawMessage `json:"args"`
	// TurnID is the running turn, "" outside of one.
	TurnID        string    `json:"turnId,omitempty"`
	TurnStartedAt time.Time `json:"turnStartedAt,omitzero"`
	EmittedAt     time.Time `json:"emittedAt,omitzero"`
	// TimeoutMs is how many milliseconds the answer is waited for.
	TimeoutMs int64 `json:"timeoutMs"`

	inline Handler
}

// Caller brings a request to the declaring side: the port that a transport
// implements, and Handlers does.
type Caller interface {
	// Call returns the JSON result of the tool, or why there is none: an
	// *Error is reported to the model as it is, any other error as
	// TOOL_HANDLER_ERROR. ErrDeferred says that the answer comes by Set.Submit.
	// The context ends when the answer is no longer waited for; Call should
	// return soon after, and whatever it returns then is dropped.
	Call(ctx context.Context, r Request) (json.RawMessage, error)
}

// ErrDeferred is what a Caller returns when the answer comes by Set.Submit.
var ErrDeferred = errors.New("the answer comes later")

// Response is the answer to a request: a result, or an error when Err is set.
type Response struct {
	Result json.RawMessage
	Err    *Error
}
