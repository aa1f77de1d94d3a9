package cache

import (
	"strings"

	"github.com/agent-ls/agent-ls/presentation"
)

// Project returns the text that stands for blocks in the store: text as it
// is, everything else as a placeholder, joined without separators (tools.md
// §1.5.3).
func Project(blocks []presentation.Block) string {
	if len(blocks) == 1 && blocks[0].Type == presentation.BlockText {
		return blocks[0].Text
	}
	var b strings.Builder
	for _, block := range blocks {
		switch block.Type {
		case presentation.BlockText:
			b.WriteString(block.Text)
		case presentation.BlockImage:
			b.WriteString("[image]")
		case presentation.BlockDocument:
			b.WriteString("[document]")
		case presentation.BlockOther:
			b.WriteString("[other:" + block.Provider + "/" + block.Kind + "]")
		default:
			b.WriteString("[content]")
		}
	}
	return b.String()
}

// allText says whether blocks hold nothing but text.
func allText(blocks []presentation.Block) bool {
	for _, b := range blocks {
		if b.Type != presentation.BlockText {
			return false
		}
	}
	return true
}
