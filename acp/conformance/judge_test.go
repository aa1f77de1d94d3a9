package conformance

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/agent-ls/agent-ls/acp"
)

// rule names a family of the rules that every line is held to.
type rule string

const (
	ruleFraming  rule = "framing"  // one JSON object a line, UTF-8
	ruleEnvelope rule = "envelope" // JSON-RPC 2.0
	ruleNullID   rule = "null id"  // errors about lines that are no requests
	ruleSchema   rule = "schema"   // types, required and known keys
	ruleGate     rule = "gate"     // what the client did not offer
	ruleOrder    rule = "order"    // of updates, answers and calls
	ruleLate     rule = "late"     // questions about calls that are over
	ruleCard     rule = "card"     // titles, paths, statuses, resent fields
	ruleStderr   rule = "stderr"   // what the program says of itself
)

// problem is a rule that a line broke.
type problem struct {
	rule rule
	text string
	line string
}

func (p problem) String() string { return fmt.Sprintf("%s: %s\n  in %s", p.rule, p.text, clip(p.line)) }

// note records a broken rule; mu is held.
func (c *client) note(r rule, place int, format string, args ...any) {
	c.problems = append(c.problems, problem{r, fmt.Sprintf(format, args...), c.wire[place].text})
}

// judge parses one line and holds it to the rules of framing, envelope and
// schema.
func (c *client) judge(text string, l *line) {
	place := len(c.wire) - 1
	switch {
	case !strings.HasSuffix(text, "\n") && c.killed:
		return // it was killed while it wrote
	case !strings.HasSuffix(text, "\n"):
		c.note(ruleFraming, place, "the last line has no end")
	case !utf8.ValidString(text):
		c.note(ruleFraming, place, "invalid UTF-8")
	}
	members, err := object(json.RawMessage(text))
	m := &message{}
	if err == nil {
		err = json.Unmarshal([]byte(text), m)
	}
	if err != nil {
		c.note(ruleFraming, place, "not one JSON object: %v", err)
		return
	}
	l.msg = m
	if version := string(members["jsonrpc"]); version != `"2.0"` {
		c.note(ruleEnvelope, place, "jsonrpc is %s", version)
	}
	c.judgeKeys(members, m, place)
	if m.isAnswer() {
		c.judgeAnswer(members, m, place)
	} else if m.ID == nil {
		c.judgeParams(notifications, m, place)
	} else {
		c.judgeParams(requests, m, place)
	}
}

// judgeKeys looks at the root of a message.
func (c *client) judgeKeys(members map[string]json.RawMessage, m *message, place int) {
	allowed := []string{"jsonrpc", "id", "result", "error"}
	if m.Method != nil {
		allowed = []string{"jsonrpc", "id", "method", "params"}
	}
	for key := range members {
		if !slices.Contains(allowed, key) {
			c.note(ruleEnvelope, place, "unknown key %q", key)
		}
	}
	if id := string(m.ID); id != "" && id != "null" && !strings.ContainsAny(id[:1], `"-0123456789`) {
		c.note(ruleEnvelope, place, "the id is %s", id)
	}
}

// judgeAnswer looks at a response.
func (c *client) judgeAnswer(members map[string]json.RawMessage, m *message, place int) {
	_, hasResult := members["result"]
	if _, hasError := members["error"]; hasResult == hasError {
		c.note(ruleEnvelope, place, "a response has a result or an error")
		return
	}
	if m.Error != nil {
		if err := strict(members["error"], reflect.TypeFor[rpcError]()); err != nil {
			c.note(ruleSchema, place, "error: %v", err)
		}
		if msg := m.Error.Message; strings.TrimSpace(msg) == "" || strings.ContainsAny(msg, "\r\n") {
			c.note(ruleSchema, place, "the message of an error is not one line: %q", msg)
		}
	}
	k := c.calls[string(m.ID)]
	switch {
	case string(m.ID) == "null":
		c.note(ruleNullID, place, "an answer to nothing that was asked")
	case k == nil:
		c.note(ruleEnvelope, place, "an answer to id %s, which was not sent", m.ID)
	case k.answer != nil:
		c.note(ruleEnvelope, place, "a second answer to id %s", m.ID)
	case m.Error == nil && results[k.method] != nil:
		if err := strict(m.Result, results[k.method]); err != nil {
			c.note(ruleSchema, place, "result of %s: %v", k.method, err)
		}
	}
}

