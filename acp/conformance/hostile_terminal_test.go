package conformance

import (
	"encoding/json"
	"testing"

	"github.com/agent-ls/agent-ls/acp"
)

// hostileTerminals are clients whose terminals do not work.
var hostileTerminals = []scenario{
	{"terminals are not made", failing(acp.MethodTerminalCreate, acp.StatusFailed)},
	{"waits fail", failing(acp.MethodTerminalWait, acp.StatusFailed)},
	{"outputs fail", failing(acp.MethodTerminalOutput, "")},
	{"kills fail", failing(acp.MethodTerminalKill, acp.StatusCompleted)},
	{"releases fail", failing(acp.MethodTerminalRelease, acp.StatusCompleted)},
	{"commands never end", neverEnding}, {"commands that time out", timingOut}, {"nothing is known of the end", endIsUnknown},
	{"ids are odd", oddTerminals}, {"releases are slow", slowReleases}, {"lines for a shell", linesForAShell},
}

// failing is a client that refuses a method; the card says so where it matters,
// and the session goes on.
func failing(method string, want acp.ToolCallStatus) func(t *testing.T) {
	return func(t *testing.T) {
		w := &terminals{hook: func(m string) (*rpcError, bool) {
			return &rpcError{Code: -32603, Message: "the terminal is\nbroken"}, m == method
		}}
		s := owner(newHome(t), w, options{})
		s.run("!echo hi")
		k := s.last(acp.KindExecute)
		if !k.over() || want != "" && k.status != want {
			t.Errorf("the card is %s: %s", k.status, k.facts())
		}
		if k.status == acp.StatusFailed && !has(k.text()+k.rawOutput, "broken") {
			t.Errorf("the card does not say why: %s", k.facts())
		}
		turn := s.prompt(long)
		if method != acp.MethodTerminalCreate {
			s.until("a wait", func() bool { return w.count(acp.MethodTerminalWait) > 1 })
		}
		s.cancel()
		turn.wait()
		s.settledCards()
		s.run("hello")
	}
}

func neverEnding(t *testing.T) {
	w := &terminals{hook: func(m string) (*rpcError, bool) { return nil, m == acp.MethodTerminalWait }}
	s := owner(newHome(t), w, options{})
	turn := s.prompt("!true")
	s.until("a wait", func() bool { return w.count(acp.MethodTerminalWait) > 0 })
	s.cancelled(turn)
	s.until("the release", func() bool { return w.count(acp.MethodTerminalRelease) > 0 })
	s.run("hello")
}

// slowReleases: a turn does not wait long for a client that releases slowly,
// and does not take its request back.
func slowReleases(t *testing.T) {
	answer := make(chan struct{})
	w := &terminals{hook: func(m string) (*rpcError, bool) {
		if m == acp.MethodTerminalRelease {
			<-answer
		}
		return nil, false
	}}
	s := owner(newHome(t), w, options{})
	s.run("!echo hi")
	if completed(t, s.last(acp.KindExecute)); w.all()[0].isReleased() {
		t.Error("the turn waited for the release")
	}
	close(answer)
	if !poll(func() bool { return w.all()[0].isReleased() }) {
		t.Error("the terminal was not released")
	}
	s.run("!true")
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.withdrawn) > 0 {
		t.Errorf("requests were taken back: %v", s.withdrawn)
	}
}

func timingOut(t *testing.T) {
	w := &terminals{}
	s := owner(newHome(t), w, options{})
	s.run(tool("bash", args{"command": "sleep 600", "timeout_ms": 200}))
	k := s.last(acp.KindExecute)
	if !k.over() || w.count(acp.MethodTerminalKill) == 0 || w.count(acp.MethodTerminalRelease) == 0 {
		t.Errorf("card %s; kills %d, releases %d", k.facts(), w.count(acp.MethodTerminalKill), w.count(acp.MethodTerminalRelease))
	}
}

func endIsUnknown(t *testing.T) {
	s := owner(newHome(t), &terminals{status: &acp.TerminalExitStatus{}}, options{})
	s.run("!true")
	if k := s.last(acp.KindExecute); !k.over() || has(encode([]any{k.content, k.rawOutput}), `exitCode\":0`) {
		t.Errorf("card %s", k.facts())
	}
}

// oddTerminals answers terminal/create with what is no terminal.
func oddTerminals(t *testing.T) {
	for _, result := range []string{"null", "{}", `{"terminalId":7}`, `{"terminalId":""}`} {
		w := &terminals{raw: json.RawMessage(result)}
		s := owner(newHome(t), w, options{})
		s.run("!echo hi")
		s.settledCards()
		s.run("hello")
	}
}

// linesForAShell: a client that gives the words of a command to a shell runs
// what was meant (acp.md §11).
func linesForAShell(t *testing.T) {
	const command = `printf '%s|' "a  b" 'c'"'"'d' $((1+1)); echo $HOME > 'a file'; echo "x y" | tr x z`
	for name, how := range map[string]spawning{"zed": shellLine, "Zed": shellLine, "acpx": argv, "somebody": argv} {
		w := &terminals{spawning: how}
		s := owner(newHome(t), w, options{name: name})
		s.run(bash(command))
		if got := w.all()[0].output(); got != "a  b|c'd|2|z y\n" || !s.h.exists("a file") {
			t.Errorf("%s: the terminal shows %q", name, got)
		}
		if k := s.last(acp.KindExecute); k.title != command {
			t.Errorf("%s: the title is %s", name, k.title)
		}
	}
}
