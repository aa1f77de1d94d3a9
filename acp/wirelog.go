package acp

import (
	"bytes"
	"encoding/json"
	"io"
	"strings"
	"sync"
	"time"
)

// Direction says who sent a line.
type Direction string

// The directions, as seen from this process.
const (
	Received Direction = "in"
	Sent     Direction = "out"
)

// WireLog writes every protocol line both ways as JSON lines of the form
// {"time":…,"dir":"in"|"out","msg":…} (contract §1). The values of env, headers
// and keys are replaced by "[redacted]". Safe for concurrent use; a nil WireLog
// writes nothing.
type WireLog struct {
	mu  sync.Mutex
	w   io.Writer
	now func() time.Time
}

// NewWireLog returns a wire log on w, which gets whole lines.
func NewWireLog(w io.Writer, now func() time.Time) *WireLog { return &WireLog{w: w, now: now} }

// wireEntry is one line of a wire log.
type wireEntry struct {
	Time      string          `json:"time"`
	Direction Direction       `json:"dir"`
	Message   json.RawMessage `json:"msg,omitempty"`
	// Skipped says why a line was no message. Its text is not logged, since
	// what cannot be parsed cannot be redacted.
	Skipped string `json:"skipped,omitempty"`
}

// Line logs one message, which is valid JSON. An error of the writer is
// ignored: a full disk must not end a session.
func (l *WireLog) Line(d Direction, message []byte) {
	if l != nil {
		l.write(wireEntry{Direction: d, Message: redact(message)})
	}
}

func (l *WireLog) skipped(d Direction, why string) {
	if l != nil {
		l.write(wireEntry{Direction: d, Skipped: why})
	}
}

func (l *WireLog) write(e wireEntry) {
	l.mu.Lock()
	defer l.mu.Unlock()
	e.Time = l.now().UTC().Format(time.RFC3339Nano)
	line, err := Encode(e)
	if err != nil {
		return
	}
	_, _ = l.w.Write(append(line, '\n'))
}

const redacted = "[redacted]"

// secretNames are parts of member names whose string values are not logged.
var secretNames = []string{"apikey", "token", "secret", "password", "authorization", "credential", "privatekey"}

// redact returns message without secrets. A message that names nothing secret,
// which is nearly every one, is returned as it is.
func redact(message []byte) json.RawMessage {
	lower := strings.NewReplacer("-", "", "_", "").Replace(string(bytes.ToLower(message)))
	if !strings.Contains(lower, `"env"`) && !strings.Contains(lower, `"headers"`) && !containsAny(lower, secretNames) {
		return message
	}
	d := json.NewDecoder(bytes.NewReader(message))
	d.UseNumber()
	var v any
	if d.Decode(&v) != nil {
		return json.RawMessage(`"` + redacted + `"`)
	}
	clean, err := Encode(redactValue("", v))
	if err != nil {
		return json.RawMessage(`"` + redacted + `"`)
	}
	return clean
}

func redactValue(name string, v any) any {
	switch v := v.(type) {
	case map[string]any:
		for k, member := range v {
			if k == "env" || k == "headers" {
				v[k] = redactValues(member)
			} else {
				v[k] = redactValue(k, member)
			}
		}
	case []any:
		for i := range v {
			v[i] = redactValue(name, v[i])
		}
	case string:
		if isSecretName(name) {
			return redacted
		}
	}
	return v
}

// redactValues hides what env and headers hold, whether a map or a list of
// {name, value}; names stay.
func redactValues(v any) any {
	switch v := v.(type) {
	case map[string]any:
		_, pair := v["value"]
		for k := range v {
			if !pair || k != "name" {
				v[k] = redacted
			}
		}
		return v
	case []any:
		for i := range v {
			v[i] = redactValues(v[i])
		}
		return v
	default:
		return redacted
	}
}

func isSecretName(name string) bool {
	name = strings.NewReplacer("-", "", "_", "").Replace(strings.ToLower(name))
	return name == "key" || name == "keys" || containsAny(name, secretNames)
}

func containsAny(s string, parts []string) bool {
	for _, p := range parts {
		if strings.Contains(s, p) {
			return true
		}
	}
	return false
}
