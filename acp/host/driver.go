package host

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"sync"

	"github.com/agent-ls/agent-ls/acp"
	"github.com/agent-ls/agent-ls/agent"
)

// Elicitor passes the agent's questions on to the user (acp.md §13).
type Elicitor interface {
	// Modes says which questions the user can be asked.
	Modes() (form, url bool)
	// Elicit asks; call is the session's call that the question belongs to, ""
	// for none. It returns the raw answer.
	Elicit(ctx context.Context, call string, question Elicitation) (json.RawMessage, error)
	// Completed says that a question at a URL is answered.
	Completed(ctx context.Context, id string) error
}

// Driver is a hosted agent for one session: an agent.Driver, agent.Configurable
// and io.Closer. The agent is started by Begin or by the first turn, and again
// by the next turn when it has ended.
type Driver struct {
	session *agent.Session
	agent   *Agent
	config  Config // the agent's
	log     *slog.Logger

	// life ends with Close; work counts what Close waits for.
	life context.Context
	end  context.CancelFunc
	work sync.WaitGroup
	// connecting and running hold a token while a link is made and while a turn
	// runs.
	connecting, running chan struct{}

	settings settings

	mu       sync.Mutex
	closed   bool
	servers  []acp.McpServer
	elicitor Elicitor
	link     *link // the agent that runs, nil for none
}

// New returns the driver of a session; nothing runs yet.
func New(s *agent.Session, a *Agent) *Driver {
	d := &Driver{
		session: s, agent: a, config: a.config, log: a.log,
		connecting: make(chan struct{}, 1), running: make(chan struct{}, 1),
	}
	d.life, d.end = context.WithCancel(context.Background())
	return d
}

// Begin starts the agent in the background, so that its settings and commands
// are known before the first prompt. servers are the MCP servers that the
// session's client names; elicitor, which may be nil, asks its user. What goes
// wrong is told as a Notice, and tried again by the first turn.
func (d *Driver) Begin(servers []acp.McpServer, elicitor Elicitor) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.servers, d.elicitor = servers, elicitor
	if d.closed {
		return
	}
	d.work.Go(d.prepare)
}

// prepare connects before there is a turn. What goes wrong is told; a login is
// left to the first turn.
func (d *Driver) prepare() {
	_, err := d.connect(d.life)
	if needsLogin := (*loginError)(nil); err == nil || errors.As(err, &needsLogin) || d.life.Err() != nil {
		return
	}
	d.session.Notify(agent.Notice{Severity: "warning", Title: "The agent " + d.config.Name + " is not ready", Text: err.Error()})
}

// retry prepares once more, after the user has logged in.
func (d *Driver) retry() {
	d.mu.Lock()
	defer d.mu.Unlock()
	if !d.closed {
		d.work.Go(d.prepare)
	}
}

// Close ends the agent with everything that it started, and waits.
func (d *Driver) Close() error {
	d.mu.Lock()
	d.closed = true
	l := d.link
	d.mu.Unlock()
	d.end()
	if l != nil {
		l.leave()
	}
	d.work.Wait()
	return nil
}

// connect returns the agent with its session, started where none runs.
func (d *Driver) connect(ctx context.Context) (*link, error) {
	select {
	case d.connecting <- struct{}{}:
		defer func() { <-d.connecting }()
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	defer context.AfterFunc(d.life, func() { stop(agent.ErrClosed) })()
	l, err := d.linked(ctx)
	if err != nil || l.ready() {
		return l, err
	}
	err = l.openLoggedIn(ctx)
	if needsLogin := (*loginError)(nil); errors.As(err, &needsLogin) {
		return l, err // the agent waits for it
	}
	if err != nil {
		err = d.agent.explain(l.run, err)
		l.close()
		return nil, err
	}
	return l, nil
}

// linked returns the agent that runs, started where none does. It is for who
// holds the token of connecting.
func (d *Driver) linked(ctx context.Context) (*link, error) {
	d.mu.Lock()
	l := d.link
	d.mu.Unlock()
	if l != nil && l.alive() {
		return l, nil
	}
	t := terms{dir: d.session.Cwd()}
	t.form, t.page = d.elicitationModes()
	r, err := d.agent.runFor(ctx, t)
	if err != nil {
		return nil, err
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.closed {
		d.work.Go(r.close)
		return nil, agent.ErrClosed
	}
	d.link = d.newLink(r)
	return d.link, nil
}
