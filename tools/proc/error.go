package proc

// Error codes of commands and background tasks (tools.md §1.16.4).
const (
	CodeBadCommand   = "BAD_COMMAND"
	CodeBadFolder    = "BAD_WORKDIR"
	CodeSpawnFailed  = "SPAWN_FAILED"
	CodeShuttingDown = "SHUTTING_DOWN"
	CodeInvalidTask  = "INVALID_TASK_ID"
	CodeTaskNotFound = "TASK_NOT_FOUND"
	CodeTaskForeign  = "TASK_OWNED_BY_OTHER_SESSION"
	CodeTooManyTasks = "TOO_MANY_TASKS"
	// CodeSandboxUnavailable: the command was to be confined, and cannot be.
	CodeSandboxUnavailable = "SANDBOX_UNAVAILABLE"
)

// Error is a command that could not be run or a task that could not be
// reached: for the model a code, a message and what to do next.
type Error struct {
	Code    string
	Message string
	Hint    string
	Err     error
}

// Error returns message and hint on one line.
func (e *Error) Error() string {
	if e.Hint == "" {
		return e.Message
	}
	return e.Message + ". " + e.Hint
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// ErrorCode returns the code; the pipeline puts it into the result.
func (e *Error) ErrorCode() string { return e.Code }

func errShuttingDown() error {
	return &Error{Code: CodeShuttingDown, Message: "no command can start: the server is shutting down", Hint: "Start it in a new session"}
}
