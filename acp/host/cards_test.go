package host_test

import (
	"reflect"
	"strings"
	"testing"

	"github.com/agent-ls/agent-ls/agent"
	"github.com/agent-ls/agent-ls/presentation"
)

// TestMessages: text, thoughts, plan, usage, title and notices.
func TestMessages(t *testing.T) {
	b := newBed(t).open()
	said := b.must(
		update(`{"sessionUpdate":"agent_thought_chunk","messageId":"m","content":{"type":"text","text":"hm"}}`),
		update(`{"sessionUpdate":"agent_message_chunk","messageId":"m","content":{"type":"text","text":"see "}}`),
		update(`{"sessionUpdate":"agent_message_chunk","messageId":"m","content":{"type":"resource_link","name":"a.go","uri":"file:///a.go"}}`),
		update(`{"sessionUpdate":"plan","entries":[{"content":"step","priority":"high","status":"pending"}]}`),
		update(`{"sessionUpdate":"usage_update","used":7,"size":100,"cost":{"amount":0.5,"currency":"EUR"}}`),
		update(`{"sessionUpdate":"session_info_update","title":"Its title"}`),
		update(`{"sessionUpdate":"notice","severity":"warning","title":"Mind"}`),
		update(`{"sessionUpdate":"compaction_update","compactionId":"c","status":"completed"}`),
		update(`{"sessionUpdate":"something_new","x":1}`),
		update(`{"sessionUpdate":"user_message_chunk","content":{"type":"text","text":"an echo"}}`),
	)
	if said != "see [a.go](file:///a.go)" {
		t.Errorf("said %q", said)
	}
	if got := events[agent.AgentThought](b); len(got) != 1 || got[0].Text != "hm" {
		t.Errorf("thoughts %+v", got)
	}
	if got := events[agent.PlanChanged](b); len(got) != 1 || got[0].Entries[0].Content != "step" {
		t.Errorf("plans %+v", got)
	}
	want := agent.UsageChanged{Used: 7, Size: 100, Cost: 0.5, Currency: "EUR"}
	if got := events[agent.UsageChanged](b); len(got) != 1 || got[0] != want {
		t.Errorf("usage %+v", got)
	}
	if got := b.session.Info().Title; got != "Its title" {
		t.Errorf("title %q", got)
	}
	if got := events[agent.Notice](b); len(got) != 2 || got[0].Title != "Mind" {
		t.Errorf("notices %+v", got)
	}
}

// TestGenericCard: a call is announced, changes, and ends with what it holds
// then.
func TestGenericCard(t *testing.T) {
	b := newBed(t).open()
	b.must(
		update(`{"sessionUpdate":"tool_call","toolCallId":"t1","title":"Search","name":"Grep","kind":"search","rawInput":{}}`),
		update(`{"sessionUpdate":"tool_call_update","toolCallId":"t1","rawInput":{"pattern":"x"},"title":"Search x","status":"in_progress"}`),
		update(`{"sessionUpdate":"tool_call_update","toolCallId":"t1","content":[{"type":"content","content":{"type":"text","text":"one hit"}}],"locations":[{"path":"/w/a.go","line":3}]}`),
		update(`{"sessionUpdate":"tool_call_update","toolCallId":"t1","status":"completed"}`),
		update(`{"sessionUpdate":"tool_call_update","toolCallId":"t1","title":"too late"}`),
	)
	started := events[agent.ToolCallStarted](b)
	if len(started) != 1 || started[0].Name != "acp__fake__Grep" || !started[0].MayAsk || started[0].CallID == "t1" {
		t.Fatalf("started %+v", started)
	}
	planned := events[agent.ToolCallPlanned](b)
	last := planned[len(planned)-1].View.(*presentation.GenericCall)
	if last.Title != "Search x" || string(last.RawInput) != `{"pattern":"x"}` || last.Content[0].Text != "one hit" || last.Locations[0].Line != 3 {
		t.Errorf("planned %+v", last)
	}
	f := b.finished()
	if f.Result.IsError || f.Result.Content[0].Text != "one hit" || f.View.(*presentation.GenericResult).Title != "Search x" {
		t.Errorf("finished %+v", f)
	}
}

