package builtin

import (
	"context"
	_ "embed"
	"encoding/json"
	"fmt"

	"github.com/agent-ls/agent-ls/presentation"
	"github.com/agent-ls/agent-ls/tools"
	"github.com/agent-ls/agent-ls/tools/builtin/match"
	"github.com/agent-ls/agent-ls/workspace"
	"github.com/agent-ls/agent-ls/workspace/diff"
)

//go:embed edit.md
var editDescription string

// EditArgs are the parameters of edit: one of three shapes (contract §4).
type EditArgs struct {
	FilePath             string     `json:"file_path" desc:"Path of the file."`
	OldString            *string    `json:"old_string,omitempty" desc:"Text to replace; empty creates the file or replaces all of it."`
	NewString            *string    `json:"new_string,omitempty" desc:"Text to put there."`
	ReplaceAll           bool       `json:"replace_all,omitempty" desc:"Replace every place."`
	MatchMode            string     `json:"match_mode,omitempty" enum:"auto,exact,line_trimmed,block_anchor" desc:"How old_string is looked for."`
	ExpectedReplacements *int       `json:"expected_replacements,omitempty" min:"0" desc:"How many places must match."`
	Edits                []EditPair `json:"edits,omitempty" desc:"Several replacements, all against the file as it is now."`
	StartLine            *int       `json:"start_line,omitempty" desc:"First line to replace, 1-based."`
	EndLine              *int       `json:"end_line,omitempty" desc:"Last line to replace, inclusive."`
	Content              *string    `json:"content,omitempty" desc:"Lines to put there; empty deletes them."`
	ExpectedHash         string     `json:"expected_hash,omitempty" pattern:"^[0-9a-f]{64}$" desc:"content_sha256 that the file must have."`
	DryRun               bool       `json:"dry_run,omitempty" desc:"Show the change without making it."`
}

// EditPair is one replacement of a list.
type EditPair struct {
	OldString string `json:"old_string" minLength:"1"`
	NewString string `json:"new_string"`
}

// The shapes of EditArgs.
const (
	shapeText  = "old_string with new_string"
	shapeList  = "edits"
	shapeLines = "start_line, end_line and content"
)

// Edit returns the edit tool (tools.md §1.7, §2.7, §3.11).
func Edit(o Options) *tools.Definition {
	return tools.Define(tools.Spec[EditArgs]{
		Name: "edit", Label: "Edit", Description: editDescription, Source: tools.SourceBuiltin,
		// Another change of the same batch is planned on what this one leaves.
		Mode:    tools.Sequential,
		Prepare: prepareEdit(),
		Access:  func(a EditArgs) []tools.Access { return changeAccess(a.DryRun, a.FilePath) },
		Plan: func(ctx context.Context, a EditArgs, tc *tools.Context) (*tools.Plan, error) {
			return planOf(prepareEditing(ctx, a, tc))
		},
		Execute: func(ctx context.Context, a EditArgs, tc *tools.Context) (tools.Result, error) {
			return executeChange(ctx, tc, "edit", func() (*prepared, error) { return prepareEditing(ctx, a, tc) })
		},
		PresentCall:   presentEdit,
		PresentResult: func(_ EditArgs, r tools.Result) presentation.ResultView { return presentChanged(r) },
	})
}

// changeAccess is what a change of files needs: a dry run only reads.
func changeAccess(dryRun bool, paths ...string) []tools.Access {
	kind := tools.AccessEdit
	if dryRun {
		kind = tools.AccessRead
	}
	out := make([]tools.Access, len(paths))
	for i, p := range paths {
		out[i] = tools.Access{Kind: kind, Path: p}
	}
	return out
}

// prepareEdit also accepts the spellings inside edits, and edits given as a
// JSON string (tools.md §2.7.1).
func prepareEdit() func(json.RawMessage) (json.RawMessage, error) {
	text := map[string]string{"oldText": "old_string", "newText": "new_string", "oldString": "old_string", "newString": "new_string"}
	outer := map[string]string{"startLine": "start_line", "endLine": "end_line"}
	for k, v := range text {
		outer[k] = v
	}
	file, pair := prepareFile(outer), tools.Aliases(text)
	return func(raw json.RawMessage) (json.RawMessage, error) {
		raw, err := file(raw)
		if err != nil {
			return nil, err
		}
		members, ok := decoded[map[string]json.RawMessage](raw)
		if !ok || members["edits"] == nil {
			return raw, nil
		}
		list := members["edits"]
		if quoted, ok := decoded[string](list); ok {
			list = json.RawMessage(quoted)
		}
		items, ok := decoded[[]json.RawMessage](list)
		if !ok {
			return raw, nil // for validation to refuse
		}
		for i := range items {
			if items[i], err = pair(items[i]); err != nil {
				return nil, fmt.Errorf("edits[%d]: %w", i, err)
			}
		}
		members["edits"] = mustJSON(items)
		return mustJSON(members), nil
	}
}

