package host

import (
	"context"
	"sync"
	"time"

	"github.com/agent-ls/agent-ls/acp"
)

// leaveTime bounds the farewell to an agent.
const leaveTime = 500 * time.Millisecond

// link is a run of the agent with its session.
type link struct {
	*run
	d *Driver

	mu      sync.Mutex
	session string // the agent's own id, "" before it is open
	silent  bool   // the agent replays what the session has already
	turn    *turn  // the one that runs, nil for none
	opened  bool   // the session is

	terminals terminals
	reads     reads
}

// newLink gives a run to the session of d.
func (d *Driver) newLink(r *run) *link {
	l := &link{run: r, d: d}
	l.terminals.link = l
	r.serve(l)
	return l
}

// leave says farewell where the agent wants it, then closes.
func (l *link) leave() {
	l.mu.Lock()
	session := l.session
	l.mu.Unlock()
	if session != "" && l.can().SessionCapabilities.Close != nil && l.alive() {
		ctx, cancel := context.WithTimeout(context.Background(), leaveTime)
		defer cancel()
		if err := l.call(ctx, acp.MethodSessionClose, acp.SessionRequest{SessionID: session}, nil); err != nil {
			l.d.log.Debug("the session was not closed by the agent", "error", err)
		}
	}
	l.close()
}

// ready reports whether the agent has its session.
func (l *link) ready() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.opened
}

// current returns the turn that runs, nil for none.
func (l *link) current() *turn {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.turn
}

func (l *link) setTurn(t *turn) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.turn = t
}

// quirks are what the agent does differently.
func (l *link) quirks() Quirks { return quirksOf(l.said().AgentInfo) }
