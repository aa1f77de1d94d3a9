// Package permission decides what a call may do.
package permission

import (
	"github.com/agent-ls/agent-ls/tools"
	"github.com/agent-ls/agent-ls/workspace"
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

// Modes lists them in order, with names and descriptions for users.
func Modes() []ModeInfo { panic("stub") }

// ModeInfo describes a mode.
type ModeInfo struct {
	ID          Mode
	Name        string
	Description string
}

// ParseMode accepts a mode's id; an error names the nearest valid one.
func ParseMode(s string) (Mode, error) { panic("stub") }

// Rule allows or denies a kind of access. Deny beats allow.
type Rule struct {
	Effect string           `json:"effect"` // allow, deny
	Kind   tools.AccessKind `json:"kind"`
	// Pattern is a path or glob (read, edit), a command prefix (execute), a
	// host (fetch), or a tool's name when Kind is "".
	Pattern string `json:"pattern"`
}

// Policy decides for one session.
type Policy struct {
	View   *workspace.View
	Mode   func() Mode
	Rules  []Rule
	Grants *Grants
	// Protected are paths of agent-ls's own configuration and state.
	Protected []string
}

// Decide answers for one call of a tool with the given access; declared says
// that access is unknown (contract §3, row of declared tools).
func (p *Policy) Decide(tool string, access []tools.Access, declared bool) tools.Decision {
	panic("stub")
}

// Scope says in words what "always" would cover for this call, and gives the
// rules to remember.
func (p *Policy) Scope(tool string, access []tools.Access, declared bool) (words string, rules []Rule) {
	panic("stub")
}

// Grants are the remembered decisions, a file a user, keyed by workspace.
type Grants struct{}

// OpenGrants returns the grants stored at path ("" keeps them in memory).
func OpenGrants(path string) *Grants { panic("stub") }

// Grant is one remembered decision.
type Grant struct {
	ID        string `json:"id"`
	Workspace string `json:"workspace"`
	Rule
	Created string `json:"created"`
}

// Add remembers rules for a workspace.
func (g *Grants) Add(workspace string, rules []Rule) error { panic("stub") }

// For returns the rules of a workspace.
func (g *Grants) For(workspace string) ([]Rule, error) { panic("stub") }

// List returns all grants; Revoke removes one by id, or all with "".
func (g *Grants) List() ([]Grant, error) { panic("stub") }

// Revoke removes grants and returns how many.
func (g *Grants) Revoke(id string) (int, error) { panic("stub") }
