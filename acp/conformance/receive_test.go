package conformance

import (
	"bufio"
	"encoding/json"
	"strings"
	"time"

	"github.com/agent-ls/agent-ls/acp"
)

// read takes the lines of the process until it is gone. It is the one
// goroutine that changes what a case looks at, so whatever came before an
// answer has been folded when the answer is seen.
func (c *client) read() {
	in := bufio.NewReaderSize(c.out, 64<<10)
	for {
		c.waitToRead()
		text, err := in.ReadString('\n')
		if text != "" {
			c.receive(text)
		}
		if err != nil {
			break
		}
	}
	exit := c.cmd.Wait()
	c.mu.Lock()
	defer c.mu.Unlock()
	c.ended, c.exit = true, exit
	c.changed.Broadcast()
}

func (c *client) waitToRead() {
	c.mu.Lock()
	defer c.mu.Unlock()
	for c.paused {
		c.changed.Wait()
	}
}

// receive keeps, judges and takes one line.
func (c *client) receive(text string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	defer c.changed.Broadcast()
	c.wire = append(c.wire, line{at: time.Now(), size: len(text), text: strings.TrimSuffix(text, "\n")})
	place := len(c.wire) - 1
	l := &c.wire[place]
	c.judge(text, l)
	switch {
	case l.msg.isAnswer():
		c.answered(l.msg, place)
	case l.msg.isRequest():
		c.asks(l.msg, place)
	case l.msg.method() == acp.MethodSessionUpdate:
		c.updated(l, place)
	case l.msg.method() == acp.MethodCancelRequest:
		c.withdraw(l.msg.Params)
	}
}

// answered takes a response.
func (c *client) answered(m *message, place int) {
	k := c.calls[string(m.ID)]
	if k == nil || k.answer != nil {
		return // which the judge has noted
	}
	k.answer, k.to = m, place
	switch id := sessionOf(k.params); k.method {
	case acp.MethodSessionNew:
		if id := sessionOf(string(m.Result)); id != "" {
			c.screen(id).known = true
		}
	case acp.MethodSessionPrompt:
		c.screen(id).busy--
		c.screen(id).turns++
	case acp.MethodSessionLoad:
		c.screen(id).busy--
	}
}

// sent notes what a request of the client changes in what may come; mu is held.
func (c *client) sent(k *call) {
	id := sessionOf(k.params)
	switch k.method {
	case acp.MethodSessionPrompt:
		c.screen(id).busy++
	case acp.MethodSessionLoad: // what was shown is shown anew
		c.screens[id] = &screen{known: true, busy: 1}
	case acp.MethodSessionResume:
		c.screen(id).known = true
	}
}

// sessionOf is the sessionId of params or of a result, "" for none.
func sessionOf(object string) string {
	var p struct{ SessionID string }
	if json.Unmarshal([]byte(object), &p) != nil {
		return ""
	}
	return p.SessionID
}

// updated folds a session/update.
func (c *client) updated(l *line, place int) {
	var n acp.SessionNotification
	if acp.Decode(l.msg.Params, &n) != nil {
		return
	}
	l.session, l.update = n.SessionID, n.Update
	c.judgeUpdate(n, place)
	c.screen(n.SessionID).fold(n.Update, place)
}

// withdraw takes a $/cancel_request. An open question is answered −32800, as
// the protocol wants.
func (c *client) withdraw(raw json.RawMessage) {
	var n acp.CancelRequestNotification
	if acp.Decode(raw, &n) != nil {
		return
	}
	id := string(n.RequestID)
	c.withdrawn[id] = true
	for _, q := range c.questions {
		if string(q.id) == id && !q.settled {
			q.settled = true
			c.work.Go(func() { c.respond(q.id, nil, &rpcError{Code: -32800, Message: "withdrawn"}) })
		}
	}
}

// asks takes a request of the agent; the answer comes from a goroutine of
// its own, so that a slow one holds up nothing.
func (c *client) asks(m *message, place int) {
	c.judgeRequest(m, place)
	if m.method() == acp.MethodRequestPermission {
		q := &question{c: c, id: m.ID, place: place}
		if acp.Decode(m.Params, &q.RequestPermissionRequest) == nil {
			c.questions = append(c.questions, q)
			c.work.Go(q.decide)
		}
		return
	}
	serve := c.server(m.method())
	c.work.Go(func() {
		if result, e, answer := serve(m.method(), m.Params); answer {
			c.respond(m.ID, result, e)
		}
	})
}

// server serves a method of the client; answer false leaves the request open.
type server func(method string, params json.RawMessage) (result any, e *rpcError, answer bool)

func (c *client) server(method string) server {
	switch {
	case strings.HasPrefix(method, "fs/") && c.o.files != nil:
		return c.o.files.serve
	case strings.HasPrefix(method, "terminal/") && c.o.terminals != nil:
		return c.o.terminals.serve
	}
	return func(string, json.RawMessage) (any, *rpcError, bool) {
		return nil, &rpcError{Code: -32601, Message: "Method not found"}, true
	}
}
