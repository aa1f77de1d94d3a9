package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"

	"github.com/spf13/cobra"

	"github.com/agent-ls/agent-ls/acp"
	acpagent "github.com/agent-ls/agent-ls/acp/agent"
	"github.com/agent-ls/agent-ls/acp/host"
)

// loginFlag is the flag by which a client lets its user log in to a hosted agent
// by a terminal (acp.md §12b).
const loginFlag = "login"

// accountsOf are what the user of a client logs in to: the configured agent, or
// the server of the configured model.
func (a *app) accountsOf(client func() *acpagent.Server) acpagent.Accounts {
	if agent, ok, err := a.hosted.agent(a.config.Model); ok && err == nil {
		return agentAccounts{agent, client}
	}
	prefix, _, _ := strings.Cut(a.config.Model, ":")
	if s := a.models.servers[prefix]; s != nil {
		return keyAccount{s}
	}
	return nil
}

// keyAccount is the key of a model's server.
type keyAccount struct{ server *modelServer }

// Logins is the one way: to put the key where it is looked for.
func (k keyAccount) Logins(context.Context) ([]acpagent.Login, bool) {
	s := k.server
	return []acpagent.Login{{ID: s.prefix, Name: "Key of " + s.prefix, Description: s.settings.hint}}, true
}

// Login looks for the key again.
func (k keyAccount) Login(ctx context.Context, _ string) error {
	k.server.key.LogIn()
	_, err := k.server.endpoint().Login(ctx)
	return err
}

// Logout lets the key be used no more.
func (k keyAccount) Logout(context.Context) error {
	k.server.key.LogOut()
	return nil
}

// agentAccounts are those of a hosted agent.
type agentAccounts struct {
	*host.Agent
	client func() *acpagent.Server
}

// Logins are the agent's own ways. It is started for that, and the client's first
// session takes it over.
func (a agentAccounts) Logins(ctx context.Context) (ways []acpagent.Login, logout bool) {
	form, page := a.client().ElicitationModes()
	hello, err := a.Greet(ctx, form, page)
	if err != nil {
		return nil, false
	}
	for _, m := range hello.AuthMethods {
		switch m := m.(type) {
		case acp.AuthMethodAgent:
			ways = append(ways, acpagent.Login{ID: m.ID, Name: m.Name, Description: m.Description})
		case acp.AuthMethodTerminal:
			ways = append(ways, acpagent.Login{ID: m.ID, Name: m.Name, Description: m.Description, Args: []string{"--" + loginFlag, m.ID}})
		}
	}
	return ways, hello.AgentCapabilities.Auth.Logout != nil
}

// logIn lets the user log in to the configured agent by the terminal that the
// program runs in.
func logIn(cmd *cobra.Command, way string) error {
	a, err := newApp(cmd)
	if err != nil {
		return err
	}
	defer a.close()
	agent, ok, err := a.hosted.agent(a.config.Model)
	if err == nil && !ok {
		err = fmt.Errorf("--%s is for hosted agents, and the model is %s", loginFlag, a.config.Model)
	}
	if err != nil {
		return usageError(err)
	}
	program, err := agent.LoginCommand(cmd.Context(), way)
	if err != nil {
		return failed(err)
	}
	program.Stdin, program.Stdout, program.Stderr = os.Stdin, os.Stdout, os.Stderr
	err = program.Run()
	var exit *exec.ExitError
	if errors.As(err, &exit) && exit.ExitCode() > 0 {
		return &exitError{code: exit.ExitCode()}
	}
	return failed(err)
}
