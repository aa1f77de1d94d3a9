package agent

import (
	"strings"
	"testing"

	"github.com/agent-ls/agent-ls/acp"
	"github.com/agent-ls/agent-ls/agent"
)

// TestNoticesBetweenTurns: a client that shows no notices is told of a warning
// with the next turn, since text has no other place (acp.md §5).
func TestNoticesBetweenTurns(t *testing.T) {
	c := start(t, setup{})
	id := c.newSession()
	session, _ := c.hub.Get(id)
	// What comes before the session is open is told when it opens.
	c.wait("the open session", func() bool { return c.wire.find(0, id, "available_commands_update") >= 0 })
	for range maxHeld + 5 {
		session.Notify(agent.Notice{Severity: "warning", Title: "The server is gone"})
	}
	session.Notify(agent.Notice{Severity: "info", Title: "Only so you know"})
	c.call(acp.MethodSetMode, acp.SetSessionModeRequest{SessionID: id, ModeID: "read-only"}, nil)
	c.see(id, func(s *screen) {
		if len(s.messages) > 0 {
			t.Errorf("said outside of a turn: %q", s.messages)
		}
	})
	for turn, want := range []int{maxHeld, maxHeld} { // once, not once a turn
		c.prompt(id, "hello")
		c.see(id, func(s *screen) {
			text := strings.Join(s.messages, " ")
			if got := strings.Count(text, "The server is gone"); got != want || strings.Contains(text, "Only so you know") {
				t.Errorf("turn %d: the warning is said %d times, want %d, in %q", turn, got, want, text)
			}
		})
	}
}
