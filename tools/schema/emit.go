package schema

import (
	"encoding/json"
	"fmt"
	"strconv"
)

// MarshalJSON emits draft-07: the keywords of a node in one fixed order,
// properties in theirs, without HTML escapes. A root that is a union of
// objects gets type object, which function-calling providers insist on
// (tools.md §1.1.3). The error is about a number that is no JSON number.
func (s *Schema) MarshalJSON() ([]byte, error) {
	e := emitter{table: keywords}
	e.schema(s)
	return e.buf, e.err
}

// emitter writes schemas. It never ranges over a map.
type emitter struct {
	buf   []byte
	table []keyword
	depth int // of open schemas
	err   error
}

// open begins an object; close ends it.
func (e *emitter) open(brace byte)  { e.buf = append(e.buf, brace) }
func (e *emitter) close(brace byte) { e.buf = append(e.buf, brace) }

// key begins a member.
func (e *emitter) key(name string) {
	if e.buf[len(e.buf)-1] != '{' {
		e.buf = append(e.buf, ',')
	}
	e.buf = append(appendString(e.buf, name), ':')
}

func (e *emitter) schema(s *Schema) {
	if s == nil {
		s = &Schema{}
	}
	e.depth++
	e.open('{')
	for i := range e.table {
		e.table[i].write(e, s)
	}
	for i := range s.Annotations {
		e.key(s.Annotations[i].Name)
		e.buf = appendValue(e.buf, &s.Annotations[i].Value.value)
	}
	e.close('}')
	e.depth--
}

func (e *emitter) schemas(list []*Schema) {
	e.buf = append(e.buf, '[')
	for i, s := range list {
		if i > 0 {
			e.buf = append(e.buf, ',')
		}
		e.schema(s)
	}
	e.buf = append(e.buf, ']')
}

func (e *emitter) properties(list []Property) {
	e.open('{')
	for _, p := range list {
		e.key(p.Name)
		e.schema(p.Schema)
	}
	e.close('}')
}

func (e *emitter) strings(list []string) {
	e.buf = append(e.buf, '[')
	for i, s := range list {
		if i > 0 {
			e.buf = append(e.buf, ',')
		}
		e.buf = appendString(e.buf, s)
	}
	e.buf = append(e.buf, ']')
}

func (e *emitter) int(n int) { e.buf = strconv.AppendInt(e.buf, int64(n), 10) }

func (e *emitter) number(n json.Number) {
	v, err := decode(string(n), 0)
	if (err != nil || v.kind != numberKind) && e.err == nil {
		e.err = fmt.Errorf("schema bound %q is not a JSON number", string(n))
	}
	e.buf = append(e.buf, n...)
}

// objectUnion reports whether s accepts objects only although it has no type
// of its own.
func (s *Schema) objectUnion() bool { return s.objectsOnly(map[*Schema]bool{}) }

// objectsOnly follows unions and references. known are the answers so far;
// that of a schema on the way is no.
func (s *Schema) objectsOnly(known map[*Schema]bool) bool {
	if s == nil {
		return false
	}
	if answer, ok := known[s]; ok {
		return answer
	}
	known[s] = false
	switch {
	case s.Type != "":
		known[s] = s.Type == "object" && len(s.OrTypes) == 0
	case s.target.objectsOnly(known), allObjects(s.OneOf, known), allObjects(s.AnyOf, known):
		known[s] = true
	}
	return known[s]
}

func allObjects(branches []*Schema, known map[*Schema]bool) bool {
	for _, b := range branches {
		if !b.objectsOnly(known) {
			return false
		}
	}
	return len(branches) > 0
}
