package tools

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"testing"

	"github.com/agent-ls/agent-ls/presentation"
	"github.com/agent-ls/agent-ls/tools/schema"
)

// scribble overwrites what a listener was given.
func scribble(x Execution) {
	for i := range x.Arguments {
		x.Arguments[i] = '#'
	}
}

// TestScribblingChangesNothing: whatever one party does to its arguments or
// result, the others see what they should (tools.md §3.4.3, §5.B.1).
func TestScribblingChangesNothing(t *testing.T) {
	const args = `{"a":1}`
	see := func(who string, got json.RawMessage) {
		t.Helper()
		if string(got) != args {
			t.Errorf("%s sees %s", who, got)
		}
	}
	ruin := func(r Result) {
		r.Content[0].Text = "ruined"
		copy(r.Details, "######")
		copy(r.Meta, "######")
	}
	raw := func(who string) func(json.RawMessage) {
		return func(a json.RawMessage) { see(who, a); copy(a, "######") }
	}
	d := tool("n", func(_ context.Context, a json.RawMessage, _ *Context) (Result, error) {
		raw("tool")(a)
		r := TextResult("ok")
		r.Details, r.Meta = json.RawMessage(`"details"`), json.RawMessage(`"meta"`)
		return r, nil
	})
	d.Prepare = func(a json.RawMessage) (json.RawMessage, error) { raw("prepare")(a); return json.RawMessage(args), nil }
	d.Access = func(a json.RawMessage) []Access { raw("access")(a); return nil }
	d.Plan = func(_ context.Context, a json.RawMessage, _ *Context) (*Plan, error) { raw("plan")(a); return nil, nil }
	d.PresentCall = func(a json.RawMessage) presentation.CallView { raw("presentCall")(a); return nil }
	d.PresentResult = func(a json.RawMessage, r Result) presentation.ResultView {
		raw("presentResult")(a)
		ruin(r)
		return nil
	}
	p := newTestPipeline(t, d)
	for _, who := range []string{"pre 1", "pre 2"} {
		p.OnPreExecute(func(_ context.Context, x Execution, next func() (Decision, error)) (Decision, error) {
			see(who, x.Arguments)
			scribble(x)
			d, err := next()
			return d, err
		})
	}
	p.AddGuard(func(x Execution) (string, error) { see("guard", x.Arguments); scribble(x); return "", nil })
	p.AddWrapper(func(ctx context.Context, x Execution, next func(context.Context) ExecuteResult) (ExecuteResult, error) {
		see("wrapper", x.Arguments)
		scribble(x)
		return next(ctx), nil
	})
	for _, who := range []string{"post 1", "post 2"} {
		p.OnPostExecute(func(_ context.Context, x Execution, r Result, next func() (PostDecision, error)) (PostDecision, error) {
			see(who, x.Arguments)
			if r.text() != "ok" || string(r.Meta) != `"meta"` {
				t.Errorf("%s sees %+v", who, r)
			}
			scribble(x)
			ruin(r)
			return next()
		})
	}
	for _, who := range []string{"observer 1", "observer 2"} {
		p.OnResult(func(x Execution, r Result) {
			see(who, x.Arguments)
			if r.text() != "ok" || string(r.Details) != `"details"` {
				t.Errorf("%s sees %+v", who, r)
			}
			scribble(x)
			ruin(r)
		})
	}
	wantText(t, run(p, "n", args), "ok")
}

