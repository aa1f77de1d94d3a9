package conformance

import (
	"encoding/base64"
	"path/filepath"
	"slices"
	"testing"

	"github.com/agent-ls/agent-ls/acp"
)

// long is a command that runs until it is ended.
const long = "!sleep 600"

var sessionRows = []row{
	{"SESSION-001", mandatory, func(t *testing.T) {
		if open(t, options{}).id == "" {
			t.Error("no session id")
		}
	}},
	{"SESSION-002", mandatory, func(t *testing.T) {
		s := open(t, options{})
		if s.newSession().id == s.id {
			t.Error("two sessions have one id")
		}
	}},
	{"PROMPT-001", mandatory, func(t *testing.T) { stop(t, open(t, options{}).prompt("hello there")) }},
	{"PROMPT-002", mandatory, func(t *testing.T) {
		s, turn := visit(t, options{})
		if all, own := s.lines(turn.from, isUpdate), s.updates(turn.from); len(all) == 0 || len(all) != len(own) {
			t.Errorf("%d updates, %d for the session", len(all), len(own))
		}
	}},
	{"PROMPT-003", advisory, func(t *testing.T) {
		s := open(t, options{})
		path := s.h.file("linked.txt", "linked\n")
		stop(t, s.blocks(acp.Text("hello"), acp.ResourceLink{Name: "linked.txt", URI: "file://" + path}))
	}},
	{"CANCEL-001", mandatory, func(t *testing.T) {
		s, turn := longTurn(t, options{})
		s.cancelled(turn)
	}},
	{"CANCEL-002", mandatory, func(t *testing.T) { // the judge finds late updates
		s, turn := longTurn(t, options{})
		s.cancelled(turn)
		s.answers(s.place())
		s.nothingRuns()
	}},
	{"ADDDIRS-001", capability, func(t *testing.T) {
		c := start(t, options{})
		need(t, c.init.AgentCapabilities.SessionCapabilities.AdditionalDirectories != nil, "additionalDirectories")
		c.call(acp.MethodSessionNew, params{"cwd": c.h.cwd, "mcpServers": []any{}, "additionalDirectories": []string{elsewhere(c.h)}}, nil)
	}},
	{"PROMPTCAP-001", capability, func(t *testing.T) {
		promptBlock(t, func(p acp.PromptCapabilities) bool { return p.Image }, "image", acp.ImageContent{Data: pixel, MimeType: "image/png"})
	}},
	{"PROMPTCAP-002", capability, func(t *testing.T) {
		promptBlock(t, func(p acp.PromptCapabilities) bool { return p.Audio }, "audio", acp.AudioContent{Data: pixel, MimeType: "audio/wav"})
	}},
	{"PROMPTCAP-003", capability, func(t *testing.T) {
		promptBlock(t, func(p acp.PromptCapabilities) bool { return p.EmbeddedContext }, "embeddedContext",
			acp.EmbeddedResource{Resource: acp.TextResourceContents{URI: "file:///embedded.txt", Text: "embedded", MimeType: "text/plain"}})
	}},
}

// pixel is a PNG of one pixel.
const pixel = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="

func pixelBytes() string {
	b, err := base64.StdEncoding.DecodeString(pixel)
	if err != nil {
		panic(err)
	}
	return string(b)
}

func isUpdate(l *line) bool { return l.update != nil }

// need skips a row that is about what the agent does not offer.
func need(t *testing.T, offered bool, name string) {
	t.Helper()
	if !offered {
		t.Skipf("%s is not offered", name)
	}
}

// longTurn is a turn that runs, in a mode that asks.
func longTurn(t *testing.T, o options) (*session, *turn) {
	t.Helper()
	s := open(t, o)
	turn := s.prompt(long)
	s.untilRunning()
	return s, turn
}

// promptBlock sends a block if the agent takes it; what it does not take is
// refused with -32602.
func promptBlock(t *testing.T, offered func(acp.PromptCapabilities) bool, name string, block acp.ContentBlock) {
	s := open(t, options{})
	turn := s.blocks(acp.Text("hello"), block)
	if !offered(s.init.AgentCapabilities.PromptCapabilities) {
		if m := turn.wait(); m.Error == nil || m.Error.Code != -32602 {
			t.Errorf("%s is not offered, yet the answer is %+v", name, m)
		}
		need(t, false, name)
	}
	stop(t, turn)
}

// reopened is a session with one turn, in a new process of the same user that
// has not opened it yet.
func reopened(t *testing.T) (c *client, id string) {
	t.Helper()
	s, _ := visit(t, options{})
	s.leave()
	return s.h.start(options{}), s.id
}

