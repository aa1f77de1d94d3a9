package presentation

import "encoding/json"

// BlockType tags the arms of Block.
type BlockType string

// The kinds of content a tool result, a prompt or a message may hold
// (seed 000 §5, tools.md §1.3.3; ACP ContentBlock).
const (
	BlockText     BlockType = "text"
	BlockImage    BlockType = "image"
	BlockDocument BlockType = "document" // e.g. a PDF for the model
	BlockLink     BlockType = "resource_link"
	BlockResource BlockType = "resource" // embedded text or bytes of a resource
	BlockOther    BlockType = "other"    // provider-specific; passed through
)

// Block is one piece of content. Which fields count depends on Type; the
// zero value of every other field is absent from JSON.
type Block struct {
	Type BlockType `json:"type"`
	// Text is the text of a text block or of an embedded text resource.
	Text string `json:"text,omitempty"`
	// Data holds the bytes of an image, document or embedded binary resource
	// (base64 in JSON).
	Data []byte `json:"data,omitempty"`
	// MIMEType describes Data or the linked resource.
	MIMEType string `json:"mimeType,omitempty"`
	// Detail is the resolution a model should look at an image with: auto,
	// low or high.
	Detail string `json:"detail,omitempty"`
	// URI and Name identify a link or an embedded resource.
	URI  string `json:"uri,omitempty"`
	Name string `json:"name,omitempty"`
	// Provider, Kind and Payload carry a BlockOther through unread.
	Provider string          `json:"provider,omitempty"`
	Kind     string          `json:"kind,omitempty"`
	Payload  json.RawMessage `json:"payload,omitempty"`
}

// Text returns a text block.
func Text(s string) Block { return Block{Type: BlockText, Text: s} }

// Image returns an image block of raw bytes.
func Image(data []byte, mimeType string) Block {
	return Block{Type: BlockImage, Data: data, MIMEType: mimeType}
}
