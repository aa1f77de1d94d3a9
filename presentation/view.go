package presentation

import "encoding/json"

// ToolCallKind picks the icon of a card (seed 002).
type ToolCallKind string

// The kinds of seed 002; the wire of ACP has the same words.
const (
	KindRead    ToolCallKind = "read"
	KindEdit    ToolCallKind = "edit"
	KindDelete  ToolCallKind = "delete"
	KindMove    ToolCallKind = "move"
	KindSearch  ToolCallKind = "search"
	KindExecute ToolCallKind = "execute"
	KindFetch   ToolCallKind = "fetch"
	KindOther   ToolCallKind = "other"
)

// FileLocation is a place a call reads or changes, for follow-along. Path is
// as the tool has it (absolute or relative to the session's cwd); Line is
// 1-based, 0 when unknown.
type FileLocation struct {
	Path string `json:"path"`
	Line int    `json:"line,omitempty"`
}

// FileChange says what happens to a whole file.
type FileChange string

// The values of FileDiff.Change (contract §5); empty means update.
const (
	ChangeAdd    FileChange = "add"
	ChangeUpdate FileChange = "update"
	ChangeDelete FileChange = "delete"
	ChangeMove   FileChange = "move"
)

// FileDiff is one changed region, or a whole small file. OldText nil means
// the file is new.
type FileDiff struct {
	Path    string     `json:"path"`
	OldText *string    `json:"oldText"`
	NewText string     `json:"newText"`
	Change  FileChange `json:"change,omitempty"`
	OldPath string     `json:"oldPath,omitempty"` // of a move
	// Line is the 1-based line of the new text where this region's first
	// change is; 0 when unknown.
	Line int `json:"line,omitempty"`
}

// CallView is the pending card of a call: *GenericCall, *TerminalCall or
// *DiffCall, and nothing else.
type CallView interface{ callView() }

// GenericCall is the default card.
type GenericCall struct {
	Title     string          `json:"title"`
	Kind      ToolCallKind    `json:"kind,omitempty"`
	RawInput  json.RawMessage `json:"rawInput,omitempty"`
	Content   []Block         `json:"content,omitempty"`
	Locations []FileLocation  `json:"locations,omitempty"`
}

// TerminalCall is a shell command. Title is the command itself.
type TerminalCall struct {
	Title       string `json:"title"`
	Description string `json:"description,omitempty"`
	Cwd         string `json:"cwd,omitempty"`
}

// DiffCall is a change of files. Kind is empty for edit (contract §5).
type DiffCall struct {
	Title     string         `json:"title"`
	Kind      ToolCallKind   `json:"kind,omitempty"`
	Diffs     []FileDiff     `json:"diffs"`
	Locations []FileLocation `json:"locations,omitempty"`
	// Omitted says why (part of) the diff is left out, e.g. its size.
	Omitted string `json:"omitted,omitempty"`
}

// ResultView is the completed card: *GenericResult, *TerminalResult or
// *DiffResult, and nothing else.
type ResultView interface{ resultView() }

// GenericResult shows content. A nil Content keeps the raw result content; an
// empty Title keeps the pending title.
type GenericResult struct {
	Title     string         `json:"title,omitempty"`
	Content   []Block        `json:"content,omitempty"`
	Locations []FileLocation `json:"locations,omitempty"`
}

// TerminalResult is the captured output and how the command ended. ExitCode
// and Signal exclude each other; both absent means unknown. Notes are lines of
// Output that the command did not write and that nothing else here says, such as
// that it was ended by its deadline: a terminal that was shown the output as it
// came lacks them.
type TerminalResult struct {
	Title    string   `json:"title,omitempty"`
	Output   string   `json:"output,omitempty"`
	ExitCode *int     `json:"exitCode,omitempty"`
	Signal   string   `json:"signal,omitempty"`
	Notes    []string `json:"notes,omitempty"`
}

// DiffResult is the change that was applied.
type DiffResult struct {
	Title     string         `json:"title,omitempty"`
	Kind      ToolCallKind   `json:"kind,omitempty"`
	Diffs     []FileDiff     `json:"diffs"`
	Locations []FileLocation `json:"locations,omitempty"`
	Omitted   string         `json:"omitted,omitempty"`
}

func (*GenericCall) callView()  {}
func (*TerminalCall) callView() {}
func (*DiffCall) callView()     {}

func (*GenericResult) resultView()  {}
func (*TerminalResult) resultView() {}
func (*DiffResult) resultView()     {}

// PlanEntry is one line of the agent's plan, in ACP's words (tools.md §3.14.8).
type PlanEntry struct {
	Content  string `json:"content"`
	Priority string `json:"priority"` // high, medium, low
	Status   string `json:"status"`   // pending, in_progress, completed
}
