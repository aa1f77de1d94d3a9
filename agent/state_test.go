package agent

import (
	"fmt"
	"reflect"
	"slices"
	"testing"

	"github.com/agent-ls/agent-ls/tools"
)

// fold returns the state that events come to.
func fold(events ...Event) *state {
	s := &state{callBase: "c"}
	for _, e := range events {
		s.apply(e)
	}
	return s
}

func finished(id, text string) ToolCallFinished {
	return ToolCallFinished{CallID: id, Result: tools.TextResult(text)}
}

func batchOf(ids ...string) AssistantCalls {
	var e AssistantCalls
	for _, id := range ids {
		e.Calls = append(e.Calls, AssistantCall{CallID: id, Name: "t" + id})
	}
	return e
}

func TestConversation(t *testing.T) {
	user := UserMessage{Blocks: prompt("u")}
	said := func(id, text string) AgentText { return AgentText{MessageID: id, Text: text} }
	for _, tc := range []struct {
		name   string
		events []Event
		want   []string
	}{
		{"nothing", nil, nil},
		{"pieces of one message", []Event{user, said("m", "a"), AgentThought{MessageID: "m", Text: "x"}, said("m", "b")}, []string{"user u", "assistant ab"}},
		{"two messages", []Event{user, said("m", "a"), said("n", "b")}, []string{"user u", "assistant a", "assistant b"}},
		{"text and calls are one message", []Event{user, said("m", "a"), batchOf("1"), finished("1", "r")}, []string{"user u", "assistant a t1", "tool r"}},
		{"calls alone", []Event{user, batchOf("1"), finished("1", "r"), said("m", "a")}, []string{"user u", "assistant t1", "tool r", "assistant a"}},
		{"results in the order of the calls", []Event{user, batchOf("1", "2"), finished("2", "r2"), finished("1", "r1")}, []string{"user u", "assistant t1 t2", "tool r1", "tool r2"}},
		{"a step that runs has no results yet", []Event{user, batchOf("1", "2"), finished("2", "r2")}, []string{"user u", "assistant t1 t2"}},
		{
			"what never ran has a result when the turn ends",
			[]Event{user, batchOf("1", "2"), finished("2", "r2"), TurnEnded{}},
			[]string{"user u", "assistant t1 t2", "tool Error: tool call aborted before dispatch", "tool r2"},
		},
		{
			"or when the next prompt comes",
			[]Event{user, batchOf("1"), user},
			[]string{"user u", "assistant t1", "tool Error: tool call aborted before dispatch", "user u"},
		},
		{
			"or the next batch",
			[]Event{user, batchOf("1"), batchOf("2"), finished("2", "r")},
			[]string{"user u", "assistant t1", "tool Error: tool call aborted before dispatch", "assistant t2", "tool r"},
		},
		{"calls that no message made", []Event{user, finished("9", "r"), said("m", "a")}, []string{"user u", "assistant a"}},
		{"context between turns", []Event{ContextAdded{Text: "c"}, user}, []string{"context c", "user u"}},
		{"context in a message comes behind it", []Event{user, said("m", "a"), ContextAdded{Text: "c"}, said("m", "b"), TurnEnded{}}, []string{"user u", "assistant ab", "context c"}},
		{"context before the calls of its message", []Event{user, said("m", "a"), ContextAdded{Text: "c"}, batchOf("1"), finished("1", "r")}, []string{"user u", "assistant a t1", "tool r", "context c"}},
		{"context in a step", []Event{user, batchOf("1", "2"), finished("1", "r1"), ContextAdded{Text: "c"}, finished("2", "r2")}, []string{"user u", "assistant t1 t2", "tool r1", "tool r2", "context c"}},
		{"an empty result says so", []Event{user, batchOf("1"), ToolCallFinished{CallID: "1"}}, []string{"user u", "assistant t1", "tool (no output)"}},
	} {
		if got := outline(fold(tc.events...).history()); !slices.Equal(got, tc.want) {
			t.Errorf("%s:\n got %q\nwant %q", tc.name, got, tc.want)
		}
	}
}

