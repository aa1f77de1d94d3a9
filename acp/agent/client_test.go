package agent

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"go.lsp.dev/jsonrpc2"

	"github.com/agent-ls/agent-ls/acp"
	"github.com/agent-ls/agent-ls/agent"
	"github.com/agent-ls/agent-ls/presentation"
	"github.com/agent-ls/agent-ls/tools"
)

// patience bounds what a test waits for; it is far longer than anything takes.
const patience = 2 * time.Minute

// driver runs turns by a function.
type driver func(ctx context.Context, t *agent.Turn) (agent.StopReason, error)

func (d driver) Run(ctx context.Context, t *agent.Turn) (agent.StopReason, error) { return d(ctx, t) }

// silent is a driver that says one word.
func silent(_ context.Context, t *agent.Turn) (agent.StopReason, error) {
	t.Record(agent.AgentText{MessageID: t.ID(), Text: "done"})
	return agent.EndTurn, nil
}

// setup is a hub with one server and one client on it.
type setup struct {
	driver  driver
	loop    *agent.Loop // instead of driver
	caps    acp.ClientCapabilities
	client  string // clientInfo.name
	state   string // folder; "" keeps nothing
	options Options
	models  []agent.ModelInfo
	tools   []*tools.Definition
	// answer answers requests to the client; nil refuses them.
	answer func(ctx context.Context, method string, params json.RawMessage) (any, error)
	// cold leaves initialize to the test.
	cold bool
}

// client is the other side of a Server, with the accumulated state of what it
// was told.
type client struct {
	t      *testing.T
	conn   *acp.Conn
	raw    net.Conn
	hub    *agent.Hub
	server *Server
	cwd    string
	answer func(ctx context.Context, method string, params json.RawMessage) (any, error)

	mu      sync.Mutex
	changed *sync.Cond
	screens map[string]*screen
	asked   []string // methods of the server's requests, in order
	wire    transcript
}

// transcript is the client's wire log: what was read and written, in order.
type transcript struct {
	added func() // called after each line

	mu    sync.Mutex
	lines []string
}

func (l *transcript) Write(p []byte) (int, error) {
	l.mu.Lock()
	l.lines = append(l.lines, string(bytes.TrimSuffix(p, []byte("\n"))))
	l.mu.Unlock()
	l.added()
	return len(p), nil
}

// find returns the place of the n-th line (0-based) that holds all parts, −1 for
// none.
func (l *transcript) find(n int, parts ...string) int {
	l.mu.Lock()
	defer l.mu.Unlock()
	for i, line := range l.lines {
		if !slices.ContainsFunc(parts, func(p string) bool { return !strings.Contains(line, p) }) {
			if n--; n < 0 {
				return i
			}
		}
	}
	return -1
}

// start connects a client; everything ends with the test, in order, which
// finds whoever does not end.
func start(t *testing.T, o setup) *client {
	t.Helper()
	if o.driver == nil {
		o.driver = silent
	}
	models := append([]agent.ModelInfo{{ID: "direct", Name: "Direct", Direct: true}}, o.models...)
	registry := tools.NewRegistry()
	for _, d := range o.tools {
		if _, err := registry.Register(d); err != nil {
			t.Fatal(err)
		}
	}
	hub := agent.NewHub(agent.Config{
		StateDir: o.state, Registry: registry, DefaultModel: "direct",
		Models: func() []agent.ModelInfo { return models },
		OpenDriver: func(_ *agent.Session, id string) (agent.Driver, agent.ModelInfo, bool, error) {
			i := slices.IndexFunc(models, func(m agent.ModelInfo) bool { return m.ID == id })
			if i < 0 {
				return nil, agent.ModelInfo{}, false, fmt.Errorf("unknown model %q: use direct", id)
			}
			if o.loop != nil {
				return o.loop, o.loop.Info, true, nil
			}
			return o.driver, models[i], true, nil
		},
	})
	ours, theirs := net.Pipe()
	conn := acp.NewConn(ours, acp.Options{})
	c := &client{t: t, raw: theirs, hub: hub, cwd: t.TempDir(), answer: o.answer, screens: map[string]*screen{}}
	c.changed = sync.NewCond(&c.mu)
	c.wire.added = c.poke
	c.server = New(hub, conn, o.options)
	conn.Go(context.Background(), c.server.Handle)
	c.conn = acp.NewConn(theirs, acp.Options{WireLog: acp.NewWireLog(&c.wire, time.Now)})
	c.conn.Go(context.Background(), c.handle)
	t.Cleanup(func() {
		c.conn.Close()
		<-conn.Done()
		c.server.Close()
		conn.Close()
		hub.Close()
	})
	if !o.cold {
		c.call(acp.MethodInitialize, acp.InitializeRequest{
			ProtocolVersion: 1, ClientCapabilities: o.caps, ClientInfo: &acp.Implementation{Name: o.client, Version: "1"},
		}, nil)
	}
	return c
}

