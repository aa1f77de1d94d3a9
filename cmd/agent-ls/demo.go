package main

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/agent-ls/agent-ls/agent"
	"github.com/agent-ls/agent-ls/internal/config"
	"github.com/agent-ls/agent-ls/internal/terminal"
	"github.com/agent-ls/agent-ls/presentation"
)

func demoCommand(io streams) *cobra.Command {
	return &cobra.Command{
		Use:   "demo",
		Short: "Show a scripted session with every kind of card",
		Long: `Plays a scripted session in a scratch workspace that is removed afterwards. It
needs no network and no key, and writes nothing elsewhere.`,
		Example: "  agent-ls demo",
		Args:    noArgs,
		RunE:    func(cmd *cobra.Command, _ []string) error { return demo(cmd, io) },
	}
}

// demo plays the demonstration; one of its commands fails on purpose, which
// is no failure of the demonstration.
func demo(cmd *cobra.Command, io streams) (err error) {
	scratch, err := os.MkdirTemp("", "agent-ls-demo-")
	if err != nil {
		return &exitError{exitFailed, fmt.Errorf("make the scratch folder: %w", err)}
	}
	defer func() {
		if left := os.RemoveAll(scratch); left != nil && err == nil {
			err = failed(fmt.Errorf("remove the scratch folder: %w", left))
		}
	}()
	workspace, scriptFile := filepath.Join(scratch, "greeter"), filepath.Join(scratch, "demo.json")
	if err := os.Mkdir(workspace, 0o755); err != nil {
		return &exitError{exitFailed, err}
	}
	if err := terminal.DemoWorkspace(workspace); err != nil {
		return &exitError{exitFailed, err}
	}
	if err := os.WriteFile(scriptFile, terminal.DemoScript, 0o644); err != nil {
		return &exitError{exitFailed, err}
	}
	// Only the scratch folder counts: no settings of the user's, no state.
	c, err := config.Load(config.Sources{Cwd: workspace, Home: scratch, Flags: map[string]string{
		"state-dir": filepath.Join(scratch, "state"), "model": "script:" + scriptFile, "mode": "full-access",
	}})
	if err != nil {
		return &exitError{exitFailed, err}
	}
	a, err := wire(c, cmd.ErrOrStderr())
	if err != nil {
		return err
	}
	defer a.close()
	out, ctx := watchOutput(cmd.Context(), io.out)
	sink := terminal.NewSink(out, terminal.Options{Colour: colour(io.out)})
	s, err := a.hub.New(ctx, agent.SessionOptions{Cwd: workspace, FrontEnd: agent.FrontEnd{Sink: sink}})
	if err != nil {
		return &exitError{exitFailed, err}
	}
	_, err = s.Prompt(ctx, []presentation.Block{presentation.Text("Teach the greeter to say goodbye.")})
	switch broken := out.failure(); {
	case broken != nil:
		return broken
	case interrupted(ctx):
		return &exitError{code: exitInterrupted}
	case err != nil:
		return &exitError{exitFailed, err}
	case sink.Failed() > 0:
		return &exitError{exitFailed, fmt.Errorf("%d calls of the demonstration failed", sink.Failed())}
	}
	return nil
}
