package agent

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/agent-ls/agent-ls/tools"
	"github.com/agent-ls/agent-ls/tools/cache"
	"github.com/agent-ls/agent-ls/tools/permission"
	"github.com/agent-ls/agent-ls/workspace"
)

// Config wires a Hub.
type Config struct {
	Workspace *workspace.Workspace
	Registry  *tools.Registry
	// StateDir is where sessions lie; "" keeps nothing.
	StateDir string
	Grants   *permission.Grants
	// Rules are the user's own permission rules.
	Rules []permission.Rule
	// Protected are paths of agent-ls's own configuration; StateDir always is.
	Protected []string
	// DefaultMode is the mode of new sessions, DefaultModel their model.
	DefaultMode  permission.Mode
	DefaultModel string
	// ModeFrom names the file that chose DefaultMode where the user did not, "" for
	// the user's own choice.
	ModeFrom string
	// Models lists the models to choose from; OpenModel makes one by id.
	Models    func() []ModelInfo
	OpenModel func(id string) (Model, ModelInfo, error)
	// OpenDriver, when set, is asked before OpenModel: a driver that runs the
	// turns of this session itself, such as a hosted agent. ok false means that
	// id is a model's. A driver that is an io.Closer is closed with the session
	// or when another model replaces it.
	OpenDriver func(s *Session, id string) (d Driver, info ModelInfo, ok bool, err error)
	// Deps gives the dependencies of a session's tools, once a session.
	Deps func(s *Session) tools.Overrides
	// System returns text for the model's instructions, after those every
	// session has; nil adds none.
	System func(s *Session) string
	// Outputs stores what does not fit a model's context, as Cache says; nil
	// cuts nothing.
	Outputs *cache.Store
	Cache   cache.Config
	// Forget removes what is kept of a deleted session elsewhere: spilled
	// output, checkpoints, transcripts. Of a session that is not stored here it
	// gets the id alone.
	Forget func(session SessionInfo) error
	// TurnBegins, when set, is called when a turn begins, before anything in it
	// can change a file, for a checkpoint. The turn waits for it.
	TurnBegins func(s *Session, prompt string)
	// Recorder, when set, gives what is told of the changes that a call makes to
	// files; nil: nobody is.
	Recorder func(s *Session, call string) workspace.Recorder
	// PermissionTimeout bounds the wait for an answer; 0 means none.
	PermissionTimeout time.Duration
	// CancelGrace is how long a cancelled turn waits for what it runs before
	// it ends without it; 0 means 1.5 s.
	CancelGrace time.Duration
	// Parallel is the size of a batch's pool, see tools.BatchOptions.
	Parallel int
	// MaxRequests bounds the requests to a model in one turn; 0 means 200.
	// Direct models are not bounded: their program is finite.
	MaxRequests int
	// Retry says what becomes of failed requests to a model.
	Retry Retry
	// Thinking is how hard models think from the start, where they can be told;
	// "" leaves it to them.
	Thinking string
	// Version is the program's, for the headers of logs.
	Version string
	Logger  *slog.Logger
	Now     func() time.Time
	// NewID returns a new random id of [A-Za-z0-9_-]; nil gives UUIDs.
	NewID func() string
}

// Defaults of Config.
const (
	defaultCancelGrace = 1500 * time.Millisecond
	defaultMaxRequests = 200
)

// withDefaults fills what is zero.
func (c Config) withDefaults() Config {
	if c.Logger == nil {
		c.Logger = slog.New(slog.DiscardHandler)
	}
	if c.Now == nil {
		c.Now = time.Now
	}
	if c.NewID == nil {
		c.NewID = newUUID
	}
	if c.CancelGrace == 0 {
		c.CancelGrace = defaultCancelGrace
	}
	if c.MaxRequests == 0 {
		c.MaxRequests = defaultMaxRequests
	}
	if c.DefaultMode == "" {
		c.DefaultMode = permission.AskMode
	}
	if c.Registry == nil {
		c.Registry = tools.NewRegistry()
	}
	if c.Workspace == nil {
		c.Workspace = workspace.New(workspace.Options{Logger: c.Logger})
	}
	if c.Grants == nil {
		c.Grants = permission.OpenGrants("")
	}
	return c
}

// newUUID returns a random UUID (version 4).
func newUUID() string {
	var b [16]byte
	rand.Read(b[:])
	b[6], b[8] = b[6]&0x0f|0x40, b[8]&0x3f|0x80
	return fmt.Sprintf("%x-%x-%x-%x-%x", b[:4], b[4:6], b[6:8], b[8:10], b[10:])
}

