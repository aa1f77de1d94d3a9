package builtin

import (
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/agent-ls/agent-ls/presentation"
	"github.com/agent-ls/agent-ls/tools"
	"github.com/agent-ls/agent-ls/tools/builtin/search"
	"github.com/agent-ls/agent-ls/workspace"
)

// fileHits are the hits of one file.
type fileHits struct {
	entry workspace.Entry
	hits  int // at most the limit and one more
	lines []hitLine
	bytes int // of the texts of lines
	err   error
}

// hitLine is a hit or a line around one.
type hitLine struct {
	number int
	text   string
	hit    bool
	cut    bool // text is not the whole line
}

// take keeps a line that was found, as far as it can be shown, and says
// whether more are wanted.
func (f *fileHits) take(l search.Line, limit int) bool {
	if l.Hit {
		if f.hits++; f.hits > limit {
			return false
		}
	}
	kept := hitLine{number: l.Number, hit: l.Hit}
	if f.bytes < searchBytes {
		kept.text, kept.cut = shortLine(l.Text)
		f.bytes += len(kept.text)
	} else if !l.Hit || f.hits > searchLocations {
		return true
	}
	f.lines = append(f.lines, kept)
	return true
}

// forget drops the texts and keeps the places for the card.
func (f *fileHits) forget() {
	f.bytes = 0
	f.lines = slices.DeleteFunc(f.lines, func(l hitLine) bool { return !l.hit })
	f.lines = slices.Clone(f.lines[:min(len(f.lines), searchLocations)])
	for i := range f.lines {
		f.lines[i].text = ""
	}
}

// hitList puts the hits of files into the order of the walk, and keeps no
// more of them than can be shown. Safe for concurrent use.
type hitList struct {
	limit int

	mu    sync.Mutex
	files []fileHits
	hits  int
	bytes int
}

// add adds a file. It returns fs.SkipAll when what comes after the file is
// over the limit.
func (h *hitList) add(f fileHits) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	i, _ := slices.BinarySearchFunc(h.files, f, func(a, b fileHits) int { return a.entry.Compare(b.entry) })
	h.files = slices.Insert(h.files, i, f)
	h.hits += f.hits
	h.bytes += f.bytes
	if h.bytes > 16*searchBytes {
		h.forget()
	}
	if h.hits <= h.limit {
		return nil
	}
	h.cut()
	if i+1 < len(h.files) {
		return nil
	}
	return fs.SkipAll
}

// cut drops the files behind the one with which the limit is passed.
func (h *hitList) cut() {
	h.hits = 0
	for i, f := range h.files {
		if h.hits += f.hits; h.hits > h.limit {
			h.files = slices.Delete(h.files, i+1, len(h.files))
			return
		}
	}
}

// forget drops the texts of files for which there will be no room.
func (h *hitList) forget() {
	h.bytes = 0
	for i := range h.files {
		if h.bytes > searchBytes {
			h.files[i].forget()
		}
		h.bytes += h.files[i].bytes
	}
}

