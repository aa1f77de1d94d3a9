package acp

import "encoding/json"

// Meta is the _meta member of any object: extensions by name, raw.
type Meta map[string]json.RawMessage

// NewMeta returns a Meta with one extension. It panics when value cannot be
// encoded, which is a programmer's error.
func NewMeta(name string, value any) Meta { return Meta(nil).With(name, value) }

// With returns m with one more extension.
func (m Meta) With(name string, value any) Meta {
	raw, err := Encode(value)
	if err != nil {
		panic("acp: extension " + name + ": " + err.Error())
	}
	out := make(Meta, len(m)+1)
	for k, v := range m {
		out[k] = v
	}
	out[name] = raw
	return out
}

// Annotations tell clients how to use a content block.
type Annotations struct {
	Audience     []string `json:"audience,omitempty"` // assistant, user
	LastModified string   `json:"lastModified,omitempty"`
	Priority     *float64 `json:"priority,omitempty"`
	Meta         Meta     `json:"_meta,omitempty"`
}

// ContentBlock is one piece of content (acp.md §7): TextContent, ImageContent,
// AudioContent, ResourceLink or EmbeddedResource.
type ContentBlock interface{ contentBlock() }

// TextContent is the content block "text".
type TextContent struct {
	Annotations *Annotations `json:"annotations,omitempty"`
	Text        string       `json:"text"`
	Meta        Meta         `json:"_meta,omitempty"`
}

// ImageContent is the content block "image"; Data is base64.
type ImageContent struct {
	Annotations *Annotations `json:"annotations,omitempty"`
	Data        string       `json:"data"`
	MimeType    string       `json:"mimeType"`
	URI         string       `json:"uri,omitempty"`
	Meta        Meta         `json:"_meta,omitempty"`
}

// AudioContent is the content block "audio"; Data is base64.
type AudioContent struct {
	Annotations *Annotations `json:"annotations,omitempty"`
	Data        string       `json:"data"`
	MimeType    string       `json:"mimeType"`
	Meta        Meta         `json:"_meta,omitempty"`
}

// ResourceLink is the content block "resource_link": a mention of something
// that the receiver may read.
type ResourceLink struct {
	Annotations *Annotations `json:"annotations,omitempty"`
	Description string       `json:"description,omitempty"`
	MimeType    string       `json:"mimeType,omitempty"`
	Name        string       `json:"name"`
	Size        *int64       `json:"size,omitempty"` // bytes
	Title       string       `json:"title,omitempty"`
	URI         string       `json:"uri"`
	Meta        Meta         `json:"_meta,omitempty"`
}

// EmbeddedResource is the content block "resource".
type EmbeddedResource struct {
	Annotations *Annotations     `json:"annotations,omitempty"`
	Resource    ResourceContents `json:"resource"`
	Meta        Meta             `json:"_meta,omitempty"`
}

func (TextContent) contentBlock()      {}
func (ImageContent) contentBlock()     {}
func (AudioContent) contentBlock()     {}
func (ResourceLink) contentBlock()     {}
func (EmbeddedResource) contentBlock() {}

// Text returns a text block.
func Text(text string) TextContent { return TextContent{Text: text} }

// ResourceContents is what an embedded resource holds: TextResourceContents or
// BlobResourceContents.
type ResourceContents interface{ resourceContents() }

// TextResourceContents is an embedded text.
type TextResourceContents struct {
	MimeType string `json:"mimeType,omitempty"`
	Text     string `json:"text"`
	URI      string `json:"uri"`
	Meta     Meta   `json:"_meta,omitempty"`
}

// BlobResourceContents are embedded bytes; Blob is base64.
type BlobResourceContents struct {
	Blob     string `json:"blob"`
	MimeType string `json:"mimeType,omitempty"`
	URI      string `json:"uri"`
	Meta     Meta   `json:"_meta,omitempty"`
}

func (TextResourceContents) resourceContents() {}
func (BlobResourceContents) resourceContents() {}

// MarshalJSON adds the tag "text".
func (c TextContent) MarshalJSON() ([]byte, error) {
	type fields TextContent
	return Encode(struct {
		Type string `json:"type"`
		fields
	}{"text", fields(c)})
}

// MarshalJSON adds the tag "image".
func (c ImageContent) MarshalJSON() ([]byte, error) {
	type fields ImageContent
	return Encode(struct {
		Type string `json:"type"`
		fields
	}{"image", fields(c)})
}

// MarshalJSON adds the tag "audio".
func (c AudioContent) MarshalJSON() ([]byte, error) {
	type fields AudioContent
	return Encode(struct {
		Type string `json:"type"`
		fields
	}{"audio", fields(c)})
}

// MarshalJSON adds the tag "resource_link".
func (c ResourceLink) MarshalJSON() ([]byte, error) {
	type fields ResourceLink
	return Encode(struct {
		Type string `json:"type"`
		fields
	}{"resource_link", fields(c)})
}

// MarshalJSON adds the tag "resource".
func (c EmbeddedResource) MarshalJSON() ([]byte, error) {
	type fields EmbeddedResource
	return Encode(struct {
		Type string `json:"type"`
		fields
	}{"resource", fields(c)})
}
