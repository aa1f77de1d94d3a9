package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestACPSession is a whole session over the pipes, and what is left of it.
func TestACPSession(t *testing.T) {
	h := newHome(t)
	if err := os.WriteFile(filepath.Join(h.cwd, "a.txt"), []byte("x\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	wire := filepath.Join(h.dir, "wire.jsonl")
	c := connect(t, h, "--wire-log", wire)
	c.open(h)
	m := c.answer(c.prompt("/read a.txt\n/edit {\"file_path\":\"a.txt\",\"old_string\":\"x\",\"new_string\":\"y\"}"))
	if m.Error != nil || !strings.Contains(string(m.Result), `"end_turn"`) {
		t.Fatalf("prompt answered %+v", m)
	}
	if text, err := os.ReadFile(filepath.Join(h.cwd, "a.txt")); err != nil || string(text) != "y\n" {
		t.Errorf("a.txt holds %q, %v", text, err)
	}
	c.in.Close()
	if code := c.left(); code != 0 {
		t.Errorf("exit code %d after the end of the input", code)
	}
	if list, _ := h.output(t, "sessions", "list"); !strings.Contains(list, c.session) {
		t.Errorf("the session is not in the list:\n%s", list)
	}
	checkWireLog(t, wire)
}

// TestACPNewSessionWritesNothing opens sessions that nobody prompts: nothing is
// written, so nothing is synced, and nothing is left behind.
func TestACPNewSessionWritesNothing(t *testing.T) {
	h := newHome(t)
	before := tree(t, h.dir)
	c := connect(t, h)
	c.open(h)
	c.newSession(h, nil)
	if after := tree(t, h.dir); !slices.Equal(before, after) {
		t.Errorf("there is\n%s\nwhere there was\n%s", strings.Join(after, "\n"), strings.Join(before, "\n"))
	}
	c.in.Close()
	c.left()
	if after := tree(t, h.dir); !slices.Equal(before, after) {
		t.Errorf("the agent left\n%s\nwhere there was\n%s", strings.Join(after, "\n"), strings.Join(before, "\n"))
	}
}

// checkWireLog checks that a wire log is lines of JSON in both directions.
func checkWireLog(t *testing.T, file string) {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]int{}
	for line := range strings.Lines(string(text)) {
		var entry map[string]any
		if err := json.Unmarshal([]byte(line), &entry); err != nil {
			t.Fatalf("wire log line %q: %v", line, err)
		}
		seen[fmt.Sprint(entry["dir"])]++
	}
	if seen["in"] < 4 || seen["out"] < 4 {
		t.Errorf("the wire log has %v lines by direction", seen)
	}
}

// TestACPGarbage sends what no client should; the connection lives on.
func TestACPGarbage(t *testing.T) {
	h := newHome(t)
	c := connect(t, h)
	for _, row := range []struct {
		line string
		code int // 0: no answer
	}{
		{"", 0}, {"  \t ", 0}, {"no json", -32700}, {`{"jsonrpc":"2.0","id":1,`, -32700}, {"\x00\xff\xfe", -32700},
		{`{"foo":1}`, -32600}, {`7`, -32600}, {`"text"`, -32600}, {`null`, -32600},
		{`{"jsonrpc":"2.0","id":90,"method":"session/new","params":{}}`, -32600},
		{`{"jsonrpc":"2.0","method":"no/such/notification","params":{}}`, 0},
	} {
		c.write(row.line)
		if row.code == 0 {
			continue
		}
		m := c.until("an answer to "+row.line, func(message) bool { return true })
		if m.Error == nil || m.Error.Code != row.code {
			t.Errorf("%q was answered %+v, want the error %d", row.line, m, row.code)
		}
	}
	c.open(h)
	for method, code := range map[string]int{"no/such/request": -32601, "session/prompt": -32602} {
		if m := c.answer(c.send(method, map[string]any{"prompt": 1})); m.Error == nil || m.Error.Code != code {
			t.Errorf("%s was answered %+v, want the error %d", method, m.Error, code)
		}
	}
	if m := c.answer(c.prompt("hello")); m.Error != nil {
		t.Errorf("a prompt after garbage: %+v", m.Error)
	}
}

// TestACPLongLine sends a prompt of nearly the limit, which is 64 MiB by
// default, then one that is over it.
func TestACPLongLine(t *testing.T) {
	limit := 64 << 20
	h := newHome(t)
	if raceDetector || testing.Short() { // it makes the program ten times as slow
		limit = 4 << 20
		h.env = append(h.env, fmt.Sprintf("AGENT_LS_LIMITS_MAX_LINE=%d", limit))
	}
	c := connect(t, h)
	c.open(h)
	id := c.prompt(strings.Repeat("long line ", (limit-1000)/10))
	if m := c.answer(id); m.Error != nil {
		t.Errorf("a line of nearly %d bytes was answered %+v", limit, m.Error)
	}
	c.prompt(strings.Repeat("long line ", (limit+1000)/10))
	m := c.until("an answer to a line that is too long", func(m message) bool { return m.Method == "" })
	if m.Error == nil || m.Error.Code != -32600 {
		t.Errorf("a line of more than %d bytes was answered %+v, want the error -32600", limit, m)
	}
	if m := c.answer(c.prompt("hello")); m.Error != nil {
		t.Errorf("a prompt after it: %+v", m.Error)
	}
}

// TestACPSecondProcess opens one session from two processes.
func TestACPSecondProcess(t *testing.T) {
	h := newHome(t)
	first, second := connect(t, h), connect(t, h)
	first.open(h)
	first.answer(first.prompt("hello"))
	second.initialize()
	load := map[string]any{"sessionId": first.session, "cwd": h.cwd, "mcpServers": []any{}}
	m := second.answer(second.send("session/load", load))
	if pid := fmt.Sprint(first.cmd.Process.Pid); m.Error == nil || !strings.Contains(m.Error.Message, pid) {
		t.Errorf("the load was answered %+v, want an error with the holder's pid %s", m.Error, pid)
	}
	if out, code := h.output(t, "sessions", "show", first.session); code != 0 || !strings.Contains(out, "> hello") {
		t.Errorf("showing an open session: exit code %d, %q", code, out)
	}
	if _, code := h.output(t, "sessions", "delete", first.session); code != exitFailed {
		t.Errorf("deleting an open session: exit code %d", code)
	}
	first.in.Close()
	first.left()
	second.call("session/load", load)
	if _, code := h.output(t, "sessions", "delete", first.session); code != exitFailed {
		t.Errorf("deleting the session that the second has: exit code %d", code)
	}
}

// TestACPDroppedClient ends the input in the middle of a line.
func TestACPDroppedClient(t *testing.T) {
	h := newHome(t)
	c := connect(t, h)
	c.open(h)
	if _, err := c.in.Write([]byte(`{"jsonrpc":"2.0","id":9,"met`)); err != nil {
		t.Fatal(err)
	}
	c.in.Close()
	c.left()
}

// TestACPDeclaredTools declares the tools of docs/acp.md and answers a call.
func TestACPDeclaredTools(t *testing.T) {
	var manifest json.RawMessage
	for _, d := range documents(t) {
		for _, f := range d.fences() {
			if d.path == "docs/acp.md" && f.lang == "json" {
				manifest = json.RawMessage(strings.Join(f.lines, "\n"))
			}
		}
	}
	h := newHome(t)
	c := connect(t, h)
	c.initialize()
	c.session = c.newSession(h, map[string]any{"agent-ls/tools": manifest})
	turn := c.prompt(`/ticket {"number": 7}`)
	asked := c.until("the call", func(m message) bool { return m.Method == "_agent-ls/tool_call" })
	var call struct {
		SessionID, Tool string
		Args            struct{ Number int }
	}
	if err := json.Unmarshal(asked.Params, &call); err != nil || call.SessionID != c.session || call.Tool != "ticket" || call.Args.Number != 7 {
		t.Errorf("the client was asked %s, %v", asked.Params, err)
	}
	c.write(fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":{"title":"A lost comma"}}`, asked.ID))
	c.until("the result", func(m message) bool {
		return m.Method == "session/update" && strings.Contains(string(m.Params), "A lost comma")
	})
	if m := c.answer(turn); m.Error != nil {
		t.Errorf("the turn: %+v", m.Error)
	}
	for _, broken := range []string{`{"tools":[{"name":"1"}]}`, `{"tools":7}`} {
		params := map[string]any{"cwd": h.cwd, "mcpServers": []any{}, "_meta": map[string]any{"agent-ls/tools": json.RawMessage(broken)}}
		if m := c.answer(c.send("session/new", params)); m.Error == nil || m.Error.Code != -32602 {
			t.Errorf("the tools %s were answered %+v, want the error -32602", broken, m)
		}
	}
}