// TestDiffCards: whole files are shown as hunks, pieces at their place in the
// file, and a completion without a diff does not take it back.
func TestDiffCards(t *testing.T) {
	text := strings.Repeat("same\n", 50) + "two\n" + strings.Repeat("rest\n", 50)
	changed := strings.Replace(text, "two", "TWO", 1)
	for name, diff := range map[string][2]string{"whole": {text, changed}, "piece": {"two", "TWO"}} {
		t.Run(name, func(t *testing.T) {
			b := newBed(t).open()
			b.write("a.txt", text)
			b.must(
				update(`{"sessionUpdate":"tool_call","toolCallId":"t1","title":"Edit","kind":"edit","locations":[{"path":?}]}`, b.path("a.txt")),
				update(`{"sessionUpdate":"tool_call_update","toolCallId":"t1","content":[{"type":"diff","path":?,"oldText":?,"newText":?}]}`, b.path("a.txt"), diff[0], diff[1]),
				heard,
				step{Write: map[string]string{b.path("a.txt"): changed}},
				update(`{"sessionUpdate":"tool_call_update","toolCallId":"t1","status":"completed","content":[{"type":"content","content":{"type":"text","text":"done"}}]}`),
			)
			planned := events[agent.ToolCallPlanned](b)
			call := planned[len(planned)-1].View.(*presentation.DiffCall)
			if d := call.Diffs[0]; len(call.Diffs) != 1 || d.Line != 51 || len(*d.OldText) > 100 {
				t.Errorf("planned %+v", call)
			}
			f := b.finished()
			result := f.View.(*presentation.DiffResult)
			if d := result.Diffs[0]; len(result.Diffs) != 1 || d.Line != 51 || !strings.Contains(d.NewText, "TWO") {
				t.Errorf("finished %+v", result)
			}
			want := []change{{f.CallID, "a.txt", text, changed}}
			if got := b.ledger.all(); !reflect.DeepEqual(got, want) {
				t.Errorf("the ledger was told of %d changes", len(got))
			}
		})
	}
}

// TestLateAnnouncement: a file that was changed before its call was told is
// recorded by what the call's diff says.
func TestLateAnnouncement(t *testing.T) {
	b := newBed(t).open()
	b.write("a.txt", "one\nTWO\n")
	b.write("new.txt", "new\n")
	b.must(
		update(`{"sessionUpdate":"tool_call","toolCallId":"t1","title":"Edit","kind":"edit","status":"completed","content":[{"type":"diff","path":?,"oldText":"two","newText":"TWO"},{"type":"diff","path":?,"newText":"new\n"}]}`, b.path("a.txt"), b.path("new.txt")),
	)
	call := b.finished().CallID
	want := []change{{call, "a.txt", "one\ntwo\n", "one\nTWO\n"}, {call, "new.txt", "", "new\n"}}
	if got := b.ledger.all(); !reflect.DeepEqual(got, want) {
		t.Errorf("told %+v", got)
	}
	// A failed call has changed nothing, whatever its diff says.
	b.must(update(`{"sessionUpdate":"tool_call","toolCallId":"t2","title":"Edit","kind":"edit","status":"failed","content":[{"type":"diff","path":?,"oldText":"three","newText":"TWO"}]}`, b.path("a.txt")))
	if got := b.ledger.all(); len(got) != 2 || !b.finished().Result.IsError {
		t.Errorf("told %+v", got)
	}
}

