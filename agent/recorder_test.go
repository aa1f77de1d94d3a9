package agent

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/agent-ls/agent-ls/tools"
	"github.com/agent-ls/agent-ls/tools/permission"
	"github.com/agent-ls/agent-ls/workspace"
)

// recorderFunc is a workspace.Recorder.
type recorderFunc func(files []workspace.Handle)

func (f recorderFunc) Changing(files []workspace.Handle) (func([]workspace.Applied), error) {
	f(files)
	return nil, nil
}

// TestRecorderIsToldOfTurnsAndCalls is about who changes a file and after which
// prompt, in a mode with and one without bounds.
func TestRecorderIsToldOfTurnsAndCalls(t *testing.T) {
	for _, mode := range []permission.Mode{permission.AcceptEdits, permission.FullAccess} {
		var told []string
		w := newWorld(t, model(says(Finish{}, callOf("make", args("a.txt")))), func(c *Config) {
			c.TurnBegins = func(_ *Session, prompt string) { told = append(told, "turn "+prompt) }
			c.Recorder = func(s *Session, call string) workspace.Recorder {
				return recorderFunc(func(files []workspace.Handle) {
					told = append(told, s.ID()+" "+call+" "+filepath.Base(files[0].Path))
				})
			}
		})
		var s *Session
		def := tools.Define(tools.Spec[echoArgs]{
			Name:   "make",
			Access: func(a echoArgs) []tools.Access { return []tools.Access{{Kind: tools.AccessEdit, Path: a.Text}} },
			Execute: func(ctx context.Context, a echoArgs, c *tools.Context) (tools.Result, error) {
				view := s.ViewFor(c)
				h, err := view.Open(ctx, a.Text)
				if err != nil {
					return tools.Result{}, err
				}
				_, err = view.Apply(ctx, []workspace.Change{{Op: workspace.OpCreate, Base: h, Text: "made"}})
				return tools.TextResult("made"), err
			},
		})
		if _, err := w.registry.Register(def); err != nil {
			t.Fatal(err)
		}
		s = w.asking(mode, nil)
		w.run(s, "go", EndTurn)
		if _, err := os.Stat(filepath.Join(w.cwd, "a.txt")); err != nil {
			t.Fatal(err)
		}
		started := eventsOf[ToolCallStarted](w.sink.all())
		if want := []string{"turn go", s.ID() + " " + started[0].CallID + " a.txt"}; !slices.Equal(told, want) {
			t.Errorf("%s: told %q, want %q", mode, told, want)
		}
	}
}
