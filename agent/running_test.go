package agent

import (
	"context"
	"testing"
)

func TestRunningTurn(t *testing.T) {
	var session *Session
	var id string
	var began bool
	w := newWorld(t, model(func(context.Context, Request, func(Delta) error) (Finish, error) {
		turn, started := session.RunningTurn()
		id, began = turn, !started.IsZero()
		return Finish{}, nil
	}))
	session = w.session()
	idle := func(when string) {
		t.Helper()
		if turn, started := session.RunningTurn(); turn != "" || !started.IsZero() {
			t.Errorf("%s the turn %q of %v runs", when, turn, started)
		}
	}
	idle("before the first turn")
	w.run(session, "go", EndTurn)
	idle("after the turn")
	if starts := eventsOf[TurnStarted](w.sink.all()); len(starts) != 1 || starts[0].Turn != id || !began {
		t.Errorf("in the turn, turn %q runs (began: %t); records %v", id, began, starts)
	}
}
