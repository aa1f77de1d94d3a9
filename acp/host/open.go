package host

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"go.lsp.dev/jsonrpc2"

	"github.com/agent-ls/agent-ls/acp"
	"github.com/agent-ls/agent-ls/agent"
)

// storedKey is where the session keeps which session of the agent is its own.
const storedKey = "acp.session"

// storedSession is the agent's session of a session.
type storedSession struct {
	Agent string `json:"agent"`
	ID    string `json:"id"`
}

// open greets the agent and opens its session: the one that the session had
// before where there is one and the agent can, else a new one.
func (l *link) open(ctx context.Context) error {
	ctx, cancel := context.WithTimeoutCause(ctx, startTime, errSlow)
	defer cancel()
	if err := l.greet(ctx); err != nil {
		return err
	}
	if err := l.openSession(ctx); err != nil {
		return err
	}
	return l.presets(ctx)
}

// openSession opens the agent's session.
func (l *link) openSession(ctx context.Context) error {
	id, err := l.reopen(ctx)
	if err == nil && id == "" {
		id, err = l.newSession(ctx)
	}
	if wantsLogin(err) {
		return &loginError{link: l, cause: err}
	}
	if err != nil {
		return err
	}
	l.mu.Lock()
	l.session, l.opened, l.silent = id, true, false
	l.mu.Unlock()
	return nil
}

// newSession opens a new session of the agent.
func (l *link) newSession(ctx context.Context) (id string, err error) {
	s := l.d.session
	var response acp.NewSessionResponse
	err = l.call(ctx, acp.MethodSessionNew, acp.NewSessionRequest{
		Cwd: s.Cwd(), AdditionalDirectories: l.roots(), McpServers: l.servers(),
	}, &response)
	if err != nil {
		return "", err
	}
	l.d.settings.begin(response.Modes, response.ConfigOptions)
	l.d.session.SettingsChanged()
	return response.SessionID, nil
}

// reopen opens the session that the agent had before, "" for none. An agent that
// does not know it any more begins a new one, and the user is told.
func (l *link) reopen(ctx context.Context) (id string, err error) {
	var stored storedSession
	raw := l.d.session.Stored(storedKey)
	if raw == nil {
		return "", nil
	}
	if known := json.Unmarshal(raw, &stored) == nil && stored.Agent == l.d.config.Name; !known {
		return "", nil
	}
	t := l.current()
	past := t != nil && t.past
	method := l.reopening(past)
	if method == "" && past {
		return "", fmt.Errorf("%w: it cannot open a session again", agent.ErrUnknownSession)
	}
	if method == "" {
		l.forgot("It cannot open a session again.")
		return "", nil
	}
	l.mu.Lock()
	l.silent = !past
	l.mu.Unlock()
	var response acp.LoadSessionResponse
	err = l.call(ctx, method, acp.LoadSessionRequest{
		SessionID: stored.ID, Cwd: l.d.session.Cwd(), AdditionalDirectories: l.roots(), McpServers: l.servers(),
	}, &response)
	var refusal *jsonrpc2.Error
	switch {
	case errors.As(err, &refusal) && !wantsLogin(err) && !past:
		l.forgot(wireMessage(err))
		return "", nil
	case refusal != nil && !wantsLogin(err):
		return "", fmt.Errorf("%w: %s", agent.ErrUnknownSession, wireMessage(err))
	case err != nil:
		return "", err
	}
	l.d.settings.begin(response.Modes, response.ConfigOptions)
	l.d.session.SettingsChanged()
	return stored.ID, nil
}

// reopening is the method by which the agent opens a session again, "" for none;
// the one that does not tell everything again comes first, unless that is wanted.
func (r *run) reopening(telling bool) string {
	switch caps := r.can(); {
	case telling && caps.LoadSession:
		return acp.MethodSessionLoad
	case caps.SessionCapabilities.Resume != nil:
		return acp.MethodSessionResume
	case caps.LoadSession:
		return acp.MethodSessionLoad
	}
	return ""
}

// forgot tells the user that the agent begins anew.
func (l *link) forgot(why string) {
	l.mu.Lock()
	l.silent = false
	l.mu.Unlock()
	l.d.session.Notify(agent.Notice{
		Severity: "warning", Title: "The agent " + l.d.config.Name + " does not remember this session",
		Text: why + " It begins a new one: what was said before is shown here, but not known to it.",
	})
}

// remember keeps which session of the agent is this session's. It is called in a
// turn: before the first prompt nothing is written.
func (l *link) remember() {
	l.mu.Lock()
	own := l.session
	l.mu.Unlock()
	if err := l.keep(own); err != nil {
		l.d.log.Warn("the agent's session is not remembered", "error", err)
	}
}

// keep is remember for a session of the agent by its id.
func (l *link) keep(own string) error {
	s := l.d.session
	value, err := json.Marshal(storedSession{Agent: l.d.config.Name, ID: own})
	if err != nil || string(s.Stored(storedKey)) == string(value) {
		return err
	}
	return errors.Join(s.Store(storedKey, value), s.SetTwin(SessionID(l.d.config.Name, own)))
}

// roots are the further folders, where the agent takes some.
func (l *link) roots() []string {
	if l.can().SessionCapabilities.AdditionalDirectories == nil {
		return nil
	}
	return l.d.session.Roots()
}

// servers are the MCP servers of the session that the agent can reach.
func (l *link) servers() []acp.McpServer {
	l.d.mu.Lock()
	servers := slices.Clone(l.d.servers)
	l.d.mu.Unlock()
	caps := l.can().McpCapabilities
	return slices.DeleteFunc(servers, func(server acp.McpServer) bool {
		name, reached := "", true
		switch server := server.(type) {
		case acp.McpServerHTTP:
			name, reached = server.Name, caps.HTTP
		case acp.McpServerSSE:
			name, reached = server.Name, caps.SSE
		}
		if !reached {
			l.d.session.Notify(agent.Notice{
				Severity: "warning", Title: fmt.Sprintf("The MCP server %q is not used", name),
				Text: "The agent " + l.d.config.Name + " cannot reach servers of its kind.",
			})
		}
		return !reached
	})
}
