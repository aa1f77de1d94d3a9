package agent

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"go.lsp.dev/jsonrpc2"

	"github.com/agent-ls/agent-ls/acp"
	"github.com/agent-ls/agent-ls/agent"
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
