package main

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"maps"
	"os/exec"
	"slices"
	"strings"
	"sync"

	"github.com/agent-ls/agent-ls/acp"
	acpagent "github.com/agent-ls/agent-ls/acp/agent"
	"github.com/agent-ls/agent-ls/acp/host"
	"github.com/agent-ls/agent-ls/agent"
	"github.com/agent-ls/agent-ls/internal/config"
	"github.com/agent-ls/agent-ls/internal/nearest"
	"github.com/agent-ls/agent-ls/tools/proc"
)

// hostedAgents are the configured agents, by name.
func hostedAgents(c config.Config) []host.Config {
	var out []host.Config
	for _, name := range slices.Sorted(maps.Keys(c.Agents)) {
		a := c.Agents[name]
		out = append(out, host.Config{
			Name: name, Command: a.Command, Args: a.Args, Env: a.Env, Auth: a.Auth, Options: a.Options,
		})
	}
	return out
}

// hostedAgent returns the agent that a model name means; ok is false for the name
// of a model. An unknown agent, or one that is not installed, is an error.
func hostedAgent(c config.Config, model string) (agent host.Config, ok bool, err error) {
	name, ok := strings.CutPrefix(model, host.Prefix)
	if !ok {
		return agent, false, nil
	}
	list := hostedAgents(c)
	i := slices.IndexFunc(list, func(a host.Config) bool { return a.Name == name })
	if i < 0 {
		return agent, true, unknownAgent(name, list)
	}
	if _, err := exec.LookPath(list[i].Command); err != nil {
		return agent, true, fmt.Errorf("the agent %q cannot be started: %w; check command in [acp.%s]", name, err, name)
	}
	return list[i], true, nil
}

func unknownAgent(name string, list []host.Config) error {
	if len(list) == 0 {
		return fmt.Errorf("no agent %q is configured: describe it in a table [acp.%s] of the configuration file", name, name)
	}
	names := make([]string, len(list))
	for i, a := range list {
		names[i] = a.Name
	}
	return fmt.Errorf("no agent %q is configured; did you mean %q? Agents are the tables [acp.NAME] of the configuration file",
		name, nearest.Of(name, names))
}

// hosting are the hosted agents that are in use. Safe for concurrent use.
type hosting struct {
	config  config.Config
	options host.Options

	mu     sync.Mutex
	agents map[string]*host.Agent // by name
}

func newHosting(c config.Config, local *proc.Local, log *slog.Logger) *hosting {
	return &hosting{config: c, agents: map[string]*host.Agent{}, options: host.Options{
		Dir: c.Cwd, Runner: local, MaxLine: int(c.Limits.MaxLine), Version: version(), Logger: log,
	}}
}

// agent returns the agent that a model name means, see hostedAgent.
func (h *hosting) agent(model string) (a *host.Agent, ok bool, err error) {
	c, ok, err := hostedAgent(h.config, model)
	if !ok || err != nil {
		return nil, ok, err
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.agents[c.Name] == nil {
		h.agents[c.Name] = host.NewAgent(c, h.options)
	}
	return h.agents[c.Name], true, nil
}

// close ends the agents; their sessions are closed before.
func (h *hosting) close() {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, a := range h.agents {
		a.Close()
	}
}

// openDriver makes the driver of a session whose model is a hosted agent
// (agent.Config.OpenDriver).
func (h *hosting) openDriver(s *agent.Session, model string) (agent.Driver, agent.ModelInfo, bool, error) {
	a, ok, err := h.agent(model)
	if !ok || err != nil {
		return nil, agent.ModelInfo{}, ok, err
	}
	return host.New(s, a), a.Info(), true, nil
}

// beginHosted starts the hosted agent of a session that a client has opened;
// false when the session has a model.
func (a *app) beginHosted(s *agent.Session, servers []acp.McpServer, user *acpagent.Server) bool {
	d, ok := s.Driver().(*host.Driver)
	if ok {
		d.Begin(servers, hostElicitor{user, s.ID()})
	}
	return ok
}

// hostElicitor lets a hosted agent ask the user of a session through its client.
type hostElicitor struct {
	client  *acpagent.Server
	session string
}

// Modes says which questions the client asks.
func (e hostElicitor) Modes() (form, url bool) { return e.client.ElicitationModes() }

// Elicit asks the user.
func (e hostElicitor) Elicit(ctx context.Context, call string, q host.Elicitation) (json.RawMessage, error) {
	answer, err := e.client.Elicit(ctx, acpagent.Elicitation{
		Session: e.session, ToolCallID: call, Message: q.Message, Schema: q.Schema, URL: q.URL, ID: q.ID,
	})
	if err != nil {
		return nil, err
	}
	return acp.Encode(struct {
		Action  string         `json:"action"`
		Content map[string]any `json:"content,omitempty"`
	}{answer.Action, answer.Content})
}

// Completed passes on that a question at a URL is answered.
func (e hostElicitor) Completed(ctx context.Context, id string) error {
	return e.client.ElicitationCompleted(ctx, id)
}
