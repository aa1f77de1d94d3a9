package agent

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"go.lsp.dev/jsonrpc2"

	"github.com/agent-ls/agent-ls/acp"
	"github.com/agent-ls/agent-ls/agent"
)

// TestNothingBeforeTheAnswer: the first line that names a new session is its
// response (field report 65).
func TestNothingBeforeTheAnswer(t *testing.T) {
	c := start(t, setup{options: Options{MCP: func(_ context.Context, s *agent.Session, _ []acp.McpServer) {
		s.Notify(agent.Notice{Severity: "warning", Title: "early"})
	}}, caps: acp.ClientCapabilities{Session: &acp.ClientSessionCapabilities{Notices: &acp.Marker{}}}})
	var r acp.NewSessionResponse
	c.call(acp.MethodSessionNew, acp.NewSessionRequest{Cwd: c.cwd, McpServers: []acp.McpServer{acp.McpServerStdio{Name: "n"}}}, &r)
	c.until(r.SessionID, "the early notice", func(s *screen) bool { return len(s.notices) == 1 && s.notices[0] == "early" })
	if first := c.wire.find(0, r.SessionID); first != c.wire.find(0, r.SessionID, `"result"`) {
		t.Errorf("line %d names the session first", first)
	}
	if c.wire.find(0, r.SessionID, "available_commands_update") < 0 {
		t.Error("no commands after session/new")
	}
	if r.Modes.CurrentModeID != "ask" || len(r.Modes.AvailableModes) != 4 || len(r.ConfigOptions) != 2 {
		t.Errorf("%+v", r)
	}
}

func TestServersThatAreNotUsed(t *testing.T) {
	for _, caps := range []acp.ClientCapabilities{{}, {Session: &acp.ClientSessionCapabilities{Notices: &acp.Marker{}}}} {
		c := start(t, setup{caps: caps})
		var r acp.NewSessionResponse
		c.call(acp.MethodSessionNew, acp.NewSessionRequest{Cwd: c.cwd, McpServers: []acp.McpServer{acp.McpServerHTTP{Name: "n", URL: "http://x"}}}, &r)
		c.until(r.SessionID, "a word about the servers", func(s *screen) bool {
			return strings.Contains(strings.Join(append(s.notices, s.messages...), " "), "MCP servers of this session are not used")
		})
	}
}

// TestServersThatSayNothing are told of, and the session opens all the same.
func TestServersThatSayNothing(t *testing.T) {
	c := start(t, setup{caps: acp.ClientCapabilities{Session: &acp.ClientSessionCapabilities{Notices: &acp.Marker{}}}})
	var r acp.NewSessionResponse
	c.call(acp.MethodSessionNew, map[string]any{"cwd": c.cwd, "mcpServers": []any{map[string]any{"name": "nocmd"}, 7}}, &r)
	c.until(r.SessionID, "a word about the servers", func(s *screen) bool {
		return strings.Contains(strings.Join(s.notices, " "), "MCP servers left out: 2")
	})
}

