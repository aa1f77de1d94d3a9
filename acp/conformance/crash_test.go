package conformance

import (
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/agent-ls/agent-ls/acp"
)

// crashPrompt shows all that a log holds: words, reads, edits, commands with
// output, a plan, a batch.
var crashPrompt = all(edit("a.txt", "line 3\n", "three\n"), "!echo one; echo two; sleep 0.02; echo three",
	write("n.txt", "new\n"), tool("todo_new", args{"todos": []args{{"content": "first"}}}), "/grep line", "& /read a.txt", "& !seq 1 300",
	patch("*** Update File: a.txt", "@@", "-line 9", "+nine"), "!sleep 0.05; exit 3", "/read missing.txt", "!seq 1 20000", "the end")

// TestCrashes kills the process in the middle of a turn, at random moments.
// Every session can be loaded again, and what was shown is a prefix of the
// replay, apart from tails of output and the closing of open cards (contract
// §8).
func TestCrashes(t *testing.T) {
	t.Parallel()
	times := 100
	if testing.Short() {
		times = 10
	}
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	random := rand.New(rand.NewPCG(seed, 0))
	for range times {
		wait := time.Duration(random.Int64N(int64(300 * time.Millisecond)))
		t.Run("", func(t *testing.T) {
			t.Parallel()
			crash(t, wait)
		})
	}
}

func crash(t *testing.T, wait time.Duration) {
	needProc(t) // to end what a killed process leaves
	s := inMode(t, "full-access", options{caps: displayCaps})
	s.h.file("a.txt", numbered(20, "line", "\n"))
	s.prompt(crashPrompt)
	s.untilScreen("the beginning of the turn", func(sc *screen) bool { return sc.title != "" })
	timer := time.NewTimer(wait)
	<-timer.C
	s.kill()
	endMarked(s.mark)

	loaded := s.h.start(options{caps: displayCaps}).load(s.id)
	loaded.settledCards()
	isPrefix(t, s, loaded)
	loaded.run("hello")
}

// isPrefix fails for something that was shown and is not in the replay.
func isPrefix(t *testing.T, shown, loaded *session) {
	t.Helper()
	before, after := shown.cards(), loaded.cards()
	if len(after) < len(before) {
		t.Fatalf("%d cards of %d are in the replay", len(after), len(before))
	}
	for i, k := range before {
		sameOrMore(t, k, after[i])
	}
	if a, b := shown.agentText(), loaded.agentText(); !strings.HasPrefix(b, a) {
		t.Errorf("the agent said %q, the replay has %q", a, b)
	}
	a, b := without(shown, roleUser), without(loaded, roleUser)
	if !strings.HasPrefix(b, a) {
		t.Errorf("what was shown is %s, the replay has %s", a, b)
	}
}

// sameOrMore compares a card at the time of the crash with its replay.
func sameOrMore(t *testing.T, before, after card) {
	t.Helper()
	if before.over() {
		if a, b := before.facts(), after.facts(); a != b {
			t.Errorf("the replay of a finished card is\n  %s, it was\n  %s", clip(b), clip(a))
		}
		return
	}
	if before.id != after.id || before.title != after.title || before.kind != after.kind || before.rawInput != after.rawInput {
		t.Errorf("the replay of an open card is\n  %s, it was\n  %s", clip(after.facts()), clip(before.facts()))
	}
	if before.term != nil && !strings.HasPrefix(after.term.output, before.term.output) {
		t.Errorf("the terminal showed %q, the replay has %q", clip(before.term.output), clip(after.term.output))
	}
	for _, d := range before.diffs() { // a planned change that was shown
		if after.status == acp.StatusCompleted && !strings.Contains(encode(after.content), encode(d)) {
			t.Errorf("the replay lacks the diff %s", encode(d))
		}
	}
}

// without is the order of what is shown but for one role.
func without(s *session, role string) string {
	var b strings.Builder
	s.see(func(sc *screen) {
		for _, item := range sc.timeline {
			if item != role {
				b.WriteString(item + " ")
			}
		}
	})
	return b.String()
}
