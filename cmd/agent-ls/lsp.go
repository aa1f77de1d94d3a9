package main

import (
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"github.com/agent-ls/agent-ls/acp"
	acpagent "github.com/agent-ls/agent-ls/acp/agent"
	"github.com/agent-ls/agent-ls/agent"
	"github.com/agent-ls/agent-ls/internal/config"
	"github.com/agent-ls/agent-ls/internal/join"
	"github.com/agent-ls/agent-ls/lsp"
)

// lspCommand is the language server; the root command without a subcommand is
// the same.
func lspCommand(io streams) *cobra.Command {
	c := &cobra.Command{
		Use:   "lsp",
		Short: "Serve the Language Server Protocol on stdin and stdout",
		Long: `Serves the Language Server Protocol on standard input and output, as agent-ls
without a command does. An editor starts it; stdout carries the protocol alone,
logs go to stderr or --log. See docs/lsp.md for what editors can do with it.
Exit status: 0 the client has shut it down, 1 it left otherwise or the
connection failed, 2 bad usage, 130 ended by a signal.`,
		Example: `  agent-ls lsp --stdio
  agent-ls lsp --log-level debug --log agent-ls.log --wire-log wire.jsonl   # for a bug report`,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return serveLSP(cmd, io)
		},
	}
	addStdioFlag(c)
	return c
}

// addStdioFlag adds the flag that many editors pass; there is no other way to
// connect.
func addStdioFlag(c *cobra.Command) {
	c.Flags().Bool("stdio", true, "use stdin and stdout, as always")
}

// bareCommand is agent-ls without a command: the language server, or the help
// for a person at a terminal.
func bareCommand(io streams) func(*cobra.Command, []string) error {
	return func(cmd *cobra.Command, args []string) error {
		if f, ok := io.in.(*os.File); ok && cmd.Flags().NFlag() == 0 && term.IsTerminal(int(f.Fd())) {
			return showHelp(cmd, args)
		}
		return serveLSP(cmd, io)
	}
}

// serveLSP serves one client.
func serveLSP(cmd *cobra.Command, streams streams) error {
	out, err := protocolOutput(streams.out)
	if err != nil {
		return &exitError{exitFailed, err}
	}
	c, err := loadConfig(cmd) // without the editor's settings, which come later
	if err != nil {
		return err
	}
	logger, logFile, err := openLog(c, cmd.ErrOrStderr())
	if err != nil {
		return err
	}
	defer logFile.Close()
	wire, err := (&app{config: c}).openWireLog()
	if err != nil {
		return err
	}
	defer wire.Close()
	tellPerson(cmd, streams)
	l := &languageServer{cmd: cmd}
	l.server = lsp.New(&stdio{in: streams.in, out: out}, lsp.Options{
		Open: l.open, MaxMessage: int(c.Limits.MaxLine), Tap: wire.tap, Logger: logger, Version: version(),
	})
	clean, err := l.server.Serve(cmd.Context())
	l.close()
	switch {
	case interrupted(cmd.Context()):
		return &exitError{code: exitInterrupted}
	case clean:
		return nil
	case err == nil || errors.Is(err, io.EOF):
		return &exitError{code: exitFailed} // it left without shutdown
	}
	return &exitError{exitFailed, fmt.Errorf("connection: %w", err)}
}

// tap copies a message to the wire log.
func (w wireLog) tap(received bool, message []byte) {
	direction := acp.Sent
	if received {
		direction = acp.Received
	}
	w.log.Line(direction, message)
}

// languageServer is the language server with the program that is wired when
// its client initializes.
type languageServer struct {
	cmd    *cobra.Command
	server *lsp.Server
	app    *app // nil before initialize
	others *joinable
}

// open wires the program with the editor's settings.
func (l *languageServer) open(s lsp.Setup) (*lsp.Backend, error) {
	c, warnings, err := editorConfig(l.cmd, s)
	if err != nil {
		return nil, err
	}
	a, err := wire(c, l.cmd.ErrOrStderr())
	if err != nil {
		return nil, err
	}
	l.app = a
	folder := c.Cwd
	if len(s.Folders) > 0 {
		folder = s.Folders[0]
	}
	backend := &lsp.Backend{
		Hub: a.hub, Workspace: a.workspace, StateDir: c.StateDir, Cwd: c.Cwd, Follow: c.Follow,
		Warnings: append(warnings, a.openReview(folder)...), Rich: l.rich, PromptMeta: a.promptMeta,
	}
	if a.review != nil {
		backend.Review = a.showReview
	}
	l.others = &joinable{app: a, handlers: join.Handlers{wantMCP: a.joinedMCP(l.server.CurrentSession), wantACP: l.joinedACP}}
	l.others.offer(folder)
	return backend, nil
}

// editorConfig loads the configuration with the editor's settings and
// workspace. What is wrong in them is left out and warned of: an editor without
// its language server could not tell its user why.
func editorConfig(cmd *cobra.Command, s lsp.Setup) (c config.Config, warnings []string, err error) {
	sources, err := systemSources(cmd)
	if err != nil {
		return c, nil, err
	}
	sources.Editor, sources.Workspaces = s.Settings, s.Folders
	c, err = config.Load(sources)
	for _, fault := range leaves(err) {
		warnings = append(warnings, "agent-ls: "+fault.Error())
	}
	return c, append(warnings, c.Warnings...), nil
}

// leaves takes joined errors apart.
func leaves(err error) (out []error) {
	joined, ok := err.(interface{ Unwrap() []error })
	if !ok {
		if err != nil {
			out = append(out, err)
		}
		return out
	}
	for _, e := range joined.Unwrap() {
		out = append(out, leaves(e)...)
	}
	return out
}

// rich makes the handler of the session methods.
func (l *languageServer) rich(o lsp.RichOptions) lsp.Rich {
	return l.app.newServer(o.Peer, acpagent.Options{
		InitializeMethod: "acp/initialize", Client: declaredClient(o), Doors: o.Doors, Connection: o.Connection,
		PromptMeta: l.promptMeta,
	})
}

// promptMeta is the _meta of a prompt's answer.
func (l *languageServer) promptMeta(s *agent.Session) acp.Meta {
	l.server.SessionChanged(s.ID())
	var meta acp.Meta
	for name, value := range l.app.promptMeta(s) {
		meta = meta.With(name, value)
	}
	return meta
}

// declaredClient is what a client said of itself in LSP's initialize, nil when
// it did not declare the session methods.
func declaredClient(o lsp.RichOptions) *acp.InitializeRequest {
	if len(o.Capabilities) == 0 {
		return nil
	}
	r := &acp.InitializeRequest{ProtocolVersion: acp.Version}
	if acp.Decode(o.Capabilities, &r.ClientCapabilities) != nil {
		return nil
	}
	if o.Client != "" {
		r.ClientInfo = &acp.Implementation{Name: o.Client}
	}
	return r
}

// close ends what runs with the client.
func (l *languageServer) close() {
	if l.app != nil {
		l.app.forced = lastResort(endGrace, l.app.log, os.Exit)
		l.app.local.Close()
		l.others.close()
	}
	l.server.Close()
	if l.app != nil {
		l.app.storeReview()
		l.app.close()
	}
}
