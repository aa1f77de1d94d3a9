package host

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"sync"

	"github.com/agent-ls/agent-ls/acp"
	"github.com/agent-ls/agent-ls/agent"
	"github.com/agent-ls/agent-ls/tools/proc"
)

// Prefix begins the names of models that are hosted agents: acp:NAME.
const Prefix = "acp:"

// Config is how an agent is started, the table [acp.NAME] of the configuration.
type Config struct {
	// Name is the agent's name in the configuration.
	Name string
	// Command is its program, Args its arguments, Env what is added to the
	// environment that it inherits.
	Command string
	Args    []string
	Env     map[string]string
	// Auth is the id of the way to log in, "" to ask the user for one when the
	// agent wants it.
	Auth string
	// Options are settings of the agent's own that sessions begin with, by id.
	Options map[string]string
}

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

// Options are what a Driver works with; every field may be zero.
type Options struct {
	// Environ is the environment that the agent inherits.
	Environ []string
	// Runner runs the agent's commands where the session's front end runs none.
	Runner proc.Runner
	// MaxLine bounds a message of the agent, in bytes; 0 means 64 MiB.
	MaxLine int
	// Version is our program's.
	Version string
	Logger  *slog.Logger
}

// Driver is a hosted agent for one session: an agent.Driver, agent.Configurable
// and io.Closer. The agent is started by Begin or by the first turn, and again
// by the next turn when it has ended.
type Driver struct {
	session *agent.Session
	config  Config
	o       Options
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
func New(s *agent.Session, c Config, o Options) *Driver {
	d := &Driver{
		session: s, config: c, o: o, log: o.Logger,
		connecting: make(chan struct{}, 1), running: make(chan struct{}, 1),
	}
	if d.log == nil {
		d.log = slog.New(slog.DiscardHandler)
	}
	d.log = d.log.With("agent", c.Name)
	d.life, d.end = context.WithCancel(context.Background())
	return d
}

// Info describes an agent as a model to choose.
func Info(c Config) agent.ModelInfo {
	return agent.ModelInfo{ID: Prefix + c.Name, Name: c.Name, Description: "The external agent " + c.Name + ", started by " + c.Command + "."}
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
	d.work.Go(func() {
		_, err := d.connect(d.life)
		if needsLogin := (*loginError)(nil); err == nil || errors.As(err, &needsLogin) || d.life.Err() != nil {
			return // the first turn asks the user to log in
		}
		d.session.Notify(agent.Notice{Severity: "warning", Title: "The agent " + d.config.Name + " is not ready", Text: err.Error()})
	})
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
	l, err := d.linked()
	if err != nil || l.ready() {
		return l, err
	}
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	defer context.AfterFunc(d.life, func() { stop(agent.ErrClosed) })()
	err = l.open(ctx)
	if needsLogin := (*loginError)(nil); errors.As(err, &needsLogin) {
		return l, err // the agent waits for it
	}
	if err != nil {
		err = d.explain(l, err)
		l.close()
		return nil, err
	}
	return l, nil
}

// linked returns the agent that runs, started where none does.
func (d *Driver) linked() (*link, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	switch {
	case d.closed:
		return nil, agent.ErrClosed
	case d.link != nil && d.link.alive():
		return d.link, nil
	}
	l, err := d.start()
	if err != nil {
		return nil, err
	}
	d.link = l
	d.work.Go(l.watch)
	return l, nil
}

// explain says what went wrong with an agent: where it has ended, how.
func (d *Driver) explain(l *link, err error) error {
	trouble := l.trouble()
	if trouble == "" {
		return &agent.ProviderError{Message: d.config.Name + ": " + wireMessage(err), Err: err}
	}
	return &agent.ProviderError{Message: "the agent " + d.config.Name + " has ended: " + trouble, Err: err}
}