// What an agent sends in version 1 (acp.md §2).
var (
	results = map[string]reflect.Type{
		acp.MethodInitialize: reflect.TypeFor[acp.InitializeResponse](), acp.MethodSessionNew: reflect.TypeFor[acp.NewSessionResponse](),
		acp.MethodSessionLoad: reflect.TypeFor[acp.LoadSessionResponse](), acp.MethodSessionResume: reflect.TypeFor[acp.LoadSessionResponse](),
		acp.MethodSessionList: reflect.TypeFor[acp.ListSessionsResponse](), acp.MethodSessionPrompt: reflect.TypeFor[acp.PromptResponse](),
		acp.MethodSetConfigOption: reflect.TypeFor[acp.SetSessionConfigOptionResponse](), acp.MethodSessionClose: reflect.TypeFor[acp.Empty](),
		acp.MethodSessionDelete: reflect.TypeFor[acp.Empty](), acp.MethodSetMode: reflect.TypeFor[acp.Empty](),
		acp.MethodAuthenticate: reflect.TypeFor[acp.Empty](), acp.MethodLogout: reflect.TypeFor[acp.Empty](),
	}
	requests = map[string]reflect.Type{
		acp.MethodRequestPermission: reflect.TypeFor[acp.RequestPermissionRequest](),
		acp.MethodReadTextFile:      reflect.TypeFor[acp.ReadTextFileRequest](), acp.MethodWriteTextFile: reflect.TypeFor[acp.WriteTextFileRequest](),
		acp.MethodTerminalCreate: reflect.TypeFor[acp.CreateTerminalRequest](), acp.MethodTerminalOutput: reflect.TypeFor[acp.TerminalRequest](),
		acp.MethodTerminalWait: reflect.TypeFor[acp.TerminalRequest](), acp.MethodTerminalKill: reflect.TypeFor[acp.TerminalRequest](),
		acp.MethodTerminalRelease: reflect.TypeFor[acp.TerminalRequest](),
	}
	notifications = map[string]reflect.Type{
		acp.MethodSessionUpdate: reflect.TypeFor[acp.SessionNotification](),
		acp.MethodCancelRequest: reflect.TypeFor[acp.CancelRequestNotification](),
	}
)

func (c *client) judgeParams(known map[string]reflect.Type, m *message, place int) {
	t, ok := known[m.method()]
	if !ok {
		c.note(ruleSchema, place, "%s is not for an agent to send", m.method())
		return
	}
	if err := strict(m.Params, t); err != nil {
		c.note(ruleSchema, place, "%s: %v", m.method(), err)
	}
}

// judgeRequest looks at a request of the agent.
func (c *client) judgeRequest(m *message, place int) {
	id := string(m.ID)
	if c.asked[id] {
		c.note(ruleEnvelope, place, "the request id %s is used twice", id)
	}
	c.asked[id] = true
	method, caps := m.method(), c.o.caps
	offered := map[string]bool{acp.MethodReadTextFile: caps.FS.ReadTextFile, acp.MethodWriteTextFile: caps.FS.WriteTextFile}
	if has, gated := offered[method]; gated && !has || strings.HasPrefix(method, "terminal/") && !caps.Terminal {
		c.note(ruleGate, place, "%s, which the client does not offer", method)
	}
	if s := sessionOf(string(m.Params)); !c.screen(s).known {
		c.note(ruleOrder, place, "a request for the session %q, which the client does not know", s)
	}
	if method == acp.MethodRequestPermission {
		c.judgeQuestion(m, place)
	}
}

// judgeQuestion: a question is about a card that was announced and does not
// run, and its options can be told apart (acp.md §8, §9).
func (c *client) judgeQuestion(m *message, place int) {
	var q acp.RequestPermissionRequest
	if acp.Decode(m.Params, &q) != nil {
		return
	}
	k := c.screen(q.SessionID).card(q.ToolCall.ToolCallID)
	switch {
	case k == nil:
		c.note(ruleOrder, place, "a question about a call that was not announced")
	case k.over():
		c.note(ruleLate, place, "a question about a call that is %s", k.status)
	case k.status != acp.StatusPending:
		c.note(ruleOrder, place, "a question about a call that is %s", k.status)
	}
	ids, kinds := map[string]bool{}, map[acp.PermissionOptionKind]bool{}
	for _, o := range q.Options {
		if o.OptionID == "" || ids[o.OptionID] || strings.TrimSpace(o.Name) == "" {
			c.note(ruleCard, place, "option %q %q", o.OptionID, o.Name)
		}
		ids[o.OptionID], kinds[o.Kind] = true, true
	}
	if !kinds[acp.AllowOnce] || !kinds[acp.RejectOnce] {
		c.note(ruleCard, place, "the options offer no way to allow or to reject once")
	}
	c.judgePaths(q.ToolCall.Content, q.ToolCall.Locations, place)
}

// judgeUpdate holds an update to the order of things, before it is folded.
func (c *client) judgeUpdate(n acp.SessionNotification, place int) {
	s := c.screen(n.SessionID)
	if !s.known {
		c.note(ruleOrder, place, "an update for the session %q before the answer that names it", n.SessionID)
	}
	switch u := n.Update.(type) {
	case acp.ToolCall:
		c.judgeAnnounced(s, u, place)
	case acp.ToolCallUpdate:
		c.judgeCard(s, u, place)
	case acp.Notice:
		if c.o.caps.Session == nil || c.o.caps.Session.Notices == nil {
			c.note(ruleGate, place, "a notice, which the client does not offer")
		}
		return
	case acp.UserMessageChunk, acp.AgentMessageChunk, acp.AgentThoughtChunk, acp.Plan:
	default:
		return
	}
	if s.busy == 0 && s.turns > 0 {
		c.note(ruleOrder, place, "an update of a turn after the answer to its prompt")
	}
}

