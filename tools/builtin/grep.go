package builtin

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"runtime"
	"strings"
	"unicode/utf8"

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

// fileHits are the hits of one file; seq is its place in the order of the
// walk.
type fileHits struct {
	seq   int
	path  string
	name  string // as shown
	text  string
	lines []search.Line
	err   error
}

// grepping is one run of grep.
type grepping struct {
	view    *workspace.View
	args    GrepArgs
	matcher *search.Matcher
	limit   int
	skipped int // files that could not be read
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
	g := &grepping{view: v, args: a, matcher: m, limit: grepLimit}
	if a.Limit > 0 {
		g.limit = a.Limit
	}
	files, err := g.run(ctx)
	if err != nil {
		return tools.Result{}, err
	}
	return g.result(files), nil
}

// run searches the file or folder and returns the files with hits in order,
// with the limit kept.
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
		h, err := g.view.Open(ctx, dir)
		if err != nil {
			return nil, err
		}
		f := g.search(fileHits{path: dir}, h)
		if len(f.lines) == 0 {
			return nil, nil
		}
		return []fileHits{f}, nil
	}
	return g.walk(ctx, dir)
}

// pathNotFound words the error of a path that is not there.
func pathNotFound(path string, err error) error {
	var e *workspace.Error
	if errors.As(err, &e) && e.Code == workspace.FSNotFound {
		return &workspace.Error{Code: workspace.FSNotFound, Path: path, Message: "Path not found: " + path, Hint: "Use ls to see what there is", Err: err}
	}
	return err
}

// found is an entry on its way to a worker.
type found struct {
	seq   int
	entry workspace.Entry
}

