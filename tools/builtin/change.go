package builtin

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/agent-ls/agent-ls/tools"
	"github.com/agent-ls/agent-ls/tools/builtin/match"
	"github.com/agent-ls/agent-ls/tools/cache"
	"github.com/agent-ls/agent-ls/workspace"
)

// prepared is what the plan of a file-changing call came to. Execute applies
// exactly it.
type prepared struct {
	changes []workspace.Change
	// names are the paths of the changes as the arguments have them.
	names []changeName
	title string
	// summary is the first line of the result once applied or previewed.
	summary string
	// noDiff stands for the diff where there is none.
	noDiff string
	dryRun bool
	// exact refuses a file that is not the one with the expected hash, even
	// where the change could be moved along.
	exact   bool
	details map[string]any

	files []changedFile // what planned returned
}

// changeName is the path of a changed file, and where a move takes it.
type changeName struct{ path, moveTo string }

// planOf turns what prepare found into the plan with its card.
func planOf(p *prepared, err error) (*tools.Plan, error) {
	if err != nil {
		return nil, err
	}
	files, err := p.planned()
	if err != nil {
		return nil, err
	}
	return &tools.Plan{View: newChangeCard(p.title, files).call(), Value: p}, nil
}

// planned is what the changes would leave.
func (p *prepared) planned() ([]changedFile, error) {
	if p.files != nil {
		return p.files, nil
	}
	files := make([]changedFile, len(p.changes))
	for i, c := range p.changes {
		var err error
		if files[i], err = editedFile(p.names[i], c); err != nil {
			return nil, err
		}
	}
	p.files = files
	return files, nil
}

// executeChange applies the plan of a call; prepare is used where the caller
// made none.
func executeChange(ctx context.Context, tc *tools.Context, tool string, prepare func() (*prepared, error)) (tools.Result, error) {
	var p *prepared
	if tc.Planned != nil {
		p, _ = tc.Planned.Value.(*prepared)
	}
	if p == nil {
		var err error
		if p, err = prepare(); err != nil {
			return tools.Result{}, err
		}
	}
	v, err := tools.Resolve(ctx, tc, Files)
	if err != nil {
		return tools.Result{}, err
	}
	files, notes, err := p.apply(ctx, v)
	if err != nil {
		return tools.Result{}, err
	}
	return p.result(ctx, tc, tool, newChangeCard(p.title, files), notes), nil
}

// apply makes the changes, unless the call is a dry run or changes nothing,
// and returns what became of each file, and what the model must know of it.
func (p *prepared) apply(ctx context.Context, v *workspace.View) (files []changedFile, notes []string, err error) {
	if files, err = p.planned(); err != nil || p.dryRun || len(p.changes) == 0 {
		return files, nil, err
	}
	for i := range p.changes {
		p.changes[i].Exact = p.exact
	}
	applied, err := v.Apply(ctx, p.changes)
	if err != nil {
		return nil, nil, err
	}
	files = slices.Clone(files)
	for i, a := range applied {
		if a.Rebased || a.Differs || a.Before.Content() != a.Change.Base.Content() {
			files[i] = comparedFile(p.names[i], a.Change, a.Before.Content(), a.After.Content())
			files[i].existed = a.Before.Exists
		}
	}
	return files, notesOn(applied), nil
}

// notesOn is what the model must know of changes beside their diff.
func notesOn(applied []workspace.Applied) []string {
	var rebased, differs, unsaved bool
	for _, a := range applied {
		rebased = rebased || a.Rebased
		differs = differs || a.Differs
		unsaved = unsaved || a.After.Dirty
	}
	var notes []string
	for _, n := range []struct {
		holds bool
		text  string
	}{
		{rebased, "The file had changed elsewhere meanwhile; the edit was moved along."},
		{differs, "The editor then made another text of it, as formatting on save does. Do not repeat the change; read the file before the next edit."},
		{unsaved, "The text is not saved in the editor: commands do not see it until it is."},
	} {
		if n.holds {
			notes = append(notes, n.text)
		}
	}
	return notes
}

