// Package match finds the text that an edit means and says, when it does not
// find it, where the text differs.
//
// It owns the match modes of seed 000's edit tool (tools.md §1.7) with the
// normalisation of §2.7, and the line ranges of seed 001. It works on strings
// that hold a file's bytes as they are: line endings, a byte order mark and
// bytes that are not UTF-8 outside the match are never touched. All functions
// are pure and safe for concurrent use.
package match

import (
	"errors"
	"fmt"
	"sort"
	"strings"
	"unicode/utf8"

	"github.com/agent-ls/agent-ls/workspace/diff"
)

// Mode is how old text is looked for.
type Mode string

// The modes. Auto tries Exact, LineTrimmed, Folded and BlockAnchor in this
// order, and the first that matches at all wins. Folded cannot be asked for
// by name: it is Auto's tier for text that differs in line endings, quotes,
// dashes, spaces and compatibility forms only (tools.md §2.7.2).
const (
	Auto        Mode = "auto"
	Exact       Mode = "exact"
	LineTrimmed Mode = "line_trimmed"
	BlockAnchor Mode = "block_anchor"
	Folded      Mode = "folded"
)

// Request is one replacement.
type Request struct {
	Old, New   string
	Mode       Mode // empty is Auto
	ReplaceAll bool
	// Expected is the number of replacements that must be made, nil for any.
	Expected *int
}

// Found is what a Request comes to: the edits in order, not overlapping.
type Found struct {
	Mode  Mode // the mode that matched, never Auto
	Edits []diff.Edit
	// Score is the share of equal lines of a BlockAnchor match, else 1.
	Score float64
}

// span is a match: bytes [start,end) of the text, and whether it stands for
// whole lines, so that its replacement is lines too.
type span struct {
	start, end int
	score      float64
}

// Errors that callers tell apart with errors.As.
type (
	// NotFoundError says that nothing matched, and what came nearest.
	NotFoundError struct{ Nearest *Nearest }
	// AmbiguousError says that several places matched.
	AmbiguousError struct {
		Mode  Mode
		Lines []int // 1-based
	}
	// CountError says that Expected did not hold.
	CountError struct{ Want, Got int }
)

// Nearest is the region most like the text looked for.
type Nearest struct {
	Line int // 1-based, where the region starts
	// DiffLine is the 1-based line of the file that first differs, File and
	// Want the beginnings of the two texts of it. File is "" past the end of
	// the file.
	DiffLine   int
	File, Want string
}

func (e *NotFoundError) Error() string {
	if e.Nearest == nil {
		return "not found"
	}
	n := e.Nearest
	return fmt.Sprintf("not found; the nearest text is at line %d and first differs at line %d: the file has %q, old text has %q",
		n.Line, n.DiffLine, n.File, n.Want)
}

func (e *AmbiguousError) Error() string {
	return fmt.Sprintf("%d matches, at lines %s", len(e.Lines), joinLines(e.Lines))
}

func (e *CountError) Error() string {
	return fmt.Sprintf("expected %d replacements, found %d", e.Want, e.Got)
}

// ErrTrailByte refuses a match in a text of an unknown 8-bit encoding that
// may begin in the middle of a character.
var ErrTrailByte = errors.New("the match may begin inside a multi-byte character of the file's encoding")

// Replace finds r.Old in text. Old must not be empty. Ambiguity without
// ReplaceAll, an unmet Expected and a miss are errors of the types above.
func Replace(text string, r Request) (Found, error) {
	t := newText(text)
	mode, spans := t.find(r.Old, r.Mode)
	if len(spans) == 0 {
		return Found{}, &NotFoundError{Nearest: t.nearest(r.Old)}
	}
	if len(spans) > 1 && !r.ReplaceAll {
		return Found{}, &AmbiguousError{Mode: mode, Lines: t.lineNumbers(spans)}
	}
	if r.Expected != nil && *r.Expected != len(spans) {
		return Found{}, &CountError{Want: *r.Expected, Got: len(spans)}
	}
	f := Found{Mode: mode, Score: 1}
	for _, s := range spans {
		if err := t.checkTrailByte(s); err != nil {
			return Found{}, err
		}
		f.Score = min(f.Score, s.score)
		f.Edits = append(f.Edits, diff.Edit{Start: s.start, End: s.end, New: t.withEndings(s, r.New)})
	}
	return f, nil
}

