package replay

import (
	"fmt"
	"strings"
	"testing"
)

// logOf makes a log of updates of one session.
func logOf(t *testing.T, session string, updates ...string) []entry {
	t.Helper()
	text := hello + answer
	for _, u := range updates {
		text += fmt.Sprintf(`{"dir":"out","msg":{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":%q,"update":%s}}}`+"\n", session, u)
	}
	l, err := Read(strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	return l.connections[0]
}

func chunk(message, text string) string {
	return fmt.Sprintf(`{"sessionUpdate":"agent_message_chunk","messageId":%q,"content":{"type":"text","text":%q}}`, message, text)
}

func output(id, text string) string {
	return fmt.Sprintf(`{"sessionUpdate":"tool_call_update","toolCallId":%q,"_meta":{"terminal_output":{"terminal_id":%q,"data":%q}}}`, id, id, text)
}

func TestRunsThatAreEqual(t *testing.T) {
	a := []string{
		`{"sessionUpdate":"tool_call","toolCallId":"aaaaaaaa-1","title":"x","status":"pending","_meta":{"terminal_info":{"terminal_id":"aaaaaaaa-1"}}}`,
		`{"sessionUpdate":"tool_call_update","toolCallId":"aaaaaaaa-1","status":"in_progress"}`,
		output("aaaaaaaa-1", "one\ntw"), output("aaaaaaaa-1", "o\n"),
		`{"sessionUpdate":"tool_call_update","toolCallId":"aaaaaaaa-1","status":"completed","rawOutput":"took 12 ms at 2026-01-02T03:04:05Z, see aaaaaaaa-1 in 3f2b8c1a-0000-4000-8000-000000000001"}`,
		chunk("m1", "all"), chunk("m1", " done"),
		`{"sessionUpdate":"session_info_update","updatedAt":"2026-01-02T03:04:05Z"}`,
		`{"sessionUpdate":"available_commands_update","availableCommands":[]}`,
		`{"sessionUpdate":"available_commands_update","availableCommands":[{"name":"x"}]}`,
		`{"sessionUpdate":"plan","entries":[]}`, `{"sessionUpdate":"plan","entries":[]}`,
	}
	b := []string{
		`{"sessionUpdate":"available_commands_update","availableCommands":[{"name":"x"}]}`,
		`{"sessionUpdate":"tool_call","toolCallId":"bbbbbbbb-7","title":"x","status":"pending","_meta":{"terminal_info":{"terminal_id":"bbbbbbbb-7"}}}`,
		`{"sessionUpdate":"tool_call_update","toolCallId":"bbbbbbbb-7","status":"in_progress"}`,
		`{"sessionUpdate":"tool_call_update","toolCallId":"bbbbbbbb-7","status":"in_progress"}`,
		output("bbbbbbbb-7", "one\ntwo\n"),
		`{"sessionUpdate":"tool_call_update","toolCallId":"bbbbbbbb-7","status":"completed","rawOutput":"took 3.5s at 2027-01-02T03:04:05.678+01:00, see bbbbbbbb-7 in 99999999-0000-4000-8000-000000000002"}`,
		chunk("m9", "a"), chunk("m9", "ll don"), chunk("m9", "e"),
		`{"sessionUpdate":"session_info_update","updatedAt":"2027-01-02T03:04:05Z"}`,
		`{"sessionUpdate":"plan","entries":[]}`,
	}
	var report Report
	report.compare("", normalize(logOf(t, "first-session", a...), nil), normalize(logOf(t, "second-session", b...), nil))
	for _, d := range report.Differences {
		t.Errorf("%s\n%s", d.Kind, d.Diff)
	}
}

func TestRunsThatDiffer(t *testing.T) {
	base := []string{
		`{"sessionUpdate":"tool_call","toolCallId":"c1","title":"x","status":"pending"}`,
		output("c1", "one\ntwo\n"), chunk("m1", "all done"),
		`{"sessionUpdate":"current_mode_update","currentModeId":"ask"}`,
	}
	for _, tt := range []struct {
		name   string
		change func(list []string) []string
		kind   string
		shows  string
	}{
		{"a title", func(l []string) []string { l[0] = strings.Replace(l[0], `"x"`, `"y"`, 1); return l }, "tool calls", `+  "title": "y",`},
		{"a status", func(l []string) []string { l[0] = strings.Replace(l[0], `pending`, `failed`, 1); return l }, "tool calls", `+    "failed"`},
		{"a line of output", func(l []string) []string { l[1] = output("c1", "one\nTWO\n"); return l }, "tool calls", `+    "TWO\n"`},
		{"a word", func(l []string) []string { l[2] = chunk("m1", "not done"); return l }, "messages", `+  "text": "not done"`},
		{"one message made two", func(l []string) []string { l[2] = chunk("m1", "all "); return append(l, chunk("m2", "done")) }, "messages", `+  "text": "done"`},
		{"a mode", func(l []string) []string { return l[:3] }, "current_mode_update", `-  "currentModeId": "ask"`},
		{"another update", func(l []string) []string {
			return append(l, `{"sessionUpdate":"notice","severity":"info","title":"t"}`)
		}, "notice", `+  "title": "t"`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			changed := tt.change(append([]string(nil), base...))
			var report Report
			report.compare("", normalize(logOf(t, "s", base...), nil), normalize(logOf(t, "s", changed...), nil))
			if len(report.Differences) != 1 {
				t.Fatalf("differences %+v", report.Differences)
			}
			if d := report.Differences[0]; !strings.Contains(d.Kind, tt.kind) || !strings.Contains(d.Diff, tt.shows) {
				t.Errorf("%s\n%s\nwant %s with %s", d.Kind, d.Diff, tt.kind, tt.shows)
			}
		})
	}
}