// poke makes wait look again.
func (c *client) poke() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.changed.Broadcast()
}

// handle takes what the server sends.
func (c *client) handle(ctx context.Context, req *jsonrpc2.Request) (any, error) {
	method, params := req.Method(), json.RawMessage(req.Params())
	if !req.IsCall() {
		if method == acp.MethodSessionUpdate {
			c.update(params)
		}
		return nil, nil
	}
	c.mu.Lock()
	c.asked = append(c.asked, method)
	c.changed.Broadcast()
	c.mu.Unlock()
	jsonrpc2.Async(ctx)
	if c.answer == nil {
		return nil, acp.Errorf(jsonrpc2.MethodNotFound, "the client has no %s", method)
	}
	return c.answer(ctx, method, params)
}

func (c *client) update(params json.RawMessage) {
	var n acp.SessionNotification
	if err := acp.Decode(params, &n); err != nil {
		c.t.Errorf("update %s: %v", params, err)
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.screenOf(n.SessionID).fold(n.Update)
	c.changed.Broadcast()
}

func (c *client) screenOf(session string) *screen {
	if c.screens[session] == nil {
		c.screens[session] = newScreen()
	}
	return c.screens[session]
}

// see gives the accumulated state of a session to look.
func (c *client) see(session string, look func(s *screen)) {
	c.mu.Lock()
	defer c.mu.Unlock()
	look(c.screenOf(session))
}

// until waits until the state of a session is as told.
func (c *client) until(session string, what string, is func(s *screen) bool) {
	c.t.Helper()
	c.wait(what, func() bool { return is(c.screenOf(session)) })
}

// wait waits until something that a message of the server brings is so.
func (c *client) wait(what string, is func() bool) {
	c.t.Helper()
	late := false
	timer := time.AfterFunc(patience, func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		late = true
		c.changed.Broadcast()
	})
	defer timer.Stop()
	c.mu.Lock()
	defer c.mu.Unlock()
	for !is() {
		if late {
			c.t.Fatalf("not seen: %s", what)
		}
		c.changed.Wait()
	}
}

// request sends a request and decodes its result.
func (c *client) request(method string, params, result any) error {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	raw, err := c.conn.Call(ctx, method, params)
	if err != nil || result == nil {
		return err
	}
	return acp.Decode(raw, result)
}

// call is request where an error fails the test.
func (c *client) call(method string, params, result any) {
	c.t.Helper()
	if err := c.request(method, params, result); err != nil {
		c.t.Fatalf("%s: %v", method, err)
	}
}

// refused expects an error with a code, and returns its message.
func (c *client) refused(code jsonrpc2.Code, method string, params any) string {
	c.t.Helper()
	err := c.request(method, params, nil)
	var e *jsonrpc2.Error
	if !errors.As(err, &e) || e.Code != code {
		c.t.Errorf("%s %v: error %v, want code %d", method, params, err, code)
		return ""
	}
	if strings.ContainsAny(e.Message, "\r\n") || e.Message == "" {
		c.t.Errorf("%s: message %q", method, e.Message)
	}
	return e.Message
}

func (c *client) notify(method string, params any) {
	c.t.Helper()
	if err := c.conn.Notify(context.Background(), method, params); err != nil {
		c.t.Fatal(err)
	}
}

// newSession opens a session.
func (c *client) newSession() string {
	c.t.Helper()
	var r acp.NewSessionResponse
	c.call(acp.MethodSessionNew, acp.NewSessionRequest{Cwd: c.cwd}, &r)
	return r.SessionID
}