func TestARequestKeepsItsConversation(t *testing.T) {
	s := fold(UserMessage{Blocks: prompt("u")}, AgentText{MessageID: "m", Text: "a"})
	before := s.history()
	want := outline(before)
	for i := range 50 {
		s.apply(AgentText{MessageID: "m", Text: fmt.Sprint(i)})
		s.apply(batchOf(fmt.Sprint(i)))
		s.apply(finished(fmt.Sprint(i), "r"))
	}
	if got := outline(before); !slices.Equal(got, want) {
		t.Errorf("it became %q", got)
	}
}

func TestCallIDsGoOn(t *testing.T) {
	for _, tc := range []struct {
		name   string
		events []Event
		want   string
	}{
		{"none yet", nil, "c-1"},
		{"of a batch", []Event{batchOf("c-3", "c-2")}, "c-4"},
		{"of a call alone", []Event{ToolCallStarted{CallID: "c-7"}}, "c-8"},
		{"of others", []Event{batchOf("call_0", "c-x", "d-9", "c-3/1")}, "c-1"},
	} {
		if got := fold(tc.events...).newCallID(); got != tc.want {
			t.Errorf("%s: %s, want %s", tc.name, got, tc.want)
		}
	}
}

func TestFoldOfTheRest(t *testing.T) {
	s := fold(
		TurnStarted{Turn: "t"}, ToolCallStarted{CallID: "1"}, ToolCallStarted{CallID: "2"}, ToolCallFinished{CallID: "1"},
		ModeChanged{Mode: "ask"}, ModelChanged{Model: "m"}, TitleChanged{Title: "x"}, UsageChanged{Cost: 2},
	)
	if s.turn != "t" || !slices.Equal(s.calls, []string{"2"}) || s.mode != "ask" || s.model != "m" || s.title != "x" || s.cost != 2 {
		t.Errorf("state %+v", s)
	}
	s.apply(TurnEnded{Turn: "t"})
	if s.turn != "" {
		t.Error("the turn is open")
	}
}

// TestLiveEqualsReplayAtRandom runs turns of random calls, some of them
// cancelled at a random record, and compares what was shown with what a
// reload gives.
func TestLiveEqualsReplayAtRandom(t *testing.T) {
	rng := seeded(t)
	w := newWorld(t, model())
	s := w.session()
	left := 0 // records until the cancel; guarded by the session's order
	w.sink.hook = func(s *Session, _ Record) {
		if left--; left == 0 {
			s.Cancel()
		}
	}
	names := []string{"echo", "fail", "emit", "nonsense", "finish"}
	for range 25 {
		w.model.mu.Lock()
		w.model.responses = nil
		for range rng.IntN(4) {
			var deltas []Delta
			for range rng.IntN(4) {
				switch rng.IntN(3) {
				case 0:
					deltas = append(deltas, text("words "))
				case 1:
					deltas = append(deltas, Delta{Thought: "hm "})
				}
				deltas = append(deltas, callOf(names[rng.IntN(len(names))], args("x\n")))
			}
			w.model.responses = append(w.model.responses, says(Finish{More: rng.IntN(2) == 0}, deltas...))
		}
		w.model.mu.Unlock()
		s.recMu.Lock()
		left = rng.IntN(30)
		s.recMu.Unlock()
		if _, err := s.Prompt(t.Context(), prompt("go")); err != nil {
			t.Fatal(err)
		}
	}
	shown, before := w.sink.all(), outline(s.History())
	loaded, history := w.reopen().load(s.ID())
	if got, want := asJSON(t, history), asJSON(t, shown); got != want {
		t.Errorf("the history differs\n got %s\nwant %s", got, want)
	}
	if got := outline(loaded.History()); !reflect.DeepEqual(got, before) {
		t.Errorf("the conversation differs\n got %q\nwant %q", got, before)
	}
}
