// Package watch watches the folders of a workspace: recursive, without those
// that are ignored, its events gathered for a moment and told as a list of
// paths that may have changed.
//
// It owns the watches of the system and their limit. What is ignored and what a
// change means is its user's business. A path that is told may be a folder:
// then anything below it may have changed, which is how new folders and lost
// events (an overflow of the system's queue) are told.
//
// One goroutine does everything; Close waits for it. All methods are safe for
// concurrent use.
package watch

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/fsnotify/fsnotify"
)

const (
	// DefaultLimit is the most folders that are watched when Options set none.
	DefaultLimit = 8192
	// DefaultDelay is how long events are gathered when Options set none.
	DefaultDelay = 50 * time.Millisecond
	// maxGathered bounds the paths of one report; with more, the roots are told.
	maxGathered = 4096
)

// Options configure a Watcher; Folders and Changed are needed.
type Options struct {
	// Folders calls fn for the folders below dir that are not ignored: all of
	// them when deep, else those right in it.
	Folders func(ctx context.Context, dir string, deep bool, fn func(path string)) error
	// Changed gets the paths that may have changed, sorted, one call at a time.
	Changed func(paths []string)
	// Limited is called once when not all folders can be watched.
	Limited func(message string)
	// Limit is the most folders that are watched.
	Limit  int
	Delay  time.Duration
	Logger *slog.Logger
}

// Watcher watches folders until Close.
type Watcher struct {
	o       Options
	fs      *fsnotify.Watcher
	ctx     context.Context
	cancel  context.CancelFunc
	done    chan struct{}
	roots   chan []string
	touched chan []string

	// What follows belongs to the goroutine.
	watched map[string]bool
	now     []string // the roots
	changed map[string]bool
	limited bool
}

// New returns a watcher of nothing; SetRoots gives it folders. An error means
// that the system has no watches left.
func New(o Options) (*Watcher, error) {
	if o.Limit <= 0 {
		o.Limit = DefaultLimit
	}
	if o.Delay <= 0 {
		o.Delay = DefaultDelay
	}
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	fs, err := fsnotify.NewWatcher()
	if err != nil {
		return nil, fmt.Errorf("watch folders: %w", err)
	}
	w := &Watcher{
		o: o, fs: fs, done: make(chan struct{}), roots: make(chan []string, 1), touched: make(chan []string, 1),
		watched: map[string]bool{}, changed: map[string]bool{},
	}
	w.ctx, w.cancel = context.WithCancel(context.Background())
	go w.loop()
	return w, nil
}

// SetRoots replaces the folders that are watched with all below them; absolute
// paths.
func (w *Watcher) SetRoots(roots []string) { w.put(w.roots, slices.Clone(roots)) }

// Touched adds paths that someone else has seen change.
func (w *Watcher) Touched(paths []string) { w.put(w.touched, slices.Clone(paths)) }

func (w *Watcher) put(to chan []string, paths []string) {
	select {
	case to <- paths:
	case <-w.done:
	}
}

// Close ends watching and waits for the goroutine.
func (w *Watcher) Close() {
	w.cancel()
	<-w.done
}

// loop does all the work.
func (w *Watcher) loop() {
	defer close(w.done)
	defer func() { _ = w.fs.Close() }()
	timer := time.NewTimer(time.Hour)
	defer timer.Stop()
	running := false
	for {
		select {
		case <-w.ctx.Done():
			return
		case e := <-w.fs.Events:
			w.event(e)
		case err := <-w.fs.Errors:
			w.failed(err)
		case roots := <-w.roots:
			w.setRoots(roots)
		case paths := <-w.touched:
			for _, p := range paths {
				w.note(p)
			}
		case <-timer.C:
			running = false
			w.report()
		}
		if !running && len(w.changed) > 0 {
			running = true
			timer.Reset(w.o.Delay)
		}
	}
}

// event takes one event of the system.
func (w *Watcher) event(e fsnotify.Event) {
	if e.Op == fsnotify.Chmod {
		return
	}
	w.note(e.Name)
	switch {
	case e.Has(fsnotify.Create):
		if info, err := os.Lstat(e.Name); err == nil && info.IsDir() && w.listed(e.Name) {
			w.add(e.Name)
		}
	case e.Has(fsnotify.Remove), e.Has(fsnotify.Rename):
		w.drop(func(dir string) bool { return within(e.Name, dir) })
	}
}

// listed reports whether a new folder is not ignored.
func (w *Watcher) listed(path string) (ok bool) {
	err := w.o.Folders(w.ctx, filepath.Dir(path), false, func(p string) { ok = ok || p == path })
	return ok && err == nil
}

// failed takes an error of the system: after lost events everything may have
// changed.
func (w *Watcher) failed(err error) {
	w.o.Logger.Warn("watching folders", "error", err)
	if errors.Is(err, fsnotify.ErrEventOverflow) {
		w.setRoots(w.now)
	}
}

// setRoots watches roots, and nothing else.
func (w *Watcher) setRoots(roots []string) {
	w.now = roots
	w.drop(func(dir string) bool {
		return !slices.ContainsFunc(roots, func(root string) bool { return within(root, dir) })
	})
	for _, root := range roots {
		w.add(root)
		w.note(root)
	}
}

// add watches a folder and all below it.
func (w *Watcher) add(dir string) {
	w.addOne(dir)
	if err := w.o.Folders(w.ctx, dir, true, w.addOne); err != nil && w.ctx.Err() == nil {
		w.o.Logger.Debug("folder not watched", "path", dir, "error", err)
	}
}

func (w *Watcher) addOne(dir string) {
	if w.watched[dir] || w.ctx.Err() != nil {
		return
	}
	if len(w.watched) >= w.o.Limit {
		w.limit(fmt.Sprintf("only %d folders are watched", w.o.Limit))
		return
	}
	if err := w.fs.Add(dir); err != nil {
		if !errors.Is(err, os.ErrNotExist) {
			w.limit(fmt.Sprintf("only %d folders are watched: %v", len(w.watched), err))
		}
		return
	}
	w.watched[dir] = true
}

// limit tells once that not everything is watched.
func (w *Watcher) limit(message string) {
	if w.limited {
		return
	}
	w.limited = true
	w.o.Logger.Warn(message)
	if w.o.Limited != nil {
		w.o.Limited(message)
	}
}

// drop stops watching the folders that gone picks.
func (w *Watcher) drop(gone func(dir string) bool) {
	for dir := range w.watched {
		if gone(dir) {
			delete(w.watched, dir)
			// A folder that was removed has lost its watch already.
			_ = w.fs.Remove(dir)
		}
	}
}

// note gathers a path.
func (w *Watcher) note(path string) {
	if len(w.changed) < maxGathered {
		w.changed[path] = true
		return
	}
	clear(w.changed)
	for _, root := range w.now {
		w.changed[root] = true
	}
}

// report tells what has been gathered.
func (w *Watcher) report() {
	if len(w.changed) == 0 {
		return
	}
	paths := make([]string, 0, len(w.changed))
	for p := range w.changed {
		paths = append(paths, p)
	}
	clear(w.changed)
	slices.Sort(paths)
	w.o.Changed(paths)
}

// within reports whether path is dir or below it.
func within(dir, path string) bool {
	rest, ok := strings.CutPrefix(path, dir)
	return ok && (rest == "" || os.IsPathSeparator(rest[0]) || os.IsPathSeparator(dir[len(dir)-1]))
}
