package tools

import (
	"encoding/json"
	"errors"
	"math"
	"reflect"
	"testing"

	"github.com/agent-ls/agent-ls/presentation"
)

type named string

type badMarshaler struct{}

func (badMarshaler) MarshalJSON() ([]byte, error) { panic("no") }

func TestNormalize(t *testing.T) {
	cycle := map[string]any{}
	cycle["self"] = cycle
	text := presentation.Text
	image := presentation.Image([]byte{1}, "image/png")
	asJSON := func(s string) Result { r := TextResult(s); r.Details = json.RawMessage(s); return r }
	full := TextResult("x")
	full.IsError = true
	tests := []struct {
		name string
		in   any
		want Result
	}{
		{"result", full, full},
		{"result pointer", &full, full},
		{"nil result pointer", (*Result)(nil), asJSON("null")},
		{"string", "hi", TextResult("hi")},
		{"named string", named("<hi>"), TextResult("<hi>")},
		{"nil", nil, asJSON("null")},
		{"number", 3, asJSON("3")},
		{"sorted keys", map[string]any{"b": 1, "a": map[string]any{"d": true, "c": nil}}, asJSON(`{"a":{"c":null,"d":true},"b":1}`)},
		{"struct keys sorted too", struct {
			B int `json:"b"`
			A int `json:"a"`
		}{1, 2}, asJSON(`{"a":2,"b":1}`)},
		{"no HTML escaping", map[string]any{"a": "<&>"}, asJSON(`{"a":"<&>"}`)},
		{"big integer", json.RawMessage(`{"n":9007199254740993}`), asJSON(`{"n":9007199254740993}`)},
		{"blocks", []presentation.Block{text("a"), image}, Result{Content: []presentation.Block{text("a"), image}}},
		{"no blocks", []any{}, Result{Content: []presentation.Block{}}},
		{"blocks as JSON", json.RawMessage(`[{"type":"text","text":"a"},{"type":"image","data":"AQ==","mimeType":"image/png"}]`), Result{Content: []presentation.Block{text("a"), image}}},
		{"link and other", json.RawMessage(`[{"type":"resource_link","uri":"file:///a"},{"type":"other","provider":"p","kind":"k"}]`),
			Result{Content: []presentation.Block{{Type: presentation.BlockLink, URI: "file:///a"}, {Type: presentation.BlockOther, Provider: "p", Kind: "k"}}}},
		{"one bad block", json.RawMessage(`[{"type":"text","text":"a"},{"type":"image"}]`), asJSON(`[{"text":"a","type":"text"},{"type":"image"}]`)},
		{"text block without text", json.RawMessage(`[{"type":"text"}]`), asJSON(`[{"type":"text"}]`)},
		{"unknown block", json.RawMessage(`[{"type":"video"}]`), asJSON(`[{"type":"video"}]`)},
		{"bad blocks in Go", []presentation.Block{{}}, asJSON(`[{"type":""}]`)},
		{"list of numbers", []int{1, 2}, asJSON("[1,2]")},
		{"text form", map[string]any{"type": "text", "text": "a"}, TextResult("a")},
		{"json form", map[string]any{"type": "json", "value": map[string]any{"x": 1}}, asJSON(`{"x":1}`)},
		{"json form of null", json.RawMessage(`{"type":"json","value":null}`), asJSON("null")},
		{"parts form", json.RawMessage(`{"type":"parts","parts":[{"type":"text","text":"a"}]}`), Result{Content: []presentation.Block{text("a")}}},
		{"bad parts form", json.RawMessage(`{"type":"parts","parts":[1]}`), asJSON(`{"parts":[1],"type":"parts"}`)},
		{"json form without a value", map[string]any{"type": "json"}, asJSON(`{"type":"json"}`)},
		{"text form without text", map[string]any{"type": "text", "text": 5}, asJSON(`{"text":5,"type":"text"}`)},
		{"cycle", cycle, TextResult("[map[string]interface {}]")},
		{"not a number", math.NaN(), TextResult("NaN")},
		{"channel", make(chan int), TextResult("[chan int]")},
		{"panicking marshaler", badMarshaler{}, TextResult("[tools.badMarshaler]")},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := Normalize(tt.in)
			if !reflect.DeepEqual(got, tt.want) {
				t.Errorf("got  %+v\nwant %+v", got, tt.want)
			}
			if r := materialize(got); r.code() == CodeNotLossless {
				t.Errorf("not lossless: %s", r.text())
			}
		})
	}
}

