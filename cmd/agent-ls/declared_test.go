package main

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
)

// object is a JSON object of a test.
type object = map[string]any

// counter is a manifest with one tool.
func counter(name string, timeoutMs int) object {
	tool := object{
		"name": name, "description": "Counts by delta.",
		"argsSchema": object{"type": "object", "required": []string{"delta"}, "properties": object{"delta": object{"type": "integer"}}},
	}
	if timeoutMs > 0 {
		tool["timeoutMs"] = timeoutMs
	}
	return object{"guidance": "Count with care.", "tools": []any{tool}}
}

// declare opens a session, new or another one, with a manifest, without
// questions.
func (c *client) declare(h home, method, session string, manifest any) {
	c.t.Helper()
	params := object{"cwd": h.cwd, "mcpServers": []any{}, "_meta": object{"agent-ls/tools": manifest}}
	if session != "" {
		params["sessionId"] = session
	}
	var made struct{ SessionID string }
	if err := json.Unmarshal(c.call(method, params), &made); err != nil {
		c.t.Fatal(err)
	}
	if c.session = made.SessionID; session != "" {
		c.session = session
	}
	c.call("session/set_mode", object{"sessionId": c.session, "modeId": "full-access"})
}

// toolCall is what a client is asked to run.
type toolCall struct {
	message
	SessionID     string
	ToolRequestID string
	Tool          string
	Args          json.RawMessage
	TurnID        string
	TurnStartedAt string
	TimeoutMs     int
}

// asked waits for a call of a declared tool.
func (c *client) asked() toolCall {
	c.t.Helper()
	call := toolCall{message: c.until("a call of a declared tool", func(m message) bool { return m.Method == "_agent-ls/tool_call" })}
	if err := json.Unmarshal(call.Params, &call); err != nil {
		c.t.Fatal(err)
	}
	return call
}

