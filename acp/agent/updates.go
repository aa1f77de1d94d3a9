package agent

import (
	"encoding/json"
	"sync"

	"github.com/agent-ls/agent-ls/acp"
	"github.com/agent-ls/agent-ls/agent"
)

// Updates is an agent.Sink that makes session updates without a client, for
// programs that print or keep them (contract §1, run --json). Commands are
// shown once, when they have ended.
type Updates struct {
	write func(update json.RawMessage)

	mu        sync.Mutex
	projector *projector
}

// NewUpdates returns a sink for one session. write gets the params of each
// session/update, as one line without its end, in order.
func NewUpdates(write func(update json.RawMessage)) *Updates { return &Updates{write: write} }

// Event writes the updates of a record.
func (u *Updates) Event(s *agent.Session, r agent.Record) {
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.projector == nil {
		u.projector = newProjector(painter{cwd: s.Cwd(), isDir: isDir}, fenced, true, false)
		u.projector.compaction = true
	}
	for _, update := range u.projector.project(r) {
		if line, err := acp.Encode(acp.SessionNotification{SessionID: s.ID(), Update: update}); err == nil {
			u.write(line)
		}
	}
}
