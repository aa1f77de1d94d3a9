package builtin

import (
	"context"
	_ "embed"

	"github.com/agent-ls/agent-ls/presentation"
	"github.com/agent-ls/agent-ls/tools"
)

//go:embed done.md
var doneDescription string

// DoneArgs are the parameters of done.
type DoneArgs struct {
	Message string `json:"message,omitempty" desc:"What to tell the user at the end."`
}

// doneText is what a finished run says (tools.md §1.4.4).
const doneText = "Task complete"

// Done returns the done tool, which asks to end the run (seed 000 §7.1;
// tools.md §1.4.4). Its details hold the message as finalMessage.
func Done(Options) *tools.Definition {
	return tools.Define(tools.Spec[DoneArgs]{
		Name: "done", Label: doneText, Description: doneDescription, Source: tools.SourceBuiltin,
		Access: func(DoneArgs) []tools.Access { return nil },
		Execute: func(_ context.Context, a DoneArgs, _ *tools.Context) (tools.Result, error) {
			r := tools.TextResult(doneText)
			if a.Message != "" {
				r = tools.TextResult(doneText + ": " + a.Message)
			}
			r.Terminate = true
			r.Details = mustJSON(map[string]any{"done": true, "finalMessage": a.Message})
			return r, nil
		},
		PresentCall: func(a DoneArgs) presentation.CallView {
			v := &presentation.GenericCall{Title: doneText, Kind: presentation.KindOther}
			if a.Message != "" {
				v.RawInput = rawString(a.Message)
			}
			return v
		},
	})
}
