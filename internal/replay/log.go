package replay

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/agent-ls/agent-ls/acp"
)

// maxLine is how long a line of a wire log may be, in bytes: a message of the
// largest size that is accepted, and its envelope.
const maxLine = 65 << 20

// message is one message of a wire log.
type message struct {
	ID     json.RawMessage `json:"id"`
	Method string          `json:"method"`
	Params json.RawMessage `json:"params"`
	Result json.RawMessage `json:"result"`
	Error  json.RawMessage `json:"error"`

	raw json.RawMessage
}

func (m *message) isRequest() bool  { return m.Method != "" && m.ID != nil }
func (m *message) isResponse() bool { return m.Method == "" }

// entry is one line of a wire log.
type entry struct {
	Direction acp.Direction   `json:"dir"`
	Raw       json.RawMessage `json:"msg"`
	// Skipped says why there is no message.
	Skipped string `json:"skipped"`

	message
	line int // 1-based
}

// sent reports whether the client sent e.
func (e *entry) sent() bool { return e.Direction == acp.Received }

// Log is a wire log.
type Log struct {
	// connections are its lines, a list for each connection.
	connections [][]entry
	torn        bool // the last line is not whole
}

// Read reads a wire log. The error says what is wrong with the file, and in
// which line.
func Read(r io.Reader) (*Log, error) {
	l := &Log{}
	lines := bufio.NewScanner(r)
	lines.Buffer(make([]byte, 0, 64<<10), maxLine)
	for n := 1; lines.Scan(); n++ {
		if len(bytes.TrimSpace(lines.Bytes())) == 0 {
			continue
		}
		if l.torn {
			return nil, fmt.Errorf("line %d is no line of a wire log", n-1)
		}
		e, err := parse(lines.Bytes(), n)
		if err != nil {
			l.torn = true // or no wire log at all, if more lines follow
			continue
		}
		l.add(e)
	}
	if err := lines.Err(); err != nil {
		return nil, err
	}
	return l, l.check()
}

// parse reads one line.
func parse(line []byte, n int) (entry, error) {
	e := entry{line: n}
	if err := json.Unmarshal(line, &e); err != nil {
		return e, err
	}
	if e.Direction != acp.Received && e.Direction != acp.Sent || e.Raw == nil && e.Skipped == "" {
		return e, errors.New("neither a message nor a skipped line")
	}
	e.message = message{}
	if e.Raw != nil {
		if err := json.Unmarshal(e.Raw, &e.message); err != nil {
			return e, err
		}
		e.message.raw = e.Raw
	}
	return e, nil
}

// add appends e; each initialize begins a new connection.
func (l *Log) add(e entry) {
	if len(l.connections) == 0 || e.sent() && e.Method == acp.MethodInitialize {
		l.connections = append(l.connections, nil)
	}
	last := &l.connections[len(l.connections)-1]
	*last = append(*last, e)
}

// check refuses files that cannot be played.
func (l *Log) check() error {
	if len(l.connections) == 0 {
		return errors.New("it holds no line of a wire log")
	}
	for _, entries := range l.connections {
		first := entries[0]
		for _, e := range entries {
			if e.sent() && e.raw != nil {
				first = e
				break
			}
		}
		var p struct{ ProtocolVersion *int }
		_ = json.Unmarshal(first.Params, &p)
		switch {
		case !first.sent() || first.raw == nil:
			return fmt.Errorf("line %d: the client says nothing in this connection", first.line)
		case first.Method == acp.MethodInitialize && p.ProtocolVersion == nil:
			return fmt.Errorf("line %d: this is the log of a language server; logs of agent-ls acp can be played", first.line)
		}
	}
	return nil
}
