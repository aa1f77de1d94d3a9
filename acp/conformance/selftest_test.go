package conformance

import (
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/agent-ls/agent-ls/acp"
)

// silentClient is a client without a process, for lines that a test makes up.
func silentClient(t *testing.T) *client {
	c := &client{t: t, calls: map[string]*call{}, screens: map[string]*screen{}, asked: map[string]bool{}, withdrawn: map[string]bool{}}
	c.changed = sync.NewCond(&c.mu)
	c.in = discard{}
	c.o.permission = always(answerHang)
	c.requestAs(1, acp.MethodSessionNew, params{"cwd": "/", "mcpServers": []any{}})
	c.receive(`{"jsonrpc":"2.0","id":1,"result":{"sessionId":"s"}}` + "\n")
	c.requestAs(2, acp.MethodSessionPrompt, params{"sessionId": "s", "prompt": []any{}})
	t.Cleanup(c.work.Wait)
	return c
}

type discard struct{}

func (discard) Write(p []byte) (int, error) { return len(p), nil }
func (discard) Close() error                { return nil }

// update is a session/update as a line.
func update(fields string) string {
	return `{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{` + fields + `}}}`
}

const (
	announced = `"sessionUpdate":"tool_call","toolCallId":"1","title":"t","kind":"edit","status":"pending"`
	asked     = `{"jsonrpc":"2.0","id":9,"method":"session/request_permission","params":{"sessionId":"s","toolCall":{"toolCallId":"1"},"options":[` +
		`{"optionId":"a","name":"Allow","kind":"allow_once"},{"optionId":"r","name":"Reject","kind":"reject_once"}]}}`
)

// of makes an update of the announced card.
func of(fields string) string {
	return update(`"sessionUpdate":"tool_call_update","toolCallId":"1",` + fields)
}

