package builtin

import (
	"context"
	_ "embed"
	"encoding/json"
	"fmt"
	"strings"
	"sync/atomic"
	"unicode/utf8"

	"github.com/agent-ls/agent-ls/presentation"
	"github.com/agent-ls/agent-ls/tools"
	"github.com/agent-ls/agent-ls/tools/builtin/match"
	"github.com/agent-ls/agent-ls/workspace"
)

//go:embed read.md
var readDescription string

// ReadArgs are the parameters of read. Lines are 1-based and inclusive.
type ReadArgs struct {
	FilePath  string `json:"file_path" desc:"Path of the file."`
	StartLine int    `json:"start_line,omitzero" desc:"First line to return, 1-based." min:"0"`
	EndLine   int    `json:"end_line,omitzero" desc:"Last line to return, inclusive." min:"1"`
	Limit     int    `json:"limit,omitzero" desc:"Most lines to return." min:"1"`
}

// Bounds of read that no option changes.
const (
	readOutputBytes = 50 << 10 // of selected text
	readLineRunes   = 2000     // of one line
)

// readBudget counts the bytes that read has returned in one turn, for
// ReadMaxTotalSize (seed 001 maxTotalSize).
var readBudget = &tools.Key[*atomic.Int64]{
	ID:     "builtin.read.budget",
	PerRun: true,
	Create: func(context.Context, *tools.Context) (*atomic.Int64, error) { return new(atomic.Int64), nil },
}

// Read returns the read tool (tools.md §1.10, §2.5, §3.11).
func Read(o Options) *tools.Definition {
	return tools.Define(tools.Spec[ReadArgs]{
		Name: "read", Label: "Read", Description: readDescription, Source: tools.SourceBuiltin,
		Prepare: prepareFile(map[string]string{"offset": "start_line", "startLine": "start_line", "endLine": "end_line"}),
		Access:  func(a ReadArgs) []tools.Access { return []tools.Access{{Kind: tools.AccessRead, Path: a.FilePath}} },
		Execute: func(ctx context.Context, a ReadArgs, tc *tools.Context) (tools.Result, error) {
			return o.read(ctx, a, tc)
		},
		PresentCall: presentRead,
	})
}

// presentRead titles the call with the range that its arguments hold.
func presentRead(a ReadArgs) presentation.CallView {
	title := "Read " + a.FilePath
	first := max(a.StartLine, 1)
	switch {
	case a.EndLine > 0:
		title += fmt.Sprintf(" (%d - %d)", first, a.EndLine)
	case a.Limit > 0:
		title += fmt.Sprintf(" (%d - %d)", first, first+a.Limit-1)
	case a.StartLine > 0:
		title += fmt.Sprintf(" (from line %d)", first)
	}
	return &presentation.GenericCall{
		Title: title, Kind: presentation.KindRead, RawInput: rawString(a.FilePath),
		Locations: []presentation.FileLocation{{Path: a.FilePath, Line: first}},
	}
}

func (o Options) read(ctx context.Context, a ReadArgs, tc *tools.Context) (tools.Result, error) {
	v, err := tools.Resolve(ctx, tc, Files)
	if err != nil {
		return tools.Result{}, err
	}
	if most := o.readMaxLines(); a.Limit > most {
		return tools.Result{}, invalidArgs("limit must be less than or equal to %d", most)
	}
	path, err := v.Abs(a.FilePath)
	if err != nil {
		return tools.Result{}, err
	}
	h, err := v.Open(ctx, path)
	if err != nil {
		return tools.Result{}, err
	}
	if !h.Exists {
		return tools.Result{}, notFound(a.FilePath)
	}
	if err := o.checkReadSize(ctx, tc, a.FilePath, h); err != nil {
		return tools.Result{}, err
	}
	if r, ok, err := o.readImage(h, a.FilePath); ok || err != nil {
		v.Observe(h)
		return r, err
	}
	if name, ok := workspace.Encoding(h.Content()); !ok && name != workspace.EightBit {
		return tools.Result{}, notText(a.FilePath, name)
	}
	r, err := o.readText(a, h)
	if err == nil {
		v.Observe(h)
	}
	return r, err
}

// checkReadSize applies ReadMaxSize to the file and ReadMaxTotalSize to the
// turn.
func (o Options) checkReadSize(ctx context.Context, tc *tools.Context, path string, h workspace.Handle) error {
	size := int64(len(h.Content()))
	if o.ReadMaxSize > 0 && size > o.ReadMaxSize {
		return &workspace.Error{Code: workspace.FSTooLarge, Path: path,
			Message: fmt.Sprintf("%s has %d bytes, more than the limit of %d", path, size, o.ReadMaxSize),
			Hint:    "Use grep to find the lines you need, or a command such as sed -n to print some of them"}
	}
	if o.ReadMaxTotalSize <= 0 {
		return nil
	}
	used, err := tools.Resolve(ctx, tc, readBudget)
	if err != nil {
		return err
	}
	if total := used.Add(size); total > o.ReadMaxTotalSize {
		return &workspace.Error{Code: workspace.FSTooLarge, Path: path,
			Message: fmt.Sprintf("reading %s would make %d bytes read in this turn, more than the limit of %d", path, total, o.ReadMaxTotalSize),
			Hint:    "Read smaller files, or go on in the next turn"}
	}
	return nil
}

