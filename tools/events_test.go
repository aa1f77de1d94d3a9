package tools

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"sync"
	"testing"

	"github.com/agent-ls/agent-ls/presentation"
)

// TestEventOrder: whatever becomes of a call, it starts first and finishes
// last (tools.md §2.2, contract §5).
func TestEventOrder(t *testing.T) {
	planned := func(context.Context, json.RawMessage, *Context) (*Plan, error) {
		return &Plan{View: &presentation.DiffCall{Title: "Edit a"}, Value: 7}, nil
	}
	tests := []struct {
		name string
		set  func(p *Pipeline, d *Definition, r *Run)
		call Call
		want string
	}{
		{"plain", nil, Call{}, "started? c → running c → finished c"},
		{"updates", func(_ *Pipeline, d *Definition, _ *Run) {
			d.Execute = func(_ context.Context, _ json.RawMessage, tc *Context) (Result, error) {
				tc.Emit(Output{Text: "a"})
				tc.Emit(Progress{})
				return TextResult("ok"), nil
			}
		}, Call{}, "started? c → running c → updated c → updated c → finished c"},
		{"unknown", nil, Call{Name: "missing"}, "started c → finished c"},
		{"no JSON", nil, Call{Arguments: "{"}, "started c → finished c"},
		{"invalid", func(_ *Pipeline, d *Definition, _ *Run) { d.Parameters = numberArg() }, Call{}, "started c → finished c"},
		{"prepare fails", func(_ *Pipeline, d *Definition, _ *Run) {
			d.Prepare = func(json.RawMessage) (json.RawMessage, error) { return nil, errors.New("no") }
		}, Call{}, "started c → finished c"},
		{"blocked", func(p *Pipeline, _ *Definition, _ *Run) { p.OnPreExecute(always(Decision{Kind: Deny})) }, Call{}, "started? c → finished c"},
		{"hook fails", func(p *Pipeline, _ *Definition, _ *Run) {
			p.OnPreExecute(func(context.Context, Execution, func() (Decision, error)) (Decision, error) {
				return Decision{}, errors.New("no")
			})
		}, Call{}, "started? c → finished c"},
		{"planned", func(_ *Pipeline, d *Definition, _ *Run) { d.Plan = planned }, Call{}, "started? c → planned c → running c → finished c"},
		{"planned and rejected", func(p *Pipeline, d *Definition, r *Run) {
			d.Plan = planned
			p.OnPreExecute(always(Decision{Kind: Ask}))
			r.Approver = answer(Rejected)
		}, Call{}, "started? c → planned c → finished c"},
		{"denied without a plan", func(p *Pipeline, d *Definition, _ *Run) {
			d.Plan = func(context.Context, json.RawMessage, *Context) (*Plan, error) { panic("must not run") }
			p.OnPreExecute(always(Decision{Kind: Deny}))
		}, Call{}, "started? c → finished c"},
		{"nobody to ask, no plan", func(p *Pipeline, d *Definition, r *Run) {
			d.Plan = func(context.Context, json.RawMessage, *Context) (*Plan, error) { panic("must not run") }
			p.OnPreExecute(always(Decision{Kind: Ask}))
			r.Approver = nil
		}, Call{}, "started c → finished c"},
		{"plan fails", func(_ *Pipeline, d *Definition, _ *Run) {
			d.Plan = func(context.Context, json.RawMessage, *Context) (*Plan, error) { return nil, errors.New("stale") }
		}, Call{}, "started? c → finished c"},
		{"guarded", func(p *Pipeline, _ *Definition, _ *Run) {
			p.AddGuard(func(Execution) (string, error) { return "no", nil })
		}, Call{}, "started? c → finished c"},
		{"touches nothing", func(_ *Pipeline, d *Definition, _ *Run) { d.Access = func(json.RawMessage) []Access { return nil } },
			Call{}, "started c → running c → finished c"},
		{"touches a file", func(_ *Pipeline, d *Definition, _ *Run) {
			d.Access = func(json.RawMessage) []Access { return []Access{{Kind: AccessRead, Path: "x"}} }
		}, Call{}, "started? c → running c → finished c"},
		{"policy says no", func(_ *Pipeline, _ *Definition, r *Run) { r.MayAsk = func(Execution) bool { return false } },
			Call{}, "started c → running c → finished c"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			d := tool("n", nil)
			p := newTestPipeline(t, d)
			events := newRecorder()
			r := &Run{Session: "s", Events: events, Approver: answer(AllowedOnce)}
			if tt.set != nil {
				tt.set(p, d, r)
			}
			c := tt.call
			c.ID = "c"
			if c.Name == "" {
				c.Name = "n"
			}
			got := p.ExecuteRaw(context.Background(), r, c)
			if events.String() != tt.want {
				t.Errorf("got %s\nwant %s", &events.trace, tt.want)
			}
			if !reflect.DeepEqual(events.finished["c"].r, got) {
				t.Errorf("the event has %+v, the caller %+v", events.finished["c"].r, got)
			}
		})
	}
}

