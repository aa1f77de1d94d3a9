package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"
	"time"
)

// patience bounds every wait; no test passes by waiting for it.
const patience = 5 * time.Minute

// home is a folder for a program to live in.
type home struct {
	dir, cwd string
	env      []string
}

func newHome(t *testing.T) home {
	t.Helper()
	dir := t.TempDir()
	h := home{dir: dir, cwd: filepath.Join(dir, "work")}
	tmp := filepath.Join(dir, "tmp")
	for _, d := range []string{h.cwd, tmp} {
		if err := os.Mkdir(d, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	h.env = append(homeEnv(filepath.Join(dir, "home")), "XDG_RUNTIME_DIR="+runtimeDir(t), "PATH="+os.Getenv("PATH"), "TMPDIR="+tmp, "TMP="+tmp, "TEMP="+tmp, "SYSTEMROOT="+os.Getenv("SYSTEMROOT"))
	return h
}

// runtimeDir is a folder for sockets, whose paths have to be short.
func runtimeDir(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "als")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	return dir
}

// command is the program as a process of its own.
func (h home) command(t *testing.T, args ...string) *exec.Cmd {
	t.Helper()
	path, err := exec.LookPath("agent-ls")
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), path, args...)
	cmd.Dir, cmd.Env = h.cwd, h.env
	cmd.WaitDelay = 5 * time.Second
	return cmd
}

// output runs the program to its end.
func (h home) output(t *testing.T, args ...string) (stdout string, code int) {
	t.Helper()
	out, err := h.command(t, args...).Output()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	} else if err != nil {
		code = exit.ExitCode()
	}
	return string(out), code
}

// message is what an agent writes.
type message struct {
	ID     json.RawMessage
	Method string
	Params json.RawMessage
	Result json.RawMessage
	Error  *struct {
		Code    int
		Message string
		Data    json.RawMessage
	}
}

// client is the client's side of one "agent-ls acp".
type client struct {
	t        *testing.T
	cmd      *exec.Cmd
	in       io.WriteCloser
	messages chan message
	ids      int
	session  string
}

// connect starts an agent; the end of the test ends it.
func connect(t *testing.T, h home, args ...string) *client {
	t.Helper()
	c := &client{t: t, cmd: h.command(t, append([]string{"acp"}, args...)...), messages: make(chan message, 64)}
	c.cmd.Stderr = logTo(t)
	in, err := c.cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := c.cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := c.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	c.in = in
	read := make(chan struct{})
	go func() {
		defer close(read)
		c.read(out)
	}()
	t.Cleanup(func() {
		in.Close()
		for range c.messages { // the reader may be waiting for room
		}
		<-read
		c.cmd.Wait()
	})
	return c
}

// logTo returns a file that is shown when the test fails.
func logTo(t *testing.T) *os.File {
	t.Helper()
	f, err := os.Create(filepath.Join(t.TempDir(), "stderr"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if text, err := os.ReadFile(f.Name()); t.Failed() && err == nil {
			t.Logf("stderr of the program:\n%s", text)
		}
		f.Close()
	})
	return f
}

// read passes every line on; one that is no message fails the test.
func (c *client) read(out io.Reader) {
	defer close(c.messages)
	for r := bufio.NewReader(out); ; {
		line, err := r.ReadBytes('\n')
		if err != nil {
			if len(line) > 0 {
				c.t.Errorf("torn last line %.200q", line)
			}
			return
		}
		var m message
		if err := json.Unmarshal(line, &m); err != nil {
			c.t.Errorf("no message: %v: %.200q", err, line)
			continue
		}
		c.messages <- m
	}
}

// write sends a raw line.
func (c *client) write(line string) {
	c.t.Helper()
	if _, err := io.WriteString(c.in, line+"\n"); err != nil {
		c.t.Fatal(err)
	}
}

// send sends a request and returns its id.
func (c *client) send(method string, params any) string {
	c.t.Helper()
	c.ids++
	line, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": c.ids, "method": method, "params": params})
	if err != nil {
		c.t.Fatal(err)
	}
	c.write(string(line))
	return strconv.Itoa(c.ids)
}

// until returns the first message that matches, and drops those before it.
func (c *client) until(what string, match func(message) bool) message {
	c.t.Helper()
	timeout := time.After(patience)
	for {
		select {
		case m, ok := <-c.messages:
			if !ok {
				c.t.Fatalf("the agent has left before %s came", what)
			}
			if match(m) {
				return m
			}
		case <-timeout:
			c.t.Fatalf("%s did not come", what)
		}
	}
}

// answer returns the answer to a request.
func (c *client) answer(id string) message {
	c.t.Helper()
	return c.until("the answer to "+id, func(m message) bool { return m.Method == "" && string(m.ID) == id })
}

// call sends a request that must succeed.
func (c *client) call(method string, params any) json.RawMessage {
	c.t.Helper()
	m := c.answer(c.send(method, params))
	if m.Error != nil {
		c.t.Fatalf("%s: %d %s", method, m.Error.Code, m.Error.Message)
	}
	return m.Result
}

// open initializes and opens a session in the folder of h, without questions.
func (c *client) open(h home) {
	c.t.Helper()
	c.initialize()
	c.session = c.newSession(h, nil)
}

// newSession opens a session without questions and returns its id.
func (c *client) newSession(h home, meta map[string]any) string {
	c.t.Helper()
	params := map[string]any{"cwd": h.cwd, "mcpServers": []any{}}
	if meta != nil {
		params["_meta"] = meta
	}
	var made struct{ SessionID string }
	if err := json.Unmarshal(c.call("session/new", params), &made); err != nil {
		c.t.Fatal(err)
	}
	c.call("session/set_mode", map[string]any{"sessionId": made.SessionID, "modeId": "full-access"})
	return made.SessionID
}

func (c *client) initialize() {
	c.t.Helper()
	c.call("initialize", map[string]any{"protocolVersion": 1, "clientCapabilities": map[string]any{"_meta": map[string]any{"terminal_output": true}}})
}

// prompt sends a prompt and returns the id of the request.
func (c *client) prompt(text string) string {
	c.t.Helper()
	return c.send("session/prompt", map[string]any{"sessionId": c.session, "prompt": []any{map[string]any{"type": "text", "text": text}}})
}

// left waits for the end of the agent and returns its exit code.
func (c *client) left() int {
	c.t.Helper()
	timeout := time.After(patience)
	for {
		select {
		case _, ok := <-c.messages:
			if ok {
				continue
			}
			err := c.cmd.Wait()
			var exit *exec.ExitError
			if err != nil && !errors.As(err, &exit) {
				c.t.Fatal(err)
			}
			return c.cmd.ProcessState.ExitCode()
		case <-timeout:
			c.t.Fatal("the agent does not leave")
		}
	}
}
