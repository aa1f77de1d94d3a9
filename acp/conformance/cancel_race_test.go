package conformance

import (
	"fmt"
	"math/rand/v2"
	"regexp"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/agent-ls/agent-ls/acp"
)

// racePrompts are what is cancelled: commands and their trees, edits that ask,
// batches, searches, words.
var racePrompts = []string{
	"!sleep 0.02", "!echo a; sleep 600", "!seq 1 100000", "!sleep 601 & sleep 602 & wait", "!trap '' TERM INT; sleep 0.03",
	write("race.txt", "x\n"), edit("a.txt", "line 7\n", "seven\n"), all("/read a.txt", "& !sleep 603", "& /grep line"),
	"/grep line", "just words", all("!true", "!true", "!true", "!sleep 604"),
	tool("todo_new", args{"todos": []args{{"content": "x"}}}), patch("*** Add File: p.txt", "+p"),
}

// TestRandomCancels cancels prompts at random moments in several sessions of
// one connection. Each is answered once, leaves no card open, and has no update
// after its answer, which the judge finds; in the end no process, descriptor or
// goroutine is left.
func TestRandomCancels(t *testing.T) {
	t.Parallel()
	const sessions = 8
	total := 1000
	if testing.Short() {
		total = 100
	}
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	c := start(t, options{caps: displayCaps, permission: lateAnswers(seed), tolerate: []rule{ruleLate}})
	c.h.file("a.txt", numbered(2000, "line", "\n"))
	before := afterOneRound(c)

	var wg sync.WaitGroup
	for i := range sessions {
		s := c.newSession()
		if i%2 == 0 {
			s.setMode("full-access")
		}
		random := rand.New(rand.NewPCG(seed, uint64(i)))
		wg.Go(func() {
			for range total / sessions {
				if err := s.cancelAtRandom(random); err != nil {
					t.Error(err)
					return
				}
			}
			s.call(acp.MethodSessionClose, params{"sessionId": s.id}, nil)
		})
	}
	wg.Wait()
	c.lateQuestions()
	c.nothingRuns()
	if !poll(func() bool { return len(descriptors(c.cmd.Process.Pid)) <= len(before) }) {
		t.Errorf("descriptors\n  %v, before there were\n  %v", descriptors(c.cmd.Process.Pid), before)
	}
	c.sameGoroutines()
}

// lateQuestions wants that each question that a cancel overtook on its way was
// taken back.
func (c *client) lateQuestions() {
	c.t.Helper()
	for _, q := range c.allQuestions() {
		c.until("the end of a question", func() bool { return q.settled })
	}
}

// lateAnswers is a user who mostly answers at once and sometimes never.
func lateAnswers(seed uint64) policy {
	var mu sync.Mutex
	random := rand.New(rand.NewPCG(seed, 1<<32))
	return func(*question) choice {
		mu.Lock()
		defer mu.Unlock()
		return []choice{choice(acp.AllowOnce), choice(acp.AllowOnce), choice(acp.RejectOnce), answerHang}[random.IntN(4)]
	}
}

// afterOneRound lets the program do once what it will do often, and returns the
// descriptors that it then has.
func afterOneRound(c *client) map[string]string {
	c.t.Helper()
	s := c.newSession()
	s.setMode("full-access")
	turn := s.prompt(long)
	s.untilRunning()
	s.cancelled(turn)
	s.call(acp.MethodSessionClose, params{"sessionId": s.id}, nil)
	c.nothingRuns()
	return descriptors(c.cmd.Process.Pid)
}

// cancelAtRandom runs a prompt and cancels it within 50 ms. It is for
// goroutines that may not end the test.
func (s *session) cancelAtRandom(random *rand.Rand) error {
	prompt := racePrompts[random.IntN(len(racePrompts))]
	turn := s.prompt(prompt)
	timer := time.NewTimer(time.Duration(random.Int64N(int64(50 * time.Millisecond))))
	<-timer.C
	s.cancel()
	if !s.await(func() bool { return turn.answer != nil }) {
		return fmt.Errorf("no answer to %s after a cancel\n%s", clip(prompt), s.trace())
	}
	if m := turn.answer; m.Error != nil || !strings.Contains(string(m.Result), "cancelled") && !strings.Contains(string(m.Result), "end_turn") {
		return fmt.Errorf("%s was answered %s %v", clip(prompt), m.Result, m.Error)
	}
	for _, k := range s.cards() {
		if !k.over() {
			return fmt.Errorf("card %q of %s is left %s", k.title, clip(prompt), k.status)
		}
	}
	return nil
}

// sameGoroutines ends the process by a signal that makes it print its
// goroutines, and compares them with those of a process that has done nothing
// but open and close a session.
func (c *client) sameGoroutines() {
	c.t.Helper()
	got := c.goroutines() // it ends, so that the other is alone on the folder as it was
	idle := c.h.start(options{caps: c.o.caps})
	afterOneRound(idle)
	want := idle.goroutines()
	if len(got) > len(want) {
		c.t.Errorf("%d goroutines are left, an idle process has %d:\n%s", len(got), len(want), strings.Join(got, "\n\n"))
	}
}

var goroutine = regexp.MustCompile(`(?m)^goroutine \d+ (gp=\S+ m=\S+ (mp=\S+ )?)?\[`)

// goroutines ends the process and returns the stacks of its goroutines.
func (c *client) goroutines() []string {
	c.t.Helper()
	c.mu.Lock()
	c.killed = true
	c.mu.Unlock()
	c.o.tolerate = append(c.o.tolerate, ruleStderr)
	c.cmd.Process.Signal(syscall.SIGQUIT)
	c.until("the end of the process", func() bool { return c.ended })
	dump := c.stderr()
	at := goroutine.FindAllStringIndex(dump, -1)
	if len(at) == 0 {
		c.t.Fatalf("no goroutines in %s", clip(dump))
	}
	var stacks []string
	for i, a := range at {
		end := len(dump)
		if i+1 < len(at) {
			end = at[i+1][0]
		}
		if stack := dump[a[0]:end]; !strings.Contains(stack, "created by runtime.") && !strings.HasPrefix(stack, "goroutine 0 ") { // the runtime's own come and go
			stacks = append(stacks, strings.TrimSpace(stack))
		}
	}
	return stacks
}
