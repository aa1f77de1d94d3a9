package agent

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/agent-ls/agent-ls/acp"
	"github.com/agent-ls/agent-ls/agent"
)

// modelAnswers is a model that answers with functions, in order, then with nothing.
type modelAnswers chan func(req agent.Request, yield func(agent.Delta) error)

func (m modelAnswers) Respond(_ context.Context, req agent.Request, yield func(agent.Delta) error) (agent.Finish, error) {
	select {
	case answer := <-m:
		answer(req, yield)
	default:
	}
	return agent.Finish{}, nil
}

// text is an answer of text alone.
func text(s string) func(agent.Request, func(agent.Delta) error) {
	return func(_ agent.Request, yield func(agent.Delta) error) { _ = yield(agent.Delta{Text: s}) }
}

// languageModel is a setup with a model that answers so.
func languageModel(m modelAnswers) setup {
	return setup{loop: &agent.Loop{Model: m, MaxRequests: 10, Info: agent.ModelInfo{ID: "direct", Language: true, Thinking: []string{"low"}}}}
}

func TestSteering(t *testing.T) {
	m := make(modelAnswers, 2)
	c := start(t, languageModel(m))
	s := c.newSession()
	steer := func() string {
		var r steeringResponse
		c.call(methodSteering, promptOf(s, "rather so"), &r)
		return r.Outcome
	}
	if got := steer(); got != steeringRequired {
		t.Errorf("between turns: %q", got)
	}
	asked := make(chan string, 1)
	m <- func(agent.Request, func(agent.Delta) error) {
		if got := steer(); got != steeringInjected {
			t.Errorf("in a turn: %q", got)
		}
	}
	m <- func(req agent.Request, _ func(agent.Delta) error) {
		asked <- strings.TrimSpace(agent.PromptText(req.Messages[len(req.Messages)-1].Blocks))
	}
	c.prompt(s, "go")
	if got := <-asked; got != "rather so" {
		t.Errorf("the model got %q", got)
	}
}

// /compact is a command of language models, shown as clients can.
func TestCompaction(t *testing.T) {
	for _, tt := range []struct {
		name string
		caps acp.ClientCapabilities
		want string
	}{
		{"a client with compactions", acp.ClientCapabilities{Session: &acp.ClientSessionCapabilities{Compaction: &acp.Marker{}}}, `"compaction_update"`},
		{"one with notices", acp.ClientCapabilities{Session: &acp.ClientSessionCapabilities{Notices: &acp.Marker{}}}, `"notice"`},
		{"one with neither", acp.ClientCapabilities{}, `"agent_message_chunk"`},
	} {
		m := make(modelAnswers, 2)
		o := languageModel(m)
		o.caps = tt.caps
		c := start(t, o)
		s := c.newSession()
		m <- text("the answer")
		m <- text("THE SUMMARY")
		c.prompt(s, "first")
		c.prompt(s, "/compact")
		shown := "replaced by a summary"
		if tt.caps.Session != nil && tt.caps.Session.Compaction != nil {
			shown = "THE SUMMARY"
		}
		if c.wire.find(0, tt.want, shown) < 0 {
			t.Errorf("%s: not shown", tt.name)
		}
		if c.wire.find(0, `"available_commands_update"`, `"compact"`) < 0 {
			t.Errorf("%s: the command is not offered", tt.name)
		}
	}
}

func TestThoughtLevel(t *testing.T) {
	m := make(modelAnswers, 1)
	c := start(t, languageModel(m))
	s := c.newSession()
	var r acp.SetSessionConfigOptionResponse
	c.call(acp.MethodSetConfigOption, acp.SetSessionConfigOptionRequest{SessionID: s, ConfigID: "thought_level", Value: json.RawMessage(`"low"`)}, &r)
	asked := make(chan string, 1)
	m <- func(req agent.Request, _ func(agent.Delta) error) { asked <- req.Thinking }
	c.prompt(s, "go")
	if got := <-asked; got != "low" {
		t.Errorf("the model is asked to think %q", got)
	}
}
