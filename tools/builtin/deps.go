package builtin

import (
	"context"

	"github.com/agent-ls/agent-ls/tools"
	"github.com/agent-ls/agent-ls/tools/cache"
	"github.com/agent-ls/agent-ls/tools/proc"
	"github.com/agent-ls/agent-ls/workspace"
)

// CodeUnavailable marks a call whose tool needs what the session does not
// have.
const CodeUnavailable = "UNAVAILABLE"

// The dependencies that a session provides by overrides (seed 000 §4).
var (
	// Files is the session's view of the workspace.
	Files = provided[*workspace.View]("workspace.view", "this session has no files")
	// Runner starts the session's commands.
	Runner = provided[proc.Runner]("proc.runner", "this session cannot run commands")
	// Tasks are the background commands of all sessions; a call reaches those
	// of its own session.
	Tasks = provided[*proc.Tasks]("proc.tasks", "this session cannot run background tasks")
	// Outputs keeps output that is too large to show.
	Outputs = provided[*cache.Store]("cache.store", "tool_output_cache is unavailable")
)

// provided is the key of a dependency that must be overridden; without that
// a call fails with message.
func provided[T any](id, message string) *tools.Key[T] {
	return &tools.Key[T]{
		ID: id,
		Create: func(context.Context, *tools.Context) (T, error) {
			var none T
			return none, &tools.Error{
				Name: "ToolUnavailableError", Code: CodeUnavailable, Message: message,
				Hint: "Go on without this tool",
			}
		},
	}
}
