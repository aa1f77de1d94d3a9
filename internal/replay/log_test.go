package replay

import (
	"strings"
	"testing"
)

const (
	hello  = `{"time":"2026-01-01T00:00:00Z","dir":"in","msg":{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":1}}}` + "\n"
	answer = `{"time":"2026-01-01T00:00:00Z","dir":"out","msg":{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":1}}}` + "\n"
)

func TestRead(t *testing.T) {
	for _, tt := range []struct {
		name, text  string
		connections int
		wrong       string
	}{
		{"one connection", hello + answer, 1, ""},
		{"two connections", hello + answer + hello + answer, 2, ""},
		{"blank lines", "\n" + hello + "\n" + answer, 1, ""},
		{"a torn last line", hello + answer[:20], 1, ""},
		{"a line that was skipped", hello + `{"time":"x","dir":"in","skipped":"not JSON"}` + "\n", 1, ""},
		{"nothing", "", 0, "no line of a wire log"},
		{"other text", "hello\nthere\n", 0, "line 1 is no line of a wire log"},
		{"other JSON", `{"a":1}` + "\n" + `{"b":2}` + "\n", 0, "line 1 is no line"},
		{"a bad line in the middle", hello + "oops\n" + answer, 0, "line 2 is no line"},
		{"a message that is none", hello + `{"dir":"in","msg":7}` + "\n" + answer, 0, "line 2 is no line"},
		{"an odd direction", `{"dir":"up","msg":{}}` + "\n" + hello, 0, "line 1 is no line"},
		{"a client that says nothing", answer, 0, "line 1: the client says nothing"},
		{"a language server", strings.Replace(hello, `{"protocolVersion":1}`, `{"processId":7}`, 1), 0, "log of a language server"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			l, err := Read(strings.NewReader(tt.text))
			switch {
			case tt.wrong != "":
				if err == nil || !strings.Contains(err.Error(), tt.wrong) {
					t.Errorf("error %v, want %q", err, tt.wrong)
				}
			case err != nil:
				t.Error(err)
			case len(l.connections) != tt.connections:
				t.Errorf("%d connections, want %d", len(l.connections), tt.connections)
			}
		})
	}
}

func FuzzRead(f *testing.F) {
	f.Add(hello + answer)
	f.Add(hello + `{"dir":"out","msg":{"method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"tool_call","toolCallId":"c","_meta":{"terminal_output":{"data":"x"}}}}}}` + "\n")
	f.Add(hello + `{"dir":"out","msg":{"method":"session/update","params":{"update":{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":["x",7]}}}}}`)
	f.Fuzz(func(t *testing.T, text string) {
		l, err := Read(strings.NewReader(text))
		if err != nil {
			return
		}
		var report Report
		for _, entries := range l.connections {
			report.compare("", normalize(entries, nil), normalize(entries, nil))
		}
		if len(report.Differences) > 0 {
			t.Errorf("a log differs from itself: %+v", report.Differences)
		}
	})
}
