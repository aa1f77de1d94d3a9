package main

import (
	"context"
	"fmt"
	"net/http"

	"github.com/agent-ls/agent-ls/acp"
	acpagent "github.com/agent-ls/agent-ls/acp/agent"
	"github.com/agent-ls/agent-ls/agent"
	"github.com/agent-ls/agent-ls/internal/mcp"
)

// connectServers connects the MCP servers that a client names for a session
// (contract §6); user asks its user for them.
// A hosted agent connects to them itself.
func (a *app) connectServers(s *agent.Session, servers []acp.McpServer, user *acpagent.Server) {
	if a.beginHosted(s, servers, user) || len(servers) == 0 {
		return
	}
	var configs []mcp.ServerConfig
	for _, server := range servers {
		switch server := server.(type) {
		case acp.McpServerStdio:
			configs = append(configs, mcp.ServerConfig{
				Name: server.Name, Command: server.Command, Args: server.Args, Env: variables(server.Env),
			})
		case acp.McpServerHTTP:
			configs = append(configs, mcp.ServerConfig{Name: server.Name, URL: server.URL, Header: header(server.Headers)})
		case acp.McpServerSSE:
			s.Notify(agent.Notice{
				Severity: "warning", Title: fmt.Sprintf("The MCP server %q is not used", server.Name),
				Text: "It is reached by SSE, which is deprecated. Give the address of its streamable HTTP endpoint instead.",
			})
		}
	}
	mcp.Connect(s, configs, mcp.Options{Version: version(), Logger: a.log, Elicitor: elicitor{user, s.ID()}})
}

// variables are environment variables as a process gets them.
func variables(list []acp.EnvVariable) []string {
	env := make([]string, len(list))
	for i, v := range list {
		env[i] = v.Name + "=" + v.Value
	}
	return env
}

func header(list []acp.HTTPHeader) http.Header {
	h := http.Header{}
	for _, v := range list {
		h.Add(v.Name, v.Value)
	}
	return h
}

// elicitor lets MCP servers ask the user of a session through its client.
type elicitor struct {
	client  *acpagent.Server
	session string
}

// Modes says which questions the client asks.
func (e elicitor) Modes() (form, url bool) { return e.client.ElicitationModes() }

// Elicit asks the user, who is told which server wants to know.
func (e elicitor) Elicit(ctx context.Context, q mcp.Elicitation) (mcp.ElicitationAnswer, error) {
	answer, err := e.client.Elicit(ctx, acpagent.Elicitation{
		Session: e.session, ToolCallID: q.CallID, Message: fmt.Sprintf("The MCP server %q asks: %s", q.Server, q.Message),
		Schema: q.Schema, URL: q.URL, ID: q.ID,
	})
	return mcp.ElicitationAnswer{Action: answer.Action, Content: answer.Content}, err
}

// Completed passes on that a question at a URL is answered.
func (e elicitor) Completed(ctx context.Context, q mcp.Elicitation) error {
	return e.client.ElicitationCompleted(ctx, q.ID)
}
