package main

import (
	"context"
	"errors"
	"io"
	"os"
	"sync"

	"github.com/spf13/cobra"

	"github.com/agent-ls/agent-ls/agent"
	"github.com/agent-ls/agent-ls/agent/direct"
	"github.com/agent-ls/agent-ls/internal/mcpserver"
)

func mcpCommand(io streams) *cobra.Command {
	return &cobra.Command{
		Use:   "mcp",
		Short: "Serve the tools to an MCP client on stdin and stdout",
		Long: `Serves the tools of agent-ls as a server of the Model Context Protocol on
standard input and output, for agents that take MCP servers; stdout carries the
protocol alone. When an editor's agent-ls works on the same folder, the calls are
made in its session: its user sees them as cards and is asked, and unsaved text
counts. Otherwise the client is asked, if it can show forms. See docs/mcp.md.
Exit status: 0 the client has left, 1 the connection failed, 2 bad usage, 130
ended by a signal.`,
		Example: `  agent-ls mcp --cwd ~/project
  agent-ls mcp --mode accept-edits   # does not join an editor`,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return serveOrJoin(cmd, io, wantMCP, func(a *app, std *stdio) error {
				return a.serveMCP(cmd.Context(), std)
			})
		},
	}
}

// serveMCP serves one client with a session of its own.
func (a *app) serveMCP(ctx context.Context, conn io.ReadWriteCloser) error {
	a.reviewAlone(a.config.Cwd)
	own := &ownSession{app: a}
	server := a.newMCPServer(own.get)
	own.front = agent.FrontEnd{Asker: server}
	err := server.Serve(ctx, conn)
	a.forced = lastResort(endGrace, a.log, os.Exit)
	switch {
	case interrupted(ctx):
		return &exitError{code: exitInterrupted}
	case err != nil && !errors.Is(err, io.EOF):
		return &exitError{exitFailed, err}
	}
	return nil
}

// newMCPServer returns a server of the tools for one client.
func (a *app) newMCPServer(session func(context.Context) (*agent.Session, error)) *mcpserver.Server {
	return mcpserver.New(mcpserver.Options{
		Version: version(), Tools: a.registry.Schemas(nil), Session: session,
		MaxMessage: int(a.config.Limits.MaxLine), Logger: a.log,
	})
}

// ownSession is the session of an MCP client that no editor shows, opened by its
// first call. No model runs in it.
type ownSession struct {
	app   *app
	front agent.FrontEnd

	mu      sync.Mutex
	session *agent.Session
}

func (o *ownSession) get(ctx context.Context) (*agent.Session, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.session != nil {
		return o.session, nil
	}
	s, err := o.app.hub.New(ctx, agent.SessionOptions{Cwd: o.app.config.Cwd, Model: direct.Info().ID, FrontEnd: o.front})
	if err != nil {
		return nil, err
	}
	o.session = s
	return s, nil
}

// close closes the session, if there is one.
func (o *ownSession) close() {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.session != nil {
		o.session.Close()
	}
}
