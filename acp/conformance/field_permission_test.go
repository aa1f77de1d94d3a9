package conformance

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/agent-ls/agent-ls/acp"
)

var permissionReports = []report{
	{52, questionsHoldUpNothing}, {53, cancelEndsQuestions}, {55, nobodyAnswers}, {56, pendingUntilAnswered}, {58, askedCallsEnd},
	{59, manyQuestions}, {61, optionKinds}, {62, alwaysIsRemembered},
}

func questionsHoldUpNothing(t *testing.T) {
	s := open(t, options{permission: always(answerHang)})
	turn := s.prompt(write("n.txt", "n\n"))
	q := s.untilAsked(1)
	other := s.newSession() // on the same connection, while the dialog is open
	other.run("hello")
	asking := other.prompt(write("m.txt", "m\n")) // a question of one session does not wait for that of another
	s.settle(s.untilAsked(2), choice(acp.AllowOnce))
	stop(t, asking)
	if turn.answered() {
		t.Error("the first turn is over without an answer")
	}
	s.settle(q, choice(acp.AllowOnce))
	stop(t, turn)
	if s.h.text("n.txt") != "n\n" || s.h.text("m.txt") != "m\n" {
		t.Error("the files are not there")
	}
}

func cancelEndsQuestions(t *testing.T) {
	s := open(t, options{permission: always(answerHang)})
	for i, prompt := range []string{"!echo hi", write("n.txt", "x\n"), all("!echo a", "& !echo b")} {
		turn := s.prompt(prompt)
		q := s.untilAsked(i + 1)
		s.notify(acp.MethodSessionCancel, params{"sessionId": s.id}) // and no answer to the question
		if got := turn.reason(); got != acp.StopCancelled {
			t.Errorf("stop reason %s", got)
		}
		s.until("the withdrawal of the question", func() bool { return s.withdrawn[string(q.id)] })
		s.settledCards()
	}
	s.run("hello")
	if s.h.exists("n.txt") {
		t.Error("the file was written")
	}
}

func nobodyAnswers(t *testing.T) {
	s := open(t, options{permission: always(answerHang), env: map[string]string{"AGENT_LS_PERMISSION_TIMEOUT": "1"}})
	s.run(all("!echo hi > out.txt", write("n.txt", "n\n"), "/ls"))
	for _, k := range s.cards()[:2] {
		failed(t, k)
	}
	if completed(t, s.cards()[2]); s.h.exists("out.txt") || s.h.exists("n.txt") {
		t.Error("what nobody allowed was done")
	}
	for _, q := range s.allQuestions() {
		s.until("the withdrawal of the question", func() bool { return s.withdrawn[string(q.id)] })
	}
}

func pendingUntilAnswered(t *testing.T) { // the judge finds in_progress while a question is open
	s := open(t, options{permission: always(answerHang)})
	for i, prompt := range []string{"!echo hi", write("n.txt", "n\n"), patch("*** Add File: p.txt", "+p"), "/webfetch http://127.0.0.1:9/"} {
		turn := s.prompt(prompt)
		q := s.untilAsked(i + 1)
		s.newSession() // whatever else happens
		k := s.cards()[i]
		if k.id != q.ToolCall.ToolCallID || k.announced.Status != acp.StatusPending || k.status != acp.StatusPending {
			t.Errorf("%q was announced %s and is %s while it is asked about", k.title, k.announced.Status, k.status)
		}
		s.settle(q, choice(acp.AllowOnce))
		stop(t, turn)
	}
	s.settledCards()
}

func askedCallsEnd(t *testing.T) {
	for answer, done := range map[choice]bool{
		choice(acp.AllowOnce): true, choice(acp.AllowAlways): true, choice(acp.RejectOnce): false, choice(acp.RejectAlways): false,
		answerCancelled: false, answerUnknown: false, answerError: false, answerEmpty: false,
	} {
		s := open(t, options{permission: always(answer)})
		turn := s.prompt(all("!touch made", "/ls"))
		want := acp.StopEndTurn
		if answer == answerCancelled {
			want = acp.StopCancelled
		}
		if got := turn.reason(); got != want {
			t.Errorf("%s: stop reason %s", answer, got)
		}
		k := s.last(acp.KindExecute)
		if done != (k.status == acp.StatusCompleted) || done != s.h.exists("made") || !k.over() {
			t.Errorf("%s: the card is %s, done: %v", answer, k.status, s.h.exists("made"))
		}
		if !done {
			failed(t, k)
		}
		if goesOn := len(s.cards()) == 2; goesOn == (answer == answerCancelled) {
			t.Errorf("%s: the turn goes on: %v", answer, goesOn)
		}
	}
}

