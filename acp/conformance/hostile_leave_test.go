package conformance

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/agent-ls/agent-ls/acp"
)

// hostileLeavers go away in the middle of things: once as one who closes the
// agent's input, once as one who dies, which closes all.
var hostileLeavers = []scenario{
	{"gone while a command runs", leaving(bash("echo x; sleep 600"), "", always(acp.AllowOnce))},
	{"gone while asked", leaving(write("n.txt", "x\n"), acp.MethodRequestPermission, always(answerHang))},
	{"gone while reading", leaving("/read a.txt", acp.MethodReadTextFile, always(acp.AllowOnce))},
	{"gone while writing", leaving(write("n.txt", "x\n"), acp.MethodWriteTextFile, always(acp.AllowOnce))},
	{"gone while making a terminal", leaving("!sleep 600", acp.MethodTerminalCreate, always(acp.AllowOnce))},
	{"gone while waiting for a terminal", leaving("!sleep 600", acp.MethodTerminalWait, always(acp.AllowOnce))},
	{"gone in half a line", goneInHalfALine}, {"gone while flooded", goneWhileFlooded}, {"gone before initialize", goneAtOnce},
}

// leaving is a client that goes when the agent asks for a method, or when a
// call runs.
func leaving(prompt, method string, p policy) func(t *testing.T) {
	return func(t *testing.T) {
		for name, leave := range map[string]func(c *client){"end of input": (*client).leave, "death": (*client).vanish} {
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				leaveDuring(t, prompt, method, p, leave)
			})
		}
	}
}

func leaveDuring(t *testing.T, prompt, method string, p policy, leave func(c *client)) {
	h := newHome(t)
	h.file("a.txt", "MARK\n")
	answer := make(chan struct{})
	defer close(answer)
	o := options{permission: p}
	switch {
	case strings.HasPrefix(method, "fs/"):
		o.caps.FS = fsCaps.FS
		o.files = &files{
			read:  func(string) (string, *rpcError, bool) { <-answer; return "", nil, false },
			write: func(string, string) (*rpcError, bool) { <-answer; return nil, false },
		}
	case strings.HasPrefix(method, "terminal/"):
		o.caps.Terminal = true
		o.terminals = &terminals{hook: func(m string) (*rpcError, bool) {
			if m == method {
				<-answer
			}
			return nil, m == method
		}}
	}
	s := h.start(o).newSession()
	s.prompt(prompt)
	if method == "" {
		s.untilRunning()
	} else {
		s.until(method, func() bool {
			return s.count(0, func(l *line) bool { return l.msg.method() == method }) > 0
		})
	}
	leave(s.client)
	s.nothingRuns()
	loaded := h.start(options{}).load(s.id)
	loaded.settledCards()
	// A read may have been done without the client that went away.
	if k := loaded.cards(); len(k) != 1 || k[0].status != acp.StatusFailed && method != acp.MethodReadTextFile {
		t.Errorf("%d cards are stored", len(k))
	}
	if h.exists("n.txt") {
		t.Error("the file was written")
	}
	loaded.run("/read a.txt")
}

// vanish closes both ends and ends what the client runs, as its death does, and
// waits until the process has noticed.
func (c *client) vanish() {
	c.t.Helper()
	c.mu.Lock()
	c.killed, c.paused = true, false // its status is not asked for
	c.changed.Broadcast()
	c.mu.Unlock()
	if c.o.terminals != nil {
		c.o.terminals.end()
	}
	c.out.Close()
	c.in.Close()
	c.until("the end of the process after its client's", func() bool { return c.ended })
}

func goneInHalfALine(t *testing.T) {
	s, _ := visit(t, options{tolerate: []rule{ruleNullID}})
	s.write(`{"jsonrpc":"2.0","id":5,"method":"session/pro`)
	s.leave()
	loaded := s.h.start(options{}).load(s.id)
	if n := len(loaded.cards()); n != 1 {
		t.Errorf("%d cards", n)
	}
}

// goneWhileFlooded does not read, and then dies: a blocked write must not keep
// the process.
func goneWhileFlooded(t *testing.T) {
	s := inMode(t, "full-access", options{caps: displayCaps})
	s.prompt("!seq 1 400000; touch written; sleep 600")
	s.untilRunning()
	s.setPaused(true)
	poll(func() bool { return s.h.exists("written") })
	s.vanish()
	s.nothingRuns()
}

func goneAtOnce(t *testing.T) {
	newHome(t).spawn(options{}).leave()
	c := newHome(t).spawn(options{})
	c.request(acp.MethodInitialize, json.RawMessage(`{"protocolVersion":1}`))
	c.leave()
}
