package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"sync"
	"sync/atomic"

	"github.com/spf13/cobra"

	"github.com/agent-ls/agent-ls/acp"
	acpagent "github.com/agent-ls/agent-ls/acp/agent"
	"github.com/agent-ls/agent-ls/agent"
	"github.com/agent-ls/agent-ls/internal/config"
	"github.com/agent-ls/agent-ls/internal/join"
)

// What a process that joins wants to speak.
const (
	wantMCP = "mcp"
	wantACP = "acp"
)

// meetingPlace is where the processes for a folder meet.
func meetingPlace(c config.Config, folder string) join.Place {
	return join.Place{Runtime: join.RuntimeDir(os.Getenv), Folder: folder, State: c.StateDir}
}

// serveOrJoin serves a client, or passes what it says to the process that an
// editor has for the same folder: that one has the editor's unsaved text, its
// review and its user.
func serveOrJoin(cmd *cobra.Command, streams streams, want string, serve func(*app, *stdio) error) error {
	out, err := protocolOutput(streams.out)
	if err != nil {
		return &exitError{exitFailed, err}
	}
	c, err := loadConfig(cmd)
	if err != nil {
		return err
	}
	tellPerson(cmd, streams)
	std := &stdio{in: streams.in, out: out}
	if mayJoin(cmd, c) {
		conn, err := join.Dial(cmd.Context(), meetingPlace(c, c.Cwd), version(), want)
		if err == nil {
			return relay(cmd.Context(), conn, std)
		}
		if !errors.Is(err, join.ErrNobody) {
			fmt.Fprintln(cmd.ErrOrStderr(), "agent-ls: does not join the editor's agent-ls, works alone:", err)
		}
	}
	a, err := wire(c, cmd.ErrOrStderr())
	if err != nil {
		return err
	}
	defer a.close()
	return serve(a, std)
}

// mayJoin reports whether the settings leave it open who serves: what is asked for
// on the command line is not the editor's to give.
func mayJoin(cmd *cobra.Command, c config.Config) bool {
	for _, name := range []string{"mode", "model", "wire-log"} {
		if cmd.Flags().Changed(name) {
			return false
		}
	}
	return c.Join
}

// errEditorLeft says that the process that was joined has ended before the client.
var errEditorLeft = errors.New("the editor's agent-ls has ended, and with it the sessions here; start this one again to work alone or join the next")

// relay passes bytes both ways until either side has ended.
func relay(ctx context.Context, conn join.Conn, std *stdio) error {
	defer conn.Close()
	defer context.AfterFunc(ctx, func() { conn.Close() })()
	var left atomic.Bool // the client has
	go func() {          // the read of a client that is silent cannot be ended; the process's end does it
		_, err := io.Copy(conn, std)
		left.Store(err == nil)
		if err == nil {
			err = conn.CloseWrite()
		}
		if err != nil {
			conn.Close()
		}
	}()
	_, err := io.Copy(std, conn)
	switch {
	case interrupted(ctx):
		return &exitError{code: exitInterrupted}
	case err != nil:
		return &exitError{exitFailed, fmt.Errorf("connection to the editor's agent-ls: %w", err)}
	case !left.Load():
		return &exitError{exitFailed, errEditorLeft}
	}
	return nil
}

// joinable are the folders for which other processes can join this one.
type joinable struct {
	app      *app
	handlers join.Handlers

	mu        sync.Mutex
	closed    bool
	listeners map[string]*join.Listener
}

// offer lets processes for a folder join. That another process is there already,
// or that there is no place for a socket, is no failure: they work alone.
func (j *joinable) offer(folder string) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if _, ok := j.listeners[folder]; ok || j.closed || !j.app.config.Join {
		return
	}
	l, err := join.Listen(meetingPlace(j.app.config, folder), version(), j.handlers, j.app.log)
	if err != nil {
		j.app.log.Info("no process can join", "folder", folder, "reason", err)
		return
	}
	if j.listeners == nil {
		j.listeners = map[string]*join.Listener{}
	}
	j.listeners[folder] = l
}

// close ends the connections of those that have joined, and waits.
func (j *joinable) close() {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.closed = true
	for _, l := range j.listeners {
		l.Close()
	}
}

// joinedMCP serves an MCP client that has joined. Its calls are made in the
// session that current returns; while there is none, in one of its own.
func (a *app) joinedMCP(current func(context.Context) (*agent.Session, error)) func(context.Context, io.ReadWriteCloser) {
	return func(ctx context.Context, conn io.ReadWriteCloser) {
		own := &ownSession{app: a}
		defer own.close()
		server := a.newMCPServer(func(ctx context.Context) (*agent.Session, error) {
			if s, err := current(ctx); s != nil || err != nil {
				return s, err
			}
			return own.get(ctx)
		})
		own.front = agent.FrontEnd{Asker: server}
		if err := server.Serve(ctx, conn); err != nil && !errors.Is(err, io.EOF) && ctx.Err() == nil {
			a.log.Info("an MCP client that had joined has left", "reason", err)
		}
	}
}

// joinedACP serves an ACP client that has joined a language server: its sessions
// see the editor's documents and edit through it, and are reviewed there.
func (l *languageServer) joinedACP(ctx context.Context, conn io.ReadWriteCloser) {
	a := l.app
	c := acp.NewConn(conn, acp.Options{MaxLine: int(a.config.Limits.MaxLine), Logger: a.log})
	server := a.newServer(c, acpagent.Options{Doors: l.server.Doors, PromptMeta: l.promptMeta})
	c.Go(ctx, server.Handle)
	<-c.Done()
	server.Close()
	if err := c.Close(); err != nil {
		a.log.Debug("connection closed", "error", err)
	}
}
