package provider

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/url"
	"path"
	"slices"
	"strings"

	"github.com/agent-ls/agent-ls/agent"
	"github.com/agent-ls/agent-ls/presentation"
)

// Text returns what a model reads of a block that is no image; "" for nothing.
func Text(b presentation.Block) string {
	switch b.Type {
	case presentation.BlockText:
		return b.Text
	case presentation.BlockLink:
		return fmt.Sprintf("[%s](%s)", b.Name, b.URI)
	case presentation.BlockResource:
		if b.Text == "" && len(b.Data) > 0 {
			return fmt.Sprintf("[%s: %d bytes of %s, not shown]", b.URI, len(b.Data), b.MIMEType)
		}
		return fmt.Sprintf("<file uri=%q>\n%s\n</file>", b.URI, b.Text)
	case presentation.BlockDocument:
		return fmt.Sprintf("[document %s: %d bytes of %s, not shown]", b.Name, len(b.Data), b.MIMEType)
	}
	return ""
}

// JoinText joins the texts of blocks, images left out.
func JoinText(blocks []presentation.Block) string {
	text, _ := Split(blocks, false)
	return text
}

// Split parts blocks into what a model reads, joined, and what its server reads
// itself, see Media.
func Split(blocks []presentation.Block, documents bool) (text string, media []presentation.Block) {
	var parts []string
	for _, b := range blocks {
		if m, ok := Media(b, documents); ok {
			media = append(media, m)
		} else if t := Text(b); t != "" {
			parts = append(parts, t)
		}
	}
	return strings.Join(parts, "\n"), media
}

// typePDF is the only type of documents that servers take as bytes; imageTypes are
// those of images.
const typePDF = "application/pdf"

var imageTypes = []string{"image/png", "image/jpeg", "image/gif", "image/webp"}

// Media returns what of a block a server reads itself: an image, or, where it
// takes documents, a PDF with a name; both may come as embedded resources.
func Media(b presentation.Block, documents bool) (media presentation.Block, ok bool) {
	kind, _, _ := strings.Cut(strings.ToLower(b.MIMEType), ";")
	switch {
	case b.Type == presentation.BlockImage:
		return b, true
	case len(b.Data) == 0 || b.Type != presentation.BlockResource && b.Type != presentation.BlockDocument:
		return b, false
	case slices.Contains(imageTypes, kind):
		return presentation.Image(b.Data, kind), true
	case kind == typePDF && documents:
		return presentation.Block{Type: presentation.BlockDocument, Data: b.Data, MIMEType: typePDF, Name: documentName(b)}, true
	}
	return b, false
}

// documentName is the name of a document, which servers want.
func documentName(b presentation.Block) string {
	name := b.Name
	if u, err := url.Parse(b.URI); name == "" && err == nil {
		name = path.Base(u.Path)
	}
	if name == "" || name == "." || name == "/" {
		return "document.pdf"
	}
	return name
}

// DataURL is an image or a document as a URL that holds it.
func DataURL(b presentation.Block) string {
	return "data:" + b.MIMEType + ";base64," + base64.StdEncoding.EncodeToString(b.Data)
}

// Opaque returns the payload of a block that this model of a server of this
// kind gave; no other one can use it.
func Opaque(b presentation.Block, provider, model string) (json.RawMessage, bool) {
	if b.Type != presentation.BlockOther || b.Provider != provider || b.Kind != model {
		return nil, false
	}
	return b.Payload, true
}

// Note is what a message that nobody typed says to the model.
func Note(m agent.Message) string {
	return fmt.Sprintf("<note from=%q>\n%s\n</note>", m.Name, JoinText(m.Blocks))
}

// Arguments returns arguments as servers take them back, a JSON object: what a
// model wrote that is none is put into one (tools.md §1.4.5).
func Arguments(raw string) json.RawMessage {
	text := strings.TrimSpace(raw)
	switch {
	case text == "":
		return json.RawMessage("{}")
	case text[0] == '{' && json.Valid([]byte(text)):
		return json.RawMessage(text)
	}
	wrapped, err := json.Marshal(map[string]string{"_raw": raw})
	if err != nil {
		return json.RawMessage("{}")
	}
	return wrapped
}
