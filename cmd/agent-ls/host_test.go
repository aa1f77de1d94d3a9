package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/agent-ls/agent-ls/internal/config"
)

// fileWorld is where a configuration file is all that there is.
func fileWorld(t *testing.T, text string) config.Config {
	t.Helper()
	c, err := config.Load(config.Sources{
		Cwd: t.TempDir(), Home: t.TempDir(), Flags: map[string]string{"config": "/config.toml"},
		ReadFile: func(path string) ([]byte, error) {
			if path == "/config.toml" {
				return []byte(text), nil
			}
			return nil, os.ErrNotExist
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// TestDocumentedAgents: the example of docs/agents.md is a configuration of six
// agents, and its table explains every key that an agent has.
func TestDocumentedAgents(t *testing.T) {
	text, err := os.ReadFile(filepath.Join(root, "docs", "agents.md"))
	if err != nil {
		t.Fatal(err)
	}
	doc := document{"docs/agents.md", string(text)}
	i := slices.IndexFunc(doc.fences(), func(f fence) bool { return f.lang == "toml" })
	if i < 0 {
		t.Fatal("there is no example")
	}
	c := fileWorld(t, strings.Join(doc.fences()[i].lines, "\n"))
	agents := hostedAgents(c)
	if len(agents) != 6 {
		t.Errorf("%d agents", len(agents))
	}
	used := map[string]bool{}
	for _, a := range agents {
		v := reflect.ValueOf(c.Agents[a.Name])
		for i := range v.NumField() {
			if !v.Field(i).IsZero() {
				used[strings.ToLower(v.Type().Field(i).Name)] = true
			}
		}
	}
	row := regexp.MustCompile("(?m)^\\| `([a-z]+)` \\|")
	documented := map[string]bool{}
	for _, m := range row.FindAllStringSubmatch(doc.text, -1) {
		documented[m[1]] = true
	}
	for i := range reflect.TypeFor[config.Agent]().NumField() {
		key := strings.ToLower(reflect.TypeFor[config.Agent]().Field(i).Name)
		if !documented[key] || !used[key] {
			t.Errorf("the key %s is documented: %t, in the example: %t", key, documented[key], used[key])
		}
		delete(documented, key)
	}
	if len(documented) > 0 {
		t.Errorf("there are no keys %v", documented)
	}
}

// TestUnknownAgent: the error names the nearest one and where agents are
// configured.
func TestUnknownAgent(t *testing.T) {
	c := fileWorld(t, "[acp.claude]\ncommand = \"no-such-program\"\n")
	for model, want := range map[string]string{"acp:cloude": `did you mean "claude"`, "acp:claude": "[acp.claude]"} {
		if _, ok, err := hostedAgent(c, model); !ok || err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %t, %v", model, ok, err)
		}
	}
	if _, ok, err := hostedAgent(c, "direct"); ok || err != nil {
		t.Errorf("direct: %t, %v", ok, err)
	}
	if _, _, err := hostedAgent(config.Config{}, "acp:x"); err == nil || !strings.Contains(err.Error(), "[acp.x]") {
		t.Errorf("no agents: %v", err)
	}
}

// hostingItself writes a configuration with the agent inner: agent-ls itself.
func hostingItself(t *testing.T, h home, mode string) (file string) {
	t.Helper()
	path, err := json.Marshal(h.command(t).Path)
	if err != nil {
		t.Fatal(err)
	}
	table := "[acp.inner]\ncommand = " + string(path) + "\nargs = [\"acp\", \"--model\", \"direct\"]\noptions = { mode = \"" + mode + "\" }\n"
	file = filepath.Join(h.dir, "hosted.toml")
	if err := os.WriteFile(file, []byte(table), 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

// TestHostedAgent hosts agent-ls in agent-ls: what the one does is shown by the
// other with the same cards, and asked about by it.
func TestHostedAgent(t *testing.T) {
	h := newHome(t)
	h.put(t, "a.txt", "one\n")
	file := hostingItself(t, h, "accept-edits")
	c := connect(t, h, "--config", file, "--model", "acp:inner")
	c.open(h)
	id := c.prompt("/read a.txt\n" + `/edit {"file_path":"a.txt","old_string":"one","new_string":"ONE"}` + "\n!echo hello")
	var updates []string
	m := c.until("the answer to the prompt", func(m message) bool {
		if m.Method == "session/update" {
			updates = append(updates, string(m.Params))
		}
		return m.Method == "" && string(m.ID) == id
	})
	all := strings.Join(updates, "\n")
	if m.Error != nil || h.text(t, "a.txt") != "ONE\n" {
		t.Errorf("%+v", m)
	}
	for _, want := range []string{`"name":"acp__inner__edit"`, `"type":"diff"`, `"terminal_output":{"data":"hello\n"`, `"title":"echo hello"`, "3 calls: 3 completed"} {
		if !strings.Contains(all, want) {
			t.Errorf("no update has %s\n%s", want, all)
		}
	}
	if _, code := h.output(t, "run", "--config", file, "--model", "acp:nobody", "x"); code != exitUsage {
		t.Errorf("an unknown agent: exit code %d", code)
	}
	for model, want := range map[string]string{"acp:inner": "is installed", "acp:nobody": "no agent \"nobody\" is configured"} {
		if out, _ := h.output(t, "doctor", "--config", file, "--model", model); !strings.Contains(out, want) {
			t.Errorf("doctor says of %s\n%s", model, out)
		}
	}
}

// TestHostingOverhead compares what a client is sent of a turn by an agent, and by
// the same agent when it is hosted: the bytes are bounded, the time is logged.
func TestHostingOverhead(t *testing.T) {
	const calls = 200
	h := newHome(t)
	h.put(t, "a.txt", strings.Repeat("a line of some length\n", 40))
	config := hostingItself(t, h, "full-access")
	measure := func(args ...string) (took time.Duration, updates, bytes int) {
		c := connect(t, h, args...)
		c.open(h)
		for _, n := range []int{1, calls} { // the first turn starts the agent
			updates, bytes = 0, 0
			began := time.Now()
			id := c.prompt(strings.Repeat("/read a.txt\n", n))
			c.until("the answer to the prompt", func(m message) bool {
				if m.Method == "session/update" && strings.Contains(string(m.Params), "tool_call") {
					updates++
					bytes += len(m.Params)
				}
				return m.Method == "" && string(m.ID) == id
			})
			took = time.Since(began)
		}
		return took, updates, bytes
	}
	direct, n, sent := measure("--model", "direct")
	hosted, m, passed := measure("--config", config, "--model", "acp:inner")
	t.Logf("%d calls: %v and %d bytes in %d updates; hosted %v and %d bytes in %d updates, %v more an update",
		calls, direct, sent, n, hosted, passed, m, (hosted-direct)/time.Duration(m))
	if float64(passed) > 1.05*float64(sent) {
		t.Errorf("hosted it sends %d bytes instead of %d", passed, sent)
	}
}

// hostingWithSessions is hostingItself with an agent that keeps its sessions apart
// from ours.
func hostingWithSessions(t *testing.T, h home) (file string) {
	t.Helper()
	file = hostingItself(t, h, "accept-edits")
	table, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	state, err := json.Marshal(filepath.Join(h.dir, "inner"))
	if err != nil {
		t.Fatal(err)
	}
	table = append(table, "env = { AGENT_LS_STATE_DIR = "+string(state)+" }\n"...)
	if err := os.WriteFile(file, table, 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

// listed are the ids that session/list answers for the folder of h.
func listed(t *testing.T, c *client, h home) (ids []string) {
	t.Helper()
	var list struct {
		Sessions []struct{ SessionID, Title string }
	}
	if err := json.Unmarshal(c.call("session/list", map[string]any{"cwd": h.cwd}), &list); err != nil {
		t.Fatal(err)
	}
	for _, s := range list.Sessions {
		ids = append(ids, s.SessionID)
	}
	return ids
}

// TestSessionsOfAHostedAgent: those that it has from elsewhere are in the list,
// open like ours and are listed once; one that is deleted is gone from both.
func TestSessionsOfAHostedAgent(t *testing.T) {
	h := newHome(t)
	h.put(t, "a.txt", "one\n")
	file := hostingWithSessions(t, h)
	if out, code := h.output(t, "run", "--state-dir", filepath.Join(h.dir, "inner"), "--mode", "accept-edits",
		"/read a.txt\n"+`/edit {"file_path":"a.txt","old_string":"one","new_string":"ONE"}`); code != 0 {
		t.Fatalf("the agent by itself: %s", out)
	}
	for _, method := range []string{"session/load", "session/resume"} {
		c := connect(t, h, "--config", file, "--model", "acp:inner", "--mode", "full-access")
		c.initialize()
		ids := listed(t, c, h)
		if len(ids) != 1 {
			t.Fatalf("%s: listed %q", method, ids)
		}
		c.session = ids[0]
		id := c.send(method, map[string]any{"sessionId": c.session, "cwd": h.cwd, "mcpServers": []any{}})
		seen := sessionUpdates(c, id)
		if told := strings.Contains(seen, `"user_message_chunk"`) && strings.Contains(seen, `"type":"diff"`); told != (method == "session/load") {
			t.Errorf("%s tells %s", method, seen)
		}
		if seen := sessionUpdates(c, c.prompt("!echo still here")); !strings.Contains(seen, "1 call: 1 completed") {
			t.Errorf("%s: it goes on with %s", method, seen)
		}
		if again := listed(t, c, h); !slices.Equal(again, ids) {
			t.Errorf("%s: listed %q after %q", method, again, ids)
		}
		if err := c.in.Close(); err != nil {
			t.Fatal(err)
		}
		c.left()
	}
	c := connect(t, h, "--config", file, "--model", "acp:inner")
	c.open(h)
	sessionUpdates(c, c.prompt("/ls"))
	ids := listed(t, c, h)
	if len(ids) != 2 || !slices.Contains(ids, c.session) {
		t.Errorf("with a new one: listed %q", ids)
	}
	for _, id := range ids {
		c.call("session/delete", map[string]any{"sessionId": id})
	}
	if left := listed(t, c, h); len(left) != 0 {
		t.Errorf("left %q", left)
	}
	if m := c.answer(c.send("session/load", map[string]any{"sessionId": ids[0], "cwd": h.cwd, "mcpServers": []any{}})); m.Error == nil || m.Error.Code != -32002 {
		t.Errorf("a deleted one: %+v", m)
	}
}
