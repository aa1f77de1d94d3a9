package conformance

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/agent-ls/agent-ls/acp"
)

// serverWord is the variable that makes the test binary an MCP server, whose
// one tool answers with its value.
const serverWord = "CONFORMANCE_MCP_WORD"

// word is the input of the tool.
type word struct {
	Suffix string `json:"suffix,omitempty"`
}

func newMCPServer(tool, says string) *mcp.Server {
	s := mcp.NewServer(&mcp.Implementation{Name: tool, Version: "1"}, nil)
	mcp.AddTool(s, &mcp.Tool{Name: tool, Description: "Says " + says}, func(_ context.Context, _ *mcp.CallToolRequest, w word) (*mcp.CallToolResult, any, error) {
		return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: says + w.Suffix}}}, nil, nil
	})
	return s
}

// serveMCP makes this process an MCP server if it was started as one.
func serveMCP() (served bool) {
	says := os.Getenv(serverWord)
	if says == "" {
		return false
	}
	if err := newMCPServer("stdio_tool", says).Run(context.Background(), &mcp.StdioTransport{}); err != nil {
		fmt.Fprintln(os.Stderr, err)
	}
	return true
}

func serversAreUsed(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	handler := mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return newMCPServer("http_tool", "web-pong") }, nil)
	web := httptest.NewServer(handler)
	t.Cleanup(web.Close) // after the client has left

	c := start(t, options{})
	servers := []acp.McpServer{
		acp.McpServerStdio{Name: "dead", Command: "/no/such/program"},
		acp.McpServerStdio{Name: "mute", Command: "/bin/sh", Args: acp.List[string]{"-c", "exit 1"}},
		acp.McpServerStdio{Name: "alive", Command: self, Env: acp.List[acp.EnvVariable]{{Name: serverWord, Value: "pong"}}},
	}
	tools := map[string]string{"stdio_tool": "pong"}
	if c.init.AgentCapabilities.McpCapabilities.HTTP {
		servers = append(servers, acp.McpServerHTTP{Name: "web", URL: web.URL}, acp.McpServerHTTP{Name: "gone", URL: "http://127.0.0.1:9/mcp"})
		tools["http_tool"] = "web-pong"
	} else {
		t.Error("MCP over HTTP is not offered")
	}
	s := &session{client: c}
	c.call(acp.MethodSessionNew, params{"cwd": c.h.cwd, "mcpServers": servers}, &s.made)
	s.id = s.made.SessionID
	for name, says := range tools {
		var command string
		s.untilScreen("the command of "+name, func(sc *screen) bool {
			for _, c := range sc.commands {
				if strings.Contains(c.Name, name) {
					command = c.Name
				}
			}
			return command != ""
		})
		s.run(tool(command, args{"suffix": "!"}))
		cards := s.cards()
		k := cards[len(cards)-1]
		if completed(t, k); !has(k.text(), says+"!") {
			t.Errorf("%s says %s", name, k.text())
		}
	}
	if n := len(s.allQuestions()); n != len(tools) {
		t.Errorf("%d questions about tools of servers", n)
	}
}