// ofHistory says whether a line is a replayed update.
func ofHistory(l *line) bool {
	switch l.update.(type) {
	case acp.UserMessageChunk, acp.AgentMessageChunk, acp.AgentThoughtChunk, acp.ToolCall, acp.ToolCallUpdate, acp.Plan:
		return true
	}
	return false
}

var storedRows = []row{
	{"LOAD-001", capability, func(t *testing.T) {
		c, id := reopened(t)
		need(t, c.init.AgentCapabilities.LoadSession, "loadSession")
		c.load(id)
	}},
	{"LOAD-002", capability, func(t *testing.T) {
		c, id := reopened(t)
		need(t, c.init.AgentCapabilities.LoadSession, "loadSession")
		k := c.request(acp.MethodSessionLoad, params{"sessionId": id, "cwd": c.h.cwd, "mcpServers": []any{}})
		k.wait()
		c.answers(c.place())
		before := len(c.lines(k.from, ofHistory))
		if late := c.lines(k.to, ofHistory); before == 0 || len(late) > 0 {
			t.Errorf("%d updates of the replay, %d of them after the answer", before, len(late))
		}
	}},
	{"LOAD-003", advisory, func(t *testing.T) { // the judge wants an object
		c, id := reopened(t)
		need(t, c.init.AgentCapabilities.LoadSession, "loadSession")
		c.load(id)
	}},
	{"RESUME-001", capability, func(t *testing.T) {
		c, id := reopened(t)
		need(t, c.init.AgentCapabilities.SessionCapabilities.Resume != nil, "resume")
		c.call(acp.MethodSessionResume, params{"sessionId": id, "cwd": c.h.cwd}, nil)
	}},
	{"RESUME-002", capability, func(t *testing.T) {
		c, id := reopened(t)
		need(t, c.init.AgentCapabilities.SessionCapabilities.Resume != nil, "resume")
		k := c.request(acp.MethodSessionResume, params{"sessionId": id, "cwd": c.h.cwd})
		k.wait()
		c.answers(c.place())
		if got := c.lines(k.from, ofHistory); len(got) > 0 {
			t.Errorf("history was shown: %s", got[0].text)
		}
		s := &session{client: c, id: id}
		s.run("/read a.txt")
	}},
	{"LIST-001", capability, func(t *testing.T) {
		s, _ := visit(t, options{})
		need(t, s.init.AgentCapabilities.SessionCapabilities.List != nil, "list")
		if ids := s.list(params{}); !slices.Contains(ids, s.id) {
			t.Errorf("the list holds %v", ids)
		}
	}},
	{"LIST-002", capability, func(t *testing.T) {
		s, _ := visit(t, options{})
		need(t, s.init.AgentCapabilities.SessionCapabilities.List != nil, "list")
		if ids := s.list(params{"cwd": filepath.Join(s.h.root, "nobody-works-here")}); len(ids) > 0 {
			t.Errorf("the list holds %v", ids)
		}
	}},
	{"DELETE-001", capability, func(t *testing.T) {
		s, _ := visit(t, options{})
		need(t, s.init.AgentCapabilities.SessionCapabilities.Delete != nil, "delete")
		s.call(acp.MethodSessionDelete, params{"sessionId": s.id}, nil)
		if ids := s.list(params{}); slices.Contains(ids, s.id) {
			t.Error("the deleted session is in the list")
		}
	}},
	{"DELETE-002", advisory, func(t *testing.T) {
		s, _ := visit(t, options{})
		need(t, s.init.AgentCapabilities.SessionCapabilities.Delete != nil, "delete")
		for _, id := range []string{s.id, s.id, unknownSession} {
			s.call(acp.MethodSessionDelete, params{"sessionId": id}, nil)
		}
	}},
	{"CLOSE-001", capability, func(t *testing.T) {
		s := open(t, options{})
		need(t, s.init.AgentCapabilities.SessionCapabilities.Close != nil, "close")
		s.call(acp.MethodSessionClose, params{"sessionId": s.id}, nil)
	}},
	{"CLOSE-002", capability, func(t *testing.T) {
		s, turn := longTurn(t, options{})
		need(t, s.init.AgentCapabilities.SessionCapabilities.Close != nil, "close")
		s.call(acp.MethodSessionClose, params{"sessionId": s.id}, nil)
		if got := turn.reason(); got != acp.StopCancelled {
			t.Errorf("the prompt of a closed session ended with %s", got)
		}
	}},
}

// list asks for the ids of sessions.
func (c *client) list(p params) []string {
	c.t.Helper()
	var r acp.ListSessionsResponse
	c.call(acp.MethodSessionList, p, &r)
	var ids []string
	for _, i := range r.Sessions {
		ids = append(ids, i.SessionID)
	}
	return ids
}
