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

// A turn that fails for want of a key asks the user to log in; the other
// failures of a server do not, and neither does a server without logins.
func TestLogins(t *testing.T) {
	var missing error
	login := Login{ID: "openai", Name: "OpenAI key", Description: "Set OPENAI_API_KEY"}
	fails := func(context.Context, *agent.Turn) (agent.StopReason, error) {
		return "", &agent.ProviderError{Status: 401, Message: "no key", Login: true}
	}
	c := start(t, setup{cold: true, driver: fails, options: Options{
		Logins: []Login{login},
		Login:  func(context.Context, string) error { return missing },
	}})
	var hello acp.InitializeResponse
	c.call(acp.MethodInitialize, acp.InitializeRequest{ProtocolVersion: 1}, &hello)
	want := acp.AuthMethodAgent{ID: "openai", Name: "OpenAI key", Description: "Set OPENAI_API_KEY"}
	if !slices.ContainsFunc(hello.AuthMethods, func(m acp.AuthMethod) bool {
		a, ok := m.(acp.AuthMethodAgent)
		return ok && a.ID == want.ID && a.Name == want.Name && a.Description == want.Description
	}) {
		t.Errorf("offers %+v", hello.AuthMethods)
	}
	s := c.newSession()
	if says := c.refused(acp.CodeAuthRequired, acp.MethodSessionPrompt, promptOf(s, "go")); !strings.Contains(says, "no key") {
		t.Errorf("says %q", says)
	}
	missing = errors.New("there is still no key")
	if says := c.refused(acp.CodeAuthRequired, acp.MethodAuthenticate, acp.AuthenticateRequest{MethodID: "openai"}); !strings.Contains(says, "still no key") {
		t.Errorf("says %q", says)
	}
	missing = nil
	c.call(acp.MethodAuthenticate, acp.AuthenticateRequest{MethodID: "openai"}, nil)
	if says := c.refused(jsonrpc2.InvalidParams, acp.MethodAuthenticate, acp.AuthenticateRequest{MethodID: "opnai"}); !strings.Contains(says, "openai") {
		t.Errorf("says %q", says)
	}

	c = start(t, setup{driver: fails})
	c.refused(jsonrpc2.InternalError, acp.MethodSessionPrompt, promptOf(c.newSession(), "go"))
}
