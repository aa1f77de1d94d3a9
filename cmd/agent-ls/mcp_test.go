package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// mcpServerName is the name by which the test binary is an MCP server.
const mcpServerName = "test-mcp-server"

// serveMCP is an MCP server on the standard streams.
func serveMCP() {
	if err := newMCPServer().Run(context.Background(), &mcp.StdioTransport{}); err != nil {
		fmt.Fprintln(os.Stderr, err)
	}
}

// newMCPServer has the tools word, which says a variable or a header; pid;
// die; and ask, which asks the user.
func newMCPServer() *mcp.Server {
	s := mcp.NewServer(&mcp.Implementation{Name: "test", Version: "1"}, nil)
	add := func(name string, run func(context.Context, *mcp.CallToolRequest) (string, error)) {
		mcp.AddTool(s, &mcp.Tool{Name: name}, func(ctx context.Context, r *mcp.CallToolRequest, _ struct{}) (*mcp.CallToolResult, any, error) {
			text, err := run(ctx, r)
			return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: text}}}, nil, err
		})
	}
	add("word", func(_ context.Context, r *mcp.CallToolRequest) (string, error) {
		if r.Extra != nil && r.Extra.Header != nil {
			return r.Extra.Header.Get("X-Word"), nil
		}
		return os.Getenv("WORD"), nil
	})
	add("pid", func(context.Context, *mcp.CallToolRequest) (string, error) { return strconv.Itoa(os.Getpid()), nil })
	add("die", func(context.Context, *mcp.CallToolRequest) (string, error) { os.Exit(3); return "", nil })
	add("ask", func(ctx context.Context, r *mcp.CallToolRequest) (string, error) {
		answer, err := r.Session.Elicit(ctx, &mcp.ElicitParams{Mode: "form", Message: "Which?", RequestedSchema: json.RawMessage(
			`{"type":"object","properties":{"pick":{"type":"string"}},"additionalProperties":false}`)})
		if err != nil {
			return "", err
		}
		return fmt.Sprint(answer.Action, " ", answer.Content["pick"]), nil
	})
	return s
}

// stdioServer is the test server as a client names it.
func stdioServer(t *testing.T, name string) object {
	t.Helper()
	path, err := exec.LookPath(mcpServerName)
	if err != nil {
		t.Fatal(err)
	}
	return object{"name": name, "command": path, "args": []string{}, "env": []object{{"name": "WORD", "value": "pong"}}}
}

// serve opens a session with servers, and waits for commands.
func (c *client) serve(h home, mode string, servers []object, commands ...string) {
	c.t.Helper()
	var made struct{ SessionID string }
	if err := json.Unmarshal(c.call("session/new", object{"cwd": h.cwd, "mcpServers": servers}), &made); err != nil {
		c.t.Fatal(err)
	}
	c.session = made.SessionID
	c.commands("with "+strings.Join(commands, " "), func(names []string) bool {
		return !slices.ContainsFunc(commands, func(name string) bool { return !slices.Contains(names, name) })
	})
	c.call("session/set_mode", object{"sessionId": c.session, "modeId": mode})
}

// cardOf runs one call and returns its card.
func (c *client) cardOf(prompt string) card {
	c.t.Helper()
	turn := c.prompt(prompt)
	k := c.finished()
	c.answer(turn)
	return k
}

func TestMCPServersOfASession(t *testing.T) {
	web := httptest.NewServer(mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return newMCPServer() }, nil))
	defer web.Close()
	defer web.CloseClientConnections()
	h := newHome(t)
	c := connect(t, h)
	c.initialize()
	c.serve(h, "full-access", []object{
		{"name": "dead", "command": "/no/such/program", "args": []string{}, "env": []object{}},
		stdioServer(t, "local"),
		{"type": "http", "name": "web", "url": web.URL, "headers": []object{{"name": "X-Word", "value": "web-pong"}}},
		{"type": "sse", "name": "old", "url": web.URL, "headers": []object{}},
	}, "mcp__local__word", "mcp__web__word")
	if k := c.cardOf("/mcp__local__word"); k.Status != "completed" || k.text() != "pong" {
		t.Errorf("the stdio server's card %+v", k)
	}
	if k := c.cardOf("/mcp__web__word"); k.Status != "completed" || k.text() != "web-pong" {
		t.Errorf("the HTTP server's card %+v", k)
	}
}

// TestUnusedServersAreTold reads what a client without notices is told.
func TestUnusedServersAreTold(t *testing.T) {
	h := newHome(t)
	c := connect(t, h)
	c.initialize()
	servers := []object{{"type": "sse", "name": "old", "url": "http://127.0.0.1:1", "headers": []object{}}}
	c.call("session/new", object{"cwd": h.cwd, "mcpServers": servers})
	c.until("a word about the server", func(m message) bool {
		return strings.Contains(string(m.Params), "agent_message_chunk") && strings.Contains(string(m.Params), `The MCP server \"old\" is not used`)
	})
}

func TestMCPToolNeedsPermission(t *testing.T) {
	h := newHome(t)
	c := connect(t, h)
	c.initialize()
	c.serve(h, "ask", []object{stdioServer(t, "local")}, "mcp__local__word")
	turn := c.prompt("/mcp__local__word")
	question := c.until("a question", func(m message) bool { return m.Method == "session/request_permission" })
	if !strings.Contains(string(question.Params), "Always allow the tool `mcp__local__word`") {
		t.Errorf("asked %s", question.Params)
	}
	c.reply(question.ID, `"result":{"outcome":{"outcome":"selected","optionId":"allow_once"}}`)
	if k := c.finished(); k.text() != "pong" {
		t.Errorf("card %+v", k)
	}
	c.answer(turn)
}

func TestMCPServerDiesInATurn(t *testing.T) {
	h := newHome(t)
	c := connect(t, h)
	c.initialize()
	c.serve(h, "full-access", []object{stdioServer(t, "local")}, "mcp__local__die")
	if k := c.cardOf("/mcp__local__die"); k.Status != "failed" || !strings.Contains(k.text(), "ended while it ran the call") {
		t.Errorf("card %+v", k)
	}
	if k := c.cardOf("/mcp__local__word"); k.Status != "completed" || k.text() != "pong" {
		t.Errorf("the next card %+v", k)
	}
}

func TestMCPServerAsksTheUser(t *testing.T) {
	h := newHome(t)
	c := connect(t, h)
	c.call("initialize", object{"protocolVersion": 1, "clientCapabilities": object{"elicitation": object{"form": object{}}}})
	c.serve(h, "full-access", []object{stdioServer(t, "local")}, "mcp__local__ask")
	turn := c.prompt("/mcp__local__ask")
	question := c.until("a question", func(m message) bool { return m.Method == "elicitation/create" })
	var asked struct {
		SessionID, ToolCallID, Mode, Message string
		RequestedSchema                      json.RawMessage
	}
	if err := json.Unmarshal(question.Params, &asked); err != nil {
		t.Fatal(err)
	}
	if asked.SessionID != c.session || asked.ToolCallID == "" || asked.Mode != "form" || asked.Message != `The MCP server "local" asks: Which?` ||
		string(asked.RequestedSchema) != `{"properties":{"pick":{"type":"string"}},"type":"object"}` {
		t.Errorf("asked %s", question.Params)
	}
	c.reply(question.ID, `"result":{"action":"accept","content":{"pick":"this"}}`)
	if k := c.finished(); k.text() != "accept this" || k.ToolCallID != asked.ToolCallID {
		t.Errorf("card %+v", k)
	}
	c.answer(turn)
}
