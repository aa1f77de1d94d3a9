package agent

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"reflect"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/agent-ls/agent-ls/presentation"
	"github.com/agent-ls/agent-ls/tools"
	"github.com/agent-ls/agent-ls/tools/cache"
	"github.com/agent-ls/agent-ls/tools/permission"
)

// fakeSink keeps the records of all its sessions and lets tests wait for one.
type fakeSink struct {
	mu      sync.Mutex
	changed sync.Cond
	records []Record
	// hook, when set, runs in Event after the record was kept.
	hook func(s *Session, r Record)
}

func newFakeSink() *fakeSink {
	k := &fakeSink{}
	k.changed.L = &k.mu
	return k
}

func (k *fakeSink) Event(s *Session, r Record) {
	k.mu.Lock()
	k.records = append(k.records, r)
	hook := k.hook
	k.changed.Broadcast()
	k.mu.Unlock()
	if hook != nil {
		hook(s, r)
	}
}

// all returns the records so far.
func (k *fakeSink) all() []Record {
	k.mu.Lock()
	defer k.mu.Unlock()
	return append([]Record(nil), k.records...)
}

// wait waits until the records so far satisfy ok. A test that waits in vain
// is ended by the test binary's own timeout.
func (k *fakeSink) wait(ok func([]Record) bool) []Record {
	k.mu.Lock()
	defer k.mu.Unlock()
	for !ok(k.records) {
		k.changed.Wait()
	}
	return append([]Record(nil), k.records...)
}

// eventsOf returns the events of type E, in order.
func eventsOf[E Event](records []Record) []E {
	var out []E
	for _, r := range records {
		if e, ok := r.Event.(E); ok {
			out = append(out, e)
		}
	}
	return out
}

// has reports whether an event of type E is among the records.
func has[E Event](records []Record) bool { return len(eventsOf[E](records)) > 0 }

// kinds returns the types of the events, as the log names them.
func kinds(records []Record) []string {
	var names []string
	for _, r := range records {
		names = append(names, nameOfEvent[reflect.TypeOf(r.Event)])
	}
	return names
}

// fakeModel answers with the responses in order, then with ends of turn.
type fakeModel struct {
	mu        sync.Mutex
	responses []response
	requests  []Request
}

// response is one answer of a fakeModel.
type response func(ctx context.Context, req Request, yield func(Delta) error) (Finish, error)

func model(responses ...response) *fakeModel { return &fakeModel{responses: responses} }

func (m *fakeModel) Respond(ctx context.Context, req Request, yield func(Delta) error) (Finish, error) {
	m.mu.Lock()
	m.requests = append(m.requests, req)
	var r response
	if len(m.responses) > 0 {
		r, m.responses = m.responses[0], m.responses[1:]
	}
	m.mu.Unlock()
	if r == nil {
		return Finish{}, nil
	}
	return r(ctx, req, yield)
}

// asked returns the requests so far.
func (m *fakeModel) asked() []Request {
	m.mu.Lock()
	defer m.mu.Unlock()
	return append([]Request(nil), m.requests...)
}

// says is a response of deltas.
func says(f Finish, deltas ...Delta) response {
	return func(_ context.Context, _ Request, yield func(Delta) error) (Finish, error) {
		for _, d := range deltas {
			if err := yield(d); err != nil {
				return Finish{}, err
			}
		}
		return f, nil
	}
}

func text(s string) Delta { return Delta{Text: s} }

func callOf(name, args string) Delta {
	return Delta{Call: &CallDelta{ID: "call_0", Name: name, Arguments: args}}
}

// prompt is a prompt of one text block.
func prompt(s string) []presentation.Block { return []presentation.Block{presentation.Text(s)} }

// echoArgs are the arguments of the tools of testRegistry.
type echoArgs struct {
	Text string `json:"text"`
}

// testTools are what a test needs to steer its tools.
type testTools struct {
	registry *tools.Registry
	// started gets a token when "block" begins; it ends with its context or
	// when release is closed.
	started chan string
	release chan struct{}
}

// newTestTools registers: echo (returns its text), fail (an error), emit
// (emits its text as output), block (waits), edit and run (ask for
// permission), finish (ends the run).
func newTestTools(t testing.TB) *testTools {
	tt := &testTools{registry: tools.NewRegistry(), started: make(chan string, 100), release: make(chan struct{})}
	none := func(echoArgs) []tools.Access { return nil }
	echo := func(_ context.Context, a echoArgs, _ *tools.Context) (tools.Result, error) {
		return tools.TextResult(a.Text), nil
	}
	for _, s := range []tools.Spec[echoArgs]{
		{Name: "echo", Access: none, Execute: echo},
		{Name: "fail", Access: none, Execute: func(context.Context, echoArgs, *tools.Context) (tools.Result, error) {
			return tools.Result{}, fmt.Errorf("it failed")
		}},
		{Name: "emit", Access: none, Execute: func(_ context.Context, a echoArgs, tc *tools.Context) (tools.Result, error) {
			tc.Emit(tools.Output{Text: a.Text})
			return tools.TextResult(a.Text), nil
		}},
		{Name: "block", Access: none, Execute: tt.block},
		{
			Name: "edit", Execute: echo,
			Access: func(a echoArgs) []tools.Access { return []tools.Access{{Kind: tools.AccessEdit, Path: a.Text}} },
			Plan: func(_ context.Context, a echoArgs, _ *tools.Context) (*tools.Plan, error) {
				return &tools.Plan{View: &presentation.DiffCall{Title: "Edit " + a.Text}}, nil
			},
		},
		{Name: "run", Execute: echo, Access: func(a echoArgs) []tools.Access {
			return []tools.Access{{Kind: tools.AccessExecute, Command: a.Text}}
		}},
		{Name: "finish", Access: none, Execute: func(context.Context, echoArgs, *tools.Context) (tools.Result, error) {
			r := tools.TextResult("Task complete")
			r.Terminate = true
			return r, nil
		}},
	} {
		if _, err := tt.registry.Register(tools.Define(s)); err != nil {
			t.Fatal(err)
		}
	}
	return tt
}

