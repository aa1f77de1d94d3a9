package builtin

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"strings"

	"github.com/agent-ls/agent-ls/presentation"
	"github.com/agent-ls/agent-ls/tools"
	"github.com/agent-ls/agent-ls/tools/builtin/patch"
	"github.com/agent-ls/agent-ls/workspace"
)

//go:embed applypatch.md
var applyPatchDescription string

// ApplyPatchArgs are the parameters of apply_patch.
type ApplyPatchArgs struct {
	Patch  string `json:"patch" desc:"The patch, from *** Begin Patch to *** End Patch."`
	DryRun bool   `json:"dry_run,omitempty" desc:"Check and show the change without making it."`
}

// ApplyPatch returns the apply_patch tool (tools.md §1.11).
func ApplyPatch(o Options) *tools.Definition {
	return tools.Define(tools.Spec[ApplyPatchArgs]{
		Name: "apply_patch", Label: "Patch", Description: applyPatchDescription, Source: tools.SourceBuiltin,
		// Another change of the same batch is planned on what this one leaves.
		Mode: tools.Sequential,
		Access: func(a ApplyPatchArgs) []tools.Access {
			files, err := patch.Parse(a.Patch)
			if err != nil {
				return []tools.Access{} // the plan refuses it
			}
			return changeAccess(a.DryRun, patchPaths(files)...)
		},
		Plan: func(ctx context.Context, a ApplyPatchArgs, tc *tools.Context) (*tools.Plan, error) {
			return planOf(preparePatch(ctx, a, tc))
		},
		Execute: func(ctx context.Context, a ApplyPatchArgs, tc *tools.Context) (tools.Result, error) {
			return executeChange(ctx, tc, "apply_patch", func() (*prepared, error) { return preparePatch(ctx, a, tc) })
		},
		PresentCall:   presentPatch,
		PresentResult: func(_ ApplyPatchArgs, r tools.Result) presentation.ResultView { return presentChanged(r) },
	})
}

// patchPaths are all paths that a patch touches.
func patchPaths(files []patch.File) []string {
	var out []string
	for _, f := range files {
		out = append(out, plainPath(f.Path))
		if f.MoveTo != "" {
			out = append(out, plainPath(f.MoveTo))
		}
	}
	return out
}

// patchTitle is "Patch a.go", or the number of files.
func patchTitle(files []patch.File) string {
	if len(files) == 1 {
		return "Patch " + files[0].Path
	}
	return fmt.Sprintf("Patch %d files", len(files))
}

// presentPatch shows the files that the patch names; their text comes with
// the plan.
func presentPatch(a ApplyPatchArgs) presentation.CallView {
	files, err := patch.Parse(a.Patch)
	if err != nil {
		return &presentation.DiffCall{Title: "Patch", Diffs: []presentation.FileDiff{}}
	}
	c := &presentation.DiffCall{Title: patchTitle(files), Diffs: []presentation.FileDiff{}}
	for _, f := range files {
		if f.Action != patch.Delete && len(c.Locations) < cardLocations {
			c.Locations = append(c.Locations, presentation.FileLocation{Path: f.Path})
		}
	}
	return c
}

// patchPlan collects the changes of a patch and keeps its files apart.
type patchPlan struct {
	view    *workspace.View
	out     *prepared
	entries []patchEntry
	sources map[string]bool // real paths that a section reads
	targets map[string]bool // real paths that a section leaves
	vacated map[string]bool // real paths that an earlier section frees
}

// patchEntry is one file of the structured result.
type patchEntry struct {
	Action  string `json:"action"`
	Path    string `json:"file_path"`
	MoveTo  string `json:"move_to,omitempty"`
	Summary string `json:"summary"`
}

func preparePatch(ctx context.Context, a ApplyPatchArgs, tc *tools.Context) (*prepared, error) {
	files, err := patch.Parse(a.Patch)
	if err != nil {
		return nil, &tools.Error{Name: "PatchError", Code: "PATCH_PARSE_FAILED", Message: err.Error(), Hint: "Correct the patch and send it again", Err: err}
	}
	v, err := tools.Resolve(ctx, tc, Files)
	if err != nil {
		return nil, err
	}
	pp := &patchPlan{view: v, out: &prepared{title: patchTitle(files), dryRun: a.DryRun},
		sources: map[string]bool{}, targets: map[string]bool{}, vacated: map[string]bool{}}
	for i := range files {
		if err := pp.section(ctx, &files[i]); err != nil {
			return nil, err
		}
	}
	pp.out.summary = fmt.Sprintf("Applied patch to %d file(s)", len(files))
	if a.DryRun {
		pp.out.summary = fmt.Sprintf("Patch preview ready for %d file(s)", len(files))
	}
	lines := []string{pp.out.summary}
	for _, e := range pp.entries {
		lines = append(lines, e.Summary)
	}
	pp.out.details = map[string]any{"summary": pp.out.summary, "file_count": len(files), "files": pp.entries}
	pp.out.summary = strings.Join(lines, "\n")
	return pp.out, nil
}

