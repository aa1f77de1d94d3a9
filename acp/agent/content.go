package agent

import (
	"encoding/base64"
	"path"

	"github.com/agent-ls/agent-ls/acp"
	"github.com/agent-ls/agent-ls/presentation"
)

// promptBlocks turns the blocks of a prompt into ours. What initialize did not
// offer is refused (acp.md §5).
func promptBlocks(in []acp.ContentBlock) ([]presentation.Block, error) {
	if len(in) == 0 {
		return nil, acp.InvalidParams("prompt: expected at least one content block")
	}
	out := make([]presentation.Block, len(in))
	for i, block := range in {
		b, err := promptBlock(block)
		if err != nil {
			return nil, acp.InvalidParams("prompt[%d]: %v", i, err)
		}
		out[i] = b
	}
	return out, nil
}

func promptBlock(block acp.ContentBlock) (presentation.Block, error) {
	switch b := block.(type) {
	case acp.TextContent:
		return presentation.Text(b.Text), nil
	case acp.ImageContent:
		data, err := base64.StdEncoding.DecodeString(b.Data)
		if err != nil {
			return presentation.Block{}, acp.InvalidParams("the image's data is not base64")
		}
		return presentation.Image(data, b.MimeType), nil
	case acp.ResourceLink:
		return presentation.Block{Type: presentation.BlockLink, URI: b.URI, Name: b.Name, MIMEType: b.MimeType}, nil
	case acp.EmbeddedResource:
		return promptResource(b.Resource)
	default:
		return presentation.Block{}, acp.InvalidParams("audio is not supported; send text, images, links or resources")
	}
}

func promptResource(r acp.ResourceContents) (presentation.Block, error) {
	switch r := r.(type) {
	case acp.TextResourceContents:
		return presentation.Block{Type: presentation.BlockResource, Text: r.Text, URI: r.URI, MIMEType: r.MimeType}, nil
	case acp.BlobResourceContents:
		data, err := base64.StdEncoding.DecodeString(r.Blob)
		if err != nil {
			return presentation.Block{}, acp.InvalidParams("the resource's blob is not base64")
		}
		return presentation.Block{Type: presentation.BlockResource, Data: data, URI: r.URI, MIMEType: r.MimeType}, nil
	default:
		return presentation.Block{}, acp.InvalidParams("the resource has neither text nor blob")
	}
}

// wireBlock turns one of our blocks into a content block; ok is false for what
// ACP has no block for.
func wireBlock(b presentation.Block) (acp.ContentBlock, bool) {
	switch b.Type {
	case presentation.BlockText:
		return acp.Text(b.Text), true
	case presentation.BlockImage:
		return acp.ImageContent{Data: base64.StdEncoding.EncodeToString(b.Data), MimeType: b.MIMEType, URI: b.URI}, true
	case presentation.BlockLink:
		return acp.ResourceLink{URI: b.URI, Name: linkName(b), MimeType: b.MIMEType}, true
	case presentation.BlockResource, presentation.BlockDocument:
		if b.Data == nil {
			return acp.EmbeddedResource{Resource: acp.TextResourceContents{Text: b.Text, URI: b.URI, MimeType: b.MIMEType}}, true
		}
		blob := base64.StdEncoding.EncodeToString(b.Data)
		return acp.EmbeddedResource{Resource: acp.BlobResourceContents{Blob: blob, URI: b.URI, MimeType: b.MIMEType}}, true
	default:
		return nil, false
	}
}

// linkName is the name of a link, which the protocol requires.
func linkName(b presentation.Block) string {
	if b.Name != "" {
		return b.Name
	}
	return path.Base(b.URI)
}

// cardContent wraps blocks for a card; nil for none.
func cardContent(blocks []presentation.Block) []acp.ToolCallContent {
	var out []acp.ToolCallContent
	for _, b := range blocks {
		if c, ok := wireBlock(b); ok {
			out = append(out, acp.Content{Content: c})
		}
	}
	return out
}

// textContent is one text block on a card.
func textContent(text string) acp.ToolCallContent { return acp.Content{Content: acp.Text(text)} }