// shape says which of the three shapes the arguments have.
func (a EditArgs) shape() (string, error) {
	var found []string
	if a.OldString != nil || a.NewString != nil {
		found = append(found, shapeText)
	}
	if a.Edits != nil {
		found = append(found, shapeList)
	}
	if a.StartLine != nil || a.EndLine != nil || a.Content != nil {
		found = append(found, shapeLines)
	}
	if len(found) != 1 {
		return "", invalidArgs("give exactly one of: %s; %s; %s", shapeText, shapeList, shapeLines)
	}
	switch missing := ""; found[0] {
	case shapeText:
		if a.OldString == nil {
			missing = "old_string"
		} else if a.NewString == nil {
			missing = "new_string"
		}
		if missing != "" {
			return "", invalidArgs("missing required property %q", missing)
		}
	case shapeList:
		if len(a.Edits) == 0 {
			return "", invalidArgs("edits is empty")
		}
	case shapeLines:
		if a.StartLine == nil || a.EndLine == nil || a.Content == nil {
			return "", invalidArgs("start_line, end_line and content go together")
		}
	}
	return found[0], nil
}

// presentEdit shows the path, and the texts where the arguments hold them.
func presentEdit(a EditArgs) presentation.CallView {
	c := &presentation.DiffCall{Title: "Edit " + a.FilePath, Diffs: []presentation.FileDiff{}}
	l := presentation.FileLocation{Path: a.FilePath}
	if a.StartLine != nil {
		l.Line = max(1, *a.StartLine)
	}
	c.Locations = []presentation.FileLocation{l}
	pairs := a.Edits
	if a.OldString != nil && a.NewString != nil && *a.OldString != "" {
		pairs = []EditPair{{*a.OldString, *a.NewString}}
	}
	for _, p := range pairs {
		c.Diffs = append(c.Diffs, presentation.FileDiff{Path: a.FilePath, OldText: &p.OldString, NewText: p.NewString})
	}
	c.Diffs, c.Omitted = presentation.Bound(c.Diffs, presentation.DiffLimit)
	return c
}

// prepareEditing finds what the call would change, in the order of checks of
// tools.md §1.7.
func prepareEditing(ctx context.Context, a EditArgs, tc *tools.Context) (*prepared, error) {
	shape, err := a.shape()
	if err != nil {
		return nil, err
	}
	p := &prepared{title: "Edit " + a.FilePath, names: []changeName{{path: a.FilePath}}, dryRun: a.DryRun, exact: a.ExpectedHash != ""}
	if shape == shapeText && *a.OldString == *a.NewString && *a.OldString != "" {
		p.summary = fmt.Sprintf("No changes needed in %s: old_string and new_string are equal", a.FilePath)
		p.details = map[string]any{"summary": p.summary, "file_path": a.FilePath, "replacements": 0, "match_mode": string(match.Exact)}
		return p, nil
	}
	v, err := tools.Resolve(ctx, tc, Files)
	if err != nil {
		return nil, err
	}
	h, err := openForChange(ctx, v, a.FilePath)
	if err != nil {
		return nil, err
	}
	whole := shape == shapeText && *a.OldString == ""
	if !h.Exists && !whole && a.ExpectedHash == "" {
		return nil, notFound(a.FilePath)
	}
	if err := checkHash(a.FilePath, a.ExpectedHash, h); err != nil {
		return nil, err
	}
	if a.ExpectedHash == "" && h.Exists {
		if h, err = observed(v, h, shape, whole); err != nil {
			return nil, err
		}
	}
	if whole {
		return p, p.replaceWhole(a, h)
	}
	switch shape {
	case shapeText:
		err = p.replaceText(a, h)
	case shapeList:
		err = p.replaceList(a, h)
	case shapeLines:
		err = p.replaceLines(a, h)
	}
	return p, err
}

// observed checks that the session has seen the file, and returns what the edit
// is to be planned on: lines are those that were last read, and a text that
// replaces everything was made from it (contract §7.11).
func observed(v *workspace.View, h workspace.Handle, shape string, whole bool) (workspace.Handle, error) {
	switch {
	case whole:
		return h, v.CheckText(h)
	case shape == shapeLines:
		return v.Seen(h)
	}
	return h, v.Check(h)
}

// openForChange opens a file that is about to be changed.
func openForChange(ctx context.Context, v *workspace.View, path string) (workspace.Handle, error) {
	abs, err := v.Abs(path)
	if err != nil {
		return workspace.Handle{}, err
	}
	return v.Open(ctx, abs)
}

