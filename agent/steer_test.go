package agent

import (
	"context"
	"slices"
	"testing"
)

func TestSteeringComesBehindTheResults(t *testing.T) {
	w := newWorld(t, model(
		says(Finish{}, callOf("block", args("a")), callOf("echo", args("b"))),
		says(Finish{}, text("done")),
	))
	s := w.session()
	if s.Steer(prompt("too early")) {
		t.Error("a session without a turn takes a prompt")
	}
	go func() {
		<-w.started
		if !s.Steer(prompt("rather so")) {
			t.Error("the running turn takes no prompt")
		}
		close(w.release)
	}()
	w.run(s, "go", EndTurn)
	want := []string{"user go", "assistant block echo", "tool released a", "tool b", "user rather so", "assistant done"}
	if got := outline(s.History()); !slices.Equal(got, want) {
		t.Errorf("history\n got %q\nwant %q", got, want)
	}
}

// A prompt that comes while the model gives its last answer is answered, too.
func TestSteeringAtTheEndGoesOn(t *testing.T) {
	var s *Session
	w := newWorld(t, model(
		func(_ context.Context, _ Request, yield func(Delta) error) (Finish, error) {
			if !s.Steer(prompt("one more thing")) {
				t.Error("not taken")
			}
			return Finish{}, yield(text("first"))
		},
		says(Finish{}, text("second")),
	))
	s = w.session()
	w.run(s, "go", EndTurn)
	if got := outline(s.History()); !slices.Equal(got, []string{"user go", "assistant first", "user one more thing", "assistant second"}) {
		t.Errorf("history %q", got)
	}
}

// What a turn took and did not come to becomes a turn, unless it was cancelled.
func TestSteeringIsNotLost(t *testing.T) {
	for _, cancel := range []bool{false, true} {
		var s *Session
		w := newWorld(t, model(func(context.Context, Request, func(Delta) error) (Finish, error) {
			s.Steer(prompt("later"))
			if cancel {
				s.Cancel()
			}
			return Finish{Reason: Refusal}, nil
		}))
		s = w.session()
		want, turns := Refusal, 2
		if cancel {
			want, turns = StopCancelled, 1
		}
		w.run(s, "go", want)
		w.run(s, "end", EndTurn)
		turns++
		if got := len(eventsOf[TurnStarted](w.sink.all())); got != turns {
			t.Errorf("cancel %v: %d turns, want %d", cancel, got, turns)
		}
	}
}
