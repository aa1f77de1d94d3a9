package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// client is the client's side of one agent process. Only one goroutine uses
// it; another one, which kill waits for, reads what the agent writes.
type client struct {
	cmd     *exec.Cmd
	in      io.WriteCloser
	stderr  bytes.Buffer
	cwd     string
	started time.Time
	session string
	modes   []string
	id      int
	answers chan message
	reader  sync.WaitGroup

	mu   sync.Mutex
	seen progress
	word string
	at   time.Time
}

// progress is what the agent has sent of a turn.
type progress struct {
	completed int // calls
	bytes     int // lines of session/update with their ends
}

// message is a line of the protocol.
type message struct {
	ID     json.RawMessage `json:"id"`
	Method string          `json:"method"`
	Params json.RawMessage `json:"params"`
	Result json.RawMessage `json:"result"`
	Error  json.RawMessage `json:"error"`
}

// start starts a command with homes of its own in dir, and more variables.
func start(ctx context.Context, command, more []string, dir string) (*client, error) {
	c := &client{cwd: filepath.Join(dir, "work"), answers: make(chan message, 1)}
	env := append([]string{"PATH=" + os.Getenv("PATH")}, more...)
	for name, folder := range map[string]string{
		"HOME": "home", "TMPDIR": "tmp", "XDG_CONFIG_HOME": "config", "XDG_STATE_HOME": "state", "XDG_CACHE_HOME": "cache", "XDG_DATA_HOME": "data",
	} {
		folder = filepath.Join(dir, folder)
		if err := os.MkdirAll(folder, 0o700); err != nil {
			return nil, err
		}
		env = append(env, name+"="+folder)
	}
	if err := os.MkdirAll(c.cwd, 0o700); err != nil {
		return nil, err
	}
	c.cmd = exec.CommandContext(ctx, command[0], command[1:]...)
	c.cmd.Dir, c.cmd.Env, c.cmd.Stderr, c.cmd.WaitDelay = c.cwd, env, &c.stderr, 5*time.Second
	if path, err := exec.LookPath(command[0]); err == nil {
		c.cmd.Path, _ = filepath.Abs(path)
	}
	out, err := c.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if c.in, err = c.cmd.StdinPipe(); err != nil {
		return nil, err
	}
	c.started = time.Now()
	if err := c.cmd.Start(); err != nil {
		return nil, err
	}
	c.reader.Go(func() { c.read(out) })
	return c, nil
}

// read takes the agent's lines until its output ends.
func (c *client) read(out io.Reader) {
	defer close(c.answers)
	for r := bufio.NewReaderSize(out, 1<<20); ; {
		line, err := r.ReadBytes('\n')
		if err != nil {
			return
		}
		var m message
		if json.Unmarshal(line, &m) != nil {
			continue
		}
		switch {
		case m.Method == "session/update":
			c.update(line, m.Params)
		case m.Method == "":
			c.answers <- m
		case len(m.ID) > 0:
			c.permit(m)
		}
	}
}

