package host

import (
	"github.com/agent-ls/agent-ls/acp"
	"github.com/agent-ls/agent-ls/acp/content"
	"github.com/agent-ls/agent-ls/agent"
	"github.com/agent-ls/agent-ls/presentation"
)

// update takes a session update of the agent. What belongs to no turn, such as
// the end of one that was left behind, is not shown.
func (l *link) update(n acp.SessionNotification) {
	l.mu.Lock()
	t, skip := l.turn, l.silent || l.session != "" && n.SessionID != l.session
	l.mu.Unlock()
	if skip || l.d.settings.update(l.d.session, n.Update) || t == nil {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if !t.over {
		t.take(n.Update)
	}
}

// take makes the records of an update; t.mu is held.
func (t *turn) take(u acp.SessionUpdate) {
	if message, ok := u.(acp.UserMessageChunk); ok {
		t.userMessage(message)
		return
	}
	t.endUserMessage()
	switch u := u.(type) {
	case acp.AgentMessageChunk:
		t.writer(u.MessageID).Text(chunkText(u.Content))
	case acp.AgentThoughtChunk:
		t.writer(u.MessageID).Thought(chunkText(u.Content))
	case acp.ToolCall:
		t.call(asUpdate(u))
	case acp.ToolCallUpdate:
		t.call(u)
	case acp.Plan:
		t.endMessage()
		t.turn.Record(agent.PlanChanged{Entries: planEntries(u.Entries)})
	case acp.UsageUpdate:
		t.turn.Record(usage(u))
	case acp.SessionInfoUpdate:
		if u.Title != nil && *u.Title != "" {
			t.turn.Record(agent.TitleChanged{Title: acp.OneLine(*u.Title)})
		}
	case acp.Notice:
		t.endMessage()
		t.turn.Record(agent.Notice{Severity: u.Severity, Title: u.Title, Text: u.Description})
	case acp.CompactionUpdate:
		t.compaction(u)
	}
}

// userMessage takes a piece of a message of the user; live, it is one that the
// session has already.
func (t *turn) userMessage(u acp.UserMessageChunk) {
	if !t.past {
		return
	}
	if u.MessageID != t.told {
		t.endUserMessage()
	}
	b, err := content.FromWire(u.Content)
	if err != nil {
		b = presentation.Text("[" + err.Error() + "]")
	}
	t.told = u.MessageID
	if n := len(t.user); n > 0 && b.Type == presentation.BlockText && t.user[n-1].Type == b.Type {
		t.user[n-1].Text += b.Text
		return
	}
	t.user = append(t.user, b)
}

// endUserMessage records the message of the user that was told.
func (t *turn) endUserMessage() {
	if len(t.user) > 0 {
		t.endMessage()
		t.turn.UserMessage(t.user)
		t.user = nil
	}
}

// writer returns the writer of the message with an id of the wire; without one a
// message goes on until something else comes.
func (t *turn) writer(id string) *agent.MessageWriter {
	if t.message == nil || id != t.wrote {
		t.endMessage()
		t.message, t.wrote = t.turn.NewMessage(), id
	}
	return t.message
}

// endMessage ends the message that is being written: what follows stands below
// it.
func (t *turn) endMessage() {
	if t.message != nil {
		t.message.End()
		t.message = nil
	}
}

// end ends what the turn has open; from now on nothing is recorded.
func (t *turn) end() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.over = true
	t.endUserMessage()
	t.endMessage()
	for _, c := range t.cards {
		c.settle(t)
	}
}

// compaction tells of the agent's compacting, as far as a user needs to know.
func (t *turn) compaction(u acp.CompactionUpdate) {
	switch u.Status {
	case "completed":
		t.turn.Record(agent.Notice{Severity: "info", Title: t.link.d.config.Name + " has compacted the conversation"})
	case "failed":
		t.turn.Record(agent.Notice{Severity: "warning", Title: t.link.d.config.Name + " could not compact the conversation", Text: u.Error})
	}
}

// chunkText is a piece of a message as text; what is none is named.
func chunkText(block acp.ContentBlock) string {
	b, err := content.FromWire(block)
	switch {
	case err != nil:
		return "[" + err.Error() + "]"
	case b.Type == presentation.BlockText:
		return b.Text
	case b.Type == presentation.BlockLink:
		return "[" + b.Name + "](" + b.URI + ")"
	default:
		return "[" + string(b.Type) + " " + b.MIMEType + "]"
	}
}

func planEntries(in []acp.PlanEntry) []presentation.PlanEntry {
	out := make([]presentation.PlanEntry, len(in))
	for i, e := range in {
		out[i] = presentation.PlanEntry{Content: e.Content, Priority: e.Priority, Status: e.Status}
	}
	return out
}

func usage(u acp.UsageUpdate) agent.UsageChanged {
	e := agent.UsageChanged{Used: int64(u.Used), Size: int64(u.Size)}
	if u.Cost != nil {
		e.Cost, e.Currency = u.Cost.Amount, u.Cost.Currency
	}
	return e
}

// asUpdate is the announcement of a call as the update that says the same.
func asUpdate(c acp.ToolCall) acp.ToolCallUpdate {
	return acp.ToolCallUpdate{
		ToolCallID: c.ToolCallID, Kind: c.Kind, Status: c.Status, Title: c.Title, Name: c.Name,
		Content: c.Content, Locations: c.Locations, RawInput: c.RawInput, RawOutput: c.RawOutput, Meta: c.Meta,
	}
}
