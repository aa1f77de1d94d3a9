package workspace

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"
)

// Entry is one file or folder found by Walk.
type Entry struct {
	Path string // absolute
	Rel  string // relative to the walked folder, with slashes
	Dir  bool
	// Overlay is set for a file that exists only in an editor, and for a
	// folder that holds only such files.
	Overlay bool
	// Info is nil for Overlay. A symbolic link is described itself.
	Info fs.FileInfo

	walk *walker // that found it
}

// Walk calls fn for each entry below dir in lexical order, ignored ones and
// .git left out, editors' new files included. Symlinked folders are not
// followed. fn returns fs.SkipDir or fs.SkipAll as for filepath.WalkDir.
// Entries that cannot be read are left out; an error is dir's, ctx's or fn's.
// Hidden files are not special. An ignored dir itself is walked when asked.
func (v *View) Walk(ctx context.Context, dir string, fn func(Entry) error) error {
	w, err := v.newWalker(dir)
	if err != nil {
		return err
	}
	defer closeQuietly(w.top)
	w.fn = fn
	top, err := w.read("")
	if err != nil {
		return wrap("list", w.place.abs, err)
	}
	err = w.walk(ctx, top, v.levelsAbove(w.place.real, w.place.root))
	if errors.Is(err, fs.SkipAll) || errors.Is(err, fs.SkipDir) {
		return nil
	}
	return err
}

// WalkParallel is Walk with the given number of goroutines that call fn for
// files, in no order; folders are not reported. The first error of fn, also
// fs.SkipAll, ends the walk, and the calls that still run are waited for.
func (v *View) WalkParallel(ctx context.Context, dir string, workers int, fn func(Entry) error) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	files := make(chan Entry, 4*workers)
	var running sync.WaitGroup
	for range workers {
		running.Go(func() {
			for e := range files {
				if ctx.Err() != nil {
					continue
				}
				if err := fn(e); err != nil {
					cancel(err)
				}
			}
		})
	}
	err := v.Walk(ctx, dir, func(e Entry) error {
		if e.Dir {
			return nil
		}
		select {
		case files <- e:
			return nil
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	})
	close(files)
	running.Wait()
	if cause := context.Cause(ctx); cause != nil {
		err = cause
	}
	if errors.Is(err, fs.SkipAll) {
		return nil
	}
	return err
}

// OpenEntry is Open for an entry that a walk found. While that walk goes on
// it costs less: the path is not resolved anew but opened from the walked
// folder, which it cannot leave, and the Reader, a question to the editor, is
// asked only for files that this session has seen (acp.md §10).
func (v *View) OpenEntry(ctx context.Context, e Entry) (Handle, error) {
	w := e.walk
	if w == nil || w.v != v || e.Info == nil || !e.Info.Mode().IsRegular() {
		return v.Open(ctx, e.Path)
	}
	if ctx.Err() != nil {
		return Handle{}, aborted(ctx, e.Path)
	}
	name := filepath.FromSlash(e.Rel)
	p := place{abs: e.Path, real: filepath.Join(w.place.real, name), root: w.place.root}
	if err := v.permit(p.abs, p.real); err != nil {
		return Handle{}, err
	}
	text, info, err := w.readKnown(name, e.Info)
	if err != nil {
		return v.Open(ctx, e.Path) // the walk is over, or the file another
	}
	disk := p.handle(text, info)
	h, found := v.overlay(disk)
	if found || !v.hasSeen(p.real) {
		return h, nil
	}
	return v.ask(ctx, disk)
}

// readKnown reads a file that the walk has seen as known.
func (w *walker) readKnown(name string, known fs.FileInfo) (string, fs.FileInfo, error) {
	file, info, err := w.top.openKnown(name, known)
	if err != nil {
		return "", nil, err
	}
	defer closeQuietly(file)
	text, err := readWhole(file, name, info.Size(), w.v.w.maxFileSize)
	return text, info, err
}

// walker is one walk.
type walker struct {
	v      *View
	place  place
	top    *folder
	global rules
	docs   map[string][]document // by folder, relative to the top
	fn     func(Entry) error
}

// document is a name that only an editor may know.
type document struct {
	name string
	dir  bool
}

// listing is the content of one folder: rel is "" at the top.
type listing struct {
	rel     string
	entries []Entry // sorted by name
	// what the unfiltered folder holds
	dotIgnore, gitIgnore, repository bool
}

