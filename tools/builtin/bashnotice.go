package builtin

import (
	"fmt"

	"github.com/agent-ls/agent-ls/tools/proc"
)

// CompletionNotice tells the owner's model that a background command has
// ended (tools.md §3.10.17).
func CompletionNotice(c proc.Completion) string {
	status := "ended"
	switch {
	case c.Exit.Signal != "":
		status = "was killed by " + c.Exit.Signal
	case c.Exit.Code != nil:
		status = fmt.Sprintf("completed with exit code %d", *c.Exit.Code)
	}
	return fmt.Sprintf("Background task %s %s: %s\nRead its output with bash_output.", c.ID, status, c.Line)
}
