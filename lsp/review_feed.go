package lsp

import (
	"context"
	"slices"

	"go.lsp.dev/uri"

	"github.com/agent-ls/agent-ls/agent"
	"github.com/agent-ls/agent-ls/workspace"
	"github.com/agent-ls/agent-ls/workspace/review"
)

// flight is a change that is being made, from before the first file is touched
// until its outcome is known. Of an open document the editor's own notice is
// the change's moment; what it tells of the file meanwhile is read afterwards.
type flight struct {
	note func(review.Change) error
	seen bool // the editor has told of it
}

// recorder is told of the changes of one call or decision.
type recorder struct {
	r    *Review
	note func(review.Change) error
	// session is whose checkpoint keeps the files as they were, "" for none.
	session string
}

// Recorder is told of the changes of a call, for agent.Config.
func (r *Review) Recorder(s *agent.Session, call string) workspace.Recorder {
	return r.recorderOf(review.Attribution{Session: s.ID(), Call: call})
}

func (r *Review) recorderOf(by review.Attribution) workspace.Recorder {
	return recorder{r: r, session: by.Session, note: func(c review.Change) error { return r.ledger.Record(c, by) }}
}

// Changing keeps the files for the newest checkpoint and takes off. A file that
// cannot be kept is told in the log; the change goes on.
func (c recorder) Changing(files []workspace.Handle) (done func([]workspace.Applied), err error) {
	if c.session != "" {
		states := map[string]review.State{}
		for _, h := range files {
			states[h.Real] = stateOf(h)
		}
		if err := c.r.checkpoints.Keep(c.session, states); err != nil {
			c.r.s.logger.Error("a checkpoint does not have what is changed now", "session", c.session, "error", err)
		}
	}
	keys := make([]string, len(files))
	c.r.mu.Lock()
	defer c.r.mu.Unlock()
	for i, h := range files {
		keys[i] = fileKey(h.Real)
		c.r.flights[keys[i]] = &flight{note: c.note}
	}
	return func(applied []workspace.Applied) { c.r.land(c.note, files, applied) }, nil
}

func stateOf(h workspace.Handle) review.State {
	return review.State{Exists: h.Exists, Text: h.Content(), Mode: h.Mode, Unsaved: h.Dirty}
}

// land notes what became of changes.
func (r *Review) land(note func(review.Change) error, files []workspace.Handle, applied []workspace.Applied) {
	r.mu.Lock()
	for _, a := range applied {
		f := r.flights[fileKey(a.After.Real)]
		if c := changeOf(a); f != nil && !f.seen && c.changes() {
			r.tell(note(c.Change))
		}
	}
	for _, h := range files {
		delete(r.flights, fileKey(h.Real))
	}
	r.mu.Unlock()
	for _, h := range files {
		r.look(h.Real)
		r.news.about(h.Real)
	}
	r.keeper.ring()
}

// change is a review.Change that may be none.
type change struct{ review.Change }

func (c change) changes() bool { return c.Before != c.After || c.From != "" }

// ReviewChange is a change of the workspace as a ledger is told of it; ok is false
// for one that changes nothing.
func ReviewChange(a workspace.Applied) (c review.Change, ok bool) {
	of := changeOf(a)
	return of.Change, of.changes()
}

func changeOf(a workspace.Applied) change {
	c := review.Change{Path: a.After.Real, Before: stateOf(a.Before), After: stateOf(a.After)}
	if a.Before.Real != a.After.Real {
		c.From = a.Before.Real
	}
	return change{c}
}

// tell counts that the ledger was told something; r.mu is held.
func (r *Review) tell(err error) {
	r.told++
	if err != nil {
		r.s.logger.Error("the review does not know a change", "error", err)
	}
}

// Changed takes a change of a document: the user's typing, an agent's edit as
// it arrives, or a reload, which is no typing (settled detail 15).
func (r *Review) Changed(c DocumentChange) {
	if c.Path == "" {
		return
	}
	switch c.Cause {
	case causeAgent:
		r.arrived(c)
	case causeReload:
		r.look(c.Path)
	case causePart:
		return // told when the edit has arrived, or does not
	default:
		r.typed(c)
	}
	r.news.about(c.Path)
}

// typed notes the text of a document that is followed.
func (r *Review) typed(c DocumentChange) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !r.ledger.Tracks(c.Path) {
		return
	}
	if h, ok := r.s.docs.Document(c.Path); ok {
		r.tell(r.ledger.UserEdit(c.Path, stateOf(h)))
	}
}

// arrived notes an agent's edit of a document.
func (r *Review) arrived(c DocumentChange) {
	h, ok := r.s.docs.Document(c.Path)
	if !ok {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	f := r.flights[fileKey(c.Path)]
	if f == nil {
		r.tell(r.ledger.UserEdit(c.Path, stateOf(h)))
		return
	}
	f.seen = true
	before, after := stateOf(h), stateOf(h)
	before.Text, after.Text = c.Prefix+c.Before.String(), c.Prefix+c.After.String()
	r.tell(f.note(review.Change{Path: c.Path, Before: before, After: after}))
}

// Opened looks at a document that was opened, saved or closed.
func (r *Review) Opened(u uri.URI) {
	if path := filePath(u); path != "" {
		r.look(path)
		r.news.about(path)
		r.keeper.ring()
	}
}

// FilesChanged looks at files that changed on disk.
func (r *Review) FilesChanged(paths []string) {
	for _, path := range r.ledger.Paths() {
		if slices.ContainsFunc(paths, func(p string) bool { return p == path || below(p, path) }) {
			r.look(path)
			r.news.about(path)
		}
	}
}

// Ready tells the client of everything that is pending. Of a file with unsaved
// text the editor may still bring that text back; its hunks wait for it.
func (r *Review) Ready() {
	for _, path := range r.ledger.Paths() {
		if !r.awaits(path) {
			r.look(path)
		}
	}
	r.news.ready()
}

// awaits reports whether a file held unsaved text in an editor that has not
// opened it again.
func (r *Review) awaits(path string) bool {
	return r.ledger.Unsaved(path) && !r.s.docs.has(path)
}

// looks is how often a file is read again that changes meanwhile.
const looks = 5

// look tells the ledger what a file that it follows holds now: unsaved text
// first. A file that is away counts as one that is being written. What is in
// flight is told when it lands.
func (r *Review) look(path string) {
	if !r.ledger.Tracks(path) {
		return
	}
	view := r.s.backend.Workspace.View(workspace.ViewOptions{})
	for range looks {
		r.mu.Lock()
		told := r.told
		r.mu.Unlock()
		h, err := view.Open(context.Background(), path)
		if err != nil || !h.Exists {
			return
		}
		if r.tellLooked(path, stateOf(h), told) {
			return
		}
	}
}

// tellLooked tells what a file holds unless something was told since told.
func (r *Review) tellLooked(path string, now review.State, told int) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.flights[fileKey(path)] != nil {
		return true
	}
	if r.told != told {
		return false
	}
	r.tell(r.ledger.UserEdit(path, now))
	return true
}
