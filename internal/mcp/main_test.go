package mcp

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strconv"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// serveVariable makes the test binary a stdio server of the kind that it names.
const serveVariable = "AGENT_LS_TEST_MCP"

func TestMain(m *testing.M) {
	switch kind := os.Getenv(serveVariable); kind {
	case "":
		os.Exit(m.Run())
	case "silent": // reads and never answers
		io.Copy(io.Discard, os.Stdin)
	case "broken":
		fmt.Fprintln(os.Stderr, "Error: cannot find the module")
		os.Exit(2)
	case "deaf": // serves, but neither the end of its input nor TERM ends it
		ignoreTerm()
		serve(newTestServer())
		time.Sleep(time.Hour)
	case "noisy":
		fmt.Println("Starting the server …")
		fmt.Println("{not a message}")
		fmt.Fprintln(os.Stderr, "ready to serve")
		serve(newTestServer())
	default:
		serve(newTestServer())
	}
}

func serve(s *sdk.Server) {
	if err := s.Run(context.Background(), &sdk.StdioTransport{}); err != nil {
		fmt.Fprintln(os.Stderr, err)
	}
}

// stdioServer is this test binary as a server.
func stdioServer(name, kind string, env ...string) ServerConfig {
	return ServerConfig{Name: name, Command: os.Args[0], Env: append(env, serveVariable+"="+kind)}
}

// pixel is a PNG of one pixel, or bytes that stand for one.
var pixel = []byte("\x89PNG\r\n\x1a\npixel")

type textArgs struct {
	Text string `json:"text"`
}

// newTestServer returns a server with the tools of the tests.
func newTestServer() *sdk.Server {
	s := sdk.NewServer(&sdk.Implementation{Name: "test", Version: "1"}, nil)
	add(s, "echo", func(_ context.Context, _ *sdk.CallToolRequest, a textArgs) (*sdk.CallToolResult, any, error) {
		return said(a.Text), nil, nil
	})
	add(s, "fail", func(context.Context, *sdk.CallToolRequest, textArgs) (*sdk.CallToolResult, any, error) {
		return nil, nil, fmt.Errorf("the disk is full")
	})
	add(s, "refuse", func(context.Context, *sdk.CallToolRequest, textArgs) (*sdk.CallToolResult, any, error) {
		return nil, nil, &jsonrpc.Error{Code: -32050, Message: "not today"}
	})
	add(s, "kinds", kinds)
	add(s, "progress", progress)
	add(s, "block", block)
	add(s, "die", func(context.Context, *sdk.CallToolRequest, textArgs) (*sdk.CallToolResult, any, error) {
		fmt.Fprintln(os.Stderr, "fatal: out of luck")
		os.Exit(3)
		return nil, nil, nil
	})
	add(s, "env", func(_ context.Context, _ *sdk.CallToolRequest, a textArgs) (*sdk.CallToolResult, any, error) {
		value, set := os.LookupEnv(a.Text)
		return said(fmt.Sprintf("%q %t", value, set)), nil, nil
	})
	add(s, "child", child)
	add(s, "ask", ask)
	add(s, "complete", func(ctx context.Context, r *sdk.CallToolRequest, a textArgs) (*sdk.CallToolResult, any, error) {
		return said("told"), nil, r.Session.NotifyElicitationComplete(ctx, &sdk.ElicitationCompleteParams{ElicitationID: a.Text})
	})
	visited := false
	add(s, "locked", func(context.Context, *sdk.CallToolRequest, textArgs) (*sdk.CallToolResult, any, error) {
		if visited {
			return said("open"), nil, nil
		}
		visited = true
		return nil, nil, sdk.URLElicitationRequiredError([]*sdk.ElicitParams{{
			Mode: "url", Message: "Log in", URL: "https://example.invalid/login", ElicitationID: "e9",
		}})
	})
	add(s, "roots", roots)
	add(s, "more", func(_ context.Context, _ *sdk.CallToolRequest, a textArgs) (*sdk.CallToolResult, any, error) {
		add(s, a.Text, func(context.Context, *sdk.CallToolRequest, textArgs) (*sdk.CallToolResult, any, error) {
			return said("new"), nil, nil
		})
		return said("added"), nil, nil
	})
	return s
}

