package agent

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"

	"github.com/agent-ls/agent-ls/tools"
)

func TestCancelRightAfterEnqueueHitsIt(t *testing.T) {
	w := newWorld(t, model(blocks("a")))
	s := w.session()
	for range 50 {
		wait := s.Enqueue(t.Context(), prompt("go"))
		s.Cancel()
		if reason, err := wait(); reason != StopCancelled || err != nil {
			t.Fatalf("outcome %q, %v", reason, err)
		}
	}
}

func TestCancelWithoutATurnDoesNothing(t *testing.T) {
	w := newWorld(t, model())
	s := w.session()
	s.Cancel()
	w.run(s, "hi", EndTurn)
	s.Cancel()
	w.run(s, "hi", EndTurn)
}

func TestPromptsQueueInOrder(t *testing.T) {
	w := newWorld(t, model(blocks("first")))
	s := w.session()
	var waits []func() (StopReason, error)
	for i := range 5 {
		waits = append(waits, s.Enqueue(t.Context(), prompt(fmt.Sprint("prompt ", i))))
	}
	<-w.started
	close(w.release)
	for i, wait := range waits {
		if reason, err := wait(); reason != EndTurn || err != nil {
			t.Errorf("prompt %d: %q, %v", i, reason, err)
		}
	}
	var order []string
	for _, u := range eventsOf[UserMessage](w.sink.all()) {
		order = append(order, u.Blocks[0].Text)
	}
	if !slices.IsSorted(order) || len(order) != 5 {
		t.Errorf("order %v", order)
	}
}

func TestCancelDropsQueuedPromptsAtOnce(t *testing.T) {
	w := newWorld(t, model(blocks("first")))
	s := w.session()
	running := s.Enqueue(t.Context(), prompt("running"))
	queued := s.Enqueue(t.Context(), prompt("queued"))
	<-w.started
	s.Cancel()
	after := s.Enqueue(t.Context(), prompt("after"))
	for name, wait := range map[string]func() (StopReason, error){"running": running, "queued": queued} {
		if reason, err := wait(); reason != StopCancelled || err != nil {
			t.Errorf("%s: %q, %v", name, reason, err)
		}
	}
	if reason, err := after(); reason != EndTurn || err != nil {
		t.Errorf("after: %q, %v", reason, err)
	}
	for _, u := range eventsOf[UserMessage](w.sink.all()) {
		if u.Blocks[0].Text == "queued" {
			t.Error("a dropped prompt was recorded")
		}
	}
}

func TestEndingTheContextCancelsOneTurn(t *testing.T) {
	w := newWorld(t, model(blocks("first")))
	s := w.session()
	ctx, cancel := context.WithCancel(t.Context())
	running := s.Enqueue(t.Context(), prompt("running"))
	queued := s.Enqueue(ctx, prompt("queued"))
	last := s.Enqueue(t.Context(), prompt("last"))
	<-w.started
	cancel()
	if reason, _ := queued(); reason != StopCancelled {
		t.Errorf("queued: %q", reason)
	}
	close(w.release)
	for _, wait := range []func() (StopReason, error){running, last} {
		if reason, err := wait(); reason != EndTurn || err != nil {
			t.Errorf("%q, %v", reason, err)
		}
	}
	ctx, cancel = context.WithCancel(t.Context())
	w.model.responses = []response{func(ctx context.Context, _ Request, _ func(Delta) error) (Finish, error) {
		cancel()
		<-ctx.Done()
		return Finish{}, ctx.Err()
	}}
	if reason, err := s.Prompt(ctx, prompt("x")); reason != StopCancelled || err != nil {
		t.Errorf("running: %q, %v", reason, err)
	}
}

func TestTooManyQueuedPromptsAreRefused(t *testing.T) {
	w := newWorld(t, model(blocks("first")))
	s := w.session()
	s.Enqueue(t.Context(), prompt("running"))
	<-w.started
	for range maxQueued {
		s.Enqueue(t.Context(), prompt("queued"))
	}
	if _, err := s.Prompt(t.Context(), prompt("one more")); !errors.Is(err, errManyQueued) {
		t.Errorf("error %v", err)
	}
	s.Cancel()
}

func TestDoneComesBetweenTheRecordsOfTwoTurns(t *testing.T) {
	w := newWorld(t, model(blocks("first")))
	s := w.session()
	var ended sync.WaitGroup
	ended.Add(2)
	var atDone []int
	for range 2 {
		s.Submit(t.Context(), prompt("go"), func(StopReason, error) {
			atDone = append(atDone, len(w.sink.all()))
			ended.Done()
		})
	}
	<-w.started
	close(w.release)
	ended.Wait()
	records := w.sink.all()
	for i, n := range atDone {
		if _, ok := records[n-1].Event.(TurnEnded); !ok {
			t.Errorf("turn %d: done came after %T", i, records[n-1].Event)
		}
	}
}

func TestClosedSessionsTakeNoPrompt(t *testing.T) {
	w := newWorld(t, model())
	s := w.session()
	s.Close()
	s.Close()
	if _, err := s.Prompt(t.Context(), prompt("hi")); !errors.Is(err, ErrClosed) {
		t.Errorf("Prompt: %v", err)
	}
	if _, err := s.Execute(t.Context(), tools.Call{Name: "echo"}); !errors.Is(err, ErrClosed) {
		t.Errorf("Execute: %v", err)
	}
	if _, ok := w.hub.Get(s.ID()); ok {
		t.Error("the hub still has it")
	}
	ran := false
	s.OnClose(func() { ran = true })
	if !ran {
		t.Error("OnClose of a closed session did not run")
	}
}

func TestCloseCancelsAndRunsWhatWasAskedFor(t *testing.T) {
	checkLeaks(t)
	w := newWorld(t, model(blocks("a")))
	var order []string
	s := w.session(func(o *SessionOptions) { o.OnClose = func() { order = append(order, "options") } })
	s.OnClose(func() {
		if !has[TurnEnded](w.sink.all()) {
			t.Error("OnClose ran before the turn had ended")
		}
		order = append(order, "second")
	})
	wait := s.Enqueue(t.Context(), prompt("go"))
	<-w.started
	w.hub.Close()
	if reason, err := wait(); reason != StopCancelled || err != nil {
		t.Errorf("outcome %q, %v", reason, err)
	}
	if want := []string{"second", "options"}; !slices.Equal(order, want) {
		t.Errorf("order %v, want %v", order, want)
	}
	if _, err := w.hub.New(t.Context(), w.options()); !errors.Is(err, ErrClosed) {
		t.Errorf("New after Close: %v", err)
	}
}
