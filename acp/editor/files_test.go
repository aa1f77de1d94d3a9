package editor

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"go.lsp.dev/jsonrpc2"

	"github.com/agent-ls/agent-ls/acp"
	"github.com/agent-ls/agent-ls/workspace"
)

// buffer is a client that holds one text.
func buffer(text *string) *client {
	return (&client{}).on(acp.MethodReadTextFile, func(context.Context, json.RawMessage) (any, error) {
		return acp.ReadTextFileResponse{Content: *text}, nil
	})
}

func TestReadText(t *testing.T) {
	for _, tt := range []struct {
		name         string
		buffer, disk string
		text         string // "" means that the disk counts
	}{
		{"unsaved", "new\n", "old\n", "new\n"},
		{"clean", "same\n", "same\n", ""},
		{"a client that drops the last line end", "same", "same\n", ""},
		{"line ends are normalised", "a\nb\n", "a\r\nb\r\n", ""},
		{"line ends are normalised, last one dropped", "a\nb", "a\r\nb\r\n", ""},
		{"unsaved, line ends come back", "a\nB\n", "a\r\nb\r\n", "a\r\nB\r\n"},
		{"unsaved with its own line ends", "a\r\nB\n", "a\r\nb\r\n", "a\r\nB\n"},
		{"mixed line ends, clean", "a\nb\nc", "a\r\nb\nc", ""},
		{"the mark is dropped", "a\n", "\uFEFFa\n", ""},
		{"unsaved, the mark comes back", "A\n", "\uFEFFa\n", "\uFEFFA\n"},
		{"no UTF-8 on disk", "caf\uFFFD\n", "caf\xe9\n", ""},
		{"a NUL on disk", "a", "a\x00", ""},
		{"a huge file", "a", strings.Repeat("x", maxText+1), ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			e := newEditor(t, buffer(&tt.buffer), Options{Capabilities: everything})
			text, ok, err := e.ReadText(t.Context(), "/w/a.txt", tt.disk)
			if err != nil || text != tt.text || ok != (tt.text != "") {
				t.Errorf("got %q, %t, %v, want %q", text, ok, err, tt.text)
			}
		})
	}
}

// TestEmptiedBuffer: all text deleted and not saved is unsaved text, too.
func TestEmptiedBuffer(t *testing.T) {
	empty := ""
	e := newEditor(t, buffer(&empty), Options{Capabilities: everything})
	if text, ok, err := e.ReadText(t.Context(), "/w/a.txt", "old\n"); text != "" || !ok || err != nil {
		t.Errorf("got %q, %t, %v", text, ok, err)
	}
}

// TestWholeFileIsAsked: no line, no limit (acp.md §10).
func TestWholeFileIsAsked(t *testing.T) {
	text := "x"
	c := buffer(&text)
	e := newEditor(t, c, Options{Capabilities: everything})
	if _, _, err := e.ReadText(t.Context(), "/w/a.txt", "y"); err != nil {
		t.Fatal(err)
	}
	if got, want := c.last(acp.MethodReadTextFile), `{"sessionId":"s1","path":"/w/a.txt"}`; got != want {
		t.Errorf("asked %s, want %s", got, want)
	}
}

// TestStaleBuffer: a clean buffer that lags behind the disk does not count,
// until it is typed in (field report 40).
func TestStaleBuffer(t *testing.T) {
	text := "one\n"
	e := newEditor(t, buffer(&text), Options{Capabilities: everything})
	for _, step := range []struct {
		buffer, disk, want string
	}{
		{"one\n", "one\n", ""},                      // clean: the base
		{"one\n", "two\n", ""},                      // a command wrote the file
		{"two\n", "two\n", ""},                      // the client noticed
		{"two, typed\n", "two\n", "two, typed\n"},   // the user types
		{"two, typed\n", "three\n", "two, typed\n"}, // and a command writes
		{"two\n", "three\n", ""},                    // undone: the old base
	} {
		text = step.buffer
		got, ok, err := e.ReadText(t.Context(), "/w/a.txt", step.disk)
		if err != nil || got != step.want || ok != (step.want != "") {
			t.Errorf("buffer %q over %q: %q, %t, %v, want %q", step.buffer, step.disk, got, ok, err, step.want)
		}
	}
}

func TestReadsThatFail(t *testing.T) {
	for _, err := range []error{gone, jsonrpc2.NewError(jsonrpc2.InvalidParams, "no")} {
		c := (&client{}).on(acp.MethodReadTextFile, func(context.Context, json.RawMessage) (any, error) { return nil, err })
		e := newEditor(t, c, Options{Capabilities: everything})
		if text, ok, err := e.ReadText(t.Context(), "/w/a.txt", "disk"); text != "" || ok || err != nil {
			t.Errorf("got %q, %t, %v", text, ok, err)
		}
	}
	c := (&client{}).on(acp.MethodReadTextFile, func(context.Context, json.RawMessage) (any, error) { return json.RawMessage(`{"content":5}`), nil })
	e := newEditor(t, c, Options{Capabilities: everything})
	if _, ok, err := e.ReadText(t.Context(), "/w/a.txt", "disk"); ok || err != nil {
		t.Errorf("a senseless answer: %t, %v", ok, err)
	}
	none := newEditor(t, &client{}, Options{})
	if _, ok, err := none.ReadText(t.Context(), "/w/a.txt", "disk"); ok || err != nil || len(none.caller.(*client).asked) > 0 {
		t.Errorf("a client that offers nothing: %t, %v", ok, err)
	}
}

