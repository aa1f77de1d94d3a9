package builtin

import (
	"context"
	"fmt"
	"strings"

	"github.com/agent-ls/agent-ls/presentation"
	"github.com/agent-ls/agent-ls/tools"
	"github.com/agent-ls/agent-ls/workspace"
	"github.com/agent-ls/agent-ls/workspace/diff"
)

// changedFile is one file before and after a change.
type changedFile struct {
	changeName
	op            workspace.Op
	before, after string
	existed       bool
}

// end is where the file is after the change.
func (f changedFile) end() string {
	if f.op == workspace.OpMove {
		return f.moveTo
	}
	return f.path
}

// Bounds of the diffs of a card; what is larger is left out, and the card
// says so.
const (
	cardRegionBytes = 1 << 20 // of the region between the first and last change of a file
	cardLocations   = 3
	diffContext     = 3
)

// changeCard is what the card of a file-changing call shows. Its meta is kept
// with the result, so that presenting it needs nothing else.
type changeCard struct {
	title string
	files []changedFile
	meta  presentation.DiffMeta
}

func newChangeCard(title string, files []changedFile) *changeCard {
	c := &changeCard{title: title, files: files}
	var omitted []string
	for _, f := range files {
		ds, note := f.diffs()
		if note != "" {
			omitted = append(omitted, note)
		}
		c.meta.Diffs = append(c.meta.Diffs, ds...)
	}
	var note string
	if c.meta.Diffs, note = presentation.Bound(c.meta.Diffs, presentation.DiffLimit); note != "" {
		omitted = append(omitted, note)
	}
	c.meta.Omitted = strings.Join(omitted, " ")
	return c
}

// call is the card before the change is made.
func (c *changeCard) call() *presentation.DiffCall {
	ds := append([]presentation.FileDiff{}, c.meta.Diffs...)
	return &presentation.DiffCall{Title: c.title, Kind: kindOfDiffs(ds), Diffs: ds, Locations: diffLocations(ds), Omitted: c.meta.Omitted}
}

// presentChanged shows the change that was applied; a result without one (an
// error, a foreign log) keeps its text.
func presentChanged(r tools.Result) presentation.ResultView {
	m, ok := presentation.ParseDiffMeta(r.Meta)
	if r.IsError || !ok {
		return nil
	}
	return &presentation.DiffResult{Kind: kindOfDiffs(m.Diffs), Diffs: m.Diffs, Locations: diffLocations(m.Diffs), Omitted: m.Omitted}
}

// diffLocations are the first changed lines of the first few files.
func diffLocations(ds []presentation.FileDiff) []presentation.FileLocation {
	ls := presentation.Locations(ds)
	return ls[:min(len(ls), cardLocations)]
}

// kindOfDiffs is delete or move when the change does nothing else; empty is
// edit.
func kindOfDiffs(ds []presentation.FileDiff) presentation.ToolCallKind {
	kind := presentation.ToolCallKind("")
	for i, d := range ds {
		k := presentation.ToolCallKind("")
		switch {
		case d.Change == presentation.ChangeDelete:
			k = presentation.KindDelete
		case d.Change == presentation.ChangeMove && d.OldText != nil && *d.OldText == d.NewText:
			k = presentation.KindMove
		}
		if i > 0 && k != kind {
			return ""
		}
		kind = k
	}
	return kind
}

// diffs are the regions of one file that changed, or a note why they are left
// out.
func (f changedFile) diffs() ([]presentation.FileDiff, string) {
	if f.op == workspace.OpMove && f.before == f.after {
		return []presentation.FileDiff{{Path: f.moveTo, OldText: new(string), Change: presentation.ChangeMove, OldPath: f.path}}, ""
	}
	r, ok := f.region()
	if !ok {
		return nil, fmt.Sprintf("The diff of %s is omitted: the change is too large to show (%d bytes before, %d after).", f.path, len(f.before), len(f.after))
	}
	ds := presentation.Hunks(f.end(), r.before, r.after, f.existed)
	for i := range ds {
		ds[i].Line += r.above
		switch f.op {
		case workspace.OpDelete:
			ds[i].Change = presentation.ChangeDelete
		case workspace.OpMove:
			ds[i].Change, ds[i].OldPath = presentation.ChangeMove, f.path
		}
	}
	return ds, ""
}

