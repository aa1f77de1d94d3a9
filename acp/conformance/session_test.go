package conformance

import (
	"slices"
	"testing"

	"github.com/agent-ls/agent-ls/acp"
)

// session is a session as its client uses it.
type session struct {
	*client
	id   string
	made acp.NewSessionResponse
}

// open starts a client with one session.
func open(t testing.TB, o options) *session {
	t.Helper()
	return start(t, o).newSession()
}

// inMode is open with a mode set.
func inMode(t testing.TB, mode string, o options) *session {
	t.Helper()
	s := open(t, o)
	s.setMode(mode)
	return s
}

func (c *client) newSession() *session {
	c.t.Helper()
	s := &session{client: c}
	c.call(acp.MethodSessionNew, params{"cwd": c.h.cwd, "mcpServers": []any{}}, &s.made)
	s.id = s.made.SessionID
	return s
}

// load opens a stored session, with its replay.
func (c *client) load(id string) *session {
	c.t.Helper()
	c.call(acp.MethodSessionLoad, params{"sessionId": id, "cwd": c.h.cwd, "mcpServers": []any{}}, nil)
	return &session{client: c, id: id}
}

// reload leaves and loads the session in a new process of the same user.
func (s *session) reload(o options) *session {
	s.t.Helper()
	s.leave()
	return s.h.start(o).load(s.id)
}

func (s *session) setMode(mode string) {
	s.t.Helper()
	s.call(acp.MethodSetMode, params{"sessionId": s.id, "modeId": mode}, nil)
}

// turn is one prompt.
type turn struct {
	*call
	s *session
}

// blocks starts a turn.
func (s *session) blocks(blocks ...acp.ContentBlock) *turn {
	return &turn{s.request(acp.MethodSessionPrompt, acp.PromptRequest{SessionID: s.id, Prompt: blocks}), s}
}

// prompt starts a turn.
func (s *session) prompt(text string) *turn { return s.blocks(acp.Text(text)) }

// reason waits for the end of a turn that must not be an error.
func (t *turn) reason() acp.StopReason {
	t.s.t.Helper()
	m := t.wait()
	if m.Error != nil {
		t.s.t.Fatalf("session/prompt: %v", m.Error)
	}
	var r acp.PromptResponse
	if err := acp.Decode(m.Result, &r); err != nil {
		t.s.t.Fatal(err)
	}
	return r.StopReason
}

// run runs a turn that must end by itself.
func (s *session) run(text string) *turn {
	s.t.Helper()
	t := s.prompt(text)
	if got := t.reason(); got != acp.StopEndTurn {
		s.t.Fatalf("the turn ended with %s", got)
	}
	return t
}

// cancel sends session/cancel and, as a good client, answers the open
// questions of the session.
func (s *session) cancel() {
	s.notify(acp.MethodSessionCancel, params{"sessionId": s.id})
	for _, q := range s.openQuestions(s.id) {
		s.settle(q, answerCancelled)
	}
}

// cancelled cancels a turn and checks its outcome.
func (s *session) cancelled(t *turn) {
	s.t.Helper()
	s.cancel()
	if got := t.reason(); got != acp.StopCancelled {
		s.t.Errorf("stop reason %s, want cancelled", got)
	}
	s.settledCards()
}

// settledCards fails for a card that is still open.
func (s *session) settledCards() {
	s.t.Helper()
	for _, k := range s.cards() {
		if !k.over() {
			s.t.Errorf("card %q is left %s", k.title, k.status)
		}
	}
}

// cards are the cards so far, in order.
func (s *session) cards() []card {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.screen(s.id).copyCards()
}

// ofKind are the cards of some kinds.
func (s *session) ofKind(kinds ...acp.ToolKind) []card {
	return slices.DeleteFunc(s.cards(), func(k card) bool { return !slices.Contains(kinds, k.kind) })
}

// last is the newest card of some kinds; there must be one.
func (s *session) last(kinds ...acp.ToolKind) card {
	s.t.Helper()
	all := s.ofKind(kinds...)
	if len(all) == 0 {
		s.t.Fatalf("no card of %v\n%s", kinds, s.trace())
	}
	return all[len(all)-1]
}

// lastEdit is the newest card of a change.
func (s *session) lastEdit() card {
	s.t.Helper()
	return s.last(acp.KindEdit, acp.KindDelete, acp.KindMove)
}

// see gives the accumulated state of the session to look.
func (s *session) see(look func(*screen)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	look(s.screen(s.id))
}

// untilScreen waits until the session looks as told.
func (s *session) untilScreen(what string, is func(*screen) bool) {
	s.t.Helper()
	s.until(what, func() bool { return is(s.screen(s.id)) })
}

// untilRunning waits until the newest card runs.
func (s *session) untilRunning() {
	s.t.Helper()
	s.untilScreen("a running call", func(sc *screen) bool {
		n := len(sc.cards)
		return n > 0 && sc.cards[n-1].status == acp.StatusInProgress
	})
}

// updates are the updates of the session at or after a place.
func (s *session) updates(from int) []line {
	return s.lines(from, func(l *line) bool { return l.session == s.id && l.update != nil })
}

// agentText is what the agent has said.
func (s *session) agentText() string {
	var text string
	s.see(func(sc *screen) {
		for _, m := range sc.messages {
			if m.role == roleAgent {
				text += m.text
			}
		}
	})
	return text
}
