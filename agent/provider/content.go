package provider

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
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
	var parts []string
	for _, b := range blocks {
		if t := Text(b); t != "" {
			parts = append(parts, t)
		}
	}
	return strings.Join(parts, "\n")
}

// Images returns the images among blocks.
func Images(blocks []presentation.Block) (images []presentation.Block) {
	for _, b := range blocks {
		if b.Type == presentation.BlockImage {
			images = append(images, b)
		}
	}
	return images
}

// DataURL is an image as a URL that holds it.
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
