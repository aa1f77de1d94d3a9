package agent

import (
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/agent-ls/agent-ls/presentation"
)

// maxHeld is how much text of a message waits for its next record, in bytes;
// a model that is faster waits for the sink.
const maxHeld = 64 << 10

// MessageWriter streams one message of the agent: pieces are joined to at most
// 20 records a second, their order kept. End must be called. Its methods are
// for one goroutine.
type MessageWriter struct {
	t     *Turn
	id    string
	pacer pacer

	mu      sync.Mutex
	thought bool // what text is
	text    strings.Builder
}

// NewMessage begins a message of the agent.
func (t *Turn) NewMessage() *MessageWriter {
	m := &MessageWriter{t: t, id: t.s.hub.c.NewID()}
	m.pacer.send = m.send
	return m
}

// Text adds to what the agent says; "" does nothing.
func (m *MessageWriter) Text(s string) { m.add(s, false) }

// Thought adds to what the agent thinks; "" does nothing.
func (m *MessageWriter) Thought(s string) { m.add(s, true) }

func (m *MessageWriter) add(s string, thought bool) {
	if s == "" {
		return
	}
	m.mu.Lock()
	held, changed := m.text.Len(), m.thought != thought
	m.mu.Unlock()
	switch {
	case held > 0 && changed:
		m.pacer.locked(m.flush)
	case held > maxHeld:
		m.pacer.locked(m.send)
	}
	m.mu.Lock()
	m.thought = thought
	m.text.WriteString(s)
	m.mu.Unlock()
	m.pacer.kick()
}

// Opaque records a block behind the text so far (Delta.Opaque).
func (m *MessageWriter) Opaque(b presentation.Block) {
	m.pacer.locked(m.flush)
	m.t.Record(AgentOpaque{MessageID: m.id, Block: b})
}

// send records what is held, but for a rune that is not complete yet.
func (m *MessageWriter) send() (more bool) {
	m.mu.Lock()
	text, thought := m.text.String(), m.thought
	m.text.Reset()
	whole := wholeRunes(text)
	m.text.WriteString(text[whole:])
	m.mu.Unlock()
	m.record(text[:whole], thought)
	return false
}

func (m *MessageWriter) record(text string, thought bool) {
	text = strings.ToValidUTF8(text, "\uFFFD")
	switch {
	case text == "":
	case thought:
		m.t.Record(AgentThought{MessageID: m.id, Text: text})
	default:
		m.t.Record(AgentText{MessageID: m.id, Text: text})
	}
}

// wholeRunes returns the length of s without the beginning of a rune at its
// end.
func wholeRunes(s string) int {
	for i := len(s) - 1; i >= 0 && i > len(s)-utf8.UTFMax; i-- {
		if utf8.RuneStart(s[i]) {
			if !utf8.FullRuneInString(s[i:]) {
				return i
			}
			break
		}
	}
	return len(s)
}

// flush records all that is held.
func (m *MessageWriter) flush() (more bool) {
	m.send()
	m.mu.Lock()
	rest, thought := m.text.String(), m.thought
	m.text.Reset()
	m.mu.Unlock()
	m.record(rest, thought)
	return false
}

// End records the rest of the message.
func (m *MessageWriter) End() {
	m.pacer.stop()
	m.flush()
}
