package tools

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/agent-ls/agent-ls/presentation"
)

// repeater is a pipeline with a repeat guard and tools of the given names.
func repeater(t *testing.T, o RepeatOptions, names ...string) (*Pipeline, *RepeatGuard) {
	t.Helper()
	g, err := NewRepeatGuard(o)
	if err != nil {
		t.Fatal(err)
	}
	var defs []*Definition
	for _, n := range names {
		defs = append(defs, tool(n, nil))
	}
	p := newTestPipeline(t, defs...)
	p.OnPostExecute(g.Listen)
	return p, g
}

// reminders makes the calls "name args" one after another and returns at which
// of them, from 1, the model was reminded.
func reminders(p *Pipeline, calls ...string) (at []int, texts []string) {
	for i, c := range calls {
		name, args, _ := strings.Cut(c, " ")
		r := run(p, name, args)
		for _, h := range r.AdditionalContext {
			at, texts = append(at, i+1), append(texts, h.Text)
		}
	}
	return at, texts
}

func times(n int, call string) []string {
	out := make([]string, n)
	for i := range out {
		out[i] = call
	}
	return out
}

func TestRepeatGuard(t *testing.T) {
	options := func(change func(*RepeatOptions)) RepeatOptions {
		o := DefaultRepeatOptions()
		if change != nil {
			change(&o)
		}
		return o
	}
	tests := []struct {
		name  string
		o     RepeatOptions
		calls []string
		want  string
	}{
		{"five", options(nil), times(5, "n"), "[3 5]"},
		{"ten", options(nil), times(10, "n"), "[3 5 8]"},
		{"sorted", options(func(o *RepeatOptions) { o.Thresholds = []int{4, 2} }), times(5, "n"), "[2 4]"},
		{"another call between", options(nil), []string{"n", "n", "m", "n", "n", "n"}, "[6]"},
		{"other arguments between", options(nil), []string{"n", "n", `n {"a":1}`, "n", "n", "n"}, "[6]"},
		{"key order", options(nil), []string{`n {"a":{"x":1,"y":[{"p":1,"q":2}]},"b":2}`, `n {"b":2,"a":{"y":[{"q":2,"p":1}],"x":1}}`, `n { "a":{"x":1,"y":[{"p":1,"q":2}]},"b":2}`}, "[3]"},
		{"order in lists counts", options(nil), []string{`n {"a":[1,2]}`, `n {"a":[2,1]}`, `n {"a":[1,2]}`}, "[]"},
		{"excluded is transparent", options(func(o *RepeatOptions) { o.Exclude = []string{"m"} }), []string{"n", "m", "n", "m", "m", "m", "n"}, "[7]"},
		{"included", options(func(o *RepeatOptions) { o.Include = []string{"pro*"} }), append(times(3, "n"), times(3, "probe")...), "[6]"},
		{"a dot is a dot", options(func(o *RepeatOptions) { o.Include = []string{"pr.be"} }), times(3, "probe"), "[]"},
		{"unknown tools count", options(nil), times(3, "missing"), "[3]"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			p, _ := repeater(t, tt.o, "n", "m", "probe")
			if at, _ := reminders(p, tt.calls...); fmt.Sprint(at) != tt.want {
				t.Errorf("reminded at %v, want %s", at, tt.want)
			}
		})
	}
}

func TestRepeatTexts(t *testing.T) {
	o := DefaultRepeatOptions()
	o.Preview = 10
	p, _ := repeater(t, o, "n")
	_, texts := reminders(p, times(5, `n {"b":"äöüäöüäöü","a":1}`)...)
	if len(texts) != 2 {
		t.Fatalf("%d reminders", len(texts))
	}
	if strings.Contains(texts[0], "äö") || !strings.Contains(texts[0], `"n" 3 times in a row`) {
		t.Errorf("gentle: %s", texts[0])
	}
	if !strings.Contains(texts[1], "\n{\"a\":1,\"b\"… (+13 more chars)\n") || !strings.Contains(texts[1], `"n" 5 times in a row`) {
		t.Errorf("detailed: %s", texts[1])
	}
	// What the preview cuts still counts.
	p, _ = repeater(t, o, "n")
	long := `n {"a":"` + strings.Repeat("x", 50)
	if at, _ := reminders(p, long+`1"}`, long+`2"}`, long+`3"}`); len(at) != 0 {
		t.Errorf("reminded at %v", at)
	}
}

