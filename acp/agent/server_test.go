package agent

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"
	"time"

	"go.lsp.dev/jsonrpc2"

	"github.com/agent-ls/agent-ls/acp"
	"github.com/agent-ls/agent-ls/agent"
	"github.com/agent-ls/agent-ls/presentation"
)

func TestInitialize(t *testing.T) {
	for _, asked := range []int{0, 1, 2, 65535, -5} {
		c := start(t, setup{cold: true, options: Options{Version: "9"}})
		c.refused(jsonrpc2.InvalidRequest, acp.MethodSessionNew, acp.NewSessionRequest{Cwd: c.cwd})
		c.notify(acp.MethodSessionCancel, acp.SessionRequest{SessionID: "x"})
		var r acp.InitializeResponse
		c.call(acp.MethodInitialize, map[string]any{"protocolVersion": asked, "info": map[string]string{"name": "v2"}}, &r)
		if r.ProtocolVersion != 1 || r.AgentInfo.Name != "agent-ls" || r.AgentInfo.Version != "9" {
			t.Errorf("asked %d: %+v", asked, r)
		}
		if caps := r.AgentCapabilities; !caps.LoadSession || !caps.PromptCapabilities.Image || caps.PromptCapabilities.Audio || caps.McpCapabilities.HTTP || caps.SessionCapabilities.Resume == nil {
			t.Errorf("capabilities %+v", caps)
		}
		if msg := c.refused(jsonrpc2.InvalidRequest, acp.MethodInitialize, map[string]int{"protocolVersion": 1}); !strings.Contains(msg, "already") {
			t.Errorf("a second initialize: %s", msg)
		}
	}
}

// TestInitializedElsewhere is the language server's way: what the client offers
// is known, and initializing once replaces it.
func TestInitializedElsewhere(t *testing.T) {
	known := acp.InitializeRequest{ClientCapabilities: acp.ClientCapabilities{Terminal: true}}
	c := start(t, setup{cold: true, options: Options{
		InitializeMethod: "acp/initialize", Client: &known, Doors: func() agent.FrontEnd { return agent.FrontEnd{} },
	}})
	s := c.newSession()
	if session, _ := c.hub.Get(s); session.FrontEnd().Runner != nil || session.FrontEnd().Reader != nil {
		t.Error("the client's terminals and files are used although others open the doors")
	}
	c.refused(jsonrpc2.MethodNotFound, acp.MethodInitialize, map[string]int{"protocolVersion": 1})
	c.call("acp/initialize", map[string]any{"protocolVersion": 1, "clientCapabilities": map[string]any{"_meta": map[string]bool{"terminal_output": true}}}, nil)
	if c.server.channel() != displayed {
		t.Error("the second word of the client does not count")
	}
}

