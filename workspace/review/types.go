package review

import (
	"io/fs"

	"github.com/agent-ls/agent-ls/workspace/diff"
)

// HunkID names a hunk, in all of a ledger.
type HunkID string

// Attribution says who made a change: a call of a session.
type Attribution struct {
	Session string `json:"session"`
	Call    string `json:"call"`
}

// State is what a path holds at a moment.
type State struct {
	Exists bool
	Text   string // bytes as on disk
	Mode   fs.FileMode
	// Unsaved says that the text is an editor's and not on disk yet.
	Unsaved bool
}

// Change is one applied change of one file.
type Change struct {
	// Path is where the file is afterwards, or was when it is gone: absolute,
	// real.
	Path string
	// From is where a moved file was, "" for one that was not moved.
	From          string
	Before, After State
}

// Kind is what a hunk is about.
type Kind string

// The kinds of hunks.
const (
	KindText   Kind = "text"   // lines differ
	KindCreate Kind = "create" // an empty file was made
	KindDelete Kind = "delete" // an empty file was removed
	KindMove   Kind = "move"   // the file has another name
)

// Hunk is one pending change. It is a copy.
type Hunk struct {
	ID   HunkID
	Path string
	Kind Kind
	// Start and End are the bytes of the text of now that are the agent's.
	Start, End int
	// Line and EndLine are the same in 0-based lines; EndLine is the line after
	// the last one, so a pure deletion has Line == EndLine.
	Line, EndLine int
	// OldText is what they replaced: whole lines.
	OldText string
	// From is the path before a move.
	From string
	// By are the calls that made the hunk, the latest last.
	By []Attribution
	// Mixed says that the user wrote into the agent's lines: the hunk can be
	// kept, not undone.
	Mixed bool
}

// Step is what one file needs for a plan: apply it, then tell Ledger.Settle.
type Step struct {
	Path string
	// To is where the file goes, "" for where it is.
	To            string
	Before, After State
	// Edits make After's text of Before's.
	Edits []diff.Edit

	undo     []HunkID // what is undone
	decision string   // the decision that this is a part of, or that is taken back
	takeBack bool
	hunks    int
}

// Hunks is how many hunks the step decides about.
func (s Step) Hunks() int { return s.hunks }

// Refusal is a hunk or file about which a decision was not carried out.
type Refusal struct {
	ID   HunkID // "" when it is about the file
	Path string
	Why  string
}

// Plan is what a decision comes to. What was refused is no part of the steps.
type Plan struct {
	Steps   []Step
	Refused []Refusal
	// Done is how many hunks are settled already, without any step.
	Done int
}