func TestRepeatIsPerSession(t *testing.T) {
	p, g := repeater(t, DefaultRepeatOptions(), "n")
	call := func(session string) int {
		r := p.ExecuteRaw(context.Background(), &Run{Session: session}, Call{ID: "c", Name: "n"})
		return len(r.AdditionalContext)
	}
	got := 0
	for range 2 {
		got += call("a") + call("b") + call("")
	}
	if got += call(""); got != 0 {
		t.Errorf("%d reminders too early", got)
	}
	g.Reset("a") // a new prompt of the user
	if call("a") != 0 || call("b") != 1 {
		t.Error("want a reminder in session b only")
	}
}

// TestRepeatFolds: denied and failed calls count, and what the listeners after
// the guard decide stays.
func TestRepeatFolds(t *testing.T) {
	o := DefaultRepeatOptions()
	o.Thresholds = []int{2}
	p, _ := repeater(t, o, "n")
	deny := p.OnPreExecute(always(Decision{Kind: Deny, Reason: "x"}))
	if at, _ := reminders(p, times(2, "n")...); fmt.Sprint(at) != "[2]" {
		t.Errorf("denied: reminded at %v", at)
	}
	deny()

	p, _ = repeater(t, o, "n")
	p.OnPostExecute(func(context.Context, Execution, Result, func() (PostDecision, error)) (PostDecision, error) {
		return PostDecision{
			Block: true, Content: []presentation.Block{presentation.Text("redo")},
			Context: []HookContext{{"lint", "3 faults"}},
		}, nil
	})
	run(p, "n", "")
	r := run(p, "n", "")
	wantError(t, r, "redo", "")
	if len(r.AdditionalContext) != 2 || r.AdditionalContext[0].Source != "lint" || r.AdditionalContext[1].Source != "repeat-guard" {
		t.Errorf("context %v", r.AdditionalContext)
	}

	p, _ = repeater(t, o, "n")
	p.OnPostExecute(func(context.Context, Execution, Result, func() (PostDecision, error)) (PostDecision, error) {
		return PostDecision{}, errors.New("broken")
	})
	run(p, "n", "")
	wantError(t, run(p, "n", ""), "Error: broken", "")
}

func TestRepeatOptions(t *testing.T) {
	for name, change := range map[string]func(*RepeatOptions){
		"no thresholds": func(o *RepeatOptions) { o.Thresholds = []int{} },
		"nil":           func(o *RepeatOptions) { o.Thresholds = nil },
		"one":           func(o *RepeatOptions) { o.Thresholds = []int{3, 1} },
		"twice":         func(o *RepeatOptions) { o.Thresholds = []int{3, 5, 3} },
		"no preview":    func(o *RepeatOptions) { o.Preview = 0 },
	} {
		o := DefaultRepeatOptions()
		change(&o)
		if _, err := NewRepeatGuard(o); err == nil {
			t.Errorf("%s: taken", name)
		}
	}
}

func TestWildcard(t *testing.T) {
	tests := []struct {
		pattern, name string
		want          bool
	}{
		{"n", "n", true}, {"n", "nn", false}, {"*", "", true}, {"*", "any", true}, {"a*", "abc", true}, {"*c", "abc", true},
		{"a*c", "abc", true}, {"a*c", "ac", true}, {"a*a", "a", false}, {"a*b*c", "a-b-c", true}, {"a*b*c", "a-c", false},
		{"a**c", "abc", true}, {"pr.be", "probe", false}, {"[a]", "a", false}, {"x*", "abc", false}, {"", "", true}, {"", "a", false},
	}
	for _, tt := range tests {
		if got := wildcard(tt.pattern, tt.name); got != tt.want {
			t.Errorf("wildcard(%q, %q) = %v", tt.pattern, tt.name, got)
		}
	}
}
