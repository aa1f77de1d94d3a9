package builtin

import (
	"context"
	_ "embed"

	"github.com/agent-ls/agent-ls/presentation"
	"github.com/agent-ls/agent-ls/tools"
)

//go:embed bash_output.md
var bashOutputDescription string

//go:embed bash_kill.md
var bashKillDescription string

// BashTaskArgs are the parameters of bash_output and bash_kill.
type BashTaskArgs struct {
	TaskID string `json:"task_id" desc:"The id that bash answered with."`
}

// BashOutput returns the bash_output tool (tools.md §3.10.14).
func BashOutput(Options) *tools.Definition {
	return bashTaskTool("bash_output", "Read background task", bashOutputDescription, "Read output from background task ",
		func(ctx context.Context, a BashTaskArgs, tc *tools.Context) (string, error) {
			tasks, err := tools.Resolve(ctx, tc, Tasks)
			if err != nil {
				return "", err
			}
			delta, err := tasks.Read(tc.Session, a.TaskID)
			if err != nil {
				return "", err
			}
			delta.Stdout = presentation.StripANSI(delta.Stdout)
			delta.Stderr = presentation.StripANSI(delta.Stderr)
			return taskText(delta, newBashSpill(ctx, tc).ref), nil
		})
}

// BashKill returns the bash_kill tool (tools.md §3.10.15).
func BashKill(Options) *tools.Definition {
	return bashTaskTool("bash_kill", "End background task", bashKillDescription, "Kill background task ",
		func(ctx context.Context, a BashTaskArgs, tc *tools.Context) (string, error) {
			tasks, err := tools.Resolve(ctx, tc, Tasks)
			if err != nil {
				return "", err
			}
			killed, err := tasks.Kill(ctx, tc.Session, a.TaskID)
			switch {
			case err != nil:
				return "", err
			case !killed:
				return "task " + a.TaskID + " had already finished", nil
			}
			return "killed background task " + a.TaskID, nil
		})
}

// bashTaskTool makes a tool on one task; title is followed by its id. It needs
// no permission: the task was permitted when it started.
func bashTaskTool(name, label, description, title string, execute func(context.Context, BashTaskArgs, *tools.Context) (string, error)) *tools.Definition {
	return tools.Define(tools.Spec[BashTaskArgs]{
		Name: name, Label: label, Description: description, Source: tools.SourceBuiltin,
		Prepare: tools.Aliases(map[string]string{"taskId": "task_id"}),
		Access:  func(BashTaskArgs) []tools.Access { return []tools.Access{} },
		Execute: func(ctx context.Context, a BashTaskArgs, tc *tools.Context) (tools.Result, error) {
			text, err := execute(ctx, a, tc)
			if err != nil {
				return tools.Result{}, err
			}
			return tools.TextResult(text), nil
		},
		PresentCall: func(a BashTaskArgs) presentation.CallView {
			return &presentation.GenericCall{Title: title + a.TaskID, Kind: presentation.KindExecute, RawInput: rawString(a.TaskID)}
		},
		PresentResult: func(_ BashTaskArgs, r tools.Result) presentation.ResultView {
			if len(r.Content) != 1 || r.Content[0].Type != presentation.BlockText {
				return nil
			}
			return fenced(r.Content[0].Text)
		},
	})
}
