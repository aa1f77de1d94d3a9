package tools

import (
	"encoding/json"

	"github.com/agent-ls/agent-ls/presentation"
)

// Result is what a call came to. All of it must survive JSON unchanged.
type Result struct {
	// Content goes to the model.
	Content []presentation.Block `json:"content,omitempty"`
	// Details is arbitrary JSON for logs and user interfaces (seed 001).
	Details json.RawMessage `json:"details,omitempty"`
	// Meta is the tool's own, given back to PresentResult (seed 002).
	Meta    json.RawMessage `json:"meta,omitempty"`
	IsError bool            `json:"isError,omitempty"`
	// Error is set for failures that code may want to route.
	Error *ErrorInfo `json:"error,omitempty"`
	Usage *Usage     `json:"usage,omitempty"`
	// AddedTools become visible to the model from its next request on.
	AddedTools []string `json:"addedToolNames,omitempty"`
	// Terminate asks to end the run, granted when a whole batch asks for it.
	Terminate bool `json:"terminate,omitempty"`
	// AdditionalContext is said to the model after all results of the step.
	AdditionalContext []HookContext `json:"additionalContext,omitempty"`
	// OutputRef names the stored full output (seed 000 output_ref).
	OutputRef string `json:"outputRef,omitempty"`
}

// ErrorInfo is the machine-readable side of a failure.
type ErrorInfo struct {
	Name string `json:"name"`
	Code string `json:"code,omitempty"`
}

// HookContext is text that a listener adds for the model's next request.
type HookContext struct {
	Source string `json:"source"`
	Text   string `json:"text"`
}

// Usage is what a call cost; it is never sent to the model.
type Usage struct {
	Input       int64   `json:"input,omitempty"`
	Output      int64   `json:"output,omitempty"`
	CacheRead   int64   `json:"cacheRead,omitempty"`
	CacheWrite  int64   `json:"cacheWrite,omitempty"`
	TotalTokens int64   `json:"totalTokens,omitempty"`
	Cost        float64 `json:"cost,omitempty"`
}

// TextResult is a result of one text block.
func TextResult(text string) Result {
	return Result{Content: []presentation.Block{presentation.Text(text)}}
}

// Error codes made by the pipeline itself.
const (
	CodeInvalidArgs  = "INVALID_ARGS"
	CodeUnknownTool  = "UNKNOWN_TOOL"
	CodeToolTimeout  = "TOOL_TIMEOUT"
	CodeDenied       = "PERMISSION_DENIED"
	CodeAborted      = "ABORTED"
	CodeNotRun       = "ABORTED_BEFORE_DISPATCH"
	CodeToolPanicked = "TOOL_PANICKED"
	CodeNotLossless  = "NOT_LOSSLESS"
)

// Error is a failure with a code for the model and for programs; tools return
// it (or any error with an ErrorCode method).
type Error struct {
	Name    string // e.g. ToolArgsError
	Code    string
	Message string
	Hint    string // what to do next
	Err     error
}

// Error returns message and hint.
func (e *Error) Error() string {
	if e.Hint == "" {
		return e.Message
	}
	return e.Message + ". " + e.Hint
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// ErrorCode returns Code.
func (e *Error) ErrorCode() string { return e.Code }