// result is the text for the model (summary, then the bounded diff), the
// details and what presentChanged needs.
func (p *prepared) result(ctx context.Context, tc *tools.Context, tool string, c *changeCard, notes []string) tools.Result {
	text := strings.Join(append([]string{p.summary}, notes...), "\n")
	details := p.details
	if details == nil {
		details = map[string]any{}
	}
	d := boundDiff(cmp.Or(c.unified(), p.noDiff))
	details["diff"] = d.text
	if d.truncated {
		d.store(ctx, tc, tool, details)
	}
	if d.text != "" {
		text += "\n\n" + d.text
	}
	if d.note != "" {
		text += "\n" + d.note
	}
	r := tools.TextResult(text)
	r.Details = mustJSON(details)
	if len(c.files) > 0 {
		r.Meta = mustJSON(c.meta)
	}
	return r
}

// checkHash compares the hash that a call expects with the file's (tools.md
// §1.7.5).
func checkHash(path, expected string, h workspace.Handle) error {
	switch {
	case expected == "":
		return nil
	case !h.Exists:
		return &workspace.Error{Code: workspace.FSNotFound, Path: path, Message: "Expected hash provided but file not found: " + path,
			Hint: "Leave expected_hash out to create the file"}
	case expected != h.Hash():
		return &workspace.Error{Code: workspace.FSStaleVersion, Path: path, Message: "Hash mismatch: " + path + " changed since it was read",
			Hint: "Read it again and retry with the new content_sha256"}
	}
	return nil
}

// checkText refuses to change a file whose bytes an edit could break, or in which
// its texts, those to find and those to put there, mean other bytes.
func checkText(path string, h workspace.Handle, texts ...string) error {
	name, utf8Text := workspace.Encoding(h.Content())
	if utf8Text {
		return nil
	}
	if name != workspace.EightBit {
		return notText(path, name)
	}
	for _, s := range texts {
		if word := wordBeyondASCII(s); word != "" {
			return &workspace.Error{Code: workspace.FSNotText, Path: path,
				Message: fmt.Sprintf("%s is not UTF-8, and %q is not plain ASCII: such text is not found there, and would break the file", path, word),
				Hint:    "Find and write ASCII only, or convert the file first with a command such as iconv"}
		}
	}
	return nil
}

// wordBeyondASCII is the first word of s that is not plain ASCII, "" for none.
func wordBeyondASCII(s string) string {
	between := func(r rune) bool { return r <= ' ' } // other spaces are beyond ASCII themselves
	for _, word := range strings.FieldsFunc(s, between) {
		if strings.IndexFunc(word, func(r rune) bool { return r >= utf8.RuneSelf }) >= 0 {
			word, _ = cache.ClipClusters(word, 40)
			return word
		}
	}
	return ""
}

// matchError puts a path and the next step to an error of package match.
func matchError(path string, err error) error {
	code, hint := workspace.FSEditNotFound, "Read the file again and copy the text exactly"
	msg := err.Error()
	var pair *match.PairError
	if errors.As(err, &pair) {
		inner := matchError(path, pair.Err)
		var we *workspace.Error
		if errors.As(inner, &we) {
			we.Message = fmt.Sprintf("edits[%d]: %s", pair.Index, we.Message)
		}
		return inner
	}
	switch e := err.(type) { //nolint:errorlint // package match wraps nothing but pairs
	case *match.NotFoundError:
		msg = "String not found in " + path
		if n := e.Nearest; n != nil {
			msg += strings.TrimPrefix(e.Error(), "not found")
		}
	case *match.AmbiguousError:
		code, hint = workspace.FSAmbiguousEdit, "Add lines around old_string until it is unique, or set replace_all"
		msg = fmt.Sprintf("Multiple matches (%d) found in %s%s", len(e.Lines), path, strings.TrimPrefix(e.Error(), fmt.Sprintf("%d matches", len(e.Lines))))
	case *match.CountError:
		code, hint = workspace.FSAmbiguousEdit, "Check the file, then correct expected_replacements"
		msg = fmt.Sprintf("Expected %d replacements, found %d in %s", e.Want, e.Got, path)
	case *match.OverlapError:
		hint = "Merge them into one"
	case *match.RangeError:
		return invalidArgs("%v", err)
	default:
		if errors.Is(err, match.ErrTrailByte) {
			code, hint = workspace.FSNotText, "Use more text before it, or a command that knows the encoding"
		}
	}
	return &workspace.Error{Code: code, Path: path, Message: msg, Hint: hint, Err: err}
}