func TestAsk(t *testing.T) {
	tests := []struct {
		name     string
		decision Decision
		run      *Run
		want     string // "" means that the tool runs
		code     string
	}{
		{"no approver, reason", Decision{Kind: Ask, Reason: "why"}, &Run{Session: "s"}, "Error: why", CodeDenied},
		{"no approver", Decision{Kind: Ask}, &Run{Session: "s"}, `Error: tool "n" requires approval (not yet supported)`, CodeDenied},
		{"no agent", Decision{Kind: Ask}, &Run{Approver: answer(AllowedOnce)}, `Error: tool "n" requires approval but the call has no agent to route it through`, CodeDenied},
		{"granted", Decision{Kind: Ask}, &Run{Session: "s", Approver: answer(AllowedOnce)}, "", ""},
		{"rejected", Decision{Kind: Ask}, &Run{Session: "s", Approver: answer(Rejected)}, `Error: the user rejected tool "n"`, CodeDenied},
		{"cancelled", Decision{Kind: Ask}, &Run{Session: "s", Approver: answer(Cancelled)}, `Error: approval for tool "n" was cancelled`, CodeAborted},
		{"unavailable", Decision{Kind: Ask}, &Run{Session: "s", Approver: answer(Unavailable)}, `Error: tool "n" requires approval but no approval channel is available`, CodeDenied},
		{"odd", Decision{Kind: Ask}, &Run{Session: "s", Approver: answer("maybe")}, `Error: tool "n" got the unknown approval outcome "maybe"`, CodeDenied},
		{"panicking", Decision{Kind: Ask}, &Run{Session: "s", Approver: approver(func(context.Context, Execution, string, presentation.CallView) Approval { panic("no") })},
			`Error: tool "n" requires approval but no approval channel is available`, CodeDenied},
		{"allowed by default", Decision{}, &Run{}, "", ""},
		{"denied without a reason", Decision{Kind: Deny}, &Run{}, "Error: Tool execution was blocked", CodeDenied},
		{"unknown decision", Decision{Kind: "perhaps"}, &Run{}, `Error: a pre-execute listener answered "perhaps" for tool "n", want allow, deny or ask`, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			p := newTestPipeline(t, tool("n", nil))
			p.OnPreExecute(always(tt.decision))
			r := p.ExecuteRaw(context.Background(), tt.run, Call{ID: "c", Name: "n"})
			if tt.want == "" {
				wantText(t, r, "n ran")
				return
			}
			wantError(t, r, tt.want, tt.code)
		})
	}
}

// TestDiscreetAsk: before the user has answered, a dry run that fails tells the
// model nothing of what it found but its code.
func TestDiscreetAsk(t *testing.T) {
	for _, tt := range []struct {
		decision   Decision
		want, code string
	}{
		{Decision{Kind: Ask}, "Error: line 1 is secret", "STALE"},
		{Decision{Kind: Ask, Discreet: true}, "Error: the change cannot be made as asked; why is not told before the user has allowed reading. " +
			"Read what it touches first, which asks the user, or go on without it", "STALE"},
	} {
		d := tool("n", nil)
		d.Plan = func(context.Context, json.RawMessage, *Context) (*Plan, error) {
			return nil, &Error{Name: "EditError", Code: "STALE", Message: "line 1 is secret"}
		}
		p := newTestPipeline(t, d)
		p.OnPreExecute(always(tt.decision))
		r := p.ExecuteRaw(context.Background(), &Run{Session: "s", Approver: answer(AllowedOnce)}, Call{ID: "c", Name: "n"})
		wantError(t, r, tt.want, tt.code)
	}
}

// TestAskEnds: an answer that comes after the context ended does not count,
// and nobody is asked in an ended one (tools.md §3.6.3).
func TestAskEnds(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	asked := 0
	late := approver(func(context.Context, Execution, string, presentation.CallView) Approval {
		asked++
		cancel()
		return AllowedOnce
	})
	p := newTestPipeline(t, tool("n", nil))
	p.OnPreExecute(always(Decision{Kind: Ask}))
	r := p.ExecuteRaw(ctx, &Run{Session: "s", Approver: late}, Call{ID: "c", Name: "n"})
	wantError(t, r, `Error: approval for tool "n" was cancelled`, CodeAborted)

	p = newTestPipeline(t, tool("n", nil))
	ctx, cancel = context.WithCancel(context.Background())
	p.OnPreExecute(func(context.Context, Execution, func() (Decision, error)) (Decision, error) {
		cancel()
		return Decision{Kind: Ask}, nil
	})
	r = p.ExecuteRaw(ctx, &Run{Session: "s", Approver: late}, Call{ID: "c", Name: "n"})
	wantError(t, r, `Error: approval for tool "n" was cancelled`, CodeAborted)
	if asked != 1 {
		t.Errorf("asked %d times, want 1", asked)
	}
}

