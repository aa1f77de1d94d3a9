package agent

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"
	"time"

	"go.lsp.dev/jsonrpc2"

	"github.com/agent-ls/agent-ls/acp"
	"github.com/agent-ls/agent-ls/agent"
	"github.com/agent-ls/agent-ls/presentation"
)

func TestPromptBlocks(t *testing.T) {
	got := make(chan []presentation.Block, 1)
	c := start(t, setup{driver: func(_ context.Context, t *agent.Turn) (agent.StopReason, error) {
		got <- t.Prompt()
		return agent.EndTurn, nil
	}})
	s := c.newSession()
	c.call(acp.MethodSessionPrompt, acp.PromptRequest{SessionID: s, Meta: acp.NewMeta("traceparent", "00"), Prompt: acp.List[acp.ContentBlock]{
		acp.Text(""), acp.ImageContent{Data: "aGk=", MimeType: "image/png"}, acp.ResourceLink{URI: "file:///my%20file.txt#L1:2", Name: "my file.txt", MimeType: "text/plain"},
		acp.EmbeddedResource{Resource: acp.TextResourceContents{URI: "u", Text: "t", MimeType: "m"}}, acp.EmbeddedResource{Resource: acp.BlobResourceContents{URI: "u", Blob: "aGk="}},
	}}, nil)
	want := []presentation.Block{
		presentation.Text(""), presentation.Image([]byte("hi"), "image/png"),
		{Type: presentation.BlockLink, URI: "file:///my%20file.txt#L1:2", Name: "my file.txt", MIMEType: "text/plain"},
		{Type: presentation.BlockResource, URI: "u", Text: "t", MIMEType: "m"}, {Type: presentation.BlockResource, URI: "u", Data: []byte("hi")},
	}
	if blocks := <-got; !reflect.DeepEqual(blocks, want) {
		t.Errorf("got %+v", blocks)
	}
}

func TestTurnsThatFail(t *testing.T) {
	var fail error
	c := start(t, setup{driver: func(context.Context, *agent.Turn) (agent.StopReason, error) { return "", fail }})
	s := c.newSession()
	for _, tt := range []struct {
		err  error
		says string
		data string
	}{
		{&agent.ProviderError{Status: 500, Message: "upstream\nsays 500", Err: errors.New("secret detail")}, "upstream says 500", `{"kind":"provider","status":500}`},
		{&agent.ProviderError{Status: 401, Message: "bad key"}, "bad key", `{"kind":"provider","status":401}`},
		{errors.New("boom"), "boom", ``},
	} {
		fail = tt.err
		err := c.request(acp.MethodSessionPrompt, promptOf(s, "go"), nil)
		var e *jsonrpc2.Error
		if !errors.As(err, &e) || e.Code != jsonrpc2.InternalError || !strings.Contains(e.Message, tt.says) || strings.Contains(e.Message, "\n") || string(e.Data) != tt.data {
			t.Errorf("%v: answered %#v", tt.err, err)
		}
	}
}

// waitForCancel is a driver that ends when it is cancelled, not before.
func waitForCancel(ctx context.Context, t *agent.Turn) (agent.StopReason, error) {
	t.Record(agent.ToolCallStarted{CallID: t.ID(), Name: "sleep", View: &presentation.GenericCall{Title: "sleep"}})
	<-ctx.Done()
	return agent.StopCancelled, nil
}

// TestCancelInTheNextLine writes prompt and cancel at once: the cancel hits.
func TestCancelInTheNextLine(t *testing.T) {
	c := start(t, setup{driver: waitForCancel})
	s := c.newSession()
	for i := range 50 {
		lines := fmt.Sprintf(`{"jsonrpc":"2.0","id":"p%d","method":"session/prompt","params":{"sessionId":%q,"prompt":[{"type":"text","text":"x"}]}}`+"\n"+
			`{"jsonrpc":"2.0","method":"session/cancel","params":{"sessionId":%q}}`+"\n", i, s, s)
		if _, err := io.WriteString(c.raw, lines); err != nil {
			t.Fatal(err)
		}
		// Another request tells when the answer must be there: a prompt that
		// was not hit would not end at all.
		c.wait("the answer", func() bool { return c.wire.find(0, fmt.Sprintf(`"id":"p%d"`, i), `"stopReason":"cancelled"`) >= 0 })
	}
	c.see(s, func(s *screen) {
		for _, card := range s.cards() {
			if card.Status != acp.StatusFailed {
				t.Errorf("card %s is %s", card.ID, card.Status)
			}
		}
	})
}

