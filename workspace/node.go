package workspace

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
)

// maxOpenNodes is how many folders one walk keeps open for later use.
const maxOpenNodes = 128

// node is a folder of a walk. It is open while somebody holds it; who needs
// it later opens it anew, from its parent or else from the walked folder on.
// Safe for concurrent use.
type node struct {
	w      *walker
	parent *node  // nil at the top
	name   string // in the parent
	abs    string
	real   string
	rel    string // relative to the top, with slashes; "" at the top

	mu   sync.Mutex
	held int
	dir  dir // while held
}

// node returns the folder that e is.
func (e Entry) node() *node {
	p := e.parent
	return &node{w: p.w, parent: p, name: e.name, abs: e.Path, real: joinName(p.real, e.name), rel: e.Rel}
}

// hold returns the open folder; drop lets it go.
func (n *node) hold() (dir, error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.held == 0 {
		d, err := n.open()
		if err != nil {
			return dir{}, err
		}
		n.dir = d
		n.w.open.Add(1)
	}
	n.held++
	return n.dir, nil
}

// keep holds the folder when there is one and not too many are open.
func (n *node) keep() bool {
	if n.w.open.Load() >= maxOpenNodes {
		return false
	}
	_, err := n.hold()
	return err == nil
}

func (n *node) drop() {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.held--; n.held == 0 {
		closeQuietly(n.dir)
		n.w.open.Add(-1)
	}
}

// open opens the folder, from its parent when that is open; n.mu is held.
func (n *node) open() (dir, error) {
	if n.parent == nil || !n.parent.holdOpen() {
		top := n.w.place.root
		if top == "" {
			top = n.w.place.real
		}
		return openDir(n.real, top)
	}
	defer n.parent.drop()
	return n.parent.dir.enter(n.name, n.real)
}

// holdOpen holds the folder when it is open already.
func (n *node) holdOpen() bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.held > 0 {
		n.held++
		return true
	}
	return false
}

// listing is what a walk reports of one folder.
type listing struct {
	entries []Entry // sorted by name
	level   *level  // for what is below
}

// list returns the entries of n that are not ignored.
func (n *node) list(above *level) (listing, error) {
	entries, err := n.read()
	if err != nil {
		return listing{}, err
	}
	here := n.level(entries, above)
	if !here.judges() {
		entries = slices.DeleteFunc(entries, func(e Entry) bool { return e.name == gitName })
		return listing{entries, here}, nil
	}
	prefix := slashed(n.real) + "/"
	entries = slices.DeleteFunc(entries, func(e Entry) bool {
		return e.name == gitName || here.ignored(prefix+e.name, e.name, e.Dir)
	})
	return listing{entries, here}, nil
}

// level returns the rules for n's entries: those above with its own.
func (n *node) level(entries []Entry, above *level) *level {
	has := func(name string) bool {
		i, found := slices.BinarySearchFunc(entries, name, func(e Entry, name string) int { return strings.Compare(e.name, name) })
		return found && !entries[i].Overlay
	}
	dot, git, repository := has(dotIgnore), has(gitIgnore), has(gitName)
	if above != nil && !dot && !git && !repository {
		return above
	}
	here := &level{parent: above, dir: slashed(n.real), repository: repository, global: n.w.global}
	d, err := n.hold()
	if err != nil {
		return here
	}
	defer n.drop()
	if dot {
		here.dot = n.w.v.readRules(d, n.real, dotIgnore)
	}
	if git {
		here.git = n.w.v.readRules(d, n.real, gitIgnore)
	}
	if repository {
		here.exclude = n.w.v.readExclude(n.real)
	}
	return here
}

// read returns all entries of n sorted by name, with those that only editors
// know.
func (n *node) read() ([]Entry, error) {
	onDisk, err := n.readDisk()
	docs := n.w.docs[n.rel]
	if err != nil && (len(docs) == 0 || !errors.Is(err, fs.ErrNotExist)) {
		return nil, err
	}
	entries := make([]Entry, 0, len(onDisk)+len(docs))
	for _, d := range onDisk {
		entries = append(entries, n.entry(d.Name(), d.Type(), false))
	}
	for _, d := range docs {
		if slices.ContainsFunc(onDisk, func(e fs.DirEntry) bool { return e.Name() == d.name }) {
			continue
		}
		var mode fs.FileMode
		if d.dir {
			mode = fs.ModeDir
		}
		entries = append(entries, n.entry(d.name, mode, true))
	}
	slices.SortFunc(entries, func(a, b Entry) int { return strings.Compare(a.name, b.name) })
	return entries, nil
}

func (n *node) entry(name string, mode fs.FileMode, overlay bool) Entry {
	rel := name
	if n.rel != "" {
		rel = n.rel + "/" + name
	}
	return Entry{
		Path: joinName(n.abs, name), Rel: rel, Dir: mode.IsDir(), Type: mode, Overlay: overlay,
		parent: n, name: name,
	}
}

// joinName returns the path of a plain name in a folder with a clean path.
func joinName(dir, name string) string {
	if os.IsPathSeparator(dir[len(dir)-1]) {
		return dir + name
	}
	return dir + string(filepath.Separator) + name
}

// readDisk lists the folder on disk, as far as it can be read.
func (n *node) readDisk() ([]fs.DirEntry, error) {
	d, err := n.hold()
	if err != nil {
		return nil, err
	}
	defer n.drop()
	entries, err := d.list()
	if len(entries) > 0 {
		return entries, nil
	}
	return nil, err
}
