package host

import (
	"context"
	"slices"
	"strings"

	"github.com/agent-ls/agent-ls/acp"
	"github.com/agent-ls/agent-ls/presentation"
	"github.com/agent-ls/agent-ls/workspace"
)

// changes says whether a call is about to change files.
func (c *card) changes() bool {
	switch c.said.Kind {
	case acp.KindEdit, acp.KindDelete, acp.KindMove:
		return true
	}
	return len(c.diffs) > 0
}

// paths are the files that a call is about, absolute.
func (t *turn) paths(c *card) []string {
	var out []string
	for _, d := range c.diffs {
		out = append(out, t.abs(d.Path))
	}
	for _, l := range c.said.Locations {
		if l.Path != "" {
			out = append(out, t.abs(l.Path))
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// follow begins to follow the files that a call names and is about to change.
func (t *turn) follow(c *card) {
	if c.done || t.past || !c.changes() {
		return
	}
	paths := slices.DeleteFunc(t.paths(c), func(path string) bool {
		return slices.ContainsFunc(c.witnesses, func(w *workspace.Witness) bool { return w.Follows(path) })
	})
	if len(paths) > 0 {
		c.witnesses = append(c.witnesses, t.turn.Witness(c.id).Witness(t.ctx, paths))
	}
}

// settle ends the following of files and keeps what became of them.
func (c *card) settle(t *turn) {
	ctx := context.WithoutCancel(t.ctx)
	for _, w := range c.witnesses {
		c.changed = append(c.changed, w.Settle(ctx, func(path, now string) (string, bool, bool) {
			return c.earlier(t, path, now)
		})...)
	}
	c.witnesses = nil
}

// earlier is what a file held before a call that was over before it was
// followed: what the call's diffs say, taken back from what it holds now.
func (c *card) earlier(t *turn, path, now string) (text string, existed, ok bool) {
	if c.said.Status != acp.StatusCompleted || len(c.changed) > 0 {
		return "", false, false
	}
	text = now
	for _, d := range slices.Backward(c.diffs) {
		switch {
		case t.abs(d.Path) != path:
			continue
		case d.OldText == nil:
			return "", false, text == d.NewText
		case d.NewText == "" || strings.Count(text, d.NewText) != 1:
			return "", false, false
		}
		text, ok = strings.Replace(text, d.NewText, *d.OldText, 1), true
	}
	return text, true, ok
}

// shownDiffs are the diffs of the agent as hunks: some agents send whole files.
func (t *turn) shownDiffs(c *card) []presentation.FileDiff {
	var out []presentation.FileDiff
	for _, d := range c.diffs {
		path := t.abs(d.Path)
		old := ""
		if d.OldText != nil {
			old = *d.OldText
		}
		hunks := presentation.Hunks(path, old, d.NewText, d.OldText != nil)
		if len(hunks) == 0 {
			hunks = []presentation.FileDiff{{Path: path, OldText: &old, NewText: d.NewText}}
		}
		above, known := t.linesAbove(c, path, old)
		for i := range hunks {
			if d.OldText != nil && known {
				hunks[i].Line += above
			} else if d.OldText != nil {
				hunks[i].Line = 0
			}
		}
		out = append(out, hunks...)
	}
	return out
}

// linesAbove is how many lines a file has above a piece of it, as it was before
// the call; known is false for a piece that is not there just once.
func (t *turn) linesAbove(c *card, path, piece string) (n int, known bool) {
	for _, w := range c.witnesses {
		text, ok := w.Before(path)
		if at := strings.Index(text, piece); ok && piece != "" && at >= 0 && strings.LastIndex(text, piece) == at {
			return strings.Count(text[:at], "\n"), true
		}
	}
	return 0, false
}

// finalDiffs are the changes of a call that is over: what became of the files,
// else what the agent says.
func (t *turn) finalDiffs(c *card) []presentation.FileDiff {
	if len(c.changed) == 0 {
		return t.shownDiffs(c)
	}
	var out []presentation.FileDiff
	for i, saw := range c.changed {
		if slices.ContainsFunc(c.changed[:i], func(s workspace.Saw) bool { return s.After.Real == saw.After.Real }) {
			continue // told with the first
		}
		after := saw.After
		for _, later := range c.changed[i+1:] {
			if later.After.Real == saw.After.Real {
				after = later.After
			}
		}
		hunks := presentation.Hunks(saw.Path, saw.Before.Content(), after.Content(), saw.Before.Exists)
		for i := range hunks {
			if !after.Exists {
				hunks[i].Change = presentation.ChangeDelete
			}
		}
		out = append(out, hunks...)
	}
	return out
}