func TestParamsAreChecked(t *testing.T) {
	c := start(t, setup{})
	s := c.newSession()
	meta := func(m map[string]any) map[string]any { return m }
	for _, tt := range []struct {
		code   jsonrpc2.Code
		method string
		params any
		says   string
	}{
		{-32602, "session/new", meta(map[string]any{"cwd": "rel", "mcpServers": []any{}}), "absolute"},
		{-32602, "session/new", meta(map[string]any{"cwd": "", "mcpServers": []any{}}), "absolute"},
		{-32602, "session/new", meta(map[string]any{"cwd": "~/x", "mcpServers": []any{}}), "absolute"},
		{-32602, "session/new", meta(map[string]any{"mcpServers": []any{}}), "cwd"},
		{-32602, "session/new", meta(map[string]any{"cwd": nil}), "cwd"},
		{-32602, "session/new", meta(map[string]any{"cwd": 42}), "cwd"},
		{-32602, "session/new", nil, "cwd"},
		{-32602, "session/new", meta(map[string]any{"cwd": c.cwd, "additionalDirectories": []any{c.cwd, "rel"}}), "additionalDirectories[1]"},
		{-32602, "session/load", meta(map[string]any{"sessionId": s, "cwd": "rel"}), "absolute"},
		{-32602, "session/resume", meta(map[string]any{"sessionId": s, "cwd": "rel"}), "absolute"},
		{-32002, "session/load", meta(map[string]any{"sessionId": "no-such", "cwd": c.cwd}), "no-such"},
		{-32002, "session/resume", meta(map[string]any{"sessionId": "no-such", "cwd": c.cwd}), "no-such"},
		{-32602, "session/list", meta(map[string]any{"cwd": "rel"}), "absolute"},
		{-32602, "session/list", meta(map[string]any{"cursor": "not one of ours"}), "cursor"},
		{-32002, "session/prompt", promptOf("no-such", "x"), "no-such"},
		{-32602, "session/prompt", meta(map[string]any{"sessionId": 12}), "sessionId"},
		{-32602, "session/prompt", meta(map[string]any{"sessionId": s, "prompt": "x"}), "prompt"},
		{-32602, "session/prompt", meta(map[string]any{"sessionId": s, "prompt": []any{}}), "prompt"},
		{-32602, "session/prompt", meta(map[string]any{"sessionId": s, "prompt": []any{map[string]any{"type": "audio", "data": "", "mimeType": "audio/wav"}}}), "audio"},
		{-32602, "session/prompt", meta(map[string]any{"sessionId": s, "prompt": []any{map[string]any{"type": "image", "data": "%", "mimeType": "image/png"}}}), "base64"},
		{-32602, "session/prompt", meta(map[string]any{"sessionId": s, "prompt": []any{map[string]any{"type": "resource", "resource": map[string]any{"uri": "u", "blob": "%"}}}}), "base64"},
		{-32602, "session/prompt", meta(map[string]any{"sessionId": s, "prompt": []any{map[string]any{"type": "video"}}}), "prompt[0]"},
		{-32002, "session/close", meta(map[string]any{"sessionId": "no-such"}), "no-such"},
		{-32002, "session/set_mode", meta(map[string]any{"sessionId": "no-such", "modeId": "ask"}), "no-such"},
		{-32602, "session/set_mode", meta(map[string]any{"sessionId": s, "modeId": "accept-edit"}), "accept-edits"},
		{-32602, "session/set_config_option", meta(map[string]any{"sessionId": s, "configId": "mode", "value": "full"}), "full-access"},
		{-32602, "session/set_config_option", meta(map[string]any{"sessionId": s, "configId": "model", "value": "gpt"}), "gpt"},
		{-32602, "session/set_config_option", meta(map[string]any{"sessionId": s, "configId": "modes", "value": "ask"}), "mode"},
		{-32602, "session/set_config_option", meta(map[string]any{"sessionId": s, "configId": "mode", "type": "boolean", "value": true}), "string"},
		{-32602, "session/set_config_option", meta(map[string]any{"sessionId": s, "configId": "mode", "value": 5}), "string"},
		{-32002, "session/set_config_option", meta(map[string]any{"sessionId": "no-such", "configId": "mode", "value": "ask"}), "no-such"},
		{-32601, "session/no_such_method", meta(map[string]any{}), "session/no_such_method"},
		{-32601, "authenticate", meta(map[string]any{"methodId": "x"}), "authenticate"},
		{-32601, "logout", meta(map[string]any{}), "logout"},
		{-32601, "_harness/custom_request", meta(map[string]any{"a": 1}), "_harness"},
	} {
		if msg := c.refused(tt.code, tt.method, tt.params); !strings.Contains(msg, tt.says) {
			t.Errorf("%s %v: %q does not name %q", tt.method, tt.params, msg, tt.says)
		}
	}
	c.notify("harness/unknown", map[string]int{})
	c.cancel("no-such")
	c.notify(acp.MethodSessionCancel, map[string]int{"sessionId": 5})
	c.call(acp.MethodSessionDelete, acp.SessionRequest{SessionID: "no-such"}, nil)
	if got := c.prompt(s, "still there"); got != acp.StopEndTurn {
		t.Errorf("stop reason %s", got)
	}
}

