package mcp

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/agent-ls/agent-ls/agent"
	"github.com/agent-ls/agent-ls/presentation"
	"github.com/agent-ls/agent-ls/tools"
	"github.com/agent-ls/agent-ls/tools/permission"
	"github.com/agent-ls/agent-ls/tools/schema"
)

// patience bounds waits that end long before on any machine.
const patience = time.Minute

// sink keeps the records of a session and lets tests wait for one.
type sink struct {
	mu      sync.Mutex
	changed chan struct{} // closed and replaced by each record
	records []agent.Record
}

func (k *sink) Event(_ *agent.Session, r agent.Record) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.records = append(k.records, r)
	close(k.changed)
	k.changed = make(chan struct{})
}

func (k *sink) all() ([]agent.Record, <-chan struct{}) {
	k.mu.Lock()
	defer k.mu.Unlock()
	return slices.Clone(k.records), k.changed
}

// eventsOf returns the events of type E, in order.
func eventsOf[E agent.Event](k *sink) []E {
	var out []E
	records, _ := k.all()
	for _, r := range records {
		if e, ok := r.Event.(E); ok {
			out = append(out, e)
		}
	}
	return out
}

// world is a session with its servers.
type world struct {
	t       testing.TB
	session *agent.Session
	client  *Client
	sink    *sink
	cwd     string
}

// connect opens a session that uses servers. change may change the options.
func connect(t testing.TB, servers []ServerConfig, change ...func(*Options)) *world {
	t.Helper()
	checkLeaks(t)
	registry := tools.NewRegistry()
	if _, err := registry.Register(tools.Define(tools.Spec[textArgs]{
		Name: "read", Execute: func(context.Context, textArgs, *tools.Context) (tools.Result, error) {
			return tools.TextResult("built in"), nil
		},
	})); err != nil {
		t.Fatal(err)
	}
	hub := agent.NewHub(agent.Config{
		Registry: registry, DefaultMode: permission.FullAccess,
		OpenModel: func(string) (agent.Model, agent.ModelInfo, error) { return quiet{}, agent.ModelInfo{ID: "quiet"}, nil },
	})
	t.Cleanup(hub.Close)
	w := &world{t: t, sink: &sink{changed: make(chan struct{})}, cwd: t.TempDir()}
	var err error
	w.session, err = hub.New(context.Background(), agent.SessionOptions{
		Cwd: w.cwd, Roots: []string{"/else where"}, FrontEnd: agent.FrontEnd{Sink: w.sink},
	})
	if err != nil {
		t.Fatal(err)
	}
	o := Options{Version: "test", ConnectTimeout: patience}
	for _, fn := range change {
		fn(&o)
	}
	w.client = Connect(w.session, servers, o)
	return w
}

// quiet is a model that says nothing.
type quiet struct{}

func (quiet) Respond(context.Context, agent.Request, func(agent.Delta) error) (agent.Finish, error) {
	return agent.Finish{}, nil
}

// wait waits until ok, which is asked again after each record.
func (w *world) wait(what string, ok func() bool) {
	w.t.Helper()
	timer := time.NewTimer(patience)
	defer timer.Stop()
	for {
		_, changed := w.sink.all()
		if ok() {
			return
		}
		select {
		case <-changed:
		case <-timer.C:
			w.t.Fatalf("waited in vain for %s; tools %v, notices %v", what, w.names(), eventsOf[agent.Notice](w.sink))
		}
	}
}

// names are the names of the session's tools.
func (w *world) names() []string {
	var names []string
	for _, t := range w.session.Tools() {
		names = append(names, t.Name)
	}
	return names
}

// ready waits for a tool.
func (w *world) ready(names ...string) {
	w.t.Helper()
	w.wait(fmt.Sprint(names), func() bool {
		return !slices.ContainsFunc(names, func(n string) bool { return w.full(n) == "" })
	})
}

// full is the name of the session's tool called name, or of the one that a
// server calls so; "" for none.
func (w *world) full(name string) string {
	have := w.names()
	if slices.Contains(have, name) {
		return name
	}
	if i := slices.IndexFunc(have, func(n string) bool { return strings.HasSuffix(n, "__"+name) }); i >= 0 {
		return have[i]
	}
	return ""
}

// notice waits for a notice with this in its title.
func (w *world) notice(title string) agent.Notice {
	w.t.Helper()
	var found agent.Notice
	w.wait("a notice: "+title, func() bool {
		for _, n := range eventsOf[agent.Notice](w.sink) {
			if strings.Contains(n.Title, title) {
				found = n
				return true
			}
		}
		return false
	})
	return found
}

// call calls a tool of the session.
func (w *world) call(ctx context.Context, name, text string) tools.Result {
	w.t.Helper()
	args, err := json.Marshal(textArgs{text})
	if err != nil {
		w.t.Fatal(err)
	}
	r, err := w.session.Execute(ctx, tools.Call{Name: cmp.Or(w.full(name), name), Arguments: string(args)})
	if err != nil {
		w.t.Fatal(err)
	}
	return r
}

// says calls a tool and returns the text of its success.
func (w *world) says(name, text string) string {
	w.t.Helper()
	r := w.call(context.Background(), name, text)
	if r.IsError {
		w.t.Fatalf("%s failed: %s", name, textOf(r))
	}
	return textOf(r)
}

// fails calls a tool and returns the text of its failure, which has this code.
func (w *world) fails(name, text, code string) string {
	w.t.Helper()
	r := w.call(context.Background(), name, text)
	if !r.IsError || r.Error == nil || r.Error.Code != code {
		w.t.Fatalf("%s: %s, error %v; want the code %s", name, textOf(r), r.Error, code)
	}
	return textOf(r)
}

func textOf(r tools.Result) string {
	var b strings.Builder
	for _, block := range r.Content {
		if block.Type == presentation.BlockText {
			b.WriteString(block.Text)
		}
	}
	return b.String()
}

// parametersOf is the schema of one of the session's tools as a model gets it.
func (w *world) parametersOf(name string) *schema.Schema {
	for _, t := range w.session.Tools() {
		if t.Name == w.full(name) {
			return t.Parameters
		}
	}
	w.t.Fatalf("no tool %s among %v", name, w.names())
	return nil
}

// ours are what the stacks of this package's goroutines, and of those that the
// SDK and the process runner have for it, contain; servers in this process have
// others.
var ours = []string{"internal/mcp.(*Client)", "internal/mcp.(*link)", "(*streamableClientConn)", "(*ioConn)", "tools/proc."}

// checkLeaks fails a test whose goroutines outlive it.
func checkLeaks(t testing.TB) {
	t.Cleanup(func() {
		deadline := time.Now().Add(patience)
		for {
			left := leaked()
			if len(left) == 0 {
				return
			}
			if time.Now().After(deadline) {
				t.Errorf("goroutines leaked:\n%s", strings.Join(left, "\n\n"))
				return
			}
			runtime.Gosched()
		}
	})
}

// leaked returns the stacks of our goroutines.
func leaked() []string {
	buf := make([]byte, 4<<20)
	stacks := strings.Split(string(buf[:runtime.Stack(buf, true)]), "\n\n")
	return slices.DeleteFunc(stacks, func(stack string) bool {
		return !slices.ContainsFunc(ours, func(name string) bool { return strings.Contains(stack, name) })
	})
}

// titleOf is the title of a generic card.
func titleOf(v presentation.CallView) string {
	if g, ok := v.(*presentation.GenericCall); ok {
		return g.Title
	}
	return ""
}
