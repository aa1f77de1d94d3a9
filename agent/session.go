package agent

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"slices"
	"sync"
	"time"

	"github.com/agent-ls/agent-ls/tools"
	"github.com/agent-ls/agent-ls/tools/permission"
	"github.com/agent-ls/agent-ls/workspace"
)

// Session is one conversation. Safe for concurrent use.
type Session struct {
	hub      *Hub
	id       string
	header   logHeader
	frontEnd FrontEnd
	logger   *slog.Logger

	view     *workspace.View
	scope    *tools.Scope
	pipeline *tools.Pipeline
	policy   *permission.Policy
	deps     tools.Overrides
	asking   chan struct{} // holds a token while a question is open
	// judged holds what the policy said of a call, denials why nobody allowed it.
	judged  perCall[judgement]
	denials perCall[string]

	// recMu orders records; it is held while the log is written and the sink
	// is called.
	recMu sync.Mutex
	log   *Log
	seq   int64
	ended bool         // no more records
	tap   func(Record) // gets each record, nil for nobody

	// mu guards what follows; nothing is called while it is held. It is taken
	// after recMu where both are.
	mu       sync.Mutex
	state    state
	updated  time.Time
	saveErr  error
	model    ModelInfo
	driver   Driver
	retired  []io.Closer
	guidance map[string]string
	offered  toolList
	closers  []func()
	closing  bool // closers have been taken

	choosing sync.Mutex // held while the model is changed
	queue    turnQueue
	// life ends when the session begins to close.
	life      context.Context
	end       context.CancelFunc
	closeOnce sync.Once
}

// newSession returns a session without its log; init and useModel complete it.
func newSession(h *Hub, o SessionOptions, header logHeader) *Session {
	s := &Session{
		hub: h, id: header.Session, header: header, frontEnd: o.FrontEnd,
		logger: h.c.Logger.With("session", header.Session),
		asking: make(chan struct{}, 1), updated: header.Created, guidance: map[string]string{},
	}
	s.life, s.end = context.WithCancel(context.Background())
	if o.OnClose != nil {
		s.closers = append(s.closers, o.OnClose)
	}
	s.state = state{mode: permission.Mode(header.Mode), model: header.Model, callBase: callBase(s.id)}
	return s
}

// callBase is what the ids of a session's calls begin with: enough of its own
// id that calls of two sessions on one connection differ.
func callBase(id string) string { return id[max(0, len(id)-8):] }

// init makes what the session's turns need, but for the model.
func (s *Session) init(mode permission.Mode) error {
	if _, err := permission.ParseMode(string(mode)); err != nil {
		return err
	}
	c := &s.hub.c
	s.view = c.Workspace.View(workspace.ViewOptions{
		Cwd: s.header.Cwd, Roots: s.roots(), Reader: s.frontEnd.Reader, Appliers: s.frontEnd.Appliers,
	})
	s.scope = c.Registry.NewScope()
	s.pipeline = tools.NewPipeline(c.Registry, s.scope)
	s.policy = &permission.Policy{
		View: s.view, Mode: s.Mode, ModeFrom: s.modeFrom, Rules: c.Rules, Grants: c.Grants, Protected: s.hub.protected(),
	}
	s.listen()
	if c.Deps != nil {
		s.deps = c.Deps(s)
	}
	return nil
}

// roots returns the working folder and the further roots.
func (s *Session) roots() []string {
	return append([]string{s.header.Cwd}, s.header.Roots...)
}

// protected are the paths that only the user may change.
func (h *Hub) protected() []string {
	if h.c.StateDir == "" {
		return h.c.Protected
	}
	return append(slices.Clone(h.c.Protected), h.c.StateDir)
}

// ID returns the session's id.
func (s *Session) ID() string { return s.id }

// Cwd returns its working folder as the client gave it.
func (s *Session) Cwd() string { return s.header.Cwd }

// Roots returns the further roots as the client gave them.
func (s *Session) Roots() []string { return slices.Clone(s.header.Roots) }

// View returns its view on the workspace.
func (s *Session) View() *workspace.View { return s.view }

// FrontEnd returns what the owner gave.
func (s *Session) FrontEnd() FrontEnd { return s.frontEnd }

// Pipeline returns the pipeline of the session's calls, for further seams such
// as a wrapper that marks checkpoints.
func (s *Session) Pipeline() *tools.Pipeline { return s.pipeline }

// Info returns the session's entry in a list.
func (s *Session) Info() SessionInfo {
	s.mu.Lock()
	defer s.mu.Unlock()
	return SessionInfo{
		ID: s.id, Cwd: s.header.Cwd, Roots: slices.Clone(s.header.Roots),
		Title: s.state.title, Updated: s.updated, Twin: s.state.twin(), realCwd: s.header.RealCwd,
	}
}

// History returns the conversation so far as a model gets it; nobody may
// change its messages.
func (s *Session) History() []Message {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.state.history()
}

// progress is how far the conversation has come.
func (s *Session) progress() Progress {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.state.progress
}