// walk searches a tree: the walk numbers the files, workers search them, and
// the hits are put back into order. It ends early once the limit is reached by
// files that are complete.
func (g *grepping) walk(ctx context.Context, dir string) ([]fileHits, error) {
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	workers := runtime.GOMAXPROCS(0)
	entries, results := make(chan found, 64), make(chan fileHits, 64)
	done := make(chan []fileHits)
	go func() { done <- g.collect(results, func() { stop(fs.SkipAll) }) }()
	finished := make(chan struct{}, workers)
	for range workers {
		go func() {
			defer func() { finished <- struct{}{} }()
			for f := range entries {
				results <- g.searchEntry(ctx, f)
			}
		}()
	}
	seq := 0
	err := g.view.Walk(ctx, dir, func(e workspace.Entry) error {
		if e.Dir || !g.wanted(e.Rel) {
			return nil
		}
		select {
		case entries <- found{seq, e}:
			seq++
			return nil
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	})
	close(entries)
	for range workers {
		<-finished
	}
	close(results)
	files := <-done
	if errors.Is(context.Cause(ctx), fs.SkipAll) {
		err = nil
	}
	return files, err
}

// wanted says whether a file passes the glob.
func (g *grepping) wanted(rel string) bool {
	return g.args.Glob == "" || globMatches(g.args.Glob, rel)
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

// searchEntry opens and searches one file; files that are gone or cannot be
// read have no hits.
func (g *grepping) searchEntry(ctx context.Context, f found) fileHits {
	r := fileHits{seq: f.seq, path: f.entry.Path}
	if !f.entry.Overlay && !f.entry.Info.Mode().IsRegular() {
		return r
	}
	h, err := g.view.OpenEntry(ctx, f.entry)
	if err != nil {
		r.err = err
		return r
	}
	return g.search(r, h)
}

// search finds the hits of one text; binary text has none.
func (g *grepping) search(f fileHits, h workspace.Handle) fileHits {
	text := h.Content()
	const window = 8192
	if strings.IndexByte(text[:min(len(text), window)], 0) >= 0 {
		return f
	}
	g.matcher.Lines(text, func(l search.Line) bool {
		f.lines = append(f.lines, l)
		return len(f.lines) <= g.limit
	})
	if len(f.lines) > 0 {
		f.text = text
	}
	return f
}

// collect puts results into the order of the walk and calls enough when the
// limit is reached; it then goes on to drain results.
func (g *grepping) collect(results <-chan fileHits, enough func()) []fileHits {
	var files []fileHits
	waiting := map[int]fileHits{}
	next, hits := 0, 0
	for r := range results {
		waiting[r.seq] = r
		for {
			f, ok := waiting[next]
			if !ok {
				break
			}
			delete(waiting, next)
			next++
			if hits > g.limit {
				continue
			}
			if f.err != nil {
				g.skipped++
			}
			if len(f.lines) > 0 {
				files = append(files, f)
			}
			if hits += len(f.lines); hits > g.limit {
				enough()
			}
		}
	}
	return files
}

// result words the hits, and keeps places for the card.
func (g *grepping) result(files []fileHits) tools.Result {
	out := &searchText{}
	hits, capped := 0, false
	var places []presentation.FileLocation
	for _, f := range files {
		f.name = display(g.view, f.path)
		shown := f.lines[:min(len(f.lines), g.limit-hits)]
		capped = capped || len(shown) < len(f.lines)
		hits += len(shown)
		for _, l := range shown {
			if len(places) < searchLocations {
				places = append(places, presentation.FileLocation{Path: f.path, Line: l.Number})
			}
		}
		if len(shown) > 0 {
			out.file(f, shown, g.args.Context)
		}
	}
	var notices []string
	if capped {
		notices = append(notices, fmt.Sprintf("Stopped at %d hits; narrow the pattern or raise limit", g.limit))
	}
	if out.full {
		notices = append(notices, fmt.Sprintf("Output cut at %d KiB", searchBytes>>10))
	}
	if out.clipped {
		notices = append(notices, fmt.Sprintf("Some lines were cut at %d characters", grepLineRunes))
	}
	if g.skipped > 0 {
		notices = append(notices, fmt.Sprintf("%d files could not be read", g.skipped))
	}
	text := out.b.String()
	if hits == 0 {
		text = "No matches found\n"
	}
	return hitsResult(text, notices, places, map[string]any{"matches": hits, "files": len(files)})
}

// hitsResult is the result of a search: text, notices in one bracket, places.
func hitsResult(text string, notices []string, places []presentation.FileLocation, details map[string]any) tools.Result {
	text = strings.TrimSuffix(text, "\n")
	if len(notices) > 0 {
		text += "\n\n[" + strings.Join(notices, ". ") + "]"
	}
	r := tools.TextResult(text)
	r.Details = mustJSON(details)
	r.Meta = mustJSON(hitsMeta{places})
	return r
}

// searchText collects lines of hits within the bound.
type searchText struct {
	b             strings.Builder
	full, clipped bool
}

// file writes the hits of one file with their context, each line once.
func (o *searchText) file(f fileHits, hits []search.Line, around int) {
	if around == 0 {
		for _, l := range hits {
			o.line(f.name, l.Number, ':', f.text[l.Start:l.End])
		}
		return
	}
	last := 0 // number of the last line written
	for i, l := range hits {
		before, at := linesBefore(f.text, l, around, last)
		if last > 0 && before.Number > last+1 {
			o.write("--\n")
		}
		for n := before.Number; n < l.Number; n++ {
			end := lineEndAt(f.text, at)
			o.line(f.name, n, '-', f.text[at:end])
			at = nextLineAt(f.text, end)
		}
		o.line(f.name, l.Number, ':', f.text[l.Start:l.End])
		last = l.Number
		stop := last + around
		if i+1 < len(hits) {
			stop = min(stop, hits[i+1].Number-1)
		}
		for at = nextLineAt(f.text, l.End); last < stop && at < len(f.text); {
			end := lineEndAt(f.text, at)
			last++
			o.line(f.name, last, '-', f.text[at:end])
			at = nextLineAt(f.text, end)
		}
	}
}

// linesBefore goes up to n lines back from l, not to a line up to last.
func linesBefore(text string, l search.Line, n, last int) (first search.Line, at int) {
	at, number := l.Start, l.Number
	for ; n > 0 && at > 0 && number-1 > last; n-- {
		at = strings.LastIndexByte(text[:at-1], '\n') + 1
		number--
	}
	return search.Line{Number: number}, at
}

// lineEndAt is the end of the line at i, without its ending.
func lineEndAt(text string, i int) int {
	end := len(text)
	if j := strings.IndexByte(text[i:], '\n'); j >= 0 {
		end = i + j
	}
	if end > i && end < len(text) && text[end-1] == '\r' {
		end--
	}
	return end
}

func nextLineAt(text string, end int) int {
	if j := strings.IndexByte(text[end:], '\n'); j >= 0 {
		return end + j + 1
	}
	return len(text)
}

func (o *searchText) line(name string, number int, sep byte, text string) {
	if len(text) > grepLineRunes*utf8.UTFMax || utf8.RuneCountInString(text) > grepLineRunes {
		text = firstRunes(text, grepLineRunes) + "…"
		o.clipped = true
	}
	o.write(fmt.Sprintf("%s%c%d%c %s\n", name, sep, number, sep, strings.ToValidUTF8(text, "�")))
}

// firstRunes returns the first n runes of s without looking at the rest.
func firstRunes(s string, n int) string {
	for i := range s {
		if n--; n < 0 {
			return s[:i]
		}
	}
	return s
}

func (o *searchText) write(s string) {
	if o.full = o.full || o.b.Len()+len(s) > searchBytes; !o.full {
		o.b.WriteString(s)
	}
}
