package acp

import (
	"bytes"
	"encoding/json"
	"unicode/utf8"

	"go.lsp.dev/jsonrpc2"
)

// envelope is one message as it was read: raw members, nil where absent.
type envelope struct {
	id     json.RawMessage
	method string
	params json.RawMessage
	result json.RawMessage
	err    json.RawMessage
	kind   envelopeKind
}

type envelopeKind int

const (
	envelopeCall envelopeKind = iota
	envelopeNotification
	envelopeResponse
)

// refusal is a line that is no message, with the id to answer under (null when
// the line has none that is usable).
type refusal struct {
	id  json.RawMessage
	err *jsonrpc2.Error
}

var null = json.RawMessage("null")

func refuse(id json.RawMessage, code jsonrpc2.Code, format string, args ...any) *refusal {
	return &refusal{id: id, err: Errorf(code, format, args...)}
}

// parseEnvelope classifies one line that is not blank (acp.md §1): bad JSON
// and bad UTF-8 are −32700; arrays, scalars and objects that are neither a
// request nor a response are −32600.
func parseEnvelope(line []byte) (envelope, *refusal) {
	if !utf8.Valid(line) {
		return envelope{}, refuse(null, jsonrpc2.ParseError, "parse error: the line is not valid UTF-8")
	}
	if line[0] != '{' {
		if !json.Valid(line) {
			return envelope{}, refuse(null, jsonrpc2.ParseError, "parse error: the line is not JSON")
		}
		return envelope{}, refuse(null, jsonrpc2.InvalidRequest, "invalid request: expected one JSON object a line")
	}
	var members map[string]json.RawMessage
	if err := json.Unmarshal(line, &members); err != nil {
		return envelope{}, refuse(null, jsonrpc2.ParseError, "parse error: %v", err)
	}
	return classify(members)
}

func classify(members map[string]json.RawMessage) (envelope, *refusal) {
	e := envelope{id: members["id"], params: present(members["params"])}
	method, isRequest := members["method"]
	if !isRequest {
		e.kind, e.result, e.err = envelopeResponse, members["result"], present(members["error"])
		if e.result == nil && e.err == nil {
			return envelope{}, refuse(null, jsonrpc2.InvalidRequest, "invalid request: neither method, result nor error")
		}
		return e, nil
	}
	answer := e.id
	if e.id == nil {
		answer = null
	} else if !usableID(e.id) {
		return envelope{}, refuse(null, jsonrpc2.InvalidRequest, "invalid request: the id is no string, number or null")
	}
	if json.Unmarshal(method, &e.method) != nil || method[0] != '"' {
		return envelope{}, refuse(answer, jsonrpc2.InvalidRequest, "invalid request: the method is no string")
	}
	if v := present(members["jsonrpc"]); v != nil && string(v) != `"2.0"` {
		return envelope{}, refuse(answer, jsonrpc2.InvalidRequest, "invalid request: expected jsonrpc 2.0")
	}
	if e.kind = envelopeCall; e.id == nil {
		e.kind = envelopeNotification
	}
	return e, nil
}

// present is nil for an absent or null member.
func present(raw json.RawMessage) json.RawMessage {
	if raw == nil || bytes.Equal(raw, null) {
		return nil
	}
	return raw
}

func usableID(raw json.RawMessage) bool {
	c := raw[0]
	return c == '"' || c == '-' || c == 'n' || (c >= '0' && c <= '9')
}

// idKey is equal for ids that mean the same: strings by their value, numbers
// as they were written. An absent id is null.
func idKey(raw json.RawMessage) string {
	var s string
	if len(raw) == 0 {
		return string(null)
	}
	if raw[0] == '"' && json.Unmarshal(raw, &s) == nil {
		return `"` + s
	}
	return string(raw)
}
