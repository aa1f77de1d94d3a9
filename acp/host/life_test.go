package host_test

import (
	"context"
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

// TestNoise: what agents print beside the protocol is left out (field report
// 80).
func TestNoise(t *testing.T) {
	b := newBed(t).open()
	said := b.must(
		step{Print: "Welcome!"}, step{Print: "42"}, step{Print: `"text"`}, step{Print: "{\n  \"pretty\": true\n}"}, step{Print: `{"level":"info"}`},
		update(`{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"still there"}}`),
	)
	if said != "still there" {
		t.Errorf("said %q", said)
	}
}

// TestPromptBlocks: what an agent does not take is sent as what it takes.
func TestPromptBlocks(t *testing.T) {
	blocks := []presentation.Block{
		presentation.Text("hi"), presentation.Image([]byte("x"), "image/png"),
		{Type: presentation.BlockResource, URI: "file:///a.txt", Text: "text of it"},
	}
	for _, rich := range []bool{false, true} {
		b := newBed(t)
		b.agent.Hello.AgentCapabilities.PromptCapabilities = acp.PromptCapabilities{Image: rich, EmbeddedContext: rich}
		b.open()
		if _, err := b.session.Prompt(t.Context(), blocks); err != nil {
			t.Fatal(err)
		}
		said := textOf(b.sink.all())
		if strings.Contains(said, `"type":"image"`) != rich || strings.Contains(said, `"type":"resource"`) != rich || !strings.Contains(said, "text of it") {
			t.Errorf("rich %t: %s", rich, said)
		}
	}
}

func TestStopReasons(t *testing.T) {
	b := newBed(t).open()
	if _, reason, err := b.prompt(step{Stop: "max_tokens"}); err != nil || reason != agent.MaxTokens {
		t.Errorf("%s, %v", reason, err)
	}
	_, _, err := b.prompt(step{Fail: "the quota is used up"})
	var provider *agent.ProviderError
	if !errors.As(err, &provider) || !strings.Contains(err.Error(), "the quota is used up") {
		t.Errorf("error %v", err)
	}
}

// TestCrash: it is shown with the agent's last words, and the next turn goes on
// with the agent's session where the agent can.
func TestCrash(t *testing.T) {
	for _, tt := range []struct {
		name   string
		caps   acp.AgentCapabilities
		method string // by which it is opened again
	}{
		{"resume", acp.AgentCapabilities{LoadSession: true, SessionCapabilities: acp.SessionCapabilities{Resume: &acp.Marker{}}}, acp.MethodSessionResume},
		{"load", acp.AgentCapabilities{LoadSession: true}, acp.MethodSessionLoad},
		{"neither", acp.AgentCapabilities{}, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			b := newBed(t)
			b.agent.Hello.AgentCapabilities = tt.caps
			b.agent.Known, b.agent.Log = filepath.Join(b.state, "known"), filepath.Join(b.state, "log")
			b.agent.Replay = []json.RawMessage{json.RawMessage(`{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"all of it again"}}`)}
			b.open()
			_, _, err := b.prompt(
				update(`{"sessionUpdate":"tool_call","toolCallId":"t1","title":"Work","kind":"other"}`),
				step{Stderr: "panic: out of luck"}, step{Exit: 3},
			)
			if err == nil || !strings.Contains(err.Error(), "exit code 3") || !strings.Contains(err.Error(), "out of luck") {
				t.Errorf("error %v", err)
			}
			if !b.finished().Result.IsError {
				t.Error("the open call is not closed")
			}
			said := b.must(update(`{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"back"}}`))
			log, err := os.ReadFile(b.agent.Log)
			if err != nil || said != "back" {
				t.Errorf("said %q, %v", said, err)
			}
			if tt.method != "" && !strings.Contains(string(log), tt.method) {
				t.Errorf("asked %s", log)
			}
			forgotten := 0
			for _, n := range events[agent.Notice](b) {
				if strings.Contains(n.Title, "does not remember") {
					forgotten++
				}
			}
			if (forgotten > 0) != (tt.method == "") {
				t.Errorf("%d notices", forgotten)
			}
		})
	}
}

