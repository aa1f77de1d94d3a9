package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	acpagent "github.com/agent-ls/agent-ls/acp/agent"
	"github.com/agent-ls/agent-ls/agent"
	"github.com/agent-ls/agent-ls/internal/config"
	"github.com/agent-ls/agent-ls/internal/terminal"
	"github.com/agent-ls/agent-ls/presentation"
)

func runCommand(io streams) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "run [flags] PROMPT",
		Short: "Run one turn in the terminal",
		Long: `Runs one turn and shows its cards as text. PROMPT "-" reads the prompt from
standard input.

Permission is asked on the terminal; without one, what would be asked is denied.
Exit status: 0 the turn ended and no call failed, 1 a call failed or was denied,
2 bad usage, 130 interrupted.`,
		Example: `  agent-ls run '/read README.md'
  agent-ls run --mode full-access $'/read a.txt\n/edit {"file_path":"a.txt","old_string":"x","new_string":"y"}\n!ls'
  agent-ls run --model anthropic:claude-sonnet-4-5 'What does this project do?'
  echo '/grep TODO' | agent-ls run --json -`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) != 1 {
				return usageError(fmt.Errorf("run takes one prompt, got %d arguments; quote the prompt, or give - to read it from standard input\nSee \"agent-ls run --help\" for examples", len(args)))
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			prompt, err := promptText(args[0], io.in)
			if err != nil {
				return usageError(err)
			}
			a, err := newApp(cmd)
			if err != nil {
				return err
			}
			defer a.close()
			if a.config.Origin("wire_log").Source == config.SourceFlag {
				return usageError(errors.New("--wire-log has nothing to record: run speaks no protocol; give it to acp or lsp"))
			}
			return a.runTurn(cmd.Context(), prompt, io, asJSON, args[0] == "-")
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print each session/update as one JSON line")
	return cmd
}

// promptText is the prompt of the command line.
func promptText(arg string, in io.Reader) (string, error) {
	text := arg
	if arg == "-" {
		const most = 64 << 20
		b, err := io.ReadAll(io.LimitReader(in, most+1))
		if err != nil {
			return "", fmt.Errorf("read the prompt: %w", err)
		}
		if len(b) > most {
			return "", fmt.Errorf("the prompt has more than %d bytes", most)
		}
		text = string(b)
	}
	if strings.TrimSpace(text) == "" {
		return "", errors.New("the prompt is empty")
	}
	return text, nil
}

// counting counts failed calls behind a sink.
type counting struct {
	agent.Sink
	failed int
}

// Event passes r on.
func (c *counting) Event(s *agent.Session, r agent.Record) {
	if e, ok := r.Event.(agent.ToolCallFinished); ok && e.Result.IsError {
		c.failed++
	}
	c.Sink.Event(s, r)
}

// runTurn runs one turn of a new session and returns the exit status as an
// error; piped says that the prompt came from standard input.
func (a *app) runTurn(ctx context.Context, prompt string, io streams, asJSON, piped bool) error {
	var front agent.FrontEnd
	out, ctx := watchOutput(ctx, io.out)
	if asJSON {
		front.Sink = jsonSink(out)
	} else {
		sink := terminal.NewSink(out, terminal.Options{Colour: colour(io.out)})
		front.Sink = sink
		in, done := answers(io, piped)
		defer done()
		if in != nil {
			front.Asker = terminal.NewAsker(sink, in)
		}
	}
	count := &counting{Sink: front.Sink}
	front.Sink = count
	s, err := a.hub.New(ctx, agent.SessionOptions{Cwd: a.config.Cwd, FrontEnd: front})
	if err != nil {
		return usageError(err)
	}
	reason, err := s.Prompt(ctx, []presentation.Block{presentation.Text(prompt)})
	switch broken := out.failure(); {
	case broken != nil:
		return broken
	case interrupted(ctx):
		return &exitError{code: exitInterrupted}
	case err != nil:
		return &exitError{exitFailed, err}
	case count.failed > 0 || reason == agent.StopCancelled:
		return &exitError{code: exitFailed}
	}
	return nil
}

// jsonSink prints updates as lines of JSON.
func jsonSink(w io.Writer) agent.Sink {
	return acpagent.NewUpdates(func(update json.RawMessage) { fmt.Fprintf(w, "%s\n", update) })
}

// colour says whether w is a terminal that wants colours.
func colour(w io.Writer) bool {
	return os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb" && isTerminal(w)
}

// isTerminal says whether a stream is a terminal.
func isTerminal(stream any) bool {
	f, ok := stream.(interface{ Fd() uintptr })
	return ok && term.IsTerminal(int(f.Fd()))
}

// answers is where permission is answered: standard input, or the terminal
// behind a prompt that came from standard input; nil where there is no terminal.
func answers(s streams, piped bool) (in io.Reader, closed func()) {
	nothing := func() {}
	switch {
	case isTerminal(s.in) && !piped:
		return s.in, nothing
	case !isTerminal(s.out): // nobody would see the question
		return nil, nothing
	}
	f, err := os.Open(controllingTerminal)
	if err != nil {
		return nil, nothing
	}
	return f, func() { _ = f.Close() }
}
