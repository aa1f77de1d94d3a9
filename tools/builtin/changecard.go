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
	existed       bool
	before, after int     // sizes in bytes
	region        *region // nil when it is over the bound
}

// comparedFile is the file of a change of which both texts are known.
func comparedFile(name changeName, c workspace.Change, before, after string) changedFile {
	return changedFile{
		changeName: name, op: c.Op, existed: c.Base.Exists, before: len(before), after: len(after),
		region: regionBetween(before, after),
	}
}

// editedFile is the file of a change that is not made yet. Only the part
// around its edits is looked at, which keeps a small change of a large file
// cheap.
func editedFile(name changeName, c workspace.Change) (changedFile, error) {
	before := c.Base.Content()
	switch {
	case c.Op == workspace.OpCreate:
		return comparedFile(name, c, before, c.Text), nil
	case c.Op == workspace.OpDelete:
		return comparedFile(name, c, before, ""), nil
	case len(c.Edits) == 0:
		return changedFile{changeName: name, op: c.Op, existed: c.Base.Exists, before: len(before), after: len(before), region: &region{}}, nil
	}
	start, end := c.Edits[0].Start, c.Edits[len(c.Edits)-1].End
	if start < 0 || start > end || end > len(before) {
		return changedFile{}, fmt.Errorf("edits of %s: %w", name.path, diff.ErrBadEdits)
	}
	start = linesBack(before, strings.LastIndexByte(before[:start], '\n')+1, diffContext)
	end = linesOn(before, end, diffContext+1)
	edits := make([]diff.Edit, len(c.Edits))
	for i, e := range c.Edits {
		edits[i] = diff.Edit{Start: e.Start - start, End: e.End - start, New: e.New}
	}
	part, err := diff.Apply(before[start:end], edits)
	if err != nil {
		return changedFile{}, fmt.Errorf("edits of %s: %w", name.path, err)
	}
	f := comparedFile(name, c, before[start:end], part)
	f.before, f.after = len(before), len(before)-(end-start)+len(part)
	if f.region != nil {
		f.region.above += strings.Count(before[:start], "\n")
	}
	return f, nil
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
	if f.op == workspace.OpMove && f.same() {
		return []presentation.FileDiff{{Path: f.moveTo, OldText: new(string), Change: presentation.ChangeMove, OldPath: f.path}}, ""
	}
	if f.op == workspace.OpDelete && f.same() { // it was empty
		return []presentation.FileDiff{{Path: f.path, OldText: new(string), Change: presentation.ChangeDelete}}, ""
	}
	r := f.region
	if r == nil {
		return nil, fmt.Sprintf("The diff of %s is omitted: the change is too large to show (%d bytes before, %d after).", f.path, f.before, f.after)
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

// same reports whether the file's text stays as it is.
func (f changedFile) same() bool { return f.region != nil && f.region.before == f.region.after }

// region is the part of a file from the first to the last difference, with
// the lines of context around it; above counts the lines before it.
type region struct {
	before, after string
	above         int
}

// regionBetween returns nil when the part is over the bound.
func regionBetween(before, after string) *region {
	head, tail := diff.Common(before, after)
	if len(before)-tail-head > cardRegionBytes || len(after)-tail-head > cardRegionBytes {
		return nil
	}
	start := linesBack(before, head, diffContext)
	oldEnd, newEnd := linesOn(before, len(before)-tail, diffContext), linesOn(after, len(after)-tail, diffContext)
	return &region{before[start:oldEnd], after[start:newEnd], strings.Count(before[:start], "\n")}
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
		r := f.region
		if r == nil || f.same() {
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
		const between = "\n...[truncated by size]...\n"
		const half = (previewBytes - len(between)) / 2
		d.text = strings.ToValidUTF8(d.text[:half], "") + between + strings.ToValidUTF8(d.text[len(d.text)-half:], "")
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
