package conformance

import (
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/agent-ls/agent-ls/acp"
)

// scenario is a case with a name.
type scenario struct {
	name string
	run  func(t *testing.T)
}

// TestHostile: whatever a client, a model, a file system or a disk does, the
// agent answers or leaves, loses nothing and goes on.
func TestHostile(t *testing.T) {
	t.Parallel()
	for _, list := range [][]scenario{hostileWires, hostileLeavers, hostileEditors, hostileTerminals, hostileModels, hostileDisks} {
		for _, h := range list {
			t.Run(h.name, func(t *testing.T) {
				t.Parallel()
				h.run(t)
			})
		}
	}
}

var hostileWires = []scenario{
	{"slow reader", slowReader}, {"garbage", garbage}, {"garbage from a client that does not read", unreadGarbage},
	{"bytes that are no UTF-8", badBytes}, {"deep JSON", deepJSON}, {"ids", strangeIDs}, {"duplicate keys", duplicateKeys},
	{"text", strangeText}, {"one byte at a time", oneByteAtATime}, {"many prompts at once", manyPrompts},
}

// slowReader does not read while a command writes 40 MB (8 with -short). The agent's memory
// does not grow with that, and the client gets the end of it later.
func slowReader(t *testing.T) {
	needProc(t)
	const most = 96 << 10 // KiB; the first MiB is shown whole, and some is on its way
	s := inMode(t, "full-access", options{caps: displayCaps})
	s.run("!seq 1 100000")
	before := residentKB(s.cmd.Process.Pid)
	count := 5_000_000
	if testing.Short() {
		count /= 5
	}
	turn := s.prompt(fmt.Sprintf("!seq 1 %d; touch written; echo the-end", count))
	s.untilRunning()
	s.setPaused(true)
	highest := 0
	if !poll(func() bool {
		highest = max(highest, residentKB(s.cmd.Process.Pid)-before)
		return s.h.exists("written")
	}) {
		t.Error("the command does not go on while the client does not read")
	}
	s.setPaused(false)
	stop(t, turn)
	if highest > most && !underRace {
		t.Errorf("memory grew by %d MiB", highest>>10)
	}
	if k := s.last(acp.KindExecute); !has(k.text(), "the-end", "not shown") {
		t.Errorf("the card ends with %q", k.text()[max(0, len(k.text())-200):])
	}
}

// garbageLines are how many lines of garbage are sent.
func garbageLines() int {
	if testing.Short() {
		return 5_000
	}
	return 100_000
}

// parseErrors is how many lines were refused as no JSON; mu is held.
func (c *client) parseErrors() int {
	return c.count(0, func(l *line) bool { return l.msg.isAnswer() && l.msg.Error != nil && l.msg.Error.Code == -32700 })
}

func garbage(t *testing.T) {
	c := start(t, options{tolerate: []rule{ruleNullID}})
	n := garbageLines()
	for range n / 1000 {
		c.write(strings.Repeat("<html> not JSON at all {\n", 1000))
	}
	c.until("an answer to each line", func() bool { return c.parseErrors() == n })
	c.newSession().run("hello")
}

// unreadGarbage writes more than pipes hold before it reads: both sides wait
// for each other until it does, and then all is answered.
func unreadGarbage(t *testing.T) {
	c := start(t, options{tolerate: []rule{ruleNullID}})
	const chunks, lines = 40, 500
	c.setPaused(true)
	progress := make(chan int, chunks)
	go func() {
		defer close(progress)
		for i := range chunks {
			c.write(strings.Repeat("not JSON\n", lines))
			progress <- i
		}
	}()
	for i := range progress {
		if i == 10 { // 45 KB are in, half a megabyte of answers does not get out
			c.setPaused(false)
		}
	}
	c.until("an answer to each line", func() bool { return c.parseErrors() == chunks*lines })
	c.newSession().run("hello")
}

