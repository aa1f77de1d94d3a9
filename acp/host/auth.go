package host

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"slices"
	"strings"

	"github.com/agent-ls/agent-ls/acp"
	"github.com/agent-ls/agent-ls/agent"
	"github.com/agent-ls/agent-ls/presentation"
	"github.com/agent-ls/agent-ls/tools"
)

// loginError says that the agent does nothing before the user has logged in.
type loginError struct {
	link  *link
	cause error
}

// Error says how one can log in.
func (e *loginError) Error() string {
	text := "the agent " + e.link.d.config.Name + " wants you to log in"
	if why := wireMessage(e.cause); why != "" {
		text += " (" + why + ")"
	}
	return text + ". " + e.link.howToLogIn()
}

// Unwrap returns the agent's answer.
func (e *loginError) Unwrap() error { return e.cause }

// failure is e as the end of a turn.
func (e *loginError) failure() error {
	return &agent.ProviderError{Message: e.Error(), Err: e, Login: true}
}

// howToLogIn names the ways to log in that need the user.
func (r *run) howToLogIn() string {
	var ways []string
	for _, m := range r.said().AuthMethods {
		switch m := m.(type) {
		case acp.AuthMethodTerminal:
			ways = append(ways, fmt.Sprintf("run this in a terminal: %s", r.a.terminalLogin(m)))
		case acp.AuthMethodAgent:
			ways = append(ways, fmt.Sprintf("%s (auth = %q in [acp.%s])", describe(m.Name, m.Description), m.ID, r.a.config.Name))
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
func (a *Agent) terminalLogin(m acp.AuthMethodTerminal) string {
	return commandLine(a.config.Command, append(slices.Clone(a.config.Args), m.Args...))
}

// LoginCommand is the program that logs in by a way that needs a terminal; its
// standard streams are the caller's to set. It asks the agent for its ways.
func (a *Agent) LoginCommand(ctx context.Context, id string) (*exec.Cmd, error) {
	hello, err := a.Greet(ctx, false, false)
	if err != nil {
		return nil, err
	}
	var known []string
	for _, m := range hello.AuthMethods {
		m, ok := m.(acp.AuthMethodTerminal)
		if !ok {
			continue
		}
		if known = append(known, m.ID); m.ID != id {
			continue
		}
		cmd := exec.CommandContext(ctx, a.config.Command, append(slices.Clone(a.config.Args), m.Args...)...)
		cmd.Dir, cmd.Env = a.o.Dir, a.environment()
		for _, name := range slices.Sorted(maps.Keys(m.Env)) {
			cmd.Env = append(cmd.Env, name+"="+m.Env[name])
		}
		cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
		return cmd, nil
	}
	if len(known) == 0 {
		return nil, fmt.Errorf("the agent %s has no way to log in by a terminal", a.config.Name)
	}
	return nil, fmt.Errorf("the agent %s has no way %q to log in by a terminal, but %s", a.config.Name, id, strings.Join(known, ", "))
}

// authenticate logs in by one of the agent's ways.
func (r *run) authenticate(ctx context.Context, id string) error {
	if err := r.call(ctx, acp.MethodAuthenticate, acp.AuthenticateRequest{MethodID: id}, nil); err != nil {
		return fmt.Errorf("log in by %q: %w", id, err)
	}
	return nil
}

// Login logs in by one of the agent's ways, in one run: agents that keep a login
// need no more, in the others it is repeated where they ask for it. Sessions that
// waited for it go on.
func (a *Agent) Login(ctx context.Context, id string) error {
	r, err := a.any(ctx)
	if err != nil {
		return err
	}
	if err := r.authenticate(ctx, id); err != nil {
		return errors.New(wireMessage(err))
	}
	a.loggedIn(id)
	return nil
}

// loggedIn notes that the user has logged in.
func (a *Agent) loggedIn(id string) {
	a.mu.Lock()
	a.login = id
	var waiting []*link
	for r := range a.runs {
		if l := r.served(); l != nil && !l.ready() {
			waiting = append(waiting, l)
		}
	}
	a.mu.Unlock()
	for _, l := range waiting {
		l.d.retry()
	}
}

// Logout ends the login, in all runs.
func (a *Agent) Logout(ctx context.Context) error {
	if _, err := a.any(ctx); err != nil {
		return err
	}
	a.mu.Lock()
	a.login = ""
	runs := slices.Collect(maps.Keys(a.runs))
	a.mu.Unlock()
	var failed error
	for _, r := range runs {
		if !r.known() || !r.alive() {
			continue
		}
		if err := r.call(ctx, acp.MethodLogout, acp.Empty{}, nil); err != nil {
			failed = errors.Join(failed, errors.New(wireMessage(err)))
		}
	}
	return failed
}

// openLoggedIn opens the session; where that needs a login which the user has
// done in another run of the agent, it is done here, too.
func (l *link) openLoggedIn(ctx context.Context) error {
	err := l.open(ctx)
	if needs := (*loginError)(nil); !errors.As(err, &needs) {
		return err
	}
	a := l.a
	a.mu.Lock()
	id := a.login
	a.mu.Unlock()
	if id == "" {
		return err
	}
	if failed := l.authenticate(ctx, id); failed != nil {
		l.d.log.Debug("the login is not repeated", "error", failed)
		return err
	}
	return l.open(ctx)
}

// login lets the user log in, by a question in a card of its own. An error says
// why the turn cannot go on.
func (d *Driver) login(ctx context.Context, t *agent.Turn, needs *loginError) error {
	choices := needs.link.loginChoices()
	if len(choices) == 0 || d.session.FrontEnd().Asker == nil {
		return needs
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
		Choices: append(choices, agent.Choice{ID: "not-now", Name: "Not now", Kind: agent.RejectOnce}),
	})
	err := error(needs)
	if p.Allowed() {
		feed.Running(call.ID)
		if err = d.loginBy(ctx, needs.link, p.Choice); err != nil {
			err = &agent.ProviderError{Message: wireMessage(err), Err: err, Login: true}
		}
	}
	result := tools.TextResult("Logged in.")
	if err != nil {
		result = tools.TextResult("Error: " + err.Error())
		result.IsError = true
	}
	feed.Finish(call.ID, result, &presentation.GenericResult{})
	return err
}

// loginBy logs in by the way that the user has chosen.
func (d *Driver) loginBy(ctx context.Context, l *link, id string) error {
	if err := l.authenticate(ctx, id); err != nil {
		return err
	}
	d.agent.loggedIn(id)
	return nil
}

// loginChoices are the ways to log in that the agent goes by itself.
func (r *run) loginChoices() []agent.Choice {
	var choices []agent.Choice
	for _, m := range r.said().AuthMethods {
		if m, ok := m.(acp.AuthMethodAgent); ok {
			choices = append(choices, agent.Choice{ID: m.ID, Name: describe(m.Name, m.Description), Kind: agent.AllowOnce})
		}
	}
	return choices
}
