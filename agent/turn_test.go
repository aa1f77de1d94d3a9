package agent

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

// blocks is a response of one call of the tool block.
func blocks(names ...string) response {
	var deltas []Delta
	for _, n := range names {
		deltas = append(deltas, callOf("block", args(n)))
	}
	return says(Finish{}, deltas...)
}

func TestANormalTurnEndsWithEndTurn(t *testing.T) {
	checkLeaks(t)
	w := newWorld(t, model(says(Finish{}, text("hello"))))
	s := w.session()
	w.run(s, "hi there", EndTurn)
	want := []string{"turn_started", "title_changed", "user_message", "agent_text", "turn_ended"}
	if got := kinds(w.sink.all()); !slices.Equal(got, want) {
		t.Errorf("records %v, want %v", got, want)
	}
	w.hub.Close()
}

func TestCancelEndsTheTurnAndSettlesItsCards(t *testing.T) {
	checkLeaks(t)
	w := newWorld(t, model(blocks("a", "b")))
	s := w.session()
	wait := s.Enqueue(t.Context(), prompt("go"))
	<-w.started
	s.Cancel()
	reason, err := wait()
	if reason != StopCancelled || err != nil {
		t.Fatalf("outcome %q, %v", reason, err)
	}
	records := w.sink.all()
	started, finished := eventsOf[ToolCallStarted](records), eventsOf[ToolCallFinished](records)
	if len(started) != 2 || len(finished) != 2 {
		t.Fatalf("%d started, %d finished", len(started), len(finished))
	}
	for _, f := range finished {
		if !f.Result.IsError {
			t.Errorf("call %s completed", f.CallID)
		}
	}
	if has[UsageChanged](records) {
		t.Error("a usage nobody reported")
	}
	last := records[len(records)-1]
	if e, ok := last.Event.(TurnEnded); !ok || e.Reason != StopCancelled {
		t.Errorf("last record %#v", last.Event)
	}
	w.run(s, "the next one", EndTurn)
	users := 0
	for _, m := range s.History() {
		if m.Role == RoleUser {
			users++
		}
	}
	if users != 2 {
		t.Errorf("%d prompts in the history, want both", users)
	}
	w.hub.Close()
}

func TestAProviderFailureIsReturnedAfterTheLogIsSettled(t *testing.T) {
	failure := &ProviderError{Status: 500, Message: "the server is away", Err: errors.New("inner")}
	w := newWorld(t, model(func(_ context.Context, _ Request, yield func(Delta) error) (Finish, error) {
		yield(text("half an ans"))
		return Finish{}, failure
	}))
	s := w.session()
	_, err := s.Prompt(t.Context(), prompt("go"))
	var got *ProviderError
	if !errors.As(err, &got) || got != failure || errors.Unwrap(err) == nil {
		t.Fatalf("error %v", err)
	}
	ended := eventsOf[TurnEnded](w.sink.all())
	if len(ended) != 1 || ended[0].Error != failure.Message || ended[0].Reason != "" {
		t.Errorf("TurnEnded %+v", ended)
	}
	w.run(s, "again", EndTurn)
}

func TestAPanicOfTheModelEndsTheTurnWithAnError(t *testing.T) {
	w := newWorld(t, model(func(context.Context, Request, func(Delta) error) (Finish, error) { panic("boom") }))
	s := w.session()
	_, err := s.Prompt(t.Context(), prompt("go"))
	if err == nil || strings.Contains(err.Error(), "boom") || !strings.Contains(err.Error(), "internal error") {
		t.Errorf("error %v", err)
	}
	w.run(s, "again", EndTurn)
}

func TestADeafDriverIsLeftBehind(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		release := make(chan struct{})
		w := newWorld(t, model(func(_ context.Context, _ Request, yield func(Delta) error) (Finish, error) {
			<-release
			yield(text("too late"))
			return Finish{}, nil
		}))
		s := w.session()
		wait := s.Enqueue(t.Context(), prompt("go"))
		synctest.Wait()
		start := time.Now()
		s.Cancel()
		reason, err := wait()
		if reason != StopCancelled || err != nil {
			t.Errorf("outcome %q, %v", reason, err)
		}
		if d := time.Since(start); d > 2*time.Second {
			t.Errorf("cancel took %v", d)
		}
		n := len(w.sink.all())
		w.run(s, "next", EndTurn)
		close(release)
		w.hub.Close()
		for _, r := range w.sink.all()[n:] {
			if e, ok := r.Event.(AgentText); ok {
				t.Errorf("a late record: %+v", e)
			}
		}
	})
}

