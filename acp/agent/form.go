package agent

import (
	"encoding/json"
	"errors"
	"fmt"

	"github.com/agent-ls/agent-ls/acp"
)

// object is a JSON object by its members.
type object = map[string]json.RawMessage

// fieldWords are the keywords of a form's field by its type (acp.md Appendix A).
var fieldWords = map[string][]string{
	"string":  {"type", "title", "description", "default", "minLength", "maxLength", "pattern", "format", "enum", "oneOf"},
	"number":  {"type", "title", "description", "default", "minimum", "maximum"},
	"integer": {"type", "title", "description", "default", "minimum", "maximum"},
	"boolean": {"type", "title", "description", "default"},
	"array":   {"type", "title", "description", "default", "minItems", "maxItems", "items"},
}

// choiceWords are the keywords of one choice.
var choiceWords = []string{"const", "title", "description"}

// formSchema is a JSON schema in the words that ACP has for forms. A field of a
// kind that it has none for is an error: the form would be another one.
func formSchema(schema json.RawMessage) (json.RawMessage, error) {
	var in object
	if json.Unmarshal(schema, &in) != nil {
		return nil, errors.New("the schema of the form is no object")
	}
	out := pick(in, "title", "description", "required")
	out["type"] = json.RawMessage(`"object"`)
	var fields map[string]object
	if properties, ok := in["properties"]; ok && json.Unmarshal(properties, &fields) != nil {
		return nil, errors.New("the fields of the form are no schemas")
	}
	shown := make(map[string]object, len(fields))
	for name, field := range fields {
		f, err := formField(field)
		if err != nil {
			return nil, fmt.Errorf("field %q: %w", name, err)
		}
		shown[name] = f
	}
	return assemble(out, "properties", shown)
}

func formField(in object) (object, error) {
	var kind string
	if json.Unmarshal(in["type"], &kind) != nil || fieldWords[kind] == nil {
		return nil, fmt.Errorf("a form has no fields of the type %s", in["type"])
	}
	out := pick(in, fieldWords[kind]...)
	switch {
	case in["enumNames"] != nil:
		named(in, out)
	case in["oneOf"] != nil:
		out["oneOf"] = choices(in["oneOf"])
	}
	if kind == "array" {
		var items object
		if json.Unmarshal(in["items"], &items) != nil {
			return nil, errors.New("a list without choices")
		}
		words := pick(items, "type", "enum", "anyOf")
		if items["anyOf"] != nil {
			words["anyOf"] = choices(items["anyOf"])
		}
		raw, err := acp.Encode(words)
		if err != nil {
			return nil, err
		}
		out["items"] = raw
	}
	return out, nil
}

// named turns the older form of named choices, enum and enumNames, into oneOf.
func named(in, out object) {
	var values, names []string
	if json.Unmarshal(in["enum"], &values) != nil || json.Unmarshal(in["enumNames"], &names) != nil || len(values) != len(names) {
		return
	}
	list := make([]map[string]string, len(values))
	for i := range values {
		list[i] = map[string]string{"const": values[i], "title": names[i]}
	}
	if raw, err := acp.Encode(list); err == nil {
		delete(out, "enum")
		out["oneOf"] = raw
	}
}

// choices are named choices with nothing else in them.
func choices(raw json.RawMessage) json.RawMessage {
	var list []object
	if json.Unmarshal(raw, &list) != nil {
		return raw
	}
	for i := range list {
		list[i] = pick(list[i], choiceWords...)
	}
	clean, err := acp.Encode(list)
	if err != nil {
		return raw
	}
	return clean
}

// pick returns the named members that are there.
func pick(in object, names ...string) object {
	out := object{}
	for _, name := range names {
		if v, ok := in[name]; ok && string(v) != "null" {
			out[name] = v
		}
	}
	return out
}

// assemble encodes an object with one more member.
func assemble(o object, name string, value any) (json.RawMessage, error) {
	raw, err := acp.Encode(value)
	if err != nil {
		return nil, err
	}
	o[name] = raw
	return acp.Encode(o)
}
