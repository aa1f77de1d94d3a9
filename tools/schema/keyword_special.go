package schema

import (
	"encoding/json"
	"slices"
)

func typeKeyword() keyword {
	const name = "type"
	return keyword{
		name: name,
		read: func(r *reader, n *node, v *value) bool {
			if v.kind == textKind && slices.Contains(r.dialect.types, v.text) {
				n.Type = v.text
				return true
			}
			if v.kind == arrayKind && r.dialect.typeLists {
				return readTypeList(r, n, v)
			}
			if v.kind == arrayKind {
				return r.fail(n.at.key(name), "must be a single type string (type arrays are not supported)")
			}
			return r.fail(n.at.key(name), r.dialect.oneOfTypes())
		},
		write: func(e *emitter, s *Schema) {
			first := s.Type
			if e.depth == 1 && first == "" && s.objectUnion() {
				first = "object"
			}
			if first == "" {
				return
			}
			e.key(name)
			if len(s.OrTypes) == 0 {
				e.buf = appendString(e.buf, first)
				return
			}
			e.strings(append([]string{first}, s.OrTypes...))
		},
	}
}

// readTypeList puts the first type that is not null into Type.
func readTypeList(r *reader, n *node, v *value) bool {
	names, ok := v.strings()
	for _, name := range names {
		ok = ok && slices.Contains(r.dialect.types, name)
	}
	if !ok || len(names) == 0 {
		return r.fail(n.at.key("type"), r.dialect.oneOfTypes())
	}
	first := slices.IndexFunc(names, func(name string) bool { return name != "null" })
	first = max(first, 0)
	n.Type = names[first]
	n.OrTypes = slices.Delete(names, first, first+1)
	return true
}

func enumKeyword() keyword {
	const name = "enum"
	return keyword{
		name: name, on: onScalar,
		read: func(r *reader, n *node, v *value) bool {
			if !r.dialect.literal(r, n, name, v) {
				return false
			}
			for i := range v.list {
				n.Enum = append(n.Enum, Literal{set: true, value: v.list[i]})
			}
			return true
		},
		write: func(e *emitter, s *Schema) {
			if len(s.Enum) > 0 {
				e.key(name)
				e.buf = appendEnum(e.buf, s.Enum)
			}
		},
	}
}

func appendEnum(b []byte, enum []Literal) []byte {
	b = append(b, '[')
	for i := range enum {
		if i > 0 {
			b = append(b, ',')
		}
		b = appendValue(b, &enum[i].value)
	}
	return append(b, ']')
}

func requiredKeyword() keyword {
	const name = "required"
	return keyword{
		name: name, on: onObject,
		read: func(r *reader, n *node, v *value) bool {
			names, ok := v.strings()
			if !ok {
				return r.fail(n.at.key(name), "must be an array of strings")
			}
			n.Required = append(n.Required, names...)
			return true
		},
		write: func(e *emitter, s *Schema) {
			if len(s.Required) > 0 {
				e.key(name)
				e.strings(s.Required)
			}
		},
	}
}

// requiredFlag is seed 002's form of required: a flag of the property itself.
func requiredFlag() keyword {
	const name = "required"
	return keyword{
		name: name,
		read: func(r *reader, n *node, v *value) bool {
			if v.kind != boolKind || v.text != "true" {
				return r.fail(n.at.key(name), "must be true or absent")
			}
			n.required = true
			return true
		},
	}
}

func patternKeyword() keyword {
	const name = "pattern"
	return keyword{
		name: name, on: onString,
		read: func(r *reader, n *node, v *value) bool {
			if v.kind != textKind {
				return r.fail(n.at.key(name), "must be a string")
			}
			p, err := NewPattern(v.text)
			if err != nil {
				return r.fail(n.at.key(name), "is "+err.Error())
			}
			n.Pattern = p
			return true
		},
		write: func(e *emitter, s *Schema) {
			if s.Pattern != nil {
				e.key(name)
				e.buf = appendString(e.buf, s.Pattern.source)
			}
		},
	}
}

