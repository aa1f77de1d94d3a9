package host_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"go.lsp.dev/jsonrpc2"

	"github.com/agent-ls/agent-ls/acp"
)

// fakeVariable makes the test binary an agent; it holds what kind of agent.
const fakeVariable = "HOST_TEST_AGENT"

func TestMain(m *testing.M) {
	if raw := os.Getenv(fakeVariable); raw != "" {
		os.Exit(runFake(raw))
	}
	os.Exit(m.Run())
}

// fake is what an agent of the tests is like.
type fake struct {
	Hello acp.InitializeResponse `json:"hello"`
	New   acp.NewSessionResponse `json:"new"`
	// Known is a file that names the sessions that the agent remembers, one a
	// line; Log one that gets the methods that it was asked.
	Known string `json:"known,omitempty"`
	Log   string `json:"log,omitempty"`
	// Login says that a session needs authenticate first, LateLogin that a prompt
	// does.
	Login     bool `json:"login,omitempty"`
	LateLogin bool `json:"lateLogin,omitempty"`
	// Slow says that initialize is never answered.
	Slow bool `json:"slow,omitempty"`
	// Replay are updates that session/load sends.
	Replay []json.RawMessage `json:"replay,omitempty"`
}

// step is one thing that the fake agent does in a turn. The prompt is a list of
// them in JSON.
type step struct {
	Update json.RawMessage   `json:"update,omitempty"`
	Ask    string            `json:"ask,omitempty"` // a method
	Params map[string]any    `json:"params,omitempty"`
	Write  map[string]string `json:"write,omitempty"`
	Print  string            `json:"print,omitempty"`
	Stderr string            `json:"stderr,omitempty"`
	Spawn  bool              `json:"spawn,omitempty"` // a process in the agent's group
	Exit   int               `json:"exit,omitempty"`
	Hang   bool              `json:"hang,omitempty"` // until cancelled
	Deaf   bool              `json:"deaf,omitempty"` // for ever
	Fail   string            `json:"fail,omitempty"` // answers an error
	Stop   string            `json:"stop,omitempty"`
}

type fakeAgent struct {
	fake
	conn *acp.Conn

	loggedIn  bool
	last      string
	cancelled chan struct{}
}

func runFake(raw string) int {
	a := &fakeAgent{cancelled: make(chan struct{}, 1)}
	if err := acp.Decode([]byte(raw), &a.fake); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 2
	}
	a.conn = acp.NewConn(standard{}, acp.Options{})
	a.conn.Go(context.Background(), a.handle)
	<-a.conn.Done()
	return 0
}

// standard is the two standard streams as one connection.
type standard struct{}

func (standard) Read(p []byte) (int, error)  { return os.Stdin.Read(p) }
func (standard) Write(p []byte) (int, error) { return os.Stdout.Write(p) }
func (standard) Close() error                { return os.Stdin.Close() }

