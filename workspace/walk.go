package workspace

import (
	"cmp"
	"context"
	"errors"
	"io"
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
)

// Entry is one file or folder found by a walk or by Stat.
type Entry struct {
	Path string // absolute
	Rel  string // relative to the walked folder, with slashes
	Dir  bool
	// Type is what the entry is on disk. A walk describes a symbolic link
	// itself.
	Type fs.FileMode
	// Overlay is set for a file that exists only in an editor, and for a
	// folder that holds only such files.
	Overlay bool
	// Info comes from Stat; a walk leaves it nil, to ask the system less.
	Info fs.FileInfo
	// Err is why a folder of a walk could not be listed, nil for all others.
	Err error

	parent *node // that lists it; nil for Stat
	name   string
}

// Unlisted reports whether e is a folder whose entries a walk could not list.
func (e Entry) Unlisted() bool { return e.Err != nil }

// Compare orders the entries of one walk as Walk reports them: a negative
// number when e comes before other.
func (e Entry) Compare(other Entry) int {
	a, b := e.Rel, other.Rel
	for i := range min(len(a), len(b)) {
		switch {
		case a[i] == b[i]:
			continue
		case a[i] == '/':
			return -1
		case b[i] == '/':
			return 1
		}
		return cmp.Compare(a[i], b[i])
	}
	return cmp.Compare(len(a), len(b))
}

// Walk calls fn for each entry below dir in lexical order, ignored ones and
// .git left out, editors' new files included. Symlinked folders are not
// followed. fn returns fs.SkipDir or fs.SkipAll as for filepath.WalkDir.
// A folder that cannot be listed is reported again with its Err; an error is
// dir's, ctx's or fn's.
// Hidden files are not special. An ignored dir itself is walked when asked.
func (v *View) Walk(ctx context.Context, dir string, fn func(Entry) error) error {
	top, above, end, err := v.startWalk(dir)
	if err != nil {
		return err
	}
	defer end()
	l, err := top.list(above)
	if err != nil {
		return wrap("list", top.w.place.abs, err)
	}
	err = walkListing(ctx, l, fn)
	if errors.Is(err, fs.SkipAll) || errors.Is(err, fs.SkipDir) {
		return nil
	}
	return err
}

// walkListing reports the entries of a folder and what is below them.
func walkListing(ctx context.Context, l listing, fn func(Entry) error) error {
	for _, e := range l.entries {
		if ctx.Err() != nil {
			return aborted(ctx, e.Path)
		}
		switch err := fn(e); {
		case errors.Is(err, fs.SkipDir) && e.Dir:
			continue
		case errors.Is(err, fs.SkipDir):
			return nil
		case err != nil:
			return err
		}
		if !e.Dir {
			continue
		}
		if err := walkBelow(ctx, e, l.level, fn); err != nil {
			return err
		}
	}
	return nil
}

// walkBelow reports what is below a folder, or why that is not known.
func walkBelow(ctx context.Context, e Entry, above *level, fn func(Entry) error) error {
	n := e.node()
	if n.keep() {
		defer n.drop()
	}
	l, err := n.list(above)
	if err == nil {
		return walkListing(ctx, l, fn)
	}
	if errors.Is(err, fs.ErrNotExist) {
		return nil // it has gone meanwhile
	}
	e.Err = err
	if err := fn(e); !errors.Is(err, fs.SkipDir) {
		return err
	}
	return nil
}

