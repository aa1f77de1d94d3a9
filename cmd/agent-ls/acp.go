package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"github.com/agent-ls/agent-ls/acp"
	acpagent "github.com/agent-ls/agent-ls/acp/agent"
	"github.com/agent-ls/agent-ls/agent"
	"github.com/agent-ls/agent-ls/internal/join"
)

func acpCommand(io streams) *cobra.Command {
	var login string
	cmd := &cobra.Command{
		Use:   "acp",
		Short: "Serve the Agent Client Protocol on stdin and stdout",
		Long: `Serves the Agent Client Protocol, version 1, on standard input and output. An
editor starts it; stdout carries the protocol alone, logs go to stderr or --log.
When a language server of agent-ls works on the same folder, it serves this client
too, with the editor's unsaved text and review; --mode, --model and --wire-log
keep to themselves.
Exit status: 0 the client has left, 1 the connection failed, 2 bad usage, 130
ended by a signal.`,
		Example: `  agent-ls acp --model direct
  agent-ls acp --wire-log wire.jsonl`,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if login != "" {
				return logIn(cmd, login)
			}
			return serveOrJoin(cmd, io, wantACP, func(a *app, std *stdio) error {
				return a.serveACP(cmd.Context(), std)
			})
		},
	}
	cmd.Flags().StringVar(&login, loginFlag, "", "instead, log in to the hosted agent of --model in this terminal, by its way `ID`")
	return cmd
}

// serveACP serves one client until its input ends or ctx does.
func (a *app) serveACP(ctx context.Context, std *stdio) error {
	wire, err := a.openWireLog()
	if err != nil {
		return err
	}
	defer wire.Close()
	conn := acp.NewConn(std, acp.Options{MaxLine: int(a.config.Limits.MaxLine), WireLog: wire.log, Logger: a.log})
	var server *acpagent.Server
	others := &joinable{app: a, handlers: join.Handlers{wantMCP: a.joinedMCP(func(context.Context) (*agent.Session, error) {
		s, _ := a.hub.Current(server)
		return s, nil
	})}}
	defer others.close()
	a.opened = func(s *agent.Session) { others.offer(s.Cwd()) }
	server = a.newServer(conn, acpagent.Options{})
	conn.Go(ctx, server.Handle)
	select {
	case <-conn.Done():
	case <-ctx.Done(): // the read of a client that is silent cannot be ended; the process's end does it
	}
	a.forced = lastResort(endGrace, a.log, os.Exit)
	a.local.Close() // what runs ends with the client
	server.Close()
	if interrupted(ctx) {
		return &exitError{code: exitInterrupted}
	}
	if err := conn.Err(); err != nil {
		return &exitError{exitFailed, fmt.Errorf("connection: %w", err)}
	}
	return nil
}

// newServer returns a server for one client, with the tools that the client
// declares and those of the MCP servers that it names.
func (a *app) newServer(client acpagent.Peer, o acpagent.Options) (server *acpagent.Server) {
	own := newDeclaredTools(client, a.log)
	o.Version, o.Logger, o.Methods = version(), a.log, own.methods()
	o.Opening = func(ctx context.Context, s *agent.Session, meta acp.Meta) error {
		if a.opened != nil {
			a.opened(s)
		}
		return own.opening(ctx, s, meta)
	}
	o.Elsewhere = hostedSessions{a, func() *acpagent.Server { return server }}
	o.Accounts = a.accountsOf(func() *acpagent.Server { return server })
	o.MCP = func(_ context.Context, s *agent.Session, servers []acp.McpServer) {
		a.connectServers(s, servers, server)
	}
	return acpagent.New(a.hub, client, o)
}

// wireLog is the copy of the protocol, or none.
type wireLog struct {
	log  *acp.WireLog
	file *os.File
}

func (a *app) openWireLog() (wireLog, error) {
	if a.config.WireLog == "" {
		return wireLog{}, nil
	}
	f, err := os.OpenFile(a.config.WireLog, os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
	if err != nil {
		return wireLog{}, usageError(fmt.Errorf("wire log: %w", err))
	}
	return wireLog{acp.NewWireLog(f, time.Now), f}, nil
}

// Close closes the file.
func (w wireLog) Close() {
	if w.file != nil {
		w.file.Close()
	}
}

// stdio is the two standard streams as one connection.
type stdio struct {
	in   io.Reader
	out  io.WriteCloser
	once sync.Once
}

func (s *stdio) Read(p []byte) (int, error)  { return s.in.Read(p) }
func (s *stdio) Write(p []byte) (int, error) { return s.out.Write(p) }

// Close closes both, so that a blocked Read wakes where the system allows it.
func (s *stdio) Close() (err error) {
	s.once.Do(func() {
		if c, ok := s.in.(io.Closer); ok {
			c.Close()
		}
		err = s.out.Close()
	})
	return err
}
