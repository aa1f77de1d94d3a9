package conformance

import (
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/agent-ls/agent-ls/acp"
)

var terminalReports = []report{
	{22, updatesArePaced}, {23, longOutputIsBounded}, {25, releaseComesLast}, {26, noTerminalAfterTheEnd}, {28, terminalMeta},
	{29, charactersStayWhole}, {31, signalIsNoSuccess}, {32, cancelKillsTerminals},
}

// displayCaps is what a client offers that shows terminals of the agent.
var displayCaps = acp.ClientCapabilities{Meta: acp.NewMeta("terminal_output", true)}

// Bounds of the updates of one running command (contract §6).
const (
	mostOutput   = 32 << 10
	displayRate  = 20
	fenceRate    = 4
	fencedOutput = 110_000 // bytes of a whole line
)

func updatesArePaced(t *testing.T) {
	for _, tt := range []struct {
		name string
		caps acp.ClientCapabilities
		rate int
	}{{"display", displayCaps, displayRate}, {"fence", acp.ClientCapabilities{}, fenceRate}} {
		h := newHome(t)
		log := h.root + "/wire.jsonl"
		s := h.start(options{caps: tt.caps, args: []string{"--wire-log", log}}).newSession()
		s.setMode("full-access")
		turn := s.prompt("!seq 1 1000000000")
		s.until("five updates with output", func() bool { return s.count(turn.from, isOutput) >= 5 })
		s.cancelled(turn)
		for _, l := range s.lines(turn.from, isOutput) {
			if data, _ := outputOf(l.update); len(data) > mostOutput || l.size > fencedOutput {
				t.Errorf("%s: an update of %d bytes of output, %d in all", tt.name, len(data), l.size)
			}
		}
		if n := busiestSecond(t, log); n > tt.rate+1 {
			t.Errorf("%s: %d updates in one second", tt.name, n)
		}
	}
}

// isOutput says whether a line shows output of a command that runs.
func isOutput(l *line) bool {
	u, ok := l.update.(acp.ToolCallUpdate)
	_, shows := outputOf(l.update)
	return ok && u.Status == "" && (shows || u.Content != nil)
}

func longOutputIsBounded(t *testing.T) {
	const full = 29_000
	s := inMode(t, "full-access", options{})
	s.run(fmt.Sprintf("!seq 1 %d", full))
	k := s.last(acp.KindExecute)
	completed(t, k)
	text := k.text()
	if len(text) > 72_000 || !has(text, fmt.Sprintf("\n%d\n", full)) || !has(text, "not shown") && !has(text, "omitted") && !has(text, "truncated") {
		t.Errorf("%d bytes on the card: %s", len(text), clip(text))
	}
	var log []byte
	for _, path := range regexp.MustCompile(`/[^\s\])"']+`).FindAllString(text, -1) {
		if b, err := os.ReadFile(path); err == nil {
			log = b
			if info, _ := os.Stat(path); info.Mode().Perm()&0o077 != 0 {
				t.Errorf("others may read the full log: %v", info.Mode())
			}
		}
	}
	if string(log) != strings.ReplaceAll(numbered(full, "", "\n"), " ", "") {
		t.Errorf("the full log has %d bytes", len(log))
	}
}

func releaseComesLast(t *testing.T) {
	s := owner(newHome(t), &terminals{}, options{})
	for _, command := range []string{"!echo hi", "!exit 3", "!kill -9 $$"} {
		turn := s.run(command)
		embed := s.find(turn.from, func(l *line) bool {
			u, ok := l.update.(acp.ToolCallUpdate)
			return ok && len(embeds(u.Content)) > 0
		})
		release := s.find(turn.from, func(l *line) bool { return !l.sent && l.msg.method() == acp.MethodTerminalRelease })
		if embed < 0 || release < embed {
			t.Errorf("%s: embedded at %d, released at %d", command, embed, release)
		}
		if k := s.last(acp.KindExecute); len(embeds(k.content)) != 1 {
			t.Errorf("%s: the finished card embeds %v", command, embeds(k.content))
		}
	}
}

func noTerminalAfterTheEnd(t *testing.T) { // the judge looks at last updates
	w := &terminals{}
	for _, s := range []*session{inMode(t, "full-access", options{caps: displayCaps}), owner(newHome(t), w, options{})} {
		for _, command := range []string{"!echo hi", "!exit 3", "!no-such-command-7f3a", bash("sleep 600") + "x"} {
			s.run(command)
		}
		turn := s.prompt(long)
		s.untilRunning()
		s.cancelled(turn)
		for _, k := range s.ofKind(acp.KindExecute) {
			for _, m := range k.history {
				for _, id := range embeds(m.update.Content) {
					if end := k.endsAt(); end < m.place {
						t.Errorf("%q embeds %s after its end", k.title, id)
					}
				}
			}
		}
	}
}

