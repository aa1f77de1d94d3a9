package tools

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/agent-ls/agent-ls/presentation"
)

// idleEvents is an Events that does nothing.
type idleEvents struct{}

func (idleEvents) Started(Execution, presentation.CallView, bool)      {}
func (idleEvents) Planned(Execution, presentation.CallView)            {}
func (idleEvents) Running(Execution)                                   {}
func (idleEvents) Updated(Execution, Update)                           {}
func (idleEvents) Finished(Execution, Result, presentation.ResultView) {}

// busyPipeline has a tool that does nothing and one listener at each seam.
func busyPipeline(tb testing.TB) *Pipeline {
	d := tool("n", func(context.Context, json.RawMessage, *Context) (Result, error) { return TextResult("ok"), nil })
	d.Parameters = numberArg()
	p := newTestPipeline(tb, d)
	p.OnPreExecute(func(_ context.Context, _ Execution, next func() (Decision, error)) (Decision, error) { return next() })
	p.AddGuard(func(Execution) (string, error) { return "", nil })
	p.AddWrapper(func(ctx context.Context, _ Execution, next func(context.Context) ExecuteResult) (ExecuteResult, error) {
		return next(ctx), nil
	})
	p.OnPostExecute(func(_ context.Context, _ Execution, _ Result, next func() (PostDecision, error)) (PostDecision, error) {
		return next()
	})
	p.OnResult(func(Execution, Result) {})
	return p
}

// maxPipelineAllocs is the budget of one call through every seam.
const maxPipelineAllocs = 60

func TestPipelineAllocations(t *testing.T) {
	p := busyPipeline(t)
	r := &Run{Session: "s", Events: idleEvents{}}
	c := Call{ID: "c", Name: "n", Arguments: `{"a":1}`}
	n := testing.AllocsPerRun(100, func() { p.ExecuteRaw(context.Background(), r, c) })
	if n > maxPipelineAllocs {
		t.Errorf("%v allocations a call, want at most %d", n, maxPipelineAllocs)
	}
}

// BenchmarkExecuteRaw is the overhead of the pipeline: a tool that does
// nothing, one listener at each seam. The goal is 20 µs and 60 allocations.
func BenchmarkExecuteRaw(b *testing.B) {
	p := busyPipeline(b)
	r := &Run{Session: "s", Events: idleEvents{}}
	c := Call{ID: "c", Name: "n", Arguments: `{"a":1}`}
	b.ReportAllocs()
	for b.Loop() {
		p.ExecuteRaw(context.Background(), r, c)
	}
}

// BenchmarkExecuteRawLarge is a call with 1 MiB of arguments, as a write has.
func BenchmarkExecuteRawLarge(b *testing.B) {
	p := newTestPipeline(b, tool("n", nil))
	text, err := json.Marshal(map[string]string{"content": strings.Repeat("a line of text\n", 1<<20/16)})
	if err != nil {
		b.Fatal(err)
	}
	c := Call{ID: "c", Name: "n", Arguments: string(text)}
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	for b.Loop() {
		p.ExecuteRaw(context.Background(), nil, c)
	}
}

func BenchmarkExecuteBatch(b *testing.B) {
	p := busyPipeline(b)
	list := make([]Call, 8)
	for i := range list {
		list[i] = Call{ID: "c", Name: "n", Arguments: `{"a":1}`}
	}
	b.ReportAllocs()
	for b.Loop() {
		p.ExecuteBatch(context.Background(), &Run{Session: "s", Events: idleEvents{}}, list, BatchOptions{})
	}
}