func TestTwoSessionsNeverWaitForEachOther(t *testing.T) {
	w := newWorld(t, model())
	gate := make(chan struct{})
	slow := w.session(func(o *SessionOptions) {
		k := newFakeSink()
		k.hook = func(*Session, Record) { <-gate }
		o.FrontEnd.Sink = k
	})
	wait := slow.Enqueue(t.Context(), prompt("blocked by its sink"))
	fast := w.session()
	for range 20 {
		w.run(fast, "not blocked", EndTurn)
	}
	slow.Cancel()
	close(gate)
	if reason, _ := wait(); reason != StopCancelled {
		t.Errorf("slow session: %q", reason)
	}
}

func TestRecordsAreNumberedInTheOrderOfTheSink(t *testing.T) {
	var deltas []Delta
	for i := range 30 {
		deltas = append(deltas, callOf("emit", args(fmt.Sprint("line ", i, "\n"))))
	}
	w := newWorld(t, model(says(Finish{}, deltas...), says(Finish{}, deltas...)))
	s := w.session()
	var busy sync.WaitGroup
	for i := range 4 {
		busy.Go(func() {
			for range 20 {
				s.Notify(Notice{Severity: "info", Title: fmt.Sprint(i)})
			}
		})
	}
	w.run(s, "go", EndTurn)
	busy.Wait()
	for i, r := range w.sink.all() {
		if r.Seq != int64(i+1) {
			t.Fatalf("record %d has number %d", i+1, r.Seq)
		}
	}
}

func TestASinkMayCancelAndEnqueue(t *testing.T) {
	w := newWorld(t, model(says(Finish{}, callOf("echo", args("x")))))
	var once sync.Once
	var next func() (StopReason, error)
	w.sink.hook = func(s *Session, r Record) {
		if _, ok := r.Event.(ToolCallStarted); ok {
			once.Do(func() {
				s.Cancel()
				next = s.Enqueue(context.Background(), prompt("next"))
				_, _, _, _ = s.Info(), s.Mode(), s.History(), s.Tools()
			})
		}
	}
	s := w.session()
	w.run(s, "go", StopCancelled)
	if reason, err := next(); reason != EndTurn || err != nil {
		t.Errorf("next: %q, %v", reason, err)
	}
}

// TestCancelAtRandomMoments checks what always holds: one outcome, every card
// settled, one TurnEnded that says the same, nothing behind it.
func TestCancelAtRandomMoments(t *testing.T) {
	checkLeaks(t)
	rng := seeded(t)
	w := newWorld(t, model())
	s := w.session()
	var target atomic.Int64
	w.sink.hook = func(s *Session, r Record) {
		if target.Add(-1) == 0 {
			s.Cancel()
		}
	}
	seen := map[StopReason]int{}
	for range 60 {
		w.model.mu.Lock()
		w.model.responses = busyTurn()
		w.model.mu.Unlock()
		from := len(w.sink.all())
		target.Store(int64(1 + rng.IntN(20)))
		reason, err := s.Prompt(t.Context(), prompt("go"))
		if err != nil {
			t.Fatal(err)
		}
		seen[reason]++
		checkTurn(t, w.sink.all()[from:], reason)
	}
	if seen[StopCancelled] == 0 || seen[EndTurn] == 0 {
		t.Errorf("outcomes %v, want both", seen)
	}
	w.hub.Close()
}

// checkTurn checks the records of one turn.
func checkTurn(t *testing.T, records []Record, reason StopReason) {
	t.Helper()
	open := map[string]bool{}
	for _, r := range records {
		switch e := r.Event.(type) {
		case ToolCallStarted:
			open[e.CallID] = true
		case ToolCallFinished:
			if !open[e.CallID] {
				t.Errorf("%s finished without a start, or twice", e.CallID)
			}
			delete(open, e.CallID)
		}
	}
	if len(open) > 0 {
		t.Errorf("open cards %v", open)
	}
	ended := eventsOf[TurnEnded](records)
	if len(ended) != 1 || ended[0].Reason != reason {
		t.Errorf("ends %v, outcome %q", ended, reason)
	}
	if _, ok := records[len(records)-1].Event.(TurnEnded); !ok {
		t.Errorf("%T behind the end of the turn", records[len(records)-1].Event)
	}
}
