package workspace

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"strings"
	"sync"
)

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
type View struct {
	*state
	limit    *Limit   // nil: none
	recorder Recorder // nil: nobody is told
}

// state is what all views of one session share.
type state struct {
	w         *Workspace
	cwd       string
	roots     []string // as given
	realRoots []string
	reader    Reader
	appliers  []Applier

	mu   sync.Mutex
	seen map[string]*sight // by pathKey
	kept texts
}

// View returns a new view. The roots are resolved now: a root that later
// becomes a link to elsewhere takes no file with it.
func (w *Workspace) View(o ViewOptions) *View {
	v := &View{state: &state{w: w, cwd: o.Cwd, roots: o.Roots, reader: o.Reader, appliers: o.Appliers, seen: map[string]*sight{}}}
	if len(v.roots) == 0 && o.Cwd != "" {
		v.roots = []string{o.Cwd}
	}
	for _, root := range v.roots {
		abs, err := v.Abs(root)
		if err != nil {
			w.log.Warn("root left out", "root", root, "err", err)
			continue
		}
		found, err := followLinks(abs)
		if err != nil {
			w.log.Warn("root left out", "root", root, "err", err)
			continue
		}
		v.realRoots = append(v.realRoots, found.real)
	}
	return v
}

// Cwd returns the session's working folder.
func (v *View) Cwd() string { return v.cwd }

// Roots returns the roots, absolute as given.
func (v *View) Roots() []string { return append([]string(nil), v.roots...) }

// Open returns the file at path as it is now, editors' text first: unsaved
// text of an open document, then what the Reader has, then the disk. A
// missing file is no error: Exists is false. A directory, device, socket,
// FIFO or a file over the size limit is an *Error.
func (v *View) Open(ctx context.Context, path string) (Handle, error) {
	p, err := v.locate(path)
	if err != nil {
		return Handle{}, err
	}
	return v.openPlace(ctx, p)
}

// openPlace is Open for a path that is resolved already.
func (v *View) openPlace(ctx context.Context, p place) (Handle, error) {
	if ctx.Err() != nil {
		return Handle{}, aborted(ctx, p.abs)
	}
	disk, err := v.openDisk(p)
	if err != nil {
		return Handle{}, err
	}
	h, found := v.overlay(disk)
	if found {
		return h, nil
	}
	return v.ask(ctx, disk)
}

// ask returns what the session's Reader makes of a file on disk.
func (v *View) ask(ctx context.Context, disk Handle) (Handle, error) {
	if v.reader == nil || !disk.Exists {
		return disk, nil
	}
	h := disk
	text, ok, err := v.reader.ReadText(ctx, disk.Path, disk.Content())
	if err != nil {
		return Handle{}, readerFailed(ctx, disk.Path, err)
	}
	if ok && text != disk.Content() {
		h.text, h.Dirty, h.SameAsDisk = &content{text: text}, true, false
	}
	return h, nil
}

func readerFailed(ctx context.Context, path string, err error) error {
	if ctx.Err() != nil {
		return aborted(ctx, path)
	}
	return &Error{
		Code: FSIOError, Path: path, Message: "the editor did not give the text of " + path + ": " + err.Error(),
		Hint: "Retry once; if it fails again, tell the user.", Err: err,
	}
}

// openDisk returns the file at p as the disk has it.
func (v *View) openDisk(p place) (Handle, error) {
	dir, err := p.openParent()
	if errors.Is(err, fs.ErrNotExist) {
		return p.missing(), nil
	}
	if err != nil {
		return Handle{}, wrap("open", p.abs, err)
	}
	defer closeQuietly(dir)
	seen := v.seenText(p.real)
	text, info, err := dir.readFile(p.name(), v.w.maxFileSize, seen.string())
	if errors.Is(err, fs.ErrNotExist) {
		return p.missing(), nil
	}
	if err != nil {
		return Handle{}, wrap("read", p.abs, err)
	}
	if seen == nil || text != seen.string() {
		seen = &content{text: text}
	}
	return p.handle(seen, info), nil
}

// missing is the handle of a place without a file.
func (p place) missing() Handle {
	return Handle{Path: p.abs, Real: p.real, Inside: p.inside(), SameAsDisk: true}
}

// handle returns the handle of a place whose file on disk holds a text.
func (p place) handle(text *content, info fs.FileInfo) Handle {
	h := p.missing()
	h.Exists, h.Mode, h.info = true, info.Mode(), info
	h.text, h.disk = text, text
	return h
}

// overlay lays an editor's document over the text on disk. found says that
// an editor has the file open: over a clean document the disk wins, under a
// dirty one the document (contract §7).
func (v *View) overlay(disk Handle) (h Handle, found bool) {
	doc, ok := v.w.documents().Document(disk.Real)
	if !ok {
		return disk, false
	}
	h = disk
	h.SavedHash = doc.SavedHash
	same := disk.Exists && doc.Content() == disk.Content()
	switch {
	case same:
		h.Version = doc.Version
	case doc.Dirty:
		h.Version, h.DiskChanged = doc.Version, doc.DiskChanged
		h.text, h.Exists, h.Dirty, h.SameAsDisk = doc.text, true, true, false
	}
	return h, true
}

// Overlaid returns the unsaved text of path, if an editor has any that tools
// must see instead of the disk. A session's Reader is not asked.
func (v *View) Overlaid(path string) (Handle, bool) {
	p, err := v.locate(path)
	if err != nil {
		return Handle{}, false
	}
	doc, ok := v.w.documents().Document(p.real)
	if !ok || !doc.Dirty {
		return Handle{}, false
	}
	doc.Path, doc.Real, doc.Inside = p.abs, p.real, p.inside()
	return doc, true
}

// Stream opens the file at path for reading from its start, whatever its
// size: unsaved text of an open document, else the disk. The session's
// Reader is not asked. The caller closes the stream. Errors are those of
// Open, and FS_NOT_FOUND.
func (v *View) Stream(path string) (io.ReadCloser, error) {
	p, err := v.locate(path)
	if err != nil {
		return nil, err
	}
	if doc, ok := v.w.documents().Document(p.real); ok && doc.Dirty {
		return io.NopCloser(strings.NewReader(doc.Content())), nil
	}
	dir, err := p.openParent()
	if err != nil {
		return nil, wrap("open", p.abs, err)
	}
	defer closeQuietly(dir)
	file, _, err := dir.openFile(p.name())
	if err != nil {
		return nil, wrap("open", p.abs, err)
	}
	return file, nil
}

// closeQuietly closes what was only read: there is nothing to lose.
func closeQuietly(c io.Closer) { _ = c.Close() }