func (tt *testTools) block(ctx context.Context, a echoArgs, _ *tools.Context) (tools.Result, error) {
	tt.started <- a.Text
	select {
	case <-ctx.Done():
		return tools.Result{}, context.Cause(ctx)
	case <-tt.release:
		return tools.TextResult("released " + a.Text), nil
	}
}

// args encodes the arguments of a test tool.
func args(text string) string {
	b, _ := json.Marshal(echoArgs{Text: text})
	return string(b)
}

// world is a hub with its tools, model and sink.
type world struct {
	*testTools
	t     testing.TB
	hub   *Hub
	model *fakeModel
	sink  *fakeSink
	dir   string // of the state
	cwd   string
}

// newWorld returns a world whose sessions are prompted with responses; change
// may change the configuration.
func newWorld(t testing.TB, m *fakeModel, change ...func(*Config)) *world {
	w := &world{testTools: newTestTools(t), t: t, model: m, sink: newFakeSink(), dir: t.TempDir(), cwd: t.TempDir()}
	w.hub = NewHub(w.config(change...))
	t.Cleanup(func() { w.hub.Close() })
	return w
}

func (w *world) config(change ...func(*Config)) Config {
	c := Config{
		Registry: w.registry, StateDir: w.dir, DefaultModel: "fake", DefaultMode: permission.FullAccess,
		OpenModel: func(id string) (Model, ModelInfo, error) {
			if id != "fake" && id != "other" {
				return nil, ModelInfo{}, fmt.Errorf("unknown model %q", id)
			}
			return w.model, ModelInfo{ID: id, ContextSize: 1000}, nil
		},
	}
	for _, fn := range change {
		fn(&c)
	}
	return c
}

// reopen is what another process on the same state sees after this one's
// sessions have ended.
func (w *world) reopen(change ...func(*Config)) *world {
	w.t.Helper()
	w.hub.Close()
	return w.other(change...)
}

// other is another process on the same state.
func (w *world) other(change ...func(*Config)) *world {
	o := &world{testTools: w.testTools, t: w.t, model: w.model, sink: newFakeSink(), dir: w.dir, cwd: w.cwd}
	o.hub = NewHub(o.config(change...))
	w.t.Cleanup(func() { o.hub.Close() })
	return o
}

// session opens a new session.
func (w *world) session(change ...func(*SessionOptions)) *Session {
	w.t.Helper()
	o := w.options(change...)
	s, err := w.hub.New(context.Background(), o)
	if err != nil {
		w.t.Fatal(err)
	}
	return s
}

func (w *world) options(change ...func(*SessionOptions)) SessionOptions {
	o := SessionOptions{Cwd: w.cwd, FrontEnd: FrontEnd{Sink: w.sink}}
	for _, fn := range change {
		fn(&o)
	}
	return o
}

// load opens a stored session.
func (w *world) load(id string) (*Session, []Record) {
	w.t.Helper()
	s, history, err := w.hub.Load(context.Background(), id, w.options())
	if err != nil {
		w.t.Fatal(err)
	}
	return s, history
}

// run prompts s and expects reason.
func (w *world) run(s *Session, text string, want StopReason) {
	w.t.Helper()
	if got, err := s.Prompt(context.Background(), prompt(text)); err != nil || got != want {
		w.t.Fatalf("Prompt(%q) = %q, %v; want %q", text, got, err, want)
	}
}

// seeded returns a source of randomness whose seed is in the test's log; the
// variable AGENT_TEST_SEED repeats a run.
func seeded(t testing.TB) *rand.Rand {
	seed := uint64(time.Now().UnixNano())
	if s := os.Getenv("AGENT_TEST_SEED"); s != "" {
		var err error
		if seed, err = strconv.ParseUint(s, 10, 64); err != nil {
			t.Fatal(err)
		}
	}
	t.Logf("AGENT_TEST_SEED=%d", seed)
	return rand.New(rand.NewPCG(seed, 0))
}

// checkLeaks fails a test whose goroutines outlive it. Call it first.
func checkLeaks(t testing.TB) {
	before := runtime.NumGoroutine()
	t.Cleanup(func() {
		deadline := time.Now().Add(time.Minute)
		for runtime.NumGoroutine() > before {
			if time.Now().After(deadline) {
				buf := make([]byte, 1<<20)
				t.Errorf("goroutines leaked:\n%s", buf[:runtime.Stack(buf, true)])
				return
			}
			runtime.Gosched()
		}
	})
}

// newOutputs returns a store in a folder of its own.
func newOutputs(t testing.TB) *cache.Store { return cache.Open(cache.Options{Dir: t.TempDir()}) }

// resultText returns the text of a result.
func resultText(r tools.Result) string {
	var b strings.Builder
	for _, block := range r.Content {
		b.WriteString(block.Text)
	}
	return b.String()
}

// asJSON is how records are compared: byte for byte as the log has them.
func asJSON(t testing.TB, v any) string {
	t.Helper()
	b, err := marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}