// TestNothingBeforeTheAnswer: the first line that names a new session is its
// response (field report 65).
func TestNothingBeforeTheAnswer(t *testing.T) {
	c := start(t, setup{options: Options{MCP: func(_ context.Context, s *agent.Session, _ []acp.McpServer) {
		s.Notify(agent.Notice{Severity: "warning", Title: "early"})
	}}, caps: acp.ClientCapabilities{Session: &acp.ClientSessionCapabilities{Notices: &acp.Marker{}}}})
	var r acp.NewSessionResponse
	c.call(acp.MethodSessionNew, acp.NewSessionRequest{Cwd: c.cwd, McpServers: []acp.McpServer{acp.McpServerStdio{Name: "n"}}}, &r)
	c.until(r.SessionID, "the early notice", func(s *screen) bool { return len(s.notices) == 1 && s.notices[0] == "early" })
	if first := c.wire.find(0, r.SessionID); first != c.wire.find(0, r.SessionID, `"result"`) {
		t.Errorf("line %d names the session first", first)
	}
	if c.wire.find(0, r.SessionID, "available_commands_update") < 0 {
		t.Error("no commands after session/new")
	}
	if r.Modes.CurrentModeID != "ask" || len(r.Modes.AvailableModes) != 4 || len(r.ConfigOptions) != 2 {
		t.Errorf("%+v", r)
	}
}

func TestServersThatAreNotUsed(t *testing.T) {
	for _, caps := range []acp.ClientCapabilities{{}, {Session: &acp.ClientSessionCapabilities{Notices: &acp.Marker{}}}} {
		c := start(t, setup{caps: caps})
		var r acp.NewSessionResponse
		c.call(acp.MethodSessionNew, acp.NewSessionRequest{Cwd: c.cwd, McpServers: []acp.McpServer{acp.McpServerHttp{Name: "n", URL: "http://x"}}}, &r)
		c.until(r.SessionID, "a word about the servers", func(s *screen) bool {
			return strings.Contains(strings.Join(append(s.notices, s.messages...), " "), "MCP servers of this session are not used")
		})
	}
}

func TestPromptBlocks(t *testing.T) {
	got := make(chan []presentation.Block, 1)
	c := start(t, setup{driver: func(_ context.Context, t *agent.Turn) (agent.StopReason, error) {
		got <- t.Prompt()
		return agent.EndTurn, nil
	}})
	s := c.newSession()
	c.call(acp.MethodSessionPrompt, acp.PromptRequest{SessionID: s, Meta: acp.NewMeta("traceparent", "00"), Prompt: acp.List[acp.ContentBlock]{
		acp.Text(""), acp.ImageContent{Data: "aGk=", MimeType: "image/png"}, acp.ResourceLink{URI: "file:///my%20file.txt#L1:2", Name: "my file.txt", MimeType: "text/plain"},
		acp.EmbeddedResource{Resource: acp.TextResourceContents{URI: "u", Text: "t", MimeType: "m"}}, acp.EmbeddedResource{Resource: acp.BlobResourceContents{URI: "u", Blob: "aGk="}},
	}}, nil)
	want := []presentation.Block{
		presentation.Text(""), presentation.Image([]byte("hi"), "image/png"),
		{Type: presentation.BlockLink, URI: "file:///my%20file.txt#L1:2", Name: "my file.txt", MIMEType: "text/plain"},
		{Type: presentation.BlockResource, URI: "u", Text: "t", MIMEType: "m"}, {Type: presentation.BlockResource, URI: "u", Data: []byte("hi")},
	}
	if blocks := <-got; !reflect.DeepEqual(blocks, want) {
		t.Errorf("got %+v", blocks)
	}
}

func TestTurnsThatFail(t *testing.T) {
	var fail error
	c := start(t, setup{driver: func(context.Context, *agent.Turn) (agent.StopReason, error) { return "", fail }})
	s := c.newSession()
	for _, tt := range []struct {
		err  error
		says string
		data string
	}{
		{&agent.ProviderError{Status: 500, Message: "upstream\nsays 500", Err: errors.New("secret detail")}, "upstream says 500", `{"kind":"provider","status":500}`},
		{&agent.ProviderError{Status: 401, Message: "bad key"}, "bad key", `{"kind":"provider","status":401}`},
		{errors.New("boom"), "boom", ``},
	} {
		fail = tt.err
		err := c.request(acp.MethodSessionPrompt, promptOf(s, "go"), nil)
		var e *jsonrpc2.Error
		if !errors.As(err, &e) || e.Code != jsonrpc2.InternalError || !strings.Contains(e.Message, tt.says) || strings.Contains(e.Message, "\n") || string(e.Data) != tt.data {
			t.Errorf("%v: answered %#v", tt.err, err)
		}
	}
}

