package tools

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/agent-ls/agent-ls/presentation"
)

// sleeper is a tool that takes its time and says its name.
func sleeper(name string, d time.Duration, mode ExecutionMode) *Definition {
	def := tool(name, func(ctx context.Context, _ json.RawMessage, _ *Context) (Result, error) {
		select {
		case <-time.After(d):
			return TextResult(name), nil
		case <-ctx.Done():
			return Result{}, ctx.Err()
		}
	})
	def.Mode = mode
	return def
}

// calls makes one call of each name; its id is the name with its position.
func calls(names ...string) []Call {
	out := make([]Call, len(names))
	for i, n := range names {
		out[i] = Call{ID: fmt.Sprintf("%s%d", n, i), Name: n}
	}
	return out
}

func texts(results []Result) string {
	var out []string
	for _, r := range results {
		out = append(out, r.text())
	}
	return strings.Join(out, " | ")
}

// TestBatchOrder: preparation in source order, ends in the order in which the
// bodies end, results in source order, exclusive calls alone (tools.md §2.3,
// Appendix A.11).
func TestBatchOrder(t *testing.T) {
	tests := []struct {
		name     string
		calls    []Call
		parallel int
		want     string
		took     time.Duration
	}{
		{"parallel", calls("slow", "fast"), 0,
			"started slow0 → started fast1 → running → running → finished fast1 → finished slow0", 3 * time.Second},
		{"one after another", calls("slow", "fast"), 1,
			"started slow0 → running → finished slow0 → started fast1 → running → finished fast1", 4 * time.Second},
		{"barrier", calls("fast", "alone", "fast"), 0,
			"started fast0 → running → finished fast0 → started alone1 → running → finished alone1 → started fast2 → running → finished fast2", 4 * time.Second},
		{"barrier waits for the pool", calls("slow", "fast", "alone"), 0,
			"started slow0 → started fast1 → running → running → finished fast1 → finished slow0 → started alone2 → running → finished alone2", 5 * time.Second},
		{"unknown among others", calls("fast", "missing"), 0,
			"started fast0 → started missing1 → finished missing1 → running → finished fast0", time.Second},
		{"empty", nil, 0, "", 0},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				p := newTestPipeline(t,
					sleeper("slow", 3*time.Second, Parallel), sleeper("fast", time.Second, ""), sleeper("alone", 2*time.Second, Sequential))
				events := newRecorder()
				begin := time.Now()
				results, terminate := p.ExecuteBatch(context.Background(), &Run{Session: "s", Events: events}, tt.calls, BatchOptions{Parallel: tt.parallel})
				if took := time.Since(begin); took != tt.took {
					t.Errorf("took %v, want %v", took, tt.took)
				}
				matchSteps(t, events.all(), tt.want)
				for i, r := range results {
					if !strings.Contains(r.text(), tt.calls[i].Name) {
						t.Errorf("result %d is %q", i, r.text())
					}
				}
				if len(results) != len(tt.calls) || terminate {
					t.Errorf("%d results, terminate %v", len(results), terminate)
				}
			})
		})
	}
}

// matchSteps compares steps with a pattern in which a step may leave out its
// call, where two calls run at once.
func matchSteps(t *testing.T, got []string, pattern string) {
	t.Helper()
	var want []string
	if pattern != "" {
		want = strings.Split(pattern, " → ")
	}
	ok := len(got) == len(want)
	for i := 0; ok && i < len(got); i++ {
		ok = strings.HasPrefix(got[i], want[i])
	}
	if !ok {
		t.Errorf("got  %s\nwant %s", strings.Join(got, " → "), pattern)
	}
}

func TestPoolIsBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var now, most atomic.Int64
		p := newTestPipeline(t, tool("n", func(context.Context, json.RawMessage, *Context) (Result, error) {
			n := now.Add(1)
			for m := most.Load(); n > m && !most.CompareAndSwap(m, n); m = most.Load() {
			}
			time.Sleep(time.Second)
			now.Add(-1)
			return TextResult("ok"), nil
		}))
		names := make([]string, 20)
		for i := range names {
			names[i] = "n"
		}
		begin := time.Now()
		p.ExecuteBatch(context.Background(), nil, calls(names...), BatchOptions{})
		if took := time.Since(begin); most.Load() != defaultParallel || took != 3*time.Second {
			t.Errorf("%d at once in %v, want %d in 3s", most.Load(), took, defaultParallel)
		}
	})
}