// TestCommandCards: the three ways in which agents show the output of commands.
func TestCommandCards(t *testing.T) {
	for name, tt := range map[string]struct {
		agent  string
		steps  []step
		output string
		exit   *int
	}{
		"displayed": {steps: []step{
			update(`{"sessionUpdate":"tool_call","toolCallId":"t","title":"Terminal","kind":"execute","content":[{"type":"terminal","terminalId":"t"}],"_meta":{"terminal_info":{"terminal_id":"t"}}}`),
			update(`{"sessionUpdate":"tool_call_update","toolCallId":"t","title":"make","rawInput":{"command":"make","description":"Build"}}`),
			update(`{"sessionUpdate":"tool_call_update","toolCallId":"t","_meta":{"terminal_output":{"terminal_id":"t","data":"one\n"}}}`),
			update(`{"sessionUpdate":"tool_call_update","toolCallId":"t","status":"completed","_meta":{"terminal_output":{"terminal_id":"t","data":"two\n"},"terminal_exit":{"terminal_id":"t","exit_code":3}}}`),
		}, output: "one\ntwo\n", exit: new(3)},
		"text that grows": {agent: "OpenCode", steps: []step{
			update(`{"sessionUpdate":"tool_call","toolCallId":"t","title":"bash","kind":"execute","rawInput":{}}`),
			update(`{"sessionUpdate":"tool_call_update","toolCallId":"t","status":"in_progress","rawInput":{"command":"make"}}`),
			update(`{"sessionUpdate":"tool_call_update","toolCallId":"t","content":[{"type":"content","content":{"type":"text","text":"one\n"}}]}`),
			update(`{"sessionUpdate":"tool_call_update","toolCallId":"t","status":"completed","content":[{"type":"content","content":{"type":"text","text":"one\ntwo\n"}}],"rawOutput":{"output":"one\ntwo\n","metadata":{"exit":0}}}`),
		}, output: "one\ntwo\n", exit: new(0)},
		"fenced at the end": {steps: []step{
			update(`{"sessionUpdate":"tool_call","toolCallId":"t","title":"make","kind":"execute","status":"in_progress","rawInput":{"command":["bash","-lc","make"]}}`),
			update("{\"sessionUpdate\":\"tool_call_update\",\"toolCallId\":\"t\",\"status\":\"completed\",\"content\":[{\"type\":\"content\",\"content\":{\"type\":\"text\",\"text\":\"```console\\none\\ntwo\\n```\"}}]}"),
		}, output: "one\ntwo\n"},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBed(t)
			b.agent.Hello.AgentInfo = info(tt.agent)
			b.open().must(tt.steps...)
			var streamed strings.Builder
			for _, o := range events[agent.ToolCallOutput](b) {
				streamed.WriteString(o.Text)
			}
			v, ok := b.finished().View.(*presentation.TerminalResult)
			if !ok || v.Output != tt.output || streamed.String() != tt.output || !reflect.DeepEqual(v.ExitCode, tt.exit) {
				t.Errorf("%+v, streamed %q", b.finished().View, streamed.String())
			}
			if planned := events[agent.ToolCallPlanned](b); len(planned) > 0 {
				if v := planned[len(planned)-1].View.(*presentation.TerminalCall); v.Title != "make" {
					t.Errorf("title %q", v.Title)
				}
			}
		})
	}
}

// TestRefusedCommand: a command that did not run has no output, but a reason.
func TestRefusedCommand(t *testing.T) {
	b := newBed(t).open()
	b.must(
		update(`{"sessionUpdate":"tool_call","toolCallId":"t","title":"make","kind":"execute","rawInput":{"command":"make"}}`),
		update(`{"sessionUpdate":"tool_call_update","toolCallId":"t","status":"failed","content":[{"type":"content","content":{"type":"text","text":"denied"}}]}`),
	)
	f := b.finished()
	if _, ok := f.View.(*presentation.GenericResult); !ok || !f.Result.IsError || f.Result.Content[0].Text != "denied" {
		t.Errorf("%+v", f)
	}
}

// TestReplayShowsTheSame: what is loaded is what was shown.
func TestReplayShowsTheSame(t *testing.T) {
	b := newBed(t).open()
	b.write("a.txt", "one\n")
	b.must(
		update(`{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"hello"}}`),
		update(`{"sessionUpdate":"tool_call","toolCallId":"t1","title":"Edit","kind":"edit","content":[{"type":"diff","path":?,"oldText":"one","newText":"two"}]}`, b.path("a.txt")),
		heard,
		step{Write: map[string]string{b.path("a.txt"): "two\n"}},
		update(`{"sessionUpdate":"tool_call_update","toolCallId":"t1","status":"completed"}`),
		update(`{"sessionUpdate":"tool_call","toolCallId":"t2","title":"ls","kind":"execute","status":"completed","rawInput":{"command":"ls"},"content":[{"type":"content","content":{"type":"text","text":"a.txt\n"}}]}`),
	)
	var live []agent.Event
	for _, r := range b.sink.all() {
		if _, ok := r.Event.(agent.SettingsChanged); !ok {
			live = append(live, r.Event)
		}
	}
	_, history, err := b.hub.Load(t.Context(), b.session.ID(), b.options())
	if err != nil {
		t.Fatal(err)
	}
	var loaded []agent.Event
	for _, r := range history {
		loaded = append(loaded, r.Event)
	}
	if len(live) != len(loaded) {
		t.Fatalf("%d events live, %d loaded", len(live), len(loaded))
	}
	for i := range live {
		if !reflect.DeepEqual(live[i], loaded[i]) {
			t.Errorf("event %d: live %+v, loaded %+v", i, live[i], loaded[i])
		}
	}
}
