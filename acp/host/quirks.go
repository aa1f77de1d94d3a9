package host

import (
	"strings"

	"github.com/agent-ls/agent-ls/acp"
)

// Quirks are what one agent does differently.
type Quirks struct {
	// ExitCode is where the raw output of a call has the exit code of its
	// command: the names of members, one inside the other.
	ExitCode []string
	// ToolName is where the _meta of a call has the name of its tool.
	ToolName []string
	// PlainTitles says that the titles of calls that read or change files are
	// names of tools or pieces of paths; better ones are made of kind and place.
	PlainTitles bool
	// WholeLine says that the agent gives whole command lines as the command of
	// terminal/create (acp.md §11).
	WholeLine bool
}

// quirks are the known agents, by agentInfo.name in lower case.
var quirks = map[string]Quirks{
	"opencode":                              {ExitCode: []string{"metadata", "exit"}, PlainTitles: true},
	"@agentclientprotocol/claude-agent-acp": {ToolName: []string{"claudeCode", "toolName"}},
	"@zed-industries/claude-code-acp":       {ToolName: []string{"claudeCode", "toolName"}},
	"codex-acp":                             {ExitCode: []string{"exit_code"}},
	"@agentclientprotocol/codex-acp":        {ExitCode: []string{"exit_code"}},
	"goose":                                 {ToolName: []string{"goose", "toolCall", "toolName"}, WholeLine: true},
}

func quirksOf(info *acp.Implementation) Quirks {
	if info == nil {
		return Quirks{}
	}
	return quirks[strings.ToLower(info.Name)]
}