// TestBatchPreparesInOrder: approvals are asked one after another, and blocked
// calls have ended before any body starts.
func TestBatchPreparesInOrder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newTestPipeline(t, sleeper("n", time.Second, ""))
		events := newRecorder()
		p.OnPreExecute(always(Decision{Kind: Ask}))
		ask := approver(func(_ context.Context, x Execution, _ string, _ presentation.CallView) Approval {
			events.add("ask %s", x.CallID)
			time.Sleep(time.Minute)
			events.add("answered %s", x.CallID)
			if x.CallID == "n1" {
				return Rejected
			}
			return AllowedOnce
		})
		results, _ := p.ExecuteBatch(context.Background(), &Run{Session: "s", Events: events, Approver: ask}, calls("n", "n", "n"), BatchOptions{})
		matchSteps(t, events.all(), "started? n0 → ask n0 → answered n0 → started? n1 → ask n1 → answered n1 → finished n1 → "+
			"started? n2 → ask n2 → answered n2 → running → running → finished → finished")
		if got := texts(results); got != `n | Error: the user rejected tool "n" | n` {
			t.Errorf("results %s", got)
		}
	})
}

// TestExclusiveCallsSeeWhatCameBefore: the second edit of a file is planned on
// what the first has left.
func TestExclusiveCallsSeeWhatCameBefore(t *testing.T) {
	file := "0"
	edit := tool("edit", func(_ context.Context, _ json.RawMessage, tc *Context) (Result, error) {
		file += "+"
		return TextResult(tc.Planned.Value.(string)), nil
	})
	edit.Mode = Sequential
	edit.Plan = func(context.Context, json.RawMessage, *Context) (*Plan, error) {
		return &Plan{Value: "on " + file}, nil
	}
	p := newTestPipeline(t, edit)
	results, _ := p.ExecuteBatch(context.Background(), nil, calls("edit", "edit"), BatchOptions{})
	if got := texts(results); got != "on 0 | on 0+" {
		t.Errorf("plans were made %s", got)
	}
}

// TestBatchCancel: what did not run gets a result and its events all the same.
func TestBatchCancel(t *testing.T) {
	tests := []struct {
		name     string
		calls    []Call
		parallel int
		want     string
		events   string
	}{
		{"after the first", calls("stop", "n", "n"), 1,
			"Error: Operation aborted | Error: tool call aborted before dispatch | Error: tool call aborted before dispatch",
			"started stop0 → running stop0 → finished stop0 → started n1 → finished n1 → started n2 → finished n2"},
		{"behind a barrier", calls("stop", "alone", "n"), 0,
			"Error: Operation aborted | Error: tool call aborted before dispatch | Error: tool call aborted before dispatch",
			"started stop0 → running stop0 → finished stop0 → started alone1 → finished alone1 → started n2 → finished n2"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			ctx, cancel := context.WithCancel(context.Background())
			defer cancel()
			stop := tool("stop", func(ctx context.Context, _ json.RawMessage, _ *Context) (Result, error) {
				cancel()
				return Result{}, ctx.Err()
			})
			alone := tool("alone", nil)
			alone.Mode = Sequential
			p := newTestPipeline(t, stop, alone, tool("n", nil))
			seen := 0
			p.OnResult(func(Execution, Result) { seen++ })
			events := newRecorder()
			results, terminate := p.ExecuteBatch(ctx, &Run{Events: events}, tt.calls, BatchOptions{Parallel: tt.parallel})
			if got := texts(results); got != tt.want || terminate {
				t.Errorf("got %s, terminate %v\nwant %s", got, terminate, tt.want)
			}
			if code := results[len(results)-1].code(); code != CodeNotRun {
				t.Errorf("code %q", code)
			}
			matchSteps(t, events.all(), tt.events)
			if seen != len(tt.calls) {
				t.Errorf("observers saw %d of %d calls", seen, len(tt.calls))
			}
		})
	}
}

