package replay

import (
	"encoding/json"
	"strings"
)

// heard is what the program, or the one in the log, has said so far.
type heard struct {
	responses map[string]json.RawMessage // results by the client's request id
	requests  map[string][]message       // by method
	// updates counts notifications by kind, and messages instead of the pieces
	// they come in; speaking is the message of the last piece.
	updates  map[string]int
	speaking string
}

func newHeard() heard {
	return heard{responses: map[string]json.RawMessage{}, requests: map[string][]message{}, updates: map[string]int{}}
}

// add takes note of one message.
func (h *heard) add(m message) {
	switch {
	case m.isRequest():
		h.requests[m.Method] = append(h.requests[m.Method], m)
	case m.isResponse():
		if string(m.ID) != "null" { // the answer to a line that was no message
			h.responses[string(m.ID)] = m.Result
		}
	default:
		h.notified(m)
	}
}

// outputLines counts lines of terminal output: how many pieces it was cut into
// depends on time, how many bytes it has on the names of folders.
const outputLines = "lines of output"

// notified takes note of a notification.
func (h *heard) notified(m message) {
	var p struct {
		Update struct {
			SessionUpdate, Status, MessageID string
			Meta                             struct {
				Output struct{ Data string } `json:"terminal_output"`
			} `json:"_meta"`
		}
	}
	_ = json.Unmarshal(m.Params, &p) // what it cannot read stays empty
	u := &p.Update
	switch {
	case strings.HasSuffix(u.SessionUpdate, "_chunk"):
		if u.MessageID != h.speaking {
			h.speaking = u.MessageID
			h.updates[u.SessionUpdate]++
		}
	case u.SessionUpdate == "tool_call_update" && u.Status == "":
		h.updates[outputLines] += strings.Count(u.Meta.Output.Data, "\n")
	case u.SessionUpdate == "usage_update", u.SessionUpdate == "available_commands_update":
		// their number depends on time
	default:
		h.updates[m.Method+" "+u.SessionUpdate+" "+u.Status]++
	}
}