// readDetails are the structured side of a read.
type readDetails struct {
	Path      string `json:"path"`
	LinesRead int    `json:"linesRead"`
	Lines     int    `json:"lines"`
	SHA256    string `json:"content_sha256"`
	Encoding  string `json:"encoding,omitempty"`
}

func (o Options) readText(a ReadArgs, h workspace.Handle) (tools.Result, error) {
	text := h.Content()
	lines := match.Split(text)
	first := max(a.StartLine, 1)
	if a.EndLine > 0 && a.EndLine < first {
		return tools.Result{}, invalidArgs("end_line %d is before start_line %d", a.EndLine, first)
	}
	if first > len(lines) && first > 1 {
		return tools.Result{}, &workspace.Error{Code: workspace.FSNotFound, Path: a.FilePath,
			Message: fmt.Sprintf("start_line %d is out of range for %q (%d lines)", first, a.FilePath, len(lines)),
			Hint:    "Ask for a line that the file has"}
	}
	last := len(lines)
	if a.EndLine > 0 {
		last = min(last, a.EndLine)
	}
	most := o.readMaxLines()
	if a.Limit > 0 {
		most = a.Limit
	}
	last = min(last, first+most-1)
	var b strings.Builder
	shown := writeLines(&b, text, lines, first, last)
	b.WriteString("\n" + readNotice(first, shown, last, len(lines)))
	if h.DiskChanged {
		b.WriteString("\n[note] This is unsaved text of the editor; the file on disk has changed since and differs from it.")
	}
	encoding, _ := workspace.Encoding(text)
	if !utf8.ValidString(text) {
		b.WriteString("\n[note] The file is not UTF-8; bytes that are not are shown as �. Edits must touch plain ASCII text only.")
	}
	b.WriteString(readFooter(h))
	r := tools.TextResult(b.String())
	r.Details = mustJSON(readDetails{a.FilePath, max(0, shown-first+1), len(lines), h.Hash(), encoding})
	return r, nil
}

// writeLines writes the lines first to last as "N: text" until the byte cap
// is reached and returns the number of the last one written.
func writeLines(b *strings.Builder, text string, lines []match.Line, first, last int) int {
	for n := first; n <= last; n++ {
		l := strings.ToValidUTF8(text[lines[n-1].Start:lines[n-1].End], "�")
		if utf8.RuneCountInString(l) > readLineRunes {
			l = string([]rune(l)[:readLineRunes]) + fmt.Sprintf("... (line truncated to %d chars)", readLineRunes)
		}
		if b.Len()+len(l) > readOutputBytes && n > first {
			return n - 1
		}
		fmt.Fprintf(b, "%d: %s\n", n, l)
	}
	return last
}

func readNotice(first, shown, last, total int) string {
	switch {
	case shown < last:
		return fmt.Sprintf("(Output capped. Showing lines %d-%d of %d. Use start_line=%d to continue.)", first, shown, total, shown+1)
	case shown < total:
		return fmt.Sprintf("(Showing lines %d-%d of %d. Use start_line=%d to continue.)", first, shown, total, shown+1)
	}
	return fmt.Sprintf("(End of file - total %d lines)", total)
}

func readFooter(h workspace.Handle) string {
	return "\n\n[read_metadata] content_sha256=" + h.Hash()
}

func (o Options) readMaxLines() int {
	if o.ReadMaxLines > 0 {
		return o.ReadMaxLines
	}
	return 2000
}

// readImage answers with an image when the content is one. What can be read as
// text is none, however it begins: "BM" may be a word.
func (o Options) readImage(h workspace.Handle, path string) (tools.Result, bool, error) {
	if _, isText := workspace.Encoding(h.Content()); isText {
		return tools.Result{}, false, nil
	}
	data := []byte(h.Content())
	mime := imageType(data)
	if mime == "" {
		return tools.Result{}, false, nil
	}
	block, err := o.imageBlock(data, mime)
	if err != nil {
		return tools.Result{}, true, err
	}
	note := fmt.Sprintf("Image loaded: %s (%s, %d bytes)\n", path, mime, len(data))
	r := tools.Result{Content: []presentation.Block{presentation.Text(note + readFooter(h)), block}}
	r.Details = mustJSON(map[string]any{"path": path, "mimeType": mime, "bytes": len(data), "content_sha256": h.Hash()})
	return r, true, nil
}

// rawString is a string as raw input of a card.
func rawString(s string) json.RawMessage { return mustJSON(s) }
