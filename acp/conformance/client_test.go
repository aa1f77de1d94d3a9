package conformance

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/agent-ls/agent-ls/acp"
)

// options describe a client and the process it starts.
type options struct {
	args []string          // after "acp"
	env  map[string]string // beside the home's
	caps acp.ClientCapabilities
	name string // clientInfo.name
	// permission answers questions; nil allows each once.
	permission policy
	// files and terminals serve what caps offer.
	files     *files
	terminals *terminals
	// tolerate names the rules that the case breaks on purpose.
	tolerate []rule
}

// client is one process and the one connection to it. What is below mu is
// guarded by it; changed is signalled whenever any of it changes.
type client struct {
	t    testing.TB
	h    *home
	o    options
	mark string // in the environment of all that the process starts
	cmd  *exec.Cmd
	in   io.WriteCloser
	out  io.ReadCloser

	writeMu sync.Mutex // one write at a time
	// work are the answers that are being given; finish waits for them.
	work sync.WaitGroup

	mu        sync.Mutex
	changed   *sync.Cond
	wire      []line
	nextID    int
	calls     map[string]*call // by the id as it was written
	screens   map[string]*screen
	questions []*question
	problems  []problem
	asked     map[string]bool // ids of the agent's requests
	withdrawn map[string]bool // that the agent took back
	paused    bool            // the client does not read
	ended     bool            // the process is gone
	exit      error
	killed    bool // by the case
	init      acp.InitializeResponse
}

// spawn starts a process that nothing has been said to.
func (h *home) spawn(o options) *client {
	h.t.Helper()
	if err := noteSources(); err != nil {
		h.t.Fatal(err)
	}
	if o.permission == nil {
		o.permission = always(acp.AllowOnce)
	}
	c := &client{
		t: h.t, h: h, o: o, mark: newMark(),
		calls: map[string]*call{}, screens: map[string]*screen{}, asked: map[string]bool{}, withdrawn: map[string]bool{},
	}
	c.changed = sync.NewCond(&c.mu)
	env := h.env(o.env)
	c.cmd = exec.Command(program, append([]string{"acp"}, o.args...)...)
	c.cmd.Dir, c.cmd.Env = h.cwd, append(env, markName+"="+c.mark)
	if o.terminals != nil {
		o.terminals.use(c, c.cmd.Env)
	}
	if o.files != nil {
		o.files.use(c)
	}
	stderr, err := os.Create(c.stderrPath())
	if err != nil {
		h.t.Fatal(err)
	}
	defer stderr.Close()
	c.cmd.Stderr = stderr
	c.in, err = c.cmd.StdinPipe()
	if err != nil {
		h.t.Fatal(err)
	}
	c.out, err = c.cmd.StdoutPipe()
	if err != nil {
		h.t.Fatal(err)
	}
	if err := c.cmd.Start(); err != nil {
		h.t.Fatal(err)
	}
	go c.read()
	h.t.Cleanup(c.finish)
	return c
}

// start starts a process and initializes it.
func (h *home) start(o options) *client {
	h.t.Helper()
	c := h.spawn(o)
	c.initialize()
	return c
}

// start is a client in a home of its own.
func start(t testing.TB, o options) *client {
	t.Helper()
	return newHome(t).start(o)
}

func (c *client) initialize() {
	c.t.Helper()
	name := c.o.name
	if name == "" {
		name = "conformance"
	}
	c.call(acp.MethodInitialize, acp.InitializeRequest{
		ProtocolVersion: 1, ClientCapabilities: c.o.caps, ClientInfo: &acp.Implementation{Name: name, Version: "1"},
	}, &c.init)
}

func (c *client) stderrPath() string { return filepath.Join(c.h.root, "stderr-"+c.mark) }

// stderr is what the process has written to it so far.
func (c *client) stderr() string {
	b, _ := os.ReadFile(c.stderrPath())
	return string(b)
}

// call is a request of the client.
type call struct {
	c      *client
	method string
	params string // as they were sent
	// from is the place on the wire where it was sent, to that of its answer.
	from, to int
	answer   *message // nil until it comes; guarded by the client's mu
}

// raw writes bytes as they are.
func (c *client) raw(data string) {
	c.mu.Lock()
	c.wire = append(c.wire, line{at: time.Now(), sent: true, size: len(data), text: data[:min(len(data), keptLine)]})
	c.mu.Unlock()
	c.write(data)
}

// write is raw without a trace. A process that is gone reads nothing.
func (c *client) write(data string) {
	c.writeMu.Lock()
	defer c.writeMu.Unlock()
	io.WriteString(c.in, data)
}

// expect registers a request that the case writes itself. Of its params it
// needs to know the session.
func (c *client) expect(id any, method string, p any) *call {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.register(encode(id), method, p)
}

// register notes a request before it is written; mu is held.
func (c *client) register(id, method string, p any) *call {
	k := &call{c: c, method: method, params: encode(p), from: len(c.wire)}
	c.calls[id] = k
	c.sent(k)
	return k
}