func TestPreListenersDelegateInOrder(t *testing.T) {
	var tr trace
	p := newTestPipeline(t, tool("n", nil))
	for _, name := range []string{"one", "two"} {
		p.OnPreExecute(func(_ context.Context, _ Execution, next func() (Decision, error)) (Decision, error) {
			tr.add("%s", name)
			d, err := next()
			tr.add("%s got %s", name, d.Kind)
			return d, err
		})
	}
	dispose := p.OnPreExecute(func(_ context.Context, _ Execution, _ func() (Decision, error)) (Decision, error) {
		tr.add("three denies")
		return Decision{Kind: Deny, Reason: "x"}, nil
	})
	wantError(t, run(p, "n", ""), "Error: x", CodeDenied)
	if want := "one → two → three denies → two got deny → one got deny"; tr.String() != want {
		t.Errorf("got %s, want %s", &tr, want)
	}
	dispose()
	dispose()
	wantText(t, run(p, "n", ""), "n ran")
}

func TestGuardsAreMonotonic(t *testing.T) {
	p := newTestPipeline(t, tool("n", nil))
	asked := 0
	guard := func(reason string) Guard {
		return func(Execution) (string, error) { asked++; return reason, nil }
	}
	no := guard("first")
	p.AddGuard(guard(""))
	first := p.AddGuard(no)
	twin := p.AddGuard(no)
	p.AddGuard(guard("second"))
	wantError(t, run(p, "n", ""), "Error: first", CodeDenied)
	if asked != 2 {
		t.Errorf("%d guards were asked, want 2: the first reason wins", asked)
	}
	first()
	wantError(t, run(p, "n", ""), "Error: first", CodeDenied) // the twin is a registration of its own
	twin()
	wantError(t, run(p, "n", ""), "Error: second", CodeDenied)
}

func TestWrappers(t *testing.T) {
	type key struct{}
	var tr trace
	p := newTestPipeline(t, tool("n", func(ctx context.Context, _ json.RawMessage, _ *Context) (Result, error) {
		tr.add("tool %v", ctx.Value(key{}))
		return TextResult("ok"), nil
	}))
	p.AddWrapper(func(ctx context.Context, _ Execution, next func(context.Context) ExecuteResult) (ExecuteResult, error) {
		tr.add("outer")
		out := next(context.WithValue(ctx, key{}, "mine"))
		out.Result.AdditionalContext = []HookContext{{Source: "w", Text: "more"}}
		return out, nil
	})
	p.AddWrapper(func(ctx context.Context, _ Execution, next func(context.Context) ExecuteResult) (ExecuteResult, error) {
		tr.add("inner %v", ctx.Value(key{}))
		return next(ctx), nil
	})
	p.OnPostExecute(func(ctx context.Context, _ Execution, _ Result, next func() (PostDecision, error)) (PostDecision, error) {
		tr.add("post %v", ctx.Value(key{})) // the caller's context is back
		d, err := next()
		d.Context = append(d.Context, HookContext{Source: "p", Text: "and more"})
		return d, err
	})
	r := run(p, "n", "")
	if want := "outer → inner mine → tool mine → post <nil>"; tr.String() != want {
		t.Errorf("got %s, want %s", &tr, want)
	}
	if fmt.Sprint(r.AdditionalContext) != "[{w more} {p and more}]" {
		t.Errorf("context %v", r.AdditionalContext)
	}
}

