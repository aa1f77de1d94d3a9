package agent

import (
	"encoding/json"
	"fmt"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/agent-ls/agent-ls/acp"
	"github.com/agent-ls/agent-ls/agent"
	"github.com/agent-ls/agent-ls/presentation"
	"github.com/agent-ls/agent-ls/tools"
)

const cwd = "/home/u/proj"

// newTestProjector has no folders but those that end in "/dir".
func newTestProjector(cwd string, ch channel, replay bool) *projector {
	return newProjector(painter{cwd: cwd, isDir: func(path string) bool { return strings.HasSuffix(path, "/dir") }}, ch, true, replay)
}

// projected are the updates of events as JSON, one a line.
func projected(t *testing.T, p *projector, events ...agent.Event) string {
	t.Helper()
	var lines []string
	for _, e := range events {
		for _, u := range p.project(agent.Record{Time: time.Unix(0, 0), Event: e}) {
			raw, err := acp.Encode(u)
			if err != nil {
				t.Fatal(err)
			}
			lines = append(lines, string(raw))
		}
	}
	return strings.Join(lines, "\n")
}

func startedCall(view presentation.CallView) agent.ToolCallStarted {
	return agent.ToolCallStarted{CallID: "c1", Name: "tool", Arguments: `{"a":1}`, View: view}
}

func finishedCall(view presentation.ResultView, content ...presentation.Block) agent.ToolCallFinished {
	return agent.ToolCallFinished{CallID: "c1", Result: tools.Result{Content: content}, View: view}
}

func failedCall(view presentation.ResultView, text string) agent.ToolCallFinished {
	e := finishedCall(view, presentation.Text(text))
	e.Result.IsError = true
	return e
}

func ptr[T any](v T) *T { return &v }

func greet() *presentation.TerminalCall {
	return &presentation.TerminalCall{Title: "echo hi", Description: "Greet"}
}

func output(text string) agent.ToolCallOutput { return agent.ToolCallOutput{CallID: "c1", Text: text} }

const (
	head = `{"sessionUpdate":"tool_call","toolCallId":"c1",`
	done = `{"sessionUpdate":"tool_call_update","toolCallId":"c1","status":"completed"`
)

