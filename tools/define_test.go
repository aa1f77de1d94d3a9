package tools

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/agent-ls/agent-ls/presentation"
)

type typedArgs struct {
	Path  string         `json:"path" desc:"A file."`
	Count int            `json:"count,omitempty"`
	Small int8           `json:"small,omitempty"`
	Big   json.Number    `json:"big,omitempty"`
	Any   any            `json:"any,omitempty"`
	Map   map[string]any `json:"map,omitempty"`
	Limit int            `json:"limit,omitempty" default:"5"`
}

// defined returns a tool whose result is the Go syntax of its arguments.
func defined(change func(*Spec[typedArgs])) *Definition {
	s := Spec[typedArgs]{
		Name: "n",
		Execute: func(_ context.Context, a typedArgs, _ *Context) (Result, error) {
			return TextResult(fmt.Sprintf("%+v", a)), nil
		},
	}
	if change != nil {
		change(&s)
	}
	return Define(s)
}

func TestDefineDecodes(t *testing.T) {
	tests := []struct {
		name, args, want string
	}{
		{"plain", `{"path":"a","count":3}`, "{Path:a Count:3 Small:0 Big: Any:<nil> Map:map[] Limit:0}"},
		{"negative zero is lossy", `{"path":"a","limit":-0.0e2}`, ""},
		{"integral", `{"path":"3.0","count":3.0,"small":1.2e1,"limit":500e-2}`, "{Path:3.0 Count:3 Small:12 Big: Any:<nil> Map:map[] Limit:5}"},
		{"big numbers stay", `{"path":"a","big":9007199254740993,"any":9007199254740993,"map":{"x":0.10}}`,
			"{Path:a Count:0 Small:0 Big:9007199254740993 Any:9007199254740993 Map:map[x:0.10] Limit:0}"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			r := run(newTestPipeline(t, defined(nil)), "n", tt.args)
			if tt.want == "" {
				if !r.IsError {
					t.Errorf("got %q", r.text())
				}
				return
			}
			wantText(t, r, tt.want)
		})
	}
}

func TestDefineRefuses(t *testing.T) {
	tests := []struct{ name, args, want string }{
		{"unknown key", `{"path":"a","PATH":"b"}`, `unknown property "PATH"`},
		{"wrong type", `{"path":1}`, `"path" must be a string`},
		{"missing", `{}`, `missing required property "path"`},
		{"no coercion", `{"path":"a","count":"3"}`, `"count" must be an integer`},
		{"fraction", `{"path":"a","count":3.5}`, `"count" must be an integer`},
		{"too large for the field", `{"path":"a","small":1000}`, "1000"},
		{"too large for any field", `{"path":"a","count":1e30}`, "1e30"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			r := run(newTestPipeline(t, defined(nil)), "n", tt.args)
			if r.code() != CodeInvalidArgs || !strings.HasPrefix(r.text(), "Error: invalid arguments: ") || !strings.Contains(r.text(), tt.want) {
				t.Errorf("got %s %q, want %q in it", r.code(), r.text(), tt.want)
			}
			if !strings.HasSuffix(r.text(), "Correct the arguments and call the tool again") {
				t.Errorf("no next step in %q", r.text())
			}
		})
	}
}

func TestDefaultsAreAppliedOnDemand(t *testing.T) {
	apply := func(s *Spec[typedArgs]) { s.AppliesDefaults = true }
	wantText(t, run(newTestPipeline(t, defined(apply)), "n", `{"path":"a"}`), "{Path:a Count:0 Small:0 Big: Any:<nil> Map:map[] Limit:5}")
	wantText(t, run(newTestPipeline(t, defined(nil)), "n", `{"path":"a"}`), "{Path:a Count:0 Small:0 Big: Any:<nil> Map:map[] Limit:0}")
	untyped := tool("n", nil)
	untyped.AppliesDefaults = true
	wantText(t, run(newTestPipeline(t, untyped), "n", `{}`), "n ran")
}