func terminalMeta(t *testing.T) { // the judge looks at ids and places
	s := open(t, options{caps: displayCaps})
	os.Mkdir(s.h.path("sub"), 0o755)
	s.run(all("!echo hi", "!exit 3", "!kill -9 $$", tool("bash", args{"command": "pwd", "workdir": "sub", "description": "Greet"})))
	for i, want := range []struct{ exit, output, cwd string }{
		{`"exit_code":0`, "hi\n", ""}, {`"exit_code":3`, "", ""}, {`KILL`, "", ""}, {`"exit_code":0`, s.h.path("sub") + "\n", "sub"},
	} {
		k := s.ofKind(acp.KindExecute)[i]
		switch {
		case k.term == nil || len(embeds(k.content)) != 1 || embeds(k.content)[0] != k.term.id:
			t.Fatalf("card %s", k.facts())
		case !has(k.term.exit, want.exit) || want.output != "" && k.term.output != want.output || k.term.cwd != s.h.path(want.cwd):
			t.Errorf("terminal %+v, want %+v", *k.term, want)
		case i < 3 && len(k.content) != 1 || i == 3 && textOf(k.content) != "Greet":
			t.Errorf("content %s", encode(k.content))
		}
	}
	plain := open(t, options{})
	plain.run(all("!echo hi", bash(`printf 'x\n\x60\x60\x60\ny\n'`)))
	for _, l := range plain.updates(0) {
		if has(l.text, `"terminal_`) {
			t.Errorf("terminal meta for a client that did not ask: %s", l.text)
		}
	}
	if text := plain.last(acp.KindExecute).text(); !regexp.MustCompile("^````+console\nx\n```\ny\n````+\\s*$").MatchString(text) {
		t.Errorf("the fence does not hold its text: %q", text)
	}
}

func charactersStayWhole(t *testing.T) {
	const split = `printf '\342'; sleep 0.1; printf '\211'; sleep 0.1; printf '\244|\360'; sleep 0.1; printf '\237\230\200|'`
	many := fmt.Sprintf(`yes 你 | head -n %d | tr -d '\n'`, 50_000)
	w := &terminals{}
	for name, s := range map[string]*session{
		"display": open(t, options{caps: displayCaps}), "fence": open(t, options{}), "owned": owner(newHome(t), w, options{}),
	} {
		s.setMode("full-access")
		s.run(all(bash(split), bash(many), bash(`printf 'a\377b\n'`)))
		shown := func(i int) string {
			if name == "owned" {
				return w.all()[i].output()
			}
			return s.ofKind(acp.KindExecute)[i].text()
		}
		if !has(shown(0), "≤|😀|") {
			t.Errorf("%s: split characters give %q", name, shown(0))
		}
		if text := shown(1); strings.ContainsRune(text, utf8.RuneError) || name != "fence" && strings.Count(text, "你") != 50_000 {
			t.Errorf("%s: %d characters in %d bytes", name, strings.Count(text, "你"), len(text))
		}
		if name != "owned" && strings.Count(shown(2), "a\ufffdb") != 1 {
			t.Errorf("%s: an invalid byte gives %q", name, shown(2))
		}
	}
}

func signalIsNoSuccess(t *testing.T) {
	for _, signal := range []string{"SIGKILL", "SIGTERM", ""} {
		s := owner(newHome(t), &terminals{status: &acp.TerminalExitStatus{Signal: signal}}, options{})
		s.run("!true")
		k := s.last(acp.KindExecute)
		shown := encode([]any{k.title, k.content, k.rawOutput, k.status})
		if regexp.MustCompile(`(?i)exit(ed)?( with)?( code| status)?:? 0\b|exit_?code\\?":\s*0`).MatchString(shown) {
			t.Errorf("%q: the card says exit 0: %s", signal, shown)
		}
		if k.status != acp.StatusFailed && signal != "" && !has(shown, signal) {
			t.Errorf("nothing says that %s ended the command: %s", signal, shown)
		}
	}
}

func cancelKillsTerminals(t *testing.T) {
	for name, end := range map[string]func(s *session){
		"session/cancel": func(s *session) { s.notify(acp.MethodSessionCancel, params{"sessionId": s.id}) },
		"session/close":  func(s *session) { s.call(acp.MethodSessionClose, params{"sessionId": s.id}, nil) },
	} {
		w := &terminals{}
		s := owner(newHome(t), w, options{})
		turn := s.prompt(long)
		s.until("a wait for the command", func() bool { return w.count(acp.MethodTerminalWait) > 0 })
		end(s)
		if got := turn.reason(); got != acp.StopCancelled {
			t.Errorf("%s: stop reason %s", name, got)
		}
		s.until("the release", func() bool { return w.count(acp.MethodTerminalRelease) == 1 })
		if w.count(acp.MethodTerminalKill) == 0 {
			t.Errorf("%s: the command was not killed", name)
		}
	}
}
