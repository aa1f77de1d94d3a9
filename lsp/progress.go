package lsp

import (
	"context"
	"encoding/json"
	"strings"
	"sync"
	"time"

	"go.lsp.dev/protocol"

	"github.com/agent-ls/agent-ls/agent"
	"github.com/agent-ls/agent-ls/presentation"
)

const (
	// progressPatience bounds the wait for the client to create a progress.
	progressPatience = 5 * time.Second
	// maxProgressTitle bounds a title, in runes; clients show one line.
	maxProgressTitle = 200
	// reportsHeld is how many reports wait while the client creates the
	// progress; more are dropped, since only the last one matters.
	reportsHeld = 4
)

// progresses show each running call of plain clients as a cancellable progress
// of its own (settled detail 14).
type progresses struct {
	s  *Server
	mu sync.Mutex
	// running are the open ones by token, which is made of the call's id.
	running map[string]*callProgress
}

// callProgress is one progress. A goroutine of the server sends what it says,
// since creating it waits for the client.
type callProgress struct {
	token   string
	title   string
	session *agent.Session
	reports chan string
	end     chan string
}

func newProgresses(s *Server) *progresses {
	return &progresses{s: s, running: map[string]*callProgress{}}
}

func progressToken(call string) string { return "agent-ls/" + call }

// start begins the progress of a call.
func (p *progresses) start(session *agent.Session, call, title string) {
	if !p.s.client.progress {
		return
	}
	c := &callProgress{
		token: progressToken(call), title: clip(oneLine(title), maxProgressTitle), session: session,
		reports: make(chan string, reportsHeld), end: make(chan string, 1),
	}
	p.mu.Lock()
	p.running[c.token] = c
	p.mu.Unlock()
	p.s.run(func() { p.serve(c) })
}

func (p *progresses) find(call string) *callProgress {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.running[progressToken(call)]
}

// report shows what a call does now.
func (p *progresses) report(call, message string) {
	if c := p.find(call); c != nil {
		select {
		case c.reports <- message:
		default:
		}
	}
}

// end ends the progress of a call.
func (p *progresses) end(call, message string) {
	c := p.find(call)
	if c == nil {
		return
	}
	p.mu.Lock()
	delete(p.running, c.token)
	p.mu.Unlock()
	c.end <- message
}

// serve creates the progress and sends what comes. One that the client does not
// create is not used.
func (p *progresses) serve(c *callProgress) {
	ctx, stop := context.WithTimeout(p.s.conn.ctx, progressPatience)
	defer stop()
	create := &protocol.WorkDoneProgressCreateParams{Token: protocol.String(c.token)}
	if err := p.s.call(ctx, protocol.MethodWindowWorkDoneProgressCreate, create, nil); err != nil {
		p.s.logger.Debug("progress not created", "token", c.token, "error", err)
		return
	}
	yes := true
	p.send(c, protocol.WorkDoneProgressBegin{Kind: "begin", Title: c.title, Cancellable: &yes})
	for {
		select {
		case message := <-c.reports:
			p.send(c, protocol.WorkDoneProgressReport{Kind: "report", Message: &message, Cancellable: &yes})
		case message := <-c.end:
			p.send(c, protocol.WorkDoneProgressEnd{Kind: "end", Message: &message})
			return
		case <-p.s.conn.done:
			return
		}
	}
}

func (p *progresses) send(c *callProgress, value any) {
	raw, err := protocol.Marshal(value)
	if err != nil {
		return
	}
	p.s.tell(protocol.MethodProgress, &protocol.ProgressParams{Token: protocol.String(c.token), Value: raw})
}

// progressCancelled ends the turn of the call that the user stops.
func (s *Server) progressCancelled(p *protocol.WorkDoneProgressCancelParams) {
	token, ok := p.Token.(protocol.String)
	if !ok {
		return
	}
	s.progress.mu.Lock()
	c := s.progress.running[string(token)]
	s.progress.mu.Unlock()
	if c != nil {
		c.session.Cancel()
	}
}

// oneLine joins the lines of s, for a title.
func oneLine(s string) string { return strings.Join(strings.Fields(presentation.Visible(s)), " ") }

// clip shortens s to at most n runes.
func clip(s string, n int) string {
	if r := []rune(s); len(r) > n {
		return string(r[:n-1]) + "…"
	}
	return s
}

// rawArgs are the arguments of a command.
func rawArgs(in []protocol.LSPAny) []json.RawMessage {
	out := make([]json.RawMessage, len(in))
	for i, a := range in {
		out[i] = json.RawMessage(a)
	}
	return out
}
