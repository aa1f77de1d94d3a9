package replay

import (
	"encoding/json"
	"reflect"
	"strings"
)

// session is the state that the updates of one session come to.
type session struct {
	run    *run
	prefix string
	cards  map[string]map[string]any
	// speaker and last are the message that the last chunk belonged to.
	last    map[string]any
	speaker string
}

// update folds one session/update.
func (r *run) update(params json.RawMessage) {
	v, _ := r.names.value(params).(map[string]any)
	id, _ := v["sessionId"].(string)
	u, ok := v["update"].(map[string]any)
	if !ok {
		r.add("notification session/update", v)
		return
	}
	s := r.sessions[id]
	if s == nil {
		s = &session{run: r, prefix: id + " ", cards: map[string]map[string]any{}}
		r.sessions[id] = s
	}
	s.fold(u)
}

// fold takes one update.
func (s *session) fold(u map[string]any) {
	kind, _ := u["sessionUpdate"].(string)
	delete(u, "sessionUpdate")
	switch {
	case strings.HasSuffix(kind, "_chunk"):
		s.chunk(strings.TrimSuffix(kind, "_chunk"), u)
		return
	case kind == "tool_call" || kind == "tool_call_update":
		s.card(u)
	case kind == "notice" || kind == "plan":
		s.run.add(s.prefix+kind, u)
	default: // the last one counts
		s.run.section(s.prefix + kind).items = []any{u}
	}
	s.last = nil
}

// chunk appends a piece of text to the message that it belongs to. A message
// ends with another one, or with anything else that is shown.
func (s *session) chunk(speaker string, u map[string]any) {
	text, isText := textOf(u)
	id := u["messageId"]
	if isText && s.last != nil && s.speaker == speaker && s.last["messageId"] == id {
		s.last["text"] = s.last["text"].(string) + text
		return
	}
	s.speaker, s.last = speaker, u
	u["speaker"] = speaker
	if isText {
		delete(u, "content")
		u["text"] = text
	}
	s.run.add(s.prefix+"messages", u)
	if !isText {
		s.last = nil
	}
}

// textOf is the text of a chunk.
func textOf(u map[string]any) (string, bool) {
	content, _ := u["content"].(map[string]any)
	if content["type"] != "text" {
		return "", false
	}
	return join(content["text"]), true
}

// join undoes lines.
func join(v any) string {
	switch v := v.(type) {
	case string:
		return v
	case []any:
		var b strings.Builder
		for _, line := range v {
			text, _ := line.(string)
			b.WriteString(text)
		}
		return b.String()
	}
	return ""
}

// card folds an update of a tool call: what it says replaces what was shown, and
// terminal output is appended (acp.md §8, §12).
func (s *session) card(u map[string]any) {
	id, _ := u["toolCallId"].(string)
	c := s.cards[id]
	if c == nil {
		c = map[string]any{}
		s.cards[id] = c
		s.run.add(s.prefix+"tool calls", c)
	}
	for name, v := range u {
		switch name {
		case "status":
			seen, _ := c["statuses"].([]any)
			if len(seen) == 0 || seen[len(seen)-1] != v {
				c["statuses"] = append(seen, v)
			}
		case "_meta":
			meta, _ := v.(map[string]any)
			cardMeta(c, meta)
		default:
			c[name] = v
		}
	}
}

// cardMeta folds what a card's _meta says.
func cardMeta(c, meta map[string]any) {
	for name, v := range meta {
		if name != "terminal_output" {
			c["_meta."+name] = v
			continue
		}
		piece, _ := v.(map[string]any)
		c["output"] = join(c["output"]) + join(piece["data"])
	}
}

// finish ends the fold: texts that came in pieces are replaced in as a whole, and
// become lines.
func (r *run) finish() {
	for _, section := range r.sections {
		for _, item := range section.items {
			o, _ := item.(map[string]any)
			for _, name := range []string{"text", "output"} {
				if text, ok := o[name].(string); ok {
					o[name] = lines(r.names.text(text))
				}
			}
		}
		if strings.HasSuffix(section.kind, " plan") {
			section.items = distinct(section.items)
		}
	}
}

// distinct leaves out what equals its predecessor.
func distinct(items []any) []any {
	var out []any
	for _, item := range items {
		if len(out) == 0 || !reflect.DeepEqual(out[len(out)-1], item) {
			out = append(out, item)
		}
	}
	return out
}