// section plans one section.
func (pp *patchPlan) section(ctx context.Context, f *patch.File) error {
	name := plainPath(f.Path)
	h, err := openForChange(ctx, pp.view, name)
	if err != nil {
		return err
	}
	if pp.sources[h.Real] {
		return patchError(name, "Duplicate file in patch: %s", "Put all changes of a file into one section")
	}
	pp.sources[h.Real] = true
	switch f.Action {
	case patch.Add:
		return pp.add(f, name, h)
	case patch.Delete:
		return pp.remove(name, h)
	}
	return pp.update(ctx, f, name, h)
}

func (pp *patchPlan) add(f *patch.File, name string, h workspace.Handle) error {
	if h.Exists && !pp.vacated[h.Real] {
		return &workspace.Error{Code: workspace.FSExists, Path: name, Message: "File already exists: " + name, Hint: "Use an Update File section to change it"}
	}
	if err := pp.target(name, h.Real); err != nil {
		return err
	}
	pp.change(workspace.Change{Op: workspace.OpCreate, Base: h, Text: f.Content}, patchEntry{Action: "add", Path: name, Summary: "A " + name})
	return nil
}

func (pp *patchPlan) remove(name string, h workspace.Handle) error {
	if !h.Exists {
		return notFound(name)
	}
	if err := pp.fresh(h); err != nil {
		return err
	}
	pp.vacated[h.Real] = true
	pp.change(workspace.Change{Op: workspace.OpDelete, Base: h}, patchEntry{Action: "delete", Path: name, Summary: "D " + name})
	return nil
}

func (pp *patchPlan) update(ctx context.Context, f *patch.File, name string, h workspace.Handle) error {
	if !h.Exists {
		return notFound(name)
	}
	if err := pp.fresh(h); err != nil {
		return err
	}
	if err := checkText(name, h, addedText(f)...); err != nil {
		return err
	}
	edits, err := f.Apply(h.Content())
	if err != nil {
		return &workspace.Error{Code: workspace.FSEditNotFound, Path: name, Message: err.Error(), Hint: "Read the file again and copy its lines exactly", Err: err}
	}
	c := workspace.Change{Op: workspace.OpUpdate, Base: h, Edits: edits}
	e := patchEntry{Action: "update", Path: name, Summary: "M " + name}
	if f.MoveTo != "" {
		to := plainPath(f.MoveTo)
		moved, err := pp.moveTo(ctx, to, h)
		if err != nil {
			return err
		}
		if moved.Path != "" {
			c.Op, c.MoveTo, c.MoveReal = workspace.OpMove, moved.Path, moved.Real
			e = patchEntry{Action: "move", Path: name, MoveTo: to, Summary: "R " + name + " -> " + to}
			pp.vacated[h.Real] = true
			pp.change(c, e)
			return nil
		}
	}
	if err := pp.target(name, h.Real); err != nil {
		return err
	}
	pp.change(c, e)
	return nil
}

// moveTo checks the target of a move and returns it, without a path when it
// is the file itself.
func (pp *patchPlan) moveTo(ctx context.Context, to string, from workspace.Handle) (workspace.Handle, error) {
	t, err := openForChange(ctx, pp.view, to)
	if err != nil {
		return workspace.Handle{}, err
	}
	if t.Real == from.Real {
		return workspace.Handle{}, nil
	}
	if t.Exists && !pp.vacated[t.Real] {
		return workspace.Handle{}, &workspace.Error{Code: workspace.FSExists, Path: to, Message: "File already exists: " + to, Hint: "Move to another name, or delete that file in an earlier section"}
	}
	return t, pp.target(to, t.Real)
}

// target refuses two sections that leave the same file.
func (pp *patchPlan) target(name, real string) error {
	if pp.targets[real] {
		return patchError(name, "Two sections of the patch write %s", "Let only one section write a file")
	}
	pp.targets[real] = true
	return nil
}

// fresh refuses a file that changed since this session last saw it; a patch
// needs no read before it (contract §4).
func (pp *patchPlan) fresh(h workspace.Handle) error {
	err := pp.view.Check(h)
	var e *workspace.Error
	if errors.As(err, &e) && e.Code == workspace.FSNotObserved {
		return nil
	}
	return err
}

func (pp *patchPlan) change(c workspace.Change, e patchEntry) {
	pp.out.changes = append(pp.out.changes, c)
	pp.out.names = append(pp.out.names, changeName{path: e.Path, moveTo: e.MoveTo})
	pp.entries = append(pp.entries, e)
}

func addedText(f *patch.File) []string {
	var out []string
	for _, c := range f.Chunks {
		for _, l := range c.Lines {
			if l.Op == '+' {
				out = append(out, l.Text)
			}
		}
	}
	return out
}

func patchError(path, format, hint string) error {
	return &tools.Error{Name: "PatchError", Code: "PATCH_CONFLICT", Message: fmt.Sprintf(format, path), Hint: hint}
}