func TestWrapperMustAnswerForItsCall(t *testing.T) {
	p := newTestPipeline(t, tool("n", nil))
	p.AddWrapper(func(context.Context, Execution, func(context.Context) ExecuteResult) (ExecuteResult, error) {
		return ExecuteResult{CallID: "x", Result: TextResult("other")}, nil
	})
	wantError(t, run(p, "n", ""), `Error: tools/execute returned callId "x" for authoritative call "c"`, "")
}

func TestInnerWrapperFailureCannotBeUndone(t *testing.T) {
	p := newTestPipeline(t, tool("n", nil))
	p.AddWrapper(func(ctx context.Context, x Execution, next func(context.Context) ExecuteResult) (ExecuteResult, error) {
		if out := next(ctx); !out.Result.IsError {
			t.Error("the outer wrapper sees a success")
		}
		return ExecuteResult{CallID: x.CallID, Result: TextResult("fine")}, nil
	})
	p.AddWrapper(func(context.Context, Execution, func(context.Context) ExecuteResult) (ExecuteResult, error) {
		return ExecuteResult{}, errors.New("broken")
	})
	wantError(t, run(p, "n", ""), "Error: broken", "")
}

func TestUnknownAndRestrictedToolsAreAlike(t *testing.T) {
	r := NewRegistry()
	for _, n := range []string{"seen", "hidden"} {
		if _, err := r.Register(tool(n, nil)); err != nil {
			t.Fatal(err)
		}
	}
	s := r.NewScope()
	if _, err := r.Restrict(s, Restriction{Deny: []string{"hidden"}}); err != nil {
		t.Fatal(err)
	}
	p := NewPipeline(r, s)
	seen := 0
	p.OnPostExecute(func(_ context.Context, _ Execution, _ Result, next func() (PostDecision, error)) (PostDecision, error) {
		seen++
		return next()
	})
	for _, name := range []string{"hidden", "missing"} {
		got := run(p, name, "")
		wantError(t, got, fmt.Sprintf(`Error: unknown tool %q. The tools are: seen`, name), CodeUnknownTool)
		if got.Error.Name != "ToolNotFoundError" {
			t.Errorf("name %q", got.Error.Name)
		}
	}
	if seen != 2 {
		t.Errorf("post-execute saw %d of 2 calls", seen)
	}
	for i := range 2 * maxNamedTools {
		mustRegister(t, r, s, tool(fmt.Sprintf("own%03d", i), nil))
	}
	if got := run(p, "missing", "").text(); !strings.HasSuffix(got, "own039, …") {
		t.Errorf("among many: %s", got)
	}
	none := NewPipeline(NewRegistry(), nil)
	wantError(t, run(none, "x", ""), `Error: unknown tool "x". No tool is available; answer without one`, CodeUnknownTool)
}

func TestObserversAreContained(t *testing.T) {
	var log bytes.Buffer
	p := newTestPipeline(t, tool("n", nil))
	seen := 0
	p.OnResult(func(Execution, Result) { panic("observer broke") })
	p.OnResult(func(Execution, Result) { seen++ })
	r := p.ExecuteRaw(context.Background(), &Run{Logger: slog.New(slog.NewTextHandler(&log, nil))}, Call{ID: "c", Name: "n"})
	wantText(t, r, "n ran")
	if seen != 1 || !strings.Contains(log.String(), "observer broke") {
		t.Errorf("peers called %d times, log %q", seen, &log)
	}
}

