package agent

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/agent-ls/agent-ls/acp"
	"github.com/agent-ls/agent-ls/agent"
	"github.com/agent-ls/agent-ls/presentation"
)

// channel is how a client is shown the output of commands (contract §6).
type channel int

const (
	// fenced: text in a console fence, the tail of it while the command runs.
	fenced channel = iota
	// displayed: a terminal that the agent feeds through _meta (acp.md §12).
	displayed
	// owned: a terminal that the client runs; fenced for what it does not run.
	owned
)

// Bounds of what a fence holds, in bytes.
const (
	liveTail  = 16 << 10
	finalTail = 64 << 10
)

// endTail is how much of the end of an output is kept to find it again in the
// text of a result, in bytes.
const endTail = 1 << 10

// display is the terminal side of a card.
type display struct {
	description []acp.ToolCallContent
	// streamed says that output was shown, or is held back for the end.
	streamed bool
	// held is output not shown yet: all of it on replay, the tail for a fence.
	held    strings.Builder
	dropped int // bytes of output that held does not have any more
	// end is the end of the output so far, at most endTail bytes.
	end string
	// terminal is the client's own one, once it is attached.
	terminal string
}

// openDisplay prepares a terminal card. Where the agent feeds the terminal,
// the card embeds it, under the id of the call.
func (p *projector) openDisplay(c *card, v *presentation.TerminalCall) acp.Meta {
	if p.channel != displayed {
		return nil
	}
	c.shown.content = append(c.shown.content, acp.Terminal{TerminalID: c.id})
	info := map[string]string{"terminal_id": c.id}
	if cwd := p.terminalCwd(v.Cwd); cwd != "" {
		info["cwd"] = cwd
	}
	return acp.NewMeta("terminal_info", info)
}

// terminalCwd is the folder of a terminal: the session's when it has none.
func (p *projector) terminalCwd(cwd string) string {
	if cwd == "" {
		return p.cwd
	}
	return p.abs(cwd)
}

// output takes a piece of a command's output. A fence is shown by flush, whose
// pace is the caller's.
func (p *projector) output(e agent.ToolCallOutput) []acp.SessionUpdate {
	c := p.cards[e.CallID]
	if c == nil || c.term == nil || c.term.terminal != "" {
		return nil
	}
	c.term.streamed = c.term.streamed || p.channel == displayed
	c.term.end = lastLines(c.term.end+e.Text, endTail)
	switch {
	case p.channel != displayed:
		if !p.replay {
			c.term.keepTail(e.Text)
		}
	case p.replay:
		c.term.held.WriteString(e.Text)
	default:
		return one(acp.ToolCallUpdate{ToolCallID: c.id, Meta: terminalOutput(c.id, e.Text)})
	}
	return nil
}

// keepTail appends to the tail of a fence.
func (d *display) keepTail(text string) {
	d.held.WriteString(text)
	if d.held.Len() <= 2*liveTail {
		return
	}
	tail := lastLines(d.held.String(), liveTail)
	d.dropped += d.held.Len() - len(tail)
	d.held.Reset()
	d.held.WriteString(tail)
}

// flush shows the tail of a running command's output in its fence.
func (p *projector) flush(id string) []acp.SessionUpdate {
	c := p.cards[id]
	if c == nil || c.term == nil {
		return nil
	}
	text := fenceOf(c.term.held.String(), liveTail, c.term.dropped)
	content := append([]acp.ToolCallContent{}, c.term.description...)
	return changed(c.merge(face{content: append(content, textContent(text))}))
}

// attached embeds a terminal of the client. On replay it is long gone.
func (p *projector) attached(e agent.TerminalAttached) []acp.SessionUpdate {
	c := p.cards[e.CallID]
	if c == nil || c.term == nil || p.channel == displayed || p.replay {
		return nil
	}
	c.term.terminal = e.TerminalID
	content := append([]acp.ToolCallContent{}, c.term.description...)
	return changed(c.merge(face{content: append(content, acp.Terminal{TerminalID: e.TerminalID})}))
}

// noted puts the notes of a command below the client's terminal that shows it,
// before the card ends: then a terminal is never sent again (field report 26).
func (c *card) noted(v presentation.ResultView) []acp.SessionUpdate {
	r, ok := v.(*presentation.TerminalResult)
	if !ok || len(r.Notes) == 0 || c.term == nil || c.term.terminal == "" {
		return nil
	}
	notes := textContent(strings.Join(r.Notes, "\n"))
	return changed(c.merge(face{content: append(slices.Clone(c.shown.content), notes)}))
}

