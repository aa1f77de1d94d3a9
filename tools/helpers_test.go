package tools

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/agent-ls/agent-ls/presentation"
	"github.com/agent-ls/agent-ls/tools/schema"
)

// trace records what happened, in order.
type trace struct {
	mu    sync.Mutex
	steps []string
}

func (t *trace) add(format string, args ...any) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.steps = append(t.steps, fmt.Sprintf(format, args...))
}

func (t *trace) all() []string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return slices.Clone(t.steps)
}

func (t *trace) String() string { return strings.Join(t.all(), " → ") }

// recorder is an Events that keeps what it was told.
type recorder struct {
	trace
	mu       sync.Mutex
	busy     map[string]bool
	views    map[string][]presentation.CallView
	finished map[string]finish
	updates  map[string][]Update
	overlap  bool
}

type finish struct {
	x    Execution
	r    Result
	view presentation.ResultView
}

func newRecorder() *recorder {
	return &recorder{
		busy: map[string]bool{}, views: map[string][]presentation.CallView{},
		finished: map[string]finish{}, updates: map[string][]Update{},
	}
}

// told marks the call as busy for the time of fn, to see overlapping events.
func (r *recorder) told(x Execution, what string, fn func()) {
	r.mu.Lock()
	r.overlap = r.overlap || r.busy[x.CallID]
	r.busy[x.CallID] = true
	r.mu.Unlock()
	r.add("%s %s", what, x.CallID)
	r.mu.Lock()
	fn()
	r.busy[x.CallID] = false
	r.mu.Unlock()
}

func (r *recorder) Started(x Execution, v presentation.CallView, mayAsk bool) {
	what := "started"
	if mayAsk {
		what = "started?"
	}
	r.told(x, what, func() { r.views[x.CallID] = append(r.views[x.CallID], v) })
}

func (r *recorder) Planned(x Execution, v presentation.CallView) {
	r.told(x, "planned", func() { r.views[x.CallID] = append(r.views[x.CallID], v) })
}

func (r *recorder) Running(x Execution) { r.told(x, "running", func() {}) }

func (r *recorder) Updated(x Execution, u Update) {
	r.told(x, "updated", func() { r.updates[x.CallID] = append(r.updates[x.CallID], u) })
}

func (r *recorder) Finished(x Execution, res Result, v presentation.ResultView) {
	r.told(x, "finished", func() { r.finished[x.CallID] = finish{x, res, v} })
}

// approver answers with a function.
type approver func(ctx context.Context, x Execution, reason string, view presentation.CallView) Approval

func (a approver) Approve(ctx context.Context, x Execution, reason string, view presentation.CallView) Approval {
	return a(ctx, x, reason, view)
}

// answer is an approver that always says the same.
func answer(a Approval) approver {
	return func(context.Context, Execution, string, presentation.CallView) Approval { return a }
}

// always is a pre-execute listener that always says the same.
func always(d Decision) PreListener {
	return func(context.Context, Execution, func() (Decision, error)) (Decision, error) { return d, nil }
}

// tool returns a definition without parameters that does what run does.
func tool(name string, run func(ctx context.Context, args json.RawMessage, tc *Context) (Result, error)) *Definition {
	if run == nil {
		run = func(context.Context, json.RawMessage, *Context) (Result, error) {
			return TextResult(name + " ran"), nil
		}
	}
	return &Definition{Name: name, Description: "a test", Execute: run}
}

// numberArg is the schema {a: number, required}.
func numberArg() *schema.Schema {
	return &schema.Schema{
		Type:       "object",
		Properties: []schema.Property{{Name: "a", Schema: &schema.Schema{Type: "number"}}},
		Required:   []string{"a"},
	}
}

func newTestPipeline(tb testing.TB, defs ...*Definition) *Pipeline {
	tb.Helper()
	r := NewRegistry()
	for _, d := range defs {
		if _, err := r.Register(d); err != nil {
			tb.Fatal(err)
		}
	}
	return NewPipeline(r, r.NewScope())
}

// text returns the text of all blocks of r.
func (r Result) text() string {
	var b strings.Builder
	for _, c := range r.Content {
		b.WriteString(c.Text)
	}
	return b.String()
}

// code returns the code of r's error, "" for none.
func (r Result) code() string {
	if r.Error == nil {
		return ""
	}
	return r.Error.Code
}

// wantError checks that r is an error with this text and code.
func wantError(tb testing.TB, r Result, text, code string) {
	tb.Helper()
	if !r.IsError || r.text() != text || r.code() != code {
		tb.Errorf("got isError %v, code %q, text %q\nwant an error, code %q, text %q", r.IsError, r.code(), r.text(), code, text)
	}
}

// wantText checks that r is a success with this text.
func wantText(tb testing.TB, r Result, text string) {
	tb.Helper()
	if r.IsError || r.text() != text {
		tb.Errorf("got isError %v, text %q, want success with %q", r.IsError, r.text(), text)
	}
}

// run executes one call named like the tool.
func run(p *Pipeline, name, args string) Result {
	return p.ExecuteRaw(context.Background(), &Run{Session: "s"}, Call{ID: "c", Name: name, Arguments: args})
}

// fixedClock always shows the same time.
func fixedClock() func() time.Time {
	at := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	return func() time.Time { return at }
}