// TestPanics: a panic anywhere is an error result without a stack, and the
// stack is in the log.
func TestPanics(t *testing.T) {
	type set func(p *Pipeline, d *Definition, r *Run)
	tests := []struct {
		where string
		set   set
		want  string // "" means that the call goes well nevertheless
	}{
		{"execute", func(_ *Pipeline, d *Definition, _ *Run) {
			d.Execute = func(context.Context, json.RawMessage, *Context) (Result, error) { panic(errors.New("boom")) }
		}, `tool "n" panicked: boom`},
		{"plan", func(_ *Pipeline, d *Definition, _ *Run) {
			d.Plan = func(context.Context, json.RawMessage, *Context) (*Plan, error) { panic("boom") }
		}, `plan of tool "n" panicked: boom`},
		{"prepare", func(_ *Pipeline, d *Definition, _ *Run) {
			d.Prepare = func(json.RawMessage) (json.RawMessage, error) { panic("boom") }
		}, "preparation of arguments panicked: boom"},
		{"pre", func(p *Pipeline, _ *Definition, _ *Run) {
			p.OnPreExecute(func(context.Context, Execution, func() (Decision, error)) (Decision, error) { panic("boom") })
		}, "pre-execute listener panicked: boom"},
		{"guard", func(p *Pipeline, _ *Definition, _ *Run) {
			p.AddGuard(func(Execution) (string, error) { panic("boom") })
		}, "guard panicked: boom"},
		{"wrapper", func(p *Pipeline, _ *Definition, _ *Run) {
			p.AddWrapper(func(context.Context, Execution, func(context.Context) ExecuteResult) (ExecuteResult, error) {
				panic("boom")
			})
		}, "execute wrapper panicked: boom"},
		{"post", func(p *Pipeline, _ *Definition, _ *Run) {
			p.OnPostExecute(func(context.Context, Execution, Result, func() (PostDecision, error)) (PostDecision, error) {
				panic("boom")
			})
		}, "post-execute listener panicked: boom"},
		{"hostile value", func(_ *Pipeline, d *Definition, _ *Run) {
			d.Execute = func(context.Context, json.RawMessage, *Context) (Result, error) { panic((*Error)(nil)) }
		}, `tool "n" panicked: <unprintable thrown value>`},
		{"access", func(_ *Pipeline, d *Definition, _ *Run) { d.Access = func(json.RawMessage) []Access { panic("boom") } }, ""},
		{"presentCall", func(_ *Pipeline, d *Definition, _ *Run) {
			d.PresentCall = func(json.RawMessage) presentation.CallView { panic("boom") }
		}, ""},
		{"presentResult", func(_ *Pipeline, d *Definition, _ *Run) {
			d.PresentResult = func(json.RawMessage, Result) presentation.ResultView { panic("boom") }
		}, ""},
		{"mayAsk", func(_ *Pipeline, _ *Definition, r *Run) { r.MayAsk = func(Execution) bool { panic("boom") } }, ""},
		{"events", func(_ *Pipeline, d *Definition, r *Run) {
			r.Events = panickingEvents{}
			d.Execute = func(_ context.Context, _ json.RawMessage, tc *Context) (Result, error) {
				tc.Emit(Progress{})
				return TextResult("n ran"), nil
			}
		}, ""},
	}
	for _, tt := range tests {
		t.Run(tt.where, func(t *testing.T) {
			var log bytes.Buffer
			d := tool("n", nil)
			p := newTestPipeline(t, d)
			r := &Run{Session: "s", Events: newRecorder(), Approver: answer(AllowedOnce), Logger: slog.New(slog.NewTextHandler(&log, nil))}
			tt.set(p, d, r)
			got := p.ExecuteRaw(context.Background(), r, Call{ID: "c", Name: "n"})
			if tt.want == "" {
				wantText(t, got, "n ran")
			} else {
				wantError(t, got, "Error: "+tt.want+". This is a defect of the program, not of the call; go on in another way", CodeToolPanicked)
			}
			if tt.where != "access" && !strings.Contains(log.String(), "stack=") {
				t.Errorf("no stack in the log: %s", &log)
			}
		})
	}
}

type panickingEvents struct{}

