package mcpserver

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/agent-ls/agent-ls/agent"
	"github.com/agent-ls/agent-ls/tools"
)

// maxCalls bounds the calls that have not ended.
const maxCalls = 256

// running is a call that has not ended. A question in it is the answer to the
// request that made the call; the client makes the request again with what its
// user said, and under the same state gets what becomes of the call (the
// protocol's multi round-trip requests).
type running struct {
	call    tools.Call
	session *agent.Session
	client  *sdk.ServerSession
	cancel  context.CancelFunc
	// asks has the question that waits, answers the answer to it.
	asks    chan *sdk.ElicitParams
	answers chan *sdk.ElicitResult

	done chan struct{} // closed when came and err are set
	came tools.Result
	err  error
}

// inquiry is the name of the question among what a request waits for.
const inquiry = "permission"

// handle serves a request: a new call, or the answer to a question of one.
func (s *Server) handle(ctx context.Context, r *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
	c, err := s.callOf(ctx, r)
	if err != nil {
		return nil, err
	}
	select {
	case <-c.done:
		s.forget(c)
		return c.result()
	case question := <-c.asks:
		return &sdk.CallToolResult{
			InputRequests: sdk.InputRequestMap{inquiry: question}, RequestState: c.call.ID,
		}, nil
	case <-ctx.Done(): // the client has withdrawn it
		c.cancel()
		<-c.done
		s.forget(c)
		return nil, context.Cause(ctx)
	}
}

// callOf returns the call that a request is about.
func (s *Server) callOf(ctx context.Context, r *sdk.CallToolRequest) (*running, error) {
	state := r.Params.RequestState
	if state == "" {
		return s.begin(ctx, r)
	}
	s.mu.Lock()
	c := s.calls[state]
	s.mu.Unlock()
	if c == nil {
		return nil, fmt.Errorf("no call waits for an answer under this state; call %s again", r.Params.Name)
	}
	answer, ok := r.Params.InputResponses[inquiry].(*sdk.ElicitResult)
	if !ok {
		answer = &sdk.ElicitResult{Action: "decline"}
	}
	select {
	case c.answers <- answer:
	case <-c.done:
	}
	return c, nil
}

// begin begins a call. It goes on when the request that made it is answered by a
// question, so it ends with the connection, not with the request.
func (s *Server) begin(ctx context.Context, r *sdk.CallToolRequest) (*running, error) {
	session, err := s.o.Session(ctx)
	if err != nil {
		return nil, fmt.Errorf("no session: %w", err)
	}
	var id [8]byte
	rand.Read(id[:])
	c := &running{
		call:    tools.Call{ID: "mcp-" + hex.EncodeToString(id[:]), Name: r.Params.Name, Arguments: string(r.Params.Arguments)},
		session: session, client: r.Session,
		asks: make(chan *sdk.ElicitParams), answers: make(chan *sdk.ElicitResult), done: make(chan struct{}),
	}
	own, cancel := context.WithCancel(s.life)
	c.cancel = cancel
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.calls) >= maxCalls {
		cancel()
		return nil, errors.New("too many calls have not ended; wait for one")
	}
	s.calls[c.call.ID] = c
	s.work.Go(func() {
		defer close(c.done)
		defer cancel()
		c.came, c.err = session.Execute(own, c.call)
	})
	return c, nil
}

func (s *Server) forget(c *running) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.calls, c.call.ID)
}

// ask has the client ask its user, and returns the answer.
func (c *running) ask(ctx context.Context, question *sdk.ElicitParams) (*sdk.ElicitResult, error) {
	select {
	case c.asks <- question:
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
	select {
	case answer := <-c.answers:
		return answer, nil
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}
