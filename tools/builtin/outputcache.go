package builtin

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/agent-ls/agent-ls/presentation"
	"github.com/agent-ls/agent-ls/tools"
	"github.com/agent-ls/agent-ls/tools/cache"
)

var (
	//go:embed outputcache.md
	outputCacheDescription string
	//go:embed outputcache_line.md
	outputCacheLineDescription string
	//go:embed outputcache_grep.md
	outputCacheGrepDescription string
)

// The error codes of the tools that read stored output.
const (
	CodeOutputNotFound = "OUTPUT_NOT_FOUND"
	CodeOutputRange    = "OUTPUT_RANGE"
	CodeOutputPattern  = "OUTPUT_PATTERN"
	CodeOutputRead     = "OUTPUT_READ"
)

// The names of the tools, which their answers name to read on.
const (
	outputCacheName     = "tool_output_cache"
	outputCacheLineName = "tool_output_cache_line"
	outputCacheGrepName = "tool_output_cache_grep"
)

// OutputCacheArgs are the parameters of tool_output_cache. Offset is 0-based
// (seed 000 §7.3).
type OutputCacheArgs struct {
	RefID  string `json:"ref_id" desc:"The ref of the output."`
	Offset int64  `json:"offset,omitzero" desc:"Lines to skip." min:"0"`
	Limit  int64  `json:"limit,omitzero" desc:"Most lines to return." min:"1"`
}

// OutputCacheLineArgs are the parameters of tool_output_cache_line. LineNumber
// is 1-based, CharOffset counts grapheme clusters from 0 (seed 000 §7.5).
type OutputCacheLineArgs struct {
	RefID      string `json:"ref_id" desc:"The ref of the output."`
	LineNumber int64  `json:"line_number" desc:"The line, 1-based."`
	CharOffset int64  `json:"char_offset,omitzero" desc:"Characters to skip." min:"0"`
	CharLimit  int64  `json:"char_limit,omitzero" desc:"Most characters to return." min:"1"`
}

// OutputCacheGrepArgs are the parameters of tool_output_cache_grep (seed 000
// §7.4).
type OutputCacheGrepArgs struct {
	RefID      string `json:"ref_id" desc:"The ref of the output."`
	Pattern    string `json:"pattern" desc:"Text to look for." minLength:"1"`
	Regex      bool   `json:"regex,omitzero" desc:"The pattern is a regular expression."`
	Before     int    `json:"before,omitzero" desc:"Lines of context before a match." min:"0"`
	After      int    `json:"after,omitzero" desc:"Lines of context after a match." min:"0"`
	MaxMatches int    `json:"max_matches,omitzero" desc:"Most matching lines." min:"1"`
}

// The characters of a line that one call returns (tools.md §1.6.6).
const (
	defaultLineChars = 10_000
	maxLineChars     = 100_000
)

// OutputCache returns the tool_output_cache tool (tools.md §1.6.1–5).
func OutputCache(Options) *tools.Definition {
	return outputTool(outputSpec[OutputCacheArgs]{
		name: outputCacheName, label: "Read stored output", description: outputCacheDescription,
		ref: func(a OutputCacheArgs) string { return a.RefID },
		read: func(o openOutput, a OutputCacheArgs) (string, error) {
			page, err := cache.ReadPage(o, a.Offset, a.Limit)
			if err != nil {
				return "", err
			}
			return outputPageText(page, a.RefID, a.Offset), nil
		},
		media: func(a OutputCacheArgs) bool { return a.Offset == 0 },
	})
}

// OutputCacheLine returns the tool_output_cache_line tool (tools.md §1.6.6–7).
func OutputCacheLine(Options) *tools.Definition {
	return outputTool(outputSpec[OutputCacheLineArgs]{
		name: outputCacheLineName, label: "Read stored line", description: outputCacheLineDescription,
		ref: func(a OutputCacheLineArgs) string { return a.RefID },
		read: func(o openOutput, a OutputCacheLineArgs) (string, error) {
			limit := a.CharLimit
			if limit == 0 {
				limit = defaultLineChars
			}
			limit = min(limit, maxLineChars)
			s, err := cache.ReadSegment(o, a.LineNumber, a.CharOffset, limit)
			if err != nil {
				return "", err
			}
			return outputSegmentText(s, a.RefID, a.LineNumber, limit), nil
		},
	})
}

