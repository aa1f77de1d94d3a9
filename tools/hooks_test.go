package tools

import (
	"context"
	"encoding/json"
	"errors"
	"testing"

	"github.com/agent-ls/agent-ls/presentation"
)

func TestBeforeToolCall(t *testing.T) {
	tests := []struct {
		name      string
		hook      BeforeToolCall
		want      string // "" means that the tool runs
		code      string
		terminate bool
	}{
		{"lets go", func(context.Context, Execution) (*Blocked, error) { return nil, nil }, "", "", false},
		{"blocks", func(context.Context, Execution) (*Blocked, error) {
			return &Blocked{Reason: "Dangerous command blocked"}, nil
		}, "Error: Dangerous command blocked", CodeDenied, false},
		{"blocks without a reason", func(context.Context, Execution) (*Blocked, error) { return &Blocked{}, nil }, "Error: Tool execution was blocked", CodeDenied, false},
		{"blocks and ends", func(context.Context, Execution) (*Blocked, error) { return &Blocked{Terminate: true}, nil }, "Error: Tool execution was blocked", CodeDenied, true},
		{"fails", func(context.Context, Execution) (*Blocked, error) { return nil, errors.New("hook broke") }, "Error: hook broke", "", false},
		{"changes its copy", func(_ context.Context, x Execution) (*Blocked, error) { scribble(x); return nil, nil }, "", "", false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			p := newTestPipeline(t, tool("n", func(_ context.Context, args json.RawMessage, _ *Context) (Result, error) {
				return TextResult(string(args)), nil
			}))
			p.OnPreExecute(tt.hook.Listener())
			r := run(p, "n", `{"a":1}`)
			if tt.want == "" {
				wantText(t, r, `{"a":1}`)
				return
			}
			wantError(t, r, tt.want, tt.code)
			if r.Terminate != tt.terminate {
				t.Errorf("terminate %v", r.Terminate)
			}
		})
	}
}

func TestAfterToolCall(t *testing.T) {
	yes, no := true, false
	start := func() Result {
		r := TextResult("ok")
		r.Details, r.Usage = json.RawMessage(`{"a":1}`), &Usage{Input: 1}
		return r
	}
	tests := []struct {
		name  string
		hook  AfterToolCall
		check func(r Result) bool
	}{
		{"nothing", func(context.Context, Execution, Result) (*Replacement, error) { return nil, nil },
			func(r Result) bool { return r.text() == "ok" && string(r.Details) == `{"a":1}` && r.Usage.Input == 1 }},
		{"content keeps details", func(context.Context, Execution, Result) (*Replacement, error) {
			return &Replacement{Content: []presentation.Block{presentation.Text("new")}}, nil
		}, func(r Result) bool { return r.text() == "new" && string(r.Details) == `{"a":1}` && !r.IsError }},
		{"details are not merged", func(context.Context, Execution, Result) (*Replacement, error) {
			return &Replacement{Details: json.RawMessage(`{"b":2}`)}, nil
		}, func(r Result) bool { return r.text() == "ok" && string(r.Details) == `{"b":2}` }},
		{"the rest", func(context.Context, Execution, Result) (*Replacement, error) {
			return &Replacement{IsError: &yes, Usage: &Usage{Output: 2}, Terminate: &yes}, nil
		}, func(r Result) bool { return r.IsError && *r.Usage == Usage{Output: 2} && r.Terminate }},
		{"empty content", func(context.Context, Execution, Result) (*Replacement, error) {
			return &Replacement{Content: []presentation.Block{}}, nil
		}, func(r Result) bool { return len(r.Content) == 0 }},
		{"failure", func(context.Context, Execution, Result) (*Replacement, error) { return nil, errors.New("hook broke") },
			func(r Result) bool { return r.IsError && r.text() == "Error: hook broke" }},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			p := newTestPipeline(t, tool("n", func(context.Context, json.RawMessage, *Context) (Result, error) { return start(), nil }))
			p.OnPostExecute(tt.hook.Listener())
			if r := run(p, "n", ""); !tt.check(r) {
				t.Errorf("got %+v", r)
			}
		})
	}
	t.Run("an error may become a success", func(t *testing.T) {
		p := newTestPipeline(t, tool("n", func(context.Context, json.RawMessage, *Context) (Result, error) {
			return Result{}, &Error{Name: "E", Code: "C", Message: "m"}
		}))
		p.OnPostExecute(AfterToolCall(func(context.Context, Execution, Result) (*Replacement, error) {
			return &Replacement{IsError: &no, Content: []presentation.Block{presentation.Text("never mind")}}, nil
		}).Listener())
		r := run(p, "n", "")
		wantText(t, r, "never mind")
		if r.Error != nil || r.Thrown {
			t.Errorf("got %+v", r)
		}
	})
}