func (c *client) judgeAnnounced(s *screen, u acp.ToolCall, place int) {
	if s.card(u.ToolCallID) != nil || u.ToolCallID == "" {
		c.note(ruleOrder, place, "the call %q is announced twice", u.ToolCallID)
	}
	c.judgeTitle(u.Title, place)
	if u.Title == "" {
		c.note(ruleCard, place, "a card without a title")
	}
	for _, key := range []string{"terminal_output", "terminal_exit"} {
		if _, ok := u.Meta[key]; ok {
			c.note(ruleCard, place, "%s on a tool_call", key)
		}
	}
	c.judgePaths(u.Content, u.Locations, place)
}

// judgeCard looks at the update of a card.
func (c *client) judgeCard(s *screen, u acp.ToolCallUpdate, place int) {
	k := s.card(u.ToolCallID)
	if k == nil {
		c.note(ruleOrder, place, "an update of the call %q, which was not announced", u.ToolCallID)
		return
	}
	if k.over() {
		c.note(ruleOrder, place, "an update of a call that is over")
	}
	if u.Status == k.status || u.Status == acp.StatusPending {
		c.note(ruleCard, place, "status %s after %s", u.Status, k.status)
	}
	if u.Status == acp.StatusInProgress && c.isAskedAbout(u.ToolCallID) {
		c.note(ruleOrder, place, "in_progress while a question is open")
	}
	c.judgeResent(k, u, place)
	c.judgeTitle(u.Title, place)
	c.judgeTerminal(k, u, place)
	c.judgePaths(u.Content, u.Locations, place)
}

func (c *client) isAskedAbout(id string) bool {
	return slices.ContainsFunc(c.questions, func(q *question) bool { return q.ToolCall.ToolCallID == id && !q.settled })
}

// judgeResent: an update holds only what changes.
func (c *client) judgeResent(k *card, u acp.ToolCallUpdate, place int) {
	for key, same := range map[string]bool{
		"title": u.Title != "" && u.Title == k.title, "kind": u.Kind != "" && u.Kind == k.kind, "name": u.Name != "" && u.Name == k.name,
		"rawInput":  len(u.RawInput) > 0 && string(u.RawInput) == k.rawInput,
		"locations": u.Locations != nil && reflect.DeepEqual(u.Locations, k.locations),
		"content":   u.Content != nil && reflect.DeepEqual(u.Content, k.content),
	} {
		if same {
			c.note(ruleCard, place, "%s is sent again unchanged", key)
		}
	}
}

// judgeTerminal: terminal_info comes once, on the tool_call; the ids agree; a
// terminal is not embedded once the call is over (acp.md §12).
func (c *client) judgeTerminal(k *card, u acp.ToolCallUpdate, place int) {
	if _, ok := u.Meta["terminal_info"]; ok {
		c.note(ruleCard, place, "terminal_info on a tool_call_update")
	}
	for _, key := range []string{"terminal_output", "terminal_exit"} {
		raw, ok := u.Meta[key]
		if !ok {
			continue
		}
		var meta struct {
			ID string `json:"terminal_id"`
		}
		if json.Unmarshal(raw, &meta) != nil || k.term == nil || meta.ID != k.term.id {
			c.note(ruleCard, place, "%s for a terminal that the card does not have", key)
		}
	}
	if len(embeds(u.Content)) > 0 && (u.Status == acp.StatusCompleted || u.Status == acp.StatusFailed) {
		c.note(ruleCard, place, "a terminal as content of the last update")
	}
}

func (c *client) judgeTitle(title string, place int) {
	if strings.ContainsAny(title, "\r\n") {
		c.note(ruleCard, place, "a title of more than one line")
	}
}

var scheme = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9+.-]+:`)

// maxLocations bounds what clients open for one card.
const maxLocations = 20

// judgePaths: every path is absolute and no URI, a location is no folder.
func (c *client) judgePaths(content []acp.ToolCallContent, locations []acp.ToolCallLocation, place int) {
	for _, d := range (card{content: content}).diffs() {
		if !filepath.IsAbs(d.Path) || scheme.MatchString(d.Path) {
			c.note(ruleCard, place, "the path of a diff is %q", d.Path)
		}
	}
	for _, l := range locations {
		info, err := os.Stat(l.Path)
		if !filepath.IsAbs(l.Path) || scheme.MatchString(l.Path) || err == nil && info.IsDir() {
			c.note(ruleCard, place, "a location is %q", l.Path)
		}
	}
	if len(locations) > maxLocations {
		c.note(ruleCard, place, "%d locations", len(locations))
	}
}