// TestProjection holds the rows of tools.md Appendix A.2 and the rules of
// §3.14 that they do not show.
func TestProjection(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the rows have Unix paths")
	}
	hi := &presentation.TerminalResult{Output: "hi\n", ExitCode: ptr(0)}
	late := &presentation.TerminalResult{Output: "part\n[timed out after 9ms]", Signal: "SIGTERM", Notes: []string{"[timed out after 9ms]"}}
	diffs := []presentation.FileDiff{{Path: cwd + "/a.txt", OldText: ptr("a\n"), NewText: "b\n", Line: 1}}
	for _, tt := range []struct {
		name    string
		channel channel
		cwd     string
		replay  bool
		events  []agent.Event
		want    string
	}{
		{"A.2.1 terminal call, capable", displayed, cwd, false, []agent.Event{startedCall(greet())},
			head + `"title":"echo hi","name":"tool","kind":"execute","status":"in_progress","content":[{"type":"content","content":{"type":"text","text":"Greet"}},{"type":"terminal","terminalId":"c1"}],"rawInput":"echo hi","_meta":{"terminal_info":{"cwd":"/home/u/proj","terminal_id":"c1"}}}`},
		{"A.2.2 its result", displayed, cwd, false, []agent.Event{startedCall(greet()), finishedCall(hi)},
			`…` + "\n" + done + `,"_meta":{"terminal_exit":{"exit_code":0,"terminal_id":"c1"},"terminal_output":{"data":"hi\n","terminal_id":"c1"}}}`},
		{"A.2.2 what was streamed is not sent again", displayed, cwd, false, []agent.Event{startedCall(greet()), output("hi\n"), finishedCall(&presentation.TerminalResult{Output: "hi\n\n[exit code: 3]", ExitCode: ptr(3)})},
			`…` + "\n" + `{"sessionUpdate":"tool_call_update","toolCallId":"c1","_meta":{"terminal_output":{"data":"hi\n","terminal_id":"c1"}}}` +
				"\n" + done + `,"_meta":{"terminal_exit":{"exit_code":3,"terminal_id":"c1"},"terminal_output":{"data":"","terminal_id":"c1"}}}`},
		{"a deadline, below what was streamed", displayed, cwd, false, []agent.Event{startedCall(greet()), output("part"), finishedCall(late)},
			`…` + "\n" + `{"sessionUpdate":"tool_call_update","toolCallId":"c1","_meta":{"terminal_output":{"data":"part","terminal_id":"c1"}}}` +
				"\n" + done + `,"_meta":{"terminal_exit":{"signal":"SIGTERM","terminal_id":"c1"},"terminal_output":{"data":"\n[timed out after 9ms]\n","terminal_id":"c1"}}}`},
		{"a deadline, on replay", displayed, cwd, true, []agent.Event{startedCall(greet()), output("part\n"), finishedCall(late)},
			`…` + "\n" + done + `,"_meta":{"terminal_exit":{"signal":"SIGTERM","terminal_id":"c1"},"terminal_output":{"data":"part\n[timed out after 9ms]\n","terminal_id":"c1"}}}`},
		{"a deadline before any output", displayed, cwd, false, []agent.Event{startedCall(greet()), finishedCall(late)},
			`…` + "\n" + done + `,"_meta":{"terminal_exit":{"signal":"SIGTERM","terminal_id":"c1"},"terminal_output":{"data":"part\n[timed out after 9ms]","terminal_id":"c1"}}}`},
		{"a deadline, below a client's terminal", owned, cwd, false, []agent.Event{startedCall(greet()), agent.TerminalAttached{CallID: "c1", TerminalID: "t9"}, finishedCall(late)},
			`…` + "\n" + `{"sessionUpdate":"tool_call_update","toolCallId":"c1","content":[{"type":"content","content":{"type":"text","text":"Greet"}},{"type":"terminal","terminalId":"t9"}]}` +
				"\n" + `{"sessionUpdate":"tool_call_update","toolCallId":"c1","content":[{"type":"content","content":{"type":"text","text":"Greet"}},{"type":"terminal","terminalId":"t9"},{"type":"content","content":{"type":"text","text":"[timed out after 9ms]"}}]}` +
				"\n" + done + `,"rawOutput":{"signal":"SIGTERM"}}`},
		{"A.2.2 on replay, all of it", displayed, cwd, true, []agent.Event{startedCall(greet()), agent.ToolCallRunning{CallID: "c1"}, output("h"), output("i\n"), finishedCall(hi)},
			`…` + "\n" + done + `,"_meta":{"terminal_exit":{"exit_code":0,"terminal_id":"c1"},"terminal_output":{"data":"hi\n","terminal_id":"c1"}}}`},
		{"A.2.3 absolute folder", displayed, cwd, false, []agent.Event{startedCall(&presentation.TerminalCall{Title: "x", Cwd: "/explicit/abs"})},
			head + `"title":"x","name":"tool","kind":"execute","status":"in_progress","content":[{"type":"terminal","terminalId":"c1"}],"rawInput":"x","_meta":{"terminal_info":{"cwd":"/explicit/abs","terminal_id":"c1"}}}`},
		{"A.2.3 relative folder", displayed, cwd, false, []agent.Event{startedCall(&presentation.TerminalCall{Title: "x", Cwd: "sub/dir"})},
			head + `"title":"x","name":"tool","kind":"execute","status":"in_progress","content":[{"type":"terminal","terminalId":"c1"}],"rawInput":"x","_meta":{"terminal_info":{"cwd":"/home/u/proj/sub/dir","terminal_id":"c1"}}}`},
		{"A.2.3 no session folder", displayed, "", false, []agent.Event{startedCall(&presentation.TerminalCall{Title: "x", Cwd: "rel/only"})},
			head + `"title":"x","name":"tool","kind":"execute","status":"in_progress","content":[{"type":"terminal","terminalId":"c1"}],"rawInput":"x","_meta":{"terminal_info":{"cwd":"rel/only","terminal_id":"c1"}}}`},
		{"A.2.3 no folder at all", displayed, "", false, []agent.Event{startedCall(&presentation.TerminalCall{Title: "x"})},
			head + `"title":"x","name":"tool","kind":"execute","status":"in_progress","content":[{"type":"terminal","terminalId":"c1"}],"rawInput":"x","_meta":{"terminal_info":{"terminal_id":"c1"}}}`},
		{"a command of several lines", fenced, cwd, false, []agent.Event{startedCall(&presentation.TerminalCall{Title: "ls # here\r\nrm x\n"})},
			head + `"title":"ls # here ⏎ rm x","name":"tool","kind":"execute","status":"in_progress","rawInput":"ls # here\r\nrm x\n"}`},
		{"A.2.4 signal", displayed, cwd, false, []agent.Event{startedCall(greet()), finishedCall(&presentation.TerminalResult{Signal: "SIGKILL"})},
			`…` + "\n" + done + `,"_meta":{"terminal_exit":{"signal":"SIGKILL","terminal_id":"c1"},"terminal_output":{"data":"","terminal_id":"c1"}}}`},
		{"A.2.4 neither", displayed, cwd, false, []agent.Event{startedCall(greet()), finishedCall(&presentation.TerminalResult{})},
			`…` + "\n" + done + `,"_meta":{"terminal_output":{"data":"","terminal_id":"c1"}}}`},
		{"a negative exit code", displayed, cwd, false, []agent.Event{startedCall(greet()), finishedCall(&presentation.TerminalResult{ExitCode: ptr(-1)})},
			`…` + "\n" + done + `,"_meta":{"terminal_exit":{"exit_code":129,"terminal_id":"c1"},"terminal_output":{"data":"","terminal_id":"c1"}}}`},
		{"A.2.5 not capable", fenced, cwd, false, []agent.Event{startedCall(greet()), output("hi\n"), finishedCall(hi)},
			head + `"title":"echo hi","name":"tool","kind":"execute","status":"in_progress","content":[{"type":"content","content":{"type":"text","text":"Greet"}}],"rawInput":"echo hi"}` +
				"\n" + done + `,"content":[{"type":"content","content":{"type":"text","text":"` + "```console\\nhi\\n```" + `"}}]}`},
		{"A.2.5 title of the view, no description", fenced, cwd, false, []agent.Event{startedCall(&presentation.TerminalCall{Title: "x"}), finishedCall(&presentation.TerminalResult{Title: "done", Output: "a ``` b"})},
			head + `"title":"x","name":"tool","kind":"execute","status":"in_progress","rawInput":"x"}` +
				"\n" + done + `,"title":"done","content":[{"type":"content","content":{"type":"text","text":"` + "````console\\na ``` b\\n````" + `"}}]}`},
		{"A.2.6 terminal result of a generic call", displayed, cwd, false, []agent.Event{startedCall(&presentation.GenericCall{Title: "T"}), finishedCall(hi, presentation.Text("raw"))},
			`…` + "\n" + done + `,"content":[{"type":"content","content":{"type":"text","text":"raw"}}]}`},
		{"A.2.7 diff without locations", fenced, cwd, false, []agent.Event{startedCall(&presentation.DiffCall{Title: "Write " + cwd + "/a.txt", Diffs: diffs})},
			head + `"title":"Write a.txt","name":"tool","kind":"edit","status":"in_progress","content":[{"type":"diff","path":"/home/u/proj/a.txt","oldText":"a\n","newText":"b\n"}]}`},
		{"A.2.7 empty diffs", fenced, cwd, false, []agent.Event{startedCall(&presentation.DiffCall{Title: "Edit"}), finishedCall(&presentation.DiffResult{})},
			head + `"title":"Edit","name":"tool","kind":"edit","status":"in_progress"}` + "\n" + done + `}`},
		{"A.2.8 read under the folder", fenced, cwd, false, []agent.Event{startedCall(&presentation.GenericCall{Title: "Read " + cwd + "/src/a.ts (from line 5)", Kind: presentation.KindRead, Locations: []presentation.FileLocation{{Path: cwd + "/src/a.ts", Line: 5}}})},
			head + `"title":"Read src/a.ts (from line 5)","name":"tool","kind":"read","status":"in_progress","locations":[{"path":"/home/u/proj/src/a.ts","line":5}]}`},
		{"A.2.8 outside", fenced, cwd, false, []agent.Event{startedCall(&presentation.GenericCall{Title: "Read /etc/passwd", Locations: []presentation.FileLocation{{Path: "/etc/passwd"}}})},
			head + `"title":"Read /etc/passwd","name":"tool","kind":"other","status":"in_progress","locations":[{"path":"/etc/passwd"}]}`},
		{"A.2.8 a name that begins with dots", fenced, cwd, false, []agent.Event{startedCall(&presentation.GenericCall{Title: "Read " + cwd + "/..cache/x.ts", Locations: []presentation.FileLocation{{Path: cwd + "/..cache/x.ts"}}})},
			head + `"title":"Read ..cache/x.ts","name":"tool","kind":"other","status":"in_progress","locations":[{"path":"/home/u/proj/..cache/x.ts"}]}`},
		{"A.2.8 relative path", fenced, cwd, false, []agent.Event{startedCall(&presentation.GenericCall{Title: "Read src/a.ts", Locations: []presentation.FileLocation{{Path: "src/a.ts", Line: 2}}})},
			head + `"title":"Read src/a.ts","name":"tool","kind":"other","status":"in_progress","locations":[{"path":"/home/u/proj/src/a.ts","line":2}]}`},
		{"A.2.9 no presenters", fenced, cwd, false, []agent.Event{startedCall(nil)},
			head + `"title":"tool","name":"tool","kind":"other","status":"in_progress","rawInput":{"a":1}}`},
		{"A.2.9 no arguments", fenced, cwd, false, []agent.Event{agent.ToolCallStarted{CallID: "c1", Name: "t"}},
			head + `"title":"t","name":"t","kind":"other","status":"in_progress","rawInput":{}}`},
		{"A.2.9 arguments that are no JSON", fenced, cwd, false, []agent.Event{agent.ToolCallStarted{CallID: "c1", Name: "t", Arguments: "not json"}},
			head + `"title":"t","name":"t","kind":"other","status":"in_progress","rawInput":"not json"}`},
		{"A.2.10 unknown id, then once more", fenced, cwd, false, []agent.Event{finishedCall(hi, presentation.Text("raw")), finishedCall(hi, presentation.Text("again"))},
			`{"sessionUpdate":"tool_call","toolCallId":"c1","title":"tool call","kind":"other"}` +
				"\n" + done + `,"content":[{"type":"content","content":{"type":"text","text":"raw"}}]}` +
				"\n" + done + `,"content":[{"type":"content","content":{"type":"text","text":"again"}}]}`},
		{"A.2.12 failing edit", fenced, cwd, false, []agent.Event{startedCall(&presentation.DiffCall{Title: "Edit", Diffs: diffs}), failedCall(&presentation.DiffResult{Diffs: diffs}, "no match")},
			`…` + "\n" + `{"sessionUpdate":"tool_call_update","toolCallId":"c1","status":"failed","content":[{"type":"content","content":{"type":"text","text":"no match"}}]}`},
		{"A.2.12 a failure without words", fenced, cwd, false, []agent.Event{startedCall(&presentation.DiffCall{Title: "Edit", Diffs: diffs}), agent.ToolCallFinished{CallID: "c1", Result: tools.Result{IsError: true}}},
			`…` + "\n" + `{"sessionUpdate":"tool_call_update","toolCallId":"c1","status":"failed","content":[{"type":"content","content":{"type":"text","text":"The call failed."}}]}`},
		{"A.2.12 one block a hunk", fenced, cwd, false, []agent.Event{startedCall(&presentation.DiffCall{Title: "Edit"}), finishedCall(&presentation.DiffResult{Diffs: append(diffs, presentation.FileDiff{Path: "b.txt", NewText: "n"}), Locations: []presentation.FileLocation{{Path: "a.txt", Line: 1}}})},
			`…` + "\n" + done + `,"content":[{"type":"diff","path":"/home/u/proj/a.txt","oldText":"a\n","newText":"b\n"},{"type":"diff","path":"/home/u/proj/b.txt","newText":"n"}],"locations":[{"path":"/home/u/proj/a.txt","line":1}]}`},
		{"A.2.13 plan", fenced, cwd, false, []agent.Event{agent.PlanChanged{Entries: []presentation.PlanEntry{{Content: "do", Status: "completed"}}}, agent.PlanChanged{}},
			`{"sessionUpdate":"plan","entries":[{"content":"do","priority":"medium","status":"completed"}]}` + "\n" + `{"sessionUpdate":"plan","entries":[]}`},
		{"report 5: what stays is not sent again", fenced, cwd, false, []agent.Event{
			agent.ToolCallStarted{CallID: "c1", Name: "edit", MayAsk: true, View: &presentation.DiffCall{Title: "Edit a.txt", Locations: []presentation.FileLocation{{Path: "a.txt"}}}},
			agent.ToolCallPlanned{CallID: "c1", View: &presentation.DiffCall{Title: "Edit a.txt", Diffs: diffs, Locations: []presentation.FileLocation{{Path: "a.txt", Line: 1}}}},
			agent.ToolCallRunning{CallID: "c1"}, agent.ToolCallRunning{CallID: "c1"},
			finishedCall(&presentation.DiffResult{Title: "Edit a.txt", Diffs: diffs, Locations: []presentation.FileLocation{{Path: "a.txt", Line: 1}}}),
		},
			head + `"title":"Edit a.txt","name":"edit","kind":"edit","status":"pending","locations":[{"path":"/home/u/proj/a.txt"}]}` +
				"\n" + `{"sessionUpdate":"tool_call_update","toolCallId":"c1","content":[{"type":"diff","path":"/home/u/proj/a.txt","oldText":"a\n","newText":"b\n"}],"locations":[{"path":"/home/u/proj/a.txt","line":1}]}` +
				"\n" + `{"sessionUpdate":"tool_call_update","toolCallId":"c1","status":"in_progress"}` +
				"\n" + done + `}`},
		{"a plan without a change clears the diff", fenced, cwd, false, []agent.Event{startedCall(&presentation.DiffCall{Title: "Edit", Diffs: diffs}), agent.ToolCallPlanned{CallID: "c1", View: &presentation.DiffCall{Title: "Edit"}}},
			`…` + "\n" + `{"sessionUpdate":"tool_call_update","toolCallId":"c1","content":[]}`},
		{"delete and move", fenced, cwd, false, []agent.Event{startedCall(&presentation.DiffCall{Title: "Patch", Kind: presentation.KindDelete, Omitted: "2 MB", Diffs: []presentation.FileDiff{
			{Path: "d", OldText: ptr("x"), Change: presentation.ChangeDelete}, {Path: "n", OldPath: "o", OldText: ptr("x"), NewText: "x", Change: presentation.ChangeMove}, {Path: ""}}})},
			head + `"title":"Patch","name":"tool","kind":"delete","status":"in_progress","content":[{"type":"diff","path":"/home/u/proj/d","oldText":"x","newText":"","_meta":{"kind":"delete"}},{"type":"diff","path":"/home/u/proj/n","oldText":"x","newText":"x","_meta":{"kind":"move","oldPath":"/home/u/proj/o"}},{"type":"content","content":{"type":"text","text":"2 MB"}}]}`},
		{"what would act on a display is visible in a title", fenced, cwd, false, []agent.Event{startedCall(&presentation.TerminalCall{Title: "ls\x1b]0;t\x07 #\u202e\nrm"})},
			head + `"title":"ls�]0;t� #� ⏎ rm","name":"tool","kind":"execute","status":"in_progress","rawInput":"ls\u001b]0;t\u0007 #` + "\u202e" + `\nrm"}`},
		{"folders and addresses are no locations", fenced, cwd, false, []agent.Event{startedCall(&presentation.GenericCall{Title: "T\nwo", Locations: []presentation.FileLocation{{Path: "dir"}, {Path: "/x/dir"}, {Path: "https://h/x"}, {Path: ""}, {Path: "f", Line: -1}}})},
			head + `"title":"T ⏎ wo","name":"tool","kind":"other","status":"in_progress","locations":[{"path":"/home/u/proj/f"}]}`},
		{"images and other blocks", fenced, cwd, false, []agent.Event{startedCall(&presentation.GenericCall{Title: "T"}), finishedCall(nil,
			presentation.Image([]byte("hi"), "image/png"), presentation.Block{Type: presentation.BlockLink, URI: "file:///a/b.txt"},
			presentation.Block{Type: presentation.BlockDocument, Data: []byte("hi"), MIMEType: "application/pdf"}, presentation.Block{Type: presentation.BlockResource, Text: "t", URI: "u"}, presentation.Block{Type: presentation.BlockOther})},
			`…` + "\n" + done + `,"content":[{"type":"content","content":{"type":"image","data":"aGk=","mimeType":"image/png"}},{"type":"content","content":{"type":"resource_link","name":"b.txt","uri":"file:///a/b.txt"}},{"type":"content","content":{"type":"resource","resource":{"blob":"aGk=","mimeType":"application/pdf","uri":""}}},{"type":"content","content":{"type":"resource","resource":{"text":"t","uri":"u"}}}]}`},
		{"progress replaces", fenced, cwd, false, []agent.Event{startedCall(&presentation.GenericCall{Title: "T"}), agent.ToolCallProgress{CallID: "c1", Content: []presentation.Block{presentation.Text("50 %")}}, finishedCall(&presentation.GenericResult{Title: "Done", Content: []presentation.Block{presentation.Text("50 %")}})},
			`…` + "\n" + `{"sessionUpdate":"tool_call_update","toolCallId":"c1","content":[{"type":"content","content":{"type":"text","text":"50 %"}}]}` + "\n" + done + `,"title":"Done"}`},
		{"a client's terminal", owned, cwd, false, []agent.Event{startedCall(greet()), agent.TerminalAttached{CallID: "c1", TerminalID: "t9"}, output("ignored"), finishedCall(&presentation.TerminalResult{Output: "x", Signal: "SIGKILL"})},
			`…` + "\n" + `{"sessionUpdate":"tool_call_update","toolCallId":"c1","content":[{"type":"content","content":{"type":"text","text":"Greet"}},{"type":"terminal","terminalId":"t9"}]}` + "\n" + done + `,"rawOutput":{"signal":"SIGKILL"}}`},
		{"a client's terminal, exit code", owned, cwd, false, []agent.Event{startedCall(greet()), agent.TerminalAttached{CallID: "c1", TerminalID: "t9"}, finishedCall(&presentation.TerminalResult{ExitCode: ptr(3)})},
			`…` + "\n…\n" + done + `,"rawOutput":{"exitCode":3}}`},
		{"a client's terminal, unknown end", owned, cwd, false, []agent.Event{startedCall(greet()), agent.TerminalAttached{CallID: "c1", TerminalID: "t9"}, finishedCall(&presentation.TerminalResult{})},
			`…` + "\n…\n" + done + `}`},
		{"a client's terminal, cancelled", owned, cwd, false, []agent.Event{startedCall(greet()), agent.TerminalAttached{CallID: "c1", TerminalID: "t9"}, failedCall(nil, "cancelled")},
			`…` + "\n…\n" + `{"sessionUpdate":"tool_call_update","toolCallId":"c1","status":"failed","rawOutput":"cancelled"}`},
		{"a client's terminal is gone on replay", owned, cwd, true, []agent.Event{startedCall(&presentation.TerminalCall{Title: "x"}), agent.TerminalAttached{CallID: "c1", TerminalID: "t9"}, finishedCall(hi)},
			`…` + "\n" + done + `,"content":[{"type":"content","content":{"type":"text","text":"` + "```console\\nhi\\n```" + `"}}]}`},
		{"cancelled below its output", displayed, cwd, false, []agent.Event{startedCall(greet()), output("part"), failedCall(nil, "cancelled")},
			`…` + "\n…\n" + `{"sessionUpdate":"tool_call_update","toolCallId":"c1","status":"failed","_meta":{"terminal_output":{"data":"\ncancelled\n","terminal_id":"c1"}}}`},
		{"cancelled below its output, on replay", displayed, cwd, true, []agent.Event{startedCall(greet()), output("part"), failedCall(nil, "cancelled")},
			`…` + "\n" + `{"sessionUpdate":"tool_call_update","toolCallId":"c1","status":"failed","_meta":{"terminal_output":{"data":"part\ncancelled\n","terminal_id":"c1"}}}`},
		{"denied before it ran", displayed, cwd, false, []agent.Event{startedCall(greet()), failedCall(nil, "denied")},
			`…` + "\n" + `{"sessionUpdate":"tool_call_update","toolCallId":"c1","status":"failed","content":[{"type":"content","content":{"type":"text","text":"denied"}}]}`},
		{"messages", fenced, cwd, false, []agent.Event{agent.UserMessage{MessageID: "u", Blocks: []presentation.Block{presentation.Text("hi")}}, agent.AgentText{MessageID: "m", Text: "yo"}, agent.AgentThought{Text: "hm"}},
			`{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"yo"},"messageId":"m"}` + "\n" + `{"sessionUpdate":"agent_thought_chunk","content":{"type":"text","text":"hm"}}`},
		{"prompts on replay", fenced, cwd, true, []agent.Event{agent.UserMessage{MessageID: "u", Blocks: []presentation.Block{presentation.Text("hi"), {Type: presentation.BlockLink, URI: "file:///x", Name: "x"}}}},
			`{"sessionUpdate":"user_message_chunk","content":{"type":"text","text":"hi"},"messageId":"u"}` + "\n" + `{"sessionUpdate":"user_message_chunk","content":{"type":"resource_link","name":"x","uri":"file:///x"},"messageId":"u"}`},
		{"title and usage", fenced, cwd, false, []agent.Event{agent.TitleChanged{Title: "T"}, agent.UsageChanged{Used: 5}, agent.UsageChanged{Used: 5, Size: 10}, agent.UsageChanged{Used: 5, Size: 10, Cost: 0.5, Currency: "USD"}},
			`{"sessionUpdate":"session_info_update","title":"T","updatedAt":"1970-01-01T00:00:00Z"}` + "\n" + `{"sessionUpdate":"usage_update","used":5,"size":10}` + "\n" + `{"sessionUpdate":"usage_update","used":5,"size":10,"cost":{"amount":0.5,"currency":"USD"}}`},
		{"notices", fenced, cwd, false, []agent.Event{agent.Notice{Severity: "info", Title: "A\nB", Text: "C"}}, `{"sessionUpdate":"notice","severity":"info","title":"A B","description":"C"}`},
		{"no notices on replay", fenced, cwd, true, []agent.Event{agent.Notice{Severity: "info", Title: "A"}}, ``},
		{"records of nothing to show", fenced, cwd, false, []agent.Event{agent.AssistantCalls{}, agent.PermissionAsked{}, agent.PermissionDecided{}, agent.MetadataChanged{}, agent.ContextAdded{},
			agent.ToolCallRunning{CallID: "x"}, output("x"), agent.ToolCallProgress{CallID: "x"}, agent.TerminalAttached{CallID: "x"}, agent.ToolCallPlanned{CallID: "x"}}, ``},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got := projected(t, newTestProjector(tt.cwd, tt.channel, tt.replay), tt.events...)
			// "…" stands for a line that another row shows.
			want, have := strings.Split(tt.want, "\n"), strings.Split(got, "\n")
			for i := range min(len(want), len(have)) {
				if want[i] == "…" {
					want[i] = have[i]
				}
			}
			if strings.Join(have, "\n") != strings.Join(want, "\n") {
				t.Errorf("got\n%s\nwant\n%s", got, tt.want)
			}
		})
	}
}

