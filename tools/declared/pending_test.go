package declared

import (
	"context"
	"encoding/json"
	"errors"
	"testing"
)

func codeOf(err error) string {
	var e *Error
	if errors.As(err, &e) {
		return e.Code
	}
	return ""
}

func request(session, id string) Request { return Request{SessionID: session, ToolRequestID: id} }

func begin(t *testing.T, p *Pending, session, id string) *Ticket {
	t.Helper()
	ticket, err := p.Begin(request(session, id))
	if err != nil {
		t.Fatal(err)
	}
	return ticket
}

func result(text string) Response { return Response{Result: json.RawMessage(text)} }

// tools.md §4.4.2.
func TestOneRequestASession(t *testing.T) {
	var p Pending
	first := begin(t, &p, "s1", "r1")
	begin(t, &p, "s2", "r1")
	if _, err := p.Begin(request("s1", "r2")); codeOf(err) != "PENDING_TOOL_REQUEST_EXISTS" ||
		err.Error() != "session already has a pending tool request" {
		t.Errorf("got %v", err)
	}
	if err := p.Submit("s1", "r1", result("1")); err != nil {
		t.Error(err)
	}
	second := begin(t, &p, "s1", "r2")
	if a, err := first.Wait(t.Context()); err != nil || string(a.Result) != "1" {
		t.Errorf("got %v, %v", a, err)
	}
	if err := second.Answer(result("2")); err != nil {
		t.Error(err)
	}
}

// tools.md §4.4.3 and §4.4.4.
func TestAnswersNobodyWaitsFor(t *testing.T) {
	var p Pending
	ticket := begin(t, &p, "s1", "r1")
	begin(t, &p, "s2", "r2")
	for _, c := range []struct{ session, id string }{{"s2", "r1"}, {"s1", "r2"}, {"s3", "r1"}, {"", ""}} {
		err := p.Submit(c.session, c.id, result("0"))
		if codeOf(err) != "PENDING_TOOL_REQUEST_NOT_FOUND" || err.Error() != "pending tool request was not found" {
			t.Errorf("%v: %v", c, err)
		}
	}
	if p.Late() != 4 {
		t.Errorf("%d late answers", p.Late())
	}
	if err := p.Submit("s1", "r1", result("1")); err != nil {
		t.Error(err)
	}
	if err := p.Submit("s1", "r1", result("2")); codeOf(err) != CodeRequestNotFound {
		t.Errorf("answered twice: %v", err)
	}
	if a, err := ticket.Wait(t.Context()); err != nil || string(a.Result) != "1" {
		t.Errorf("got %v, %v", a, err)
	}
}

func TestALateAnswerIsNotTakenForANewerRequest(t *testing.T) {
	var p Pending
	old := begin(t, &p, "s1", "same")
	cause := errors.New("gave up")
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(cause)
	if _, err := old.Wait(ctx); !errors.Is(err, cause) {
		t.Errorf("got %v", err)
	}
	newer := begin(t, &p, "s1", "same")
	if err := old.Answer(result("old")); codeOf(err) != CodeRequestNotFound {
		t.Errorf("got %v", err)
	}
	if err := newer.Answer(result("new")); err != nil {
		t.Error(err)
	}
	if a, err := newer.Wait(t.Context()); err != nil || string(a.Result) != "new" {
		t.Errorf("got %v, %v", a, err)
	}
}

func TestAnAnswerThatCameFirstCounts(t *testing.T) {
	var p Pending
	ticket := begin(t, &p, "s1", "r1")
	if err := ticket.Answer(result("1")); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if a, err := ticket.Wait(ctx); err != nil || string(a.Result) != "1" {
		t.Errorf("got %v, %v", a, err)
	}
	if _, err := p.Begin(request("s1", "r2")); err != nil {
		t.Errorf("still pending: %v", err)
	}
}