// region is the part of a file from the first to the last difference, with
// the lines of context around it; above counts the lines before it. Comparing
// only it keeps a small change of a large file cheap.
type region struct {
	before, after string
	above         int
}

// region returns ok false when the part is over the bound.
func (f changedFile) region() (r region, ok bool) {
	head, tail := diff.Common(f.before, f.after)
	if len(f.before)-tail-head > cardRegionBytes || len(f.after)-tail-head > cardRegionBytes {
		return region{}, false
	}
	start := linesBack(f.before, head, diffContext)
	oldEnd, newEnd := linesOn(f.before, len(f.before)-tail, diffContext), linesOn(f.after, len(f.after)-tail, diffContext)
	return region{f.before[start:oldEnd], f.after[start:newEnd], strings.Count(f.before[:start], "\n")}, true
}

// linesBack moves from the line start i up n lines.
func linesBack(s string, i, n int) int {
	for ; n > 0 && i > 0; n-- {
		i = strings.LastIndexByte(s[:i-1], '\n') + 1
	}
	return i
}

// linesOn moves from the line start i down n lines.
func linesOn(s string, i, n int) int {
	for ; n > 0 && i < len(s); n-- {
		j := strings.IndexByte(s[i:], '\n')
		if j < 0 {
			return len(s)
		}
		i += j + 1
	}
	return i
}

// unified is the change as a patch that patch(1) reads.
func (c *changeCard) unified() string {
	var b strings.Builder
	for _, f := range c.files {
		r, ok := f.region()
		if !ok || f.before == f.after {
			continue
		}
		hunks := diff.Hunks(r.before, r.after, diffContext)
		for i := range hunks {
			hunks[i].OldStart += r.above
			hunks[i].NewStart += r.above
		}
		d := diff.File{OldName: f.path, NewName: f.end(), Hunks: hunks}
		switch f.op {
		case workspace.OpCreate:
			d.OldName = nullFile
		case workspace.OpDelete:
			d.NewName = nullFile
		}
		if b.Len() > 0 {
			b.WriteByte('\n')
		}
		b.WriteString(strings.ToValidUTF8(d.Unified(), "�"))
	}
	return b.String()
}

// Bounds of the diff in a result's text (tools.md §1.9.2).
const (
	// nullFile stands for the missing side of a created or deleted file.
	nullFile = "/dev/null"

	previewLines = 120
	previewBytes = 16 << 10
)

// boundedDiff is a diff cut to what a model is shown.
type boundedDiff struct {
	full, text, note string
	truncated        bool
}

func boundDiff(full string) boundedDiff {
	d := boundedDiff{full: full, text: strings.TrimSuffix(full, "\n")}
	if lines := strings.Split(d.text, "\n"); len(lines) > previewLines {
		head := (previewLines + 1) / 2
		tail := previewLines - head
		omitted := fmt.Sprintf("...[%d lines omitted]...", len(lines)-previewLines)
		d.text = strings.Join(lines[:head], "\n") + "\n" + omitted + "\n" + strings.Join(lines[len(lines)-tail:], "\n")
		d.truncated = true
	}
	if len(d.text) > previewBytes {
		half := previewBytes / 2
		d.text = strings.ToValidUTF8(d.text[:half], "") + "\n...[truncated by size]...\n" + strings.ToValidUTF8(d.text[len(d.text)-half:], "")
		d.truncated = true
	}
	return d
}

// store keeps the full diff in the output cache and says where; when it
// cannot, the change still stands.
func (d *boundedDiff) store(ctx context.Context, tc *tools.Context, tool string, details map[string]any) {
	details["diff_truncated"] = true
	store, err := tools.Resolve(ctx, tc, Outputs)
	if err == nil {
		ref, _, putErr := store.Put(tc.Session, tool+"_diff_"+tc.CallID, d.full)
		if err = putErr; err == nil {
			details["diff_cache_id"] = string(ref)
			d.note = fmt.Sprintf("[diff truncated; full diff: tool_output_cache ref_id=%s]", ref)
			return
		}
	}
	details["diff_cache_error"] = err.Error()
	d.note = "[diff truncated; the full diff could not be kept: " + err.Error() + "]"
}