// TestCancelOfARequest ends a turn by $/cancel_request, as session/cancel does.
func TestCancelOfARequest(t *testing.T) {
	c := start(t, setup{driver: waitForCancel})
	s := c.newSession()
	if _, err := io.WriteString(c.raw, fmt.Sprintf(`{"jsonrpc":"2.0","id":"p","method":"session/prompt","params":{"sessionId":%q,"prompt":[{"type":"text","text":"x"}]}}`+"\n"+
		`{"jsonrpc":"2.0","method":"$/cancel_request","params":{"requestId":"p"}}`+"\n", s)); err != nil {
		t.Fatal(err)
	}
	c.wait("the answer", func() bool { return c.wire.find(0, `"id":"p"`, `"stopReason":"cancelled"`) >= 0 })
}

// TestRandomCancels races cancels with turns that end by themselves: there is
// exactly one answer, and nothing of the turn after it (field report 50).
func TestRandomCancels(t *testing.T) {
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	random := rand.New(rand.NewPCG(seed, 1))
	rounds := 1000
	if testing.Short() {
		rounds = 100
	}
	work := func(ctx context.Context, t *agent.Turn) (agent.StopReason, error) {
		for n := range 3 {
			id := fmt.Sprintf("%s-%d", t.ID(), n)
			t.Record(agent.ToolCallStarted{CallID: id, Name: "x", View: &presentation.TerminalCall{Title: "x"}})
			t.Record(agent.ToolCallOutput{CallID: id, Text: "o"})
			if ctx.Err() != nil {
				return agent.StopCancelled, nil
			}
			t.Record(agent.ToolCallFinished{CallID: id, View: &presentation.TerminalResult{Output: "o", ExitCode: ptr(0)}})
		}
		return agent.EndTurn, nil
	}
	c := start(t, setup{driver: work})
	s := c.newSession()
	reasons := map[acp.StopReason]int{}
	for range rounds {
		done := c.startPrompt(s, "go")
		delay := time.Duration(random.IntN(400)) * time.Microsecond
		timer := time.NewTimer(delay)
		select {
		case <-timer.C:
			c.cancel(s)
		case o := <-done:
			done = nil
			reasons[o.reason]++
		}
		timer.Stop()
		if done != nil {
			o := c.ended(done)
			if o.err != nil {
				t.Fatal(o.err)
			}
			reasons[o.reason]++
		}
	}
	t.Logf("%v", reasons)
	if len(reasons) == 0 || reasons[acp.StopEndTurn]+reasons[acp.StopCancelled] != rounds {
		t.Errorf("reasons %v", reasons)
	}
	c.see(s, func(s *screen) {
		for _, p := range s.problems {
			t.Error(p)
		}
		for _, card := range s.cards() {
			if !ended(card.Status) {
				t.Errorf("card %s is %s", card.ID, card.Status)
			}
		}
	})
	c.checkTurns(s, rounds)
}

// checkTurns looks at the wire: between the answer of a prompt and the next
// prompt there is no update of a turn.
func (c *client) checkTurns(session string, turns int) {
	c.t.Helper()
	c.wire.mu.Lock()
	defer c.wire.mu.Unlock()
	answers, running := 0, false
	for _, line := range c.wire.lines {
		switch {
		case strings.Contains(line, `"method":"session/prompt"`):
			running = true
		case strings.Contains(line, `"stopReason"`):
			answers, running = answers+1, false
		case !running && (strings.Contains(line, `"tool_call`) || strings.Contains(line, `_chunk"`)):
			c.t.Fatalf("after the answer: %s", line)
		}
	}
	if answers != turns {
		c.t.Errorf("%d answers to %d prompts", answers, turns)
	}
}

// TestPromptsQueue: a second prompt waits, and nothing of it comes before the
// answer of the first.
func TestPromptsQueue(t *testing.T) {
	release := make(chan struct{})
	started := make(chan struct{}, 2)
	c := start(t, setup{driver: func(ctx context.Context, t *agent.Turn) (agent.StopReason, error) {
		t.Record(agent.AgentText{MessageID: t.ID(), Text: t.Prompt()[0].Text})
		started <- struct{}{}
		<-release
		return agent.EndTurn, nil
	}})
	s := c.newSession()
	one := c.startPrompt(s, "one")
	<-started
	two := c.startPrompt(s, "two")
	c.wait("the second prompt on the wire", func() bool { return c.wire.find(1, `"session/prompt"`) >= 0 })
	close(release)
	for _, done := range []<-chan outcome{one, two} {
		if o := c.ended(done); o.reason != acp.StopEndTurn || o.err != nil {
			t.Errorf("%+v", o)
		}
	}
	if answer, next := c.wire.find(0, `"stopReason"`), c.wire.find(0, `agent_message_chunk`, `"two"`); answer > next {
		t.Errorf("the first answer is line %d, the second turn began at %d", answer, next)
	}
}