// TestCancelInThePool: the first call cancels while the others may or may not
// have begun: each has one start, one end and a result.
func TestCancelInThePool(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	p := newTestPipeline(t, tool("n", nil), tool("stop", func(ctx context.Context, _ json.RawMessage, _ *Context) (Result, error) {
		cancel()
		return Result{}, ctx.Err()
	}))
	events := newRecorder()
	c := calls("stop", "n", "n", "n")
	results, _ := p.ExecuteBatch(ctx, &Run{Events: events}, c, BatchOptions{Parallel: 2})
	count := map[string]int{}
	for _, step := range events.all() {
		count[step]++
	}
	for i := range c {
		if count["started "+c[i].ID] != 1 || count["finished "+c[i].ID] != 1 || len(results[i].Content) == 0 {
			t.Errorf("call %d: events %s, result %v", i, &events.trace, results[i])
		}
	}
}

// TestCancelledQuestionEndsTheBatch: it stands for a cancelled prompt, so
// nothing more runs or is asked (tools.md §5 row 11).
func TestCancelledQuestionEndsTheBatch(t *testing.T) {
	p := newTestPipeline(t, tool("n", nil))
	p.OnPreExecute(func(_ context.Context, x Execution, next func() (Decision, error)) (Decision, error) {
		if x.CallID == "n1" {
			return Decision{Kind: Ask}, nil
		}
		return next()
	})
	r := &Run{Session: "s", Approver: answer(Cancelled)}
	results, _ := p.ExecuteBatch(context.Background(), r, calls("n", "n", "n"), BatchOptions{})
	want := `Error: tool call aborted before dispatch | Error: approval for tool "n" was cancelled | Error: tool call aborted before dispatch`
	if got := texts(results); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

// TestTruncatedMessage: no call of a message that was cut off runs, whatever
// its arguments are worth (tools.md §2.3.8).
func TestTruncatedMessage(t *testing.T) {
	p := newTestPipeline(t, tool("n", func(context.Context, json.RawMessage, *Context) (Result, error) {
		t.Error("the tool ran")
		return Result{}, nil
	}))
	events := newRecorder()
	c := calls("n", "n", "missing")
	c[1].Arguments = `{"cut`
	results, terminate := p.ExecuteBatch(context.Background(), &Run{Events: events}, c, BatchOptions{Truncated: true})
	for _, r := range results {
		wantError(t, r, "Error: "+cutOffText, CodeOutputLimit)
	}
	if terminate {
		t.Error("the run ends")
	}
	matchSteps(t, events.all(), "started n0 → finished n0 → started n1 → finished n1 → started missing2 → finished missing2")
}

func TestTerminate(t *testing.T) {
	end := tool("end", func(context.Context, json.RawMessage, *Context) (Result, error) {
		r := TextResult("bye")
		r.Terminate = true
		return r, nil
	})
	p := newTestPipeline(t, end, tool("n", nil))
	tests := []struct {
		calls []Call
		want  bool
	}{
		{calls("end"), true}, {calls("end", "end"), true}, {calls("end", "n"), false},
		{calls("n"), false}, {calls("end", "missing"), false}, {nil, false},
	}
	for _, tt := range tests {
		if _, got := p.ExecuteBatch(context.Background(), nil, tt.calls, BatchOptions{}); got != tt.want {
			t.Errorf("%v: terminate %v", tt.calls, got)
		}
	}
}

// TestBatchSurvivesPanics: one broken tool does not take its siblings along.
func TestBatchSurvivesPanics(t *testing.T) {
	p := newTestPipeline(t, tool("n", nil), tool("bad", func(context.Context, json.RawMessage, *Context) (Result, error) { panic("boom") }))
	results, _ := p.ExecuteBatch(context.Background(), nil, calls("n", "bad", "n"), BatchOptions{})
	if results[0].text() != "n ran" || results[1].code() != CodeToolPanicked || results[2].text() != "n ran" {
		t.Errorf("got %s", texts(results))
	}
}
