package agent

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
)

func TestASecondProcessIsRefused(t *testing.T) {
	w := newWorld(t, model())
	s := w.session()
	w.run(s, "one", EndTurn)
	o := w.other()
	_, _, err := o.hub.Load(t.Context(), s.ID(), o.options())
	var locked *LockedError
	if !errors.As(err, &locked) || locked.PID != os.Getpid() || locked.Session != s.ID() {
		t.Fatalf("Load of an open session: %v", err)
	}
	if err := o.hub.Delete(s.ID()); !errors.As(err, &locked) {
		t.Errorf("Delete of an open session: %v", err)
	}
	if _, records, err := o.hub.Store().Read(s.ID()); err != nil || !has[UserMessage](records) {
		t.Errorf("Read needs no lock: %v", err)
	}
	w.run(s, "two", EndTurn)
	s.Close()
	o.load(s.ID())
	left, _ := filepath.Glob(filepath.Join(w.dir, "sessions", "*"))
	if len(left) != 2 {
		t.Errorf("an open session has %v, want its log and its lock", left)
	}
	o.hub.Close()
	if left, _ = filepath.Glob(filepath.Join(w.dir, "sessions", "*")); len(left) != 1 {
		t.Errorf("a closed session has %v, want its log", left)
	}
}