func (v *View) newWalker(dir string) (*walker, error) {
	p, err := v.locate(dir)
	if err != nil {
		return nil, err
	}
	top, err := openFolder(p.real, p.root, nil)
	if err != nil {
		return nil, notListed(p, err)
	}
	w := &walker{v: v, place: p, top: top, docs: v.unsavedBelow(p.real)}
	if v.w.globalIgnore != "" {
		w.global = v.readRulesAt(v.w.globalIgnore)
	}
	return w, nil
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

// unsavedBelow returns the names that editors' unsaved documents need below
// dir, by folder.
func (v *View) unsavedBelow(dir string) map[string][]document {
	docs := map[string][]document{}
	for _, h := range v.w.documents().Documents() {
		if !h.Dirty || h.Real == dir || !within(dir, h.Real) {
			continue
		}
		rel := strings.TrimPrefix(filepath.ToSlash(h.Real[len(dir):]), "/")
		for isDir := false; rel != "."; isDir = true {
			parent := path.Dir(rel)
			d := document{name: path.Base(rel), dir: isDir}
			key := strings.TrimPrefix(parent, ".")
			if parent != "." {
				key = parent
			}
			if !slices.Contains(docs[key], d) {
				docs[key] = append(docs[key], d)
			}
			rel = parent
		}
	}
	return docs
}

// walk reports the entries of a folder and what is below them.
func (w *walker) walk(ctx context.Context, l listing, above *level) error {
	here := w.level(l, above)
	for _, e := range l.entries {
		if ctx.Err() != nil {
			return aborted(ctx, e.Path)
		}
		name := path.Base(e.Rel)
		if name == gitName || here.ignored(here.dir+"/"+name, name, e.Dir, w.global) {
			continue
		}
		switch err := w.fn(e); {
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
		below, err := w.read(e.Rel)
		if err != nil {
			w.v.w.log.Debug("folder left out", "path", e.Path, "err", err)
			continue
		}
		if err := w.walk(ctx, below, here); err != nil {
			return err
		}
	}
	return nil
}

// level reads the rules of a listed folder.
func (w *walker) level(l listing, above *level) *level {
	here := &level{parent: above, dir: slashed(filepath.Join(w.place.real, l.rel)), repository: l.repository}
	if l.dotIgnore {
		here.dot = w.v.readRules(w.top, filepath.Join(l.rel, dotIgnore))
	}
	if l.gitIgnore {
		here.git = w.v.readRules(w.top, filepath.Join(l.rel, gitIgnore))
	}
	if l.repository {
		here.exclude = w.v.readExclude(filepath.Join(w.place.real, l.rel))
	}
	return here
}

// read lists one folder, with the names that only editors know.
func (w *walker) read(rel string) (listing, error) {
	l := listing{rel: rel}
	onDisk, err := w.readDisk(rel)
	docs := w.docs[rel]
	if err != nil && (len(docs) == 0 || !errors.Is(err, fs.ErrNotExist)) {
		return l, err
	}
	l.entries = make([]Entry, 0, len(onDisk)+len(docs))
	names := make(map[string]bool, len(docs))
	for _, d := range onDisk {
		name := d.Name()
		l.dotIgnore = l.dotIgnore || name == dotIgnore
		l.gitIgnore = l.gitIgnore || name == gitIgnore
		l.repository = l.repository || name == gitName
		if len(docs) > 0 {
			names[name] = true
		}
		info, err := d.Info()
		if err != nil {
			continue // it went away meanwhile
		}
		l.entries = append(l.entries, w.entry(rel, name, d.IsDir(), info))
	}
	for _, d := range docs {
		if !names[d.name] {
			l.entries = append(l.entries, w.entry(rel, d.name, d.dir, nil))
		}
	}
	slices.SortFunc(l.entries, func(a, b Entry) int { return cmp.Compare(a.Rel, b.Rel) })
	return l, nil
}

func (w *walker) entry(rel, name string, dir bool, info fs.FileInfo) Entry {
	if rel != "" {
		name = rel + "/" + name
	}
	return Entry{
		Path: filepath.Join(w.place.abs, filepath.FromSlash(name)), Rel: name, Dir: dir, Overlay: info == nil, Info: info, walk: w,
	}
}

// readDisk lists one folder of the disk, as far as it can be read.
func (w *walker) readDisk(rel string) ([]fs.DirEntry, error) {
	f, err := w.top.Open(cmp.Or(rel, "."))
	if err != nil {
		return nil, err
	}
	defer closeQuietly(f)
	entries, err := f.ReadDir(-1)
	if len(entries) > 0 {
		return entries, nil
	}
	return nil, err
}
