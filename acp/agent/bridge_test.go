package agent

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"go.lsp.dev/jsonrpc2"

	"github.com/agent-ls/agent-ls/acp"
	"github.com/agent-ls/agent-ls/agent"
	"github.com/agent-ls/agent-ls/presentation"
)

// recorder is a Peer that keeps what it is told, with the time.
type recorder struct {
	mu      sync.Mutex
	updates []string
	at      []time.Time
	answer  func(ctx context.Context, method string, params json.RawMessage) (json.RawMessage, error)
}

func (r *recorder) Call(ctx context.Context, method string, params any) (json.RawMessage, error) {
	return r.answer(ctx, method, params.(json.RawMessage))
}

func (r *recorder) Notify(_ context.Context, _ string, params any) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.updates = append(r.updates, string(params.(json.RawMessage)))
	r.at = append(r.at, time.Now())
	return nil
}

// seen are the updates so far and when they came.
func (r *recorder) seen() ([]string, []time.Time) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.updates, r.at
}

// TestFencesArePaced: at most four updates a second of a running command, the
// last output is shown although no more comes, and nothing after the end.
func TestFencesArePaced(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		peer := &recorder{}
		b := New(nil, peer, Options{}).newBridge(cwd)
		b.open = true
		event := func(e agent.Event) { b.Event(nil, agent.Record{Event: e}) }
		event(startedCall(&presentation.TerminalCall{Title: "x"}))
		for range 300 {
			event(output("line\n"))
			time.Sleep(10 * time.Millisecond)
		}
		event(output("last\n"))
		time.Sleep(time.Second)
		updates, at := peer.seen()
		shown := len(updates)
		if !strings.Contains(updates[shown-1], `last\n`) {
			t.Errorf("the last output is not shown: %.200s", updates[shown-1])
		}
		for i := 1; i < shown; i++ { // the announcement is no output
			n := 0
			for j := i; j < shown && at[j].Sub(at[i]) < time.Second; j++ {
				n++
			}
			if n > 4 {
				t.Errorf("%d updates in the second from update %d", n, i)
			}
		}
		if shown < 8 {
			t.Errorf("just %d updates in 3 s", shown)
		}
		event(output("more\n"))
		event(output("more\n"))
		event(finishedCall(&presentation.TerminalResult{Output: "line\n"}))
		time.Sleep(time.Second)
		if updates, _ = peer.seen(); !strings.Contains(updates[len(updates)-1], `"completed"`) {
			t.Errorf("after the end: %s", updates[len(updates)-1])
		}
	})
}

// TestClosingStopsFences: no timer is left, and nothing is sent.
func TestClosingStopsFences(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		peer := &recorder{}
		b := New(nil, peer, Options{}).newBridge(cwd)
		b.open = true
		b.Event(nil, agent.Record{Event: startedCall(&presentation.TerminalCall{Title: "x"})})
		b.Event(nil, agent.Record{Event: output("a")})
		b.Event(nil, agent.Record{Event: output("b")})
		before, _ := peer.seen()
		b.closed()
		time.Sleep(time.Second)
		if after, _ := peer.seen(); len(after) != len(before) {
			t.Errorf("sent after the end: %s", after[len(before):])
		}
	})
}

// TestTurnsWaitForAnswers: a turn makes no update before the answer of the last
// one is written, or the connection is over.
func TestTurnsWaitForAnswers(t *testing.T) {
	for _, over := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			s := New(nil, &recorder{}, Options{})
			b := s.newBridge(cwd)
			written := make(chan struct{})
			b.answers.add(written)
			went := false
			go func() {
				b.Event(nil, agent.Record{Event: agent.TurnStarted{}})
				went = true
			}()
			synctest.Wait()
			if went {
				t.Error("the turn began before the answer")
			}
			if over {
				s.Close()
			} else {
				close(written)
			}
			synctest.Wait()
			if !went {
				t.Error("the turn does not begin")
			}
		})
	}
}

// ask puts a question through a bridge whose client answers result.
func ask(t *testing.T, q agent.Question, result string, refusal error) (agent.Answer, acp.RequestPermissionRequest, error) {
	t.Helper()
	var asked acp.RequestPermissionRequest
	peer := &recorder{answer: func(_ context.Context, method string, params json.RawMessage) (json.RawMessage, error) {
		if method != acp.MethodRequestPermission {
			t.Errorf("asked %s", method)
		}
		if err := acp.Decode(params, &asked); err != nil {
			t.Error(err)
		}
		return json.RawMessage(result), refusal
	}}
	b := New(nil, peer, Options{}).newBridge(cwd)
	q.Session = session(t)
	a, err := b.Ask(t.Context(), q)
	return a, asked, err
}

