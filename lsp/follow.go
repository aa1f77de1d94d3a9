package lsp

import (
	"context"
	"net/url"
	"os"
	"path/filepath"
	"sync"
	"time"

	"go.lsp.dev/protocol"

	"github.com/agent-ls/agent-ls/presentation"
)

// showPatience bounds the wait for the client to show a document.
const showPatience = 5 * time.Second

// follower shows the place that the agent works at, when the user has turned
// that on (contract §7). presentation.Follow decides when. Safe for concurrent
// use.
type follower struct {
	s  *Server
	mu sync.Mutex
	f  presentation.Follow
	// shown is the file that was shown last.
	shown string
	timer *time.Timer
	// busy says that the client has not answered yet, and free when it last
	// did: one that is slow is not hurried.
	busy   bool
	free   time.Time
	closed bool
}

func newFollower(s *Server) *follower { return &follower{s: s} }

// set turns following on or off.
func (w *follower) set(on bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.f.Set(on)
	w.schedule()
}

// toggle changes it and returns what it is now.
func (w *follower) toggle() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	on := w.f.Toggle()
	w.schedule()
	return on
}

// startTurn forgets the places of the last turn, the last of which has had
// until now to be shown.
func (w *follower) startTurn() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.f.EndTurn()
}

// typed pauses following when the user types in the file that is shown.
func (w *follower) typed(path string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if path != "" && path == w.shown {
		w.f.Pause()
	}
}

// locate takes the locations of a call; what is no file to show is left out.
func (w *follower) locate(locations []presentation.FileLocation, cwd string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if !w.f.On() {
		return
	}
	for _, l := range locations {
		if l.Path = absolute(l.Path, cwd); isRegular(l.Path) {
			w.f.Locate([]presentation.FileLocation{l})
			break
		}
	}
	w.schedule()
}

func absolute(path, cwd string) string {
	if filepath.IsAbs(path) {
		return filepath.Clean(path)
	}
	return filepath.Join(cwd, path)
}

// isRegular reports whether there is a file to show.
func isRegular(path string) bool {
	if u, err := url.Parse(path); err == nil && len(u.Scheme) > 1 {
		return false
	}
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular()
}

// schedule sees to it that what is due is shown at its time. mu is held.
func (w *follower) schedule() {
	at, due := w.f.Due()
	if !due || w.timer != nil || w.busy || w.closed {
		return
	}
	if next := w.free.Add(presentation.RevealInterval); !w.free.IsZero() && at.Before(next) {
		at = next
	}
	w.s.work.Add(1)
	w.timer = time.AfterFunc(max(0, at.Sub(w.s.now())), func() {
		defer w.s.work.Done()
		w.fire()
	})
}

// fire shows what is due now.
func (w *follower) fire() {
	location, ok := w.next()
	if !ok {
		return
	}
	w.s.reveal(location)
	w.mu.Lock()
	defer w.mu.Unlock()
	w.busy, w.free = false, w.s.now()
	w.schedule()
}

// next takes what is due; ok false means that it is not any more, or not yet.
func (w *follower) next() (location presentation.FileLocation, ok bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.timer = nil
	if location, ok = w.f.Next(w.s.now()); ok {
		w.busy, w.shown = true, realPath(location.Path)
	} else {
		w.schedule()
	}
	return location, ok
}

// close ends the waiting for what is due.
func (w *follower) close() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.closed = true
	if w.timer != nil && w.timer.Stop() {
		w.s.work.Done()
	}
}

// reveal shows a place of a file.
func (s *Server) reveal(l presentation.FileLocation) {
	line := uint32(max(l.Line-1, 0))
	place := &protocol.Range{Start: protocol.Position{Line: line}, End: protocol.Position{Line: line}}
	if _, err := s.showDocument(s.conn.ctx, string(fileURI(l.Path)), place); err != nil {
		s.logger.Debug("place not shown", "path", l.Path, "error", err)
	}
}

// showDocument is the one place that shows a document. It never takes the
// focus; ok is false where the client cannot show it.
func (s *Server) showDocument(ctx context.Context, u string, place *protocol.Range) (ok bool, err error) {
	if !s.client.showDocument {
		return false, nil
	}
	ctx, stop := context.WithTimeout(ctx, showPatience)
	defer stop()
	takeFocus := false
	var result protocol.ShowDocumentResult
	err = s.call(ctx, protocol.MethodWindowShowDocument, &protocol.ShowDocumentParams{
		URI: parseURI(u), TakeFocus: &takeFocus, Selection: place,
	}, &result)
	return result.Success, err
}
