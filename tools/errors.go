package tools

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"reflect"
	"runtime/debug"
	"strings"

	"github.com/agent-ls/agent-ls/presentation"
)

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
	// CodeOutputLimit marks calls of a message that the model's output limit
	// cut off (tools.md §2.3.8).
	CodeOutputLimit = "OUTPUT_LIMIT"
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

// ErrorName returns Name.
func (e *Error) ErrorName() string { return e.Name }

// coded is what an error needs to be routable by programs (tools.md §3.4.9).
type coded interface {
	error
	ErrorCode() string
}

// errorPrefix begins the text of every failed call (tools.md §5 row 1).
const errorPrefix = "Error: "

// unprintable stands for an error whose own methods fail.
const unprintable = "<unprintable thrown value>"

// discreet is err without what a dry run found: its code alone, and none of it
// as a cause.
func discreet(err error) error {
	e := &Error{
		Message: "the change cannot be made as asked; why is not told before the user has allowed reading",
		Hint:    "Read what it touches first, which asks the user, or go on without it",
	}
	if info := errorInfo(err); info != nil {
		e.Name, e.Code = info.Name, info.Code
	}
	return e
}

// abortedText is what a call says that was cancelled and has nothing better.
const abortedText = "Operation aborted"

// errorResult is the result of a failed call with the given text.
func errorResult(info *ErrorInfo, text string) Result {
	return Result{
		Content: []presentation.Block{presentation.Text(errorPrefix + strings.ToValidUTF8(text, "\uFFFD"))},
		IsError: true,
		Error:   info,
	}
}

// failure is the result of a call that failed with err. A failure while ctx
// is over counts as an abort, unless the error has a code of its own.
func failure(ctx context.Context, err error) Result {
	info := errorInfo(err)
	if info != nil || ctx.Err() == nil {
		return errorResult(info, errorText(err))
	}
	text := abortedText
	if !isContextError(err) {
		text = errorText(err)
	}
	return errorResult(abortInfo(), text)
}

// aborted is the result of a call that was cancelled before its tool ran.
func aborted() Result { return errorResult(abortInfo(), abortedText) }

func abortInfo() *ErrorInfo { return &ErrorInfo{Name: "AbortError", Code: CodeAborted} }

// errorText returns the message of err, whatever its methods do.
func errorText(err error) (text string) {
	defer func() {
		if recover() != nil {
			text = unprintable
		}
	}()
	return err.Error()
}

// isContextError reports whether err is or wraps the end of a context.
func isContextError(err error) (is bool) {
	defer func() {
		if recover() != nil {
			is = false
		}
	}()
	return errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded)
}

// errorInfo returns the machine-readable side of a coded error, nil for any
// other.
func errorInfo(err error) (info *ErrorInfo) {
	defer func() {
		if recover() != nil {
			info = nil
		}
	}()
	var c coded
	if !errors.As(err, &c) || c.ErrorCode() == "" {
		return nil
	}
	info = &ErrorInfo{Code: c.ErrorCode()}
	if n, ok := c.(interface{ ErrorName() string }); ok {
		info.Name = n.ErrorName()
	}
	if info.Name == "" {
		info.Name = typeName(c)
	}
	return info
}

// typeName names the error's type without package and pointer.
func typeName(v any) string {
	t := reflect.TypeOf(v)
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	return t.Name()
}

// contain runs fn and turns a panic into an error. The stack goes to the log
// and nowhere else.
func contain(log *slog.Logger, what string, fn func() error) (err error) {
	defer func() {
		if v := recover(); v != nil {
			err = panicked(log, what, v)
		}
	}()
	return fn()
}

func panicked(log *slog.Logger, what string, v any) error {
	text := panicText(v)
	log.Error("tools: "+what+" panicked", "panic", text, "stack", string(debug.Stack()))
	e := &Error{
		Name:    "ToolPanicError",
		Code:    CodeToolPanicked,
		Message: what + " panicked: " + text,
		Hint:    "This is a defect of the program, not of the call; go on in another way",
	}
	e.Err, _ = v.(error)
	return e
}

// panicText prints a recovered value, whatever its methods do.
func panicText(v any) (text string) {
	defer func() {
		if recover() != nil {
			text = unprintable
		}
	}()
	if err, ok := v.(error); ok {
		return err.Error()
	}
	return fmt.Sprint(v)
}