// TestTypedCallbacks: each gets typed arguments of its own.
func TestTypedCallbacks(t *testing.T) {
	saw := map[string]string{}
	note := func(who string, a typedArgs) {
		saw[who] = a.Path
		if a.Map != nil {
			a.Map["x"] = "scribbled"
		}
	}
	d := defined(func(s *Spec[typedArgs]) {
		s.Access = func(a typedArgs) []Access {
			note("access", a)
			return []Access{{Kind: AccessRead, Path: a.Path}}
		}
		s.Plan = func(_ context.Context, a typedArgs, _ *Context) (*Plan, error) { note("plan", a); return nil, nil }
		s.PresentCall = func(a typedArgs) presentation.CallView {
			note("call", a)
			return &presentation.GenericCall{Title: "Read " + a.Path}
		}
		s.PresentResult = func(a typedArgs, r Result) presentation.ResultView { note("result", a); return nil }
	})
	p := newTestPipeline(t, d)
	r := &Run{Session: "s", Events: newRecorder(), Approver: answer(AllowedOnce)}
	got := p.ExecuteRaw(context.Background(), r, Call{ID: "c", Name: "n", Arguments: `{"path":"a","map":{"x":"y"}}`})
	wantText(t, got, "{Path:a Count:0 Small:0 Big: Any:<nil> Map:map[x:y] Limit:0}")
	for _, who := range []string{"access", "plan", "call", "result"} {
		if saw[who] != "a" {
			t.Errorf("%s saw %q", who, saw[who])
		}
	}
}

// TestTypedCallbacksAreSoft: arguments that do not decode give no card, and an
// access that nobody can mistake for none.
func TestTypedCallbacksAreSoft(t *testing.T) {
	d := defined(func(s *Spec[typedArgs]) {
		s.Access = func(typedArgs) []Access { return nil }
		s.PresentCall = func(typedArgs) presentation.CallView { return &presentation.GenericCall{Title: "x"} }
		s.PresentResult = func(typedArgs, Result) presentation.ResultView { return &presentation.GenericResult{} }
	})
	for _, bad := range []string{`{"path":1}`, `[]`, `"x"`, `{`, ``} {
		raw := json.RawMessage(bad)
		if v := d.PresentCall(raw); v != nil {
			t.Errorf("%s: call view %v", bad, v)
		}
		if v := d.PresentResult(raw, Result{}); v != nil {
			t.Errorf("%s: result view %v", bad, v)
		}
		if a := d.Access(raw); len(a) != 1 || a[0] != (Access{}) {
			t.Errorf("%s: access %v", bad, a)
		}
		var args *Error
		if _, err := d.Execute(context.Background(), raw, nil); !errors.As(err, &args) || args.Code != CodeInvalidArgs {
			t.Errorf("%s: execute says %v", bad, err)
		}
	}
}

func TestDefineWithoutCallbacks(t *testing.T) {
	d := Define(Spec[typedArgs]{Name: "n"})
	if d.Execute != nil || d.Plan != nil || d.Access != nil || d.PresentCall != nil || d.PresentResult != nil {
		t.Errorf("callbacks out of nothing: %+v", d)
	}
}

func TestDefinePanicsWithoutASchema(t *testing.T) {
	defer func() {
		if v := recover(); !strings.Contains(fmt.Sprint(v), "of tool \"n\" have no schema") {
			t.Errorf("recovered %v", v)
		}
	}()
	Define(Spec[func()]{Name: "n"})
}

func TestAccessOf(t *testing.T) {
	read := []Access{{Kind: AccessRead, Path: "x"}}
	tests := []struct {
		name     string
		d        *Definition
		access   int
		declared bool
	}{
		{"unknown tool", nil, 0, true},
		{"says nothing", &Definition{}, 0, true},
		{"touches nothing", &Definition{Access: func(json.RawMessage) []Access { return nil }}, 0, false},
		{"reads", &Definition{Access: func(json.RawMessage) []Access { return read }}, 1, false},
		{"panics", &Definition{Access: func(json.RawMessage) []Access { panic("x") }}, 0, true},
	}
	for _, tt := range tests {
		access, declared := AccessOf(Execution{Definition: tt.d})
		if len(access) != tt.access || declared != tt.declared {
			t.Errorf("%s: %v, declared %v", tt.name, access, declared)
		}
	}
}