func badBytes(t *testing.T) {
	s := open(t, options{tolerate: []rule{ruleNullID}})
	lines := []string{
		"\xff\xfe{}", "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"x\xc3\"}", "\x00\x00\x00", "\xed\xa0\x80", "{\"\xf5\":1}",
		"{\"jsonrpc\":\"2.0\",\"method\":\"session/cancel\",\"params\":{\"sessionId\":\"\xff\"}}",
	}
	for _, text := range lines {
		s.raw(text + "\n")
	}
	s.until("an answer to each line", func() bool { return s.parseErrors() == len(lines) })
	s.run("hello")
}

func deepJSON(t *testing.T) {
	s := open(t, options{tolerate: []rule{ruleNullID, ruleEnvelope}})
	for _, depth := range []int{500, 9_000, 1_000_000} {
		nest := strings.Repeat("[", depth) + strings.Repeat("]", depth)
		objects := strings.Repeat(`{"a":`, depth) + "1" + strings.Repeat("}", depth)
		for i, text := range []string{
			nest, strings.Repeat("[", depth), strings.Repeat(`{"a":`, depth),
			`{"jsonrpc":"2.0","id":7001,"method":"session/new","params":{"cwd":` + nest + `}}`,
			`{"jsonrpc":"2.0","id":7002,"method":"session/prompt","params":{"sessionId":"` + s.id + `","prompt":[{"type":"text","text":"x"}],"_meta":{"x":` + objects + `}}}`,
			`{"jsonrpc":"2.0","id":` + nest + `,"method":"x"}`,
		} {
			from := s.place()
			s.raw(text + "\n")
			s.until(fmt.Sprintf("an answer to line %d of depth %d", i, depth), func() bool {
				return s.count(from, func(l *line) bool { return l.msg.isAnswer() }) > 0
			})
		}
	}
	s.h.file("a.txt", "a\n")
	s.run("/read {\"file_path\":" + strings.Repeat("[", 5_000) + strings.Repeat("]", 5_000) + "}")
	failed(t, s.cards()[len(s.cards())-1])
	s.run("/read a.txt")
}

func strangeIDs(t *testing.T) {
	s := open(t, options{})
	for _, id := range []string{
		`"` + strings.Repeat("i", 1<<20) + `"`, strings.Repeat("9", 400), "-0", "1.5", "1e3", `"\u0000"`, `"\ud83d\ude00"`, `"1"`, "9007199254740993",
	} {
		k := s.expect(json.RawMessage(id), "conformance/no_such_method", params{})
		s.raw(`{"jsonrpc":"2.0","id":` + id + `,"method":"conformance/no_such_method"}` + "\n")
		if m := k.wait(); m.Error == nil || m.Error.Code != -32601 {
			t.Errorf("id %s: answered %s %v", clip(id), m.Result, m.Error)
		}
	}
	// Two requests with one id, both open: both are answered.
	twice := s.newSessionWith(ruleEnvelope)
	from := twice.place()
	twice.requestAs("same", acp.MethodSessionPrompt, promptParams(twice, "!sleep 0.01"))
	twice.requestAs("same", acp.MethodSessionPrompt, promptParams(twice, "!sleep 0.01"))
	twice.until("two answers", func() bool {
		return twice.count(from, func(l *line) bool { return string(l.msg.answerTo()) == `"same"` }) == 2
	})
}

func promptParams(s *session, text string) acp.PromptRequest {
	return acp.PromptRequest{SessionID: s.id, Prompt: acp.List[acp.ContentBlock]{acp.Text(text)}}
}

// newSessionWith is a session of another process, for which some rules do not
// hold.
func (s *session) newSessionWith(broken ...rule) *session {
	s.t.Helper()
	return s.h.start(options{tolerate: append(broken, ruleOrder)}).newSession()
}

// answerTo is the id of a response, nil for anything else.
func (m *message) answerTo() json.RawMessage {
	if m.isAnswer() {
		return m.ID
	}
	return nil
}

