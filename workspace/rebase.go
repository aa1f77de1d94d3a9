package workspace

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/agent-ls/agent-ls/workspace/diff"
)

// rebase returns the edits of c for the text that the file has now. Text
// from an editor or from this view itself is rebased over, a disk that other
// hands changed never (contract §3).
func (v *View) rebase(c Change, now Handle) (edits []diff.Edit, rebased bool, err error) {
	if err := v.unchangedByOthers(c, now); err != nil {
		return nil, false, err
	}
	if c.Base.sameText(now) {
		return c.Edits, false, nil
	}
	edits, err = diff.Rebase(c.Base.Content(), now.Content(), c.Edits)
	if errors.Is(err, diff.ErrOverlap) {
		return nil, false, overlap(c, now)
	}
	if err != nil {
		return nil, false, fmt.Errorf("workspace: rebase of %s: %w", now.Path, err)
	}
	return edits, true, nil
}

// mayReplace checks a create over the file that is there.
func (v *View) mayReplace(c Change, now Handle) error {
	if !c.Base.Exists {
		return exists(now.Path)
	}
	if err := v.unchangedByOthers(c, now); err != nil {
		return err
	}
	if c.Base.sameText(now) || v.ownText(c.Base, now) {
		return nil
	}
	return &Error{
		Code: FSStaleVersion, Path: now.Path, Message: now.Path + " was edited by the user since it was read",
		Hint: readAgain,
	}
}

// mayRecreate checks a create of a file that was there when it was planned.
func (v *View) mayRecreate(c Change, now Handle) error {
	if v.ownText(c.Base, now) && !c.Exact {
		return nil
	}
	return stale(now)
}

// unchangedByOthers fails when the disk is not as Base had it and neither
// this view nor an editor is the reason, or when c wants exactly Base's text.
func (v *View) unchangedByOthers(c Change, now Handle) error {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.foreign(c.Base.diskVersion(), c.Base.Hash(), now) || c.Exact && !c.Base.sameText(now) {
		return stale(now)
	}
	return nil
}

// maxShownBytes bounds each of the two texts that an overlap shows.
const maxShownBytes = 1000

// overlap is the error of edits at a place that changed meanwhile. It shows
// what the place held when the edit was made and what it holds now.
func overlap(c Change, now Handle) error {
	base := c.Base.Content()
	all := diff.Hunks(base, now.Content(), 0)
	at := slices.DeleteFunc(slices.Clone(all), func(h diff.Hunk) bool { return !touches(base, h, c.Edits) })
	if len(at) == 0 {
		at = all
	}
	return &Error{
		Code: FSStaleVersion, Path: now.Path,
		Message: fmt.Sprintf("%s changed since it was read, at the place of the edit\nit was:\n%sit is now:\n%s",
			now.Path, shown(at, '-'), shown(at, '+')),
		Hint: readAgain, Err: diff.ErrOverlap,
	}
}

// touches reports whether an edit is at the lines of h or next to them.
func touches(base string, h diff.Hunk, edits []diff.Edit) bool {
	first, last := h.OldStart-1, h.OldStart+h.OldLines
	for _, e := range edits {
		if 1+strings.Count(base[:e.Start], "\n") <= last && 1+strings.Count(base[:e.End], "\n") >= first {
			return true
		}
	}
	return false
}

// shown returns one side of hunks for a message, in whole lines as long as
// they fit.
func shown(hunks []diff.Hunk, side byte) string {
	var out strings.Builder
	left := 0
	for _, h := range hunks {
		for _, line := range h.Lines {
			switch {
			case line.Op != side:
			case left > 0 || out.Len()+len(line.Text) > maxShownBytes:
				left++
			default:
				out.WriteString(strings.ToValidUTF8(line.Text, "\ufffd") + "\n")
			}
		}
	}
	if left > 0 {
		fmt.Fprintf(&out, "(%d more lines)\n", left)
	}
	if out.Len() == 0 {
		return "(nothing)\n"
	}
	return out.String()
}