// waitForCancel is a driver that ends when it is cancelled, not before.
func waitForCancel(ctx context.Context, t *agent.Turn) (agent.StopReason, error) {
	t.Record(agent.ToolCallStarted{CallID: t.ID(), Name: "sleep", View: &presentation.GenericCall{Title: "sleep"}})
	<-ctx.Done()
	return agent.StopCancelled, nil
}

// TestCancelInTheNextLine writes prompt and cancel at once: the cancel hits.
func TestCancelInTheNextLine(t *testing.T) {
	c := start(t, setup{driver: waitForCancel})
	s := c.newSession()
	for i := range 50 {
		lines := fmt.Sprintf(`{"jsonrpc":"2.0","id":"p%d","method":"session/prompt","params":{"sessionId":%q,"prompt":[{"type":"text","text":"x"}]}}`+"\n"+
			`{"jsonrpc":"2.0","method":"session/cancel","params":{"sessionId":%q}}`+"\n", i, s, s)
		if _, err := io.WriteString(c.raw, lines); err != nil {
			t.Fatal(err)
		}
		// Another request tells when the answer must be there: a prompt that
		// was not hit would not end at all.
		c.wait("the answer", func() bool { return c.wire.find(0, fmt.Sprintf(`"id":"p%d"`, i), `"stopReason":"cancelled"`) >= 0 })
	}
	c.see(s, func(s *screen) {
		for _, card := range s.cards() {
			if card.Status != acp.StatusFailed {
				t.Errorf("card %s is %s", card.ID, card.Status)
			}
		}
	})
}

// TestCancelOfARequest ends a turn by $/cancel_request, as session/cancel does.
func TestCancelOfARequest(t *testing.T) {
	c := start(t, setup{driver: waitForCancel})
	s := c.newSession()
	if _, err := io.WriteString(c.raw, fmt.Sprintf(`{"jsonrpc":"2.0","id":"p","method":"session/prompt","params":{"sessionId":%q,"prompt":[{"type":"text","text":"x"}]}}`+"\n"+
		`{"jsonrpc":"2.0","method":"$/cancel_request","params":{"requestId":"p"}}`+"\n", s)); err != nil {
		t.Fatal(err)
	}
	c.wait("the answer", func() bool { return c.wire.find(0, `"id":"p"`, `"stopReason":"cancelled"`) >= 0 })
}

// TestRandomCancels races cancels with turns that end by themselves: there is
// exactly one answer, and nothing of the turn after it (field report 50).
func TestRandomCancels(t *testing.T) {
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	random := rand.New(rand.NewPCG(seed, 1))
	rounds := 1000
	if testing.Short() {
		rounds = 100
	}
	work := func(ctx context.Context, t *agent.Turn) (agent.StopReason, error) {
		for n := range 3 {
			id := fmt.Sprintf("%s-%d", t.ID(), n)
			t.Record(agent.ToolCallStarted{CallID: id, Name: "x", View: &presentation.TerminalCall{Title: "x"}})
			t.Record(agent.ToolCallOutput{CallID: id, Text: "o"})
			if ctx.Err() != nil {
				return agent.StopCancelled, nil
			}
			t.Record(agent.ToolCallFinished{CallID: id, View: &presentation.TerminalResult{Output: "o", ExitCode: ptr(0)}})
		}
		return agent.EndTurn, nil
	}
	c := start(t, setup{driver: work})
	s := c.newSession()
	reasons := map[acp.StopReason]int{}
	for range rounds {
		done := c.startPrompt(s, "go")
		delay := time.Duration(random.IntN(400)) * time.Microsecond
		timer := time.NewTimer(delay)
		select {
		case <-timer.C:
			c.cancel(s)
		case o := <-done:
			done = nil
			reasons[o.reason]++
		}
		timer.Stop()
		if done != nil {
			o := c.ended(done)
			if o.err != nil {
				t.Fatal(o.err)
			}
			reasons[o.reason]++
		}
	}
	t.Logf("%v", reasons)
	if len(reasons) == 0 || reasons[acp.StopEndTurn]+reasons[acp.StopCancelled] != rounds {
		t.Errorf("reasons %v", reasons)
	}
	c.see(s, func(s *screen) {
		for _, p := range s.problems {
			t.Error(p)
		}
		for _, card := range s.cards() {
			if !ended(card.Status) {
				t.Errorf("card %s is %s", card.ID, card.Status)
			}
		}
	})
	c.checkTurns(s, rounds)
}

