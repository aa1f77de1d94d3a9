package editor

import (
	"strings"

	"github.com/agent-ls/agent-ls/tools/proc"
)

// Quirks are what one client does differently.
type Quirks struct {
	// WholeLine says that the client gives command and args, joined by spaces,
	// to a shell, so that only a whole line in command is safe (acp.md §11).
	// Others start command with args as they are.
	WholeLine bool
}

// quirks are the known clients, by clientInfo.name in lower case.
var quirks = map[string]Quirks{
	"zed":               {WholeLine: true},
	"vscode-acp-client": {WholeLine: true},
}

func quirksOf(client string) Quirks { return quirks[strings.ToLower(client)] }

// spell is a command line as command and args of terminal/create.
func (q Quirks) spell(line string, shell proc.Shell) (command string, args []string) {
	if q.WholeLine {
		return line, nil
	}
	return shell.Path, append(append([]string(nil), shell.Args...), line)
}
