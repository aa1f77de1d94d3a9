package declared

import (
	"context"
	"encoding/json"
	"errors"
	"testing"
)

func answering(text string) Handler {
	return func(context.Context, Request) (json.RawMessage, error) { return json.RawMessage(text), nil }
}

func (h *Handlers) answer(t *testing.T, name string, inline Handler) string {
	t.Helper()
	got, err := h.Call(t.Context(), Request{Tool: name, TurnID: "turn", Args: json.RawMessage(`{}`), inline: inline})
	if err != nil {
		return codeOf(err)
	}
	return string(got)
}

// tools.md §4.3.1 and §4.3.2.
func TestHandlerPriority(t *testing.T) {
	var h Handlers
	inline := answering(`"inline"`)
	if got := h.answer(t, "a", nil); got != "TOOL_HANDLER_NOT_FOUND" {
		t.Errorf("got %s", got)
	}
	disposeAll, err := h.OnAny(answering(`"all"`))
	if err != nil {
		t.Fatal(err)
	}
	if got := h.answer(t, "a", nil) + h.answer(t, "a", inline); got != `"all""inline"` {
		t.Errorf("got %s", got)
	}
	first, err := h.On("a", answering(`"first"`))
	if err != nil {
		t.Fatal(err)
	}
	second, err := h.On("a", answering(`"second"`))
	if err != nil {
		t.Fatal(err)
	}
	first() // no longer current
	if got := h.answer(t, "a", inline) + h.answer(t, "b", nil); got != `"second""all"` {
		t.Errorf("got %s", got)
	}
	second()
	second()
	if got := h.answer(t, "a", inline); got != `"inline"` {
		t.Errorf("got %s", got)
	}
	other, err := h.OnAny(answering(`"other"`))
	if err != nil {
		t.Fatal(err)
	}
	disposeAll()
	if got := h.answer(t, "a", nil); got != `"other"` {
		t.Errorf("got %s", got)
	}
	other()
	if got := h.answer(t, "a", nil); got != "TOOL_HANDLER_NOT_FOUND" {
		t.Errorf("got %s", got)
	}
}

func TestMissingHandler(t *testing.T) {
	_, err := new(Handlers).Call(t.Context(), Request{Tool: "get_page"})
	var e *Error
	if !errors.As(err, &e) || e.Message != "No tool handler registered for get_page" || string(e.Details) != `{"tool":"get_page"}` {
		t.Errorf("got %#v", err)
	}
}

func TestBadRegistrations(t *testing.T) {
	var h Handlers
	for _, c := range []struct {
		name string
		fn   Handler
		want string
	}{
		{"bad/name", answering("1"), "tool name is invalid"},
		{"", answering("1"), "tool name is invalid"},
		{"good", nil, "tool handler must be a function"},
	} {
		dispose, err := h.On(c.name, c.fn)
		if dispose != nil || codeOf(err) != "INVALID_INPUT" || err.Error() != c.want {
			t.Errorf("%q: %v", c.name, err)
		}
	}
	if _, err := h.OnAny(nil); codeOf(err) != "INVALID_INPUT" {
		t.Errorf("got %v", err)
	}
}

func TestTyped(t *testing.T) {
	type args struct {
		Delta int `json:"delta"`
	}
	type value struct {
		Value string `json:"value"`
	}
	add := Typed(func(_ context.Context, a args, r Request) (value, error) {
		if a.Delta < 0 {
			return value{}, &Error{Code: "NEGATIVE", Message: "no"}
		}
		return value{Value: r.Tool + "<"}, nil
	})
	got, err := add(t.Context(), Request{Tool: "add", Args: json.RawMessage(`{"delta":3}`)})
	if err != nil || string(got) != `{"value":"add<"}` {
		t.Errorf("got %s, %v", got, err)
	}
	if _, err := add(t.Context(), Request{Args: json.RawMessage(`{"delta":-1}`)}); codeOf(err) != "NEGATIVE" {
		t.Errorf("got %v", err)
	}
	if _, err := add(t.Context(), Request{Args: json.RawMessage(`{"delta":"x"}`)}); codeOf(err) != CodeArgsInvalid {
		t.Errorf("got %v", err)
	}
	bad := Typed(func(context.Context, args, Request) (chan int, error) { return nil, nil })
	if _, err := bad(t.Context(), Request{Args: json.RawMessage(`{}`)}); err == nil {
		t.Error("a channel is a result")
	}
}
