package host

import (
	"encoding/json"
	"strings"

	"github.com/agent-ls/agent-ls/acp"
	"github.com/agent-ls/agent-ls/presentation"
	"github.com/agent-ls/agent-ls/tools/proc"
)

// maxOutput is how much of a command's output its finished card holds, in bytes;
// all of it was shown while it ran.
const maxOutput = 256 << 10

// exitStatus is how a command ended.
type exitStatus struct {
	Code   *int   `json:"exit_code,omitempty"`
	Signal string `json:"signal,omitempty"`
}

// takeDisplay takes what the agent displays in a terminal of its own (acp.md
// §12) out of the _meta of an update: it is said once, not a state.
func (c *card) takeDisplay(meta acp.Meta) {
	var piece struct {
		Data string `json:"data,omitempty"`
	}
	if raw, ok := meta["terminal_output"]; ok && acp.Decode(raw, &piece) == nil {
		c.fresh += piece.Data
	}
	if raw, ok := meta["terminal_exit"]; ok {
		c.exit = &exitStatus{}
		_ = acp.Decode(raw, c.exit) // what is no status says nothing
	}
}

// output shows what is new of a command's output: what the agent displays, what
// its text has more than before, and what a terminal of ours prints.
func (t *turn) output(c *card) {
	if !c.command {
		c.fresh = ""
		return
	}
	c.print(t, c.fresh)
	c.fresh = ""
	if text := c.outputText(); len(text) > len(c.shown) && strings.HasPrefix(text, c.shown) {
		c.print(t, text[len(c.shown):])
		c.shown = text
	}
	if c.terminal != nil {
		return
	}
	for _, id := range terminalsOf(c.said.Content) {
		if own := t.link.terminals.get(id); own != nil {
			c.terminal = own
			own.showIn(c.id, t.feed)
			return
		}
	}
}

// print shows a piece of output.
func (c *card) print(t *turn, text string) {
	if text == "" {
		return
	}
	if c.printed == nil {
		c.printed = proc.NewTail(maxOutput)
	}
	c.printed.Add(text)
	t.feed.Output(c.id, text)
}

// outputText is the text that an agent shows on the card of a command, without
// the fence that agents put around it. It counts as output while the call goes
// well: else it says why it did not.
func (c *card) outputText() string {
	if c.said.Status == acp.StatusFailed && c.shown == "" {
		return ""
	}
	var b strings.Builder
	for _, block := range cardBlocks(c.said.Content) {
		if block.Type == presentation.BlockText {
			b.WriteString(unfenced(block.Text))
		}
	}
	return b.String()
}

// unfenced is what stands in a fence of Markdown, text itself when it is none.
func unfenced(text string) string {
	fence := text[:len(text)-len(strings.TrimLeft(text, "`"))]
	if len(fence) < 3 {
		return text
	}
	_, inside, ok := strings.Cut(text, "\n")
	inside, closed := strings.CutSuffix(strings.TrimRight(inside, "\n"), fence)
	if !ok || !closed {
		return text
	}
	return inside
}

// terminalResult is the end of a command's card. One that failed without having
// run has no terminal to show, but a reason.
func (t *turn) terminalResult(c *card) presentation.ResultView {
	v := &presentation.TerminalResult{}
	exit := t.exitOf(c)
	if c.printed != nil {
		v.Output = c.printed.String()
	}
	if c.terminal != nil {
		v.Output = c.terminal.text()
	}
	if c.said.Status == acp.StatusFailed && exit == nil && v.Output == "" {
		return &presentation.GenericResult{}
	}
	if exit != nil {
		v.ExitCode, v.Signal = exit.Code, exit.Signal
	}
	return v
}

// exitOf is how the command of a call ended, nil when nobody says: what the
// agent displayed, what our terminal knows, what the raw output has.
func (t *turn) exitOf(c *card) *exitStatus {
	if c.exit != nil && (c.exit.Code != nil || c.exit.Signal != "") {
		return c.exit
	}
	if c.terminal != nil {
		if exit := c.terminal.status(); exit != nil {
			return exit
		}
	}
	place := t.link.quirks().ExitCode
	var code *int
	if len(place) > 0 && json.Unmarshal(member(c.said.RawOutput, place), &code) == nil && code != nil {
		return &exitStatus{Code: code}
	}
	return nil
}
