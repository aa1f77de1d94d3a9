// Package content turns content blocks of ACP into ours and back (acp.md §7),
// for both sides of the protocol. It owns no state; everything in it is safe for
// concurrent use.
package content

import (
	"encoding/base64"
	"errors"
	"path"

	"github.com/agent-ls/agent-ls/acp"
	"github.com/agent-ls/agent-ls/presentation"
)

// ErrAudio says that a block is audio, which we have no block for.
var ErrAudio = errors.New("audio is not supported; send text, images, links or resources")

// FromWire returns a block of the wire as ours. An error says what is wrong with
// it.
func FromWire(block acp.ContentBlock) (presentation.Block, error) {
	switch b := block.(type) {
	case acp.TextContent:
		return presentation.Text(b.Text), nil
	case acp.ImageContent:
		data, err := base64.StdEncoding.DecodeString(b.Data)
		if err != nil {
			return presentation.Block{}, errors.New("the image's data is not base64")
		}
		return presentation.Image(data, b.MimeType), nil
	case acp.ResourceLink:
		return presentation.Block{Type: presentation.BlockLink, URI: b.URI, Name: b.Name, MIMEType: b.MimeType}, nil
	case acp.EmbeddedResource:
		return fromResource(b.Resource)
	default:
		return presentation.Block{}, ErrAudio
	}
}

func fromResource(r acp.ResourceContents) (presentation.Block, error) {
	switch r := r.(type) {
	case acp.TextResourceContents:
		return presentation.Block{Type: presentation.BlockResource, Text: r.Text, URI: r.URI, MIMEType: r.MimeType}, nil
	case acp.BlobResourceContents:
		data, err := base64.StdEncoding.DecodeString(r.Blob)
		if err != nil {
			return presentation.Block{}, errors.New("the resource's blob is not base64")
		}
		return presentation.Block{Type: presentation.BlockResource, Data: data, URI: r.URI, MIMEType: r.MimeType}, nil
	default:
		return presentation.Block{}, errors.New("the resource has neither text nor blob")
	}
}

// ToWire returns one of our blocks as a block of the wire; ok is false for what
// ACP has no block for.
func ToWire(b presentation.Block) (block acp.ContentBlock, ok bool) {
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