// TestPathIsTheFolder: a title that holds the folder itself is left alone.
func TestPathIsTheFolder(t *testing.T) {
	p := newTestProjector(cwd, fenced, false)
	got := projected(t, p, startedCall(&presentation.GenericCall{Title: "List " + cwd, Locations: []presentation.FileLocation{{Path: cwd}}}))
	if !strings.Contains(got, `"title":"List /home/u/proj"`) {
		t.Error(got)
	}
}

func TestLocationsAreCapped(t *testing.T) {
	var many []presentation.FileLocation
	for i := range 60 {
		many = append(many, presentation.FileLocation{Path: fmt.Sprintf("f%d", i), Line: i + 1})
	}
	got := newTestProjector(cwd, fenced, false).locations(many)
	if len(got) != 20 || got[19].Path != cwd+"/f19" || got[19].Line != 20 {
		t.Errorf("%d locations, the last one %+v", len(got), got[len(got)-1])
	}
}

// TestFenceWhileRunning shows the tail of the output, bounded.
func TestFenceWhileRunning(t *testing.T) {
	p := newTestProjector(cwd, fenced, false)
	projected(t, p, startedCall(greet()))
	text := func() string {
		var got []string
		for _, u := range p.flush("c1") {
			for _, c := range u.(acp.ToolCallUpdate).Content {
				got = append(got, c.(acp.Content).Content.(acp.TextContent).Text)
			}
		}
		return strings.Join(got, "|")
	}
	projected(t, p, output("a\n"))
	if got := text(); got != "Greet|```console\na\n```" {
		t.Errorf("first flush %q", got)
	}
	if got := text(); got != "" {
		t.Errorf("a flush without news %q", got)
	}
	for range 5000 {
		projected(t, p, output("some line of output\n"))
	}
	got := text()
	if len(got) > liveTail+200 || !strings.Contains(got, " bytes not shown]\nsome line") || !strings.HasSuffix(got, "some line of output\n```") {
		t.Errorf("%d bytes: %.100q", len(got), got)
	}
	if held := p.cards["c1"].term.held.Len(); held > 2*liveTail {
		t.Errorf("%d bytes are held", held)
	}
	// Output that looks the same is news, too: there is more of it.
	for range 5000 {
		projected(t, p, output("some line of output\n"))
	}
	if next := text(); next == "" || next == got {
		t.Errorf("more output is not shown: %.100q", next)
	}
	projected(t, p, finishedCall(&presentation.TerminalResult{Output: "x"}))
	if got := text(); got != "" {
		t.Errorf("a flush after the end %q", got)
	}
}