// requestAs sends a request under an id.
func (c *client) requestAs(id any, method string, p any) *call {
	raw := encode(id)
	data := encode(map[string]any{"jsonrpc": "2.0", "id": json.RawMessage(raw), "method": method, "params": p}) + "\n"
	c.mu.Lock()
	k := c.register(raw, method, p)
	c.mu.Unlock()
	c.raw(data)
	return k
}

// request sends a request.
func (c *client) request(method string, p any) *call {
	c.mu.Lock()
	c.nextID++
	id := c.nextID
	c.mu.Unlock()
	return c.requestAs(id, method, p)
}

func (c *client) notify(method string, p any) {
	c.raw(encode(map[string]any{"jsonrpc": "2.0", "method": method, "params": p}) + "\n")
}

// respond answers a request of the agent.
func (c *client) respond(id json.RawMessage, result any, e *rpcError) {
	m := map[string]any{"jsonrpc": "2.0", "id": id}
	if e != nil {
		m["error"] = e
	} else {
		m["result"] = result
	}
	c.raw(encode(m) + "\n")
}

// wait returns the answer.
func (k *call) wait() *message {
	k.c.t.Helper()
	k.c.until("an answer to "+k.method, func() bool { return k.answer != nil })
	return k.answer
}

// answered says whether the answer is there.
func (k *call) answered() bool {
	k.c.mu.Lock()
	defer k.c.mu.Unlock()
	return k.answer != nil
}

// call sends a request that must succeed; result may be nil.
func (c *client) call(method string, p, result any) {
	c.t.Helper()
	m := c.request(method, p).wait()
	if m.Error != nil {
		c.t.Fatalf("%s %s: %v", method, clip(encode(p)), m.Error)
	}
	if result != nil {
		if err := acp.Decode(m.Result, result); err != nil {
			c.t.Fatalf("%s: result %s: %v", method, clip(string(m.Result)), err)
		}
	}
}

// refused sends a request that must fail, with one of the codes where any are
// given.
func (c *client) refused(method string, p any, codes ...int) *rpcError {
	c.t.Helper()
	m := c.request(method, p).wait()
	if m.Error == nil {
		c.t.Fatalf("%s %s was accepted: %s", method, clip(encode(p)), clip(string(m.Result)))
	}
	if len(codes) > 0 && !slices.Contains(codes, m.Error.Code) {
		c.t.Errorf("%s %s: code %d, want one of %v", method, clip(encode(p)), m.Error.Code, codes)
	}
	return m.Error
}

// until waits until a condition holds, which is looked at under mu.
func (c *client) until(what string, is func() bool) {
	c.t.Helper()
	if !c.await(is) {
		c.t.Fatalf("not seen: %s\n%s", what, c.trace())
	}
}

// await is until for goroutines that may not end the test. It gives up early
// when the process is gone.
func (c *client) await(is func() bool) bool {
	timer := time.AfterFunc(patience, c.changed.Broadcast)
	defer timer.Stop()
	limit := time.Now().Add(patience)
	c.mu.Lock()
	defer c.mu.Unlock()
	for !is() {
		if c.ended || time.Now().After(limit) {
			return is()
		}
		c.changed.Wait()
	}
	return true
}

// poke makes waiting cases look again.
func (c *client) poke() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.changed.Broadcast()
}

// trace is the end of the wire and of stderr, for failures.
func (c *client) trace() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	var b strings.Builder
	for _, l := range c.wire[max(0, len(c.wire)-12):] {
		arrow := "  <- "
		if l.sent {
			arrow = "  -> "
		}
		b.WriteString(arrow + clip(strings.TrimSpace(l.text)) + "\n")
	}
	if c.ended {
		fmt.Fprintf(&b, "  the process is gone (%v)\n", c.exit)
	}
	return b.String() + "  stderr: " + clip(c.stderr())
}

// place is the next place on the wire.
func (c *client) place() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.wire)
}

// lines returns what came in at or after a place and satisfies pick.
func (c *client) lines(from int, pick func(l *line) bool) []line {
	c.mu.Lock()
	defer c.mu.Unlock()
	var out []line
	for i := from; i < len(c.wire); i++ {
		if l := &c.wire[i]; !l.sent && pick(l) {
			out = append(out, *l)
		}
	}
	return out
}

// count is how many such lines there are; mu is held.
func (c *client) count(from int, pick func(l *line) bool) (n int) {
	for i := from; i < len(c.wire); i++ {
		if l := &c.wire[i]; !l.sent && pick(l) {
			n++
		}
	}
	return n
}

// find returns the place of the first line at or after from that satisfies
// pick, −1 for none.
func (c *client) find(from int, pick func(l *line) bool) int {
	c.mu.Lock()
	defer c.mu.Unlock()
	for i := from; i < len(c.wire); i++ {
		if pick(&c.wire[i]) {
			return i
		}
	}
	return -1
}
