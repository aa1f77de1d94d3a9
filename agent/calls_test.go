package agent

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/agent-ls/agent-ls/presentation"
	"github.com/agent-ls/agent-ls/tools"
)

// stream runs a call that emits for a while in fake time and returns the
// output records and how long settling took.
func stream(t *testing.T, emit func(ctx context.Context, tc *tools.Context), cancelAfter time.Duration) (out []Record, settled time.Duration) {
	w := newWorld(t, model(says(Finish{}, callOf("noisy", args("")))))
	var ended time.Time
	def := tools.Define(tools.Spec[echoArgs]{
		Name: "noisy", Access: func(echoArgs) []tools.Access { return nil },
		Execute: func(ctx context.Context, _ echoArgs, tc *tools.Context) (tools.Result, error) {
			emit(ctx, tc)
			ended = time.Now()
			r := tools.TextResult("ok")
			r.OutputRef = "the-ref"
			return r, context.Cause(ctx)
		},
	})
	if _, err := w.registry.Register(def); err != nil {
		t.Fatal(err)
	}
	s := w.session()
	if cancelAfter > 0 {
		time.AfterFunc(cancelAfter, s.Cancel)
	}
	if _, err := s.Prompt(context.Background(), prompt("go")); err != nil {
		t.Fatal(err)
	}
	for _, r := range w.sink.all() {
		switch r.Event.(type) {
		case ToolCallOutput:
			out = append(out, r)
		case ToolCallFinished:
			settled = r.Time.Sub(ended)
			if len(out) > 0 && out[len(out)-1].Seq > r.Seq {
				t.Error("output behind the end of its call")
			}
		}
	}
	w.hub.Close()
	return out, settled
}

// checkRate checks that no second has more than 20 updates.
func checkRate(t *testing.T, out []Record) {
	t.Helper()
	for i, r := range out {
		n := 0
		for _, later := range out[i:] {
			if later.Time.Sub(r.Time) < time.Second {
				n++
			}
		}
		if n > 20 {
			t.Fatalf("%d updates in one second", n)
		}
		if text := r.Event.(ToolCallOutput).Text; len(text) > maxPiece {
			t.Fatalf("an update of %d bytes", len(text))
		}
	}
}

func outputText(out []Record) string {
	var b strings.Builder
	for _, r := range out {
		b.WriteString(r.Event.(ToolCallOutput).Text)
	}
	return b.String()
}

func TestOutputIsPacedAndComplete(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var sent strings.Builder
		start := time.Now()
		out, settled := stream(t, func(_ context.Context, tc *tools.Context) {
			for i := range 2000 {
				line := fmt.Sprintf("line %d of some output\n", i)
				sent.WriteString(line)
				tc.Emit(tools.Output{Text: line})
				time.Sleep(time.Millisecond)
			}
		}, 0)
		checkRate(t, out)
		if outputText(out) != sent.String() {
			t.Error("not the same text")
		}
		if len(out) < 30 || settled > 200*time.Millisecond {
			t.Errorf("%d updates, settled after %v", len(out), settled)
		}
		if first := out[0].Time.Sub(start); first > 5*time.Millisecond {
			t.Errorf("the first output waited %v", first)
		}
	})
}

func TestABurstIsShownWholeAndSoon(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		text := strings.Repeat("0123456\n", wholeOutput/8)
		out, settled := stream(t, func(_ context.Context, tc *tools.Context) {
			for rest := text; rest != ""; rest = rest[min(len(rest), 64<<10):] {
				tc.Emit(tools.Output{Text: rest[:min(len(rest), 64<<10)]})
			}
		}, 0)
		checkRate(t, out)
		if outputText(out) != text {
			t.Error("not the same text")
		}
		if settled > 1500*time.Millisecond {
			t.Errorf("settled after %v", settled)
		}
	})
}

