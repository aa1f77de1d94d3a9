package main

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// mcpClient is the official SDK's client of one "agent-ls mcp".
type mcpClient struct {
	*testing.T
	*sdk.ClientSession
}

// connectMCP starts a server; ask answers its forms, nil for a client that shows
// none.
func connectMCP(t *testing.T, h home, ask func(*sdk.ElicitParams) *sdk.ElicitResult, args ...string) mcpClient {
	t.Helper()
	o := &sdk.ClientOptions{}
	if ask != nil {
		o.ElicitationHandler = func(_ context.Context, r *sdk.ElicitRequest) (*sdk.ElicitResult, error) { return ask(r.Params), nil }
	}
	cmd := h.command(t, append([]string{"mcp"}, args...)...)
	cmd.Stderr = logTo(t)
	session, err := sdk.NewClient(&sdk.Implementation{Name: "test", Version: "1"}, o).
		Connect(t.Context(), &sdk.CommandTransport{Command: cmd}, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { session.Close() })
	return mcpClient{t, session}
}

// do calls a tool and returns the text of its result.
func (c mcpClient) do(tool string, args map[string]any) (text string, r *sdk.CallToolResult) {
	c.Helper()
	r, err := c.CallTool(c.Context(), &sdk.CallToolParams{Name: tool, Arguments: args})
	if err != nil {
		c.Fatal(err)
	}
	for _, content := range r.Content {
		if t, ok := content.(*sdk.TextContent); ok {
			text += t.Text
		}
	}
	return text, r
}

