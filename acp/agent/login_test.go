package agent

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"go.lsp.dev/jsonrpc2"

	"github.com/agent-ls/agent-ls/acp"
	"github.com/agent-ls/agent-ls/agent"
)

// book is an account for the tests.
type book struct {
	ways    []Login
	missing error
	out     []string // what was done
}

func (b *book) Logins(context.Context) ([]Login, bool) { return slices.Clone(b.ways), true }

func (b *book) Login(_ context.Context, id string) error {
	b.out = append(b.out, "in by "+id)
	return b.missing
}

func (b *book) Logout(context.Context) error {
	b.out = append(b.out, "out")
	return nil
}

// wantsKey is a driver whose server wants a key.
func wantsKey(context.Context, *agent.Turn) (agent.StopReason, error) {
	return "", &agent.ProviderError{Status: 401, Message: "no key", Login: true}
}

func methodIDs(methods []acp.AuthMethod) (ids []string) {
	for _, m := range methods {
		switch m := m.(type) {
		case acp.AuthMethodAgent:
			ids = append(ids, m.ID)
		case acp.AuthMethodTerminal:
			ids = append(ids, m.ID+" "+strings.Join(m.Args, " "))
		}
	}
	return ids
}

// A turn that fails for want of a key asks the user to log in; the other
// failures of a server do not, and neither does a server without logins.
func TestLogins(t *testing.T) {
	b := &book{ways: []Login{{ID: "openai", Name: "OpenAI key", Description: "Set OPENAI_API_KEY"}}}
	c := start(t, setup{cold: true, driver: wantsKey, options: Options{Accounts: b}})
	var hello acp.InitializeResponse
	c.call(acp.MethodInitialize, acp.InitializeRequest{ProtocolVersion: 1}, &hello)
	want := acp.AuthMethodAgent{ID: "openai", Name: "OpenAI key", Description: "Set OPENAI_API_KEY"}
	if !slices.ContainsFunc(hello.AuthMethods, func(m acp.AuthMethod) bool {
		a, ok := m.(acp.AuthMethodAgent)
		return ok && a.ID == want.ID && a.Name == want.Name && a.Description == want.Description
	}) || hello.AgentCapabilities.Auth.Logout == nil {
		t.Errorf("offers %+v, %+v", hello.AuthMethods, hello.AgentCapabilities.Auth)
	}
	s := c.newSession()
	if says := c.refused(acp.CodeAuthRequired, acp.MethodSessionPrompt, promptOf(s, "go")); !strings.Contains(says, "no key") {
		t.Errorf("says %q", says)
	}
	b.missing = errors.New("there is still no key")
	if says := c.refused(acp.CodeAuthRequired, acp.MethodAuthenticate, acp.AuthenticateRequest{MethodID: "openai"}); !strings.Contains(says, "still no key") {
		t.Errorf("says %q", says)
	}
	b.missing = nil
	c.call(acp.MethodAuthenticate, acp.AuthenticateRequest{MethodID: "openai"}, nil)
	if says := c.refused(jsonrpc2.InvalidParams, acp.MethodAuthenticate, acp.AuthenticateRequest{MethodID: "opnai"}); !strings.Contains(says, "openai") {
		t.Errorf("says %q", says)
	}
	c.call(acp.MethodLogout, struct{}{}, nil)
	if want := []string{"in by openai", "in by openai", "out"}; !slices.Equal(b.out, want) {
		t.Errorf("did %q, want %q", b.out, want)
	}

	c = start(t, setup{driver: wantsKey})
	c.refused(jsonrpc2.InternalError, acp.MethodSessionPrompt, promptOf(c.newSession(), "go"))
	c.refused(jsonrpc2.MethodNotFound, acp.MethodLogout, struct{}{})
}

// Ways that need a terminal are for clients that have one for them, which run
// them without asking.
func TestTerminalLogins(t *testing.T) {
	for _, terminal := range []bool{false, true} {
		b := &book{ways: []Login{{ID: "web", Name: "Web", Args: []string{"--login", "web"}}}}
		c := start(t, setup{cold: true, driver: wantsKey, options: Options{Accounts: b}})
		var hello acp.InitializeResponse
		c.call(acp.MethodInitialize, acp.InitializeRequest{
			ProtocolVersion: 1, ClientCapabilities: acp.ClientCapabilities{Auth: acp.AuthCapabilities{Terminal: terminal}},
		}, &hello)
		code, want := jsonrpc2.InternalError, []string(nil)
		if terminal {
			code, want = acp.CodeAuthRequired, []string{"web --login web"}
		}
		if got := methodIDs(hello.AuthMethods); !slices.Equal(got, want) {
			t.Errorf("terminal %t: offers %q", terminal, got)
		}
		c.refused(code, acp.MethodSessionPrompt, promptOf(c.newSession(), "go"))
		c.refused(jsonrpc2.MethodNotFound, acp.MethodAuthenticate, acp.AuthenticateRequest{MethodID: "web"})
	}
}
