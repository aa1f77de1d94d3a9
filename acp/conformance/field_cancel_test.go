package conformance

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/agent-ls/agent-ls/acp"
)

var cancelReports = []report{{46, cancelIsNoEnd}, {47, endIsNoCancel}, {49, cancelKeepsTheSession}, {50, cancelRacesTheEnd}}

// scripted is a session whose model plays a script (contract §2).
func scripted(t *testing.T, script string, o options) *session {
	t.Helper()
	h := newHome(t)
	return h.scripted(script, o)
}

func (h *home) scripted(script string, o options) *session {
	h.t.Helper()
	path := filepath.Join(h.root, "script.json")
	if err := os.WriteFile(path, []byte(script), 0o600); err != nil {
		h.t.Fatal(err)
	}
	o.env = map[string]string{"AGENT_LS_MODEL": "script:" + path}
	return h.start(o).newSession()
}

// step is a step of a script.
type step = map[string]any

// turnsOf is a script of turns.
func turnsOf(turns ...[]step) string {
	var list []map[string]any
	for _, steps := range turns {
		list = append(list, map[string]any{"steps": steps})
	}
	return encode(map[string]any{"turns": list})
}

func cancelIsNoEnd(t *testing.T) {
	s, turn := longTurn(t, options{})
	s.noUsage(turn)
	asking := open(t, options{permission: always(answerHang)})
	turn = asking.prompt("!echo hi")
	asking.untilAsked(1)
	asking.noUsage(turn)
	thinking := scripted(t, turnsOf([]step{{"think": "hm"}, {"wait_ms": 600_000}, {"say": "done"}}), options{})
	turn = thinking.prompt("go")
	thinking.untilScreen("a thought", func(sc *screen) bool { return len(sc.messages) > 0 })
	thinking.noUsage(turn)
	batch := inMode(t, "full-access", options{})
	turn = batch.prompt(all("!sleep 600", "& !sleep 601", "& !sleep 602"))
	batch.untilScreen("three calls that run", func(sc *screen) bool {
		return len(sc.cards) == 3 && !slices.ContainsFunc(sc.cards, func(k *card) bool { return k.status != acp.StatusInProgress })
	})
	batch.noUsage(turn)
	batch.nothingRuns()
}

// noUsage cancels a turn; its answer holds the stop reason alone, and nothing
// tells of usage that was not.
func (s *session) noUsage(turn *turn) {
	s.t.Helper()
	s.cancelled(turn)
	if got := string(turn.wait().Result); got != `{"stopReason":"cancelled"}` {
		s.t.Errorf("the answer is %s", got)
	}
	s.see(func(sc *screen) {
		for _, u := range sc.usage {
			if u.Used == 0 {
				s.t.Error("a usage of nothing is reported")
			}
		}
	})
}

func endIsNoCancel(t *testing.T) {
	s, turn := longTurn(t, options{})
	s.cancelled(turn)
	s.h.file("a.txt", "a\n")
	for _, prompt := range []string{"/read a.txt", "hello", "!true", "!exit 4", "!kill -9 $$", "/read missing.txt"} {
		s.run(prompt) // which wants end_turn
		s.cancel()
	}
}

func cancelKeepsTheSession(t *testing.T) {
	s := open(t, options{})
	s.h.file("a.txt", "MARK-A\n")
	s.run("/read a.txt")
	turn := s.prompt("!echo before; sleep 600")
	s.untilRunning()
	s.cancelled(turn)
	s.run("!echo after-it")
	s = s.reload(options{})
	s.see(func(sc *screen) {
		var prompts []string
		for _, m := range sc.messages {
			if m.role == roleUser {
				prompts = append(prompts, m.text)
			}
		}
		if fmt.Sprint(prompts) != "[/read a.txt !echo before; sleep 600 !echo after-it]" {
			t.Errorf("prompts in the history: %q", prompts)
		}
	})
	var statuses []acp.ToolCallStatus
	for _, k := range s.cards() {
		statuses = append(statuses, k.status)
	}
	if fmt.Sprint(statuses) != "[completed failed completed]" {
		t.Errorf("cards in the history: %v", statuses)
	}
	s.run("/read a.txt")
}

// cancelRacesTheEnd cancels at about the time at which the turn ends by itself.
// The judge finds second answers and late updates.
func cancelRacesTheEnd(t *testing.T) {
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	random := rand.New(rand.NewPCG(seed, 0))
	s := inMode(t, "full-access", options{})
	for range 24 {
		turn := s.prompt("!sleep 0.02")
		timer := time.NewTimer(time.Duration(random.IntN(60)) * time.Millisecond)
		<-timer.C
		s.cancel()
		if got := turn.reason(); got != acp.StopCancelled && got != acp.StopEndTurn {
			t.Errorf("stop reason %s", got)
		}
		s.settledCards()
	}
	s.run("hello")
}
