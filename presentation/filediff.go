package presentation

import "github.com/agent-ls/agent-ls/workspace/diff"

// Heading names the file of d for people, and what becomes of all of it.
func (d FileDiff) Heading() string {
	switch d.Change {
	case ChangeAdd:
		return d.Path + " (new file)"
	case ChangeDelete:
		return d.Path + " (deleted)"
	case ChangeMove:
		return d.OldPath + " → " + d.Path
	}
	return d.Path
}

// Hunks compares the two texts of d, with three lines of context. Their line
// numbers count in these texts, not in the file.
func (d FileDiff) Hunks() []diff.Hunk {
	var old string
	if d.OldText != nil {
		old = *d.OldText
	}
	return diff.Hunks(old, d.NewText, contextLines)
}
