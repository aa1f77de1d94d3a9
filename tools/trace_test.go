package tools

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/agent-ls/agent-ls/presentation"
)

// seams says what each seam of a traced pipeline does besides recording
// itself; nil lets the call pass.
type seams struct {
	pre     func() (Decision, error)
	guard   func() (string, error)
	wrapper func(next func() ExecuteResult) (ExecuteResult, error)
	tool    func() (Result, error)
	post    func(r Result) (PostDecision, error)
	ask     Approval // "" means that there is no approver
	args    string
}

// tracedCall runs one call and returns the order of its seams.
func tracedCall(t *testing.T, s seams) (*trace, Result) {
	t.Helper()
	tr := &trace{}
	p := newTestPipeline(t, tool("n", func(context.Context, json.RawMessage, *Context) (Result, error) {
		tr.add("tool")
		if s.tool != nil {
			return s.tool()
		}
		return Result{Content: []presentation.Block{presentation.Text("ok")}, Meta: json.RawMessage(`1`)}, nil
	}))
	p.OnPreExecute(func(_ context.Context, _ Execution, next func() (Decision, error)) (Decision, error) {
		tr.add("pre")
		if s.pre != nil {
			return s.pre()
		}
		return next()
	})
	p.AddGuard(func(Execution) (string, error) {
		tr.add("guard")
		if s.guard != nil {
			return s.guard()
		}
		return "", nil
	})
	p.AddWrapper(func(ctx context.Context, x Execution, next func(context.Context) ExecuteResult) (ExecuteResult, error) {
		tr.add("before")
		if s.wrapper != nil {
			return s.wrapper(func() ExecuteResult { return next(ctx) })
		}
		out := next(ctx)
		if out.Result.IsError {
			tr.add("after: error")
		} else {
			tr.add("after")
		}
		return out, nil
	})
	p.OnPostExecute(func(_ context.Context, _ Execution, r Result, next func() (PostDecision, error)) (PostDecision, error) {
		tr.add("post")
		if s.post != nil {
			return s.post(r)
		}
		return next()
	})
	p.OnResult(func(_ Execution, r Result) { tr.add("observe %s", r.text()) })
	r := &Run{Session: "s"}
	if s.ask != "" {
		r.Approver = approver(func(context.Context, Execution, string, presentation.CallView) Approval {
			tr.add("approval")
			return s.ask
		})
	}
	return tr, p.ExecuteRaw(context.Background(), r, Call{ID: "c", Name: "n", Arguments: s.args})
}

func TestSeamOrder(t *testing.T) {
	fail := &Error{Name: "HookError", Code: "HOOK", Message: "boom"}
	decide := func(d Decision, err error) func() (Decision, error) {
		return func() (Decision, error) { return d, err }
	}
	tests := []struct {
		name  string
		seams seams
		want  string
		code  string
	}{
		{"allowed", seams{},
			"pre → guard → before → tool → after → post → observe ok", ""},
		{"denied", seams{pre: decide(Decision{Kind: Deny, Reason: "x"}, nil)},
			"pre → post → observe Error: x", CodeDenied},
		{"ask granted", seams{pre: decide(Decision{Kind: Ask}, nil), ask: AllowedOnce},
			"pre → approval → guard → before → tool → after → post → observe ok", ""},
		{"ask rejected", seams{pre: decide(Decision{Kind: Ask}, nil), ask: Rejected},
			`pre → approval → post → observe Error: the user rejected tool "n"`, CodeDenied},
		{"guard denies after grant", seams{
			pre: decide(Decision{Kind: Ask}, nil), ask: AllowedOnce,
			guard: func() (string, error) { return "not now", nil },
		}, "pre → approval → guard → post → observe Error: not now", CodeDenied},
		{"wrapper short-circuits", seams{wrapper: func(func() ExecuteResult) (ExecuteResult, error) {
			return ExecuteResult{CallID: "c", Result: TextResult("cached")}, nil
		}}, "pre → guard → before → post → observe cached", ""},
		{"tool fails", seams{tool: func() (Result, error) { return Result{}, errors.New("broke") }},
			"pre → guard → before → tool → after: error → post → observe Error: broke", ""},
		{"tool panics", seams{tool: func() (Result, error) { panic("ouch") }},
			`pre → guard → before → tool → after: error → post → observe Error: tool "n" panicked: ouch. This is a defect of the program, not of the call; go on in another way`, CodeToolPanicked},
		{"post blocks", seams{post: func(Result) (PostDecision, error) {
			return PostDecision{Block: true, Content: []presentation.Block{presentation.Text("redo")}}, nil
		}}, "pre → guard → before → tool → after → post → observe redo", ""},
		{"pre fails", seams{pre: decide(Decision{}, fail)},
			"pre → observe Error: boom", "HOOK"},
		{"guard fails", seams{guard: func() (string, error) { return "", fail }},
			"pre → guard → observe Error: boom", "HOOK"},
		{"wrapper fails", seams{wrapper: func(func() ExecuteResult) (ExecuteResult, error) { return ExecuteResult{}, fail }},
			"pre → guard → before → observe Error: boom", "HOOK"},
		{"wrapper fails after the tool", seams{wrapper: func(next func() ExecuteResult) (ExecuteResult, error) { return next(), fail }},
			"pre → guard → before → tool → observe Error: boom", "HOOK"},
		{"post fails", seams{post: func(Result) (PostDecision, error) { return PostDecision{}, fail }},
			"pre → guard → before → tool → after → post → observe Error: boom", "HOOK"},
		{"post replaces an error's text", seams{
			tool: func() (Result, error) { return Result{}, errors.New("broke") },
			post: func(Result) (PostDecision, error) {
				return PostDecision{Content: []presentation.Block{presentation.Text("kinder")}}, nil
			},
		}, "pre → guard → before → tool → after: error → post → observe kinder", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			tr, r := tracedCall(t, tt.seams)
			if tr.String() != tt.want {
				t.Errorf("order\n got %s\nwant %s", tr, tt.want)
			}
			if r.code() != tt.code {
				t.Errorf("code %q, want %q", r.code(), tt.code)
			}
		})
	}
}