func (panickingEvents) Started(Execution, presentation.CallView, bool)      { panic("started") }
func (panickingEvents) Planned(Execution, presentation.CallView)            { panic("planned") }
func (panickingEvents) Running(Execution)                                   { panic("running") }
func (panickingEvents) Updated(Execution, Update)                           { panic("updated") }
func (panickingEvents) Finished(Execution, Result, presentation.ResultView) { panic("finished") }

// codedError is an error of another package, known by its method.
type codedError struct{}

func (*codedError) Error() string     { return "file changed" }
func (*codedError) ErrorCode() string { return "FS_STALE_VERSION" }

// nilError is an error whose methods fail on a nil pointer.
type nilError struct{ text string }

func (e *nilError) Error() string { return e.text }

func TestToolFailures(t *testing.T) {
	tests := []struct {
		name string
		err  error
		want string
		info string
	}{
		{"plain", errors.New("no disk"), "Error: no disk", "<nil>"},
		{"with a hint", &Error{Name: "FsError", Code: "FS_NOT_FOUND", Message: "no file", Hint: "List the folder"}, "Error: no file. List the folder", "&{FsError FS_NOT_FOUND}"},
		{"coded and wrapped", fmt.Errorf("edit: %w", &codedError{}), "Error: edit: file changed", "&{codedError FS_STALE_VERSION}"},
		{"invalid UTF-8", errors.New("open \xff"), "Error: open \uFFFD", "<nil>"},
		{"nil pointer", (*nilError)(nil), "Error: <unprintable thrown value>", "<nil>"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			p := newTestPipeline(t, tool("n", func(context.Context, json.RawMessage, *Context) (Result, error) {
				return Result{Usage: &Usage{Input: 1}, Meta: json.RawMessage(`1`)}, tt.err
			}))
			r := run(p, "n", "")
			if !r.IsError || !r.Thrown || r.text() != tt.want || fmt.Sprint(r.Error) != tt.info {
				t.Errorf("got %q, error %v, thrown %v\nwant %q, error %s", r.text(), r.Error, r.Thrown, tt.want, tt.info)
			}
			if r.Usage == nil || r.Meta != nil {
				t.Errorf("usage %v, meta %s: want the usage and no meta", r.Usage, r.Meta)
			}
		})
	}
}

// TestReturnedErrorsCount: a result may say that it is an error (tools.md
// §2.2.7, §5 row 2); it is not thrown, and it keeps no meta.
func TestReturnedErrorsCount(t *testing.T) {
	p := newTestPipeline(t, tool("n", func(context.Context, json.RawMessage, *Context) (Result, error) {
		r := TextResult("Error: no")
		r.IsError, r.Meta, r.Details = true, json.RawMessage(`1`), json.RawMessage(`2`)
		return r, nil
	}))
	r := run(p, "n", "")
	wantError(t, r, "Error: no", "")
	if r.Thrown || r.Meta != nil || string(r.Details) != "2" {
		t.Errorf("got %+v", r)
	}
}

func TestAborts(t *testing.T) {
	tests := []struct {
		name string
		tool func(ctx context.Context) (Result, error)
		want string
		code string
	}{
		{"context's error", func(ctx context.Context) (Result, error) { return Result{}, ctx.Err() }, "Error: Operation aborted", CodeAborted},
		{"wrapped", func(ctx context.Context) (Result, error) { return Result{}, fmt.Errorf("get: %w", ctx.Err()) }, "Error: Operation aborted", CodeAborted},
		{"own words", func(context.Context) (Result, error) { return Result{}, errors.New("command aborted") }, "Error: command aborted", CodeAborted},
		{"own code", func(context.Context) (Result, error) { return Result{}, &Error{Code: "X", Message: "m"} }, "Error: m", "X"},
		{"own result", func(context.Context) (Result, error) {
			r := TextResult("partial\ncommand aborted")
			r.IsError = true
			return r, nil
		}, "partial\ncommand aborted", CodeAborted},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			ctx, cancel := context.WithCancel(context.Background())
			p := newTestPipeline(t, tool("n", func(ctx context.Context, _ json.RawMessage, _ *Context) (Result, error) {
				cancel()
				return tt.tool(ctx)
			}))
			wantError(t, p.ExecuteRaw(ctx, nil, Call{ID: "c", Name: "n"}), tt.want, tt.code)
		})
	}
	t.Run("success stays", func(t *testing.T) {
		ctx, cancel := context.WithCancel(context.Background())
		p := newTestPipeline(t, tool("n", func(context.Context, json.RawMessage, *Context) (Result, error) {
			cancel()
			return TextResult("done"), nil
		}))
		wantText(t, p.ExecuteRaw(ctx, nil, Call{ID: "c", Name: "n"}), "done")
	})
}