// TestLoad: a loaded session goes on with the agent's session.
func TestLoad(t *testing.T) {
	b := newBed(t)
	b.agent.Hello.AgentCapabilities.SessionCapabilities.Resume = &acp.Marker{}
	b.agent.Known, b.agent.Log = filepath.Join(b.state, "known"), filepath.Join(b.state, "log")
	b.open().must(step{})
	s, _, err := b.hub.Load(t.Context(), b.session.ID(), b.options())
	if err != nil {
		t.Fatal(err)
	}
	b.session = s
	b.must(step{})
	log, err := os.ReadFile(b.agent.Log)
	if err != nil || strings.Count(string(log), acp.MethodSessionNew) != 1 || strings.Count(string(log), acp.MethodSessionResume) != 1 {
		t.Errorf("asked %s, %v", log, err)
	}
}

func TestCancel(t *testing.T) {
	b := newBed(t).open()
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		b.sink.wait(says("hangs"))
		cancel()
	}()
	_, reason, err := b.promptWith(ctx, update(`{"sessionUpdate":"tool_call","toolCallId":"t1","title":"Work","kind":"other"}`), step{Hang: true})
	if err != nil || reason != agent.StopCancelled || !b.finished().Result.IsError {
		t.Errorf("%s, %v", reason, err)
	}
	if said := b.must(update(`{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"again"}}`)); said != "again" {
		t.Errorf("said %q", said)
	}
}

// TestCancelWithQuestion: an open question of the agent is answered as cancelled.
func TestCancelWithQuestion(t *testing.T) {
	b := newBed(t)
	b.answer = func(agent.Question) agent.Answer { return agent.AnswerCancelled }
	b.open()
	_, reason, err := b.prompt(
		update(`{"sessionUpdate":"tool_call","toolCallId":"t","title":"x","kind":"execute","rawInput":{"command":"ls"}}`), question("t"), step{Hang: true})
	if err != nil || reason != agent.StopCancelled {
		t.Errorf("%s, %v", reason, err)
	}
}

// TestMissingProgram: the error says where the agent is configured.
func TestMissingProgram(t *testing.T) {
	b := newBed(t)
	b.config.Command = filepath.Join(b.dir, "no such agent")
	b.start()
	s, err := b.hub.New(t.Context(), b.options())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Prompt(t.Context(), []presentation.Block{presentation.Text("x")}); err == nil || !strings.Contains(err.Error(), "[acp.fake]") {
		t.Errorf("error %v", err)
	}
}

func TestOtherVersion(t *testing.T) {
	b := newBed(t)
	b.agent.Hello.ProtocolVersion = 2
	b.open()
	if _, _, err := b.prompt(step{}); err == nil || !strings.Contains(err.Error(), "version 2") {
		t.Errorf("error %v", err)
	}
}

