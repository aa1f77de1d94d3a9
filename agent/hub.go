package agent

import (
	"context"
	"log/slog"
	"time"

	"github.com/agent-ls/agent-ls/presentation"
	"github.com/agent-ls/agent-ls/tools"
	"github.com/agent-ls/agent-ls/tools/permission"
	"github.com/agent-ls/agent-ls/tools/proc"
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
	// DefaultMode is the mode of new sessions, DefaultModel their model.
	DefaultMode  permission.Mode
	DefaultModel string
	// Models lists the models to choose from; OpenModel makes one by id.
	Models    func() []ModelInfo
	OpenModel func(id string) (Model, ModelInfo, error)
	// Deps gives the dependencies of a session's tools.
	Deps func(s *Session) tools.Overrides
	// PermissionTimeout bounds the wait for an answer; 0 means none.
	PermissionTimeout time.Duration
	Parallel          int
	Logger            *slog.Logger
	Now               func() time.Time
	NewID             func() string
}

// Hub owns the sessions of a process.
type Hub struct{}

// NewHub returns a hub; Close ends it.
func NewHub(c Config) *Hub { panic("stub") }

// FrontEnd is what a connection gives to the sessions it owns.
type FrontEnd struct {
	// Sink gets every record, in order.
	Sink Sink
	// Asker answers permission questions; nil: there is no channel.
	Asker Asker
	// Runner runs commands; nil: local processes.
	Runner proc.Runner
	// Reader and Appliers are the editor's doors to files.
	Reader   workspace.Reader
	Appliers []workspace.Applier
}

// Sink shows a session. Event is called in order, from one goroutine at a
// time, after the record was written; a blocked sink blocks its session.
type Sink interface {
	Event(s *Session, r Record)
}

// Asker asks the user. It returns when the user has answered or ctx ended.
type Asker interface {
	Ask(ctx context.Context, q Question) (Answer, error)
}

// Question is one permission question.
type Question struct {
	Session   *Session
	CallID    string
	Name      string
	Arguments string
	Reason    string
	View      presentation.CallView
	// Scope is what "always" would cover, in words for the option's name.
	Scope string
}

// Answer is one of the option kinds of ACP, or cancelled.
type Answer string

// The answers.
const (
	AllowOnce       Answer = "allow_once"
	AllowAlways     Answer = "allow_always"
	RejectOnce      Answer = "reject_once"
	RejectAlways    Answer = "reject_always"
	AnswerCancelled Answer = "cancelled"
)

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

// New opens a new session. It syncs nothing to disk.
func (h *Hub) New(ctx context.Context, o SessionOptions) (*Session, error) { panic("stub") }

// Load opens a stored session; history is what was shown, in order.
func (h *Hub) Load(ctx context.Context, id string, o SessionOptions) (s *Session, history []Record, err error) {
	panic("stub")
}

// Get returns an open session.
func (h *Hub) Get(id string) (*Session, bool) { panic("stub") }

// SessionInfo is one entry of a list.
type SessionInfo struct {
	ID      string
	Cwd     string
	Roots   []string
	Title   string
	Updated time.Time
}

// List returns stored and open sessions, newest first, at most limit after
// cursor; cwd "" means all. Folders are compared by their real path.
func (h *Hub) List(cwd, cursor string, limit int) (page []SessionInfo, next string, err error) {
	panic("stub")
}

// Delete removes a session; an unknown id is no error.
func (h *Hub) Delete(id string) error { panic("stub") }

// Close closes all sessions and waits for what they run.
func (h *Hub) Close() { panic("stub") }

// Session is one conversation. Safe for concurrent use.
type Session struct{}

// ID returns the session's id.
func (s *Session) ID() string { panic("stub") }

// Cwd returns its working folder as the client gave it.
func (s *Session) Cwd() string { panic("stub") }

// View returns its view on the workspace.
func (s *Session) View() *workspace.View { panic("stub") }

// FrontEnd returns what the owner gave.
func (s *Session) FrontEnd() FrontEnd { panic("stub") }

// Mode returns the mode; SetMode changes it at once, for running turns too.
func (s *Session) Mode() permission.Mode { panic("stub") }

// SetMode changes the mode.
func (s *Session) SetMode(m permission.Mode) error { panic("stub") }

// Model returns the model's description.
func (s *Session) Model() ModelInfo { panic("stub") }

// SetModel changes the model from the next turn on.
func (s *Session) SetModel(id string) error { panic("stub") }

// Tools returns what the session's model sees.
func (s *Session) Tools() []tools.ToolSchema { panic("stub") }

// Saved reports whether the log is on disk, and why not.
func (s *Session) Saved() (bool, error) { panic("stub") }

// Prompt runs one turn; prompts queue in order. All records of the turn have
// been given to the sink when it returns. Ending ctx cancels the turn as
// Cancel does. A provider's failure is a *ProviderError.
func (s *Session) Prompt(ctx context.Context, blocks []presentation.Block) (StopReason, error) {
	panic("stub")
}

// Enqueue registers a prompt synchronously and returns a function that waits
// for its turn: a Cancel after Enqueue always hits it.
func (s *Session) Enqueue(ctx context.Context, blocks []presentation.Block) (wait func() (StopReason, error)) {
	panic("stub")
}

// Cancel ends the running turn and all queued prompts; it waits for nothing.
func (s *Session) Cancel() { panic("stub") }

// Close cancels, waits for what runs, closes the log.
func (s *Session) Close() { panic("stub") }
