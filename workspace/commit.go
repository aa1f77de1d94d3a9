package workspace

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/agent-ls/agent-ls/workspace/diff"
)

// settleTimeout bounds what must still be asked of an editor after its write:
// the text that it has now, or taking the write back.
const settleTimeout = 10 * time.Second

// commit makes all steps or none.
func (b *batch) commit(ctx context.Context) error {
	defer b.close()
	if len(b.steps) > 1 {
		// All texts are on disk before the first file changes its name. One
		// alone needs no such care: its editor may take it without a stage.
		for _, s := range b.steps {
			if err := b.stage(s); err != nil {
				return b.fail(ctx, s, err)
			}
		}
	}
	for _, s := range b.steps {
		if s.gone {
			continue
		}
		if err := b.write(ctx, s); err != nil {
			return b.fail(ctx, s, err)
		}
	}
	for _, s := range b.steps { // at last, when all new texts are in place
		if !s.gone {
			continue
		}
		if err := b.vacate(ctx, s); err != nil {
			return b.fail(ctx, s, err)
		}
	}
	b.remember()
	return nil
}

// unchanged reports whether the file is already what it shall be.
func (s *step) unchanged() bool {
	if s.gone {
		return !s.before.Exists
	}
	return s.before.Exists && s.after == s.before.Content()
}

// open opens the folder of the file, made when it is missing.
func (s *step) open() (err error) {
	if s.dir == nil {
		s.dir, err = openFolder(filepath.Dir(s.place.real), s.place.root, &s.made)
	}
	return err
}

// stage writes the new text beside the file.
func (b *batch) stage(s *step) (err error) {
	if s.gone || s.unchanged() || s.temp != "" {
		return nil
	}
	if err := s.open(); err != nil {
		return err
	}
	var replaced fs.FileInfo
	if s.before.disk != nil && s.mode == 0 {
		replaced = s.before.info
	}
	s.staged = &content{text: s.after}
	var summing sync.WaitGroup
	summing.Go(func() { s.staged.sum() }) // while the disk is busy
	s.temp, err = b.v.w.stage(s.dir, s.after, s.mode, replaced)
	summing.Wait()
	return err
}

// write brings the new text to the file, through the first door that takes
// it.
func (b *batch) write(ctx context.Context, s *step) error {
	if s.unchanged() {
		s.result = s.before
		return nil
	}
	if err := s.open(); err != nil {
		return err
	}
	if handled, err := b.tryEditors(ctx, s); handled || err != nil {
		return err
	}
	if s.before.Dirty {
		return unsaved(s.place.abs)
	}
	if err := b.stage(s); err != nil {
		return err
	}
	if err := s.verify(s.before.info); err != nil {
		return err
	}
	if err := b.start(ctx, s); err != nil {
		return err
	}
	if err := b.v.w.rename(s.dir, s.temp, s.place.name()); err != nil {
		return err
	}
	s.temp, s.done = "", true
	return s.written()
}

// written records the file that is now in place.
func (s *step) written() error {
	info, err := s.dir.Lstat(s.place.name())
	if err != nil {
		return err
	}
	s.result = s.place.handle(s.staged, info)
	return nil
}

// start is the last moment at which ctx can end the batch.
func (b *batch) start(ctx context.Context, s *step) error {
	if !b.started && ctx.Err() != nil {
		return aborted(ctx, s.place.abs)
	}
	b.started = true
	return nil
}

// verify fails when the file is not the one that was looked at: old, or none
// when old is nil.
func (s *step) verify(old fs.FileInfo) error {
	now, err := s.dir.Lstat(s.place.name())
	switch {
	case errors.Is(err, fs.ErrNotExist):
		if old == nil {
			return nil
		}
		return stale(Handle{Path: s.place.abs})
	case err != nil:
		return err
	case old == nil:
		return exists(s.place.abs)
	case !os.SameFile(old, now) || old.Size() != now.Size() || !old.ModTime().Equal(now.ModTime()):
		return stale(s.before)
	}
	return nil
}

