package acp

import (
	"context"
	"encoding/json"
	"time"

	"go.lsp.dev/jsonrpc2"
)

// drainTime bounds how long the answers of requests that were read are waited
// for after the peer has closed its side.
const drainTime = 3 * time.Second

// incoming is a request of the peer until it is answered.
type incoming struct {
	id     json.RawMessage
	cancel context.CancelCauseFunc
	after  func()
}

// register numbers a request that was read, for jsonrpc2.
func (s *stream) register(id json.RawMessage) jsonrpc2.ID {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.lastID++
	s.calls[s.lastID] = &incoming{id: id}
	return jsonrpc2.NewNumberID(s.lastID)
}

// attach makes the context of a registered request cancellable.
func (s *stream) attach(id jsonrpc2.ID, cancel context.CancelCauseFunc) {
	s.update(id, func(c *incoming) { c.cancel = cancel })
}

// afterAnswer makes run follow the answer of a request.
func (s *stream) afterAnswer(id jsonrpc2.ID, run func()) {
	s.update(id, func(c *incoming) { c.after = run })
}

func (s *stream) update(id jsonrpc2.ID, f func(*incoming)) {
	n, _ := id.Number()
	s.mu.Lock()
	defer s.mu.Unlock()
	if c := s.calls[n]; c != nil {
		f(c)
	}
}

// cancel cancels the requests that came under an id.
func (s *stream) cancel(id json.RawMessage, cause error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, c := range s.calls {
		if c.cancel != nil && idKey(c.id) == idKey(id) {
			c.cancel(cause)
		}
	}
}

// call returns a request that is not answered yet, nil for none.
func (s *stream) call(n int64) *incoming {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.calls[n]
}

// settle forgets a request that has been answered.
func (s *stream) settle(n int64) {
	s.mu.Lock()
	delete(s.calls, n)
	s.mu.Unlock()
	s.checkDrained()
}

// drain waits for the answers of what was read.
func (s *stream) drain() {
	s.mu.Lock()
	s.eof = true
	s.mu.Unlock()
	s.stop()
	s.checkDrained()
	timer := time.NewTimer(drainTime)
	defer timer.Stop()
	select {
	case <-s.drained:
	case <-timer.C:
	}
}

// checkDrained ends drain when nothing is left to wait for.
func (s *stream) checkDrained() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.closed && (!s.eof || len(s.calls) > 0) {
		return
	}
	select {
	case <-s.drained:
	default:
		close(s.drained)
	}
}