func add(s *sdk.Server, name string, h sdk.ToolHandlerFor[textArgs, any]) {
	sdk.AddTool(s, &sdk.Tool{Name: name, Description: "Does " + name + "."}, h)
}

func said(text string) *sdk.CallToolResult {
	return &sdk.CallToolResult{Content: []sdk.Content{&sdk.TextContent{Text: text}}}
}

func kinds(context.Context, *sdk.CallToolRequest, textArgs) (*sdk.CallToolResult, any, error) {
	return &sdk.CallToolResult{
		StructuredContent: json.RawMessage(`{"n":1}`),
		Content: []sdk.Content{
			&sdk.TextContent{Text: "words"},
			&sdk.ImageContent{Data: pixel, MIMEType: "image/png"},
			&sdk.AudioContent{Data: []byte("beep"), MIMEType: "audio/wav"},
			&sdk.ResourceLink{URI: "file:///a.txt", Name: "a.txt", MIMEType: "text/plain"},
			&sdk.EmbeddedResource{Resource: &sdk.ResourceContents{URI: "file:///b.txt", Text: "inside", MIMEType: "text/plain"}},
			&sdk.EmbeddedResource{Resource: &sdk.ResourceContents{URI: "file:///c.bin", Blob: []byte{1, 2}}},
		},
	}, nil, nil
}

// progress tells three steps. The ping ensures that they have been taken note of
// when the call ends: the SDK handles messages in order, but for answers.
func progress(ctx context.Context, r *sdk.CallToolRequest, _ textArgs) (*sdk.CallToolResult, any, error) {
	for i := range 3 {
		err := r.Session.NotifyProgress(ctx, &sdk.ProgressNotificationParams{
			ProgressToken: r.Params.GetProgressToken(), Message: "step " + strconv.Itoa(i+1), Progress: float64(i + 1), Total: 3,
		})
		if err != nil {
			return nil, nil, err
		}
	}
	return said("done"), nil, r.Session.Ping(ctx, nil)
}

// block makes the file that it is told, waits until the call is cancelled, and
// takes the file away.
func block(ctx context.Context, _ *sdk.CallToolRequest, a textArgs) (*sdk.CallToolResult, any, error) {
	if a.Text != "" {
		if err := os.WriteFile(a.Text, nil, 0o600); err != nil {
			return nil, nil, err
		}
		defer os.Remove(a.Text)
	}
	<-ctx.Done()
	return nil, nil, ctx.Err()
}

// child starts a process that outlives everything, and says its number.
func child(context.Context, *sdk.CallToolRequest, textArgs) (*sdk.CallToolResult, any, error) {
	cmd := exec.Command("sleep", "3600")
	if err := cmd.Start(); err != nil {
		return nil, nil, err
	}
	return said(strconv.Itoa(cmd.Process.Pid)), nil, nil
}

// ask asks the user by a form, or by the URL that it is told.
func ask(ctx context.Context, r *sdk.CallToolRequest, a textArgs) (*sdk.CallToolResult, any, error) {
	p := &sdk.ElicitParams{Mode: "form", Message: "Which one?", RequestedSchema: json.RawMessage(
		`{"type":"object","properties":{"pick":{"type":"string"}},"required":["pick"]}`)}
	if a.Text != "" {
		p = &sdk.ElicitParams{Mode: "url", Message: "Log in", URL: a.Text, ElicitationID: "e1"}
	}
	res, err := r.Session.Elicit(ctx, p)
	if err != nil {
		return nil, nil, err
	}
	return said(fmt.Sprintf("%s %v", res.Action, res.Content["pick"])), nil, nil
}

func roots(ctx context.Context, r *sdk.CallToolRequest, _ textArgs) (*sdk.CallToolResult, any, error) {
	res, err := r.Session.ListRoots(ctx, nil)
	if err != nil {
		return nil, nil, err
	}
	text := ""
	for _, root := range res.Roots {
		text += root.URI + " " + root.Name + "\n"
	}
	return said(text), nil, nil
}
