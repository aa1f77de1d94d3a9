package host

import (
	"bytes"
	"encoding/json"
	"maps"
	"reflect"

	"github.com/agent-ls/agent-ls/acp"
	"github.com/agent-ls/agent-ls/presentation"
	"github.com/agent-ls/agent-ls/tools"
	"github.com/agent-ls/agent-ls/tools/proc"
	"github.com/agent-ls/agent-ls/workspace"
)

// card is one call of the agent: what it said of it so far, and what is shown.
// turn.mu guards it.
type card struct {
	id   string // ours
	said acp.ToolCallUpdate
	// diffs are the last ones that the agent showed: a completion that leaves
	// them out does not take them back (field report 1).
	diffs []acp.Diff
	view  presentation.CallView
	// command says that the card is a terminal, from its beginning on.
	command bool
	running bool
	done    bool
	// allowed says that the user, or the policy, has allowed the call.
	allowed bool
	// fresh is output that was displayed and is not shown yet, shown what of the
	// agent's text is shown, printed the end of both.
	fresh, shown string
	printed      *proc.Tail
	exit         *exitStatus
	terminal     *terminal // ours, that the card embeds
	// witnesses follow the files that the call is about to change, changed is
	// what became of them.
	witnesses []*workspace.Witness
	changed   []workspace.Saw
}

// call takes what the agent says of a call: announces it where it is new.
// t.mu is held.
func (t *turn) call(u acp.ToolCallUpdate) {
	if c := t.cardOf(u); c != nil {
		t.advance(c)
	}
}

// cardOf puts what the agent says into the card of the call, a new one where it
// is not known yet; nil for a call that is over.
func (t *turn) cardOf(u acp.ToolCallUpdate) *card {
	c := t.cards[u.ToolCallID]
	switch {
	case c == nil:
		t.endMessage()
		c = &card{id: t.feed.NewCallID()}
		t.cards[u.ToolCallID] = c
		c.merge(u)
		t.announce(c)
	case c.done:
		return nil
	default:
		c.merge(u)
	}
	t.follow(c)
	return c
}

// merge puts an update into what was said (acp.md §8). The raw values are
// copied: those of a message are valid while it is handled.
func (c *card) merge(u acp.ToolCallUpdate) {
	said := &c.said
	said.ToolCallID = u.ToolCallID
	said.Kind, said.Status = orElse(u.Kind, said.Kind), orElse(u.Status, said.Status)
	said.Title, said.Name = orElse(u.Title, said.Title), orElse(u.Name, said.Name)
	if u.Content != nil {
		said.Content = u.Content
		if diffs := diffsOf(u.Content); len(diffs) > 0 {
			c.diffs = diffs
		}
	}
	if u.Locations != nil {
		said.Locations = u.Locations
	}
	if u.RawInput != nil {
		said.RawInput = bytes.Clone(u.RawInput)
	}
	if u.RawOutput != nil {
		said.RawOutput = bytes.Clone(u.RawOutput)
	}
	c.takeDisplay(u.Meta)
	if len(u.Meta) > 0 {
		meta := maps.Clone(said.Meta)
		if meta == nil {
			meta = acp.Meta{}
		}
		for name, value := range u.Meta {
			meta[name] = bytes.Clone(value)
		}
		said.Meta = meta
	}
}

// orElse returns a unless it is empty, else b.
func orElse[T ~string](a, b T) T {
	if a != "" {
		return a
	}
	return b
}

// announce starts the call in the session.
func (t *turn) announce(c *card) {
	_, terminal := c.said.Meta["terminal_info"]
	c.command = terminal || c.said.Kind == acp.KindExecute || len(terminalsOf(c.said.Content)) > 0
	c.view = t.callView(c)
	c.running = c.said.Status == acp.StatusInProgress
	t.feed.Start(tools.Call{ID: c.id, Name: t.link.toolName(c), Arguments: string(c.said.RawInput)}, c.view, !c.running)
}

// advance shows what has changed of a call, and ends it where it is over.
func (t *turn) advance(c *card) {
	t.output(c)
	if c.said.Status == acp.StatusCompleted || c.said.Status == acp.StatusFailed {
		t.finish(c)
		return
	}
	if view := t.callView(c); !reflect.DeepEqual(view, c.view) {
		c.view = view
		t.feed.Plan(c.id, view)
	}
	if c.said.Status == acp.StatusInProgress && !c.running {
		c.running = true
		t.feed.Running(c.id)
	}
}

// finish settles a call.
func (t *turn) finish(c *card) {
	c.done = true
	c.settle(t)
	if !c.running { // every card that completes has run
		t.feed.Running(c.id)
	}
	result, view := t.result(c)
	if view := t.finalCall(c); view != nil {
		t.feed.Plan(c.id, view)
	}
	t.feed.Finish(c.id, result, view)
}

// finalCall is the card of a call as it is called in the end, nil when it was
// shown so already; a terminal's title is the command that ran.
func (t *turn) finalCall(c *card) presentation.CallView {
	if !c.command {
		return nil
	}
	view := t.callView(c)
	if reflect.DeepEqual(view, c.view) {
		return nil
	}
	return view
}

// result is how a call ended.
func (t *turn) result(c *card) (tools.Result, presentation.ResultView) {
	failed := c.said.Status == acp.StatusFailed
	result := tools.Result{Content: t.resultBlocks(c), IsError: failed}
	switch {
	case c.command:
		return result, t.terminalResult(c)
	case failed:
		return result, &presentation.GenericResult{}
	}
	if diffs := t.finalDiffs(c); len(diffs) > 0 {
		kept, omitted := presentation.Bound(diffs, presentation.DiffLimit)
		view := &presentation.DiffResult{Title: t.title(c), Kind: diffKind(c), Diffs: kept, Omitted: omitted, Locations: t.locations(c)}
		if len(c.changed) > 0 || len(view.Locations) == 0 || view.Locations[0].Line == 0 {
			view.Locations = presentation.Locations(kept) // where the lines are that changed
		}
		return result, view
	}
	return result, &presentation.GenericResult{Title: t.title(c), Locations: t.locations(c)}
}

// resultBlocks is what a finished call shows, but for diffs and terminals.
func (t *turn) resultBlocks(c *card) []presentation.Block {
	if blocks := cardBlocks(c.said.Content); len(blocks) > 0 {
		return blocks
	}
	if c.terminal != nil {
		if text := c.terminal.text(); text != "" {
			return []presentation.Block{presentation.Text(text)}
		}
	}
	if text := rawText(c.said.RawOutput); text != "" {
		return []presentation.Block{presentation.Text(text)}
	}
	return nil
}

// rawText is the text in a raw output: itself, or its member output.
func rawText(raw json.RawMessage) string {
	var text string
	if json.Unmarshal(raw, &text) == nil {
		return text
	}
	var members struct {
		Output  string `json:"output,omitempty"`
		Message string `json:"message,omitempty"`
	}
	if len(raw) == 0 || acp.Decode(raw, &members) != nil {
		return ""
	}
	return orElse(members.Output, members.Message)
}