// terminalResult ends a terminal card (tools.md §3.14.17). What was streamed
// is the truth and is not sent again; a terminal is never sent as content once
// the call is over (field report 26).
func (p *projector) terminalResult(c *card, v *presentation.TerminalResult) acp.ToolCallUpdate {
	switch {
	case c.term.terminal != "":
		u := c.merge(face{title: presentation.OneLine(v.Title)})
		u.RawOutput = exitOutput(v)
		return u
	case p.channel == displayed:
		u := c.merge(face{title: presentation.OneLine(v.Title)})
		rest := v.Output
		if c.term.streamed {
			rest = c.term.held.String() + c.term.below(v.Notes)
		}
		u.Meta = terminalOutput(c.id, rest)
		if exit := terminalExit(c.id, v); exit != nil {
			u.Meta = u.Meta.With("terminal_exit", exit)
		}
		return u
	default:
		text := fenceOf(v.Output, finalTail, 0)
		return c.merge(face{title: presentation.OneLine(v.Title), content: []acp.ToolCallContent{textContent(text)}})
	}
}

// below is text that follows the output on lines of its own, "" for no lines.
func (d *display) below(lines []string) string {
	if len(lines) == 0 {
		return ""
	}
	text := strings.Join(lines, "\n") + "\n"
	if !strings.HasSuffix(d.end, "\n") {
		text = "\n" + text
	}
	return text
}

// closeDisplay ends a terminal that has shown output with a text, such as the
// error of a command that was cancelled: the text goes below the output.
func (p *projector) closeDisplay(c *card, f face) acp.ToolCallUpdate {
	text := presentation.Beyond(blockText(f.content), c.term.end)
	f.content = nil
	u := c.merge(f)
	u.Meta = terminalOutput(c.id, c.term.held.String()+c.term.below([]string{text}))
	return u
}

// closeOwned does the same for a terminal of the client, which nobody else can
// write to: the text goes beside it.
func (p *projector) closeOwned(c *card, f face) acp.ToolCallUpdate {
	text := presentation.Unfence(blockText(f.content))
	f.content = nil
	u := c.merge(f)
	u.RawOutput = rawString(text)
	return u
}

// blockText joins the text blocks of a card.
func blockText(content []acp.ToolCallContent) string {
	var texts []string
	for _, item := range content {
		if c, ok := item.(acp.Content); ok {
			if t, ok := c.Content.(acp.TextContent); ok {
				texts = append(texts, t.Text)
			}
		}
	}
	return strings.Join(texts, "\n")
}

// fenceOf is output in a fence with at most limit bytes of it, the end where it
// does not fit, and a note of how much is missing: dropped bytes went before.
func fenceOf(output string, limit, dropped int) string {
	tail := lastLines(output, limit)
	if dropped += len(output) - len(tail); dropped > 0 {
		tail = fmt.Sprintf("[%d bytes not shown]\n%s", dropped, tail)
	}
	return presentation.ConsoleFence(tail)
}

// lastLines is the end of s in at most limit bytes: whole lines where there are
// any, whole characters always.
func lastLines(s string, limit int) string {
	if len(s) <= limit {
		return s
	}
	s = s[len(s)-limit:]
	if i := strings.IndexByte(s, '\n'); i >= 0 && i < len(s)-1 {
		return s[i+1:]
	}
	for len(s) > 0 && !utf8.RuneStart(s[0]) {
		s = s[1:]
	}
	return s
}

func terminalOutput(id, data string) acp.Meta {
	return acp.NewMeta("terminal_output", map[string]string{"terminal_id": id, "data": data})
}

// terminalExit says how a command ended, nil when nobody knows. The exit code
// is read as unsigned, so a negative one becomes 128+n (acp.md §12).
func terminalExit(id string, v *presentation.TerminalResult) map[string]any {
	switch {
	case v.Signal != "":
		return map[string]any{"terminal_id": id, "signal": v.Signal}
	case v.ExitCode != nil && *v.ExitCode < 0:
		return map[string]any{"terminal_id": id, "exit_code": 128 - *v.ExitCode}
	case v.ExitCode != nil:
		return map[string]any{"terminal_id": id, "exit_code": *v.ExitCode}
	default:
		return nil
	}
}

// exitOutput is how the command of a client's terminal ended: the card has no
// text that says it.
func exitOutput(v *presentation.TerminalResult) json.RawMessage {
	exit := map[string]any{}
	switch {
	case v.Signal != "":
		exit["signal"] = v.Signal
	case v.ExitCode != nil:
		exit["exitCode"] = *v.ExitCode
	default:
		return nil
	}
	raw, err := acp.Encode(exit)
	if err != nil {
		return nil
	}
	return raw
}

// channelOf picks the channel that a client offers.
func channelOf(caps acp.ClientCapabilities) channel {
	var display bool
	if raw, ok := caps.Meta["terminal_output"]; ok && acp.Decode(raw, &display) == nil && display {
		return displayed
	}
	if caps.Terminal {
		return owned
	}
	return fenced
}