func TestPostBlockDropsMetaAndError(t *testing.T) {
	block := func(Result) (PostDecision, error) {
		return PostDecision{Block: true, Content: []presentation.Block{presentation.Text("redo")}}, nil
	}
	for name, run := range map[string]func() (Result, error){
		"success": nil,
		"failure": func() (Result, error) { return Result{}, &Error{Name: "E", Code: "C", Message: "m"} },
	} {
		_, r := tracedCall(t, seams{tool: run, post: block})
		wantError(t, r, "redo", "")
		if r.Meta != nil || r.Thrown {
			t.Errorf("%s: meta %s, thrown %v are left", name, r.Meta, r.Thrown)
		}
	}
}

func TestPostAcceptKeepsAnErrorAnError(t *testing.T) {
	_, r := tracedCall(t, seams{
		tool: func() (Result, error) { return Result{}, &Error{Name: "E", Code: "C", Message: "m"} },
		post: func(Result) (PostDecision, error) {
			return PostDecision{Content: []presentation.Block{presentation.Text("kinder")}}, nil
		},
	})
	wantError(t, r, "kinder", "C")
}

// TestUnreadArguments: arguments that are no lossless JSON reach observers,
// once, and nobody else (tools.md §3.4.1, Appendix A.5).
func TestUnreadArguments(t *testing.T) {
	tests := []struct{ name, args, want string }{
		{"cut off", `{"a":`, "Error: Invalid tool arguments JSON for n: "},
		{"no JSON", `not json`, "Error: Invalid tool arguments JSON for n: "},
		{"two values", `{} {}`, "Error: Invalid tool arguments JSON for n: "},
		{"duplicate key", `{"a":1,"a":2}`, "Error: tool execution arguments must be losslessly JSON-serializable: duplicate key"},
		{"negative zero", `{"a":-0}`, "Error: tool execution arguments must be losslessly JSON-serializable: "},
		{"overflow", `{"a":1e999}`, "Error: tool execution arguments must be losslessly JSON-serializable: "},
		{"invalid UTF-8", "{\"a\":\"\xff\"}", "Error: tool execution arguments must be losslessly JSON-serializable: "},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			tr, r := tracedCall(t, seams{args: tt.args})
			if steps := tr.all(); len(steps) != 1 || !strings.HasPrefix(steps[0], "observe "+tt.want) {
				t.Errorf("order %s\nwant only observe %s…", tr, tt.want)
			}
			if r.code() != CodeInvalidArgs || !r.IsError {
				t.Errorf("isError %v, code %q", r.IsError, r.code())
			}
		})
	}
}