func TestPlanReachesApproverAndTool(t *testing.T) {
	view := &presentation.DiffCall{Title: "Edit a"}
	d := tool("n", func(_ context.Context, _ json.RawMessage, tc *Context) (Result, error) {
		return TextResult(fmt.Sprint(tc.Planned.Value)), nil
	})
	d.Plan = func(_ context.Context, _ json.RawMessage, tc *Context) (*Plan, error) {
		tc.Emit(Output{Text: "too early"}) // nothing is shown before the tool runs
		return &Plan{View: view, Value: 7}, nil
	}
	p := newTestPipeline(t, d)
	p.OnPreExecute(always(Decision{Kind: Ask, Reason: "an edit"}))
	events := newRecorder()
	var asked presentation.CallView
	r := &Run{Session: "s", Events: events, Approver: approver(func(_ context.Context, _ Execution, reason string, v presentation.CallView) Approval {
		asked = v
		if reason != "an edit" {
			t.Errorf("reason %q", reason)
		}
		return AllowedOnce
	})}
	wantText(t, p.ExecuteRaw(context.Background(), r, Call{ID: "c", Name: "n"}), "7")
	if !reflect.DeepEqual(asked, presentation.CallView(view)) || !reflect.DeepEqual(events.views["c"][1], presentation.CallView(view)) {
		t.Errorf("asked with %v, announced %v", asked, events.views["c"])
	}
	if len(events.updates["c"]) != 0 {
		t.Errorf("updates %v", events.updates["c"])
	}
}

func TestCallCards(t *testing.T) {
	const args = `{"a": 1}`
	card := func(v presentation.CallView) func(*Definition) {
		return func(d *Definition) { d.PresentCall = func(json.RawMessage) presentation.CallView { return v } }
	}
	generic := func(title, raw string) presentation.CallView {
		return &presentation.GenericCall{Title: title, Kind: presentation.KindOther, RawInput: json.RawMessage(raw)}
	}
	tests := []struct {
		name string
		set  func(d *Definition)
		call Call
		want presentation.CallView
	}{
		{"no presenter", nil, Call{Name: "n", Arguments: args}, generic("n", args)},
		{"no arguments", nil, Call{Name: "n"}, generic("n", "{}")},
		{"label", func(d *Definition) { d.Label = "Do it" }, Call{Name: "n", Arguments: args}, generic("Do it", args)},
		{"unknown", nil, Call{Name: "x", Arguments: args}, generic("x", args)},
		{"no JSON", nil, Call{Name: "n", Arguments: "not json"}, generic("n", `"not json"`)},
		{"unknown and no JSON", nil, Call{Name: "x", Arguments: "not json"}, generic("x", `"not json"`)},
		{"nil", card(nil), Call{Name: "n", Arguments: args}, generic("n", args)},
		{"nil pointer", card((*presentation.TerminalCall)(nil)), Call{Name: "n", Arguments: args}, generic("n", args)},
		{"panic", func(d *Definition) { d.PresentCall = func(json.RawMessage) presentation.CallView { panic("x") } }, Call{Name: "n", Arguments: args}, generic("n", args)},
		{"invalid arguments", func(d *Definition) { card(&presentation.TerminalCall{Title: "x"})(d); d.Parameters = numberArg() }, Call{Name: "n"}, generic("n", "{}")},
		{"generic", card(&presentation.GenericCall{Title: "Read a", Kind: presentation.KindRead}), Call{Name: "n"}, &presentation.GenericCall{Title: "Read a", Kind: presentation.KindRead}},
		{"terminal", card(&presentation.TerminalCall{Title: "ls"}), Call{Name: "n"}, &presentation.TerminalCall{Title: "ls"}},
		{"diff without a title", card(&presentation.DiffCall{}), Call{Name: "n"}, &presentation.DiffCall{Title: "n"}},
		{"terminal without a title", card(&presentation.TerminalCall{}), Call{Name: "n"}, &presentation.TerminalCall{Title: "n"}},
		{"generic without a title", func(d *Definition) { card(&presentation.GenericCall{})(d); d.Label = "L" }, Call{Name: "n"}, &presentation.GenericCall{Title: "L"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			d := tool("n", nil)
			if tt.set != nil {
				tt.set(d)
			}
			p := newTestPipeline(t, d)
			tt.call.ID = "c"
			events := newRecorder()
			p.ExecuteRaw(context.Background(), &Run{Events: events}, tt.call)
			if got := events.views["c"][0]; !reflect.DeepEqual(got, tt.want) {
				t.Errorf("got %#v\nwant %#v", got, tt.want)
			}
			if _, got := p.Present(tt.call); !reflect.DeepEqual(got, tt.want) {
				t.Errorf("on replay %#v\nwant %#v", got, tt.want)
			}
		})
	}
}