// checkTurns looks at the wire: between the answer of a prompt and the next
// prompt there is no update of a turn.
func (c *client) checkTurns(session string, turns int) {
	c.t.Helper()
	c.wire.mu.Lock()
	defer c.wire.mu.Unlock()
	answers, running := 0, false
	for _, line := range c.wire.lines {
		switch {
		case strings.Contains(line, `"method":"session/prompt"`):
			running = true
		case strings.Contains(line, `"stopReason"`):
			answers, running = answers+1, false
		case !running && (strings.Contains(line, `"tool_call`) || strings.Contains(line, `_chunk"`)):
			c.t.Fatalf("after the answer: %s", line)
		}
	}
	if answers != turns {
		c.t.Errorf("%d answers to %d prompts", answers, turns)
	}
}

// TestPromptsQueue: a second prompt waits, and nothing of it comes before the
// answer of the first.
func TestPromptsQueue(t *testing.T) {
	release := make(chan struct{})
	started := make(chan struct{}, 2)
	c := start(t, setup{driver: func(ctx context.Context, t *agent.Turn) (agent.StopReason, error) {
		t.Record(agent.AgentText{MessageID: t.ID(), Text: t.Prompt()[0].Text})
		started <- struct{}{}
		<-release
		return agent.EndTurn, nil
	}})
	s := c.newSession()
	one := c.startPrompt(s, "one")
	<-started
	two := c.startPrompt(s, "two")
	c.wait("the second prompt on the wire", func() bool { return c.wire.find(1, `"session/prompt"`) >= 0 })
	close(release)
	for _, done := range []<-chan outcome{one, two} {
		if o := c.ended(done); o.reason != acp.StopEndTurn || o.err != nil {
			t.Errorf("%+v", o)
		}
	}
	if answer, next := c.wire.find(0, `"stopReason"`), c.wire.find(0, `agent_message_chunk`, `"two"`); answer > next {
		t.Errorf("the first answer is line %d, the second turn began at %d", answer, next)
	}
}

func TestModesAndOptionsAreInStep(t *testing.T) {
	c := start(t, setup{models: []agent.ModelInfo{{ID: "big", Name: "Big", Description: "d"}}})
	s := c.newSession()
	c.call(acp.MethodSetMode, acp.SetSessionModeRequest{SessionID: s, ModeID: "read-only"}, nil)
	value := func(options []acp.SessionConfigOption, id string) string {
		for _, o := range options {
			if o, ok := o.(acp.SessionConfigSelect); ok && o.ID == id {
				return o.CurrentValue
			}
		}
		return "none"
	}
	c.see(s, func(s *screen) {
		if s.mode != "read-only" || value(s.options, "mode") != "read-only" || len(s.options) != 2 {
			t.Errorf("mode %s, options %+v, before the answer", s.mode, s.options)
		}
		s.commands = []acp.AvailableCommand{{Name: "old"}}
	})
	var r acp.SetSessionConfigOptionResponse
	c.call(acp.MethodSetConfigOption, acp.SetSessionConfigOptionRequest{SessionID: s, ConfigID: "mode", Value: json.RawMessage(`"full-access"`)}, &r)
	if value(r.ConfigOptions, "mode") != "full-access" || value(r.ConfigOptions, "model") != "direct" {
		t.Errorf("%+v", r)
	}
	c.see(s, func(s *screen) {
		if s.mode != "full-access" {
			t.Errorf("mode %s", s.mode)
		}
	})
	c.call(acp.MethodSetConfigOption, acp.SetSessionConfigOptionRequest{SessionID: s, ConfigID: "model", Value: json.RawMessage(`"big"`)}, &r)
	c.see(s, func(s *screen) {
		if value(r.ConfigOptions, "model") != "big" || value(s.options, "model") != "big" {
			t.Errorf("model %s, shown %s", value(r.ConfigOptions, "model"), value(s.options, "model"))
		}
		if len(s.commands) != 0 {
			t.Errorf("a model that is no program has the commands %v", s.commands)
		}
	})
}

