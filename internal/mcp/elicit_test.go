package mcp

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/agent-ls/agent-ls/tools"
)

// fakeElicitor answers questions of the modes it has.
type fakeElicitor struct {
	form, url bool
	answer    func(ctx context.Context, e Elicitation) (ElicitationAnswer, error)
	completed chan Elicitation
}

func (f *fakeElicitor) Modes() (form, url bool) { return f.form, f.url }
func (f *fakeElicitor) Elicit(ctx context.Context, e Elicitation) (ElicitationAnswer, error) {
	return f.answer(ctx, e)
}
func (f *fakeElicitor) Completed(_ context.Context, e Elicitation) error {
	f.completed <- e
	return nil
}

// asking connects the test server to an elicitor.
func asking(t *testing.T, f *fakeElicitor) *world {
	w := connect(t, []ServerConfig{stdioServer("test", "tools")}, func(o *Options) {
		if f != nil {
			o.Elicitor = f
		}
	})
	w.ready("ask")
	return w
}

func TestFormIsFilledIn(t *testing.T) {
	var asked Elicitation
	w := asking(t, &fakeElicitor{form: true, answer: func(_ context.Context, e Elicitation) (ElicitationAnswer, error) {
		asked = e
		return ElicitationAnswer{Action: ElicitAccept, Content: map[string]any{"pick": "b"}}, nil
	}})
	if got := w.says("ask", ""); got != "accept b" {
		t.Errorf("the server got %q", got)
	}
	if asked.Server != "test" || asked.Message != "Which one?" || asked.CallID == "" || asked.URL != "" ||
		!strings.Contains(string(asked.Schema), `"pick":{"type":"string"}`) {
		t.Errorf("the user was asked %+v", asked)
	}
}

func TestUserIsSentToAURL(t *testing.T) {
	var asked Elicitation
	f := &fakeElicitor{url: true, completed: make(chan Elicitation, 1)}
	f.answer = func(_ context.Context, e Elicitation) (ElicitationAnswer, error) {
		asked = e
		return ElicitationAnswer{Action: ElicitAccept}, nil
	}
	w := asking(t, f)
	if got := w.says("ask", "https://example.invalid/login"); got != "accept <nil>" {
		t.Errorf("the server got %q", got)
	}
	if asked.URL != "https://example.invalid/login" || asked.ID != "test:e1" || asked.Schema != nil {
		t.Errorf("the user was asked %+v", asked)
	}
	w.says("complete", "e1")
	select {
	case e := <-f.completed:
		if e.ID != "test:e1" || e.Server != "test" {
			t.Errorf("completed %+v", e)
		}
	case <-time.After(patience):
		t.Error("nobody heard that the login is complete")
	}
}

func TestQuestionsThatCannotBeAsked(t *testing.T) {
	refused := errors.New("no window")
	for name, tt := range map[string]struct {
		elicitor *fakeElicitor
		want     string
	}{
		"nobody there":   {nil, "does not support"},
		"no mode at all": {&fakeElicitor{}, "does not support"},
		"only URLs":      {&fakeElicitor{url: true}, "does not support"},
		"an error":       {&fakeElicitor{form: true, answer: func(context.Context, Elicitation) (ElicitationAnswer, error) { return ElicitationAnswer{}, refused }}, "cancel <nil>"},
		"the user denies": {&fakeElicitor{form: true, answer: func(context.Context, Elicitation) (ElicitationAnswer, error) {
			return ElicitationAnswer{Action: ElicitDecline}, nil
		}}, "decline <nil>"},
	} {
		t.Run(name, func(t *testing.T) {
			w := asking(t, tt.elicitor)
			if got := textOf(w.call(context.Background(), "ask", "")); !strings.Contains(got, tt.want) {
				t.Errorf("the call says %q, want %q", got, tt.want)
			}
		})
	}
}

// TestPageBeforeACall: a call for which the server wants the user to go to a page
// first is made again when the user has been there.
func TestPageBeforeACall(t *testing.T) {
	var w *world
	f := &fakeElicitor{url: true, completed: make(chan Elicitation, 1)}
	f.answer = func(_ context.Context, e Elicitation) (ElicitationAnswer, error) {
		if e.Message != "Log in" || e.URL != "https://example.invalid/login" || e.ID != "test:e9" {
			t.Errorf("the user was asked %+v", e)
		}
		w.says("complete", "e9") // the user is there
		return ElicitationAnswer{Action: ElicitAccept}, nil
	}
	w = asking(t, f)
	if got := w.says("locked", ""); got != "open" {
		t.Errorf("the call says %q", got)
	}
}

func TestPageThatNobodyGoesTo(t *testing.T) {
	declined := &fakeElicitor{url: true, answer: func(context.Context, Elicitation) (ElicitationAnswer, error) {
		return ElicitationAnswer{Action: ElicitDecline}, nil
	}}
	for why, f := range map[string]*fakeElicitor{"nobody can be sent": nil, "the user did not": declined} {
		t.Run(why, func(t *testing.T) {
			w := asking(t, f)
			if got := textOf(w.call(context.Background(), "locked", "")); !strings.Contains(got, why) || !strings.Contains(got, "https://example.invalid/login (Log in)") {
				t.Errorf("the call says %q, want %q", got, why)
			}
		})
	}
}

// TestCancelOnAPage cancels the call while the user is there.
func TestCancelOnAPage(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	w := asking(t, &fakeElicitor{url: true, answer: func(context.Context, Elicitation) (ElicitationAnswer, error) {
		go cancel()
		return ElicitationAnswer{Action: ElicitAccept}, nil
	}})
	if r := w.call(ctx, "locked", ""); r.Error == nil || r.Error.Code != tools.CodeAborted {
		t.Errorf("the call is %+v", r)
	}
}

// TestQuestionIsWithdrawn cancels the call, then closes the session, while the
// user is asked.
func TestQuestionIsWithdrawn(t *testing.T) {
	for name, end := range map[string]func(*world, context.CancelFunc){
		"with the call":    func(_ *world, cancel context.CancelFunc) { cancel() },
		"with the session": func(w *world, _ context.CancelFunc) { w.session.Close() },
	} {
		t.Run(name, func(t *testing.T) {
			open, withdrawn := make(chan bool), make(chan bool)
			w := asking(t, &fakeElicitor{form: true, answer: func(ctx context.Context, _ Elicitation) (ElicitationAnswer, error) {
				open <- true
				<-ctx.Done()
				withdrawn <- true
				return ElicitationAnswer{}, ctx.Err()
			}})
			ctx, cancel := context.WithCancel(context.Background())
			defer cancel()
			done := make(chan tools.Result)
			go func() { done <- w.call(ctx, "ask", "") }()
			<-open
			go end(w, cancel)
			<-withdrawn
			if r := <-done; r.Error == nil || r.Error.Code != tools.CodeAborted {
				t.Errorf("the call is %+v", r)
			}
		})
	}
}