func duplicateKeys(t *testing.T) {
	s := open(t, options{tolerate: []rule{ruleNullID, ruleEnvelope}})
	for _, text := range []string{
		`{"jsonrpc":"2.0","id":7001,"id":7002,"method":"session/new","method":"conformance/no_such_method","params":{}}`,
		`{"jsonrpc":"2.0","jsonrpc":"1.0","id":7003,"method":"x"}`,
		`{"jsonrpc":"2.0","id":7004,"method":"session/prompt","params":{"sessionId":"` + s.id + `"},"params":{"sessionId":"x","prompt":[]}}`,
		`{"jsonrpc":"2.0","id":7005,"result":{},"error":{"code":1,"message":"x"},"method":"x"}`,
	} {
		from := s.place()
		s.raw(text + "\n")
		s.until("an answer to "+text, func() bool { return s.count(from, func(l *line) bool { return l.msg.isAnswer() }) == 1 })
	}
	s.run(`/write {"file_path":"a.txt","file_path":"b.txt","content":"x"}`)
	s.settledCards()
	if s.h.exists("a.txt") && s.h.exists("b.txt") {
		t.Error("a call with a key that is there twice wrote both files")
	}
	s.run("hello")
}

func strangeText(t *testing.T) {
	s := open(t, options{})
	for _, text := range []string{
		"\x00", "\\u0000", strings.Repeat("a\n", 10_000), "\u202e\u2066", "\x1b[2J\x1b]0;x\x07", "\r\n\r\n", strings.Repeat("👩‍👩‍👧", 10_000),
		"!printf '\\033[31mred\\033[0m \\r\\b\\a\\000 \\302'", "/read \x00", `/read {"file_path":"\u0000"}`, "!echo \x00",
	} {
		turn := s.prompt(text)
		stop(t, turn)
	}
	s.settledCards()
	k := s.expect("surrogate", acp.MethodSessionPrompt, params{"sessionId": s.id})
	s.raw(`{"jsonrpc":"2.0","id":"surrogate","method":"session/prompt","params":{"sessionId":"` + s.id + `","prompt":[{"type":"text","text":"\ud800 \udc00\ud800"}]}}` + "\n")
	k.wait()
	s.reload(options{}).run("hello")
}

func oneByteAtATime(t *testing.T) {
	s := open(t, options{})
	k := s.expect("slow", "conformance/no_such_method", params{})
	for _, b := range []byte(`{"jsonrpc":"2.0","id":"slow","method":"conformance/no_such_method","params":{"x":"ü"}}` + "\r\n") {
		s.write(string([]byte{b}))
	}
	k.wait()
	// A last line without an end counts.
	k = s.expect("last", "conformance/no_such_method", params{})
	s.write(`{"jsonrpc":"2.0","id":"last","method":"conformance/no_such_method"}`)
	s.leave()
	if !k.answered() {
		t.Error("the last line, which has no end, was not answered")
	}
}

// manyPrompts: prompts in a running turn queue, in order; one too many is
// refused; a cancel ends them all.
func manyPrompts(t *testing.T) {
	s := inMode(t, "full-access", options{})
	first := s.prompt("!while [ ! -e go ]; do sleep 0.01; done")
	s.untilRunning()
	var turns []*turn
	for i := range 30 {
		turns = append(turns, s.prompt(fmt.Sprintf("!echo %d >> order.txt", i)))
	}
	s.h.file("go", "")
	stop(t, first)
	for i, turn := range turns {
		if stop(t, turn); i > 0 && turn.to < turns[i-1].to {
			t.Error("the prompts are answered in another order")
		}
	}
	var want strings.Builder
	for i := range 30 {
		fmt.Fprintln(&want, i)
	}
	if got := s.h.text("order.txt"); got != want.String() {
		t.Errorf("the prompts ran as %q", got)
	}
	os.Remove(s.h.path("order.txt"))
	running := s.prompt(long)
	s.untilRunning()
	turns = nil
	for range 100 {
		turns = append(turns, s.prompt("!echo x >> order.txt"))
	}
	s.cancel()
	for _, turn := range append(turns, running) {
		if m := turn.wait(); m.Error == nil && turn.reason() != acp.StopCancelled {
			t.Errorf("a queued prompt was answered %s after a cancel", m.Result)
		}
	}
	if s.h.exists("order.txt") {
		t.Error("a prompt ran after it was cancelled")
	}
	s.run("hello")
}