func (a *fakeAgent) note(method string) {
	if a.Log == "" {
		return
	}
	f, err := os.OpenFile(a.Log, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err == nil {
		fmt.Fprintln(f, method)
		f.Close()
	}
}

func (a *fakeAgent) handle(ctx context.Context, req *jsonrpc2.Request) (any, error) {
	a.note(req.Method())
	params := json.RawMessage(req.Params())
	switch req.Method() {
	case acp.MethodInitialize:
		if a.Slow {
			<-ctx.Done()
		}
		a.Hello.ProtocolVersion = max(a.Hello.ProtocolVersion, acp.Version)
		return a.Hello, nil
	case acp.MethodAuthenticate:
		var p acp.AuthenticateRequest
		if err := acp.Decode(params, &p); err != nil || p.MethodID != "key" {
			return nil, acp.InvalidParams("no such way")
		}
		a.loggedIn = true
		return acp.Empty{}, nil
	case acp.MethodSessionNew:
		return a.newSession()
	case acp.MethodSessionLoad, acp.MethodSessionResume:
		return a.reopen(ctx, req.Method(), params)
	case acp.MethodSessionFork:
		return acp.NewSessionResponse{SessionID: "theirs-0"}, nil
	case acp.MethodSessionList:
		return a.list(params)
	case acp.MethodSessionPrompt:
		var p acp.PromptRequest
		if err := acp.Decode(params, &p); err != nil {
			return nil, err
		}
		if a.LateLogin && !a.loggedIn {
			return nil, acp.Errorf(acp.CodeAuthRequired, "Authentication required")
		}
		jsonrpc2.Async(ctx)
		return a.prompt(p)
	case acp.MethodSetMode, acp.MethodSetConfigOption:
		return a.set(params)
	case acp.MethodSessionCancel:
		a.cancelled <- struct{}{}
	}
	return acp.Empty{}, nil
}

func (a *fakeAgent) newSession() (any, error) {
	if a.Login && !a.loggedIn {
		return nil, acp.Errorf(acp.CodeAuthRequired, "Authentication required")
	}
	a.New.SessionID = fmt.Sprintf("theirs-%d", os.Getpid())
	if a.Known != "" {
		if err := os.WriteFile(a.Known, []byte(a.New.SessionID), 0o600); err != nil {
			return nil, err
		}
	}
	return a.New, nil
}

// list lists what the agent remembers, a session a page.
func (a *fakeAgent) list(params json.RawMessage) (any, error) {
	var p acp.ListSessionsRequest
	if err := acp.Decode(params, &p); err != nil {
		return nil, err
	}
	page := acp.ListSessionsResponse{NextCursor: "more"}
	if p.Cursor == "" {
		page.Sessions = acp.List[acp.SessionInfo]{{SessionID: "odd", Cwd: "relative"}, {SessionID: "other", Cwd: filepath.Join(p.Cwd, "sub")}}
		return page, nil
	}
	known, err := os.ReadFile(a.Known)
	if err != nil {
		return nil, err
	}
	page.NextCursor = ""
	page.Sessions = acp.List[acp.SessionInfo]{{SessionID: string(known), Cwd: p.Cwd, Title: "Theirs", UpdatedAt: "2026-01-02T03:04:05Z"}}
	return page, nil
}

func (a *fakeAgent) reopen(ctx context.Context, method string, params json.RawMessage) (any, error) {
	var p acp.LoadSessionRequest
	if err := acp.Decode(params, &p); err != nil {
		return nil, err
	}
	known, err := os.ReadFile(a.Known)
	if err != nil || string(known) != p.SessionID {
		return nil, acp.NotFound("no session %s", p.SessionID)
	}
	if method == acp.MethodSessionLoad {
		for _, u := range a.Replay {
			a.update(ctx, p.SessionID, u)
		}
	}
	return acp.LoadSessionResponse{Modes: a.New.Modes, ConfigOptions: a.New.ConfigOptions}, nil
}

func (a *fakeAgent) set(params json.RawMessage) (any, error) {
	var p struct {
		ConfigID string          `json:"configId,omitempty"`
		Value    json.RawMessage `json:"value,omitempty"`
	}
	if err := acp.Decode(params, &p); err != nil {
		return nil, err
	}
	for i, o := range a.New.ConfigOptions {
		switch o := o.(type) {
		case acp.SessionConfigSelect:
			if o.ID == p.ConfigID {
				if acp.Decode(p.Value, &o.CurrentValue) != nil || o.CurrentValue == "bad" {
					return nil, acp.InvalidParams("no such value")
				}
				a.New.ConfigOptions[i] = o
			}
		case acp.SessionConfigBoolean:
			if o.ID == p.ConfigID && acp.Decode(p.Value, &o.CurrentValue) != nil {
				return nil, acp.InvalidParams("no boolean")
			} else if o.ID == p.ConfigID {
				a.New.ConfigOptions[i] = o
			}
		}
	}
	return acp.SetSessionConfigOptionResponse{ConfigOptions: a.New.ConfigOptions}, nil
}

func (a *fakeAgent) update(ctx context.Context, session string, u json.RawMessage) {
	raw, _ := json.Marshal(map[string]any{"sessionId": session, "update": u})
	_ = a.conn.Notify(ctx, acp.MethodSessionUpdate, json.RawMessage(raw))
}

// say sends a text that the tests read.
func (a *fakeAgent) say(session, format string, args ...any) {
	raw, _ := json.Marshal(map[string]any{
		"sessionUpdate": "agent_message_chunk", "content": map[string]string{"type": "text", "text": fmt.Sprintf(format, args...) + "\n"},
	})
	a.update(context.Background(), session, raw)
}

func (a *fakeAgent) prompt(p acp.PromptRequest) (any, error) {
	var steps []step
	text := ""
	if t, ok := p.Prompt[0].(acp.TextContent); ok {
		text = t.Text
	}
	if err := json.Unmarshal([]byte(text), &steps); err != nil {
		raw, _ := acp.Encode(p.Prompt)
		a.say(p.SessionID, "prompt %s", raw)
	}
	for _, s := range steps {
		if done, result, err := a.do(p.SessionID, s); done {
			return result, err
		}
	}
	return acp.PromptResponse{StopReason: acp.StopEndTurn}, nil
}

// do does one step; done ends the turn.
func (a *fakeAgent) do(session string, s step) (done bool, result any, err error) {
	switch {
	case s.Update != nil:
		a.update(context.Background(), session, s.Update)
	case s.Ask != "":
		a.ask(session, s)
	case s.Print != "":
		fmt.Println(s.Print)
	case s.Stderr != "":
		fmt.Fprintln(os.Stderr, s.Stderr)
	case s.Spawn:
		c := exec.Command("sleep", "300")
		c.Stdout = nil
		if err := c.Start(); err != nil {
			return true, nil, err
		}
		a.say(session, "pid %d", c.Process.Pid)
	case s.Exit != 0:
		os.Exit(s.Exit)
	case s.Hang:
		a.say(session, "hangs")
		<-a.cancelled
		return true, acp.PromptResponse{StopReason: acp.StopCancelled}, nil
	case s.Deaf:
		a.say(session, "deaf")
		select {}
	case s.Fail != "":
		return true, nil, acp.WithData(acp.Errorf(jsonrpc2.InternalError, "failed"), map[string]string{"details": s.Fail})
	case s.Stop != "":
		return true, acp.PromptResponse{StopReason: acp.StopReason(s.Stop)}, nil
	}
	for path, text := range s.Write {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			return true, nil, err
		}
	}
	return false, nil, nil
}

// ask asks the client and says what it answered. "$" as a terminal's id is the
// one that was made last.
func (a *fakeAgent) ask(session string, s step) {
	params := map[string]any{"sessionId": session}
	for name, v := range s.Params {
		if v == "$" {
			v = a.last
		}
		params[name] = v
	}
	raw, _ := json.Marshal(params)
	answer, err := a.conn.Call(context.Background(), s.Ask, json.RawMessage(raw))
	if err != nil {
		a.say(session, "%s: error %v", s.Ask, err)
		return
	}
	var made struct {
		TerminalID string `json:"terminalId,omitempty"`
	}
	if acp.Decode(answer, &made) == nil && made.TerminalID != "" {
		a.last = made.TerminalID
	}
	a.say(session, "%s: %s", strings.TrimSpace(s.Ask), answer)
}