func TestFinalFenceIsBounded(t *testing.T) {
	line := strings.Repeat("x", 99) + "\n"
	got := fenceOf(strings.Repeat(line, 2000), finalTail, 0)
	if len(got) > finalTail+100 || !strings.HasPrefix(got, "```console\n[") || !strings.Contains(got, " bytes not shown]\nxxx") {
		t.Errorf("%d bytes: %.60q", len(got), got)
	}
	if got := fenceOf(strings.Repeat("你", 50_000), finalTail, 0); strings.ContainsRune(got, '\uFFFD') || len(got) > finalTail+100 {
		t.Errorf("%d bytes, cut inside a character", len(got))
	}
}

// TestNoticesWithoutACapability: warnings come as text, while a turn runs.
func TestNoticesWithoutACapability(t *testing.T) {
	p := newProjector(painter{cwd: cwd, isDir: func(string) bool { return false }}, fenced, false, false)
	warning := agent.Notice{Severity: "warning", Title: "Careful", Text: "really"}
	if got := projected(t, p, warning); got != "" {
		t.Errorf("outside a turn: %s", got)
	}
	want := `{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"Careful: really\n"}}`
	if got := projected(t, p, agent.TurnStarted{}, agent.Notice{Severity: "info", Title: "x"}, warning, agent.TurnEnded{}, warning); got != want {
		t.Errorf("in a turn: %s", got)
	}
}

