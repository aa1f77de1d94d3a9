package workspace

import (
	"context"
	"errors"
	"fmt"
	"io/fs"

	"github.com/agent-ls/agent-ls/workspace/diff"
)

// batch is one Apply: the changes as steps, one for each real path.
type batch struct {
	v       *View
	steps   []*step
	byKey   map[string]*step
	changes []planned
	started bool // a file may have been touched
}

// planned is a change and the steps that it became.
type planned struct {
	change   Change
	from, to *step // the same but for a move
	rebased  bool
}

// step is what happens to one real path.
type step struct {
	place  place
	before Handle // what is there when the queue is held
	after  string // the whole new text
	gone   bool   // nothing is there afterwards
	mode   fs.FileMode
	edits  []diff.Edit // of before, to after
	// diskOnly keeps editors out: they know neither modes nor moves.
	diskOnly bool

	dir     *folder // of the file, open from the first use on
	made    []string
	temp    string   // name of the staged file in dir
	staged  *content // of temp
	door    Applier
	done    bool
	differs bool // the editor made another text of it
	result  Handle
}

// plan checks one change against the files as they are and adds its steps.
func (b *batch) plan(ctx context.Context, c Change) error {
	p, err := b.v.source(c)
	if err != nil {
		return err
	}
	switch c.Op {
	case OpCreate:
		return b.planCreate(ctx, c, p)
	case OpUpdate:
		return b.planUpdate(ctx, c, p)
	case OpDelete:
		return b.planDelete(ctx, c, p)
	case OpMove:
		return b.planMove(ctx, c, p)
	}
	return fmt.Errorf("workspace: change of %s has the unknown operation %q", p.abs, c.Op)
}

func (b *batch) planCreate(ctx context.Context, c Change, p place) error {
	s, err := b.fill(ctx, p)
	if err != nil {
		return err
	}
	if s.before.Exists && !s.gone {
		err = b.v.mayReplace(c, s.before)
	} else if c.Base.Exists && !s.gone {
		err = b.v.mayRecreate(c, s.before)
	}
	if err != nil {
		return err
	}
	s.gone, s.after, s.mode, s.diskOnly = false, c.Text, c.Mode, s.diskOnly || c.Mode != 0
	s.edits = wholeEdit(s.before, c.Text)
	b.changes = append(b.changes, planned{change: c, from: s, to: s})
	return nil
}

// wholeEdit returns the edits that make text of what is there.
func wholeEdit(before Handle, text string) []diff.Edit {
	if before.Content() == "" {
		return []diff.Edit{{New: text}}
	}
	return diff.Lines(before.Content(), text)
}

func (b *batch) planUpdate(ctx context.Context, c Change, p place) error {
	s, err := b.take(ctx, c, p)
	if err != nil {
		return err
	}
	edits, rebased, err := b.v.rebase(c, s.before)
	if err != nil {
		return err
	}
	if s.after, err = diff.Apply(s.before.Content(), edits); err != nil {
		return fmt.Errorf("workspace: edits of %s: %w", p.abs, err)
	}
	s.edits = edits
	b.changes = append(b.changes, planned{change: c, from: s, to: s, rebased: rebased})
	return nil
}

func (b *batch) planDelete(ctx context.Context, c Change, p place) error {
	s, err := b.takeAway(ctx, c, p)
	if err != nil {
		return err
	}
	s.gone, s.diskOnly = true, true
	b.changes = append(b.changes, planned{change: c, from: s, to: s})
	return nil
}

func (b *batch) planMove(ctx context.Context, c Change, p place) error {
	q, err := b.v.target(c)
	if err != nil {
		return err
	}
	if pathKey(p.real) == pathKey(q.real) {
		return b.planUpdate(ctx, c, p)
	}
	from, err := b.takeAway(ctx, c, p)
	if err != nil {
		return err
	}
	text, err := diff.Apply(from.before.Content(), c.Edits)
	if err != nil {
		return fmt.Errorf("workspace: edits of %s: %w", p.abs, err)
	}
	to, err := b.fill(ctx, q)
	if err != nil {
		return err
	}
	if to.before.Exists && !to.gone {
		return exists(q.abs)
	}
	from.gone, from.diskOnly = true, true
	to.gone, to.after, to.mode, to.diskOnly = false, text, from.before.Mode, true
	to.edits = wholeEdit(to.before, text)
	b.changes = append(b.changes, planned{change: c, from: from, to: to})
	return nil
}

// fill returns the step of a path that a change puts a text to: a new one,
// or that of an earlier change which vacated it.
func (b *batch) fill(ctx context.Context, p place) (*step, error) {
	if s, ok := b.byKey[pathKey(p.real)]; ok {
		if !s.gone {
			return nil, twice(p)
		}
		return s, nil
	}
	return b.add(ctx, p)
}

// take returns the step of a file that a change starts from.
func (b *batch) take(ctx context.Context, c Change, p place) (*step, error) {
	if _, ok := b.byKey[pathKey(p.real)]; ok {
		return nil, twice(p)
	}
	s, err := b.add(ctx, p)
	if err != nil {
		return nil, err
	}
	if !s.before.Exists {
		if c.Base.Exists {
			return nil, stale(s.before)
		}
		return nil, wrap("change", p.abs, fs.ErrNotExist)
	}
	return s, nil
}

// takeAway is take for a file that will not be there afterwards.
func (b *batch) takeAway(ctx context.Context, c Change, p place) (*step, error) {
	if p.link {
		return nil, &Error{
			Code: FSNotRegular, Path: p.abs, Message: p.abs + " is a symbolic link to " + p.real,
			Hint: "Name the file itself, or remove the link by a command.",
		}
	}
	s, err := b.take(ctx, c, p)
	if err != nil {
		return nil, err
	}
	if s.before.Dirty {
		return nil, unsaved(p.abs)
	}
	if !c.Base.sameText(s.before) {
		return nil, stale(s.before)
	}
	return s, nil
}

// add opens the file at p and makes its step.
func (b *batch) add(ctx context.Context, p place) (*step, error) {
	before, err := b.v.openPlace(ctx, p)
	if err != nil {
		return nil, err
	}
	if before.disk != nil {
		if err := writable(before); err != nil {
			return nil, err
		}
	}
	s := &step{place: p, before: before}
	b.steps = append(b.steps, s)
	b.byKey[pathKey(p.real)] = s
	return s, nil
}

// writable fails for a file that its mode or the system protects: renaming
// another file over it would not ask.
func writable(h Handle) error {
	err := mayWrite(h.Real)
	if h.Mode&0o222 == 0 || errors.Is(err, fs.ErrPermission) {
		return &Error{
			Code: FSPermissionDenied, Path: h.Path, Message: h.Path + " is read-only",
			Hint: "Ask the user to change its permissions, or choose another file.", Err: fs.ErrPermission,
		}
	}
	return nil
}

func exists(path string) error {
	return &Error{
		Code: FSExists, Path: path, Message: "file already exists: " + path,
		Hint: "Read it and edit it, or choose another path.", Err: fs.ErrExist,
	}
}

func twice(p place) error {
	return &Error{
		Code: FSExists, Path: p.abs, Message: "two changes of one list are for " + p.real,
		Hint: "Combine the changes of one file into one.",
	}
}

func unsaved(path string) error {
	return &Error{
		Code: FSStaleVersion, Path: path, Message: path + " has unsaved text in an editor",
		Hint: "Ask the user to save or discard it, then retry.",
	}
}