// TestAbortBeforeDispatch: a call cancelled on the way does not reach its tool
// (tools.md §2.2.6).
func TestAbortBeforeDispatch(t *testing.T) {
	for _, when := range []string{"at once", "in a listener"} {
		ctx, cancel := context.WithCancel(context.Background())
		p := newTestPipeline(t, tool("n", nil))
		if when == "at once" {
			cancel()
		}
		p.OnPreExecute(func(_ context.Context, _ Execution, next func() (Decision, error)) (Decision, error) {
			cancel()
			return next()
		})
		events := newRecorder()
		r := p.ExecuteRaw(ctx, &Run{Events: events}, Call{ID: "c", Name: "n"})
		wantError(t, r, "Error: Operation aborted", CodeAborted)
		if want := "started c → finished c"; events.String() != want {
			t.Errorf("%s: events %s, want %s", when, &events.trace, want)
		}
	}
}

func TestTokens(t *testing.T) {
	var tokens []Token
	p := newTestPipeline(t)
	outer := tool("outer", func(ctx context.Context, _ json.RawMessage, tc *Context) (Result, error) {
		return p.ExecuteRaw(ctx, nil, Call{ID: "in", Name: "inner", Parent: tc.Token}), nil
	})
	for _, d := range []*Definition{outer, tool("inner", nil)} {
		if _, err := p.registry.Register(d); err != nil {
			t.Fatal(err)
		}
	}
	p.OnResult(func(x Execution, _ Result) { tokens = append(tokens, x.Token, x.Parent) })
	wantText(t, run(p, "outer", ""), "inner ran")
	inner, parent, out, none := tokens[0], tokens[1], tokens[2], tokens[3]
	if inner == out || parent != out || none != (Token{}) || out == (Token{}) {
		t.Errorf("tokens: inner %v of %v, outer %v of %v", inner, parent, out, none)
	}
}

func TestResultsMustBeLossless(t *testing.T) {
	tests := []struct {
		name   string
		result Result
		want   string
	}{
		{"details", Result{Details: json.RawMessage(`{"a":1,"a":2}`)}, "details: "},
		{"meta", Result{Meta: json.RawMessage(`{`)}, "meta: "},
		{"text", TextResult("\xff"), "content[0]: invalid UTF-8"},
		{"no type", Result{Content: []presentation.Block{{Text: "x"}}}, "content[0]: block without a type"},
		{"payload", Result{Content: []presentation.Block{{Type: presentation.BlockOther, Payload: json.RawMessage(`nope`)}}}, "content[0]: "},
		{"context", Result{AdditionalContext: []HookContext{{Text: "x"}}}, "additional context needs a source"},
		{"context text", Result{AdditionalContext: []HookContext{{Source: "s", Text: "\xff"}}}, "additional context: invalid UTF-8"},
		{"error", Result{IsError: true, Error: &ErrorInfo{Name: "\xff"}}, "error: invalid UTF-8"},
		{"tools", Result{AddedTools: []string{"\xff"}}, "invalid UTF-8"},
		{"cost", Result{Usage: &Usage{Cost: nan()}}, "usage: cost is not a number"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			p := newTestPipeline(t, tool("n", func(context.Context, json.RawMessage, *Context) (Result, error) { return tt.result, nil }))
			r := run(p, "n", "")
			if want := "Error: tool result must be losslessly JSON-serializable: " + tt.want; !strings.HasPrefix(r.text(), want) || r.code() != CodeNotLossless {
				t.Errorf("got %q (%s), want %q…", r.text(), r.code(), want)
			}
			if _, err := json.Marshal(r); err != nil {
				t.Errorf("the error result itself: %v", err)
			}
		})
	}
}