func TestSettings(t *testing.T) {
	b := newBed(t)
	b.agent.New.ConfigOptions = []acp.SessionConfigOption{
		acp.SessionConfigSelect{ID: "mode", Name: "Mode", Category: "mode", CurrentValue: "build", Options: acp.SessionConfigSelectOptions{
			Flat: []acp.SessionConfigSelectOption{{Value: "build", Name: "Build"}, {Value: "plan", Name: "Plan"}, {Value: "bad", Name: "Bad"}},
		}},
		acp.SessionConfigBoolean{ID: "fast", Name: "Fast"},
	}
	b.config.Options = map[string]string{"mode": "plan"}
	b.open()
	b.session.Driver().(*host.Driver).Begin(nil, nil)
	b.must(update(`{"sessionUpdate":"available_commands_update","availableCommands":[{"name":"init","description":"Begin","input":{"hint":"WHAT"}}]}`))
	got := b.session.Settings()
	if len(got) != 2 || got[0].ID != "agent.mode" || got[0].Value != "plan" || got[0].Category != "_agent_mode" || !got[1].Switch {
		t.Fatalf("%+v", got)
	}
	for id, value := range map[string]string{"agent.mode": "build", "agent.fast": "true"} {
		if known, err := b.session.Set(t.Context(), id, value); !known || err != nil {
			t.Errorf("%s: %t, %v", id, known, err)
		}
	}
	if got := b.session.Settings(); got[0].Value != "build" || got[1].Value != "true" {
		t.Errorf("%+v", got)
	}
	if _, err := b.session.Set(t.Context(), "agent.mode", "bad"); err == nil || !strings.Contains(err.Error(), "no such value") {
		t.Errorf("error %v", err)
	}
	if known, _ := b.session.Set(t.Context(), "agent.none", "x"); known {
		t.Error("an unknown setting is known")
	}
	if c := b.session.Commands(); len(c) != 1 || c[0] != (agent.Command{Name: "init", Description: "Begin", Hint: "WHAT"}) {
		t.Errorf("%+v", c)
	}
	if len(events[agent.SettingsChanged](b)) == 0 || len(events[agent.ToolsChanged](b)) == 0 {
		t.Error("the front end is not told")
	}
}

// TestModes: an agent with modes alone has them as a setting.
func TestModes(t *testing.T) {
	b := newBed(t)
	b.agent.New.Modes = &acp.SessionModeState{CurrentModeID: "ask", AvailableModes: acp.List[acp.SessionMode]{{ID: "ask", Name: "Ask"}, {ID: "code", Name: "Code"}}}
	b.open().must(update(`{"sessionUpdate":"current_mode_update","currentModeId":"code"}`))
	if got := b.session.Settings(); len(got) != 1 || got[0].ID != "agent.mode" || got[0].Value != "code" || len(got[0].Choices) != 2 {
		t.Fatalf("%+v", got)
	}
	if _, err := b.session.Set(t.Context(), "agent.mode", "ask"); err != nil || b.session.Settings()[0].Value != "ask" {
		t.Errorf("%+v, %v", b.session.Settings(), err)
	}
}

// user answers the agent's own questions.
type user struct{ asked []host.Elicitation }

func (u *user) Modes() (form, url bool) { return true, true }

func (u *user) Elicit(_ context.Context, call string, q host.Elicitation) (json.RawMessage, error) {
	u.asked = append(u.asked, q)
	return json.RawMessage(`{"action":"accept","content":{"name":"` + call + `"}}`), nil
}

func (u *user) Completed(context.Context, string) error { return nil }

func TestElicitation(t *testing.T) {
	b := newBed(t).open()
	u := &user{}
	b.session.Driver().(*host.Driver).Begin(nil, u)
	said := b.must(
		update(`{"sessionUpdate":"tool_call","toolCallId":"t1","title":"Work","kind":"other"}`),
		ask(acp.MethodElicitationCreate, map[string]any{"mode": "form", "message": "Who?", "toolCallId": "t1", "requestedSchema": map[string]any{"type": "object"}}),
	)
	call := events[agent.ToolCallStarted](b)[0].CallID
	if !strings.Contains(said, `"name":"`+call+`"`) || len(u.asked) != 1 || u.asked[0].Message != "Who?" || string(u.asked[0].Schema) != `{"type":"object"}` {
		t.Errorf("%s; asked %+v", said, u.asked)
	}
}

// TestServers: MCP servers that the agent cannot reach are told.
func TestServers(t *testing.T) {
	b := newBed(t).open()
	b.session.Driver().(*host.Driver).Begin([]acp.McpServer{acp.McpServerHTTP{Name: "far", URL: "http://127.0.0.1:1"}, acp.McpServerStdio{Name: "near", Command: "x"}}, nil)
	b.must(step{})
	notices := events[agent.Notice](b)
	if len(notices) != 1 || !strings.Contains(notices[0].Title, "far") {
		t.Errorf("%+v", notices)
	}
}