// OutputCacheGrep returns the tool_output_cache_grep tool (tools.md
// §1.6.8–10).
func OutputCacheGrep(Options) *tools.Definition {
	return outputTool(outputSpec[OutputCacheGrepArgs]{
		name: outputCacheGrepName, label: "Search stored output", description: outputCacheGrepDescription,
		ref: func(a OutputCacheGrepArgs) string { return a.RefID },
		read: func(o openOutput, a OutputCacheGrepArgs) (string, error) {
			found, err := cache.Grep(o, cache.GrepOptions{
				Pattern: a.Pattern, Regex: a.Regex, Before: a.Before, After: a.After, MaxMatches: a.MaxMatches,
			})
			if err != nil {
				return "", err
			}
			return outputMatchesText(found, a.RefID, a.Pattern), nil
		},
	})
}

// outputSpec is what the tools on stored output differ in.
type outputSpec[Args any] struct {
	name, label, description string
	ref                      func(Args) string
	read                     func(openOutput, Args) (string, error)
	// media says whether the answer holds the output's images too; nil is no.
	media func(Args) bool
}

// openOutput is a stored output, whose reading ends with the call.
type openOutput struct {
	io.Reader
	io.Seeker
}

// outputTool makes a tool on one stored output of the session. It needs no
// permission: the session has seen the output before.
func outputTool[Args any](t outputSpec[Args]) *tools.Definition {
	return tools.Define(tools.Spec[Args]{
		Name: t.name, Label: t.label, Description: t.description, Source: tools.SourceBuiltin,
		Access: func(Args) []tools.Access { return []tools.Access{} },
		Execute: func(ctx context.Context, a Args, tc *tools.Context) (tools.Result, error) {
			store, err := tools.Resolve(ctx, tc, Outputs)
			if err != nil {
				return tools.Result{}, err
			}
			ref := cache.Ref(t.ref(a))
			file, err := store.OpenRef(tc.Session, ref)
			if err != nil {
				return tools.Result{}, outputError(err)
			}
			defer file.Close()
			text, err := t.read(openOutput{cache.WithContext(ctx, file), file}, a)
			if err != nil {
				return tools.Result{}, outputError(err)
			}
			r := tools.TextResult(text)
			// What is in the store already need not be stored again.
			r.OutputRef = string(ref)
			if t.media != nil && t.media(a) {
				r.Content = append(r.Content, storedMedia(store, tc, ref)...)
			}
			return r, nil
		},
		PresentCall: func(a Args) presentation.CallView {
			return &presentation.GenericCall{Title: t.label + " " + t.ref(a), Kind: presentation.KindRead, RawInput: rawString(t.ref(a))}
		},
	})
}

// storedMedia returns the parts of an output that are no text (seed 000 §6).
func storedMedia(store *cache.Store, tc *tools.Context, ref cache.Ref) []presentation.Block {
	parts, err := store.Parts(tc.Session, ref)
	if err != nil {
		tc.Logger.Warn("parts of a stored output are lost", "ref", ref, "error", err)
	}
	var media []presentation.Block
	for _, p := range parts {
		if p.Type != presentation.BlockText {
			media = append(media, p)
		}
	}
	return media
}

// outputError words a failure for the model.
func outputError(err error) error {
	code, hint := CodeOutputRead, "Run the tool again that made the output"
	var rangeError *cache.RangeError
	var patternError *cache.PatternError
	switch {
	case errors.Is(err, cache.ErrNotFound):
		code, hint = CodeOutputNotFound, "Use a ref that a result of this session names; old outputs are removed after a while"
	case errors.As(err, &rangeError):
		code, hint = CodeOutputRange, "Ask for a position within the range"
	case errors.As(err, &patternError):
		code, hint = CodeOutputPattern, "Correct the pattern; regular expressions are RE2, without look-around and back-references"
	}
	return &tools.Error{Name: "OutputCacheError", Code: code, Message: "Error reading tool output cache: " + err.Error(), Hint: hint, Err: err}
}

