// Package diff computes and applies changes of text.
package diff

import "errors"

// Edit replaces the bytes [Start,End) of a text by New. Offsets are bytes.
type Edit struct {
	Start int    `json:"start"`
	End   int    `json:"end"`
	New   string `json:"new"`
}

// Hunk is a changed region with its context. Line numbers are 1-based; a
// count of 0 follows the convention of unified diffs.
type Hunk struct {
	OldStart, OldLines int
	NewStart, NewLines int
	Lines              []Line
	// FirstChange is the 1-based line of the new text at which the first
	// changed line of this hunk is (for a pure deletion, the line after it).
	FirstChange int
}

// Line is one line of a hunk: Op is ' ', '-' or '+', Text without its line
// ending, EOL the ending as in the source ("", "\n" or "\r\n").
type Line struct {
	Op   byte
	Text string
	EOL  string
}

// ErrOverlap is returned by Rebase when both sides changed the same place.
var ErrOverlap = errors.New("the text changed at the same place meanwhile")

// Lines returns the line-wise edits that turn before into after, in order,
// not overlapping, each covering only changed lines.
func Lines(before, after string) []Edit { panic("stub") }

// Hunks returns the differences with the given number of context lines;
// none for equal texts.
func Hunks(before, after string, context int) []Hunk { panic("stub") }

// Unified prints the difference in unified format, readable by patch(1);
// "" for equal texts. oldName or newName may be /dev/null.
func Unified(oldName, newName, before, after string, context int) string { panic("stub") }

// Apply returns text with edits applied. The edits must be in order and must
// not overlap.
func Apply(text string, edits []Edit) (string, error) { panic("stub") }

// Rebase moves edits, made against base, to current. It returns ErrOverlap
// when a change from base to current touches the same lines.
func Rebase(base, current string, edits []Edit) ([]Edit, error) { panic("stub") }