// Saved reports whether the session is kept on disk, and why not. A session
// that was never prompted counts as kept: there is nothing to lose.
func (s *Session) Saved() (bool, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.saveErr == nil, s.saveErr
}

// Mode returns the mode.
func (s *Session) Mode() permission.Mode {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.state.mode
}

// modeFrom is permission.Policy.ModeFrom, for as long as the mode is the one that
// the session began with.
func (s *Session) modeFrom() string {
	if s.Mode() != s.hub.c.DefaultMode {
		return ""
	}
	return s.hub.c.ModeFrom
}

// SetMode changes the mode at once, for running turns too. An unknown mode is
// an error that names the nearest valid one.
func (s *Session) SetMode(m permission.Mode) error {
	m, err := permission.ParseMode(string(m))
	if err != nil {
		return err
	}
	s.recMu.Lock()
	defer s.recMu.Unlock()
	if s.Mode() != m {
		s.emit(ModeChanged{Mode: string(m)}, logged)
	}
	return nil
}

// Notify tells the user something that is not the model's.
func (s *Session) Notify(n Notice) { s.record(n) }

// AddContext says something to the model with its next request that nobody
// typed, e.g. that a background task ended.
func (s *Session) AddContext(source, text string) {
	s.record(ContextAdded{Source: source, Text: text})
}

// OnClose runs fn once when the session closes, after its turns have ended;
// the last one added runs first. On a closed session it runs at once.
func (s *Session) OnClose(fn func()) {
	s.mu.Lock()
	late := s.closing
	if !late {
		s.closers = append(s.closers, fn)
	}
	s.mu.Unlock()
	if late {
		fn()
	}
}

// Model returns the model's description.
func (s *Session) Model() ModelInfo {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.model
}

// SetModel changes the model from the next turn on.
func (s *Session) SetModel(id string) error {
	s.choosing.Lock()
	defer s.choosing.Unlock()
	if err := s.useModel(id); err != nil {
		return err
	}
	s.recMu.Lock()
	defer s.recMu.Unlock()
	s.mu.Lock()
	same := s.state.model == id
	s.mu.Unlock()
	if !same {
		s.emit(ModelChanged{Model: id}, logged)
	}
	return nil
}

// useModel opens a model for the turns to come.
func (s *Session) useModel(id string) error {
	driver, info, err := s.openDriver(id)
	if err != nil {
		return err
	}
	s.retire(driver, info)
	s.closeDrivers(s.queue.unused(s))
	return nil
}

func (s *Session) openDriver(id string) (Driver, ModelInfo, error) {
	c := &s.hub.c
	if c.OpenDriver != nil {
		if d, info, ok, err := c.OpenDriver(s, id); ok || err != nil {
			return d, info, err
		}
	}
	if c.OpenModel == nil {
		return nil, ModelInfo{}, errors.New("no model is configured")
	}
	m, info, err := c.OpenModel(id)
	if err != nil {
		return nil, ModelInfo{}, err
	}
	loop := &Loop{Model: m, Info: info, MaxRequests: c.MaxRequests, Parallel: c.Parallel, Retry: c.Retry, thinking: c.Thinking}
	return loop, info, nil
}

// retire replaces the driver.
func (s *Session) retire(by Driver, info ModelInfo) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if old, ok := s.driver.(io.Closer); ok {
		s.retired = append(s.retired, old)
	}
	s.driver, s.model = by, info
}

// takeRetired takes the drivers that another model replaced.
func (s *Session) takeRetired() []io.Closer {
	s.mu.Lock()
	defer s.mu.Unlock()
	retired := s.retired
	s.retired = nil
	return retired
}

func (s *Session) closeDrivers(drivers []io.Closer) {
	for _, d := range drivers {
		if err := d.Close(); err != nil {
			s.logger.Warn("close model", "error", err)
		}
	}
}

// Close cancels, waits for what runs and for the functions of OnClose, closes
// the log. Closing twice is harmless; both calls wait.
func (s *Session) Close() {
	s.closeOnce.Do(func() {
		s.end()
		s.queue.close()
		s.waitForTools()
		s.runClosers()
		s.retire(nil, s.Model())
		s.closeDrivers(s.takeRetired())
		if s.scope != nil {
			s.scope.Dispose()
		}
		s.recMu.Lock()
		s.ended = true
		s.log.close()
		s.recMu.Unlock()
		s.hub.remove(s)
	})
}

// waitForTools waits for tools that the pipeline gave up on, as long as for
// any cancelled call.
func (s *Session) waitForTools() {
	if s.pipeline == nil {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), s.hub.c.CancelGrace)
	defer cancel()
	if err := s.pipeline.Wait(ctx); err != nil {
		s.logger.Warn("session closes without what it still runs", "error", err)
	}
}

// runClosers runs the functions of OnClose, the last one first.
func (s *Session) runClosers() {
	s.mu.Lock()
	closers := s.closers
	s.closers, s.closing = nil, true
	s.mu.Unlock()
	for _, fn := range slices.Backward(closers) {
		fn()
	}
}
