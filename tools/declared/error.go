package declared

import "encoding/json"

// The codes of seed 003's errors.
const (
	CodeInvalidInput    = "INVALID_INPUT"
	CodeArgsInvalid     = "TOOL_ARGS_INVALID"
	CodeToolTimeout     = "TOOL_TIMEOUT"
	CodeHandlerNotFound = "TOOL_HANDLER_NOT_FOUND"
	CodeHandlerError    = "TOOL_HANDLER_ERROR"
	CodeRequestExists   = "PENDING_TOOL_REQUEST_EXISTS"
	CodeRequestNotFound = "PENDING_TOOL_REQUEST_NOT_FOUND"
	CodeSessionEnded    = "SESSION_ENDED"
	CodeMessageTooLarge = "MESSAGE_TOO_LARGE"
)

// Error is an error as it travels: what a handler reports about its call, and
// what this package says to the one who declares or answers.
type Error struct {
	Code    string `json:"code"`
	Message string `json:"message"`
	// Details is any JSON, nil for none.
	Details json.RawMessage `json:"details,omitempty"`
}

// Error returns Message.
func (e *Error) Error() string { return e.Message }

// ErrorCode returns Code.
func (e *Error) ErrorCode() string { return e.Code }

// newError returns an error whose details are v.
func newError(code, message string, v any) *Error {
	details, err := json.Marshal(v)
	if err != nil {
		details = nil
	}
	return &Error{Code: code, Message: message, Details: details}
}
