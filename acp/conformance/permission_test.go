package conformance

import (
	"encoding/json"
	"strings"

	"github.com/agent-ls/agent-ls/acp"
)

// question is a session/request_permission.
type question struct {
	acp.RequestPermissionRequest
	c     *client
	id    json.RawMessage
	place int // on the wire
	// settled says that it was answered or withdrawn; guarded by the client's
	// mu.
	settled bool
}

// choice is an answer to a question: the kind of an option, or one of those
// below.
type choice string

// What users and clients answer beside the options.
const (
	answerCancelled choice = "cancelled"
	answerHang      choice = "hang"    // nothing at all
	answerUnknown   choice = "unknown" // an option that was not offered
	answerError     choice = "error"   // an error answer
	answerEmpty     choice = "empty"   // a result without an outcome
)

// policy answers questions; it may take its time.
type policy func(q *question) choice

// always gives one answer.
func always[T ~string](answer T) policy { return func(*question) choice { return choice(answer) } }

func (q *question) decide() {
	if answer := q.c.o.permission(q); answer != answerHang {
		q.c.settle(q, answer)
	}
}

// settle answers a question unless it has been settled.
func (c *client) settle(q *question, answer choice) {
	c.mu.Lock()
	settled := q.settled
	q.settled = true
	c.changed.Broadcast()
	c.mu.Unlock()
	if settled {
		return
	}
	selected := func(id string) any {
		return acp.RequestPermissionResponse{Outcome: acp.SelectedPermissionOutcome{OptionID: id}}
	}
	switch answer {
	case answerCancelled:
		c.respond(q.id, acp.RequestPermissionResponse{Outcome: acp.CancelledPermissionOutcome{}}, nil)
	case answerUnknown:
		c.respond(q.id, selected("no-such-option"), nil)
	case answerError:
		c.respond(q.id, nil, &rpcError{Code: -32603, Message: "the dialog\nbroke"})
	case answerEmpty:
		c.respond(q.id, map[string]any{}, nil)
	default:
		c.respond(q.id, selected(q.option(acp.PermissionOptionKind(answer))), nil)
	}
}

// option is the id of the option of a kind; where there is none, as with
// "always" for what cannot be remembered, that of "once".
func (q *question) option(kind acp.PermissionOptionKind) string {
	for _, want := range []acp.PermissionOptionKind{kind, acp.PermissionOptionKind(strings.Replace(string(kind), "always", "once", 1))} {
		for _, o := range q.Options {
			if o.Kind == want {
				return o.OptionID
			}
		}
	}
	return ""
}

// diffs are the diffs of a question.
func (q *question) diffs() []acp.Diff { return card{content: q.ToolCall.Content}.diffs() }

// openQuestions are those of a session that wait for an answer.
func (c *client) openQuestions(session string) []*question {
	c.mu.Lock()
	defer c.mu.Unlock()
	var open []*question
	for _, q := range c.questions {
		if q.SessionID == session && !q.settled {
			open = append(open, q)
		}
	}
	return open
}

// allQuestions are the questions so far.
func (c *client) allQuestions() []*question {
	c.mu.Lock()
	defer c.mu.Unlock()
	return append([]*question(nil), c.questions...)
}

// untilAsked waits for the n-th question (1-based) and returns it.
func (c *client) untilAsked(n int) *question {
	c.t.Helper()
	c.until("a question", func() bool { return len(c.questions) >= n })
	return c.allQuestions()[n-1]
}