// Hub owns the sessions of a process. Safe for concurrent use.
type Hub struct {
	c       Config
	store   *Store
	repeats *tools.RepeatGuard
	// toolsVersion counts the changes of the registry.
	toolsVersion atomic.Int64
	unlisten     func()

	mu      sync.Mutex
	closed  bool
	open    map[string]*Session
	loading map[string]chan struct{} // closed when the load of the id is over
	current map[any]*Session
}

// NewHub returns a hub; Close ends it.
func NewHub(c Config) *Hub {
	c = c.withDefaults()
	repeats, err := tools.NewRepeatGuard(tools.DefaultRepeatOptions())
	if err != nil {
		panic("agent: " + err.Error()) // the defaults are wrong
	}
	h := &Hub{
		c: c, store: NewStore(c.StateDir, c.Logger), repeats: repeats,
		open: map[string]*Session{}, loading: map[string]chan struct{}{}, current: map[any]*Session{},
	}
	h.unlisten = c.Registry.OnChange(func() error {
		h.toolsVersion.Add(1)
		return nil
	})
	return h
}

// Store returns the saved sessions.
func (h *Hub) Store() *Store { return h.store }

// Models lists the models to choose from.
func (h *Hub) Models() []ModelInfo {
	if h.c.Models == nil {
		return nil
	}
	return h.c.Models()
}

// ErrClosed says that the hub or the session is closed.
var ErrClosed = errors.New("closed")

// SessionOptions describe a session to open.
type SessionOptions struct {
	Cwd      string   // absolute
	Roots    []string // further roots
	Mode     permission.Mode
	Model    string
	FrontEnd FrontEnd
	// OnClose runs once when the session closes.
	OnClose func()
}

// New opens a new session and makes it its connection's current one. It
// touches no disk but for resolving Cwd.
func (h *Hub) New(ctx context.Context, o SessionOptions) (*Session, error) {
	return h.newSession(ctx, h.c.NewID(), o)
}

// newSession opens a new session under an id.
func (h *Hub) newSession(ctx context.Context, id string, o SessionOptions) (*Session, error) {
	header := logHeader{
		Session: id, Created: h.c.Now().UTC().Round(0), Version: h.c.Version,
		Mode: string(first(o.Mode, h.c.DefaultMode)), Model: first(o.Model, h.c.DefaultModel),
	}
	header.place(o)
	s := newSession(h, o, header)
	s.log = h.store.create(header)
	err := ctx.Err()
	if err == nil {
		err = s.init(s.state.mode)
	}
	if err == nil {
		err = s.useModel(s.state.model)
	}
	if err == nil {
		err = h.add(s)
	}
	if err != nil {
		s.Close()
		return nil, err
	}
	return s, nil
}

// place puts the folders of o into h.
func (h *logHeader) place(o SessionOptions) {
	h.Cwd, h.RealCwd, h.Roots = o.Cwd, realPath(o.Cwd), o.Roots
}

// first returns a unless it is empty, else b.
func first[T ~string](a, b T) T {
	if a != "" {
		return a
	}
	return b
}

// add registers a new session.
func (h *Hub) add(s *Session) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.closed {
		return ErrClosed
	}
	h.open[s.id] = s
	if c := s.frontEnd.Connection; c != nil {
		h.current[c] = s
	}
	return nil
}

// remove forgets a closed session.
func (h *Hub) remove(s *Session) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.open[s.id] == s {
		delete(h.open, s.id)
		h.repeats.Reset(s.id)
	}
	maps.DeleteFunc(h.current, func(_ any, cur *Session) bool { return cur == s })
}

// Get returns an open session.
func (h *Hub) Get(id string) (*Session, bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	s, ok := h.open[id]
	return s, ok
}

// Current returns the session that was last made for a connection (contract
// §7, settled detail 6).
func (h *Hub) Current(connection any) (*Session, bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	s, ok := h.current[connection]
	return s, ok
}

// Close closes all sessions and waits for what they run.
func (h *Hub) Close() {
	h.mu.Lock()
	h.closed = true
	open := slices.Collect(maps.Values(h.open))
	h.mu.Unlock()
	var wg sync.WaitGroup
	for _, s := range open {
		wg.Go(s.Close)
	}
	wg.Wait()
	h.unlisten()
}
