package workspace

import (
	"context"
	"errors"
	"io/fs"
	"slices"

	"github.com/agent-ls/agent-ls/workspace/diff"
)

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
	Op Op
	// Base is what the change was computed against. Its Real is the file that
	// was planned for: Apply refuses another.
	Base   Handle
	Edits  []diff.Edit // of Base's content, for update and move
	Text   string      // for create: the whole content
	MoveTo string      // absolute, for move
	// MoveReal is the real path of MoveTo as planned. When it is empty Apply
	// asks only that MoveTo is inside the roots or has no links in it.
	MoveReal string
	// Mode is what a created file gets; 0 means 0666 less umask.
	Mode fs.FileMode
	// Exact forbids a rebase: the file must hold Base's text now, as a caller
	// who named a hash expects.
	Exact bool
}

// The doors that a change can go through.
const (
	DoorDisk   = "disk"
	DoorEditor = "editor"
)

// Applied is what became of a Change.
type Applied struct {
	Change Change
	// Before and After are the text just before and just after, which differ
	// from the plan when it was rebased. After of a move is at MoveTo.
	Before, After Handle
	Rebased       bool
	// Differs says that After is not the text that was asked for: the editor
	// made another one of it.
	Differs bool
	// Door says where the change went: DoorDisk or DoorEditor.
	Door string
}

// Apply makes all changes or none. Each file's queue is held, in a fixed
// order, from the check to the write. A file that changed since the plan is
// rebased when only an editor or this view itself changed it elsewhere, else
// it fails with FS_STALE_VERSION. What fails midway is rolled back, and the
// error says what could not be. Every new text is observed.
//
// A create replaces an existing file only if Base existed (FS_EXISTS). A
// delete or move needs the very text of Base and no unsaved text. A list
// holds one change for a file, and may fill a path that an earlier change of
// it vacated. Missing parent folders are made. When ctx is done before the
// first file is touched, none is (FS_ABORTED); after that ctx is for the
// Appliers alone.
//
// Where an editor refuses a change because its user is typing, all is planned
// and tried once more. What an editor makes another text of, by formatting on
// save for one, is told by Applied.Differs, and that text counts as not seen.
func (v *View) Apply(ctx context.Context, changes []Change) ([]Applied, error) {
	if len(changes) == 0 {
		return nil, nil
	}
	changes, keys, err := v.resolveAll(changes)
	if err != nil {
		return nil, err
	}
	unlock, err := v.w.queue.lock(ctx, keys...)
	if err != nil {
		return nil, aborted(ctx, changes[0].Base.Path)
	}
	defer unlock()
	applied, err := v.attempt(ctx, changes)
	if errors.Is(err, ErrTryAgain) {
		applied, err = v.attempt(ctx, changes)
	}
	return applied, err
}

// attempt plans the changes on the files as they are and makes all or none; the
// queues are held.
func (v *View) attempt(ctx context.Context, changes []Change) ([]Applied, error) {
	b := &batch{v: v, byKey: map[string]*step{}}
	for _, c := range changes {
		if err := b.plan(ctx, c); err != nil {
			return nil, err
		}
	}
	recorded, err := b.recording()
	if err != nil {
		return nil, err
	}
	if err := b.commit(ctx); err != nil {
		recorded(nil)
		return nil, err
	}
	applied := b.applied()
	recorded(applied)
	return applied, nil
}

// resolveAll returns the changes with the real paths of their targets filled
// in, and the queue keys of all files that they touch.
func (v *View) resolveAll(changes []Change) (resolved []Change, keys []string, err error) {
	resolved = slices.Clone(changes)
	for i := range resolved {
		c := &resolved[i]
		p, err := v.source(*c)
		if err != nil {
			return nil, nil, err
		}
		keys = append(keys, pathKey(p.real))
		if c.Op != OpMove {
			continue
		}
		if p, err = v.target(*c); err != nil {
			return nil, nil, err
		}
		c.MoveReal = p.real
		keys = append(keys, pathKey(p.real))
	}
	return resolved, keys, nil
}

// source resolves the file of a change; it must be the planned one.
func (v *View) source(c Change) (place, error) {
	planned := c.Base.Real
	if planned == "" {
		planned = c.Base.Path
	}
	p, err := v.locate(c.Base.Path)
	if err != nil {
		return place{}, err
	}
	if pathKey(p.real) != pathKey(planned) || c.Base.Inside && !p.inside() {
		return place{}, moved(p, planned)
	}
	return p, nil
}

// target resolves where a move leads; it must be the planned file.
func (v *View) target(c Change) (place, error) {
	p, err := v.locate(c.MoveTo)
	if err != nil {
		return place{}, err
	}
	planned := c.MoveReal
	if planned == "" && !p.inside() {
		planned = p.abs
	}
	if planned != "" && pathKey(p.real) != pathKey(planned) {
		return place{}, moved(p, planned)
	}
	return p, nil
}

func moved(p place, planned string) error {
	return &Error{
		Code: FSOutsideRoots, Path: p.abs,
		Message: p.abs + " leads to " + p.real + " now, but the change was planned for " + planned,
		Hint:    "A link in the path changed; look at the path again before you retry.", Err: errMoved,
	}
}
