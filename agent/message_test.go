package agent

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

func TestTextIsPaced(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const pieces = 500
		w := newWorld(t, model(func(ctx context.Context, _ Request, yield func(Delta) error) (Finish, error) {
			for i := range pieces {
				d := Delta{Text: fmt.Sprintf("<%d>", i)}
				if i%100 == 50 {
					d = Delta{Thought: "hm"}
				}
				if err := yield(d); err != nil {
					return Finish{}, err
				}
				time.Sleep(4 * time.Millisecond) // of the fake clock
			}
			return Finish{}, nil
		}))
		s := w.session()
		w.run(s, "go", EndTurn)
		records := w.sink.all()
		var said strings.Builder
		var times []time.Time
		for _, r := range records {
			if e, ok := r.Event.(AgentText); ok {
				said.WriteString(e.Text)
				times = append(times, r.Time)
			}
		}
		if n := strings.Count(said.String(), "<"); n != pieces-pieces/100 || !strings.HasSuffix(said.String(), "<499>") {
			t.Errorf("%d pieces arrived", n)
		}
		// 2 s at 20 a second, and one more at every change to a thought.
		if len(times) > 50 || len(times) < 30 {
			t.Errorf("%d records", len(times))
		}
		if first := times[0]; first.Sub(records[0].Time) > time.Millisecond {
			t.Errorf("the first piece waited %v", first.Sub(records[0].Time))
		}
		w.hub.Close()
	})
}

func TestRunesAreNotBroken(t *testing.T) {
	synctest.Test(t, testRunes)
}

func testRunes(t *testing.T) {
	for _, tc := range []struct{ name, in, want string }{
		{"split runes", "a≤b😀c", "a≤b😀c"},
		{"ends in a rune's beginning", "a≤"[:3], "a\uFFFD"},
		{"no text at all", "\xff\xfe", "\uFFFD\uFFFD"},
	} {
		w := newWorld(t, model(func(_ context.Context, _ Request, yield func(Delta) error) (Finish, error) {
			for i := range len(tc.in) {
				if err := yield(text(tc.in[i : i+1])); err != nil {
					return Finish{}, err
				}
				time.Sleep(pace) // of the fake clock: each byte is sent alone
			}
			return Finish{}, nil
		}))
		w.run(w.session(), "go", EndTurn)
		var got strings.Builder
		for _, e := range eventsOf[AgentText](w.sink.all()) {
			got.WriteString(e.Text)
		}
		if got.String() != tc.want {
			t.Errorf("%s: %q, want %q", tc.name, got.String(), tc.want)
		}
		w.hub.Close()
	}
}

func TestAModelFasterThanTheSinkWaits(t *testing.T) {
	gate := make(chan struct{})
	yielded := make(chan int, 10_000)
	w := newWorld(t, model(func(ctx context.Context, _ Request, yield func(Delta) error) (Finish, error) {
		for i := range 1000 {
			if err := yield(text(strings.Repeat("x", 1<<10))); err != nil {
				return Finish{}, err
			}
			yielded <- i
		}
		return Finish{}, nil
	}))
	w.sink.hook = func(_ *Session, r Record) {
		if _, ok := r.Event.(AgentText); ok {
			<-gate
		}
	}
	s := w.session()
	wait := s.Enqueue(t.Context(), prompt("go"))
	w.sink.wait(has[AgentText])
	for range maxHeld >> 10 {
		<-yielded // so many fit; the model cannot get much further
	}
	if n := len(yielded); n > 200 {
		t.Errorf("%d KiB were taken from the model while the sink was blocked", n)
	}
	close(gate)
	if reason, err := wait(); reason != EndTurn || err != nil {
		t.Errorf("%q, %v", reason, err)
	}
	total := 0
	for _, e := range eventsOf[AgentText](w.sink.all()) {
		total += len(e.Text)
	}
	if total != 1000<<10 {
		t.Errorf("%d bytes arrived", total)
	}
}
