package declared

import (
	"context"
	"sync"
)

// Pending holds the one request that each session waits for. One Pending may
// serve many sessions. The zero Pending is ready.
type Pending struct {
	mu        sync.Mutex
	bySession map[string]*Ticket
	late      int
}

// Ticket is a request under way.
type Ticket struct {
	owner   *Pending
	request Request
	// answer has room for the one response, so that who gives it never waits.
	answer chan Response
}

// Begin notes that r is under way. While the session has another one, the
// error is PENDING_TOOL_REQUEST_EXISTS.
func (p *Pending) Begin(r Request) (*Ticket, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.bySession[r.SessionID] != nil {
		return nil, newError(CodeRequestExists, "session already has a pending tool request",
			map[string]string{"sessionId": r.SessionID})
	}
	if p.bySession == nil {
		p.bySession = map[string]*Ticket{}
	}
	t := &Ticket{owner: p, request: r, answer: make(chan Response, 1)}
	p.bySession[r.SessionID] = t
	return t, nil
}

// Submit answers the request requestID of a session. When that session does
// not wait for it, because it was answered, gave up, or is another session's,
// the error is PENDING_TOOL_REQUEST_NOT_FOUND, the answer is counted as late,
// and whatever is pending stays so.
func (p *Pending) Submit(sessionID, requestID string, a Response) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	t := p.bySession[sessionID]
	if t != nil && t.request.ToolRequestID != requestID {
		t = nil
	}
	return p.settle(t, sessionID, requestID, a)
}

// settle gives the answer to t, if that is still what its session waits for.
// p.mu is held.
func (p *Pending) settle(t *Ticket, sessionID, requestID string, a Response) error {
	if t != nil && p.bySession[sessionID] == t {
		delete(p.bySession, sessionID)
		t.answer <- a
		return nil
	}
	p.late++
	return newError(CodeRequestNotFound, "pending tool request was not found",
		map[string]string{"sessionId": sessionID, "toolRequestId": requestID})
}

// Late returns how many answers came for requests that nobody waited for.
func (p *Pending) Late() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.late
}

// Answer is Submit for the very request of t, which no newer one with the same
// id can be taken for.
func (t *Ticket) Answer(a Response) error {
	t.owner.mu.Lock()
	defer t.owner.mu.Unlock()
	return t.owner.settle(t, t.request.SessionID, t.request.ToolRequestID, a)
}

// Wait returns the answer, or the cause of the end of ctx; then the request is
// no longer pending.
func (t *Ticket) Wait(ctx context.Context) (Response, error) {
	select {
	case a := <-t.answer:
		return a, nil
	case <-ctx.Done():
	}
	t.owner.mu.Lock()
	defer t.owner.mu.Unlock()
	select {
	case a := <-t.answer: // it came first
		return a, nil
	default:
	}
	if t.owner.bySession[t.request.SessionID] == t {
		delete(t.owner.bySession, t.request.SessionID)
	}
	return Response{}, context.Cause(ctx)
}