// vacate removes the file.
func (b *batch) vacate(ctx context.Context, s *step) error {
	if err := s.open(); err != nil {
		return err
	}
	if err := s.verify(s.before.info); err != nil {
		return err
	}
	if err := b.start(ctx, s); err != nil {
		return err
	}
	if err := b.v.w.remove(s.dir, s.place.name()); err != nil {
		return err
	}
	s.done, s.result = true, s.place.missing()
	return nil
}

// tryEditors offers the write to the session's editors. Those of files
// outside the roots are asked only when they hold unsaved text.
func (b *batch) tryEditors(ctx context.Context, s *step) (handled bool, err error) {
	if s.diskOnly || !s.place.inside() && !s.before.Dirty {
		return false, nil
	}
	for _, door := range b.v.appliers {
		if err := b.start(ctx, s); err != nil {
			return false, err
		}
		outcome, err := door.Apply(ctx, FileWrite{
			Path: s.place.real, Before: s.before, After: s.after, Edits: s.edits, Create: !s.before.Exists,
		})
		if err != nil {
			return false, editorFailed(ctx, s.place.abs, err)
		}
		if outcome != Declined {
			s.door, s.done = door, true
			return true, b.readBack(ctx, s, outcome)
		}
	}
	return false, nil
}

// editorFailed is the error of an Applier; its own text says whether the
// outcome is known.
func editorFailed(ctx context.Context, path string, err error) error {
	e := &Error{
		Code: FSIOError, Path: path, Message: "the editor did not take the change of " + path + ": " + err.Error(),
		Hint: "Read the file to see whether it changed, then retry once.", Err: err,
	}
	var own *Error
	switch {
	case errors.As(err, &own):
		e.Code, e.Hint = own.Code, own.Hint
	case ctx.Err() != nil:
		e.Code = FSAborted
	}
	return e
}

// readBack looks at what the editor made of a write.
func (b *batch) readBack(ctx context.Context, s *step, o Outcome) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), settleTimeout)
	defer cancel()
	h, err := b.v.openPlace(ctx, s.place)
	if err != nil {
		return fmt.Errorf("the editor took the change, but it could not be read back: %w", err)
	}
	if o == Confirmed {
		s.result = h.withText(s.after)
		return nil
	}
	if h.sameText(s.before) {
		s.done = false
		return errors.New("the editor said that it took the change, but the text is as before")
	}
	s.result, s.differs = h, h.Content() != s.after
	return nil
}

// close gives back what the steps hold; what was staged and not used is
// removed.
func (b *batch) close() {
	for _, s := range b.steps {
		if s.dir == nil {
			continue
		}
		if s.temp != "" {
			if err := s.dir.Remove(s.temp); err != nil {
				b.v.w.log.Warn("temporary file left behind", "folder", s.dir.path, "name", s.temp, "err", err)
			}
		}
		closeQuietly(s.dir)
		s.dir, s.temp = nil, ""
	}
}

// remember makes the new texts known to the view.
func (b *batch) remember() {
	b.v.mu.Lock()
	defer b.v.mu.Unlock()
	for _, s := range b.steps {
		if s.differs {
			continue
		}
		b.v.wrote(s.before, s.result)
		b.v.observe(s.result)
	}
}

// applied returns what became of the changes.
func (b *batch) applied() []Applied {
	out := make([]Applied, 0, len(b.changes))
	for _, p := range b.changes {
		a := Applied{
			Change: p.change, Before: p.from.before, After: p.to.result, Rebased: p.rebased, Differs: p.to.differs, Door: DoorDisk,
		}
		if p.to.door != nil {
			a.Door = DoorEditor
		}
		out = append(out, a)
	}
	return out
}

// reverse returns the write that takes back what an editor did.
func (s *step) reverse() FileWrite {
	before, now := s.before.Content(), s.result
	return FileWrite{Path: s.place.real, Before: now, After: before, Edits: diff.Lines(now.Content(), before)}
}
