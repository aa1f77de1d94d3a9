package host_test

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/agent-ls/agent-ls/acp"
	"github.com/agent-ls/agent-ls/acp/host"
	"github.com/agent-ls/agent-ls/agent"
	"github.com/agent-ls/agent-ls/presentation"
)

func TestSessionIDs(t *testing.T) {
	id := host.SessionID("claude", "5b7c-x")
	name, own, ok := host.ParseSessionID(id)
	if !ok || name != "claude" || own != "5b7c-x" || strings.Trim(id, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-") != "" {
		t.Errorf("%q is %q %q %t", id, name, own, ok)
	}
	if host.SessionID("claude", strings.Repeat("x", 100)) != "" {
		t.Error("an id that does not fit a file's name")
	}
	for _, other := range []string{"5b7c", "acp_", "acp_###"} {
		if _, _, ok := host.ParseSessionID(other); ok {
			t.Errorf("%q is an id", other)
		}
	}
}

// keeper is a bed whose agent keeps one session itself, in which it tells of a
// conversation with an edit.
func keeper(t *testing.T) *bed {
	b := newBed(t)
	b.agent.Hello.AgentCapabilities = acp.AgentCapabilities{
		LoadSession: true, SessionCapabilities: acp.SessionCapabilities{List: &acp.Marker{}, Resume: &acp.Marker{}, Delete: &acp.Marker{}, Fork: &acp.Marker{}},
	}
	b.agent.Known, b.agent.Log = filepath.Join(b.state, "known"), filepath.Join(b.state, "log")
	if err := os.WriteFile(b.agent.Known, []byte("theirs-0"), 0o600); err != nil {
		t.Fatal(err)
	}
	b.write("a.txt", "ONE\n")
	for _, u := range []string{
		`{"sessionUpdate":"user_message_chunk","content":{"type":"text","text":"make it "}}`,
		`{"sessionUpdate":"user_message_chunk","content":{"type":"text","text":"loud"}}`,
		`{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"I do"}}`,
		sprintf(`{"sessionUpdate":"tool_call","toolCallId":"t1","title":"Edit a.txt","kind":"edit","status":"completed","content":[{"type":"diff","path":?,"oldText":"one\n","newText":"ONE\n"}]}`, b.path("a.txt")),
		`{"sessionUpdate":"user_message_chunk","content":{"type":"text","text":"thanks"}}`,
		`{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"welcome"}}`,
	} {
		b.agent.Replay = append(b.agent.Replay, json.RawMessage(u))
	}
	return b
}

// adopt imports a session of the agent.
func (b *bed) adopt(own string) ([]agent.Record, error) {
	b.Helper()
	id := host.SessionID("fake", own)
	s, history, err := b.hub.Import(b.Context(), id, b.options(), func(s *agent.Session) (agent.Driver, error) {
		return s.Driver().(*host.Driver).Adopt(own, nil, nil), nil
	})
	b.session = s
	return history, err
}

// outline is what was said and done, in order.
func outline(records []agent.Record) (out []string) {
	for _, r := range records {
		switch e := r.Event.(type) {
		case agent.UserMessage:
			out = append(out, "user: "+agent.PromptText(e.Blocks))
		case agent.AgentText:
			out = append(out, "agent: "+e.Text)
		case agent.ToolCallFinished:
			d, _ := e.View.(*presentation.DiffResult)
			if d != nil && len(d.Diffs) == 1 {
				out = append(out, "diff: "+*d.Diffs[0].OldText+d.Diffs[0].NewText)
			}
		}
	}
	return out
}

// TestSessionsOfTheAgent: those that it keeps are listed, and one that is opened
// becomes ours with what was said in it; nothing of it counts as a change of now.
func TestSessionsOfTheAgent(t *testing.T) {
	b := keeper(t)
	b.start()
	list, err := b.host.Sessions(t.Context(), b.dir)
	if err != nil || len(list) != 2 || list[1].ID != host.SessionID("fake", "theirs-0") || list[1].Title != "Theirs" || list[1].Updated.Year() != 2026 {
		t.Fatalf("%+v, %v", list, err)
	}
	history, err := b.adopt("theirs-0")
	if err != nil {
		t.Fatal(err)
	}
	want := "user: make it loud\n|agent: I do|diff: oneONE|user: thanks\n|agent: welcome"
	if got := strings.Join(outline(history), "|"); got != want {
		t.Errorf("history %q, want %q", got, want)
	}
	if i := b.session.Info(); i.Title != "make it loud" || i.Twin != list[1].ID || len(b.ledger.all()) != 0 {
		t.Errorf("%+v, changes %+v", i, b.ledger.all())
	}
	if said := b.must(update(`{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"on"}}`)); said != "on" {
		t.Errorf("it goes on with %q", said)
	}
	all, _, err := b.hub.List("", "", 0, list...)
	if err != nil || len(all) != 2 {
		t.Errorf("listed %+v, %v", all, err)
	}
	b.session.Close()
	_, stored, err := b.hub.Store().Read(list[1].ID)
	if err != nil || strings.Join(outline(stored), "|") != want+"|user: [{\"update\":{\"sessionUpdate\":\"agent_message_chunk\",\"content\":{\"type\":\"text\",\"text\":\"on\"}}}]\n|agent: on" {
		t.Errorf("stored %q, %v", outline(stored), err)
	}
	if own, err := b.host.Fork(t.Context(), "theirs-0", b.dir); own != "theirs-0" || err != nil || !b.host.Forks() {
		t.Errorf("fork %q, %v", own, err)
	}
	if ok, err := b.host.Delete(t.Context(), "theirs-0"); !ok || err != nil || count(b.methods(), acp.MethodSessionDelete) != 1 {
		t.Errorf("delete %t, %v", ok, err)
	}
}

// TestNoSuchSessionOfTheAgent: nothing is left of one that cannot be opened.
func TestNoSuchSessionOfTheAgent(t *testing.T) {
	b := keeper(t)
	b.start()
	if _, err := b.adopt("unknown"); !errors.Is(err, agent.ErrUnknownSession) {
		t.Errorf("an unknown one: %v", err)
	}
	if all, _, err := b.hub.List("", "", 0); err != nil || len(all) != 0 {
		t.Errorf("left %+v, %v", all, err)
	}
	b = keeper(t)
	b.agent.Hello.AgentCapabilities = acp.AgentCapabilities{}
	b.start()
	if list, err := b.host.Sessions(t.Context(), b.dir); len(list) != 0 || err != nil || b.host.Forks() {
		t.Errorf("an agent without sessions lists %+v, %v", list, err)
	}
	if _, err := b.adopt("theirs-0"); !errors.Is(err, agent.ErrUnknownSession) {
		t.Errorf("an agent that cannot: %v", err)
	}
	if ok, err := b.host.Delete(t.Context(), "theirs-0"); ok || err != nil {
		t.Errorf("delete %t, %v", ok, err)
	}
}
