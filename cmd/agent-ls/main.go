// Command agent-ls is an editor backend for coding agents: a language server,
// an ACP agent, and the same tools in a terminal. This package is subcommands and wiring, and
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
	"github.com/agent-ls/agent-ls/internal/nearest"
	"github.com/agent-ls/agent-ls/tools/confine"
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
	confine.Intercept(os.Args)
	os.Exit(run(os.Args[1:], streams{os.Stdin, os.Stdout, os.Stderr}))
}

// run executes a command line and returns its exit code.
func run(args []string, io streams) int {
	ctx, stop := signal.NotifyContext(context.Background(), endSignals...)
	defer stop()
	checked := &checkedFile{}
	if f, ok := io.out.(*os.File); ok {
		checked.File, io.out = f, checked
	}
	root := rootCommand(io)
	root.SetArgs(args)
	root.SetIn(io.in)
	root.SetOut(io.out)
	root.SetErr(io.err)
	err := root.ExecuteContext(ctx)
	if broken := checked.failure(); broken != nil {
		err = broken
	}
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
call as a card: a diff, a terminal, a list of places. Without a command it is
the language server, see "agent-ls lsp --help".

Settings come from flags, then AGENT_LS_… variables, then the editor, then the
configuration file; see "agent-ls doctor".`,
		Example: `  agent-ls demo
  agent-ls run '/read README.md'
  agent-ls            # the command to give to an LSP editor
  agent-ls acp        # the command to give to an ACP editor`,
		SilenceUsage:  true,
		SilenceErrors: true,
		Args:          subcommandOnly,
		RunE:          bareCommand(io),
	}
	root.Version = version()
	root.SetVersionTemplate("agent-ls {{.Version}}\n")
	config.AddFlags(root.PersistentFlags())
	addStdioFlag(root)
	root.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error {
		return usageError(fmt.Errorf("%w\nSee %q for the flags", config.FlagError(err, cmd.Flags()), cmd.CommandPath()+" --help"))
	})
	root.AddCommand(lspCommand(io), acpCommand(io), mcpCommand(io), runCommand(io), demoCommand(io), toolsCommand(io), sessionsCommand(io),
		permissionsCommand(io), replayCommand(io), doctorCommand(io), versionCommand(io))
	root.SetHelpCommand(helpCommand())
	root.InitDefaultCompletionCmd()
	if err := completeFlags(root); err != nil { // a flag that does not exist: a defect
		panic(err)
	}
	for _, c := range root.Commands() {
		if c.HasSubCommands() { // cobra would answer a mistyped subcommand with help and exit 0
			c.Args, c.RunE = subcommandOnly, showHelp
		}
	}
	return root
}

// helpCommand shows the help of a command; cobra's own succeeds for a command
// that does not exist.
func helpCommand() *cobra.Command {
	return &cobra.Command{
		Use: "help [COMMAND]", Short: "Help about any command", ValidArgsFunction: completeCommands,
		Example: "  agent-ls help run\n  agent-ls help sessions show",
		RunE: func(cmd *cobra.Command, args []string) error {
			target, rest, err := cmd.Root().Find(args)
			switch {
			case err != nil:
				return usageError(err)
			case len(rest) > 0 && target.HasSubCommands():
				return unknownCommand(target, rest[0])
			case len(rest) > 0:
				return noArgs(target, rest)
			}
			return target.Help()
		},
	}
}

func showHelp(cmd *cobra.Command, _ []string) error { return cmd.Help() }

// subcommandOnly refuses a word that is no subcommand.
func subcommandOnly(cmd *cobra.Command, args []string) error {
	if len(args) > 0 {
		return unknownCommand(cmd, args[0])
	}
	return nil
}

// unknownCommand names the nearest command below cmd.
func unknownCommand(cmd *cobra.Command, name string) error {
	var names []string
	for _, c := range cmd.Commands() {
		names = append(names, c.Name())
	}
	return usageError(fmt.Errorf("unknown command %q; did you mean %q?\nSee %q",
		name, nearest.Of(name, names), cmd.CommandPath()+" --help"))
}

// noArgs refuses arguments with a clear message.
func noArgs(cmd *cobra.Command, args []string) error {
	if len(args) > 0 {
		return usageError(fmt.Errorf("%s takes no arguments, got %q", words(cmd), args))
	}
	return nil
}

// words names a command as it is typed behind the program's name.
func words(cmd *cobra.Command) string {
	return strings.TrimPrefix(cmd.CommandPath(), cmd.Root().Name()+" ")
}