// update counts one session/update.
func (c *client) update(line []byte, params json.RawMessage) {
	now := time.Now()
	var p struct {
		Update struct {
			Kind   string `json:"sessionUpdate"`
			Status string `json:"status"`
		} `json:"update"`
	}
	if json.Unmarshal(params, &p) != nil {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.seen.bytes += len(line)
	if strings.HasPrefix(p.Update.Kind, "tool_call") && p.Update.Status == "completed" {
		c.seen.completed++
	}
	if c.word != "" && c.at.IsZero() && bytes.Contains(line, []byte(c.word)) {
		c.at = now
	}
}

// permit answers a permission request with its first option, and any other
// request with an error.
func (c *client) permit(m message) {
	var p struct {
		Options []struct {
			ID string `json:"optionId"`
		} `json:"options"`
	}
	answer := map[string]any{"jsonrpc": "2.0", "id": m.ID}
	if json.Unmarshal(m.Params, &p) == nil && len(p.Options) > 0 {
		answer["result"] = map[string]any{"outcome": map[string]any{"outcome": "selected", "optionId": p.Options[0].ID}}
	} else {
		answer["error"] = map[string]any{"code": -32601, "message": "method not found"}
	}
	_ = c.write(answer) // an agent that has left is noticed by the next request
}

func (c *client) write(v any) error {
	line, err := json.Marshal(v)
	if err != nil {
		return err
	}
	_, err = c.in.Write(append(line, '\n'))
	return err
}

// requestTimeout bounds one request; a turn of the slowest agents fits in.
const requestTimeout = 10 * time.Minute

// call sends a request and decodes its result.
func (c *client) call(method string, params, result any) error {
	c.id++
	if err := c.write(map[string]any{"jsonrpc": "2.0", "id": c.id, "method": method, "params": params}); err != nil {
		return fmt.Errorf("%s: %w", method, c.gone(err))
	}
	select {
	case m, ok := <-c.answers:
		if !ok {
			return fmt.Errorf("%s: %w", method, c.gone(errors.New("the agent has left")))
		}
		if len(m.Error) > 0 {
			return fmt.Errorf("%s: %s", method, m.Error)
		}
		return json.Unmarshal(m.Result, result)
	case <-time.After(requestTimeout):
		return fmt.Errorf("%s: no answer within %v", method, requestTimeout)
	}
}

// gone ends an agent that is gone, and adds what it said last.
func (c *client) gone(err error) error {
	c.kill()
	return fmt.Errorf("%w\n%s", err, bytes.TrimSpace(c.stderr.Bytes()))
}

func (c *client) initialize() error {
	return c.call("initialize", map[string]any{
		"protocolVersion": 1, "clientCapabilities": map[string]any{"_meta": map[string]any{"terminal_output": true}},
	}, &struct{}{})
}

func (c *client) newSession() error {
	var made struct {
		SessionID string `json:"sessionId"`
		Modes     struct {
			Available []struct {
				ID string `json:"id"`
			} `json:"availableModes"`
		} `json:"modes"`
	}
	if err := c.call("session/new", map[string]any{"cwd": c.cwd, "mcpServers": []any{}}, &made); err != nil {
		return err
	}
	c.session = made.SessionID
	for _, m := range made.Modes.Available {
		c.modes = append(c.modes, m.ID)
	}
	return nil
}

// allowAll switches to a mode without questions, where there is one.
func (c *client) allowAll() error {
	for _, mode := range c.modes {
		if mode == "full-access" {
			return c.call("session/set_mode", map[string]any{"sessionId": c.session, "modeId": mode}, &struct{}{})
		}
	}
	return nil
}

// turn runs a prompt in the syntax of the direct model to its end.
func (c *client) turn(lines ...string) (progress, error) {
	return c.prompt("perform these calls:\n" + strings.Join(lines, "\n"))
}

// prompt runs a prompt to its end.
func (c *client) prompt(text string) (progress, error) {
	c.mu.Lock()
	c.seen = progress{}
	c.mu.Unlock()
	err := c.call("session/prompt", map[string]any{
		"sessionId": c.session, "prompt": []any{map[string]any{"type": "text", "text": text}},
	}, &struct{}{})
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.seen, err
}

// watch waits for a word in an update; watched returns when it came.
func (c *client) watch(word string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.word, c.at = word, time.Time{}
}

func (c *client) watched() (time.Time, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.at, !c.at.IsZero()
}

// leaveTimeout bounds the wait for an agent that should leave.
const leaveTimeout = 10 * time.Second

// leave ends the agent's input and waits until it has left; false when it does
// not by itself.
func (c *client) leave() (bool, error) {
	c.in.Close()
	var stays atomic.Bool
	patience := time.AfterFunc(leaveTimeout, func() {
		stays.Store(true)
		c.end()
	})
	defer patience.Stop()
	c.reader.Wait()
	var exit *exec.ExitError
	if err := c.cmd.Wait(); err != nil && !errors.As(err, &exit) && !errors.Is(err, exec.ErrWaitDelay) {
		return false, err
	}
	return !stays.Load(), nil
}

// end ends the agent and all that it started, which may be gone already.
func (c *client) end() {
	below := family(c.cmd.Process.Pid)[1:]
	_ = c.cmd.Process.Kill()
	for _, pid := range below {
		if p, err := os.FindProcess(pid); err == nil {
			_ = p.Kill()
		}
	}
}

// kill ends the agent, whatever it does; it may have left already.
func (c *client) kill() {
	c.in.Close()
	c.end()
	go func() { // the reader may be waiting for someone to take an answer
		for range c.answers {
		}
	}()
	c.reader.Wait()
	_ = c.cmd.Wait()
}
