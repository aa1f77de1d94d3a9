package conformance

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/agent-ls/agent-ls/acp"
)

// row is a row of the public conformance kit, version 1 (acp.md §16).
type row struct {
	id    string
	level string
	run   func(t *testing.T)
}

// Levels of rows.
const (
	mandatory     = "MANDATORY"
	capability    = "CAPABILITY"
	advisory      = "ADVISORY"
	informational = "INFORMATIONAL"
)

// rows are all rows: 21 mandatory, 19 of capabilities, 12 advisory, 4
// informational. What every line is judged by (judge_test.go) holds in each of
// them; the rows about transport, schema and JSON-RPC add nothing but traffic.
func rows() []row {
	return slices.Concat(transportRows, sessionRows, storedRows, settingRows, loginRows, leavingRows)
}

func TestTCK(t *testing.T) {
	t.Parallel()
	count := map[string]int{}
	for _, r := range rows() {
		count[r.level]++
		t.Run("ACP-"+r.id, func(t *testing.T) {
			t.Parallel()
			r.run(t)
		})
	}
	want := map[string]int{mandatory: 21, capability: 19, advisory: 12, informational: 4}
	if fmt.Sprint(count) != fmt.Sprint(want) {
		t.Errorf("rows %v, want %v", count, want)
	}
}

// visit is a session with one turn that calls a tool.
func visit(t *testing.T, o options) (*session, *turn) {
	t.Helper()
	s := open(t, o)
	s.h.file("a.txt", "MARKER one\n")
	return s, s.run("/read a.txt")
}

// stop fails for a turn that ends with an error.
func stop(t *testing.T, turn *turn) {
	t.Helper()
	if turn.reason() == "" {
		t.Error("no stop reason")
	}
}

// unknownSession is the id of no session.
const unknownSession = "no-such-session-7f3a"

// answers are what came for lines without an id, or with one of theirs, since a
// place; a request at the end says that nothing more comes.
func (c *client) answers(from int) []line {
	c.t.Helper()
	c.request("conformance/no_such_method", params{}).wait()
	got := c.lines(from, func(l *line) bool { return l.msg.isAnswer() })
	return got[:len(got)-1]
}

var transportRows = []row{
	{"TRANSPORT-001", mandatory, func(t *testing.T) { visit(t, options{}) }},
	{"TRANSPORT-002", mandatory, func(t *testing.T) {
		s, _ := visit(t, options{})
		s.run("naïve — 你好 👩‍👩‍👧 \u2028 \U0010ffff")
	}},
	{"JSONRPC-001", mandatory, echoedIDs},
	{"JSONRPC-002", mandatory, func(t *testing.T) {
		s, _ := visit(t, options{})
		s.refused("no/such_method", params{})
		s.refused(acp.MethodSessionNew, params{"cwd": 42})
	}},
	{"JSONRPC-003", mandatory, notificationsAreNotAnswered},
	{"JSONRPC-004", advisory, func(t *testing.T) { start(t, options{}).refused("conformance/no_such_method", params{}, -32601) }},
	{"JSONRPC-005", advisory, func(t *testing.T) {
		c := start(t, options{})
		c.refused("conformance/no_such_method", params{})
		c.refused(acp.MethodSessionPrompt, params{"sessionId": 12})
		c.newSession()
	}},
	{"INIT-001", mandatory, func(t *testing.T) { start(t, options{}) }},
	{"INIT-002", mandatory, func(t *testing.T) {
		if v := start(t, options{}).init.ProtocolVersion; v != 1 {
			t.Errorf("version %d", v)
		}
	}},
	{"INIT-003", mandatory, unknownVersions},
	{"INIT-004", advisory, func(t *testing.T) {
		if i := start(t, options{}).init.AgentInfo; i == nil || i.Name != "agent-ls" || i.Version == "" {
			t.Errorf("agentInfo %+v", i)
		}
	}},
	{"SCHEMA-001", mandatory, func(t *testing.T) { visit(t, options{caps: everyCapability}) }},
	{"SCHEMA-002", advisory, func(t *testing.T) { visit(t, options{}) }},
}

// everyCapability is a client that offers all but files and terminals.
var everyCapability = acp.ClientCapabilities{
	Session: &acp.ClientSessionCapabilities{Compaction: &acp.Marker{}, Notices: &acp.Marker{}, ConfigOptions: &acp.SessionConfigOptionsCapabilities{Boolean: &acp.Marker{}}},
	Auth:    acp.AuthCapabilities{Terminal: true}, Elicitation: &acp.ElicitationCapabilities{Form: &acp.Marker{}, URL: &acp.Marker{}},
	Meta: acp.NewMeta("terminal_output", true),
}

func echoedIDs(t *testing.T) {
	h := newHome(t)
	c := h.spawn(options{})
	for i, id := range []any{7, "string-id-1", "ünï/2", 1_000_000_007, -3, "", json.Number("12345678901234567890")} {
		method, p := acp.MethodSessionNew, params{"cwd": h.cwd, "mcpServers": []any{}}
		if i == 0 {
			method, p = acp.MethodInitialize, params{"protocolVersion": 1, "clientCapabilities": params{}}
		}
		// The judge finds an answer under any other id.
		if m := c.requestAs(id, method, p).wait(); m.Error != nil {
			t.Errorf("id %v: %v", id, m.Error)
		}
	}
}

