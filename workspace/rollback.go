package workspace

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// fail takes back what was done before s failed with cause, and returns the
// error that says what is changed now and what is not.
func (b *batch) fail(ctx context.Context, s *step, cause error) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), settleTimeout)
	defer cancel()
	var restored, left []string
	for _, done := range slices.Backward(b.steps) {
		if !done.done {
			continue
		}
		if err := b.restore(ctx, done); err != nil {
			left = append(left, fmt.Sprintf("%s (%s)", done.place.abs, reason(err)))
			continue
		}
		restored = append(restored, done.place.abs)
	}
	b.close() // a folder with a staged file in it could not be removed
	for _, other := range slices.Backward(b.steps) {
		removeMade(other.made, other.place.root)
	}
	return report(s, cause, restored, left, len(b.steps) > 1)
}

// report words the error of a batch that failed at s.
func report(s *step, cause error, restored, left []string, several bool) error {
	verb := "write"
	if s.gone {
		verb = "remove"
	}
	var e *Error
	if !errors.As(wrap(verb, s.place.abs, cause), &e) {
		return cause
	}
	failed := *e
	switch {
	case len(left) > 0:
		failed.Code, failed.Hint, failed.Err = FSIOError, "Read these files before anything else.", nil
		failed.Message += "; still changed, because it could not be put back: " + strings.Join(left, ", ")
		if len(restored) > 0 {
			failed.Message += "; put back: " + strings.Join(restored, ", ")
		}
	case len(restored) > 0:
		failed.Message += "; put back as before: " + strings.Join(restored, ", ")
	case several:
		failed.Message += "; no file was changed"
	}
	return &failed
}

// restore puts a file back as it was before the batch.
func (b *batch) restore(ctx context.Context, s *step) error {
	if s.door != nil && s.before.Exists {
		return b.restoreByEditor(ctx, s)
	}
	w := b.v.w
	if s.door == nil {
		if err := s.verify(s.result.info); err != nil {
			return err
		}
	}
	if s.before.disk == nil {
		return w.remove(s.dir, s.place.name())
	}
	temp, err := w.stage(s.dir, s.before.disk.string(), 0, s.before.info)
	if err != nil {
		return err
	}
	if err := w.rename(s.dir, temp, s.place.name()); err != nil {
		return errors.Join(err, s.dir.Remove(temp))
	}
	return nil
}

// restoreByEditor takes an editor's write back through the same editor.
func (b *batch) restoreByEditor(ctx context.Context, s *step) error {
	if s.result.Path == "" {
		return errors.New("what the editor holds is not known")
	}
	outcome, err := s.door.Apply(ctx, s.reverse())
	if err != nil {
		return err
	}
	if outcome == Declined {
		return errors.New("the editor did not take it back")
	}
	h, err := b.v.openPlace(ctx, s.place)
	if err != nil {
		return err
	}
	if !h.sameText(s.before) {
		return fmt.Errorf("%s has another text than before", s.place.abs)
	}
	return nil
}
