package agent

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/agent-ls/agent-ls/presentation"
)

// fails is a response that fails after deltas.
func fails(err error, deltas ...Delta) response {
	return func(_ context.Context, _ Request, yield func(Delta) error) (Finish, error) {
		for _, d := range deltas {
			if err := yield(d); err != nil {
				return Finish{}, err
			}
		}
		return Finish{}, err
	}
}

// busy is a failure that may pass.
var busy = &ProviderError{Status: 529, Message: "overloaded", Temporary: true}

func quick(c *Config) {
	c.Retry = Retry{Attempts: 3, First: time.Microsecond, Most: time.Microsecond, Patience: time.Minute}
}

func TestFailedRequestsAreRetried(t *testing.T) {
	for _, tc := range []struct {
		name      string
		responses []response
		requests  int
		fails     bool
	}{
		{"once", []response{fails(busy), says(Finish{}, text("a"))}, 2, false},
		{"to the last attempt", []response{fails(busy), fails(busy), says(Finish{}, text("a"))}, 3, false},
		{"too often", []response{fails(busy), fails(busy), fails(busy), says(Finish{})}, 3, true},
		{"not for good", []response{fails(&ProviderError{Status: 400, Message: "no"}), says(Finish{})}, 1, true},
		{"the server asks for too much", []response{fails(&ProviderError{Temporary: true, RetryAfter: time.Hour}), says(Finish{})}, 1, true},
		{"text was shown", []response{fails(busy, text("a")), says(Finish{}, text("a"))}, 1, true},
		{"a thought was shown", []response{fails(busy, Delta{Thought: "a"}), says(Finish{}, text("a"))}, 1, true},
		{"a call was half there", []response{fails(busy, callOf("echo", args("x"))), says(Finish{}, text("a"))}, 2, false},
	} {
		w := newWorld(t, model(tc.responses...), quick)
		_, err := w.session().Prompt(context.Background(), prompt("go"))
		if n := len(w.model.asked()); n != tc.requests || (err != nil) != tc.fails {
			t.Errorf("%s: %d requests, error %v", tc.name, n, err)
		}
		var said strings.Builder
		for _, e := range eventsOf[AgentText](w.sink.all()) {
			said.WriteString(e.Text)
		}
		if strings.Count(said.String(), "a") > 1 {
			t.Errorf("%s: shown twice: %q", tc.name, &said)
		}
		if starts := eventsOf[ToolCallStarted](w.sink.all()); len(starts) > 0 {
			t.Errorf("%s: a call of a failed response ran: %+v", tc.name, starts)
		}
	}
}

func TestRetriesWaitLongerAndLonger(t *testing.T) {
	r := DefaultRetry()
	for _, random := range []float64{0, 0.5, 0.999} {
		r.Random = func() float64 { return random }
		last := time.Duration(0)
		for attempt := 1; attempt < 8; attempt++ {
			d := r.wait(attempt)
			full := min(r.First<<(attempt-1), r.Most)
			if d < full/2 || d > full || d < last {
				t.Errorf("attempt %d waits %v of %v", attempt, d, full)
			}
			last = d
		}
	}
	r.Random = nil
	if d := r.wait(1); d < r.First/2 || d > r.First {
		t.Errorf("waits %v", d)
	}
}

func TestTheServersOwnDelayIsRespected(t *testing.T) {
	asked := time.Now()
	w := newWorld(t, model(fails(&ProviderError{Temporary: true, RetryAfter: 150 * time.Millisecond}), func(context.Context, Request, func(Delta) error) (Finish, error) {
		if d := time.Since(asked); d < 150*time.Millisecond {
			t.Errorf("asked again after %v", d)
		}
		return Finish{}, nil
	}), quick)
	w.run(w.session(), "go", EndTurn)
}

func TestCancelEndsAWaitForARetry(t *testing.T) {
	w := newWorld(t, model(fails(&ProviderError{Message: "come back later", Temporary: true, RetryAfter: time.Minute})), quick)
	s := w.session()
	go func() {
		w.sink.wait(has[Notice])
		s.Cancel()
	}()
	w.run(s, "go", StopCancelled)
}

// What only the server understands comes back where it was, also after a load,
// and not of an attempt that failed.
func TestOpaqueBlocksComeBack(t *testing.T) {
	opaque := func(s string) Delta {
		return Delta{Opaque: &presentation.Block{Type: presentation.BlockOther, Provider: "p", Payload: []byte(`"` + s + `"`)}}
	}
	w := newWorld(t, model(
		fails(busy, opaque("lost")),
		says(Finish{}, opaque("one"), text("a"), text("b"), opaque("two"), callOf("echo", args("x"))),
		says(Finish{}, text("done")),
	), quick)
	s := w.session()
	w.run(s, "go", EndTurn)
	want := []string{`other "one"`, "text ab", `other "two"`}
	blocks := func(s *Session) (out []string) {
		for _, b := range s.History()[1].Blocks {
			out = append(out, string(b.Type)+" "+b.Text+string(b.Payload))
		}
		return out
	}
	if got := blocks(s); !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	s2, _ := w.reopen().load(s.ID())
	if got := blocks(s2); !slices.Equal(got, want) {
		t.Errorf("after a load %q, want %q", got, want)
	}
}
