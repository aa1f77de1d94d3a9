package replay

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/agent-ls/agent-ls/acp"
)

// idNames are the members that hold ids, with what they name.
var idNames = map[string]string{
	"sessionId": "session", "toolCallId": "call", "toolRequestId": "call", "messageId": "message",
	"terminalId": "terminal", "terminal_id": "terminal", "turnId": "turn", "elicitationId": "elicitation",
}

// Texts that differ from run to run wherever they stand: when it was, how long
// it took, random ids.
var (
	timestamp = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)`)
	})
	duration = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\b\d+(\.\d+)? ?(ns|µs|us|ms|s)\b`) })
	uuid     = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b`)
	})
)

// names replaces what differs between equal runs. The zero names is not ready.
type names struct {
	folders []renaming
	// ids are the names of ids, list has them in order.
	ids   map[string]string
	list  []string
	count map[string]int
}

func newNames(list []folder) *names {
	n := &names{ids: map[string]string{}, count: map[string]int{}}
	for i, f := range list {
		word := fmt.Sprintf("<folder %d>", i+1)
		for _, path := range []string{f.recorded, f.played} {
			if real, err := filepath.EvalSymlinks(path); err == nil && real != path {
				n.folders = append(n.folders, renaming{real, word})
			}
			n.folders = append(n.folders, renaming{path, word})
		}
	}
	return n
}

// id names an id by the order of its first appearance.
func (n *names) id(kind, id string) string {
	if name, ok := n.ids[id]; ok {
		return name
	}
	n.count[kind]++
	name := fmt.Sprintf("<%s %d>", kind, n.count[kind])
	n.ids[id] = name
	n.list = append(n.list, id)
	return name
}

// value decodes JSON and replaces in it. A text of several lines becomes a list
// of its lines, so that a difference shows where it is.
func (n *names) value(raw json.RawMessage) any {
	if len(raw) == 0 {
		return nil
	}
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	var v any
	if d.Decode(&v) != nil {
		return string(raw)
	}
	return n.walk("", v)
}

func (n *names) walk(name string, v any) any {
	switch v := v.(type) {
	case map[string]any:
		for _, k := range slices.Sorted(maps.Keys(v)) {
			v[k] = n.walk(k, v[k])
		}
	case []any:
		for i := range v {
			v[i] = n.walk(name, v[i])
		}
	case string:
		if kind := idNames[name]; kind != "" && v != "" {
			return n.id(kind, v)
		}
		return lines(n.text(v))
	}
	return v
}

// text replaces in a text.
func (n *names) text(s string) string {
	s = rename(s, n.folders)
	for _, id := range n.list {
		if len(id) > 7 { // shorter ones are words of their own
			s = strings.ReplaceAll(s, id, n.ids[id])
		}
	}
	s = uuid().ReplaceAllStringFunc(s, func(id string) string { return n.id("id", id) })
	s = timestamp().ReplaceAllString(s, "<time>")
	return duration().ReplaceAllString(s, "<duration>")
}

// lines splits a text of several lines.
func lines(s string) any {
	if !strings.Contains(strings.TrimSuffix(s, "\n"), "\n") {
		return s
	}
	var out []any
	for line := range strings.Lines(s) {
		out = append(out, line)
	}
	return out
}

// section is one kind of what a program says, in order.
type section struct {
	kind  string
	items []any
}

// run is the normal form of what a program said on one connection.
type run struct {
	names    *names
	sections []*section
	sessions map[string]*session
}

// normalize folds the program's side of a connection.
func normalize(entries []entry, list []folder) []*section {
	r := &run{names: newNames(list), sessions: map[string]*session{}}
	asked := map[string]string{} // methods of the client's requests
	answers := map[string]any{}
	var order []string
	for _, e := range entries {
		switch {
		case e.raw == nil:
		case e.sent() && e.isRequest():
			asked[string(e.ID)] = e.Method
			order = append(order, string(e.ID))
		case e.sent():
		case e.isResponse():
			answers[string(e.ID)] = r.answer(asked[string(e.ID)], e.message)
		case e.isRequest():
			r.add("request "+e.Method, r.names.value(e.Params))
		case e.Method == acp.MethodSessionUpdate:
			r.update(e.Params)
		default:
			r.add("notification "+e.Method, r.names.value(e.Params))
		}
	}
	for _, id := range order {
		answer, ok := answers[id]
		if !ok {
			answer = "<no answer>"
		}
		r.add("answer to "+asked[id], answer)
	}
	r.finish()
	return r.sections
}

// answer is the normal form of an answer.
func (r *run) answer(method string, m message) any {
	if m.Error != nil {
		return map[string]any{"error": r.names.value(m.Error)}
	}
	v := r.names.value(m.Result)
	if o, ok := v.(map[string]any); ok && method == acp.MethodInitialize {
		if info, ok := o["agentInfo"].(map[string]any); ok {
			info["version"] = "<version>" // builds may differ
		}
	}
	return v
}

func (r *run) section(kind string) *section {
	for _, s := range r.sections {
		if s.kind == kind {
			return s
		}
	}
	s := &section{kind: kind}
	r.sections = append(r.sections, s)
	return s
}

func (r *run) add(kind string, item any) {
	s := r.section(kind)
	s.items = append(s.items, item)
}