func TestPlainIntegers(t *testing.T) {
	tests := []struct{ in, want string }{
		{`3`, `3`}, {`3.0`, `3`}, {`-3.0`, `-3`}, {`3.5`, `3.5`}, {`1e2`, `100`}, {`1E+2`, `100`}, {`1.5e1`, `15`},
		{`150e-1`, `15`}, {`155e-1`, `155e-1`}, {`0.0`, `0`}, {`0e5`, `0`}, {`0.001e3`, `1`}, {`1e-3`, `1e-3`},
		{`1e99`, `1e99`}, {`1e-99`, `1e-99`}, {`1e99999999999999999999`, `1e99999999999999999999`},
		{`12345678901234567890.0`, `12345678901234567890`}, {`123456789012345678901.0`, `123456789012345678901.0`},
		{`{"a":"3.0","b\"1.0":[1.0,{"c":2.0}],"d":true}`, `{"a":"3.0","b\"1.0":[1,{"c":2}],"d":true}`},
		{`"\\"`, `"\\"`}, {`"open`, `"open`}, {`"open\`, `"open\`},
	}
	for _, tt := range tests {
		if got := string(plainIntegers(json.RawMessage(tt.in))); got != tt.want {
			t.Errorf("%s: got %s, want %s", tt.in, got, tt.want)
		}
	}
}

// TestMisfitsAreNamed: a number that no field can hold is told by its place, not
// by the types of the program.
func TestMisfitsAreNamed(t *testing.T) {
	for in, want := range map[string]string{
		`{"small":300}`: `invalid arguments: "small" cannot be number 300`,
		`{"count":1` + strings.Repeat("0", 500) + `}`: `invalid arguments: "count" cannot be number 1` + strings.Repeat("0", 52),
	} {
		_, err := decodeArgs[typedArgs](json.RawMessage(in))
		if err == nil || !strings.HasPrefix(err.Error(), want) || strings.Contains(err.Error(), "Go") || len(err.Error()) > 200 {
			t.Errorf("%.40s: %v", in, err)
		}
	}
}

func FuzzPlainIntegers(f *testing.F) {
	for _, s := range []string{`{"a":1.0}`, `[1e2,-0.0,3.5]`, `"1.0"`, `1.`, `-`, `"\`} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		out := plainIntegers(json.RawMessage(s))
		if json.Valid([]byte(s)) && !json.Valid(out) {
			t.Errorf("%q became %q, which is no JSON", s, out)
		}
	})
}

// FuzzExecuteRaw: whatever a model writes as arguments, the call comes to one
// result that a log can hold.
func FuzzExecuteRaw(f *testing.F) {
	for _, s := range []string{``, `{"path":"a"}`, `{"path":"a","count":1e400}`, `{"path":"a","path":"b"}`, `[`, "\xff", `{"any":[[[[1]]]],"path":""}`} {
		f.Add(s)
	}
	d := defined(func(s *Spec[typedArgs]) {
		s.AppliesDefaults = true
		s.Prepare = Aliases(map[string]string{"file": "path"})
	})
	f.Fuzz(func(t *testing.T, args string) {
		p := newTestPipeline(t, d)
		events := newRecorder()
		r := p.ExecuteRaw(context.Background(), &Run{Session: "s", Events: events}, Call{ID: "c", Name: "n", Arguments: args})
		if _, err := json.Marshal(r); err != nil {
			t.Errorf("%q: %v", args, err)
		}
		if len(r.Content) == 0 || events.all()[0] != "started c" {
			t.Errorf("%q: content %v, events %s", args, r.Content, &events.trace)
		}
	})
}

// TestDefinedFields: the fields of a Spec reach the Definition.
func TestDefinedFields(t *testing.T) {
	d := Define(Spec[struct{}]{
		Name: "n", Description: "d", Label: "l", Strict: true, Timeout: time.Second, Abandonable: true,
		Mode: Sequential, Source: SourceBuiltin, AppliesDefaults: true,
	})
	if d.Name != "n" || d.Description != "d" || d.Label != "l" || !d.Strict || d.Timeout != time.Second ||
		!d.Abandonable || d.Mode != Sequential || d.Source != SourceBuiltin || !d.AppliesDefaults {
		t.Errorf("got %+v", d)
	}
}