func notificationsAreNotAnswered(t *testing.T) {
	s := open(t, options{})
	from := s.place()
	s.notify(acp.MethodSessionCancel, params{"sessionId": s.id})
	s.notify(acp.MethodSessionCancel, params{"sessionId": unknownSession})
	s.notify(acp.MethodSessionCancel, params{})
	s.notify("_conformance/unknown", params{"a": 1})
	s.notify("conformance/unknown", []int{1})
	s.notify(acp.MethodSessionPrompt, params{"sessionId": s.id})
	s.notify(acp.MethodCancelRequest, params{"requestId": "nothing"})
	if got := s.answers(from); len(got) > 0 {
		t.Errorf("a notification was answered: %s", got[0].text)
	}
	s.newSession()
}

func unknownVersions(t *testing.T) {
	for _, asked := range []int{65535, 2, 0} {
		c := newHome(t).spawn(options{})
		var r acp.InitializeResponse
		// A client of the future brings version 2's members beside ours.
		c.call(acp.MethodInitialize, params{
			"protocolVersion": asked, "clientCapabilities": params{}, "clientInfo": params{"name": "future", "version": "9"},
			"info": params{"name": "future", "version": "9"}, "capabilities": params{},
		}, &r)
		if r.ProtocolVersion != 1 {
			t.Errorf("asked for %d, answered %d", asked, r.ProtocolVersion)
		}
	}
}

var leavingRows = []row{
	{"CLIENTCAP-001", mandatory, offeredNothing},
	{"CLIENTCAP-002", mandatory, offeredNothing},
	{"CLIENTCAP-003", mandatory, offeredNothing},
	{"EXT-001", mandatory, func(t *testing.T) {
		c := start(t, options{})
		c.request("_conformance/custom_request", params{"a": 1}).wait()
		c.newSession()
	}},
	{"META-001", advisory, func(t *testing.T) {
		s := open(t, options{})
		k := s.request(acp.MethodSessionPrompt, params{
			"sessionId": s.id, "prompt": []any{acp.TextContent{Text: "hello", Meta: acp.NewMeta("x", 1)}},
			"_meta": params{"traceparent": "00-80e1afed08e019fc1110464cfa66635c-7a085853722dc6d2-01", "example/x": params{"y": []int{1}}},
		})
		stop(t, &turn{k, s})
	}},
	{"ERROR-001", advisory, func(t *testing.T) {
		s := open(t, options{})
		s.refused("conformance/no_such\nmethod", params{})
		s.refused(acp.MethodSessionPrompt, params{"sessionId": 12})
		s.refused(acp.MethodSessionNew, params{"cwd": 7})
		s.refused(acp.MethodSessionPrompt, acp.PromptRequest{SessionID: unknownSession, Prompt: acp.List[acp.ContentBlock]{acp.Text("x\ny")}})
		s.refused(acp.MethodSetMode, params{"sessionId": s.id, "modeId": "no-such\nmode"})
	}},
	{"SHUTDOWN-001", advisory, func(t *testing.T) { s, _ := visit(t, options{}); s.leave() }},
	{"STDERR-001", informational, func(t *testing.T) {
		s, _ := visit(t, options{})
		t.Logf("%d bytes on stderr", len(s.stderr()))
	}},
	{"INFO-PARSE-001", informational, func(t *testing.T) { badLine(t, `{"jsonrpc":"2.0", this is not JSON`) }},
	{"INFO-INVALIDREQ-001", informational, func(t *testing.T) { badLine(t, `{"foo":"bar"}`) }},
	{"INFO-UNKNOWNSESSION-001", informational, func(t *testing.T) {
		c := start(t, options{})
		t.Log(c.refused(acp.MethodSessionPrompt, acp.PromptRequest{SessionID: unknownSession, Prompt: acp.List[acp.ContentBlock]{acp.Text("x")}}))
	}},
}

// offeredNothing: to a client without files, terminals and forms nothing of
// these is sent, whatever the agent does. The judge looks at each request.
func offeredNothing(t *testing.T) {
	s := open(t, options{})
	s.h.file("a.txt", "MARKER one\n")
	s.run(all("/read a.txt", write("new.txt", "written\n"), "!echo MARKER > out.txt", "/grep MARKER", replaceText("a.txt", "one", "two")))
	for _, name := range []string{"new.txt", "out.txt"} {
		if !s.h.exists(name) {
			t.Errorf("%s is not there: the tools did not run", name)
		}
	}
}

// badLine writes what is no request and records the answer.
func badLine(t *testing.T, text string) {
	c := start(t, options{tolerate: []rule{ruleNullID}})
	from := c.place()
	c.raw(text + "\n")
	for _, l := range c.answers(from) {
		t.Logf("answered %s", l.text)
	}
	c.newSession()
}

// elsewhere is a folder beside the workspace.
func elsewhere(h *home) string {
	h.t.Helper()
	dir := filepath.Join(h.root, "elsewhere")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		h.t.Fatal(err)
	}
	return dir
}

// has says whether text holds all words.
func has(text string, words ...string) bool {
	return !slices.ContainsFunc(words, func(w string) bool { return !strings.Contains(text, w) })
}
