package acp

import (
	"encoding/json"
	"fmt"
	"strings"

	"go.lsp.dev/jsonrpc2"
)

// Error codes of the protocol beside those of JSON-RPC (acp.md §13).
const (
	// CodeAuthRequired asks the user to log in.
	CodeAuthRequired jsonrpc2.Code = -32000
	// CodeNotFound is an unknown resource, sessions included.
	CodeNotFound jsonrpc2.Code = -32002
	// CodeCancelled answers a request that $/cancel_request withdrew.
	CodeCancelled jsonrpc2.Code = -32800
)

// Errorf makes an error answer. Its message is one line, whatever the
// arguments hold (acp.md §13).
func Errorf(code jsonrpc2.Code, format string, args ...any) *jsonrpc2.Error {
	return jsonrpc2.NewError(code, OneLine(fmt.Sprintf(format, args...)))
}

// InvalidParams is a −32602 that says what was expected.
func InvalidParams(format string, args ...any) *jsonrpc2.Error {
	return Errorf(jsonrpc2.InvalidParams, format, args...)
}

// NotFound is a −32002 for an unknown session or file.
func NotFound(format string, args ...any) *jsonrpc2.Error {
	return Errorf(CodeNotFound, format, args...)
}

// WithData returns e with data beside its message. Data that cannot be encoded
// is left out.
func WithData(e *jsonrpc2.Error, data any) *jsonrpc2.Error {
	raw, err := Encode(data)
	if err != nil {
		return e
	}
	return &jsonrpc2.Error{Code: e.Code, Message: e.Message, Data: jsonrpc2.RawMessage(raw)}
}

// OneLine joins the lines of s by spaces.
func OneLine(s string) string {
	return strings.Join(strings.FieldsFunc(s, func(r rune) bool { return r == '\n' || r == '\r' }), " ")
}

// errorObject is an error answer as it is written.
type errorObject struct {
	Code    jsonrpc2.Code   `json:"code"`
	Message string          `json:"message"`
	Data    json.RawMessage `json:"data,omitempty"`
}