func nan() float64 {
	var zero float64
	return zero / zero
}

// TestResultSurvivesJSON: what an execution came to is the same after a log.
func TestResultSurvivesJSON(t *testing.T) {
	full := Result{
		Content:           []presentation.Block{presentation.Text("<a> & b"), presentation.Image([]byte{1, 2}, "image/png")},
		Details:           json.RawMessage(`{"big":9007199254740993}`),
		Meta:              json.RawMessage(`[1]`),
		Usage:             &Usage{Input: 1, Cost: 0.5},
		AddedTools:        []string{"x"},
		Terminate:         true,
		AdditionalContext: []HookContext{{"s", "t"}},
		OutputRef:         "ref",
	}
	p := newTestPipeline(t, tool("n", func(context.Context, json.RawMessage, *Context) (Result, error) { return full, nil }))
	r := run(p, "n", "")
	data, err := json.Marshal(r)
	if err != nil {
		t.Fatal(err)
	}
	var back Result
	if err := json.Unmarshal(data, &back); err != nil {
		t.Fatal(err)
	}
	again, err := json.Marshal(back)
	if err != nil || !bytes.Equal(data, again) {
		t.Errorf("%v\n%s\n%s", err, data, again)
	}
}

func TestToolContext(t *testing.T) {
	now := fixedClock()
	var got *Context
	p := newTestPipeline(t, tool("n", func(_ context.Context, _ json.RawMessage, tc *Context) (Result, error) {
		got = tc
		return TextResult("ok"), nil
	}))
	app := &struct{ user string }{"u"}
	r := &Run{Session: "s", Cwd: "/w", Roots: []string{"/x"}, App: app, Now: now}
	p.ExecuteRaw(context.Background(), r, Call{ID: "c", Name: "n"})
	if got.CallID != "c" || got.Tool != "n" || got.Session != "s" || got.Cwd != "/w" || got.Roots[0] != "/x" ||
		got.App != any(app) || !got.Now().Equal(now()) || got.Logger == nil || got.Token == (Token{}) {
		t.Errorf("context %+v", got)
	}
}

// TestSchemaViolations: all violations reach the model at once, with what to do.
func TestSchemaViolations(t *testing.T) {
	d := tool("n", nil)
	d.Parameters = &schema.Schema{
		Type: "object",
		Properties: []schema.Property{
			{Name: "a", Schema: &schema.Schema{Type: "number"}},
			{Name: "b", Schema: &schema.Schema{Type: "string"}},
		},
		Required: []string{"a"},
	}
	p := newTestPipeline(t, d)
	r := run(p, "n", `{"b":1}`)
	wantError(t, r, `Error: invalid arguments: missing required property "a"; "b" must be a string. Correct the arguments and call the tool again`, CodeInvalidArgs)
	if r.Error.Name != "ToolArgsError" {
		t.Errorf("name %q", r.Error.Name)
	}
	wantError(t, run(p, "n", `[1]`), `Error: invalid arguments: "arguments" must be an object. Correct the arguments and call the tool again`, CodeInvalidArgs)
	wantError(t, run(newTestPipeline(t, tool("any", nil)), "any", `null`),
		`Error: invalid arguments: "arguments" must be an object. Correct the arguments and call the tool again`, CodeInvalidArgs)
}