func (h home) put(t *testing.T, name, text string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(h.cwd, name), []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

func (h home) text(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(h.cwd, name))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

var (
	readA = map[string]any{"file_path": "a.txt"}
	editA = map[string]any{"file_path": "a.txt", "old_string": "one", "new_string": "ONE"}
)

// TestMCPServer: the tools with their schemas, results with their cards.
func TestMCPServer(t *testing.T) {
	h := newHome(t)
	h.put(t, "a.txt", "one\ntwo\n")
	c := connectMCP(t, h, nil, "--mode", "accept-edits")
	list, err := c.ListTools(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	var want []struct{ Name string }
	out, _ := h.output(t, "tools", "--json")
	if err := json.Unmarshal([]byte(out), &want); err != nil || len(list.Tools) != len(want) {
		t.Errorf("%d tools, want %d: %v", len(list.Tools), len(want), err)
	}
	if text, r := c.do("read", readA); r.IsError || !strings.Contains(text, "1: one") {
		t.Errorf("read: %s", text)
	}
	text, r := c.do("edit", editA)
	if r.IsError || h.text(t, "a.txt") != "ONE\ntwo\n" {
		t.Errorf("edit: %s", text)
	}
	card, err := json.Marshal(r.Meta["agent-ls/card"])
	if err != nil || !strings.Contains(string(card), `"card":"diff"`) || !strings.Contains(string(card), `"line":1`) {
		t.Errorf("card %s, %v", card, err)
	}
	if text, r := c.do("edit", map[string]any{"file_path": "a.txt"}); !r.IsError || !strings.Contains(text, "old_string") {
		t.Errorf("an edit without a change: %s", text)
	}
	// What it changed waits for the user's decision in the next editor.
	ledgers, err := filepath.Glob(filepath.Join(h.dir, "home", "state", "agent-ls", "review", "*", "ledger.json"))
	if err != nil || len(ledgers) != 1 {
		t.Fatalf("ledgers %v, %v", ledgers, err)
	}
	if ledger, err := os.ReadFile(ledgers[0]); err != nil || !strings.Contains(string(ledger), "a.txt") {
		t.Errorf("the ledger does not have the change: %s, %v", ledger, err)
	}
}

// TestMCPServerAsks: the client's user, by a form; a client without forms is
// denied.
func TestMCPServerAsks(t *testing.T) {
	h := newHome(t)
	h.put(t, "a.txt", "one\n")
	c := connectMCP(t, h, nil)
	c.do("read", readA)
	if text, r := c.do("edit", editA); !r.IsError || !strings.Contains(text, "permission") && !strings.Contains(text, "approval") {
		t.Errorf("nobody to ask: %s", text)
	}
	answer := &sdk.ElicitResult{Action: "decline"}
	var asked []*sdk.ElicitParams
	c = connectMCP(t, h, func(p *sdk.ElicitParams) *sdk.ElicitResult {
		asked = append(asked, p)
		return answer
	})
	c.do("read", readA)
	if text, r := c.do("edit", editA); !r.IsError || h.text(t, "a.txt") != "one\n" {
		t.Errorf("declined: %s", text)
	}
	answer = &sdk.ElicitResult{Action: "accept", Content: map[string]any{"answer": "allow_once"}}
	if text, r := c.do("edit", editA); r.IsError || h.text(t, "a.txt") != "ONE\n" {
		t.Errorf("accepted: %s", text)
	}
	if len(asked) != 2 || !strings.Contains(asked[1].Message, "-one") || !strings.Contains(asked[1].Message, "+ONE") {
		t.Errorf("asked %+v", asked)
	}
}

// unsavedEditor answers what agent-ls asks of an ACP editor that holds unsaved text
// of one file: it gives and takes it, and allows what is asked.
func (c *client) unsavedEditor(m message, text *string) {
	c.t.Helper()
	if m.ID == nil || m.Method == "" {
		return
	}
	result := `{}`
	switch m.Method {
	case "fs/read_text_file":
		raw, err := json.Marshal(map[string]string{"content": *text})
		if err != nil {
			c.t.Fatal(err)
		}
		result = string(raw)
	case "fs/write_text_file":
		var p struct{ Content string }
		if err := json.Unmarshal(m.Params, &p); err != nil {
			c.t.Fatal(err)
		}
		*text = p.Content
	case "session/request_permission":
		result = `{"outcome":{"outcome":"selected","optionId":"allow_once"}}`
	}
	c.write(`{"jsonrpc":"2.0","id":` + string(m.ID) + `,"result":` + result + `}`)
}

// TestMCPJoinsTheEditor: a call that a terminal's MCP client makes is a card in the
// editor on the same folder, is asked about there, and sees its unsaved text.
func TestMCPJoinsTheEditor(t *testing.T) {
	h := newHome(t)
	h.put(t, "a.txt", "saved\n")
	editor := connect(t, h)
	editor.call("initialize", map[string]any{"protocolVersion": 1, "clientCapabilities": map[string]any{
		"fs": map[string]any{"readTextFile": true, "writeTextFile": true},
	}})
	editor.call("session/new", map[string]any{"cwd": h.cwd, "mcpServers": []any{}})
	unsaved := "one, typed\n"
	served, finished := make(chan struct{}), false
	var cards []string
	asked := 0
	go func() {
		defer close(served)
		editor.until("the end of the edit's card", func(m message) bool {
			if m.Method == "session/request_permission" {
				asked++
			}
			if m.Method == "session/update" {
				cards = append(cards, string(m.Params))
				finished = strings.Contains(string(m.Params), `"status":"completed"`) && len(cards) > 0 && strings.Contains(strings.Join(cards, ""), "ONE")
			}
			editor.unsavedEditor(m, &unsaved)
			return finished
		})
	}()
	terminal := connectMCP(t, h, nil)
	if text, r := terminal.do("read", readA); r.IsError || !strings.Contains(text, "one, typed") {
		t.Errorf("read: %s", text)
	}
	if text, r := terminal.do("edit", editA); r.IsError {
		t.Errorf("edit: %s", text)
	}
	<-served
	if unsaved != "ONE, typed\n" || asked != 1 || !strings.Contains(strings.Join(cards, ""), `"type":"diff"`) {
		t.Errorf("the editor holds %q, was asked %d times and shows\n%s", unsaved, asked, strings.Join(cards, "\n"))
	}
	// With a mode of its own it keeps to itself.
	alone := connectMCP(t, h, nil, "--mode", "read-only")
	if text, r := alone.do("read", readA); r.IsError || !strings.Contains(text, "1: saved") {
		t.Errorf("alone: %s", text)
	}
}
