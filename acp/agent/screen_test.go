package agent

import (
	"encoding/json"
	"fmt"

	"github.com/agent-ls/agent-ls/acp"
)

// screen is what a client shows of one session: the accumulated state of all
// updates, with what was wrong about their order.
type screen struct {
	byID     map[string]*shownCard
	order    []string
	messages []string // role: text
	lastID   string
	plan     []acp.PlanEntry
	mode     string
	options  []acp.SessionConfigOption
	commands []acp.AvailableCommand
	title    string
	notices  []string
	problems []string
}

// shownCard is one card, in the shape in which tests compare it.
type shownCard struct {
	ID        string                 `json:"id"`
	Title     string                 `json:"title"`
	Name      string                 `json:"name"`
	Kind      acp.ToolKind           `json:"kind"`
	Status    acp.ToolCallStatus     `json:"status"`
	Content   []acp.ToolCallContent  `json:"content"`
	Locations []acp.ToolCallLocation `json:"locations"`
	RawInput  json.RawMessage        `json:"rawInput"`
	RawOutput json.RawMessage        `json:"rawOutput"`
	Terminal  *shownTerminal         `json:"terminal"`
	statuses  []acp.ToolCallStatus
}

type shownTerminal struct {
	ID     string         `json:"terminal_id"`
	Cwd    string         `json:"cwd"`
	Output string         `json:"output"`
	Exit   map[string]any `json:"exit"`
}

func newScreen() *screen { return &screen{byID: map[string]*shownCard{}} }

func (s *screen) cards() []*shownCard {
	var out []*shownCard
	for _, id := range s.order {
		out = append(out, s.byID[id])
	}
	return out
}

func (s *screen) problem(format string, args ...any) {
	s.problems = append(s.problems, fmt.Sprintf(format, args...))
}

func (s *screen) fold(u acp.SessionUpdate) {
	switch u := u.(type) {
	case acp.ToolCall:
		s.announce(u)
	case acp.ToolCallUpdate:
		s.update(u)
	case acp.UserMessageChunk:
		s.say("user", u.ContentChunk)
	case acp.AgentMessageChunk:
		s.say("agent", u.ContentChunk)
	case acp.AgentThoughtChunk:
		s.say("thought", u.ContentChunk)
	case acp.Plan:
		s.plan = u.Entries
	case acp.CurrentModeUpdate:
		s.mode = u.CurrentModeID
	case acp.ConfigOptionUpdate:
		s.options = u.ConfigOptions
	case acp.AvailableCommandsUpdate:
		s.commands = u.AvailableCommands
	case acp.SessionInfoUpdate:
		s.title = *u.Title
	case acp.Notice:
		s.notices = append(s.notices, u.Title)
	}
}

func (s *screen) say(role string, c acp.ContentChunk) {
	text := "[block]"
	if t, ok := c.Content.(acp.TextContent); ok {
		text = t.Text
	}
	if n := len(s.messages); n > 0 && c.MessageID != "" && s.lastID == role+c.MessageID {
		s.messages[n-1] += text
		return
	}
	s.lastID = role + c.MessageID
	s.messages = append(s.messages, role+": "+text)
}

func (s *screen) announce(u acp.ToolCall) {
	if s.byID[u.ToolCallID] != nil {
		s.problem("%s is announced twice", u.ToolCallID)
		return
	}
	c := &shownCard{
		ID: u.ToolCallID, Title: u.Title, Name: u.Name, Kind: u.Kind, Status: u.Status, Content: u.Content,
		Locations: u.Locations, RawInput: u.RawInput, RawOutput: u.RawOutput, statuses: []acp.ToolCallStatus{u.Status},
	}
	if raw, ok := u.Meta["terminal_info"]; ok {
		c.Terminal = &shownTerminal{}
		if err := json.Unmarshal(raw, c.Terminal); err != nil {
			s.problem("%v", err)
		}
	}
	s.byID[c.ID] = c
	s.order = append(s.order, c.ID)
}

func (s *screen) update(u acp.ToolCallUpdate) {
	c := s.byID[u.ToolCallID]
	if c == nil {
		s.problem("an update of %s, which is unknown", u.ToolCallID)
		return
	}
	s.checkChanged(c, u)
	if ended(c.Status) {
		s.problem("an update of %s after its end", u.ToolCallID)
	}
	if u.Status != "" {
		c.Status = u.Status
		c.statuses = append(c.statuses, u.Status)
	}
	if u.Title != "" {
		c.Title = u.Title
	}
	if u.Kind != "" {
		c.Kind = u.Kind
	}
	if u.Content != nil {
		c.Content = u.Content
	}
	if u.Locations != nil {
		c.Locations = u.Locations
	}
	if u.RawOutput != nil {
		c.RawOutput = u.RawOutput
	}
	s.feed(c, u)
}

// feed takes what the update says of the card's terminal.
func (s *screen) feed(c *shownCard, u acp.ToolCallUpdate) {
	var out struct {
		ID   string `json:"terminal_id"`
		Data string `json:"data"`
	}
	if raw, ok := u.Meta["terminal_output"]; ok {
		if err := json.Unmarshal(raw, &out); err != nil || c.Terminal == nil || out.ID != c.Terminal.ID {
			s.problem("output for %s", raw)
			return
		}
		c.Terminal.Output += out.Data
	}
	if raw, ok := u.Meta["terminal_exit"]; ok {
		if err := json.Unmarshal(raw, &c.Terminal.Exit); err != nil {
			s.problem("%v", err)
		}
	}
}

// checkChanged finds what is sent again without being another (field report 5).
func (s *screen) checkChanged(c *shownCard, u acp.ToolCallUpdate) {
	again := func(what string, same bool) {
		if same {
			s.problem("%s of %s is sent again unchanged", what, c.ID)
		}
	}
	again("title", u.Title != "" && u.Title == c.Title)
	again("kind", u.Kind != "" && u.Kind == c.Kind)
	again("name", u.Name != "")
	again("status", u.Status != "" && u.Status == c.Status)
	again("content", u.Content != nil && same(u.Content, c.Content))
	again("locations", u.Locations != nil && same(u.Locations, c.Locations))
}

func ended(s acp.ToolCallStatus) bool { return s == acp.StatusCompleted || s == acp.StatusFailed }
