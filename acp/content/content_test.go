package content_test

import (
	"encoding/json"
	"reflect"
	"testing"

	"github.com/agent-ls/agent-ls/acp"
	"github.com/agent-ls/agent-ls/acp/content"
	"github.com/agent-ls/agent-ls/presentation"
)

// TestBothWays: what comes from the wire goes back as it was.
func TestBothWays(t *testing.T) {
	for _, wire := range []string{
		`{"type":"text","text":"a"}`,
		`{"type":"image","data":"aGk=","mimeType":"image/png"}`,
		`{"type":"resource_link","name":"a.go","uri":"file:///w/a.go"}`,
		`{"type":"resource","resource":{"text":"x","uri":"file:///w/a.go"}}`,
		`{"type":"resource","resource":{"blob":"aGk=","uri":"file:///w/a.bin"}}`,
	} {
		var block acp.ContentBlock
		if err := acp.Decode([]byte(wire), &block); err != nil {
			t.Fatal(err)
		}
		ours, err := content.FromWire(block)
		back, ok := content.ToWire(ours)
		if err != nil || !ok || !reflect.DeepEqual(block, back) {
			raw, _ := json.Marshal(back)
			t.Errorf("%s came back as %s: %t, %v", wire, raw, ok, err)
		}
	}
}

func TestWhatHasNoBlock(t *testing.T) {
	for _, block := range []acp.ContentBlock{
		acp.AudioContent{}, acp.ImageContent{Data: "?"}, acp.EmbeddedResource{Resource: acp.BlobResourceContents{Blob: "?"}},
		acp.EmbeddedResource{},
	} {
		if b, err := content.FromWire(block); err == nil {
			t.Errorf("%+v is %+v", block, b)
		}
	}
	if b, ok := content.ToWire(presentation.Block{Type: presentation.BlockOther}); ok {
		t.Errorf("a provider's block is %+v", b)
	}
	link, _ := content.ToWire(presentation.Block{Type: presentation.BlockLink, URI: "file:///w/a.go"})
	if l, ok := link.(acp.ResourceLink); !ok || l.Name != "a.go" {
		t.Errorf("a link without a name is %+v", link)
	}
}
