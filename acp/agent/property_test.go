package agent

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/agent-ls/agent-ls/agent"
	"github.com/agent-ls/agent-ls/presentation"
	"github.com/agent-ls/agent-ls/tools"
)

// life makes the events of one call, in the order in which a session records
// them, with random views and outcomes.
func life(random *rand.Rand, id string) []agent.Event {
	pick := func(n int) bool { return random.IntN(n) == 0 }
	location := []presentation.FileLocation{{Path: fmt.Sprintf("f%d.txt", random.IntN(3)), Line: random.IntN(5)}}
	diffs := []presentation.FileDiff{{Path: location[0].Path, OldText: ptr("old\n"), NewText: fmt.Sprint(random.IntN(3))}}
	started := agent.ToolCallStarted{CallID: id, Name: "tool", Arguments: `{"n":1}`, MayAsk: pick(2)}
	var middle []agent.Event
	finished := agent.ToolCallFinished{CallID: id, Result: tools.TextResult(fmt.Sprint("result ", random.IntN(3)))}
	finished.Result.IsError = pick(4)
	switch random.IntN(4) {
	case 0:
		started.View = &presentation.GenericCall{Title: "Read", Locations: location}
		middle = []agent.Event{agent.ToolCallProgress{CallID: id, Content: []presentation.Block{presentation.Text("half")}}}
		finished.View = &presentation.GenericResult{Title: "Read", Locations: location}
	case 1:
		started.View = &presentation.DiffCall{Title: "Edit", Locations: location}
		middle = []agent.Event{agent.ToolCallPlanned{CallID: id, View: &presentation.DiffCall{Title: "Edit", Diffs: diffs, Locations: location}}}
		finished.View = &presentation.DiffResult{Title: "Edit", Diffs: diffs}
	case 2:
		started.View = &presentation.TerminalCall{Title: "make", Description: "Build"}
		var all string
		for range random.IntN(4) {
			text := fmt.Sprintf("line %d\n", random.IntN(9))
			all += text
			middle = append(middle, agent.ToolCallOutput{CallID: id, Text: text})
		}
		view := &presentation.TerminalResult{Output: all, ExitCode: ptr(random.IntN(3))}
		if pick(3) {
			view.ExitCode, view.Signal = nil, "SIGTERM"
		}
		finished.View = view
	}
	if pick(3) {
		finished.View = nil
	}
	middle = append([]agent.Event{agent.ToolCallRunning{CallID: id}}, middle...)
	if pick(5) {
		middle = nil // denied, or cancelled before it ran
	}
	return append(append([]agent.Event{started}, middle...), finished)
}

// interleave mixes lives, each in its own order.
func interleave(random *rand.Rand, lives [][]agent.Event) (out []agent.Event) {
	for len(lives) > 0 {
		i := random.IntN(len(lives))
		out, lives[i] = append(out, lives[i][0]), lives[i][1:]
		if len(lives[i]) == 0 {
			lives = append(lives[:i], lives[i+1:]...)
		}
	}
	return out
}

// TestProjectionProperties (tools.md §3.14.9): no update before its card, none
// after its end, nothing sent again unchanged, every card settled, and what is
// left on the client's screen does not depend on how it was told.
func TestProjectionProperties(t *testing.T) {
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	random := rand.New(rand.NewPCG(seed, 2))
	for round := range 500 {
		var lives [][]agent.Event
		for i := range 1 + random.IntN(4) {
			lives = append(lives, life(random, fmt.Sprintf("c%d", i)))
		}
		events := interleave(random, lives)
		ch := []channel{displayed, fenced}[random.IntN(2)]
		live, replayed := showAll(events, ch, false, random), showAll(events, ch, true, random)
		if live != replayed {
			t.Fatalf("round %d\nevents %+v\nlive\n%s\nreplayed\n%s", round, events, live, replayed)
		}
	}
}

// showAll is the screen after all events; running fences are flushed at random.
func showAll(events []agent.Event, ch channel, replay bool, random *rand.Rand) string {
	s := newScreen()
	p := newTestProjector(cwd, ch, replay)
	for _, e := range events {
		for _, u := range p.project(agent.Record{Event: e}) {
			s.fold(u)
		}
		if o, ok := e.(agent.ToolCallOutput); ok && !replay && ch == fenced && random.IntN(2) == 0 {
			for _, u := range p.flush(o.CallID) {
				s.fold(u)
			}
		}
	}
	for _, c := range s.cards() {
		if !ended(c.Status) {
			s.problem("%s is %s in the end", c.ID, c.Status)
		}
	}
	raw, err := json.MarshalIndent(map[string]any{"cards": s.cards(), "problems": s.problems}, "", " ")
	if err != nil {
		return err.Error()
	}
	if len(s.problems) > 0 {
		return fmt.Sprint("replay ", replay, ": ", s.problems)
	}
	return string(raw)
}