// session is any session.
func session(t *testing.T) *agent.Session {
	t.Helper()
	hub := agent.NewHub(agent.Config{OpenDriver: func(_ *agent.Session, _ string) (agent.Driver, agent.ModelInfo, bool, error) {
		return driver(silent), agent.ModelInfo{}, true, nil
	}})
	t.Cleanup(hub.Close)
	s, err := hub.New(t.Context(), agent.SessionOptions{Cwd: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestAnswers(t *testing.T) {
	for _, tt := range []struct {
		result string
		want   agent.Answer
	}{
		{`{"outcome":{"outcome":"selected","optionId":"allow_once"}}`, agent.AllowOnce},
		{`{"outcome":{"outcome":"selected","optionId":"allow_always"}}`, agent.AllowAlways},
		{`{"outcome":{"outcome":"selected","optionId":"reject_once"}}`, agent.RejectOnce},
		{`{"outcome":{"outcome":"selected","optionId":"reject_always"}}`, agent.RejectAlways},
		{`{"outcome":{"outcome":"selected","optionId":"no-such-option"}}`, agent.RejectOnce},
		{`{"outcome":{"outcome":"cancelled"}}`, agent.AnswerCancelled},
	} {
		got, _, err := ask(t, agent.Question{CallID: "c1", Scope: "edits of a.txt"}, tt.result, nil)
		if err != nil || got != tt.want {
			t.Errorf("%s: %s, %v, want %s", tt.result, got, err, tt.want)
		}
	}
	for _, result := range []string{`{}`, `5`, `{"outcome":{"outcome":"perhaps"}}`} {
		if got, _, err := ask(t, agent.Question{}, result, nil); err == nil {
			t.Errorf("%s is understood as %s", result, got)
		}
	}
	refused := acp.Errorf(jsonrpc2.MethodNotFound, "no")
	if _, _, err := ask(t, agent.Question{}, ``, refused); !errors.Is(err, refused) {
		t.Errorf("error %v", err)
	}
}

func TestQuestions(t *testing.T) {
	diff := &presentation.DiffCall{Title: "Edit a.txt", Diffs: []presentation.FileDiff{{Path: "a.txt", OldText: ptr("a"), NewText: "b"}}, Locations: []presentation.FileLocation{{Path: "a.txt", Line: 4}}}
	yes := `{"outcome":{"outcome":"cancelled"}}`
	for _, tt := range []struct {
		name string
		q    agent.Question
		want string
	}{
		{"the diff first, and the input", agent.Question{CallID: "c1", Name: "edit", Arguments: `{"file_path":"a.txt"}`, View: diff},
			`{"toolCallId":"c1","kind":"edit","status":"pending","title":"Edit a.txt","name":"edit","content":[{"type":"diff","path":"/home/u/proj/a.txt","oldText":"a","newText":"b"}],"locations":[{"path":"/home/u/proj/a.txt","line":4}],"rawInput":{"file_path":"a.txt"}}`},
		{"the whole command", agent.Question{CallID: "c1", Name: "bash", Arguments: `{"command":"a && b"}`, View: &presentation.TerminalCall{Title: "a && b", Description: "Both"}},
			`{"toolCallId":"c1","kind":"execute","status":"pending","title":"a && b","name":"bash","content":[{"type":"content","content":{"type":"text","text":"Both"}}],"rawInput":"a && b"}`},
		{"a large input is not said twice", agent.Question{CallID: "c1", Name: "write", Arguments: `{"content":"` + strings.Repeat("x", maxRawInput) + `"}`, View: diff},
			`{"toolCallId":"c1","kind":"edit","status":"pending","title":"Edit a.txt","name":"write","content":[{"type":"diff","path":"/home/u/proj/a.txt","oldText":"a","newText":"b"}],"locations":[{"path":"/home/u/proj/a.txt","line":4}]}`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, asked, err := ask(t, tt.q, yes, nil)
			if err != nil {
				t.Fatal(err)
			}
			raw, err := acp.Encode(asked.ToolCall)
			if err != nil {
				t.Fatal(err)
			}
			if string(raw) != tt.want {
				t.Errorf("got  %s\nwant %s", raw, tt.want)
			}
		})
	}
}

func TestOptions(t *testing.T) {
	_, asked, err := ask(t, agent.Question{Scope: "commands that begin with `go test`\nhere"}, `{"outcome":{"outcome":"cancelled"}}`, nil)
	if err != nil {
		t.Fatal(err)
	}
	want := []acp.PermissionOption{
		{OptionID: "allow_once", Name: "Allow once", Kind: "allow_once"},
		{OptionID: "allow_always", Name: "Always allow commands that begin with `go test` here", Kind: "allow_always"},
		{OptionID: "reject_once", Name: "Reject once", Kind: "reject_once"},
		{OptionID: "reject_always", Name: "Always reject commands that begin with `go test` here", Kind: "reject_always"},
	}
	if !same(asked.Options, want) {
		t.Errorf("%+v", asked.Options)
	}
	// What cannot be remembered is not offered.
	if got := options(agent.Question{}); len(got) != 2 || got[0].Kind != acp.AllowOnce || got[1].Kind != acp.RejectOnce {
		t.Errorf("%+v", got)
	}
}

// TestPermissionIsWithdrawn: a cancel ends an open question on the wire, before
// the turn is answered; the late answer changes nothing (field report 53).
func TestPermissionIsWithdrawn(t *testing.T) {
	asked := make(chan struct{}, 1)
	answered := make(chan error, 1)
	c := start(t, setup{
		driver: func(ctx context.Context, t *agent.Turn) (agent.StopReason, error) {
			_, err := t.Session().FrontEnd().Asker.Ask(ctx, agent.Question{Session: t.Session(), CallID: "c1", Name: "x"})
			answered <- err
			return agent.EndTurn, nil
		},
		answer: func(ctx context.Context, _ string, _ json.RawMessage) (any, error) {
			asked <- struct{}{}
			<-ctx.Done()
			return acp.RequestPermissionResponse{Outcome: acp.SelectedPermissionOutcome{OptionID: "allow_once"}}, nil
		},
	})
	s := c.newSession()
	done := c.startPrompt(s, "x")
	<-asked
	c.cancel(s)
	if o := c.ended(done); o.reason != acp.StopCancelled {
		t.Errorf("%+v", o)
	}
	if err := <-answered; err == nil {
		t.Error("the late answer counts")
	}
	question, withdrawn, answer := c.wire.find(0, "session/request_permission"), c.wire.find(0, "$/cancel_request"), c.wire.find(0, "stopReason")
	if question < 0 || withdrawn < question || answer < withdrawn {
		t.Errorf("question at %d, withdrawn at %d, answer at %d", question, withdrawn, answer)
	}
}

// TestPermissionInsideAPrompt: the reader is free while a question is open.
func TestPermissionInsideAPrompt(t *testing.T) {
	var c *client
	var once sync.Once
	c = start(t, setup{
		driver: func(ctx context.Context, t *agent.Turn) (agent.StopReason, error) {
			answer, err := t.Session().FrontEnd().Asker.Ask(ctx, agent.Question{Session: t.Session(), CallID: "c1", Name: "x"})
			if answer != agent.AllowOnce {
				return "", errors.Join(err, errors.New(string(answer)))
			}
			return agent.EndTurn, nil
		},
		answer: func(context.Context, string, json.RawMessage) (any, error) {
			once.Do(func() { c.newSession() })
			return acp.RequestPermissionResponse{Outcome: acp.SelectedPermissionOutcome{OptionID: "allow_once"}}, nil
		},
	})
	if got := c.prompt(c.newSession(), "x"); got != acp.StopEndTurn {
		t.Errorf("stop reason %s", got)
	}
}

// TestFront shows a session that the program opens itself.
func TestFront(t *testing.T) {
	c := start(t, setup{})
	options, started := c.server.Front(c.cwd)
	s, err := c.hub.New(t.Context(), options)
	if err != nil {
		t.Fatal(err)
	}
	started(s)
	if got := c.prompt(s.ID(), "x"); got != acp.StopEndTurn {
		t.Errorf("stop reason %s", got)
	}
	c.see(s.ID(), func(s *screen) {
		if strings.Join(s.messages, "") != "agent: done" {
			t.Errorf("%q", s.messages)
		}
	})
}

func TestUpdates(t *testing.T) {
	var lines []string
	u := NewUpdates(func(update json.RawMessage) { lines = append(lines, string(update)) })
	s := session(t)
	u.Event(s, agent.Record{Event: agent.AgentText{MessageID: "m", Text: "hi"}})
	u.Event(s, agent.Record{Event: startedCall(&presentation.GenericCall{Title: "T"})})
	if len(lines) != 2 || !strings.HasPrefix(lines[0], `{"sessionId":"`+s.ID()+`","update":{"sessionUpdate":"agent_message_chunk"`) || strings.Contains(lines[1], "\n") {
		t.Errorf("%q", lines)
	}
}
