package host

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"go.lsp.dev/jsonrpc2"

	"github.com/agent-ls/agent-ls/acp"
	"github.com/agent-ls/agent-ls/agent"
	"github.com/agent-ls/agent-ls/presentation"
	"github.com/agent-ls/agent-ls/tools"
)

// loginError says that the agent opens no session before the user has logged in.
type loginError struct {
	link  *link
	cause *jsonrpc2.Error
}

// Error says how one can log in.
func (e *loginError) Error() string {
	text := "the agent " + e.link.d.config.Name + " wants you to log in"
	if e.cause.Message != "" {
		text += " (" + e.cause.Message + ")"
	}
	return text + ". " + e.link.howToLogIn()
}

// Unwrap returns the agent's answer.
func (e *loginError) Unwrap() error { return e.cause }

// methods are the agent's ways to log in.
func (l *link) methods() []acp.AuthMethod {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.hello.AuthMethods
}

// howToLogIn names the ways to log in that need the user.
func (l *link) howToLogIn() string {
	var ways []string
	for _, m := range l.methods() {
		switch m := m.(type) {
		case acp.AuthMethodTerminal:
			ways = append(ways, fmt.Sprintf("run this in a terminal: %s", l.d.terminalLogin(m)))
		case acp.AuthMethodAgent:
			ways = append(ways, fmt.Sprintf("%s (auth = %q in [acp.%s])", describe(m.Name, m.Description), m.ID, l.d.config.Name))
		}
	}
	if len(ways) == 0 {
		return "It does not say how; its own documentation does."
	}
	return "Ways to do so: " + strings.Join(ways, "; ") + "."
}

func describe(name, description string) string {
	if description == "" {
		return name
	}
	return name + ": " + acp.OneLine(description)
}

// terminalLogin is the command line of a way to log in by a terminal: the agent
// with other arguments.
func (d *Driver) terminalLogin(m acp.AuthMethodTerminal) string {
	return commandLine(d.config.Command, append(append([]string(nil), d.config.Args...), m.Args...))
}

// authenticate logs in by one of the agent's ways.
func (l *link) authenticate(ctx context.Context, id string) error {
	if err := l.call(ctx, acp.MethodAuthenticate, acp.AuthenticateRequest{MethodID: id}, nil); err != nil {
		return fmt.Errorf("log in by %q: %w", id, err)
	}
	return nil
}

// login lets the user log in, by a question in a card of its own. An error says
// why the session cannot be opened.
func (d *Driver) login(ctx context.Context, t *agent.Turn, needs *loginError) error {
	choices := needs.link.loginChoices()
	if len(choices) == 0 || d.session.FrontEnd().Asker == nil {
		return &agent.ProviderError{Message: needs.Error(), Err: needs}
	}
	feed := t.Feed()
	name := d.toolName("login")
	view := &presentation.GenericCall{
		Title: "Log in to " + d.config.Name, Kind: presentation.KindOther,
		Content: []presentation.Block{presentation.Text(needs.link.howToLogIn())},
	}
	call := tools.Call{ID: feed.NewCallID(), Name: name}
	feed.Start(call, view, true)
	p := t.Permit(ctx, agent.Intent{
		CallID: call.ID, Name: name, View: view,
		Choices: append(choices, agent.Choice{ID: "", Name: "Not now", Kind: agent.RejectOnce}),
	})
	err := error(needs)
	if p.Allowed() {
		feed.Running(call.ID)
		err = needs.link.authenticate(ctx, p.Choice)
	}
	result := tools.TextResult("Logged in.")
	if err != nil {
		if !errors.Is(err, needs) {
			err = errors.New(wireMessage(err))
		}
		result = tools.TextResult("Error: " + err.Error())
		result.IsError = true
		err = &agent.ProviderError{Message: err.Error(), Err: err}
	}
	feed.Finish(call.ID, result, &presentation.GenericResult{})
	return err
}

// loginChoices are the ways to log in that the agent goes by itself.
func (l *link) loginChoices() []agent.Choice {
	var choices []agent.Choice
	for _, m := range l.methods() {
		if m, ok := m.(acp.AuthMethodAgent); ok {
			choices = append(choices, agent.Choice{ID: m.ID, Name: describe(m.Name, m.Description), Kind: agent.AllowOnce})
		}
	}
	return choices
}
