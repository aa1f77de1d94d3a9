// Package workspace is the truth about text.
package workspace

import (
	"context"
	"io/fs"
	"log/slog"

	"github.com/agent-ls/agent-ls/workspace/diff"
)

// Options configure a Workspace; every field may be zero.
type Options struct {
	Logger *slog.Logger
	// GlobalIgnore is the path of the user's own ignore file.
	GlobalIgnore string
}

// Workspace holds what every session of the process shares: the documents of
// connected editors (the Overlay), the mutation queues, ignore rules.
type Workspace struct{}

// New returns a Workspace over the disk.
func New(o Options) *Workspace { panic("stub") }

// Overlay is editors' unsaved text over the disk. The language server's
// document store implements it; paths are absolute and real.
type Overlay interface {
	// Document returns the open document at path.
	Document(path string) (Handle, bool)
	// Documents returns all open documents.
	Documents() []Handle
}

// SetOverlay puts o over the disk for every view; call it before any view is
// used.
func (w *Workspace) SetOverlay(o Overlay) { panic("stub") }

// Reader is a session's own source of unsaved text: an ACP client's
// fs/read_text_file. ok false means: use the disk.
type Reader interface {
	ReadText(ctx context.Context, path string, disk string) (text string, ok bool, err error)
}

// Applier is a door to a file other than the disk: an editor. Apply is called
// with the file's mutation queue held.
type Applier interface {
	// Apply changes one file. handled false means that this door does not
	// take it and nothing was done; then the next door, at last the disk, is
	// tried. An error means that nothing was changed or that the outcome is
	// unknown, and says which.
	Apply(ctx context.Context, f FileWrite) (handled bool, err error)
}

// FileWrite is one write of the text of a file, given to an Applier.
type FileWrite struct {
	Path   string // absolute, real
	Before Handle
	After  string // whole new text, bytes as on disk
	Edits  []diff.Edit
	// Create says that the file is new (parents exist already).
	Create bool
}

// ViewOptions describe a session's view.
type ViewOptions struct {
	// Cwd is absolute; relative paths start there. Roots default to Cwd.
	Cwd   string
	Roots []string
	// Reader and Appliers are the session's editor, tried in order.
	Reader   Reader
	Appliers []Applier
}

// View is one session's sight of the workspace: its roots, what it has seen
// of each file, its doors. Safe for concurrent use.
type View struct{}

// View returns a new view.
func (w *Workspace) View(o ViewOptions) *View { panic("stub") }

// Cwd returns the session's working folder; Roots its roots.
func (v *View) Cwd() string { panic("stub") }

// Roots returns the roots, absolute as given.
func (v *View) Roots() []string { panic("stub") }

// Abs resolves a path as a tool got it (relative, ~, file: URI, Windows
// spellings, leading @) to an absolute one. It does not touch the disk.
func (v *View) Abs(path string) (string, error) { panic("stub") }

// Resolve returns the real path: symlinks of the file or of its deepest
// existing ancestor resolved. inside says whether that is inside the roots.
func (v *View) Resolve(path string) (real string, inside bool, err error) { panic("stub") }

// Handle is one file at one moment: immutable.
type Handle struct {
	Path    string // absolute, as asked
	Real    string // symlinks resolved
	Version int32  // of the editor's document, 0 for the disk
	Exists  bool
	// SameAsDisk is false when the text is an editor's and differs from the
	// file.
	SameAsDisk bool
	// Dirty says that an editor holds unsaved text for this file.
	Dirty bool
	// DiskChanged says that the disk changed under an editor's unsaved text.
	DiskChanged bool
	Mode        fs.FileMode

	text string
	hash string
}

// Content returns the text: the bytes of the file, or of the editor's text as
// they would be saved.
func (h Handle) Content() string { return h.text }

// Hash returns the lower-case hexadecimal SHA-256 of Content.
func (h Handle) Hash() string { return h.hash }

// NewHandle makes a handle of a text; for Overlay implementations and tests.
func NewHandle(path, text string) Handle { panic("stub") }

// Open returns the file at path as it is now, editors' text first. A missing
// file is no error: Exists is false. A directory, device, socket, FIFO or a
// file over the size limit is an *Error.
func (v *View) Open(ctx context.Context, path string) (Handle, error) { panic("stub") }

// Observe remembers that this session has seen h, for Check.
func (v *View) Observe(h Handle) { panic("stub") }

// Check fails with FS_NOT_OBSERVED when this session has not seen the file at
// h.Real, and with FS_STALE_VERSION when the disk text changed since it last
// did by other hands than this view's.
func (v *View) Check(h Handle) error { panic("stub") }

// Op is what a Change does.
type Op string

// The operations.
const (
	OpCreate Op = "create"
	OpUpdate Op = "update"
	OpDelete Op = "delete"
	OpMove   Op = "move" // update and rename to MoveTo
)

// Change is one planned change of one file, computed against Base.
type Change struct {
	Op     Op
	Base   Handle      // what the change was computed against
	Edits  []diff.Edit // of Base's content, for update and move
	Text   string      // for create: the whole content
	MoveTo string      // absolute, for move
}

// Applied is what became of a Change.
type Applied struct {
	Change Change
	// Before and After are the text just before and just after, which differ
	// from the plan when it was rebased.
	Before, After Handle
	Rebased       bool
	// Door says where the change went: "disk" or "editor".
	Door string
}

// Apply makes all changes or none. Each file's queue is held, in a fixed
// order, from the check to the write. A file that changed since the plan is
// rebased when only an editor or this view itself changed it elsewhere, else
// it fails with FS_STALE_VERSION. What fails midway is rolled back, and the
// error says what could not be. Every new text is observed.
func (v *View) Apply(ctx context.Context, changes []Change) ([]Applied, error) { panic("stub") }

// Entry is one file or folder found by Walk.
type Entry struct {
	Path string // absolute
	Rel  string // relative to the walked folder, with slashes
	Dir  bool
	// Overlay is set for a file that exists only in an editor.
	Overlay bool
	Info    fs.FileInfo // nil for Overlay
}

// Walk calls fn for each entry below dir in lexical order, ignored ones and
// .git left out, editors' new files included. Symlinked folders are not
// followed. fn returns fs.SkipDir or fs.SkipAll as for filepath.WalkDir.
func (v *View) Walk(ctx context.Context, dir string, fn func(Entry) error) error { panic("stub") }

// Overlaid returns the unsaved text of path, if an editor has any that tools
// must see instead of the disk.
func (v *View) Overlaid(path string) (Handle, bool) { panic("stub") }
