package host

import (
	"context"
	"errors"
	"fmt"
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

// Options are what an Agent works with; every field may be zero but for Dir,
// where there is no session.
type Options struct {
	// Dir is the folder where the agent runs before it has a session.
	Dir string
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

// Agent is one configured agent: what its runs for several sessions have in
// common. Safe for concurrent use; Close ends all of it.
type Agent struct {
	config Config
	o      Options
	log    *slog.Logger

	// life ends with Close; work counts what Close waits for.
	life context.Context
	end  context.CancelFunc
	work sync.WaitGroup

	mu     sync.Mutex
	closed bool
	runs   map[*run]struct{} // that have not ended
	visit  *visit            // nil for none
	terms  terms             // of the last visit
	login  string            // the way that the user has logged in, "" for none
}

// visit is a run that has no session yet. The first session with its terms takes
// it over.
type visit struct {
	run  *run
	done chan struct{} // closed when err is set
	err  error
}

// NewAgent returns an agent; nothing runs yet.
func NewAgent(c Config, o Options) *Agent {
	a := &Agent{config: c, o: o, log: o.Logger, runs: map[*run]struct{}{}, terms: terms{dir: o.Dir}}
	if a.log == nil {
		a.log = slog.New(slog.DiscardHandler)
	}
	a.log = a.log.With("agent", c.Name)
	a.life, a.end = context.WithCancel(context.Background())
	return a
}

// Info describes the agent as a model to choose.
func (a *Agent) Info() agent.ModelInfo { return a.config.Info() }

// Info describes the agent as a model to choose.
func (c Config) Info() agent.ModelInfo {
	return agent.ModelInfo{ID: Prefix + c.Name, Name: c.Name, Description: "The external agent " + c.Name + ", started by " + c.Command + "."}
}

// Close ends what runs and waits. The sessions are closed before.
func (a *Agent) Close() {
	a.mu.Lock()
	a.closed = true
	var runs []*run
	for r := range a.runs {
		runs = append(runs, r)
	}
	a.mu.Unlock()
	a.end()
	for _, r := range runs {
		r.close()
	}
	a.work.Wait()
}

// Greet starts the agent before there is a session, and returns what it says of
// itself; form and page are the questions that its user can be asked. The run
// stays, and the first session takes it over. When ctx ends first the agent goes
// on starting.
func (a *Agent) Greet(ctx context.Context, form, page bool) (acp.InitializeResponse, error) {
	a.mu.Lock()
	a.terms = terms{dir: a.o.Dir, form: form, page: page}
	a.mu.Unlock()
	r, err := a.any(ctx)
	if err != nil {
		return acp.InitializeResponse{}, err
	}
	return r.said(), nil
}

// any returns a run that has been greeted, whosever it is.
func (a *Agent) any(ctx context.Context) (*run, error) {
	a.mu.Lock()
	for r := range a.runs {
		if r.alive() && r.known() {
			a.mu.Unlock()
			return r, nil
		}
	}
	v, err := a.invite()
	a.mu.Unlock()
	if err != nil {
		return nil, err
	}
	return v.wait(ctx)
}

// invite begins a visit where there is none; a.mu is held.
func (a *Agent) invite() (*visit, error) {
	switch {
	case a.closed:
		return nil, agent.ErrClosed
	case a.visit != nil && a.visit.run.alive():
		return a.visit, nil
	}
	r, err := a.start(a.terms)
	if err != nil {
		return nil, err
	}
	v := &visit{run: r, done: make(chan struct{})}
	a.visit = v
	a.work.Go(func() {
		defer close(v.done)
		ctx, cancel := context.WithTimeoutCause(a.life, startTime, errSlow)
		defer cancel()
		if v.err = r.greet(ctx); v.err != nil {
			v.err = a.explain(r, v.err)
			r.close()
		}
	})
	return v, nil
}

// errSlow is why an agent is given up that does not get ready.
var errSlow = fmt.Errorf("it did not answer within %v", startTime)

// wait returns the run of the visit once it has been greeted.
func (v *visit) wait(ctx context.Context) (*run, error) {
	select {
	case <-v.done:
		return v.run, v.err
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}

// runFor returns a run for a session: the one that waits for it, else a new one.
// A visit for others ends: no session will come for it.
func (a *Agent) runFor(ctx context.Context, t terms) (*run, error) {
	a.mu.Lock()
	if a.closed {
		a.mu.Unlock()
		return nil, agent.ErrClosed
	}
	v := a.visit
	a.visit = nil
	if v == nil || v.run.terms != t || !v.run.alive() {
		defer a.mu.Unlock()
		if v != nil {
			a.work.Go(v.run.close)
		}
		return a.start(t)
	}
	a.mu.Unlock()
	r, err := v.wait(ctx)
	if err != nil {
		a.mu.Lock()
		defer a.mu.Unlock()
		a.work.Go(v.run.close)
		return nil, err
	}
	return r, nil
}

// explain says what went wrong with a run: where it has ended, how.
func (a *Agent) explain(r *run, err error) error {
	var told *agent.ProviderError
	if errors.As(err, &told) {
		return err
	}
	trouble := r.trouble()
	if trouble == "" {
		return &agent.ProviderError{Message: a.config.Name + ": " + wireMessage(err), Err: err}
	}
	return &agent.ProviderError{Message: "the agent " + a.config.Name + " has ended: " + trouble, Err: err}
}
