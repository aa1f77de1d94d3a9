package agent

import (
	"encoding/json"
	"sync"

	"github.com/agent-ls/agent-ls/acp"
	"github.com/agent-ls/agent-ls/agent"
)

// Updates is a Sink that gives one session's records as the params of
// session/update, as a client that shows terminals and notices gets them. It is
// for programs that read updates without being a client.
type Updates struct {
	mu        sync.Mutex
	emit      func(params json.RawMessage)
	projector *projector
}

// NewUpdates returns a sink that calls emit for each update, one at a time, in
// order.
func NewUpdates(emit func(params json.RawMessage)) *Updates { return &Updates{emit: emit} }

// Event projects a record.
func (u *Updates) Event(s *agent.Session, r agent.Record) {
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.projector == nil {
		u.projector = newProjector(painter{cwd: s.Cwd(), isDir: isDir}, displayed, true, false)
	}
	for _, update := range u.projector.project(r) {
		// An update that cannot be encoded is a broken invariant of this
		// package, which its tests would show; the others still count.
		if params, err := acp.Encode(acp.SessionNotification{SessionID: s.ID(), Update: update}); err == nil {
			u.emit(params)
		}
	}
}