// TestJudge: a rule that no line can break is worth nothing. Each case is what
// an agent sends in a turn, and the rule that its last line breaks.
func TestJudge(t *testing.T) {
	completed := of(`"status":"completed"`)
	answered := `{"jsonrpc":"2.0","id":2,"result":{"stopReason":"end_turn"}}`
	for _, tt := range []struct {
		breaks rule // "" for none
		lines  []string
	}{
		{"", []string{update(announced), asked, `{"jsonrpc":"2.0","method":"$/cancel_request","params":{"requestId":9}}`, of(`"status":"in_progress"`), completed, answered}},
		{"", []string{update(`"sessionUpdate":"available_commands_update","availableCommands":[]`), answered, update(`"sessionUpdate":"session_info_update","title":"x"`)}},
		{ruleFraming, []string{"starting up"}}, {ruleFraming, []string{"42"}}, {ruleFraming, []string{"[]"}}, {ruleFraming, []string{"{\"jsonrpc\":\"2.0\",\"method\":\"x\xff\"}"}},
		{ruleFraming, []string{`{"jsonrpc":"2.0","jsonrpc":"2.0","id":2,"result":{"stopReason":"end_turn"}}`}},
		{ruleEnvelope, []string{`{"id":2,"result":{"stopReason":"end_turn"}}`}}, {ruleEnvelope, []string{`{"jsonrpc":"2.0","id":2,"result":{"stopReason":"end_turn"},"x":1}`}},
		{ruleEnvelope, []string{`{"jsonrpc":"2.0","id":2}`}}, {ruleEnvelope, []string{`{"jsonrpc":"2.0","id":3,"result":{}}`}}, {ruleEnvelope, []string{answered, answered}},
		{ruleNullID, []string{`{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"x"}}`}},
		{ruleSchema, []string{`{"jsonrpc":"2.0","id":2,"error":{"code":-32603,"message":"two\nlines"}}`}}, {ruleSchema, []string{`{"jsonrpc":"2.0","id":2,"error":{"message":"x"}}`}},
		{ruleSchema, []string{`{"jsonrpc":"2.0","id":2,"result":{"stopReason":"done"}}`}}, {ruleSchema, []string{`{"jsonrpc":"2.0","id":2,"result":null}`}},
		{ruleSchema, []string{`{"jsonrpc":"2.0","method":"session/progress","params":{}}`}}, {ruleSchema, []string{update(`"sessionUpdate":"tool_call","toolCallId":"1"`)}},
		{ruleGate, []string{`{"jsonrpc":"2.0","id":9,"method":"fs/read_text_file","params":{"sessionId":"s","path":"/a"}}`}},
		{ruleGate, []string{`{"jsonrpc":"2.0","id":9,"method":"terminal/create","params":{"sessionId":"s","command":"ls"}}`}},
		{ruleGate, []string{update(`"sessionUpdate":"notice","severity":"info","title":"x"`)}},
		{ruleOrder, []string{of(`"status":"completed"`)}}, {ruleOrder, []string{update(announced), update(announced)}}, {ruleOrder, []string{asked}},
		{ruleOrder, []string{update(announced), of(`"status":"in_progress"`), asked}}, {ruleOrder, []string{update(announced), asked, of(`"status":"in_progress"`)}},
		{ruleLate, []string{update(announced), completed, asked}}, {ruleOrder, []string{update(announced), completed, of(`"title":"late"`)}}, {ruleOrder, []string{answered, update(`"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"x"}`)}},
		{ruleOrder, []string{strings.Replace(update(announced), `"s"`, `"other"`, 1)}},
		{ruleCard, []string{update(announced), of(`"title":"t"`)}}, {ruleCard, []string{update(announced), of(`"status":"pending"`)}},
		{ruleCard, []string{update(strings.Replace(announced, `"t"`, `"t\nu"`, 1))}}, {ruleCard, []string{update(strings.Replace(announced, `"t"`, `""`, 1))}},
		{ruleCard, []string{update(announced + `,"locations":[{"path":"a.txt"}]`)}}, {ruleCard, []string{update(announced + `,"locations":[{"path":"/"}]`)}},
		{ruleCard, []string{update(announced + `,"locations":[{"path":"file:///a"}]`)}}, {ruleCard, []string{update(announced + `,"content":[{"type":"diff","path":"","newText":"x"}]`)}},
		{ruleCard, []string{update(announced + `,"locations":[` + strings.Repeat(`{"path":"/a"},`, 20) + `{"path":"/a"}]`)}},
		{ruleCard, []string{update(announced + `,"_meta":{"terminal_exit":{"terminal_id":"1"}}`)}}, {ruleCard, []string{update(announced), of(`"_meta":{"terminal_info":{"terminal_id":"1"}}`)}},
		{ruleCard, []string{update(announced + `,"_meta":{"terminal_info":{"terminal_id":"1"}}`), of(`"_meta":{"terminal_output":{"terminal_id":"2","data":"x"}}`)}},
		{ruleCard, []string{update(announced), of(`"status":"completed","content":[{"type":"terminal","terminalId":"1"}]`)}},
		{ruleCard, []string{update(announced), strings.Replace(asked, `"optionId":"r"`, `"optionId":"a"`, 1)}}, {ruleCard, []string{update(announced), strings.Replace(asked, "reject_once", "allow_always", 1)}},
	} {
		c := silentClient(t)
		for i, l := range tt.lines {
			if len(c.problems) > 0 {
				t.Errorf("line %d of %s broke a rule before: %v", i, clip(fmt.Sprint(tt.lines)), c.problems)
			}
			c.receive(l + "\n")
		}
		if tt.breaks == "" && len(c.problems) > 0 || tt.breaks != "" && (len(c.problems) == 0 || c.problems[0].rule != tt.breaks) {
			t.Errorf("%s broke %v, want the rule %q", tt.lines[len(tt.lines)-1], c.problems, tt.breaks)
		}
	}
}