// TestReadsEnd: with the call's context, or when the client does not answer.
func TestReadsEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := (&client{}).on(acp.MethodReadTextFile, func(ctx context.Context, _ json.RawMessage) (any, error) {
			<-ctx.Done()
			return nil, ctx.Err()
		})
		e := newEditor(t, c, Options{Capabilities: everything})
		start := time.Now()
		if _, ok, err := e.ReadText(t.Context(), "/w/a.txt", "disk"); ok || err != nil || time.Since(start) != readPatience {
			t.Errorf("no answer: %t, %v after %v", ok, err, time.Since(start))
		}
		cause := errors.New("cancelled by the user")
		ctx, cancel := context.WithCancelCause(t.Context())
		time.AfterFunc(time.Second, func() { cancel(cause) })
		if _, _, err := e.ReadText(ctx, "/w/a.txt", "disk"); err != cause {
			t.Errorf("error %v", err)
		}
	})
}

func write(before, after string) workspace.FileWrite {
	return workspace.FileWrite{Path: "/real/a.txt", Before: workspace.NewHandle("/w/a.txt", before), After: after}
}

func TestApply(t *testing.T) {
	for _, tt := range []struct {
		name string
		w    workspace.FileWrite
		want workspace.Outcome
	}{
		{"text", write("a\n", "b\n"), workspace.Taken},
		{"new file", workspace.FileWrite{Path: "/w/a.txt", After: "b\n", Create: true}, workspace.Taken},
		{"line ends of Windows", write("a\r\n", "b\r\n"), workspace.Declined},
		{"line ends of Windows go away", write("a\r\n", "b\n"), workspace.Declined},
		{"line ends of Windows come", write("a\n", "b\r\n"), workspace.Declined},
		{"a mark", write("\uFEFFa\n", "\uFEFFb\n"), workspace.Declined},
		{"no UTF-8", write("caf\xe9 1", "caf\xe9 2"), workspace.Declined},
		{"a NUL", write("a", "a\x00"), workspace.Declined},
		{"a huge text", write("a", strings.Repeat("x", maxText+1)), workspace.Declined},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c := &client{}
			e := newEditor(t, c, Options{Capabilities: everything})
			outcome, err := e.Apply(t.Context(), tt.w)
			if outcome != tt.want || err != nil {
				t.Errorf("outcome %d, %v", outcome, err)
			}
			if got := len(c.methods()); got != int(tt.want) {
				t.Errorf("%d writes: %v", got, c.methods())
			}
			if raw := c.last(acp.MethodWriteTextFile); tt.want == workspace.Taken && raw != `{"sessionId":"s1","path":"/w/a.txt","content":"b\n"}` {
				t.Errorf("asked %s", raw)
			}
		})
	}
	none := newEditor(t, &client{}, Options{})
	if outcome, err := none.Apply(t.Context(), write("a", "b")); outcome != workspace.Declined || err != nil {
		t.Errorf("a client that offers nothing: %d, %v", outcome, err)
	}
}

// TestWritesThatFail say what is known of the file.
func TestWritesThatFail(t *testing.T) {
	refused := (&client{}).on(acp.MethodWriteTextFile, func(context.Context, json.RawMessage) (any, error) {
		return nil, jsonrpc2.NewError(jsonrpc2.InternalError, "the user rejected\nthis edit")
	})
	e := newEditor(t, refused, Options{Capabilities: everything})
	if outcome, err := e.Apply(t.Context(), write("a", "b")); outcome != workspace.Declined || err == nil || !strings.Contains(err.Error(), "nothing was changed: the user rejected this edit") {
		t.Errorf("%d, %v", outcome, err)
	}
	ctx, cancel := context.WithCancelCause(t.Context())
	cause := errors.New("cancelled by the user")
	silent := (&client{}).on(acp.MethodWriteTextFile, func(ctx context.Context, _ json.RawMessage) (any, error) {
		cancel(cause)
		<-ctx.Done()
		return nil, context.Cause(ctx)
	})
	e = newEditor(t, silent, Options{Capabilities: everything})
	if outcome, err := e.Apply(ctx, write("a", "b")); outcome != workspace.Declined || !errors.Is(err, cause) || !strings.Contains(err.Error(), "not known") {
		t.Errorf("%d, %v", outcome, err)
	}
}
