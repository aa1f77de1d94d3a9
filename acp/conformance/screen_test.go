package conformance

import (
	"encoding/json"
	"slices"

	"github.com/agent-ls/agent-ls/acp"
)

// Roles of messages.
const (
	roleUser    = "user"
	roleAgent   = "agent"
	roleThought = "thought"
)

// screen is what a client shows of one session (acp.md §6, §8).
type screen struct {
	cards    []*card
	messages []*said
	// timeline names the messages by role and the cards by id, in the order of
	// their first appearance.
	timeline []string
	plan     []acp.PlanEntry
	mode     string
	commands []acp.AvailableCommand
	options  []acp.SessionConfigOption
	title    string
	usage    []acp.UsageUpdate
	notices  []acp.Notice
	known    bool // the client may be told of the session
	busy     int  // prompts and loads that are not answered
	// turns is how many prompts have been answered since the session was
	// opened.
	turns int
}

// said is one message: neighbouring chunks of one role.
type said struct {
	role, id, text string
	blocks         []acp.ContentBlock
}

// card is one tool call as it is shown. What is absent in an update stays;
// content and locations replace the list.
type card struct {
	id, name, title string
	kind            acp.ToolKind
	status          acp.ToolCallStatus
	content         []acp.ToolCallContent
	locations       []acp.ToolCallLocation
	rawInput        string
	rawOutput       string
	term            *display
	announced       acp.ToolCall
	// history are the updates, by their places on the wire.
	history []moment
}

// moment is one update of a card.
type moment struct {
	place  int
	update acp.ToolCallUpdate
}

// display is a terminal that the agent feeds (acp.md §12).
type display struct {
	id, cwd string
	output  string
	exit    string // JSON; "" until the end
}

func (k card) over() bool { return k.status == acp.StatusCompleted || k.status == acp.StatusFailed }

// text is all text on the card, whichever channel carries it.
func (k card) text() string {
	text := textOf(k.content)
	if k.term != nil {
		text += k.term.output
	}
	return text
}

// diffs are the diffs on the card.
func (k card) diffs() []acp.Diff {
	var out []acp.Diff
	for _, item := range k.content {
		if d, ok := item.(acp.Diff); ok {
			out = append(out, d)
		}
	}
	return out
}

// embeds are the ids of the terminals in a card's content.
func embeds(content []acp.ToolCallContent) []string {
	var out []string
	for _, item := range content {
		if t, ok := item.(acp.Terminal); ok {
			out = append(out, t.TerminalID)
		}
	}
	return out
}

// endsAt is the place on the wire of the update that ended the card, −1 while
// it is open.
func (k card) endsAt() int {
	for _, m := range k.history {
		if m.update.Status == acp.StatusCompleted || m.update.Status == acp.StatusFailed {
			return m.place
		}
	}
	return -1
}

// facts are what a person would compare between two showings of a card.
func (k card) facts() string {
	facts := map[string]any{
		"id": k.id, "name": k.name, "title": k.title, "kind": k.kind, "status": k.status,
		"content": acp.List[acp.ToolCallContent](k.content), "locations": acp.List[acp.ToolCallLocation](k.locations),
		"input": k.rawInput,
	}
	if k.term != nil {
		facts["terminal"] = []string{k.term.cwd, k.term.output, k.term.exit}
	}
	return encode(facts)
}

// screen returns the state of a session; mu is held.
func (c *client) screen(session string) *screen {
	if c.screens[session] == nil {
		c.screens[session] = &screen{}
	}
	return c.screens[session]
}

func (s *screen) card(id string) *card {
	for _, k := range s.cards {
		if k.id == id {
			return k
		}
	}
	return nil
}

// copyCards returns the cards as they are now.
func (s *screen) copyCards() []card {
	out := make([]card, len(s.cards))
	for i, k := range s.cards {
		out[i] = *k
		out[i].history = slices.Clone(k.history)
		if k.term != nil {
			term := *k.term
			out[i].term = &term
		}
	}
	return out
}

// fold takes an update at a place of the wire.
func (s *screen) fold(u acp.SessionUpdate, place int) {
	switch u := u.(type) {
	case acp.UserMessageChunk:
		s.say(roleUser, u.ContentChunk)
	case acp.AgentMessageChunk:
		s.say(roleAgent, u.ContentChunk)
	case acp.AgentThoughtChunk:
		s.say(roleThought, u.ContentChunk)
	case acp.ToolCall:
		s.announce(u)
	case acp.ToolCallUpdate:
		if k := s.card(u.ToolCallID); k != nil {
			k.update(u, place)
		}
	case acp.Plan:
		s.plan = u.Entries
	case acp.AvailableCommandsUpdate:
		s.commands = u.AvailableCommands
	case acp.CurrentModeUpdate:
		s.mode = u.CurrentModeID
	case acp.ConfigOptionUpdate:
		s.options = u.ConfigOptions
	case acp.SessionInfoUpdate:
		if u.Title != nil {
			s.title = *u.Title
		}
	case acp.UsageUpdate:
		s.usage = append(s.usage, u)
	case acp.Notice:
		s.notices = append(s.notices, u)
	}
}

// say appends a chunk to the last message where it belongs to that.
func (s *screen) say(role string, c acp.ContentChunk) {
	var m *said
	if n := len(s.messages); n > 0 && s.timeline[len(s.timeline)-1] == role && s.messages[n-1].id == c.MessageID {
		m = s.messages[n-1]
	} else {
		m = &said{role: role, id: c.MessageID}
		s.messages = append(s.messages, m)
		s.timeline = append(s.timeline, role)
	}
	m.blocks = append(m.blocks, c.Content)
	if t, ok := c.Content.(acp.TextContent); ok {
		m.text += t.Text
	}
}

func (s *screen) announce(u acp.ToolCall) {
	k := &card{
		id: u.ToolCallID, name: u.Name, title: u.Title, kind: u.Kind, status: u.Status,
		content: u.Content, locations: u.Locations, rawInput: string(u.RawInput), rawOutput: string(u.RawOutput), announced: u,
	}
	if k.kind == "" {
		k.kind = acp.KindOther
	}
	if k.status == "" {
		k.status = acp.StatusPending
	}
	if raw, ok := u.Meta["terminal_info"]; ok {
		var info struct {
			ID  string `json:"terminal_id"`
			Cwd string `json:"cwd"`
		}
		if json.Unmarshal(raw, &info) == nil {
			k.term = &display{id: info.ID, cwd: info.Cwd}
		}
	}
	s.cards = append(s.cards, k)
	s.timeline = append(s.timeline, k.id)
}

func (k *card) update(u acp.ToolCallUpdate, place int) {
	k.history = append(k.history, moment{place, u})
	replace(&k.title, u.Title)
	replace(&k.kind, u.Kind)
	replace(&k.status, u.Status)
	replace(&k.name, u.Name)
	replace(&k.rawInput, string(u.RawInput))
	replace(&k.rawOutput, string(u.RawOutput))
	if u.Content != nil {
		k.content = u.Content
	}
	if u.Locations != nil {
		k.locations = u.Locations
	}
	if k.term == nil {
		return
	}
	if data, ok := outputOf(u); ok {
		k.term.output += data
	}
	if raw, ok := u.Meta["terminal_exit"]; ok {
		k.term.exit = string(raw)
	}
}

// replace sets what an update has.
func replace[T ~string](old *T, v T) {
	if v != "" {
		*old = v
	}
}