// result words the hits, and keeps places for the card.
func (g *grepping) result(files []fileHits) tools.Result {
	out := &searchText{around: g.args.Context}
	hits, with, capped := 0, 0, false
	var places []presentation.FileLocation
	var skipped leftOut
	for _, f := range files {
		skipped.add(f.entry, f.err)
		if f.hits == 0 {
			continue
		}
		lines, shown := f.first(g.limit-hits, g.args.Context)
		capped = capped || shown < f.hits
		hits += shown
		if shown > 0 {
			with++
		}
		for _, l := range lines {
			if l.hit && len(places) < searchLocations {
				places = append(places, presentation.FileLocation{Path: f.entry.Path, Line: l.number})
			}
		}
		out.file(display(g.view, f.entry.Path), lines)
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
	notices = append(notices, skipped.notices()...)
	text := out.b.String()
	if hits == 0 {
		text = "No matches found\n"
	}
	return hitsResult(text, notices, places, map[string]any{"matches": hits, "files": with})
}

// first returns the lines of the first n hits and those around them, and how
// many hits these are.
func (f *fileHits) first(n, around int) (lines []hitLine, hits int) {
	switch {
	case n == 0:
		return nil, 0
	case f.hits <= n:
		return f.lines, f.hits
	}
	end, last := 0, 0
	for i, l := range f.lines {
		if l.hit {
			if hits == n {
				break
			}
			hits, last = hits+1, l.number
		}
		if l.number <= last+around || hits < n {
			end = i + 1
		}
	}
	return f.lines[:end], n
}

// leftOut counts files that were not searched, by reason, and folders that could
// not be listed.
type leftOut struct{ unreadable, notAllowed, tooLong, binary, folders int }

func (o *leftOut) add(entry workspace.Entry, err error) {
	var e *workspace.Error
	switch {
	case err == nil:
	case entry.Dir:
		o.folders++
	case errors.Is(err, search.ErrBinary):
		o.binary++
	case errors.Is(err, search.ErrLineTooLong):
		o.tooLong++
	case errors.As(err, &e) && e.Code == workspace.FSNotAllowed:
		o.notAllowed++
	case errors.As(err, &e) && e.Code == workspace.FSNotFound: // it is gone
	default:
		o.unreadable++
	}
}

func (o *leftOut) notices() []string {
	var parts []string
	for _, r := range []struct {
		n    int
		text string
	}{
		{o.unreadable, "that could not be read"},
		{o.notAllowed, "sensitive (name such a file as path to search it)"},
		{o.tooLong, fmt.Sprintf("with a line of more than %d MiB", search.MaxLine>>20)},
		{o.binary, "binary"},
	} {
		if r.n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", r.n, r.text))
		}
	}
	var notices []string
	if parts != nil {
		notices = append(notices, "Files left out: "+strings.Join(parts, ", "))
	}
	if o.folders > 0 {
		notices = append(notices, fmt.Sprintf("Folders left out, because they could not be read: %d", o.folders))
	}
	return notices
}

// hitsResult is the result of a search: text, notices in one bracket, places.
func hitsResult(text string, notices []string, places []presentation.FileLocation, details map[string]any) tools.Result {
	text = strings.TrimSuffix(text, "\n")
	if len(notices) > 0 {
		text += "\n\n[" + strings.Join(notices, ". ") + "]"
	}
	r := tools.TextResult(text)
	r.Details = mustJSON(details)
	// A name that is no UTF-8 cannot be told to a client.
	places = slices.DeleteFunc(places, func(l presentation.FileLocation) bool { return !utf8.ValidString(l.Path) })
	r.Meta = mustJSON(hitsMeta{places})
	return r
}

// searchText collects lines of hits within the bound.
type searchText struct {
	b             strings.Builder
	around        int
	full, clipped bool
}

// file writes the lines of one file.
func (o *searchText) file(name string, lines []hitLine) {
	last := 0
	for _, l := range lines {
		if o.around > 0 && last > 0 && l.number > last+1 {
			o.write("--\n")
		}
		last = l.number
		sep := byte('-')
		if l.hit {
			sep = ':'
		}
		o.clipped = o.clipped || l.cut
		o.write(fmt.Sprintf("%s%c%d%c %s\n", name, sep, l.number, sep, l.text))
	}
}

// shortLine returns a line as it is shown.
func shortLine(line []byte) (text string, cut bool) {
	end := len(line)
	if end > grepLineRunes {
		end = firstRunes(line, grepLineRunes)
	}
	text = strings.ToValidUTF8(string(line[:end]), "�")
	if end < len(line) {
		return text + "…", true
	}
	return text, false
}

// firstRunes returns how many bytes the first n runes are, without looking at
// the rest.
func firstRunes(line []byte, n int) int {
	at := 0
	for ; n > 0 && at < len(line); n-- {
		_, size := utf8.DecodeRune(line[at:])
		at += size
	}
	return at
}

// write adds s as far as it fits; bytes that are no UTF-8, as in names of
// files, show as U+FFFD.
func (o *searchText) write(s string) {
	s = strings.ToValidUTF8(s, "�")
	if o.full = o.full || o.b.Len()+len(s) > searchBytes; !o.full {
		o.b.WriteString(s)
	}
}