func TestAFloodIsDroppedInWholeLines(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		chunk := strings.Repeat("y\n", 8<<10)
		emitted := 0
		out, _ := stream(t, func(_ context.Context, tc *tools.Context) {
			for range 10_000 {
				tc.Emit(tools.Output{Text: chunk})
				emitted += len(chunk)
				time.Sleep(300 * time.Microsecond)
			}
		}, 0)
		checkRate(t, out)
		text := outputText(out)
		if !strings.HasPrefix(text, strings.Repeat("y\n", wholeOutput/2)) {
			t.Error("the first megabyte is not whole")
		}
		left := 0
		for _, m := range notShown.FindAllStringSubmatch(text, -1) {
			n, _ := strconv.Atoi(m[1])
			left += n
		}
		last := fmt.Sprintf("[%d bytes not shown; full output: the-ref]\n", left)
		if !strings.HasSuffix(text, last) {
			t.Errorf("the end is %q, want %q", text[len(text)-80:], last)
		}
		shown := strings.Count(text, "y\n") * 2
		if shown+left != emitted {
			t.Errorf("%d shown and %d left out of %d", shown, left, emitted)
		}
	})
}

func TestCancelDoesNotWaitForOutput(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		out, settled := stream(t, func(ctx context.Context, tc *tools.Context) {
			for range 16 {
				tc.Emit(tools.Output{Text: strings.Repeat("0123456\n", 8<<10)})
			}
			<-ctx.Done()
		}, 10*time.Millisecond)
		checkRate(t, out)
		if settled > 100*time.Millisecond {
			t.Errorf("settled after %v", settled)
		}
		if text := outputText(out); !strings.Contains(text, "bytes not shown; full output: ") || !strings.HasSuffix(text, "0123456\n") {
			t.Errorf("the end is %q", text[len(text)-80:])
		}
	})
}

func TestEmitNeverWaitsForTheSink(t *testing.T) {
	gate := make(chan struct{})
	w := newWorld(t, model(says(Finish{}, callOf("noisy", args("")))))
	emitted := make(chan struct{})
	def := tools.Define(tools.Spec[echoArgs]{
		Name: "noisy", Access: func(echoArgs) []tools.Access { return nil },
		Execute: func(_ context.Context, _ echoArgs, tc *tools.Context) (tools.Result, error) {
			for i := range 1000 {
				tc.Emit(tools.Output{Text: strings.Repeat("y\n", 16<<10)})
				tc.Emit(tools.Progress{Content: prompt(fmt.Sprint(i))})
				tc.Emit(tools.PlanChange{Entries: []presentation.PlanEntry{{Content: fmt.Sprint(i)}}})
			}
			close(emitted)
			return tools.TextResult("ok"), nil
		},
	})
	if _, err := w.registry.Register(def); err != nil {
		t.Fatal(err)
	}
	w.sink.hook = func(_ *Session, r Record) {
		if _, ok := r.Event.(ToolCallOutput); ok {
			<-gate
		}
	}
	s := w.session()
	wait := s.Enqueue(t.Context(), prompt("go"))
	<-emitted
	close(gate)
	if reason, err := wait(); reason != EndTurn || err != nil {
		t.Errorf("%q, %v", reason, err)
	}
	records := w.sink.all()
	progress, plan := eventsOf[ToolCallProgress](records), eventsOf[PlanChanged](records)
	if len(progress) == 0 || progress[len(progress)-1].Content[0].Text != "999" {
		t.Error("the last progress is lost")
	}
	if len(plan) == 0 || plan[len(plan)-1].Entries[0].Content != "999" {
		t.Error("the last plan is lost")
	}
}

func TestATerminalIsShownBeforeItsOutput(t *testing.T) {
	w := newWorld(t, model(says(Finish{}, callOf("term", args("")))))
	def := tools.Define(tools.Spec[echoArgs]{
		Name: "term", Access: func(echoArgs) []tools.Access { return nil },
		Execute: func(_ context.Context, _ echoArgs, tc *tools.Context) (tools.Result, error) {
			tc.Emit(tools.TerminalAttached{TerminalID: "t-1"})
			tc.Emit(tools.Output{Text: "x"})
			return tools.TextResult("ok"), nil
		},
	})
	if _, err := w.registry.Register(def); err != nil {
		t.Fatal(err)
	}
	s := w.session()
	w.run(s, "go", EndTurn)
	records := w.sink.all()
	attached := slices.Index(kinds(records), "terminal_attached")
	if out := slices.Index(kinds(records), "tool_call_output"); attached < 0 || out < attached {
		t.Errorf("records %v", kinds(records))
	}
}