// outputPageText is the text of a page (tools.md §1.6.1–5).
func outputPageText(p cache.Page, ref string, offset int64) string {
	if p.Beyond {
		if offset == 0 {
			return "(the output is empty)"
		}
		return "Offset exceeds output length."
	}
	var t lineText
	var cut []int64
	for _, l := range p.Lines {
		t.line(cache.Numbered(l))
		if l.Cut {
			cut = append(cut, l.Number)
		}
	}
	if !p.More && len(cut) == 0 {
		return t.String()
	}
	t.WriteString("\n\n")
	last := p.Lines[len(p.Lines)-1].Number
	switch {
	case p.More && p.Full:
		t.line(fmt.Sprintf("[output truncated at %d bytes] Use offset to read beyond line %d.", cache.MaxPageBytes, last))
	case p.More:
		t.line(fmt.Sprintf("Output has more lines. Use offset to read beyond line %d.", last))
	}
	if p.More {
		t.line(outputCall(outputCacheName, outputCallArg{"ref_id", ref}, outputCallArg{"offset", last}))
	}
	if len(cut) > 0 {
		t.line("[truncated lines: " + cutNumbers(cut) + "]")
		t.line(lineCall(ref, cut[0], 0, defaultLineChars))
	}
	return t.String()
}

// cutNumbers lists the lines that were cut when they are few.
func cutNumbers(cut []int64) string {
	if len(cut) > 3 {
		return "many"
	}
	var numbers []string
	for _, n := range cut {
		numbers = append(numbers, strconv.FormatInt(n, 10))
	}
	return strings.Join(numbers, ", ")
}

// outputSegmentText is the text of a part of a line (tools.md §1.6.6).
func outputSegmentText(s cache.Segment, ref string, line, limit int64) string {
	var t lineText
	span := "(empty)"
	if s.To > s.From {
		span = fmt.Sprintf("%d..%d", s.From, s.To-1)
	}
	fmt.Fprintf(&t, "ref_id=%s\nline_number=%d\nline_length=%d\nchar_range=%s\n%s", ref, line, s.Length, span, s.Text)
	if s.To < s.Length {
		t.WriteString("\n\n")
		t.line(fmt.Sprintf("Use char_offset=%d to continue.", s.To))
		t.line(lineCall(ref, line, s.To, limit))
	}
	return t.String()
}

// outputMatchesText is the text of a search (tools.md §1.6.8–9).
func outputMatchesText(g cache.GrepResult, ref, pattern string) string {
	switch {
	case g.TooLarge > 0:
		return fmt.Sprintf("MATCH_TOO_LARGE_TO_RENDER\nref:%s\nline_number=%d\n%s", ref, g.TooLarge, lineCall(ref, g.TooLarge, 0, defaultLineChars))
	case len(g.Blocks) == 0:
		return "No matches for: " + pattern
	}
	var blocks []string
	for _, b := range g.Blocks {
		lines := []string{"ref:" + ref}
		for _, l := range b {
			lines = append(lines, cache.Numbered(l))
		}
		blocks = append(blocks, strings.Join(lines, "\n"))
	}
	if g.More {
		blocks = append(blocks, "... (truncated)")
	}
	return strings.Join(blocks, "\n\n")
}

// lineCall is the call that reads a line from offset on.
func lineCall(ref string, line, offset, limit int64) string {
	return outputCall(outputCacheLineName, outputCallArg{"ref_id", ref}, outputCallArg{"line_number", line},
		outputCallArg{"char_offset", offset}, outputCallArg{"char_limit", limit})
}

// outputCallArg is one argument of a call that an answer suggests.
type outputCallArg struct {
	name  string
	value any
}

// outputCall spells a call, ready to be made: name {"ref_id":"…",…}.
func outputCall(name string, args ...outputCallArg) string {
	var members []string
	for _, a := range args {
		members = append(members, string(mustJSON(a.name))+":"+string(mustJSON(a.value)))
	}
	return name + " {" + strings.Join(members, ",") + "}"
}