// TestLoadShowsWhatWas: the cards of a loaded session are those that were shown
// live, all before the answer; resume shows nothing.
func TestLoadShowsWhatWas(t *testing.T) {
	for name, caps := range map[string]acp.ClientCapabilities{
		"displayed": {Meta: acp.NewMeta("terminal_output", true)}, "fenced": {},
	} {
		t.Run(name, func(t *testing.T) {
			state := t.TempDir()
			first := start(t, setup{driver: richTurn, caps: caps, state: state})
			s := first.newSession()
			first.prompt(s, "do it")
			var live *screen
			first.see(s, func(s *screen) { live = s })
			first.call(acp.MethodSessionClose, acp.SessionRequest{SessionID: s}, nil)
			first.refused(acp.CodeNotFound, acp.MethodSessionPrompt, promptOf(s, "x"))

			second := start(t, setup{caps: caps, state: state})
			second.call(acp.MethodSessionLoad, acp.LoadSessionRequest{SessionID: s, Cwd: first.cwd}, nil)
			second.see(s, func(loaded *screen) {
				liveCards, _ := json.MarshalIndent(live.cards(), "", " ")
				loadedCards, _ := json.MarshalIndent(loaded.cards(), "", " ")
				if string(liveCards) != string(loadedCards) {
					t.Errorf("live\n%s\nloaded\n%s", liveCards, loadedCards)
				}
				if want := append([]string{"user: do it"}, live.messages...); !reflect.DeepEqual(loaded.messages, want) {
					t.Errorf("messages %q, want %q", loaded.messages, want)
				}
				if !reflect.DeepEqual(loaded.plan, live.plan) || len(loaded.plan) != 2 || loaded.title != live.title {
					t.Errorf("plan %+v, title %q", loaded.plan, loaded.title)
				}
				if len(loaded.problems)+len(live.problems) > 0 {
					t.Errorf("%v %v", live.problems, loaded.problems)
				}
			})
			second.call(acp.MethodSessionLoad, acp.LoadSessionRequest{SessionID: s, Cwd: first.cwd}, nil) // once more: replaced
			second.prompt(s, "go on")

			third := start(t, setup{caps: caps, state: state})
			third.refused(jsonrpc2.InternalError, acp.MethodSessionResume, acp.ResumeSessionRequest{SessionID: s, Cwd: first.cwd})
			second.call(acp.MethodSessionClose, acp.SessionRequest{SessionID: s}, nil)
			third.call(acp.MethodSessionResume, acp.ResumeSessionRequest{SessionID: s, Cwd: first.cwd}, nil)
			third.until(s, "commands", func(*screen) bool { return third.wire.find(0, "available_commands_update") >= 0 })
			third.see(s, func(s *screen) {
				if len(s.messages)+len(s.cards()) > 0 {
					t.Errorf("resume shows %q and %d cards", s.messages, len(s.cards()))
				}
			})
		})
	}
}

func TestListAndDelete(t *testing.T) {
	c := start(t, setup{state: t.TempDir()})
	s := c.newSession()
	c.prompt(s, "a title")
	list := func(cwd string) []acp.SessionInfo {
		var r acp.ListSessionsResponse
		c.call(acp.MethodSessionList, acp.ListSessionsRequest{Cwd: cwd}, &r)
		return r.Sessions
	}
	got := list(c.cwd + "/")
	if len(got) != 1 || got[0].SessionID != s || got[0].Title != "a title" || got[0].Cwd != c.cwd+"/" {
		t.Fatalf("%+v", got)
	}
	if _, err := time.Parse(time.RFC3339, got[0].UpdatedAt); err != nil {
		t.Error(err)
	}
	if got := list(absent()); len(got) != 0 {
		t.Errorf("%+v", got)
	}
	c.call(acp.MethodSessionDelete, acp.SessionRequest{SessionID: s}, nil)
	if got := list(""); len(got) != 0 {
		t.Errorf("after delete %+v", got)
	}
	c.refused(acp.CodeNotFound, acp.MethodSessionPrompt, promptOf(s, "x"))
}