// reply answers a request of the agent; outcome is a member, result or error.
func (c *client) reply(id json.RawMessage, outcome string) {
	c.t.Helper()
	c.write(fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,%s}`, id, outcome))
}

// card is a finished card.
type card struct {
	ToolCallID string
	Status     string
	Content    []struct{ Content struct{ Text string } }
}

func (k card) text() string {
	var b strings.Builder
	for _, c := range k.Content {
		b.WriteString(c.Content.Text)
	}
	return b.String()
}

// finished waits until a card is finished.
func (c *client) finished() card {
	c.t.Helper()
	var n struct{ Update card }
	c.until("the end of a card", func(m message) bool {
		n.Update = card{}
		return m.Method == "session/update" && json.Unmarshal(m.Params, &n) == nil && (n.Update.Status == "completed" || n.Update.Status == "failed")
	})
	return n.Update
}

// commands waits for a list of the session's commands that is so.
func (c *client) commands(what string, is func(names []string) bool) {
	c.t.Helper()
	c.until("commands "+what, func(m message) bool {
		var n struct {
			Update struct{ AvailableCommands []struct{ Name string } }
		}
		if m.Method != "session/update" || json.Unmarshal(m.Params, &n) != nil || n.Update.AvailableCommands == nil {
			return false
		}
		var names []string
		for _, c := range n.Update.AvailableCommands {
			names = append(names, c.Name)
		}
		return is(names)
	})
}

func TestDeclaredToolIsRunByTheClient(t *testing.T) {
	h := newHome(t)
	c := connect(t, h)
	c.initialize()
	c.declare(h, "session/new", "", counter("count", 1234))
	turn := c.prompt(`/count {"delta":2}`)
	call := c.asked()
	if call.SessionID != c.session || call.Tool != "count" || string(call.Args) != `{"delta":2}` || call.TimeoutMs != 1234 ||
		call.TurnID == "" || call.TurnStartedAt == "" {
		t.Errorf("the client was asked %s", call.Params)
	}
	c.reply(call.ID, `"result":{"value":7}`)
	if k := c.finished(); k.ToolCallID != call.ToolRequestID || k.Status != "completed" || !strings.Contains(k.text(), `"value":7`) {
		t.Errorf("card %+v, asked as %s", k, call.ToolRequestID)
	}
	if m := c.answer(turn); m.Error != nil {
		t.Errorf("the turn ended with %+v", m.Error)
	}
}

func TestFailuresOfDeclaredTools(t *testing.T) {
	h := newHome(t)
	c := connect(t, h)
	c.initialize()
	c.declare(h, "session/new", "", counter("count", 0))
	for _, tt := range []struct{ outcome, want string }{
		{`"result":{"error":{"code":"NO_COUNTER","message":"nothing to count"}}`, "nothing to count"},
		{`"error":{"code":-32000,"message":"the page is gone"}`, "the page is gone"},
		{`"error":{"code":-32601,"message":"unknown method"}`, "go on without it"},
	} {
		turn := c.prompt(`/count {"delta":1}`)
		c.reply(c.asked().ID, tt.outcome)
		if k := c.finished(); k.Status != "failed" || !strings.Contains(k.text(), tt.want) {
			t.Errorf("%s makes the card %+v", tt.outcome, k)
		}
		c.answer(turn)
	}
	c.answer(c.prompt(`/count {"delta":"x"}`)) // and the client is not asked
}

func TestDeclaredToolThatTakesTooLong(t *testing.T) {
	h := newHome(t)
	c := connect(t, h)
	c.initialize()
	c.declare(h, "session/new", "", counter("count", 30))
	turn := c.prompt(`/count {"delta":1}`)
	call := c.asked()
	if k := c.finished(); k.Status != "failed" || !strings.Contains(k.text(), "timed out after 30ms") {
		t.Errorf("card %+v", k)
	}
	c.answer(turn)
	c.reply(call.ID, `"result":"late"`)
	turn = c.prompt(`/count {"delta":2,"timeoutMs":60000}`)
	next := c.asked()
	c.reply(next.ID, `"result":"in time"`)
	if k := c.finished(); k.ToolCallID != next.ToolRequestID || k.text() != "in time" {
		t.Errorf("card %+v", k)
	}
	c.answer(turn)
}

func TestManifestWithAFault(t *testing.T) {
	h := newHome(t)
	c := connect(t, h)
	c.initialize()
	faulty := counter("not a name", 0)
	m := c.answer(c.send("session/new", object{"cwd": h.cwd, "mcpServers": []any{}, "_meta": object{"agent-ls/tools": faulty}}))
	if m.Error == nil || m.Error.Code != -32602 || !strings.Contains(string(m.Error.Data), `"INVALID_INPUT"`) || !strings.Contains(string(m.Error.Data), "not a name") {
		t.Errorf("a faulty manifest is answered %+v", m)
	}
	if list := c.call("session/list", object{}); strings.Contains(string(list), "sessionId") {
		t.Errorf("the refused session is there: %s", list)
	}
}

func TestSetTools(t *testing.T) {
	h := newHome(t)
	c := connect(t, h)
	c.initialize()
	c.declare(h, "session/new", "", counter("first", 0))
	set := func(session string, manifest object) message {
		manifest["sessionId"] = session
		return c.answer(c.send("_agent-ls/set_tools", manifest))
	}
	turn := c.prompt(`/first {"delta":1}`)
	call := c.asked()
	if m := set(c.session, counter("second", 0)); m.Error == nil || m.Error.Code != -32600 || !strings.Contains(m.Error.Message, "between turns") {
		t.Errorf("in a turn: %+v", m)
	}
	c.reply(call.ID, `"result":1`)
	c.answer(turn)

	if m := set("none", counter("second", 0)); m.Error == nil || m.Error.Code != -32002 {
		t.Errorf("of an unknown session: %+v", m)
	}
	if m := set(c.session, object{"tools": "none"}); m.Error == nil || m.Error.Code != -32602 || !strings.Contains(string(m.Error.Data), "tools must be an array") {
		t.Errorf("of no manifest: %+v", m)
	}
	c.send("_agent-ls/set_tools", object{"sessionId": c.session, "tools": counter("second", 0)["tools"]})
	c.commands("with second", func(names []string) bool { return slices.Contains(names, "second") })
	turn = c.prompt(`/second {"delta":1}`)
	c.reply(c.asked().ID, `"result":1`)
	c.answer(turn)
	c.send("_agent-ls/set_tools", object{"sessionId": c.session, "tools": []any{}})
	c.commands("without second", func(names []string) bool { return !slices.Contains(names, "second") })
}

func TestToolsAreDeclaredAnewWithEachOpening(t *testing.T) {
	h := newHome(t)
	c := connect(t, h)
	c.initialize()
	c.declare(h, "session/new", "", counter("count", 0))
	turn := c.prompt(`/count {"delta":1}`)
	c.reply(c.asked().ID, `"result":1`)
	c.answer(turn)
	id := c.session
	c.call("session/close", object{"sessionId": id})
	for _, method := range []string{"session/load", "session/resume"} {
		name := strings.ReplaceAll(method, "session/", "")
		c.declare(h, method, id, counter(name, 0))
		turn := c.prompt("/" + name + ` {"delta":1}`)
		if call := c.asked(); call.Tool != name {
			t.Errorf("asked for %s", call.Tool)
		} else {
			c.reply(call.ID, `"result":1`)
		}
		c.answer(turn)
		c.call("session/close", object{"sessionId": id})
	}
}

func TestSessionClosesWhileADeclaredToolRuns(t *testing.T) {
	h := newHome(t)
	c := connect(t, h)
	c.initialize()
	c.declare(h, "session/new", "", counter("count", 0))
	turn := c.prompt(`/count {"delta":1}`)
	call := c.asked()
	closing := c.send("session/close", object{"sessionId": c.session})
	c.until("the withdrawal of the call", func(m message) bool {
		return m.Method == "$/cancel_request" && strings.Contains(string(m.Params), string(call.ID))
	})
	answers := map[string]bool{turn: true, closing: true}
	for len(answers) > 0 {
		m := c.until("the answers to the prompt and to close", func(m message) bool { return answers[string(m.ID)] && m.Method == "" })
		delete(answers, string(m.ID))
	}
}
