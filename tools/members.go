package tools

import (
	"bytes"
	"encoding/json"
)

// member is one name of an object and the text of its value.
type member struct {
	name  string
	value json.RawMessage
}

// members returns the members of an object in their order; ok is false for
// any other value.
func members(data json.RawMessage) (list []member, ok bool) {
	dec := json.NewDecoder(bytes.NewReader(data))
	if t, err := dec.Token(); err != nil || t != json.Delim('{') {
		return nil, false
	}
	for dec.More() {
		name, err := dec.Token()
		if err != nil {
			return nil, false
		}
		m := member{name: name.(string)}
		if err := dec.Decode(&m.value); err != nil {
			return nil, false
		}
		list = append(list, m)
	}
	return list, true
}

// object is the reverse of members.
func object(list []member) json.RawMessage {
	out := []byte{'{'}
	for i, m := range list {
		if i > 0 {
			out = append(out, ',')
		}
		out = append(append(append(out, quote(m.name)...), ':'), m.value...)
	}
	return append(out, '}')
}

// quote returns s as a JSON string, without escaping HTML.
func quote(s string) json.RawMessage {
	data, err := encodeJSON(s)
	if err != nil { // a string always encodes
		return json.RawMessage(`""`)
	}
	return data
}

// encodeJSON encodes v without escaping HTML (tools.md §5.B.3).
func encodeJSON(v any) (json.RawMessage, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), nil
}