// StreamEntry is Stream for an entry that a walk of this view found. It costs
// less: the file is opened from its folder, and unsaved text is as it was
// when the walk began. For files that this session has seen the Reader, a
// question to the editor, is asked (acp.md §10).
func (v *View) StreamEntry(ctx context.Context, e Entry) (io.ReadCloser, error) {
	if e.parent == nil || e.parent.w.v != v {
		return v.Stream(e.Path)
	}
	if ctx.Err() != nil {
		return nil, aborted(ctx, e.Path)
	}
	real := joinName(e.parent.real, e.name)
	if err := v.permit(e.Path, real); err != nil {
		return nil, err
	}
	w := e.parent.w
	if text, ok := w.unsaved[pathKey(real)]; ok {
		return streamText(text.Content()), nil
	}
	if v.reader != nil && v.hasSeen(real) {
		if h, err := v.Open(ctx, e.Path); err == nil && h.Exists {
			return streamText(h.Content()), nil
		}
	}
	if !e.Type.IsRegular() {
		return v.Stream(e.Path)
	}
	d, err := e.parent.hold()
	if err != nil {
		return v.Stream(e.Path) // which says what is wrong
	}
	defer e.parent.drop()
	file, size, err := d.open(e.name)
	if err != nil {
		return v.Stream(e.Path) // it may be another file by now
	}
	return &sized{file, size}, nil
}

func streamText(text string) io.ReadCloser { return io.NopCloser(strings.NewReader(text)) }

// sized is a file that ends where it ended when it was opened, so that no
// reader asks the system for its end. Files of 0 bytes are read to the end,
// which is elsewhere for those below /proc.
type sized struct {
	io.ReadCloser
	left int64
}

func (s *sized) Read(b []byte) (int, error) {
	n, err := s.ReadCloser.Read(b)
	if s.left > 0 && err == nil {
		if s.left -= int64(n); s.left <= 0 {
			return n, io.EOF
		}
	}
	return n, err
}

// walker is one walk.
type walker struct {
	v       *View
	place   place
	global  rules
	docs    map[string][]document // by folder, relative to the top
	unsaved map[string]Handle     // by pathKey
	open    atomic.Int32          // how many nodes are open
}

// document is a name that only an editor may know.
type document struct {
	name string
	dir  bool
}

// startWalk returns the top of a walk, open until end is called, and the rules
// above it.
func (v *View) startWalk(dir string) (top *node, above *level, end func(), err error) {
	p, err := v.locate(dir)
	if err != nil {
		return nil, nil, nil, err
	}
	w := &walker{v: v, place: p}
	w.docs, w.unsaved = v.unsavedBelow(p.real)
	if v.w.globalIgnore != "" {
		w.global = v.readRulesAt(v.w.globalIgnore)
	}
	top, end = &node{w: w, abs: p.abs, real: p.real}, func() {}
	_, err = top.hold()
	switch {
	case err == nil:
		end = top.drop
	case len(w.docs) == 0 || !errors.Is(err, fs.ErrNotExist):
		return nil, nil, nil, notListed(p, err)
	}
	return top, v.levelsAbove(p.real, p.root, w.global), end, nil
}

// notListed is the error of a path that could not be opened as a folder.
func notListed(p place, err error) error {
	if f, openErr := p.openParent(); openErr == nil {
		defer closeQuietly(f)
		if info, statErr := f.Lstat(p.name()); statErr == nil && !info.IsDir() {
			return &Error{
				Code: FSNotDirectory, Path: p.abs, Message: "not a directory: " + p.abs,
				Hint: "Name its folder, or read the file.", Err: err,
			}
		}
	}
	return wrap("list", p.abs, err)
}

// unsavedBelow returns editors' unsaved documents below dir by path, and the
// names that they need by folder.
func (v *View) unsavedBelow(dir string) (docs map[string][]document, unsaved map[string]Handle) {
	for _, h := range v.w.documents().Documents() {
		if !h.Dirty || h.Real == dir || !within(dir, h.Real) {
			continue
		}
		if docs == nil {
			docs, unsaved = map[string][]document{}, map[string]Handle{}
		}
		unsaved[pathKey(h.Real)] = h
		rel := strings.TrimPrefix(filepath.ToSlash(h.Real[len(dir):]), "/")
		for isDir := false; rel != "."; isDir = true {
			parent := path.Dir(rel)
			d := document{name: path.Base(rel), dir: isDir}
			folder := parent
			if parent == "." {
				folder = ""
			}
			if !slices.Contains(docs[folder], d) {
				docs[folder] = append(docs[folder], d)
			}
			rel = parent
		}
	}
	return docs, unsaved
}
