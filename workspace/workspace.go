package workspace

import (
	"context"
	"errors"
	"log/slog"
	"os"
	"sync"

	"github.com/agent-ls/agent-ls/workspace/diff"
)

// DefaultMaxFileSize is the size in bytes above which Open refuses a file,
// unless Options say otherwise.
const DefaultMaxFileSize = 64 << 20

// Options configure a Workspace; every field may be zero.
type Options struct {
	Logger *slog.Logger
	// GlobalIgnore is the path of the user's own ignore file (git's
	// core.excludesFile).
	GlobalIgnore string
	// Home is what ~ stands for; the user's home folder by default.
	Home string
	// MaxFileSize is the largest file in bytes that Open reads.
	MaxFileSize int64
}

// Workspace holds what every session of the process shares: the documents of
// connected editors (the Overlay), the mutation queues, ignore rules.
type Workspace struct {
	log          *slog.Logger
	globalIgnore string
	home         string
	maxFileSize  int64
	queue        *queue
	// fault, when set, may make a disk operation fail; for tests.
	fault func(op, path string) error

	mu      sync.RWMutex
	overlay Overlay
}

// New returns a Workspace over the disk.
func New(o Options) *Workspace {
	w := &Workspace{
		log:          o.Logger,
		globalIgnore: o.GlobalIgnore,
		home:         o.Home,
		maxFileSize:  o.MaxFileSize,
		queue:        newQueue(),
		overlay:      noOverlay{},
	}
	if w.log == nil {
		w.log = slog.New(slog.DiscardHandler)
	}
	if w.maxFileSize <= 0 {
		w.maxFileSize = DefaultMaxFileSize
	}
	if w.home == "" {
		if home, err := os.UserHomeDir(); err == nil {
			w.home = home
		}
	}
	return w
}

// Overlay is editors' unsaved text over the disk. The language server's
// document store implements it; paths are absolute and real.
type Overlay interface {
	// Document returns the open document at path.
	Document(path string) (Handle, bool)
	// Documents returns all open documents.
	Documents() []Handle
}

// noOverlay is the Overlay of a process without editors.
type noOverlay struct{}

func (noOverlay) Document(string) (Handle, bool) { return Handle{}, false }
func (noOverlay) Documents() []Handle            { return nil }

// SetOverlay puts o over the disk for every view; call it before any view is
// used.
func (w *Workspace) SetOverlay(o Overlay) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.overlay = o
}

// documents returns the overlay now in force.
func (w *Workspace) documents() Overlay {
	w.mu.RLock()
	defer w.mu.RUnlock()
	return w.overlay
}

// Reader is a session's own source of unsaved text: an ACP client's
// fs/read_text_file. ok false means: use the disk.
type Reader interface {
	// ReadText returns the editor's text of the file at path (absolute, as
	// asked), as it would be saved. disk is the text on disk now, with which
	// the Reader tells a stale buffer from an edited one (acp.md §10). It is
	// not asked for files that do not exist on disk.
	ReadText(ctx context.Context, path string, disk string) (text string, ok bool, err error)
}

// Applier is a door to a file other than the disk: an editor. Apply is called
// with the file's mutation queue held.
type Applier interface {
	// Apply changes one file. An error means that nothing was changed or that
	// the outcome is unknown, and says which; one that is ErrTryAgain means
	// that nothing was changed.
	Apply(ctx context.Context, f FileWrite) (Outcome, error)
}

// Outcome is what an Applier did with a write.
type Outcome int

// The outcomes of a write.
const (
	// Declined: nothing was done. The next door, at last the disk, is tried.
	Declined Outcome = iota
	// Taken: the editor says that it made the change. What it made of it is
	// read back.
	Taken
	// Confirmed: the editor was seen with the very text. What it holds later
	// is its user's doing.
	Confirmed
)

// ErrTryAgain marks an Applier's error after which the change may go through
// when it is planned on the text that is there now, as when the user typed
// while it was on its way.
var ErrTryAgain = errors.New("the text is moving")

// FileWrite is one write of the text of a file, given to an Applier.
type FileWrite struct {
	Path   string // absolute, real
	Before Handle // its Path is the path as asked
	After  string // whole new text, bytes as on disk
	Edits  []diff.Edit
	// Create says that the file is new (parents exist already).
	Create bool
}
