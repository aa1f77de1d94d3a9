package agent

import (
	"github.com/agent-ls/agent-ls/acp"
	"github.com/agent-ls/agent-ls/acp/content"
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
		b, err := content.FromWire(block)
		if err != nil {
			return nil, acp.InvalidParams("prompt[%d]: %v", i, err)
		}
		out[i] = b
	}
	return out, nil
}

// cardContent wraps blocks for a card; nil for none.
func cardContent(blocks []presentation.Block) []acp.ToolCallContent {
	var out []acp.ToolCallContent
	for _, b := range blocks {
		if c, ok := content.ToWire(b); ok {
			out = append(out, acp.Content{Content: c})
		}
	}
	return out
}

// textContent is one text block on a card.
func textContent(text string) acp.ToolCallContent { return acp.Content{Content: acp.Text(text)} }