func patternPropertiesKeyword() keyword {
	const name = "patternProperties"
	return keyword{
		name: name, on: onObject,
		read: func(r *reader, n *node, v *value) bool {
			if v.kind != objectKind {
				return r.fail(n.at.key(name), "must be an object of schemas")
			}
			for i := range v.list {
				member := &v.list[i]
				at := n.at.key(name).key(member.key)
				p, err := NewPattern(member.key)
				if err != nil {
					r.fail(at, "has a name that is "+err.Error())
					p = &Pattern{source: member.key}
				}
				n.PatternProperties = append(n.PatternProperties, PatternProperty{p, r.node(member, at).Schema})
			}
			return true
		},
		write: func(e *emitter, s *Schema) {
			if len(s.PatternProperties) == 0 {
				return
			}
			properties := make([]Property, len(s.PatternProperties))
			for i, p := range s.PatternProperties {
				properties[i] = Property{p.Pattern.source, p.Schema}
			}
			e.key(name)
			e.properties(properties)
		},
	}
}

func additionalKeyword() keyword {
	const name = "additionalProperties"
	return keyword{
		name: name, on: onObject,
		read: func(r *reader, n *node, v *value) bool {
			switch {
			case v.kind == boolKind:
				n.Open = v.text == "true"
				n.Closed = !n.Open
			case r.dialect.additionalSchemas:
				n.Additional = r.node(v, n.at.key(name)).Schema
			default:
				return r.fail(n.at.key(name), "must be a boolean")
			}
			return true
		},
		write: func(e *emitter, s *Schema) {
			switch {
			case s.Closed:
				e.key(name)
				e.buf = append(e.buf, "false"...)
			case s.Additional != nil:
				e.key(name)
				e.schema(s.Additional)
			case s.Open:
				e.key(name)
				e.buf = append(e.buf, "true"...)
			}
		},
	}
}

func dependenciesKeyword() keyword {
	const name = "dependencies"
	return keyword{
		name: name, on: onObject,
		read: func(r *reader, n *node, v *value) bool {
			if v.kind != objectKind {
				return r.fail(n.at.key(name), "must be an object of schemas or arrays of strings")
			}
			for i := range v.list {
				member := &v.list[i]
				d := Dependency{Name: member.key}
				if names, ok := member.strings(); ok {
					d.Required = names
				} else {
					d.Schema = r.node(member, n.at.key(name).key(member.key)).Schema
				}
				n.Dependencies = append(n.Dependencies, d)
			}
			return true
		},
		write: func(e *emitter, s *Schema) {
			if len(s.Dependencies) == 0 {
				return
			}
			e.key(name)
			e.open('{')
			for _, d := range s.Dependencies {
				e.key(d.Name)
				if d.Schema != nil {
					e.schema(d.Schema)
				} else {
					e.strings(d.Required)
				}
			}
			e.close('}')
		},
	}
}

func itemsKeyword() keyword {
	const name = "items"
	return keyword{
		name: name, on: onArray,
		read: func(r *reader, n *node, v *value) bool {
			if v.kind == arrayKind && r.dialect.tuples {
				n.Prefix = r.nodes(v, n.at.key(name))
				return true
			}
			n.Items = r.node(v, n.at.key(name)).Schema
			return true
		},
		write: func(e *emitter, s *Schema) {
			switch {
			case len(s.Prefix) > 0:
				e.key(name)
				e.schemas(s.Prefix)
			case s.Items != nil:
				e.key(name)
				e.schema(s.Items)
			}
		},
	}
}

// additionalItemsKeyword is of use beside a list of items only; without one
// draft-07 ignores it, and so it stays an annotation.
func additionalItemsKeyword() keyword {
	const name = "additionalItems"
	return keyword{
		name: name, on: onArray,
		read: func(r *reader, n *node, v *value) bool {
			if len(n.Prefix) == 0 {
				n.annotate(name, v)
				return true
			}
			n.Items = r.node(v, n.at.key(name)).Schema
			return true
		},
		write: func(e *emitter, s *Schema) {
			if len(s.Prefix) > 0 && s.Items != nil {
				e.key(name)
				e.schema(s.Items)
			}
		},
	}
}

// count returns a non-negative integer of moderate size.
func (v *value) count() (int, bool) {
	const most = 1 << 31
	if v.kind != numberKind {
		return 0, false
	}
	n := parseDecimal(v.text)
	if !n.integral() || n.sign() < 0 || n.exp > 10 {
		return 0, false
	}
	i, err := json.Number(n.append(nil)).Int64()
	return int(i), err == nil && i < most
}

// strings returns the elements of an array of strings.
func (v *value) strings() ([]string, bool) {
	if v.kind != arrayKind {
		return nil, false
	}
	list := make([]string, len(v.list))
	for i := range v.list {
		if v.list[i].kind != textKind {
			return nil, false
		}
		list[i] = v.list[i].text
	}
	return list, true
}
