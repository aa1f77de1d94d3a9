package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/agent-ls/agent-ls/acp"
	acpagent "github.com/agent-ls/agent-ls/acp/agent"
	"github.com/agent-ls/agent-ls/acp/host"
	"github.com/agent-ls/agent-ls/agent"
)

// hostedSessions are those that hosted agents keep themselves, for one client.
type hostedSessions struct {
	app    *app
	client func() *acpagent.Server
}

// Sessions lists those of the configured agent. What it cannot tell in time is
// left out.
func (h hostedSessions) Sessions(ctx context.Context, cwd string) []agent.SessionInfo {
	a, ok, err := h.app.hosted.agent(h.app.config.Model)
	if !ok || err != nil {
		return nil
	}
	list, err := a.Sessions(ctx, cwd)
	if err != nil {
		h.app.log.Info("an agent's sessions are not listed", "error", err)
	}
	return slices.DeleteFunc(list, func(i agent.SessionInfo) bool { return h.app.hosted.isDeleted(i.ID) })
}

// Import makes a session of an agent ours.
func (h hostedSessions) Import(ctx context.Context, id string, servers []acp.McpServer, o agent.SessionOptions) (*agent.Session, []agent.Record, error) {
	name, own, ok := host.ParseSessionID(id)
	if !ok || h.app.hosted.isDeleted(id) {
		return nil, nil, fmt.Errorf("%w %q", agent.ErrUnknownSession, id)
	}
	o.Model = host.Prefix + name
	return h.app.hub.Import(ctx, id, o, func(s *agent.Session) (agent.Driver, error) {
		d, ok := s.Driver().(*host.Driver)
		if !ok {
			return nil, fmt.Errorf("%w %q", agent.ErrUnknownSession, id)
		}
		return d.Adopt(own, servers, hostElicitor{h.client(), id}), nil
	})
}

// Forks says whether the configured agent can copy its sessions.
func (h hostedSessions) Forks() bool {
	a, ok, err := h.app.hosted.agent(h.app.config.Model)
	return ok && err == nil && a.Forks()
}

// Fork copies a session of an agent, or the one of ours that it goes on with.
func (h hostedSessions) Fork(ctx context.Context, id, cwd string) (copied string, err error) {
	twin := id
	if s, ok := h.app.hub.Get(id); ok {
		twin = s.Info().Twin
	} else if stored, _, err := h.app.hub.Store().Read(id); err == nil {
		twin = stored.Twin
	}
	name, own, ok := host.ParseSessionID(twin)
	if !ok {
		return "", fmt.Errorf("%w %q at a hosted agent; prompt it once before it is forked", agent.ErrUnknownSession, id)
	}
	a, _, err := h.app.hosted.agent(host.Prefix + name)
	if err != nil {
		return "", err
	}
	own, err = a.Fork(ctx, own, cwd)
	if err != nil {
		return "", err
	}
	return host.SessionID(name, own), nil
}

// deleteTime bounds how long a hosted agent may take to delete a session.
const deleteTime = 5 * time.Second

// forget deletes a session where a hosted agent keeps it, too. One that the agent
// cannot delete is not listed any more.
func (h *hosting) forget(s agent.SessionInfo) error {
	id := s.Twin
	if id == "" {
		id = s.ID
	}
	name, own, ok := host.ParseSessionID(id)
	if !ok {
		return nil
	}
	a, _, err := h.agent(host.Prefix + name)
	if err != nil {
		return nil // it is not configured any more
	}
	ctx, cancel := context.WithTimeout(context.Background(), deleteTime)
	defer cancel()
	deleted, err := a.Delete(ctx, own)
	if deleted {
		return nil
	}
	h.options.Logger.Debug("a hosted agent does not delete a session, which is hidden", "agent", name, "error", err)
	if err := os.MkdirAll(h.deletedDir(), 0o700); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(h.deletedDir(), id), nil, 0o600)
}

// deletedDir has an empty file for each session that a user has deleted and its
// agent has not.
func (h *hosting) deletedDir() string { return filepath.Join(h.config.StateDir, "hosted-deleted") }

// isDeleted reports whether the user has deleted a session that its agent keeps.
func (h *hosting) isDeleted(id string) bool {
	_, err := os.Stat(filepath.Join(h.deletedDir(), id))
	return !errors.Is(err, fs.ErrNotExist)
}
