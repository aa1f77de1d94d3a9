package agent

import (
	"context"
	"encoding/json"
	"reflect"
	"testing"

	"github.com/agent-ls/agent-ls/acp"
	"github.com/agent-ls/agent-ls/tools"
)

// nothing is a tool that is only there to be listed.
func nothing[Args any](name, description string) *tools.Definition {
	return tools.Define(tools.Spec[Args]{Name: name, Description: description, Execute: func(context.Context, Args, *tools.Context) (tools.Result, error) {
		return tools.TextResult("ok"), nil
	}})
}

type readArgs struct {
	Limit    int    `json:"limit,omitzero"`
	FilePath string `json:"file_path"`
}

// TestCommands: where the prompt is the program, each tool is a command; a
// changed list is told at once (field report 74).
func TestCommands(t *testing.T) {
	c := start(t, setup{tools: []*tools.Definition{
		nothing[readArgs]("read", "Reads a file.\n\nAt length."), nothing[struct{}]("done", " Ends. "),
	}})
	id := c.newSession()
	command := func(name, description, hint string) acp.AvailableCommand {
		cmd := acp.AvailableCommand{Name: name, Description: description}
		if hint != "" {
			cmd.Input = &acp.AvailableCommandInput{Hint: hint}
		}
		return cmd
	}
	expect := func(what string, want ...acp.AvailableCommand) {
		t.Helper()
		c.until(id, what, func(s *screen) bool { return reflect.DeepEqual(s.commands, want) })
	}
	done, read := command("done", "Ends.", ""), command("read", "Reads a file.", "file_path [limit]")
	expect("the tools", done, read)
	session, _ := c.hub.Get(id)
	dispose, err := session.AddTool(nothing[struct{}]("extra", "More."))
	if err != nil {
		t.Fatal(err)
	}
	expect("one more tool", done, command("extra", "More.", ""), read)
	dispose()
	expect("one tool less", done, read)
	c.call(acp.MethodSetConfigOption, acp.SetSessionConfigOptionRequest{SessionID: id, ConfigID: "model", Value: json.RawMessage(`"direct"`)}, nil)
	expect("the same tools", done, read)
}