// TestReplayIsLive: the cards that a client holds in the end are the same
// however it was told.
func TestReplayIsLive(t *testing.T) {
	events := []agent.Event{
		agent.TurnStarted{}, agent.AgentText{MessageID: "m", Text: "go "}, agent.AgentText{MessageID: "m", Text: "on"},
		startedCall(greet()), agent.ToolCallRunning{CallID: "c1"}, output("a\n"), output("b\n"), finishedCall(&presentation.TerminalResult{Output: "a\nb\n", ExitCode: ptr(2)}),
		agent.ToolCallStarted{CallID: "c2", Name: "edit", MayAsk: true, View: &presentation.DiffCall{Title: "Edit", Locations: []presentation.FileLocation{{Path: "a"}}}},
		agent.ToolCallPlanned{CallID: "c2", View: &presentation.DiffCall{Title: "Edit", Diffs: []presentation.FileDiff{{Path: "a", NewText: "x"}}, Locations: []presentation.FileLocation{{Path: "a", Line: 4}}}},
		agent.ToolCallRunning{CallID: "c2"},
		agent.ToolCallFinished{CallID: "c2", View: &presentation.DiffResult{Diffs: []presentation.FileDiff{{Path: "a", NewText: "x"}}}},
		agent.ToolCallStarted{CallID: "c3", Name: "x", View: greet()},
		agent.ToolCallFinished{CallID: "c3", Result: tools.Result{IsError: true, Content: []presentation.Block{presentation.Text("denied")}}},
	}
	for _, ch := range []channel{displayed, fenced} {
		cards := func(replay bool) string {
			s := newScreen()
			p := newTestProjector(cwd, ch, replay)
			for _, e := range events {
				for _, u := range p.project(agent.Record{Event: e}) {
					s.fold(u)
				}
			}
			if len(s.problems) > 0 {
				t.Errorf("%v", s.problems)
			}
			raw, err := json.MarshalIndent(s.cards(), "", " ")
			if err != nil {
				t.Fatal(err)
			}
			return string(raw)
		}
		if live, replayed := cards(false), cards(true); live != replayed {
			t.Errorf("live\n%s\nreplayed\n%s", live, replayed)
		}
	}
}