// replaceWhole creates the file or replaces all of it.
func (p *prepared) replaceWhole(a EditArgs, h workspace.Handle) error {
	if h.Exists {
		if err := checkText(a.FilePath, h); err != nil {
			return err
		}
	}
	n := 0
	if !h.Exists || h.Content() != *a.NewString {
		n = 1
	}
	if a.ExpectedReplacements != nil && *a.ExpectedReplacements != n {
		return matchError(a.FilePath, &match.CountError{Want: *a.ExpectedReplacements, Got: n})
	}
	if n > 0 {
		p.changes = []workspace.Change{wholeFile(h, *a.NewString)}
	}
	p.summarise(a, n, match.Exact, 1)
	return nil
}

// wholeFile is the change that makes the file hold text.
func wholeFile(h workspace.Handle, text string) workspace.Change {
	if !h.Exists {
		return workspace.Change{Op: workspace.OpCreate, Base: h, Text: text}
	}
	return workspace.Change{Op: workspace.OpUpdate, Base: h, Edits: []diff.Edit{{Start: 0, End: len(h.Content()), New: text}}}
}

func (p *prepared) replaceText(a EditArgs, h workspace.Handle) error {
	if err := checkText(a.FilePath, h, *a.OldString, *a.NewString); err != nil {
		return err
	}
	f, err := match.Replace(h.Content(), match.Request{
		Old: *a.OldString, New: *a.NewString, Mode: match.Mode(a.MatchMode), ReplaceAll: a.ReplaceAll, Expected: a.ExpectedReplacements,
	})
	if err != nil {
		return matchError(a.FilePath, err)
	}
	return p.found(a, h, f)
}

func (p *prepared) replaceList(a EditArgs, h workspace.Handle) error {
	pairs := make([]match.Pair, len(a.Edits))
	texts := make([]string, 0, 2*len(a.Edits))
	for i, e := range a.Edits {
		pairs[i] = match.Pair{Old: e.OldString, New: e.NewString}
		texts = append(texts, e.OldString, e.NewString)
	}
	if err := checkText(a.FilePath, h, texts...); err != nil {
		return err
	}
	f, err := match.Many(h.Content(), pairs, match.Mode(a.MatchMode))
	if err != nil {
		return matchError(a.FilePath, err)
	}
	if n := a.ExpectedReplacements; n != nil && *n != len(f.Edits) {
		return matchError(a.FilePath, &match.CountError{Want: *n, Got: len(f.Edits)})
	}
	return p.found(a, h, f)
}

func (p *prepared) found(a EditArgs, h workspace.Handle, f match.Found) error {
	p.changes = []workspace.Change{{Op: workspace.OpUpdate, Base: h, Edits: f.Edits}}
	p.summarise(a, len(f.Edits), f.Mode, f.Score)
	return nil
}

func (p *prepared) replaceLines(a EditArgs, h workspace.Handle) error {
	if err := checkText(a.FilePath, h, *a.Content); err != nil {
		return err
	}
	e, err := match.Lines(h.Content(), *a.StartLine, *a.EndLine, *a.Content)
	if err != nil {
		return matchError(a.FilePath, err)
	}
	p.changes = []workspace.Change{{Op: workspace.OpUpdate, Base: h, Edits: []diff.Edit{e}}}
	verb := "✓ Edited"
	if a.DryRun {
		verb = "Preview: would edit"
	}
	p.summary = fmt.Sprintf("%s lines %d-%d in %s", verb, *a.StartLine, *a.EndLine, a.FilePath)
	p.details = map[string]any{"summary": p.summary, "path": a.FilePath, "file_path": a.FilePath,
		"startLine": *a.StartLine, "endLine": *a.EndLine, "linesChanged": *a.EndLine - *a.StartLine + 1}
	return nil
}

// summarise words the result of a replacement (tools.md §1.7, output).
func (p *prepared) summarise(a EditArgs, n int, mode match.Mode, score float64) {
	switch {
	case n == 0:
		p.summary = "No changes needed in " + a.FilePath
	case a.DryRun:
		p.summary = fmt.Sprintf("Preview: %d replacement(s) in %s", n, a.FilePath)
	default:
		p.summary = fmt.Sprintf("Replaced %d occurrence(s) in %s", n, a.FilePath)
	}
	p.details = map[string]any{"summary": p.summary, "file_path": a.FilePath, "replacements": n, "match_mode": string(mode)}
	if mode == match.BlockAnchor {
		p.details["match_score"] = score
		p.summary += fmt.Sprintf(" (block matched by its first and last line, %.0f%% of the lines between equal)", 100*score)
	}
}