// TestCloseCancels: close ends a running turn as cancelled.
func TestCloseCancels(t *testing.T) {
	c := start(t, setup{driver: waitForCancel})
	s := c.newSession()
	done := c.startPrompt(s, "x")
	c.until(s, "a card", func(s *screen) bool { return len(s.order) == 1 })
	c.call(acp.MethodSessionClose, acp.SessionRequest{SessionID: s}, nil)
	if o := c.ended(done); o.reason != acp.StopCancelled || o.err != nil {
		t.Errorf("%+v", o)
	}
}

// TestInputEndsInATurn: the turn ends and is answered, and nobody is left.
func TestInputEndsInATurn(t *testing.T) {
	c := start(t, setup{driver: waitForCancel})
	s := c.newSession()
	c.startPrompt(s, "x")
	c.until(s, "a card", func(s *screen) bool { return len(s.order) == 1 })
	// The cleanup of start closes the connection and waits for all.
}

func TestSeams(t *testing.T) {
	declared := make(chan acp.Meta, 1)
	c := start(t, setup{options: Options{
		Opening: func(_ context.Context, _ *agent.Session, meta acp.Meta) error {
			declared <- meta
			if _, bad := meta["bad"]; bad {
				return acp.InvalidParams("bad tools")
			}
			return nil
		},
		Methods: map[string]func(context.Context, json.RawMessage) (any, error){
			"_agent-ls/set_tools": func(_ context.Context, params json.RawMessage) (any, error) { return params, nil },
		},
		PromptMeta: func(*agent.Session) acp.Meta { return acp.NewMeta("agent-ls/checkpoint", "k1") },
	}})
	c.refused(jsonrpc2.InvalidParams, acp.MethodSessionNew, acp.NewSessionRequest{Cwd: c.cwd, Meta: acp.NewMeta("bad", true)})
	<-declared
	var r acp.NewSessionResponse
	c.call(acp.MethodSessionNew, acp.NewSessionRequest{Cwd: c.cwd, Meta: acp.NewMeta("agent-ls/tools", []int{1})}, &r)
	if meta := <-declared; string(meta["agent-ls/tools"]) != "[1]" {
		t.Errorf("%s", meta)
	}
	var back map[string]int
	c.call("_agent-ls/set_tools", map[string]int{"n": 1}, &back)
	if back["n"] != 1 {
		t.Errorf("%v", back)
	}
	var answer acp.PromptResponse
	c.call(acp.MethodSessionPrompt, promptOf(r.SessionID, "x"), &answer)
	if string(answer.Meta["agent-ls/checkpoint"]) != `"k1"` {
		t.Errorf("%+v", answer)
	}
}

// TestDoorsFollowWhatIsOffered: nothing is used that the client does not offer,
// and no terminal of the client where the agent feeds one.
func TestDoorsFollowWhatIsOffered(t *testing.T) {
	for _, tt := range []struct {
		caps                      acp.ClientCapabilities
		reader, applier, terminal bool
	}{
		{acp.ClientCapabilities{}, false, false, false},
		{acp.ClientCapabilities{FS: acp.FileSystemCapabilities{ReadTextFile: true}}, true, false, false},
		{acp.ClientCapabilities{FS: acp.FileSystemCapabilities{WriteTextFile: true}, Terminal: true}, false, true, true},
		{acp.ClientCapabilities{Terminal: true, Meta: acp.NewMeta("terminal_output", true)}, false, false, false},
		{acp.ClientCapabilities{Terminal: true, Meta: acp.NewMeta("terminal_output", "yes")}, false, false, true},
	} {
		c := start(t, setup{caps: tt.caps})
		session, _ := c.hub.Get(c.newSession())
		front := session.FrontEnd()
		if (front.Reader != nil) != tt.reader || (len(front.Appliers) > 0) != tt.applier || (front.Runner != nil) != tt.terminal {
			t.Errorf("%+v gives %+v", tt.caps, front)
		}
	}
}
