package terminal

import (
	"context"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/agent-ls/agent-ls/agent"
	"github.com/agent-ls/agent-ls/presentation"
)

func TestAsk(t *testing.T) {
	q := agent.Question{CallID: "1", Name: "bash", Scope: "commands that begin with `rm`", View: &presentation.TerminalCall{Title: "rm -r x\nrm y"}}
	tests := []struct {
		input string
		want  agent.Answer
	}{
		{"y\n", agent.AllowOnce}, {"A\n", agent.AllowAlways}, {"n\n", agent.RejectOnce}, {"\n", agent.RejectOnce},
		{"never\n", agent.RejectAlways}, {"what?\nyes\n", agent.AllowOnce}, {"", agent.RejectOnce},
	}
	for _, tt := range tests {
		var out strings.Builder
		got, err := NewAsker(NewSink(&out, Options{}), strings.NewReader(tt.input)).Ask(context.Background(), q)
		if err != nil || got != tt.want {
			t.Errorf("%q: %v, %v; want %v", tt.input, got, err, tt.want)
		}
		for _, want := range []string{"│ rm -r x\n│ rm y\n", "always (commands that begin with `rm`)"} {
			if !strings.Contains(out.String(), want) {
				t.Errorf("%q is not in %q", want, out.String())
			}
		}
	}
}

func TestAskCancelled(t *testing.T) {
	r, w := io.Pipe()
	defer w.Close()
	ctx, cancel := context.WithCancelCause(context.Background())
	cause := errors.New("gone")
	cancel(cause)
	got, err := NewAsker(NewSink(io.Discard, Options{}), r).Ask(ctx, agent.Question{Name: "t"})
	if got != agent.AnswerCancelled || !errors.Is(err, cause) {
		t.Errorf("%v, %v", got, err)
	}
}
