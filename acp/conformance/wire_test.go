package conformance

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/agent-ls/agent-ls/acp"
)

// line is one line of the wire.
type line struct {
	at time.Time
	// sent says that the client wrote it.
	sent bool
	size int // bytes, with its end
	text string
	// msg is nil for what is no JSON object.
	msg *message
	// session and update are set for a session/update.
	session string
	update  acp.SessionUpdate
}

// keptLine is how much is kept of a line that the client wrote, in bytes.
const keptLine = 64 << 10

// message is an envelope; members that are absent are nil.
type message struct {
	ID     json.RawMessage `json:"id"`
	Method *string         `json:"method"`
	Params json.RawMessage `json:"params"`
	Result json.RawMessage `json:"result"`
	Error  *rpcError       `json:"error"`
}

// rpcError is an error answer.
type rpcError struct {
	Code    int             `json:"code"`
	Message string          `json:"message"`
	Data    json.RawMessage `json:"data,omitempty"`
}

func (e *rpcError) Error() string { return fmt.Sprintf("error %d: %s", e.Code, e.Message) }

// method is the method of a request or notification, "" for a response.
func (m *message) method() string {
	if m == nil || m.Method == nil {
		return ""
	}
	return *m.Method
}

// isRequest says whether the message wants an answer.
func (m *message) isRequest() bool { return m.method() != "" && m.ID != nil }

// isAnswer says whether the message is a response.
func (m *message) isAnswer() bool { return m != nil && m.Method == nil }

// clip shortens what a failure prints.
func clip(s string) string {
	const most = 300
	if len(s) > most {
		return s[:most] + fmt.Sprintf("… (%d bytes)", len(s))
	}
	return s
}

// encode is v as JSON on one line. It panics for what cannot be encoded.
func encode(v any) string {
	raw, err := acp.Encode(v)
	if err != nil {
		panic(err)
	}
	return string(raw)
}

// params are the members of a request.
type params map[string]any

// outputOf is the piece of output that an update carries, ok false for none.
func outputOf(u acp.SessionUpdate) (data string, ok bool) {
	call, is := u.(acp.ToolCallUpdate)
	if !is {
		return "", false
	}
	if raw, is := call.Meta["terminal_output"]; is {
		var out struct{ Data string }
		if json.Unmarshal(raw, &out) == nil {
			return out.Data, true
		}
	}
	return "", false
}

// textOf joins the text blocks of a card.
func textOf(content []acp.ToolCallContent) string {
	var out []string
	for _, item := range content {
		if c, ok := item.(acp.Content); ok {
			if t, ok := c.Content.(acp.TextContent); ok {
				out = append(out, t.Text)
			}
		}
	}
	return strings.Join(out, "\n")
}
