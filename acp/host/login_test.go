package host_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/agent-ls/agent-ls/acp"
	"github.com/agent-ls/agent-ls/acp/host"
	"github.com/agent-ls/agent-ls/agent"
	"github.com/agent-ls/agent-ls/presentation"
)

// loginMethods are the ways to log in to the fake agent: key works.
var loginMethods = []acp.AuthMethod{
	acp.AuthMethodAgent{ID: "key", Name: "Key"},
	acp.AuthMethodTerminal{ID: "term", Name: "Terminal", Args: []string{"--login"}, Env: map[string]string{"WAY": "term"}},
}

// locked is a bed whose agent wants a login.
func locked(t *testing.T) *bed {
	b := newBed(t)
	b.agent.Login, b.agent.Hello.AuthMethods = true, loginMethods
	b.agent.Log = filepath.Join(b.state, "log")
	return b
}

// methods are what the agent was asked, in order.
func (b *bed) methods() []string {
	b.Helper()
	log, err := os.ReadFile(b.agent.Log)
	if err != nil {
		b.Fatal(err)
	}
	return strings.Fields(string(log))
}

func count(list []string, word string) (n int) {
	for _, s := range list {
		if s == word {
			n++
		}
	}
	return n
}

// TestLogin: by the configuration, and by a question to the user.
func TestLogin(t *testing.T) {
	b := locked(t)
	b.config.Auth = "key"
	b.open().must(step{})
	if len(events[agent.ToolCallStarted](b)) > 0 {
		t.Error("the user was bothered")
	}

	b = locked(t)
	var answer agent.Answer = "not-now"
	b.answer = func(agent.Question) agent.Answer { return answer }
	b.open()
	_, _, err := b.prompt(step{})
	var failed *agent.ProviderError
	if !errors.As(err, &failed) || !failed.Login || !strings.Contains(err.Error(), "--login") {
		t.Errorf("not now: %+v", err)
	}
	answer = "key"
	b.must(step{})
	if q := b.asked[1]; len(q.Choices) != 2 || q.Choices[0].Name != "Key" {
		t.Errorf("asked %+v", q)
	}

	b = locked(t)
	b.open()
	if _, _, err := b.prompt(step{}); err == nil || !strings.Contains(err.Error(), `auth = "key" in [acp.fake]`) {
		t.Errorf("nobody to ask: %v", err)
	}
}

// TestLoginInAPrompt: agents that open sessions for everybody ask for a login
// when they are prompted.
func TestLoginInAPrompt(t *testing.T) {
	b := locked(t)
	b.agent.Login, b.agent.LateLogin = false, true
	b.answer = func(agent.Question) agent.Answer { return "key" }
	b.open()
	said := b.must(update(`{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"hello"}}`))
	if said != "hello" || len(b.asked) != 1 || count(b.methods(), acp.MethodSessionNew) != 1 {
		t.Errorf("said %q, asked %+v, %q", said, b.asked, b.methods())
	}
}

// TestLoginBeforeASession: what a client is told, and does, before there is a
// session. The first session takes the run over, the next ones are logged in in
// the same way.
func TestLoginBeforeASession(t *testing.T) {
	b := locked(t)
	b.agent.Hello.AgentCapabilities.Auth.Logout = &acp.Marker{}
	b.start()
	hello, err := b.host.Greet(t.Context(), false, false)
	if err != nil || len(hello.AuthMethods) != 2 {
		t.Fatalf("%+v, %v", hello, err)
	}
	if err := b.host.Login(t.Context(), "wrong"); err == nil || !strings.Contains(err.Error(), "no such way") {
		t.Errorf("a wrong way: %v", err)
	}
	if err := b.host.Login(t.Context(), "key"); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		s, err := b.hub.New(t.Context(), b.options())
		if err != nil {
			t.Fatal(err)
		}
		if _, err := s.Prompt(t.Context(), []presentation.Block{presentation.Text("[]")}); err != nil {
			t.Errorf("the login is forgotten: %v", err)
		}
	}
	if asked := b.methods(); count(asked, acp.MethodInitialize) != 2 || count(asked, acp.MethodAuthenticate) != 3 {
		t.Errorf("asked %q", asked)
	}
	if err := b.host.Logout(t.Context()); err != nil || count(b.methods(), acp.MethodLogout) != 2 {
		t.Errorf("logout: %v, asked %q", err, b.methods())
	}
}

// TestLoginWakesSessions: a session that waits for a login opens when the user has
// logged in elsewhere.
func TestLoginWakesSessions(t *testing.T) {
	b := locked(t)
	b.agent.New.Modes = &acp.SessionModeState{CurrentModeID: "ask", AvailableModes: acp.List[acp.SessionMode]{{ID: "ask", Name: "Ask"}}}
	b.open()
	d := b.session.Driver().(*host.Driver)
	if err := d.Set(t.Context(), "agent.mode", "ask"); err == nil || !strings.Contains(err.Error(), "log in") {
		t.Errorf("before the login: %v", err)
	}
	if err := b.host.Login(t.Context(), "key"); err != nil {
		t.Fatal(err)
	}
	b.sink.wait(func(records []agent.Record) bool {
		return slices.ContainsFunc(records, func(r agent.Record) bool { _, ok := r.Event.(agent.SettingsChanged); return ok })
	})
	if len(d.Settings()) != 1 {
		t.Errorf("settings %+v", d.Settings())
	}
}

// TestLoginCommand: a way by a terminal is the agent's program with other
// arguments.
func TestLoginCommand(t *testing.T) {
	b := locked(t)
	b.config.Args = []string{"serve"}
	b.start()
	cmd, err := b.host.LoginCommand(t.Context(), "term")
	if err != nil || !slices.Equal(cmd.Args[1:], []string{"serve", "--login"}) || !slices.Contains(cmd.Env, "WAY=term") {
		t.Errorf("%+v, %v", cmd, err)
	}
	if _, err := b.host.LoginCommand(t.Context(), "key"); err == nil || !strings.Contains(err.Error(), "but term") {
		t.Errorf("a way that needs none: %v", err)
	}
}

// TestGreetingAnAgentThatCannotRun says why, and that of a slow one can be given
// up.
func TestGreetingAnAgentThatCannotRun(t *testing.T) {
	b := newBed(t)
	b.agent.Hello.ProtocolVersion = 2
	b.start()
	if _, err := b.host.Greet(t.Context(), false, false); err == nil || !strings.Contains(err.Error(), "version 2") {
		t.Errorf("another version: %v", err)
	}
	b = newBed(t)
	b.agent.Slow = true
	b.start()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := b.host.Greet(ctx, false, false); !errors.Is(err, context.Canceled) {
		t.Errorf("given up: %v", err)
	}
}