// TestFoldersThatAreNotThere are told of, whether they are missing or files.
func TestFoldersThatAreNotThere(t *testing.T) {
	c := start(t, setup{caps: acp.ClientCapabilities{Session: &acp.ClientSessionCapabilities{Notices: &acp.Marker{}}}})
	missing, file := filepath.Join(c.cwd, "missing"), filepath.Join(c.cwd, "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	var r acp.NewSessionResponse
	c.call(acp.MethodSessionNew, acp.NewSessionRequest{Cwd: missing, AdditionalDirectories: []string{c.cwd, file}, McpServers: []acp.McpServer{}}, &r)
	c.until(r.SessionID, "a word about both", func(s *screen) bool {
		all := strings.Join(s.notices, " ")
		return strings.Contains(all, missing+" is not there") && strings.Contains(all, file+" is not there")
	})
	c.see(r.SessionID, func(s *screen) {
		if len(s.notices) != 2 {
			t.Errorf("%q", s.notices)
		}
	})
}

func TestModesAndOptionsAreInStep(t *testing.T) {
	c := start(t, setup{models: []agent.ModelInfo{{ID: "big", Name: "Big", Description: "d"}}})
	s := c.newSession()
	c.call(acp.MethodSetMode, acp.SetSessionModeRequest{SessionID: s, ModeID: "read-only"}, nil)
	value := func(options []acp.SessionConfigOption, id string) string {
		for _, o := range options {
			if o, ok := o.(acp.SessionConfigSelect); ok && o.ID == id {
				return o.CurrentValue
			}
		}
		return "none"
	}
	c.see(s, func(s *screen) {
		if s.mode != "read-only" || value(s.options, "mode") != "read-only" || len(s.options) != 2 {
			t.Errorf("mode %s, options %+v, before the answer", s.mode, s.options)
		}
		s.commands = []acp.AvailableCommand{{Name: "old"}}
	})
	var r acp.SetSessionConfigOptionResponse
	c.call(acp.MethodSetConfigOption, acp.SetSessionConfigOptionRequest{SessionID: s, ConfigID: "mode", Value: json.RawMessage(`"full-access"`)}, &r)
	if value(r.ConfigOptions, "mode") != "full-access" || value(r.ConfigOptions, "model") != "direct" {
		t.Errorf("%+v", r)
	}
	c.see(s, func(s *screen) {
		if s.mode != "full-access" {
			t.Errorf("mode %s", s.mode)
		}
	})
	c.call(acp.MethodSetConfigOption, acp.SetSessionConfigOptionRequest{SessionID: s, ConfigID: "model", Value: json.RawMessage(`"big"`)}, &r)
	c.see(s, func(s *screen) {
		if value(r.ConfigOptions, "model") != "big" || value(s.options, "model") != "big" {
			t.Errorf("model %s, shown %s", value(r.ConfigOptions, "model"), value(s.options, "model"))
		}
		if len(s.commands) != 0 {
			t.Errorf("a model that is no program has the commands %v", s.commands)
		}
	})
}

// TestLoadShowsWhatWas: the cards of a loaded session are those that were shown
// live, all before the answer; resume shows nothing.
func TestLoadShowsWhatWas(t *testing.T) {
	for name, caps := range map[string]acp.ClientCapabilities{
		"displayed": {Meta: acp.NewMeta("terminal_output", true)}, "fenced": {},
	} {
		t.Run(name, func(t *testing.T) {
			state := t.TempDir()
			first := start(t, setup{driver: richTurn, caps: caps, state: state})
			s := first.newSession()
			first.prompt(s, "do it")
			var live *screen
			first.see(s, func(s *screen) { live = s })
			first.call(acp.MethodSessionClose, acp.SessionRequest{SessionID: s}, nil)
			first.refused(acp.CodeNotFound, acp.MethodSessionPrompt, promptOf(s, "x"))

			second := start(t, setup{caps: caps, state: state})
			second.call(acp.MethodSessionLoad, acp.LoadSessionRequest{SessionID: s, Cwd: first.cwd}, nil)
			second.see(s, func(loaded *screen) {
				liveCards, _ := json.MarshalIndent(live.cards(), "", " ")
				loadedCards, _ := json.MarshalIndent(loaded.cards(), "", " ")
				if string(liveCards) != string(loadedCards) {
					t.Errorf("live\n%s\nloaded\n%s", liveCards, loadedCards)
				}
				if want := append([]string{"user: do it"}, live.messages...); !reflect.DeepEqual(loaded.messages, want) {
					t.Errorf("messages %q, want %q", loaded.messages, want)
				}
				if !reflect.DeepEqual(loaded.plan, live.plan) || len(loaded.plan) != 2 || loaded.title != live.title {
					t.Errorf("plan %+v, title %q", loaded.plan, loaded.title)
				}
				if len(loaded.problems)+len(live.problems) > 0 {
					t.Errorf("%v %v", live.problems, loaded.problems)
				}
			})
			second.call(acp.MethodSessionLoad, acp.LoadSessionRequest{SessionID: s, Cwd: first.cwd}, nil) // once more: replaced
			second.prompt(s, "go on")

			third := start(t, setup{caps: caps, state: state})
			third.refused(jsonrpc2.InternalError, acp.MethodSessionResume, acp.ResumeSessionRequest{SessionID: s, Cwd: first.cwd})
			second.call(acp.MethodSessionClose, acp.SessionRequest{SessionID: s}, nil)
			third.call(acp.MethodSessionResume, acp.ResumeSessionRequest{SessionID: s, Cwd: first.cwd}, nil)
			third.until(s, "commands", func(*screen) bool { return third.wire.find(0, "available_commands_update") >= 0 })
			third.see(s, func(s *screen) {
				if len(s.messages)+len(s.cards()) > 0 {
					t.Errorf("resume shows %q and %d cards", s.messages, len(s.cards()))
				}
			})
		})
	}
}

func TestListAndDelete(t *testing.T) {
	c := start(t, setup{state: t.TempDir()})
	s := c.newSession()
	c.prompt(s, "a title")
	list := func(cwd string) []acp.SessionInfo {
		var r acp.ListSessionsResponse
		c.call(acp.MethodSessionList, acp.ListSessionsRequest{Cwd: cwd}, &r)
		return r.Sessions
	}
	got := list(c.cwd + "/")
	if len(got) != 1 || got[0].SessionID != s || got[0].Title != "a title" || got[0].Cwd != c.cwd+"/" {
		t.Fatalf("%+v", got)
	}
	if _, err := time.Parse(time.RFC3339, got[0].UpdatedAt); err != nil {
		t.Error(err)
	}
	if got := list(absent()); len(got) != 0 {
		t.Errorf("%+v", got)
	}
	c.call(acp.MethodSessionDelete, acp.SessionRequest{SessionID: s}, nil)
	if got := list(""); len(got) != 0 {
		t.Errorf("after delete %+v", got)
	}
	c.refused(acp.CodeNotFound, acp.MethodSessionPrompt, promptOf(s, "x"))
}

// TestCloseCancels: close ends a running turn as cancelled.
// TestListOfABrokenStateFolder: it is no mistake of the client.
func TestListOfABrokenStateFolder(t *testing.T) {
	state := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(state, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	c := start(t, setup{state: state})
	c.refused(jsonrpc2.InternalError, acp.MethodSessionList, map[string]any{})
	c.refused(jsonrpc2.InvalidParams, acp.MethodSessionList, map[string]any{"cursor": "not one of ours"})
}

func TestCloseCancels(t *testing.T) {
	c := start(t, setup{driver: waitForCancel})
	s := c.newSession()
	done := c.startPrompt(s, "x")
	c.until(s, "a card", func(s *screen) bool { return len(s.order) == 1 })
	c.call(acp.MethodSessionClose, acp.SessionRequest{SessionID: s}, nil)
	if o := c.ended(done); o.reason != acp.StopCancelled || o.err != nil {
		t.Errorf("%+v", o)
	}
}

// TestDoorsFollowWhatIsOffered: nothing is used that the client does not offer,
// and no terminal of the client where the agent feeds one.
func TestDoorsFollowWhatIsOffered(t *testing.T) {
	for _, tt := range []struct {
		caps                      acp.ClientCapabilities
		reader, applier, terminal bool
	}{
		{acp.ClientCapabilities{}, false, false, false},
		{acp.ClientCapabilities{FS: acp.FileSystemCapabilities{ReadTextFile: true}}, true, false, false},
		{acp.ClientCapabilities{FS: acp.FileSystemCapabilities{WriteTextFile: true}, Terminal: true}, false, true, true},
		{acp.ClientCapabilities{Terminal: true, Meta: acp.NewMeta("terminal_output", true)}, false, false, false},
		{acp.ClientCapabilities{Terminal: true, Meta: acp.NewMeta("terminal_output", "yes")}, false, false, true},
	} {
		c := start(t, setup{caps: tt.caps})
		session, _ := c.hub.Get(c.newSession())
		front := session.FrontEnd()
		if (front.Reader != nil) != tt.reader || (len(front.Appliers) > 0) != tt.applier || (front.Runner != nil) != tt.terminal {
			t.Errorf("%+v gives %+v", tt.caps, front)
		}
	}
}