func TestJSONResult(t *testing.T) {
	got := JSONResult(map[string]any{"type": "text", "text": "a"})
	if got.text() != `{"text":"a","type":"text"}` || string(got.Details) != got.text() {
		t.Errorf("got %+v", got)
	}
	if got := JSONResult(errorsThatJSONCannotHold{}); got.text() != "sad" {
		t.Errorf("got %+v", got)
	}
}

type errorsThatJSONCannotHold struct{ C chan int }

func (errorsThatJSONCannotHold) Error() string { return "sad" }

func TestModelContent(t *testing.T) {
	thrown := func(text string) Result { r := errorResult(nil, text); r.Thrown = true; return r }
	image := Result{Content: []presentation.Block{presentation.Image([]byte{1}, "image/png")}, Thrown: true, IsError: true}
	tests := []struct {
		name string
		r    Result
		want string
	}{
		{"success", TextResult("ok"), "ok"},
		{"thrown", thrown("no disk"), "Error executing tool: no disk"},
		{"returned", errorResult(nil, "no disk"), "Error: no disk"},
		{"thrown and reworded", Result{Content: []presentation.Block{presentation.Text("kinder")}, IsError: true, Thrown: true}, "kinder"},
		{"no text", image, ""},
		{"empty", Result{}, "(no output)"},
	}
	for _, tt := range tests {
		before := tt.r.text()
		got := Result{Content: ModelContent(tt.r)}
		if got.text() != tt.want || tt.r.text() != before {
			t.Errorf("%s: got %q, want %q; the result has %q", tt.name, got.text(), tt.want, tt.r.text())
		}
	}
}

// TestThrownFailureToTheModel: what the pipeline calls an error, a
// conversation words as seed 000 §5.3 does (tools.md §5 row 1).
func TestThrownFailureToTheModel(t *testing.T) {
	_, r := tracedCall(t, seams{tool: func() (Result, error) { return Result{}, errors.New("broke") }})
	if got := ModelContent(r)[0].Text; got != "Error executing tool: broke" {
		t.Errorf("got %q", got)
	}
	_, r = tracedCall(t, seams{pre: func() (Decision, error) { return Decision{Kind: Deny, Reason: "x"}, nil }})
	if got := ModelContent(r)[0].Text; got != "Error: x" {
		t.Errorf("got %q", got)
	}
}

func TestErrorText(t *testing.T) {
	if got := (&Error{Message: "m"}).Error(); got != "m" {
		t.Errorf("got %q", got)
	}
	cause := errors.New("cause")
	e := &Error{Name: "N", Code: "C", Message: "m", Hint: "h", Err: cause}
	if e.Error() != "m. h" || !errors.Is(e, cause) || e.ErrorCode() != "C" || e.ErrorName() != "N" {
		t.Errorf("got %v", e)
	}
	if info := errorInfo(&Error{Code: "C"}); info.Name != "Error" {
		t.Errorf("got %+v", info)
	}
	if info := errorInfo(hostileError{}); info != nil {
		t.Errorf("got %+v", info)
	}
	if isContextError(hostileError{}) {
		t.Error("a hostile error is no end of a context")
	}
}

type hostileError struct{}

func (hostileError) Error() string     { panic("no") }
func (hostileError) ErrorCode() string { panic("no") }
func (hostileError) Is(error) bool     { panic("no") }
