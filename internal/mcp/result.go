package mcp

import (
	"cmp"
	"encoding/json"
	"fmt"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/agent-ls/agent-ls/presentation"
	"github.com/agent-ls/agent-ls/tools"
	"github.com/agent-ls/agent-ls/tools/schema"
)

// What a result says that has no content of its own.
const (
	textNothing = "The tool returned nothing."
	textFailed  = "Error: the tool failed and does not say why. Go on without it, or tell the user"
)

// result makes a result of a server's: every kind of content, structured content
// as the details. Without content the model gets the structured one.
func (l *link) result(r *sdk.CallToolResult) tools.Result {
	out := tools.Result{IsError: r.IsError, Details: l.details(r.StructuredContent)}
	for _, c := range r.Content {
		out.Content = append(out.Content, blocks(c)...)
	}
	if r.IsError {
		out.Error = &tools.ErrorInfo{Name: "MCPToolError", Code: CodeError}
	}
	switch {
	case len(out.Content) > 0:
	case out.Details != nil:
		out.Content = []presentation.Block{presentation.Text(string(out.Details))}
	case r.IsError:
		out.Content = []presentation.Block{presentation.Text(textFailed)}
	default:
		out.Content = []presentation.Block{presentation.Text(textNothing)}
	}
	return out
}

// details is structured content as it may stand in a result.
func (l *link) details(v any) json.RawMessage {
	if v == nil {
		return nil
	}
	text, err := json.Marshal(v)
	if err == nil {
		err = schema.Lossless(text)
	}
	if err != nil {
		l.log.Warn("structured content is not lossless JSON and is left out", "error", err)
		return nil
	}
	return text
}

// blocks turns one piece of content into ours. What has no form of its own for a
// model is named by a text beside it.
func blocks(c sdk.Content) []presentation.Block {
	switch c := c.(type) {
	case *sdk.TextContent:
		if c.Text == "" {
			return nil
		}
		return []presentation.Block{presentation.Text(c.Text)}
	case *sdk.ImageContent:
		if len(c.Data) == 0 {
			return []presentation.Block{presentation.Text("[an image without data]")}
		}
		return []presentation.Block{presentation.Image(c.Data, cmp.Or(c.MIMEType, "image/png"))}
	case *sdk.AudioContent:
		return []presentation.Block{presentation.Text(fmt.Sprintf("[audio: %s, %d bytes]", c.MIMEType, len(c.Data))), other("audio", c)}
	case *sdk.ResourceLink:
		return []presentation.Block{{
			Type: presentation.BlockLink, URI: c.URI, Name: cmp.Or(c.Title, c.Name), MIMEType: c.MIMEType,
		}}
	case *sdk.EmbeddedResource:
		if c.Resource == nil {
			return nil
		}
		return []presentation.Block{resource(c.Resource)}
	default:
		return []presentation.Block{presentation.Text("[content of a kind that is not known here]"), other("content", c)}
	}
}

func resource(r *sdk.ResourceContents) presentation.Block {
	b := presentation.Block{Type: presentation.BlockResource, URI: r.URI, MIMEType: r.MIMEType, Text: r.Text}
	if r.Blob != nil {
		b.Text, b.Data = "", r.Blob
	}
	return b
}

// other carries content through that nobody here reads.
func other(kind string, c sdk.Content) presentation.Block {
	payload, err := c.MarshalJSON()
	if err != nil {
		payload = nil
	}
	return presentation.Block{Type: presentation.BlockOther, Provider: "mcp", Kind: kind, Payload: payload}
}