// Pair is one edit of a list.
type Pair struct{ Old, New string }

// PairError says which pair failed.
type PairError struct {
	Index int // 0-based
	Err   error
}

func (e *PairError) Error() string { return fmt.Sprintf("edits[%d]: %v", e.Index, e.Err) }

// Unwrap returns the cause.
func (e *PairError) Unwrap() error { return e.Err }

// OverlapError says that two pairs touch the same text.
type OverlapError struct{ First, Second int }

func (e *OverlapError) Error() string {
	return fmt.Sprintf("edits[%d] and edits[%d] overlap; merge them into one", e.First, e.Second)
}

// Many finds every pair in the original text: each must match exactly one
// place, and no two may overlap (tools.md §2.7.1). The answer is all or
// nothing; mode is the loosest that was needed.
func Many(text string, pairs []Pair, mode Mode) (Found, error) {
	type indexed struct {
		diff.Edit
		pair int
	}
	all := make([]indexed, 0, len(pairs))
	out := Found{Mode: Exact, Score: 1}
	for i, p := range pairs {
		f, err := Replace(text, Request{Old: p.Old, New: p.New, Mode: mode})
		if err != nil {
			return Found{}, &PairError{Index: i, Err: err}
		}
		if looseness(f.Mode) > looseness(out.Mode) {
			out.Mode = f.Mode
		}
		out.Score = min(out.Score, f.Score)
		all = append(all, indexed{f.Edits[0], i})
	}
	sort.SliceStable(all, func(i, j int) bool { return all[i].Start < all[j].Start })
	for i, e := range all {
		if i > 0 && e.Start < all[i-1].End {
			return Found{}, &OverlapError{First: min(all[i-1].pair, e.pair), Second: max(all[i-1].pair, e.pair)}
		}
		out.Edits = append(out.Edits, e.Edit)
	}
	return out, nil
}

func looseness(m Mode) int {
	return map[Mode]int{Exact: 0, LineTrimmed: 1, Folded: 2, BlockAnchor: 3}[m]
}

// find returns the spans of old in mode, in order, not overlapping.
func (t *text) find(old string, mode Mode) (Mode, []span) {
	finders := []struct {
		mode Mode
		find func(string) []span
	}{{Exact, t.exact}, {LineTrimmed, t.lineTrimmed}, {Folded, t.folded}, {BlockAnchor, t.blockAnchor}}
	for _, f := range finders {
		if mode != f.mode && mode != Auto && mode != "" {
			continue
		}
		if spans := f.find(old); len(spans) > 0 {
			return f.mode, spans
		}
	}
	return mode, nil
}

func (t *text) exact(old string) []span {
	var spans []span
	for at := 0; ; {
		i := strings.Index(t.s[at:], old)
		if i < 0 {
			return spans
		}
		start := at + i
		if old[0] == '\n' && start > at && t.s[start-1] == '\r' {
			start-- // a line ending is replaced whole
		}
		at += i + len(old)
		spans = append(spans, span{start, at, 1})
	}
}

// checkTrailByte refuses a match after a high byte in a text that is not
// UTF-8, where its first byte may be the second of a GBK or Shift-JIS
// character.
func (t *text) checkTrailByte(s span) error {
	if s.start == 0 || s.start == s.end || t.s[s.start-1] < utf8.RuneSelf {
		return nil
	}
	if b := t.s[s.start]; b >= 0x40 && b <= 0x7e && !t.utf8() {
		return ErrTrailByte
	}
	return nil
}

func clip(s string) string {
	const most = 160
	if utf8.RuneCountInString(s) <= most {
		return s
	}
	return string([]rune(s)[:most]) + "…"
}

func joinLines(lines []int) string {
	const most = 8
	var b strings.Builder
	for i, l := range lines {
		if i == most {
			fmt.Fprintf(&b, " and %d more", len(lines)-most)
			break
		}
		if i > 0 {
			b.WriteString(", ")
		}
		fmt.Fprint(&b, l)
	}
	return b.String()
}
