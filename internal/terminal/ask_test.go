package terminal

import (
	"context"
	"errors"
	"io"
	"strings"
	"sync"
	"testing"

	"github.com/agent-ls/agent-ls/agent"
	"github.com/agent-ls/agent-ls/presentation"
)

// screen is an output that says when a question stands on it.
type screen struct {
	strings.Builder
	once  sync.Once
	asked chan struct{}
}

func newScreen() *screen { return &screen{asked: make(chan struct{})} }

func (s *screen) Write(p []byte) (int, error) {
	if strings.Contains(string(p), "Allow?") {
		s.once.Do(func() { close(s.asked) })
	}
	return s.Builder.Write(p)
}

// keyboard types early at once and late when the question stands on the
// screen.
type keyboard struct {
	early, late string
	screen      *screen
}

func (k *keyboard) Read(p []byte) (int, error) {
	if k.early != "" {
		n := copy(p, k.early)
		k.early = ""
		return n, nil
	}
	<-k.screen.asked
	if k.late == "" {
		return 0, io.EOF
	}
	n := copy(p, k.late)
	k.late = ""
	return n, nil
}

func TestAsk(t *testing.T) {
	q := agent.Question{CallID: "1", Name: "bash", Scope: "commands that begin with `rm`", View: &presentation.TerminalCall{Title: "rm -r x\nrm y"}}
	tests := []struct {
		early, late string
		want        agent.Answer
		said        string // at the end
	}{
		{"", "y\n", agent.AllowOnce, ""}, {"", "A\n", agent.AllowAlways, ""}, {"", "n\n", agent.RejectOnce, ""}, {"", "\n", agent.RejectOnce, ""},
		{"", "never\r\n", agent.RejectAlways, ""}, {"", "", agent.RejectOnce, "not any more: \n"},
		{"", "what?\nyes\n", agent.AllowOnce, "Type y, a, n or never.\nAllow? [y] once  [a] always (commands that begin with `rm`)  [n, Enter] no  [never] not any more: "},
		{"y\ny\n", "n\n", agent.RejectOnce, ""}, // typed before the question was shown
	}
	for _, tt := range tests {
		out := newScreen()
		asker := NewAsker(NewSink(out, Options{}), &keyboard{tt.early, tt.late, out})
		asker.asked = tt.early != ""
		if tt.early != "" {
			first := <-asker.lines // it has been read
			asker.lines <- first
		}
		got, err := asker.Ask(context.Background(), q)
		if err != nil || got != tt.want {
			t.Errorf("%+v: %v, %v; want %v", tt, got, err, tt.want)
		}
		if !strings.HasSuffix(out.String(), tt.said) {
			t.Errorf("%+v: at the end stands %q", tt, out.String())
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
