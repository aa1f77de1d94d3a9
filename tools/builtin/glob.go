package builtin

import (
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"github.com/bmatcuk/doublestar/v4"

	"github.com/agent-ls/agent-ls/presentation"
	"github.com/agent-ls/agent-ls/tools"
	"github.com/agent-ls/agent-ls/workspace"
)

//go:embed glob.md
var globDescription string

//go:embed ls.md
var lsDescription string

// GlobArgs are the parameters of glob.
type GlobArgs struct {
	Pattern string `json:"pattern" minLength:"1" desc:"Pattern, e.g. **/*.go."`
	Path    string `json:"path,omitempty" desc:"Folder to look in."`
	Limit   int    `json:"limit,omitzero" min:"1" max:"100000" desc:"Most entries."`
}

// LsArgs are the parameters of ls.
type LsArgs struct {
	Path  string `json:"path,omitempty" desc:"Folder to list."`
	Limit int    `json:"limit,omitzero" min:"1" max:"100000" desc:"Most entries."`
}

// Bounds of lists (tools.md §2.8).
const (
	globLimit = 1000
	lsLimit   = 500
)

// hitsMeta is what the card of a search shows besides its text.
type hitsMeta struct {
	Locations []presentation.FileLocation `json:"locations"`
}

// presentHits adds the places of the hits to the text.
func presentHits(r tools.Result) presentation.ResultView {
	var m hitsMeta
	if r.IsError || json.Unmarshal(r.Meta, &m) != nil || len(m.Locations) == 0 {
		return nil
	}
	return &presentation.GenericResult{Locations: m.Locations}
}

// Glob returns the glob tool.
func Glob(o Options) *tools.Definition {
	return tools.Define(tools.Spec[GlobArgs]{
		Name: "glob", Label: "Find files", Description: globDescription, Source: tools.SourceBuiltin,
		Access:  func(a GlobArgs) []tools.Access { return searchAccess(a.Path) },
		Execute: glob,
		PresentCall: func(a GlobArgs) presentation.CallView {
			return &presentation.GenericCall{Title: fmt.Sprintf("Find %s in %s", a.Pattern, orHere(a.Path)), Kind: presentation.KindSearch, RawInput: rawString(a.Pattern)}
		},
		PresentResult: func(_ GlobArgs, r tools.Result) presentation.ResultView { return presentHits(r) },
	})
}

func glob(ctx context.Context, a GlobArgs, tc *tools.Context) (tools.Result, error) {
	v, err := tools.Resolve(ctx, tc, Files)
	if err != nil {
		return tools.Result{}, err
	}
	if !doublestar.ValidatePattern(a.Pattern) {
		return tools.Result{}, invalidArgs("pattern %q is no valid pattern", a.Pattern)
	}
	dir, err := v.Abs(orHere(a.Path))
	if err != nil {
		return tools.Result{}, err
	}
	limit := globLimit
	if a.Limit > 0 {
		limit = a.Limit
	}
	var names []string
	var places []presentation.FileLocation
	capped := false
	var skipped leftOut
	err = v.Walk(ctx, dir, func(e workspace.Entry) error {
		if e.Unlisted() {
			skipped.add(e, e.Err)
			return nil
		}
		if !globMatches(a.Pattern, e.Rel) {
			return nil
		}
		if len(names) == limit {
			capped = true
			return fs.SkipAll
		}
		names = append(names, entryName(display(v, e.Path), e.Dir))
		if !e.Dir && len(places) < searchLocations {
			places = append(places, presentation.FileLocation{Path: e.Path})
		}
		return nil
	})
	if err != nil {
		return tools.Result{}, pathNotFound(orHere(a.Path), err)
	}
	if len(names) == 0 {
		return hitsResult("No files found matching pattern "+a.Pattern, skipped.notices(), nil, map[string]any{"entries": 0}), nil
	}
	return listResult(names, limit, capped, places, skipped.notices()), nil
}

func entryName(name string, dir bool) string {
	if dir {
		return name + "/"
	}
	return name
}

// listResult words a list of names within the bound of a result.
func listResult(names []string, limit int, capped bool, places []presentation.FileLocation, more []string) tools.Result {
	out := &searchText{}
	for _, n := range names {
		out.write(n + "\n")
	}
	var notices []string
	if capped {
		notices = append(notices, fmt.Sprintf("Stopped at %d entries; narrow the pattern or raise limit", limit))
	}
	if out.full {
		notices = append(notices, fmt.Sprintf("Output cut at %d KiB", searchBytes>>10))
	}
	return hitsResult(out.b.String(), append(notices, more...), places, map[string]any{"entries": len(names)})
}

// Ls returns the ls tool.
func Ls(o Options) *tools.Definition {
	return tools.Define(tools.Spec[LsArgs]{
		Name: "ls", Label: "List", Description: lsDescription, Source: tools.SourceBuiltin,
		Access:  func(a LsArgs) []tools.Access { return searchAccess(a.Path) },
		Execute: ls,
		PresentCall: func(a LsArgs) presentation.CallView {
			return &presentation.GenericCall{Title: "List " + orHere(a.Path), Kind: presentation.KindRead, RawInput: rawString(orHere(a.Path))}
		},
	})
}

func ls(ctx context.Context, a LsArgs, tc *tools.Context) (tools.Result, error) {
	v, err := tools.Resolve(ctx, tc, Files)
	if err != nil {
		return tools.Result{}, err
	}
	dir, err := v.Abs(orHere(a.Path))
	if err != nil {
		return tools.Result{}, err
	}
	entries, err := v.ReadDir(dir)
	if err != nil {
		var e *workspace.Error
		if errors.As(err, &e) && e.Code == workspace.FSNotDirectory {
			return tools.Result{}, &workspace.Error{Code: e.Code, Path: a.Path, Message: "Not a directory: " + orHere(a.Path), Hint: "Use read for a file", Err: err}
		}
		return tools.Result{}, pathNotFound(orHere(a.Path), err)
	}
	if len(entries) == 0 {
		return tools.TextResult("(empty directory)"), nil
	}
	names := make([]string, len(entries))
	for i, e := range entries {
		names[i] = entryName(e.Rel, e.Dir)
	}
	slices.SortStableFunc(names, func(x, y string) int { return strings.Compare(strings.ToLower(x), strings.ToLower(y)) })
	limit := lsLimit
	if a.Limit > 0 {
		limit = a.Limit
	}
	capped := len(names) > limit
	return listResult(names[:min(len(names), limit)], limit, capped, nil, nil), nil
}