func promptOf(session, text string) acp.PromptRequest {
	return acp.PromptRequest{SessionID: session, Prompt: acp.List[acp.ContentBlock]{acp.Text(text)}}
}

// prompt runs a whole turn.
func (c *client) prompt(session, text string) acp.StopReason {
	c.t.Helper()
	var r acp.PromptResponse
	c.call(acp.MethodSessionPrompt, promptOf(session, text), &r)
	return r.StopReason
}

// outcome is how a turn in the background ended.
type outcome struct {
	reason acp.StopReason
	err    error
}

func (c *client) startPrompt(session, text string) <-chan outcome {
	done := make(chan outcome, 1)
	go func() {
		var r acp.PromptResponse
		err := c.request(acp.MethodSessionPrompt, promptOf(session, text), &r)
		done <- outcome{r.StopReason, err}
	}()
	return done
}

func (c *client) cancel(session string) {
	c.notify(acp.MethodSessionCancel, acp.SessionRequest{SessionID: session})
}

// ended waits for a turn.
func (c *client) ended(done <-chan outcome) outcome {
	c.t.Helper()
	select {
	case o := <-done:
		return o
	case <-time.After(patience):
		c.t.Fatal("the turn does not end")
		return outcome{}
	}
}

// richTurn shows a card of every kind.
func richTurn(_ context.Context, t *agent.Turn) (agent.StopReason, error) {
	id := func(n int) string { return fmt.Sprintf("%s-%d", t.ID(), n) }
	for _, e := range []agent.Event{
		agent.AgentThought{MessageID: id(0), Text: "hm"},
		agent.AgentText{MessageID: id(1), Text: "first "}, agent.AgentText{MessageID: id(1), Text: "words"},
		agent.ToolCallStarted{CallID: id(2), Name: "read", Arguments: "{}", View: &presentation.GenericCall{Title: "Read", Kind: presentation.KindRead, Locations: []presentation.FileLocation{{Path: "a.txt", Line: 3}}}},
		agent.ToolCallFinished{CallID: id(2), Result: tools.TextResult("3: text")},
		agent.ToolCallStarted{CallID: id(3), Name: "edit", MayAsk: true, View: &presentation.DiffCall{Title: "Edit a.txt", Locations: []presentation.FileLocation{{Path: "a.txt"}}}},
		agent.ToolCallPlanned{CallID: id(3), View: &presentation.DiffCall{Title: "Edit a.txt", Diffs: []presentation.FileDiff{{Path: "a.txt", NewText: "x"}}, Locations: []presentation.FileLocation{{Path: "a.txt", Line: 7}}}},
		agent.ToolCallRunning{CallID: id(3)},
		agent.ToolCallFinished{CallID: id(3), Result: tools.TextResult("ok"), View: &presentation.DiffResult{Diffs: []presentation.FileDiff{{Path: "a.txt", NewText: "x"}}}},
		agent.ToolCallStarted{CallID: id(4), Name: "bash", View: &presentation.TerminalCall{Title: "make", Description: "Build"}},
		agent.ToolCallRunning{CallID: id(4)}, agent.ToolCallOutput{CallID: id(4), Text: "out\n"}, agent.ToolCallOutput{CallID: id(4), Text: "put\n"},
		agent.ToolCallFinished{CallID: id(4), View: &presentation.TerminalResult{Output: "out\nput\n", ExitCode: ptr(2)}},
		agent.ToolCallStarted{CallID: id(5), Name: "bash", View: &presentation.TerminalCall{Title: "rm"}},
		agent.ToolCallFinished{CallID: id(5), Result: tools.Result{IsError: true, Content: []presentation.Block{presentation.Text("denied")}}},
		agent.PlanChanged{Entries: []presentation.PlanEntry{{Content: "one", Priority: "high", Status: "completed"}, {Content: "two"}}},
	} {
		t.Record(e)
	}
	return agent.EndTurn, nil
}

// absent is an absolute path of nothing.
func absent() string {
	path, err := filepath.Abs("nobody-works-here")
	if err != nil {
		panic(err)
	}
	return path
}
