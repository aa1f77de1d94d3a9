package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// recordSession makes a wire log of the program: a turn with a file, an edit
// that is asked about, and a command; then what more says.
func recordSession(t *testing.T, h home, more func(c *client)) (wire string) {
	t.Helper()
	wire = filepath.Join(h.dir, "wire.jsonl")
	c := connect(t, h, "--wire-log", wire)
	c.initialize()
	var made struct{ SessionID string }
	if err := json.Unmarshal(c.call("session/new", object{"cwd": h.cwd, "mcpServers": []any{}}), &made); err != nil {
		t.Fatal(err)
	}
	c.session = made.SessionID
	turn := c.prompt("/read a.txt\n/edit {\"file_path\":\"a.txt\",\"old_string\":\"old\",\"new_string\":\"new\"}\n!cat a.txt; pwd")
	for range 2 {
		question := c.until("a question", func(m message) bool { return m.Method == "session/request_permission" })
		c.reply(question.ID, `"result":{"outcome":{"outcome":"selected","optionId":"allow_once"}}`)
	}
	c.answer(turn)
	if more != nil {
		more(c)
	}
	c.in.Close()
	c.left()
	return wire
}

// write makes the file that the session reads and edits.
func (h home) write(t *testing.T, text string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(h.cwd, "a.txt"), []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// replay plays a log and returns the report.
func (h home) replay(t *testing.T, args ...string) (report struct {
	Equal       bool
	Notes       []string
	Differences []struct{ Kind, Diff string }
}, code int) {
	t.Helper()
	out, code := h.output(t, append([]string{"replay", "--json"}, args...)...)
	if err := json.Unmarshal([]byte(out), &report); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	return report, code
}

// TestReplayOfTheSame plays a log against the program that wrote it: with
// questions, a mode, a cancelled command, an unknown method.
func TestReplayOfTheSame(t *testing.T) {
	h := newHome(t)
	h.write(t, "old text\n")
	wire := recordSession(t, h, func(c *client) {
		c.call("session/set_mode", object{"sessionId": c.session, "modeId": "full-access"})
		turn := c.prompt("!echo begun; sleep 600")
		c.until("the running command", func(m message) bool { return strings.Contains(string(m.Params), `"data":"begun`) })
		c.write(`{"jsonrpc":"2.0","method":"session/cancel","params":{"sessionId":"` + c.session + `"}}`)
		c.answer(turn)
		c.answer(c.send("no/such/method", object{}))
	})
	h.write(t, "old text\n")
	if out, code := h.output(t, "replay", wire); code != 0 || !strings.Contains(out, "says what it said") {
		t.Errorf("exit code %d\n%s", code, out)
	}
	if report, code := h.replay(t, wire); code != 0 || !report.Equal || len(report.Differences) > 0 || len(report.Notes) == 0 {
		t.Errorf("exit code %d, %+v", code, report)
	}
	if text, err := os.ReadFile(filepath.Join(h.cwd, "a.txt")); string(text) != "old text\n" || err != nil {
		t.Errorf("the replay has changed the file: %q, %v", text, err)
	}
	if list, _ := h.output(t, "sessions", "list", "--json"); strings.Count(list, `"id"`) != 1 {
		t.Errorf("the replay's sessions are in the user's state:\n%s", list)
	}
}

func TestReplayShowsWhatDiffers(t *testing.T) {
	h := newHome(t)
	h.write(t, "old text\n")
	wire := recordSession(t, h, nil)
	h.write(t, "old news\n")
	report, code := h.replay(t, wire)
	var shown strings.Builder
	for _, d := range report.Differences {
		shown.WriteString(d.Kind + "\n" + d.Diff)
	}
	if code != 1 || report.Equal || !strings.Contains(shown.String(), "tool calls") ||
		!strings.Contains(shown.String(), `-          "1: old text\n",`) || !strings.Contains(shown.String(), `+          "1: old news\n",`) {
		t.Errorf("exit code %d\n%s", code, shown.String())
	}
}

func TestReplayHidesNothing(t *testing.T) {
	h := newHome(t)
	wire := filepath.Join(h.dir, "wire.jsonl")
	c := connect(t, h, "--wire-log", wire)
	c.initialize()
	c.serve(h, "full-access", []object{stdioServer(t, "local")}, "mcp__local__word")
	c.in.Close()
	c.left()
	report, _ := h.replay(t, wire)
	if notes := strings.Join(report.Notes, "\n"); !strings.Contains(notes, "1 messages of the client hold values that the log hides") {
		t.Errorf("notes:\n%s", notes)
	}
}

func TestReplayOfBadFiles(t *testing.T) {
	h := newHome(t)
	for name, text := range map[string]string{
		"empty": "", "text": "hello\n", "language-server": `{"dir":"in","msg":{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"processId":1}}}` + "\n",
	} {
		file := filepath.Join(h.dir, name)
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if out, code := h.output(t, "replay", file); code != 2 || out != "" {
			t.Errorf("%s: exit code %d, %s", name, code, out)
		}
	}
	for _, args := range [][]string{{"replay"}, {"replay", filepath.Join(h.dir, "absent")}, {"replay", "a", "b"}, {"replay", "--timeout", "soon", "a"}} {
		if out, code := h.output(t, args...); code != 2 || out != "" {
			t.Errorf("%q: exit code %d, %s", args, code, out)
		}
	}
}
