// Package mcpserver offers the tools of sessions to clients of the Model Context
// Protocol, over the official SDK (contract §1). A call of a client is a call of a
// session like any other: the same permission, cards and review.
//
// It owns the connection and how tools and results look in the protocol. It does
// not own the sessions, nor which one a call belongs to: that is asked before each
// call. A Server serves one client; its methods are safe for concurrent use.
package mcpserver

import (
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"sync"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/agent-ls/agent-ls/agent"
	"github.com/agent-ls/agent-ls/presentation"
	"github.com/agent-ls/agent-ls/tools"
)

// metaCard is where the _meta of a result has the card of the call.
const metaCard = "agent-ls/card"

// Options configure a Server.
type Options struct {
	Version string
	// Tools are what is offered.
	Tools []tools.ToolSchema
	// Session returns the session that a call belongs to.
	Session func(ctx context.Context) (*agent.Session, error)
	// MaxMessage bounds a message of the client, in bytes; 0 means the SDK's own.
	MaxMessage int
	Logger     *slog.Logger
}

// Server offers tools to one client. It is an agent.Asker for sessions that nobody
// else shows.
type Server struct {
	o   Options
	sdk *sdk.Server

	// life ends when Serve returns; work counts the calls.
	life context.Context
	end  context.CancelFunc
	work sync.WaitGroup

	mu    sync.Mutex
	calls map[string]*running // that have not ended, by the id of the call
}

// New returns a server.
func New(o Options) *Server {
	s := &Server{o: o, calls: map[string]*running{}, sdk: sdk.NewServer(
		&sdk.Implementation{Name: "agent-ls", Title: "agent-ls", Version: o.Version},
		&sdk.ServerOptions{Logger: o.Logger},
	)}
	s.life, s.end = context.WithCancel(context.Background())
	for _, t := range o.Tools {
		s.sdk.AddTool(&sdk.Tool{Name: t.Name, Description: t.Description, InputSchema: t.Parameters}, s.handle)
	}
	return s
}

// Serve serves the client until it leaves or ctx ends, once. The calls that run
// then are cancelled and waited for.
func (s *Server) Serve(ctx context.Context, conn io.ReadWriteCloser) error {
	defer s.work.Wait()
	defer s.end()
	transport := &sdk.IOTransport{Reader: conn, Writer: conn, MaxLineLength: s.o.MaxMessage}
	return s.sdk.Run(ctx, transport)
}

// result is the result of a call as the protocol has it.
func (c *running) result() (*sdk.CallToolResult, error) {
	if c.err != nil {
		return nil, c.err
	}
	out := &sdk.CallToolResult{IsError: c.came.IsError, Content: contents(c.came)}
	if len(c.came.Details) > 0 {
		out.StructuredContent = structured(c.came.Details)
	}
	if card := cardOf(c.session, c.call, c.came); card != nil {
		out.Meta = sdk.Meta{metaCard: card}
	}
	return out, nil
}

// structured is details as structured content, which has to be an object.
func structured(details json.RawMessage) any {
	var object map[string]any
	if json.Unmarshal(details, &object) != nil {
		return nil
	}
	return details
}

// cardOf is what a front end shows of a call that has ended, nil for nothing.
func cardOf(s *agent.Session, c tools.Call, r tools.Result) json.RawMessage {
	x, pending := s.Pipeline().Present(c)
	call, err := presentation.MarshalCallView(pending)
	if err != nil {
		return nil
	}
	result, err := presentation.MarshalResultView(s.Pipeline().PresentResult(x, pending, r))
	if err != nil {
		return nil
	}
	card, err := json.Marshal(map[string]json.RawMessage{"call": call, "result": result})
	if err != nil {
		return nil
	}
	return card
}

// contents is a result as the protocol has it, never empty.
func contents(r tools.Result) []sdk.Content {
	out := []sdk.Content{}
	for _, b := range tools.ModelContent(r) {
		out = append(out, content(b))
	}
	return out
}

func content(b presentation.Block) sdk.Content {
	switch b.Type {
	case presentation.BlockImage:
		return &sdk.ImageContent{Data: b.Data, MIMEType: b.MIMEType}
	case presentation.BlockLink:
		return &sdk.ResourceLink{URI: b.URI, Name: b.Name, MIMEType: b.MIMEType}
	case presentation.BlockResource, presentation.BlockDocument:
		return &sdk.EmbeddedResource{Resource: &sdk.ResourceContents{URI: b.URI, MIMEType: b.MIMEType, Text: b.Text, Blob: b.Data}}
	default:
		return &sdk.TextContent{Text: b.Text}
	}
}
