package declared

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"

	"github.com/agent-ls/agent-ls/tools"
)

// Options are what a Set needs of its session.
type Options struct {
	// Session is the session's id.
	Session string
	// Caller brings requests to the declaring side.
	Caller Caller
	// Install puts definitions into the session's own layer, all or none.
	Install func(...*tools.Definition) (dispose func(), err error)
	// Turn returns the running turn; nil, or an empty id, means none.
	Turn func() (id string, started time.Time)
	// StrictSchemas refuses additionalProperties in schemas (tools.md §4.2.4).
	StrictSchemas bool
	// Pending is where the session's request is noted; nil is the Set's own.
	Pending *Pending
	// Now and AfterFunc are the clock; nil is that of package time. stop
	// reports whether f will not run.
	Now       func() time.Time
	AfterFunc func(d time.Duration, f func()) (stop func() bool)
	Logger    *slog.Logger // nil: nothing is logged
}

// Set is the declared tools of one session.
type Set struct {
	o       Options
	pending *Pending
	// turnstile lets one call at a time make its request.
	turnstile chan struct{}
	// life ends with the session.
	life context.Context
	end  context.CancelCauseFunc
	work sync.WaitGroup

	replacing sync.Mutex // held during Replace and Close

	mu       sync.Mutex
	closed   bool
	manifest *Manifest
	defs     []*tools.Definition
	dispose  func()
}

// errEnded is the cause that ends a Set's requests.
var errEnded = errors.New("the session has ended")

// NewSet returns a set without tools; Close ends it.
func NewSet(o Options) *Set {
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.AfterFunc == nil {
		o.AfterFunc = func(d time.Duration, f func()) func() bool { return time.AfterFunc(d, f).Stop }
	}
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	s := &Set{o: o, pending: o.Pending, turnstile: make(chan struct{}, 1), manifest: &Manifest{}}
	if s.pending == nil {
		s.pending = &Pending{}
	}
	s.life, s.end = context.WithCancelCause(context.Background())
	return s
}

// Replace puts the tools of m in the place of those there are; on an error
// those stay. It checks all of m, see ParseManifest. To replace between turns
// is up to the caller; a call that is under way ends with the tool it began
// with.
func (s *Set) Replace(m *Manifest) error {
	checked, err := m.check(s.o.StrictSchemas)
	if err != nil {
		return err
	}
	defs := make([]*tools.Definition, len(checked))
	own := &Manifest{Guidance: m.Guidance, Tools: make([]Tool, len(checked))}
	for i := range checked {
		own.Tools[i] = checked[i].Tool
		defs[i] = s.definition(&checked[i])
	}
	s.replacing.Lock()
	defer s.replacing.Unlock()
	old, oldDefs, err := s.current()
	if err != nil {
		return err
	}
	old()
	dispose, err := s.o.Install(defs...)
	if err != nil {
		return errors.Join(err, s.reinstall(oldDefs))
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.manifest, s.defs, s.dispose = own, defs, dispose
	return nil
}

// current returns what Replace replaces.
func (s *Set) current() (dispose func(), defs []*tools.Definition, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return nil, nil, newError(CodeSessionEnded, "the session has ended", map[string]string{"sessionId": s.o.Session})
	}
	if s.dispose == nil {
		return func() {}, nil, nil
	}
	return s.dispose, s.defs, nil
}

// reinstall brings back what a failed Replace has taken away.
func (s *Set) reinstall(defs []*tools.Definition) error {
	dispose, err := s.o.Install(defs...)
	if err != nil {
		dispose = func() {}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.dispose = dispose
	return err
}

// Manifest returns what the session has now, normalized. It is not changed.
func (s *Set) Manifest() *Manifest {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.manifest
}

// Submit answers a request whose Caller said ErrDeferred. The errors are those
// of Pending.Submit, and MESSAGE_TOO_LARGE or TOOL_HANDLER_ERROR for a result
// that cannot be given to a model; that result settles nothing.
func (s *Set) Submit(requestID string, a Response) error {
	if a.Err == nil {
		if err := checkResult(a.Result); err != nil {
			return err
		}
		a.Err = errorIn(a.Result)
	}
	err := s.pending.Submit(s.o.Session, requestID, a)
	if err != nil {
		s.lateAnswer(requestID)
	}
	return err
}

// Late returns how many answers came too late, for all sessions of the Pending.
func (s *Set) Late() int { return s.pending.Late() }

func (s *Set) lateAnswer(requestID string) {
	s.o.Logger.Warn("declared: dropped an answer that nobody waits for",
		"code", CodeRequestNotFound, "session", s.o.Session, "request", requestID)
}

// Close removes the tools, ends the requests with SESSION_ENDED, and waits for
// their goroutines or the end of ctx; then the error says that some still run.
func (s *Set) Close(ctx context.Context) error {
	s.replacing.Lock()
	defer s.replacing.Unlock()
	s.mu.Lock()
	dispose := s.dispose
	s.closed, s.dispose = true, nil
	s.mu.Unlock()
	s.end(errEnded)
	if dispose != nil {
		dispose()
	}
	done := make(chan struct{})
	go func() {
		s.work.Wait()
		close(done)
	}()
	select {
	case <-done:
		return nil
	case <-ctx.Done():
		return errors.Join(errors.New("a handler of a declared tool still runs"), context.Cause(ctx))
	}
}
