// Command agent-ls is an editor backend for coding agents: an ACP agent, and
// the same tools in a terminal. This package is subcommands and wiring, and
// nothing else.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"

	"github.com/spf13/cobra"

	"github.com/agent-ls/agent-ls/internal/config"
)

// Exit codes (contract §1).
const (
	exitFailed      = 1
	exitUsage       = 2
	exitInterrupted = 130
)

// exitError ends the program with a code; a nil err has been reported already.
type exitError struct {
	code int
	err  error
}

func (e *exitError) Error() string {
	if e.err == nil {
		return fmt.Sprintf("exit code %d", e.code)
	}
	return e.err.Error()
}

func (e *exitError) Unwrap() error { return e.err }

func usageError(err error) error { return &exitError{exitUsage, err} }

// streams are where a command reads and writes.
type streams struct {
	in       io.Reader
	out, err io.Writer
}

func main() {
	os.Exit(run(os.Args[1:], streams{os.Stdin, os.Stdout, os.Stderr}))
}

// run executes a command line and returns its exit code.
func run(args []string, io streams) int {
	ctx, stop := signal.NotifyContext(context.Background(), endSignals...)
	defer stop()
	root := rootCommand(io)
	root.SetArgs(args)
	root.SetIn(io.in)
	root.SetOut(io.out)
	root.SetErr(io.err)
	err := root.ExecuteContext(ctx)
	if err == nil {
		return 0
	}
	var exit *exitError
	if !errors.As(err, &exit) {
		exit = &exitError{exitUsage, err}
	}
	if exit.err != nil {
		fmt.Fprintln(io.err, "agent-ls: "+exit.err.Error())
	}
	return exit.code
}

// rootCommand returns the command tree.
func rootCommand(io streams) *cobra.Command {
	root := &cobra.Command{
		Use:   "agent-ls",
		Short: "An editor backend for coding agents",
		Long: `agent-ls runs a coding agent's tools against your workspace and shows every
call as a card: a diff, a terminal, a list of places.

Settings come from flags, then AGENT_LS_… variables, then the editor, then the
configuration file; see "agent-ls doctor".`,
		Example: `  agent-ls demo
  agent-ls run '/read README.md'
  agent-ls acp        # the command to give to an ACP editor`,
		SilenceUsage:               true,
		SilenceErrors:              true,
		SuggestionsMinimumDistance: 2,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) > 0 {
				return unknownCommand(cmd, args[0])
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	config.AddFlags(root.PersistentFlags())
	root.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error {
		return usageError(fmt.Errorf("%w\nSee %q for the flags", config.FlagError(err, cmd.Flags()), cmd.CommandPath()+" --help"))
	})
	root.AddCommand(acpCommand(io), runCommand(io), demoCommand(io), toolsCommand(io), sessionsCommand(io),
		permissionsCommand(io), doctorCommand(io), versionCommand(io))
	return root
}

// unknownCommand names the nearest command.
func unknownCommand(cmd *cobra.Command, name string) error {
	msg := fmt.Sprintf("unknown command %q", name)
	if near := cmd.SuggestionsFor(name); len(near) > 0 {
		msg += "; did you mean " + strings.Join(near, " or ") + "?"
	}
	return usageError(errors.New(msg + "\nSee \"agent-ls --help\""))
}

// noArgs refuses arguments with a clear message.
func noArgs(cmd *cobra.Command, args []string) error {
	if len(args) > 0 {
		return usageError(fmt.Errorf("%s takes no arguments, got %q", cmd.CommandPath(), args))
	}
	return nil
}