func manyQuestions(t *testing.T) {
	s := open(t, options{})
	s.run(all(write("a.txt", "a\n"), "& "+write("b.txt", "b\n"), "& "+bash("touch c.txt")))
	ids := map[string]bool{}
	for _, q := range s.allQuestions() { // the judge wants each card announced
		ids[q.ToolCall.ToolCallID] = true
	}
	if len(ids) != 3 || !s.h.exists("a.txt") || !s.h.exists("b.txt") || !s.h.exists("c.txt") {
		t.Errorf("questions about %v", ids)
	}
	// Two sessions ask at once; the answers come in the other order.
	h := newHome(t)
	one := h.start(options{permission: always(answerHang)}).newSession()
	two := one.newSession()
	first, second := one.prompt(write("one.txt", "1\n")), two.prompt(write("two.txt", "2\n"))
	one.untilAsked(2)
	for _, q := range slices.Backward(one.allQuestions()) {
		one.settle(q, choice(acp.AllowOnce))
	}
	stop(t, first)
	stop(t, second)
	if h.text("one.txt") != "1\n" || h.text("two.txt") != "2\n" {
		t.Error("the answers were mixed up")
	}
}

func optionKinds(t *testing.T) { // the judge looks at kinds, ids and names
	s := open(t, options{})
	s.run(all("!true", write("n.txt", "n\n"), "!cd / && ls | head -n 1 > /dev/null", "/webfetch http://127.0.0.1:9/"))
	for _, q := range s.allQuestions() {
		for _, o := range q.Options {
			bare := strings.NewReplacer("Always", "", "always", "", "allow", "", "reject", "", "Allow", "", "Reject", "", "once", "").Replace(o.Name)
			if remembers := o.Kind == acp.AllowAlways || o.Kind == acp.RejectAlways; remembers && strings.TrimSpace(bare) == "" {
				t.Errorf("the scope is not in the name %q", o.Name)
			}
		}
	}
	for _, q := range s.allQuestions()[:2] {
		if len(q.Options) != 4 {
			t.Errorf("the options are %s", encode(q.Options))
		}
	}
}

// askedFor is how often a prompt asks.
func (s *session) askedFor(prompt string) int {
	s.t.Helper()
	before := len(s.allQuestions())
	s.run(prompt)
	return len(s.allQuestions()) - before
}

func alwaysIsRemembered(t *testing.T) {
	s := open(t, options{permission: always(acp.AllowAlways)})
	s.h.file("a.txt", "one\n")
	for _, prompt := range []string{"!touch made-once", edit("a.txt", "one", "ONE")} {
		if n := s.askedFor(prompt); n != 1 {
			t.Errorf("%s asks %d times at first", clip(prompt), n)
		}
	}
	if n := s.askedFor("!touch made-once"); n != 0 {
		t.Errorf("asked %d times again in the session", n)
	}
	if n := s.newSession().askedFor("!touch made-once"); n != 0 {
		t.Errorf("asked %d times in another session", n)
	}
	s.leave()
	again := s.h.start(options{permission: always(acp.RejectOnce)}).newSession()
	for prompt, want := range map[string]int{
		"!touch made-once": 0, edit("a.txt", "ONE", "TWO"): 0,
		"!touch made-once && rm -f made-once": 1, "!touch made-once; rm -f made-once": 1, "!touch $(rm -f made-once)": 1,
		"!touch made-once | sh": 1, "!rm -f made-once": 1, write("other.txt", "x\n"): 1,
	} {
		if n := again.askedFor(prompt); n != want {
			t.Errorf("after a restart %s asks %d times, want %d", clip(prompt), n, want)
		}
	}
	if !again.h.exists("made-once") || again.h.exists("other.txt") {
		t.Error("something ran that was not allowed")
	}
	rejectIsRemembered(t)
}

func rejectIsRemembered(t *testing.T) {
	s := open(t, options{permission: always(acp.RejectAlways)})
	counts := []int{s.askedFor("!touch never"), s.askedFor("!touch never")}
	s.leave()
	again := s.h.start(options{}).newSession()
	counts = append(counts, again.askedFor("!touch never"))
	if fmt.Sprint(counts) != "[1 0 0]" || again.h.exists("never") {
		t.Errorf("asked %v times, done: %v", counts, again.h.exists("never"))
	}
}
