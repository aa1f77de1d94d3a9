package conformance

import (
	"encoding/json"
	"fmt"
	"os/exec"
	"slices"
	"strings"
	"sync"

	"github.com/agent-ls/agent-ls/acp"
)

// spawning is how a client makes a process of command and args (acp.md §11).
type spawning int

const (
	// argv starts command with args, as the specification says.
	argv spawning = iota
	// shellLine joins them by spaces for a shell, as Zed does.
	shellLine
)

// terminals are the terminal methods of a client.
type terminals struct {
	spawning spawning
	// status, when set, is what the client says of every end.
	status *acp.TerminalExitStatus
	// hook, when set, is asked first; handled false goes on as a good client
	// does.
	hook func(method string) (e *rpcError, handled bool)
	// raw, when set, is the result of each terminal/create.
	raw json.RawMessage

	c   *client
	env []string

	mu   sync.Mutex
	list []*terminal
	// asked are the methods, in order.
	asked []string
}

// terminal is one process of a client.
type terminal struct {
	id       string
	request  acp.CreateTerminalRequest
	cmd      *exec.Cmd
	done     chan struct{}
	mu       sync.Mutex
	out      []byte
	status   *acp.TerminalExitStatus
	released bool
}

// owner opens a session of a client with terminals.
func owner(h *home, w *terminals, o options) *session {
	h.t.Helper()
	o.caps.Terminal, o.terminals = true, w
	return h.start(o).newSession()
}

func (w *terminals) use(c *client, env []string) { w.c, w.env = c, env }

// end kills what runs.
func (w *terminals) end() {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, t := range w.list {
		t.kill()
	}
}

// count is how often a method was called.
func (w *terminals) count(method string) (n int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, m := range w.asked {
		if m == method {
			n++
		}
	}
	return n
}

// all are the terminals so far.
func (w *terminals) all() []*terminal {
	w.mu.Lock()
	defer w.mu.Unlock()
	return slices.Clone(w.list)
}

// isReleased says whether the agent has released the terminal.
func (t *terminal) isReleased() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.released
}

// output is what the terminal shows.
func (t *terminal) output() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return string(t.out)
}

func (w *terminals) serve(method string, params json.RawMessage) (any, *rpcError, bool) {
	w.mu.Lock()
	w.asked = append(w.asked, method)
	w.mu.Unlock()
	w.c.poke()
	if w.hook != nil {
		if e, handled := w.hook(method); handled {
			return nil, e, e != nil
		}
	}
	if method == acp.MethodTerminalCreate {
		if w.raw != nil {
			return w.raw, nil, true
		}
		result, e := w.create(params)
		return result, e, true
	}
	var p acp.TerminalRequest
	json.Unmarshal(params, &p)
	t := w.find(p.TerminalID)
	if t == nil || t.isReleased() {
		return nil, &rpcError{Code: -32602, Message: "Terminal not found"}, true
	}
	switch method {
	case acp.MethodTerminalOutput:
		return t.shown(), nil, true
	case acp.MethodTerminalWait:
		<-t.done
		return t.ended(), nil, true
	case acp.MethodTerminalRelease:
		t.mu.Lock()
		t.released = true
		t.mu.Unlock()
	}
	t.kill() // which a release does, too
	return acp.Empty{}, nil, true
}

func (w *terminals) find(id string) *terminal {
	for _, t := range w.all() {
		if t.id == id {
			return t
		}
	}
	return nil
}

func (w *terminals) create(params json.RawMessage) (any, *rpcError) {
	t := &terminal{done: make(chan struct{})}
	if err := acp.Decode(params, &t.request); err != nil {
		return nil, &rpcError{Code: -32602, Message: err.Error()}
	}
	r := t.request
	if w.spawning == shellLine {
		t.cmd = exec.Command("/bin/sh", "-c", "("+strings.Join(append([]string{r.Command}, r.Args...), " ")+") </dev/null")
	} else {
		t.cmd = exec.Command(r.Command, r.Args...)
	}
	t.cmd.Dir, t.cmd.Env = r.Cwd, w.env
	for _, v := range r.Env {
		t.cmd.Env = append(t.cmd.Env, v.Name+"="+v.Value)
	}
	ownGroup(t.cmd)
	t.cmd.Stdout, t.cmd.Stderr = t, t
	if err := t.cmd.Start(); err != nil {
		return nil, &rpcError{Code: -32603, Message: err.Error()}
	}
	w.mu.Lock()
	t.id = fmt.Sprintf("term-%d", len(w.list)+1)
	w.list = append(w.list, t)
	w.mu.Unlock()
	w.c.work.Go(func() { t.follow(w.status) })
	return acp.CreateTerminalResponse{TerminalID: t.id}, nil
}

// Write takes output of the process.
func (t *terminal) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.out = append(t.out, p...)
	return len(p), nil
}

// follow waits for the end of the process.
func (t *terminal) follow(status *acp.TerminalExitStatus) {
	t.cmd.Wait()
	if status == nil {
		status = exitStatus(t.cmd.ProcessState)
	}
	t.mu.Lock()
	t.status = status
	t.mu.Unlock()
	close(t.done)
}

func (t *terminal) ended() *acp.TerminalExitStatus {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.status
}

// shown answers terminal/output; the limit cuts from the beginning.
func (t *terminal) shown() acp.TerminalOutputResponse {
	t.mu.Lock()
	defer t.mu.Unlock()
	r := acp.TerminalOutputResponse{Output: string(t.out), ExitStatus: t.status}
	if limit := int(t.request.OutputByteLimit); limit > 0 && len(r.Output) > limit {
		r.Output, r.Truncated = strings.ToValidUTF8(r.Output[len(r.Output)-limit:], ""), true
	}
	return r
}

func (t *terminal) kill() {
	if t.cmd.Process != nil {
		killGroup(t.cmd.Process.Pid)
	}
}
