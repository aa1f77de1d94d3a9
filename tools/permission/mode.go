package permission

import (
	"fmt"
	"strings"

	"github.com/agent-ls/agent-ls/internal/nearest"
	"github.com/agent-ls/agent-ls/tools"
)

// Mode is a session's permission mode (contract §3).
type Mode string

// The modes.
const (
	ReadOnly    Mode = "read-only"
	AskMode     Mode = "ask"
	AcceptEdits Mode = "accept-edits"
	FullAccess  Mode = "full-access"
)

// ModeInfo describes a mode to users.
type ModeInfo struct {
	ID          Mode
	Name        string
	Description string
}

// Modes lists the modes from the strictest to the freest, with names and
// descriptions for users.
func Modes() []ModeInfo {
	return []ModeInfo{
		{ReadOnly, "Read only", "Reads files of the workspace; everything else is denied."},
		{AskMode, "Ask", "Reads files of the workspace; asks before edits, commands and network access."},
		{AcceptEdits, "Accept edits", "Also edits files of the workspace without asking; asks before commands and network access."},
		{FullAccess, "Full access", "Runs everything without asking, outside the workspace too; only deny rules hold."},
	}
}

// ParseMode accepts a mode's id; an error names the nearest valid one and
// lists all.
func ParseMode(s string) (Mode, error) {
	ids := make([]string, 0, 4)
	for _, m := range Modes() {
		if string(m.ID) == s {
			return m.ID, nil
		}
		ids = append(ids, string(m.ID))
	}
	return "", fmt.Errorf("unknown mode %q: did you mean %q? The modes are %s",
		s, nearest.Of(s, ids), strings.Join(ids, ", "))
}

// row is a line of the table of contract §3.
type row int

const (
	rowReadInside row = iota
	rowReadOutside
	rowEditInside
	rowEditOutside
	rowExecute
	rowFetch
	rowSensitive
	rowDeclared
)

// table is contract §3 as it stands there: the answers in the order of Modes.
var table = map[row][4]tools.DecisionKind{
	rowReadInside:  {tools.Allow, tools.Allow, tools.Allow, tools.Allow},
	rowReadOutside: {tools.Deny, tools.Ask, tools.Ask, tools.Allow},
	rowEditInside:  {tools.Deny, tools.Ask, tools.Allow, tools.Allow},
	rowEditOutside: {tools.Deny, tools.Ask, tools.Ask, tools.Allow},
	rowExecute:     {tools.Deny, tools.Ask, tools.Ask, tools.Allow},
	rowFetch:       {tools.Deny, tools.Ask, tools.Ask, tools.Allow},
	rowSensitive:   {tools.Deny, tools.Ask, tools.Ask, tools.Allow},
	rowDeclared:    {tools.Deny, tools.Ask, tools.Ask, tools.Allow},
}

// answer looks row up; a mode that does not exist counts as the strictest.
func (m Mode) answer(r row) tools.DecisionKind {
	for i, info := range Modes() {
		if info.ID == m {
			return table[r][i]
		}
	}
	return table[r][0]
}
