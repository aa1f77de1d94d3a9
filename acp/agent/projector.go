package agent

import (
	"time"

	"github.com/agent-ls/agent-ls/acp"
	"github.com/agent-ls/agent-ls/acp/content"
	"github.com/agent-ls/agent-ls/agent"
	"github.com/agent-ls/agent-ls/presentation"
)

// projector turns the records of a session into session updates, live and on
// replay alike (tools.md §3.14.8–17, Appendix A.2). It keeps what the client
// was told of each open card, so that updates hold differences alone. It sends
// nothing and knows no time; not safe for concurrent use.
type projector struct {
	painter
	channel channel
	// notices says that the client shows notices, compaction that it shows
	// compactions.
	notices, compaction bool
	// replay holds back what came bit by bit, and shows prompts.
	replay bool

	cards map[string]*card
	// settled are the ids of finished calls: their cards are known to the
	// client, but no longer here.
	settled map[string]bool
	turn    bool // a turn runs
}

// card is what the client was told of one open call.
type card struct {
	id     string
	shown  face
	status acp.ToolCallStatus
	// call is the view it was announced or planned with.
	call presentation.CallView
	term *display // of a terminal card
}

func newProjector(p painter, ch channel, notices, replay bool) *projector {
	return &projector{
		painter: p, channel: ch, notices: notices, replay: replay,
		cards: map[string]*card{}, settled: map[string]bool{},
	}
}

// project returns the updates of one record, in order.
func (p *projector) project(r agent.Record) []acp.SessionUpdate {
	switch e := r.Event.(type) {
	case agent.TurnStarted:
		p.turn = true
	case agent.TurnEnded:
		p.turn = false
	case agent.UserMessage:
		if p.replay {
			return userMessage(e)
		}
	case agent.AgentText:
		return one(acp.AgentMessageChunk{ContentChunk: chunk(e.Text, e.MessageID)})
	case agent.AgentThought:
		return one(acp.AgentThoughtChunk{ContentChunk: chunk(e.Text, e.MessageID)})
	case agent.PlanChanged:
		return one(plan(e))
	case agent.TitleChanged:
		at := timestamp(r.Time)
		return one(acp.SessionInfoUpdate{Title: &e.Title, UpdatedAt: &at})
	case agent.UsageChanged:
		return usage(e)
	case agent.CompactionChanged:
		return p.compacted(e)
	case agent.Notice:
		return p.notice(e)
	default:
		return p.projectCall(e)
	}
	return nil
}

// projectCall does the same for the records of calls.
func (p *projector) projectCall(e agent.Event) []acp.SessionUpdate {
	switch e := e.(type) {
	case agent.ToolCallStarted:
		return one(p.started(e))
	case agent.ToolCallPlanned:
		return p.planned(e)
	case agent.ToolCallRunning:
		return p.running(e.CallID)
	case agent.ToolCallOutput:
		return p.output(e)
	case agent.ToolCallProgress:
		return p.progress(e)
	case agent.TerminalAttached:
		return p.attached(e)
	case agent.ToolCallFinished:
		return p.finished(e)
	}
	return nil
}

func one(u acp.SessionUpdate) []acp.SessionUpdate { return []acp.SessionUpdate{u} }

// changed is u as a list, empty when it says nothing.
func changed(u acp.ToolCallUpdate) []acp.SessionUpdate {
	if empty(u) {
		return nil
	}
	return one(u)
}

func (p *projector) started(e agent.ToolCallStarted) acp.ToolCall {
	c := &card{id: e.CallID, status: acp.StatusInProgress, call: e.View}
	if e.MayAsk {
		c.status = acp.StatusPending
	}
	c.shown = p.call(e.Name, e.Arguments, e.View)
	u := acp.ToolCall{ToolCallID: c.id, Name: e.Name, Status: c.status}
	if v, ok := e.View.(*presentation.TerminalCall); ok {
		c.term = &display{description: description(v)}
		u.Meta = p.openDisplay(c, v)
	}
	u.Title, u.Kind, u.RawInput = c.shown.title, c.shown.kind, c.shown.rawInput
	u.Content, u.Locations = c.shown.content, c.shown.locations
	p.cards[c.id] = c
	return u
}

// planned replaces the pending card by what a dry run found.
func (p *projector) planned(e agent.ToolCallPlanned) []acp.SessionUpdate {
	c := p.cards[e.CallID]
	if c == nil || e.View == nil {
		return nil
	}
	c.call = e.View
	f := p.call("", "", e.View)
	switch {
	case c.term != nil: // what it embeds stays
		f.content = nil
	case f.content == nil:
		f.content = []acp.ToolCallContent{}
	}
	return changed(c.merge(f))
}

func (p *projector) running(id string) []acp.SessionUpdate {
	c := p.cards[id]
	if c == nil || p.replay || c.status == acp.StatusInProgress {
		return nil
	}
	c.status = acp.StatusInProgress
	return one(acp.ToolCallUpdate{ToolCallID: id, Status: c.status})
}

