package conformance

import (
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/agent-ls/agent-ls/acp"
)

var wireReports = []report{
	{79, stdoutIsTheProtocol}, {82, serversAreUsed}, {83, longLines}, {85, versionsAreNotEchoed}, {86, childrenDoNotRead}, {88, endsAreStored},
	{92, peersTrio}, {94, relativeFolders}, {95, badLines},
}

func stdoutIsTheProtocol(t *testing.T) {
	needProc(t)
	s := everything(t, options{}) // the judge finds what is no message
	fds := descriptors(s.cmd.Process.Pid)
	if fds["1"] == "" || fds["1"] != fds["2"] {
		t.Errorf("descriptor 1 is %s, stderr %s: what a dependency prints would reach the client", fds["1"], fds["2"])
	}
	// What a command holds beside its own descriptors is not the protocol.
	s.run("!echo noise >/proc/$PPID/fd/1; for fd in 3 4 5 6 7 8 9; do echo noise >&$fd; done 2>/dev/null; echo written")
	if text := s.last(acp.KindExecute).text(); !has(text, "written") {
		t.Errorf("the command did not run: %s", text)
	}
	s.run("hello")
}

// maxLine is the longest line that is taken, in bytes.
const maxLine = 64 << 20

func longLines(t *testing.T) {
	c := start(t, options{tolerate: []rule{ruleNullID}})
	c.h.file("a.txt", "a\n")
	sizes := []int{1 << 20, 11 << 20, maxLine, maxLine + 10<<20}
	if testing.Short() {
		sizes = []int{11 << 20, maxLine + 1<<20}
	}
	for _, size := range sizes {
		s := c.newSession()
		from, id := c.place(), fmt.Sprint("long-", size)
		head := `{"jsonrpc":"2.0","id":"` + id + `","method":"session/prompt","params":{"sessionId":"` + s.id + `","prompt":[{"type":"text","text":"`
		k := c.expect(id, acp.MethodSessionPrompt, params{"sessionId": s.id})
		c.raw(head + strings.Repeat("x", size-len(head)-len(`"}]}}`)-1) + "\"}]}}\n")
		refused := func(l *line) bool {
			return l.msg.isAnswer() && string(l.msg.ID) == "null" && l.msg.Error != nil && l.msg.Error.Code == -32600
		}
		c.until("an answer to a long line", func() bool { return k.answer != nil || c.count(from, refused) > 0 })
		if !k.answered() && size < maxLine {
			t.Errorf("a line of %d bytes is refused", size)
		}
		c.newSession().run("/read a.txt")
	}
	longAnswer(t)
}

// longAnswer: what the client answers may be long, too.
func longAnswer(t *testing.T) {
	h := newHome(t)
	s := editor(h, &files{read: func(string) (string, *rpcError, bool) { return strings.Repeat("y", 12<<20), nil, true }}, options{})
	h.file("b.txt", "b\n")
	s.run(all("/read b.txt", "!echo alive"))
	completed(t, s.last(acp.KindExecute))
}

func versionsAreNotEchoed(t *testing.T) { unknownVersions(t) }

func childrenDoNotRead(t *testing.T) {
	s := inMode(t, "full-access", options{})
	turn := s.prompt("!cat; echo cat-done")
	s.setMode("full-access") // a request that a child could eat
	stop(t, turn)
	for command, want := range map[string]string{
		"!cat; echo cat-done": "cat-done", `!read x; echo "status=$?"`: "status=1", "!echo gtp=$GIT_TERMINAL_PROMPT": "gtp=0",
		"!test -t 0 || echo no tty": "no tty", "!sh -c 'cat; echo deeper'": "deeper",
		"!git init -q . && GIT_EDITOR= git -c user.name=x -c user.email=x@example.invalid commit --allow-empty; echo git-ended": "git-ended",
	} {
		s.run(command)
		if text := s.last(acp.KindExecute).text(); !has(text, want) {
			t.Errorf("%s says %s", command, text)
		}
	}
	needProc(t)
	s.run("!readlink /proc/self/fd/0")
	if text := s.last(acp.KindExecute).text(); !has(text, "/dev/null") {
		t.Errorf("the input of a command is %s", text)
	}
}

func endsAreStored(t *testing.T) {
	for name, end := range map[string]func(s *session){"end of input": func(s *session) { s.leave() }, "crash": func(s *session) { s.kill(); endMarked(s.mark) }} {
		s := open(t, options{caps: displayCaps})
		s.h.file("a.txt", "MARK\n")
		s.run("/read a.txt")
		s.prompt("!echo partial; sleep 600")
		s.untilScreen("output", func(sc *screen) bool { return len(sc.cards) == 2 && has(sc.cards[1].text(), "partial") })
		end(s)
		if name == "crash" {
			tear(t, s.h.log(s.id))
		}
		loaded := s.h.start(options{caps: displayCaps}).load(s.id)
		loaded.settledCards()
		cards := loaded.cards()
		if len(cards) != 2 || !has(cards[0].text(), "MARK") || !has(cards[1].text(), "partial") || cards[1].status != acp.StatusFailed {
			t.Errorf("%s: cards %s", name, encode(cards))
		}
		loaded.run("hello")
	}
}