func TestResultCards(t *testing.T) {
	raw := &presentation.GenericResult{}
	terminal := &presentation.TerminalResult{Output: "x"}
	diff := &presentation.DiffResult{Diffs: []presentation.FileDiff{{Path: "a"}}}
	tests := []struct {
		name    string
		pending presentation.CallView
		result  presentation.ResultView
		want    presentation.ResultView
	}{
		{"none", nil, nil, raw},
		{"nil pointer", nil, (*presentation.DiffResult)(nil), raw},
		{"nil generic", nil, (*presentation.GenericResult)(nil), raw},
		{"generic", nil, &presentation.GenericResult{Title: "t"}, &presentation.GenericResult{Title: "t"}},
		{"diff", &presentation.DiffCall{Title: "d"}, diff, diff},
		{"terminal", &presentation.TerminalCall{Title: "ls"}, terminal, terminal},
		{"nil terminal", &presentation.TerminalCall{Title: "ls"}, (*presentation.TerminalResult)(nil), raw},
		{"orphan terminal", &presentation.GenericCall{Title: "ls"}, terminal, raw},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			d := tool("n", nil)
			d.PresentCall = func(json.RawMessage) presentation.CallView { return tt.pending }
			d.PresentResult = func(_ json.RawMessage, r Result) presentation.ResultView {
				if r.text() != "n ran" {
					t.Errorf("the presenter got %q", r.text())
				}
				return tt.result
			}
			p := newTestPipeline(t, d)
			events := newRecorder()
			c := Call{ID: "c", Name: "n"}
			r := p.ExecuteRaw(context.Background(), &Run{Events: events}, c)
			if got := events.finished["c"].view; !reflect.DeepEqual(got, tt.want) {
				t.Errorf("got %#v, want %#v", got, tt.want)
			}
			x, pending := p.Present(c)
			if got := p.PresentResult(x, pending, r); !reflect.DeepEqual(got, tt.want) {
				t.Errorf("on replay %#v, want %#v", got, tt.want)
			}
		})
	}
}

// TestResultPresenterNeedsValidArguments: live and on replay it is not asked
// about arguments that it cannot know.
func TestResultPresenterNeedsValidArguments(t *testing.T) {
	d := tool("n", nil)
	d.Parameters = numberArg()
	d.PresentResult = func(json.RawMessage, Result) presentation.ResultView {
		t.Error("asked")
		return nil
	}
	p := newTestPipeline(t, d)
	c := Call{ID: "c", Name: "n"}
	r := p.ExecuteRaw(context.Background(), &Run{Events: newRecorder()}, c)
	x, pending := p.Present(c)
	p.PresentResult(x, pending, r)
}

// TestLateUpdatesAreDropped: what is emitted after the tool has returned does
// not come after the end, and Emit is safe from many goroutines.
func TestLateUpdatesAreDropped(t *testing.T) {
	var kept *Context
	d := tool("n", func(_ context.Context, _ json.RawMessage, tc *Context) (Result, error) {
		kept = tc
		var emitters sync.WaitGroup
		for range 8 {
			emitters.Go(func() { tc.Emit(Output{Text: "x"}) })
		}
		emitters.Wait()
		return TextResult("ok"), nil
	})
	p := newTestPipeline(t, d)
	p.OnPostExecute(func(_ context.Context, _ Execution, _ Result, next func() (PostDecision, error)) (PostDecision, error) {
		kept.Emit(Output{Text: "late"})
		return next()
	})
	events := newRecorder()
	p.ExecuteRaw(context.Background(), &Run{Events: events}, Call{ID: "c", Name: "n"})
	kept.Emit(Output{Text: "later"})
	kept.Emit(nil)
	if n := len(events.updates["c"]); n != 8 || events.overlap {
		t.Errorf("%d updates, want 8; overlapping %v", n, events.overlap)
	}
	if !strings.HasSuffix(events.String(), "finished c") {
		t.Errorf("events %s", &events.trace)
	}
	new(Context).Emit(Output{}) // a context that no pipeline made
}

func TestContentIsNeverNil(t *testing.T) {
	p := newTestPipeline(t, tool("n", func(context.Context, json.RawMessage, *Context) (Result, error) { return Result{}, nil }))
	if r := run(p, "n", ""); r.Content == nil || len(r.Content) != 0 {
		t.Errorf("content %#v", r.Content)
	}
}