func (p *projector) progress(e agent.ToolCallProgress) []acp.SessionUpdate {
	c := p.cards[e.CallID]
	if c == nil || c.term != nil || p.replay {
		return nil
	}
	return changed(c.merge(face{content: cardContent(e.Content)}))
}

// finished settles a card. A call that was never announced, which only a
// damaged log can hold, is announced first.
func (p *projector) finished(e agent.ToolCallFinished) []acp.SessionUpdate {
	c := p.cards[e.CallID]
	delete(p.cards, e.CallID)
	status := acp.StatusCompleted
	if e.Result.IsError {
		status = acp.StatusFailed
	}
	if c == nil {
		return p.orphan(e, status)
	}
	p.settled[c.id] = true
	out := c.noted(e.View)
	u := p.result(c, e)
	u.Status = status
	return append(out, u)
}

func (p *projector) orphan(e agent.ToolCallFinished, status acp.ToolCallStatus) []acp.SessionUpdate {
	var out []acp.SessionUpdate
	if !p.settled[e.CallID] {
		p.settled[e.CallID] = true
		out = one(acp.ToolCall{ToolCallID: e.CallID, Title: "tool call", Kind: acp.KindOther})
	}
	return append(out, acp.ToolCallUpdate{ToolCallID: e.CallID, Status: status, Content: rawContent(e)})
}

// result is what a finished card shows, without its status.
func (p *projector) result(c *card, e agent.ToolCallFinished) acp.ToolCallUpdate {
	switch v := e.View.(type) {
	case *presentation.GenericResult:
		f := p.generic(v)
		if f.content = cardContent(v.Content); v.Content == nil {
			f.content = rawContent(e)
		}
		return p.settle(c, f, e.Result.IsError)
	case *presentation.DiffResult:
		if !e.Result.IsError { // a failed edit has no diff to show
			return c.merge(p.diff(v))
		}
	case *presentation.TerminalResult:
		if c.term != nil { // else an orphan: it has no terminal to show
			return p.terminalResult(c, v)
		}
	}
	return p.settle(c, face{content: rawContent(e)}, e.Result.IsError)
}

// settle ends a card with content. A failed one never keeps what it announced.
func (p *projector) settle(c *card, f face, failed bool) acp.ToolCallUpdate {
	if failed && len(f.content) == 0 {
		f.content = []acp.ToolCallContent{textContent("The call failed.")}
	}
	switch {
	case c.term != nil && c.term.terminal != "":
		return p.closeOwned(c, f)
	case c.term != nil && c.term.streamed:
		return p.closeDisplay(c, f)
	default:
		return c.merge(f)
	}
}

// rawContent is the result as the model got it; nil for none.
func rawContent(e agent.ToolCallFinished) []acp.ToolCallContent {
	return cardContent(e.Result.Content)
}

func userMessage(e agent.UserMessage) []acp.SessionUpdate {
	var out []acp.SessionUpdate
	for _, b := range e.Blocks {
		if c, ok := content.ToWire(b); ok {
			out = append(out, acp.UserMessageChunk{ContentChunk: acp.ContentChunk{Content: c, MessageID: e.MessageID}})
		}
	}
	return out
}

// timestamp is a time as ACP has it (ISO 8601).
func timestamp(t time.Time) string { return t.UTC().Format(time.RFC3339) }

func chunk(text, messageID string) acp.ContentChunk {
	return acp.ContentChunk{Content: acp.Text(text), MessageID: messageID}
}

func plan(e agent.PlanChanged) acp.Plan {
	entries := make([]acp.PlanEntry, len(e.Entries))
	for i, entry := range e.Entries {
		entries[i] = acp.PlanEntry{
			Content: entry.Content, Priority: first(entry.Priority, "medium"), Status: first(entry.Status, "pending"),
		}
	}
	return acp.Plan{Entries: entries}
}

// usage is nothing where the model's size is unknown: a zero would be a lie.
func usage(e agent.UsageChanged) []acp.SessionUpdate {
	if e.Size <= 0 || e.Used < 0 {
		return nil
	}
	u := acp.UsageUpdate{Used: uint64(e.Used), Size: uint64(e.Size)}
	if e.Currency != "" {
		u.Cost = &acp.Cost{Amount: e.Cost, Currency: e.Currency}
	}
	return one(u)
}

// notice shows a notice; they are not replayed (acp.md §4). A client that has
// none gets warnings and errors as text, while a turn runs: there is no other
// place where it may come.
func (p *projector) notice(e agent.Notice) []acp.SessionUpdate {
	switch {
	case p.replay:
		return nil
	case p.notices:
		return one(acp.Notice{Severity: e.Severity, Title: acp.OneLine(e.Title), Description: e.Text})
	case p.turn && e.Severity != "info":
		return one(noticeText(e))
	default:
		return nil
	}
}

// noticeText is a notice as a message of the agent.
func noticeText(e agent.Notice) acp.SessionUpdate {
	text := e.Title
	if e.Text != "" {
		text += ": " + e.Text
	}
	return acp.AgentMessageChunk{ContentChunk: chunk(text+"\n", "")}
}