// tear leaves half a line at the end of a log, as a crash may.
func tear(t *testing.T, path string) {
	t.Helper()
	f, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if _, err := f.WriteString(`{"torn":"li`); err != nil {
		t.Fatal(err)
	}
}

// peersTrio: a write's diff without the old text, an edit's location without
// its line, a wait that no cancel ends.
func peersTrio(t *testing.T) {
	w := &terminals{}
	s := owner(newHome(t), w, options{})
	s.h.file("a.txt", numbered(20, "line", "\n"))
	s.run(overwrite("a.txt", strings.Replace(numbered(20, "line", "\n"), "line 7\n", "seven\n", 1)))
	k := s.lastEdit()
	if d := onlyDiffs(t, k, 1)[0]; d.OldText == nil || !has(*d.OldText, "line 7") || firstPlace(k) != s.h.path("a.txt")+":7" {
		t.Errorf("the card points to %s and shows %s", firstPlace(k), encode(k.content))
	}
	turn := s.prompt(long)
	s.until("a wait for the command", func() bool { return w.count(acp.MethodTerminalWait) > 0 })
	s.cancelled(turn)
}

func relativeFolders(t *testing.T) {
	s := open(t, options{})
	s.run("hello")
	for _, cwd := range []string{"rel", "./rel", "", "~/x", "../up", "file:///tmp"} {
		s.refused(acp.MethodSessionNew, params{"cwd": cwd, "mcpServers": []any{}}, -32602)
		s.refused(acp.MethodSessionLoad, params{"sessionId": s.id, "cwd": cwd, "mcpServers": []any{}}, -32602)
		s.refused(acp.MethodSessionResume, params{"sessionId": s.id, "cwd": cwd}, -32602)
		s.refused(acp.MethodSessionNew, params{"cwd": s.h.cwd, "mcpServers": []any{}, "additionalDirectories": []string{cwd}}, -32602)
	}
	s.newSession().run("hello")
}

func badLines(t *testing.T) {
	h := newHome(t)
	c := h.spawn(options{tolerate: []rule{ruleNullID}})
	c.refused(acp.MethodSessionNew, params{"cwd": h.cwd, "mcpServers": []any{}}, -32600)
	c.refused("no/such_method", params{}, -32600)
	c.notify(acp.MethodSessionCancel, params{"sessionId": "x"})
	c.initialize()
	for _, tt := range []struct {
		text string
		id   string // "" for no answer
		code int
	}{
		{"this is not JSON", "null", -32700}, {`{"foo":1}`, "null", -32600}, {"42", "null", -32600}, {`"text"`, "null", -32600},
		{"null", "null", -32600}, {"[]", "null", -32600}, {`[{"jsonrpc":"2.0","id":1,"method":"x"}]`, "null", -32600},
		{`{"jsonrpc":"2.0","id":{},"method":"x"}`, "null", -32600}, {`{"jsonrpc":"2.0","method":5}`, "null", -32600},
		{`{"jsonrpc":"2.0","id":7001,"method":5}`, "7001", -32600}, {`{"jsonrpc":"1.0","id":7002,"method":"x"}`, "7002", -32600},
		{`{"jsonrpc":"2.0","id":7003,"method":"conformance/no_such_method"}` + "\r", "7003", -32601},
		{`{"jsonrpc":"2.0","id":7004,"method":"session/new","params":7}`, "7004", -32602},
		{"{\"jsonrpc\":\"2.0\",\"id\":7005,\"method\":\"\xff\"}", "null", -32700},
		{"", "", 0}, {"   \t ", "", 0}, {"\r", "", 0}, {`{"jsonrpc":"2.0","method":"conformance/unknown","params":{}}`, "", 0},
		{`{"jsonrpc":"2.0","id":"stray","result":{}}`, "", 0}, {`{"jsonrpc":"2.0","id":1,"error":{"code":1,"message":"x"}}`, "", 0},
	} {
		from := c.place()
		if tt.id != "" && tt.id != "null" {
			c.expect(json.RawMessage(tt.id), "", nil)
		}
		c.raw(tt.text + "\n")
		got := c.answers(from)
		switch {
		case tt.id == "" && len(got) > 0:
			t.Errorf("%q was answered %s", tt.text, got[0].text)
		case tt.id != "" && (len(got) != 1 || string(got[0].msg.ID) != tt.id || got[0].msg.Error == nil || got[0].msg.Error.Code != tt.code):
			t.Errorf("%q was answered %v", tt.text, got)
		}
	}
	c.newSession().run("hello")
}
