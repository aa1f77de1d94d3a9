package replay

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/agent-ls/agent-ls/acp"
)

// unstick answers the open requests of the program.
func (p *player) unstick(at int) error {
	for _, r := range p.open() {
		if err := p.answer(r.ID, p.recordedAnswer(r.Method, r.n, at)); err != nil {
			return err
		}
	}
	return nil
}

// numbered is the n-th request of its method, from 0.
type numbered struct {
	message
	n int
}

// open returns the program's requests that are not answered.
func (p *player) open() []numbered {
	p.mu.Lock()
	defer p.mu.Unlock()
	var list []numbered
	for _, requests := range p.heard.requests {
		for n, m := range requests {
			if !p.answered[string(m.ID)] {
				list = append(list, numbered{m, n})
			}
		}
	}
	return list
}

// recordedAnswer is how the client of the log answers the n-th request of a
// method, from its place on; an error where it does not.
func (p *player) recordedAnswer(method string, n, at int) message {
	count := -1
	var id string
	for _, e := range p.log {
		if !e.sent() && e.isRequest() && e.Method == method {
			if count++; count == n {
				id = string(e.ID)
			}
		}
	}
	for _, e := range p.log[min(at, len(p.log)):] {
		if id != "" && e.sent() && e.raw != nil && e.isResponse() && string(e.ID) == id {
			return e.message
		}
	}
	return message{Error: json.RawMessage(`{"code":-32603,"message":"the log has no answer to this request"}`)}
}

// send sends one message of the client with the ids of this run. An answer that
// was given already is left out.
func (p *player) send(m message, said heard) error {
	if m.isResponse() {
		id, open := p.requestOf(m.ID, said)
		if !open {
			return nil
		}
		return p.answer(id, m)
	}
	if m.isRequest() {
		p.asked = append(p.asked, string(m.ID))
	}
	return p.write(p.renamed(m.raw, said))
}

// requestOf finds the request of this run that an answer of the log is for.
func (p *player) requestOf(recorded json.RawMessage, said heard) (id json.RawMessage, open bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for method, list := range said.requests {
		for n, m := range list {
			if string(m.ID) == string(recorded) && n < len(p.heard.requests[method]) {
				id = p.heard.requests[method][n].ID
				return id, !p.answered[string(id)]
			}
		}
	}
	return nil, false
}

func (p *player) answer(id json.RawMessage, m message) error {
	p.mu.Lock()
	p.answered[string(id)] = true
	p.mu.Unlock()
	line := struct {
		Version string          `json:"jsonrpc"`
		ID      json.RawMessage `json:"id"`
		Result  json.RawMessage `json:"result,omitempty"`
		Error   json.RawMessage `json:"error,omitempty"`
	}{"2.0", id, m.Result, m.Error}
	raw, err := acp.Encode(line)
	if err != nil {
		return err
	}
	return p.write(p.folders(raw))
}

// renamed puts the sessions and folders of this run into a message.
func (p *player) renamed(raw json.RawMessage, said heard) json.RawMessage {
	p.mu.Lock()
	for id, result := range said.responses {
		if old, now := sessionIn(result), sessionIn(p.heard.responses[id]); old != "" && now != "" {
			p.sessions[old] = now
		}
	}
	pairs := make([]string, 0, 2*len(p.sessions))
	for old, now := range p.sessions {
		pairs = append(pairs, quoted(old), quoted(now))
	}
	p.mu.Unlock()
	return p.folders(json.RawMessage(strings.NewReplacer(pairs...).Replace(string(raw))))
}

// sessionIn is the session that a result names.
func sessionIn(result json.RawMessage) string {
	var r struct{ SessionID string }
	_ = json.Unmarshal(result, &r)
	return r.SessionID
}

func (p *player) write(raw json.RawMessage) error {
	if _, err := p.child.Write(append(append([]byte(nil), raw...), '\n')); err != nil {
		return fmt.Errorf("the program takes no more input: %w", err)
	}
	return nil
}