// TestAfterToolCallSeesExecutedCallsOnly: not blocked, invalid or unknown ones.
func TestAfterToolCallSeesExecutedCallsOnly(t *testing.T) {
	d := tool("n", nil)
	d.Parameters = numberArg()
	p := newTestPipeline(t, d)
	var seen []string
	p.OnPostExecute(AfterToolCall(func(_ context.Context, x Execution, _ Result) (*Replacement, error) {
		seen = append(seen, string(x.Arguments))
		return nil, nil
	}).Listener())
	p.OnPreExecute(BeforeToolCall(func(_ context.Context, x Execution) (*Blocked, error) {
		if string(x.Arguments) == `{"a":0}` {
			return &Blocked{}, nil
		}
		return nil, nil
	}).Listener())
	for _, args := range []string{`{"a":0}`, `{"a":1}`, `{"a":"x"}`, `{`} {
		run(p, "n", args)
	}
	run(p, "missing", "")
	if len(seen) != 1 || seen[0] != `{"a":1}` {
		t.Errorf("saw %v", seen)
	}
}

// TestAfterToolCallsStack: the outer hook sees what the inner one made, a
// block stays a block, and context is kept.
func TestAfterToolCallsStack(t *testing.T) {
	text := func(s string) []presentation.Block { return []presentation.Block{presentation.Text(s)} }
	p := newTestPipeline(t, tool("n", nil))
	yes := true
	p.OnPostExecute(AfterToolCall(func(_ context.Context, _ Execution, r Result) (*Replacement, error) {
		return &Replacement{Content: text(r.text() + " outer"), Details: json.RawMessage(`1`), IsError: &yes, Usage: &Usage{}, Terminate: &yes}, nil
	}).Listener())
	keep := p.OnPostExecute(AfterToolCall(func(context.Context, Execution, Result) (*Replacement, error) { return nil, nil }).Listener())
	p.OnPostExecute(AfterToolCall(func(_ context.Context, _ Execution, r Result) (*Replacement, error) {
		return &Replacement{Content: text(r.text() + " inner"), Details: json.RawMessage(`2`)}, nil
	}).Listener())
	p.OnPostExecute(func(context.Context, Execution, Result, func() (PostDecision, error)) (PostDecision, error) {
		return PostDecision{Context: []HookContext{{"s", "t"}}}, nil
	})
	r := run(p, "n", "")
	if r.text() != "n ran inner outer" || string(r.Details) != "1" || !r.IsError || !r.Terminate || len(r.AdditionalContext) != 1 {
		t.Errorf("got %+v", r)
	}
	keep()

	p = newTestPipeline(t, tool("n", nil))
	p.OnPostExecute(AfterToolCall(func(context.Context, Execution, Result) (*Replacement, error) {
		t.Error("asked about a blocked result")
		return nil, nil
	}).Listener())
	p.OnPostExecute(func(context.Context, Execution, Result, func() (PostDecision, error)) (PostDecision, error) {
		return PostDecision{Block: true}, nil
	})
	wantError(t, run(p, "n", ""), "Error: Tool execution was blocked", "")
}

// TestHookEventOrder is the single call of tools.md §2.2.11 from its start to
// its end.
func TestHookEventOrder(t *testing.T) {
	events := newRecorder()
	p := newTestPipeline(t, tool("n", func(_ context.Context, _ json.RawMessage, tc *Context) (Result, error) {
		tc.Emit(Progress{Content: []presentation.Block{presentation.Text("half")}})
		return TextResult("ok"), nil
	}))
	p.OnPreExecute(BeforeToolCall(func(context.Context, Execution) (*Blocked, error) { events.add("beforeToolCall"); return nil, nil }).Listener())
	p.OnPostExecute(AfterToolCall(func(context.Context, Execution, Result) (*Replacement, error) {
		events.add("afterToolCall")
		return nil, nil
	}).Listener())
	p.ExecuteRaw(context.Background(), &Run{Events: events}, Call{ID: "c", Name: "n"})
	want := "started c → beforeToolCall → running c → updated c → afterToolCall → finished c"
	if events.String() != want {
		t.Errorf("got  %s\nwant %s", &events.trace, want)
	}
}
