package builtin

import (
	"cmp"
	"context"
	_ "embed"
	"errors"
	"fmt"
	"io"
	"path"
	"runtime"
	"strings"
	"sync"

	"github.com/bmatcuk/doublestar/v4"

	"github.com/agent-ls/agent-ls/presentation"
	"github.com/agent-ls/agent-ls/tools"
	"github.com/agent-ls/agent-ls/tools/builtin/search"
	"github.com/agent-ls/agent-ls/workspace"
)

//go:embed grep.md
var grepDescription string

// GrepArgs are the parameters of grep.
type GrepArgs struct {
	Pattern    string `json:"pattern" minLength:"1" desc:"Regular expression (RE2), or plain text with literal."`
	Path       string `json:"path,omitempty" desc:"Folder or file to search."`
	Glob       string `json:"glob,omitempty" desc:"Only files that match, e.g. *.go."`
	IgnoreCase bool   `json:"ignore_case,omitempty"`
	Literal    bool   `json:"literal,omitempty" desc:"The pattern is plain text."`
	Context    int    `json:"context,omitzero" min:"0" max:"50" desc:"Lines around each hit."`
	Limit      int    `json:"limit,omitzero" min:"1" max:"10000" desc:"Most hits."`
}

// Bounds of searches (tools.md §2.8).
const (
	grepLimit       = 100
	grepLineRunes   = 500
	searchBytes     = 50 << 10 // of a result's text
	searchLocations = 20       // of a card (contract §5)
	grepWorkers     = 16
)

// Grep returns the grep tool.
func Grep(o Options) *tools.Definition {
	return tools.Define(tools.Spec[GrepArgs]{
		Name: "grep", Label: "Search", Description: grepDescription, Source: tools.SourceBuiltin,
		Prepare: tools.Aliases(map[string]string{"ignoreCase": "ignore_case"}),
		Access:  func(a GrepArgs) []tools.Access { return searchAccess(a.Path) },
		Execute: grep,
		PresentCall: func(a GrepArgs) presentation.CallView {
			return &presentation.GenericCall{Title: fmt.Sprintf("Search %q in %s", a.Pattern, orHere(a.Path)), Kind: presentation.KindSearch, RawInput: rawString(a.Pattern)}
		},
		PresentResult: func(_ GrepArgs, r tools.Result) presentation.ResultView { return presentHits(r) },
	})
}

func searchAccess(path string) []tools.Access {
	return []tools.Access{{Kind: tools.AccessRead, Path: orHere(path)}}
}

// orHere is path, or the working folder.
func orHere(path string) string {
	if path == "" {
		return "."
	}
	return path
}

// grepping is one run of grep.
type grepping struct {
	view  *workspace.View
	args  GrepArgs
	limit int
	// scanners are kept for their windows.
	scanners sync.Pool
}

func grep(ctx context.Context, a GrepArgs, tc *tools.Context) (tools.Result, error) {
	v, err := tools.Resolve(ctx, tc, Files)
	if err != nil {
		return tools.Result{}, err
	}
	m, err := search.Compile(a.Pattern, search.Options{Literal: a.Literal, IgnoreCase: a.IgnoreCase})
	if err != nil {
		return tools.Result{}, invalidArgs("%v; the syntax is RE2, without look-around and back-references", err)
	}
	if a.Glob != "" && !doublestar.ValidatePattern(a.Glob) {
		return tools.Result{}, invalidArgs("glob %q is no valid pattern", a.Glob)
	}
	g := newGrepping(v, a, m)
	files, err := g.run(ctx)
	if err != nil {
		return tools.Result{}, err
	}
	return g.result(files), nil
}

func newGrepping(v *workspace.View, a GrepArgs, m *search.Matcher) *grepping {
	g := &grepping{view: v, args: a, limit: cmp.Or(a.Limit, grepLimit)}
	g.scanners.New = func() any { return &search.Scanner{Matcher: m, Around: a.Context} }
	return g
}

// run searches the file or folder and returns the files with hits in order.
func (g *grepping) run(ctx context.Context) ([]fileHits, error) {
	dir, err := g.view.Abs(orHere(g.args.Path))
	if err != nil {
		return nil, err
	}
	e, err := g.view.Stat(dir)
	if err != nil {
		return nil, pathNotFound(orHere(g.args.Path), err)
	}
	if !e.Dir {
		return g.searchFile(ctx, e)
	}
	found := &hitList{limit: g.limit}
	err = g.view.WalkParallel(ctx, dir, max(2, min(runtime.GOMAXPROCS(0), grepWorkers)), func(e workspace.Entry) error {
		if e.Unlisted() {
			return found.add(fileHits{entry: e, err: e.Err})
		}
		if !g.wanted(e) {
			return nil
		}
		f := g.search(ctx, e)
		if f.hits == 0 && (f.err == nil || errors.Is(f.err, search.ErrBinary)) {
			return nil
		}
		return found.add(f)
	})
	return found.files, err
}

// searchFile searches the file that was asked for. Unlike those of a folder
// its text may be one that only the session's editor has.
func (g *grepping) searchFile(ctx context.Context, e workspace.Entry) ([]fileHits, error) {
	var f fileHits
	h, err := g.view.Open(ctx, e.Path)
	var large *workspace.Error
	switch {
	case err == nil:
		f = g.scan(ctx, e, strings.NewReader(h.Content()))
	case errors.As(err, &large) && large.Code == workspace.FSTooLarge:
		f = g.search(ctx, e)
	default:
		return nil, err
	}
	if f.err != nil && !errors.Is(f.err, search.ErrBinary) && !errors.Is(f.err, search.ErrLineTooLong) {
		return nil, f.err
	}
	return []fileHits{f}, nil
}

// pathNotFound words the error of a path that is not there.
func pathNotFound(path string, err error) error {
	var e *workspace.Error
	if errors.As(err, &e) && e.Code == workspace.FSNotFound {
		return &workspace.Error{Code: workspace.FSNotFound, Path: path, Message: "Path not found: " + path, Hint: "Use ls to see what there is", Err: err}
	}
	return err
}

// wanted says whether a file of a folder is searched.
func (g *grepping) wanted(e workspace.Entry) bool {
	return e.Type.IsRegular() && (g.args.Glob == "" || globMatches(g.args.Glob, e.Rel))
}

// globMatches matches a slash-separated path; a pattern without a slash
// matches the name at any depth.
func globMatches(pattern, rel string) bool {
	if !strings.Contains(pattern, "/") {
		rel = path.Base(rel)
	}
	ok, _ := doublestar.Match(strings.TrimPrefix(pattern, "./"), rel)
	return ok
}

// search opens and searches one file.
func (g *grepping) search(ctx context.Context, e workspace.Entry) fileHits {
	r, err := g.view.StreamEntry(ctx, e)
	if err != nil {
		return fileHits{entry: e, err: err}
	}
	defer func() { _ = r.Close() }() // it was only read
	return g.scan(ctx, e, r)
}

// scan finds the hits of one text.
func (g *grepping) scan(ctx context.Context, e workspace.Entry, r io.Reader) fileHits {
	s := g.scanners.Get().(*search.Scanner)
	defer g.scanners.Put(s)
	f := fileHits{entry: e}
	f.err = s.Scan(cancellable{ctx, r}, func(l search.Line) bool { return f.take(l, g.limit) })
	return f
}

// cancellable ends the reading of a large file with its context.
type cancellable struct {
	ctx context.Context
	r   io.Reader
}

func (c cancellable) Read(b []byte) (int, error) {
	if err := context.Cause(c.ctx); err != nil {
		return 0, err
	}
	return c.r.Read(b)
}
