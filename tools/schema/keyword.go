package schema

import "encoding/json"

// kinds is a set of types that a keyword constrains; 0 is a keyword of every
// node.
type kinds uint8

const (
	onObject kinds = 1 << iota
	onArray
	onString
	onNumber
	onInteger
	onBoolean
	onNull

	onNumeric = onNumber | onInteger
	onScalar  = onString | onNumeric | onBoolean | onNull
)

// typeNames are the types in the order in which messages list them;
// typeKinds are their bits.
var (
	typeNames = []string{"object", "array", "string", "number", "integer", "boolean", "null"}
	typeKinds = map[string]kinds{
		"object": onObject, "array": onArray, "string": onString, "number": onNumber,
		"integer": onInteger, "boolean": onBoolean, "null": onNull,
	}
)

// keyword ties one keyword to its field: how a reader sets it and how an
// emitter writes it.
type keyword struct {
	name string
	on   kinds
	// read sets the field and reports whether the value had the right form;
	// if not, it has reported why.
	read func(r *reader, n *node, v *value) bool
	// write emits the field if it is set.
	write func(e *emitter, s *Schema)
}

// keywords are all keywords of the AST, in the order of emission.
var keywords = []keyword{
	textKeyword("$ref", func(s *Schema) *string { return &s.Ref }),
	typeKeyword(),
	textKeyword("title", func(s *Schema) *string { return &s.Title }),
	textKeyword("description", func(s *Schema) *string { return &s.Description }),
	literalKeyword("default", 0, func(s *Schema) *Literal { return &s.Default }),
	literalKeyword("examples", 0, func(s *Schema) *Literal { return &s.Examples }),
	enumKeyword(),
	literalKeyword("const", onScalar, func(s *Schema) *Literal { return &s.Const }),

	propertiesKeyword("properties", onObject, func(s *Schema) *[]Property { return &s.Properties }),
	requiredKeyword(),
	patternPropertiesKeyword(),
	additionalKeyword(),
	schemaKeyword("propertyNames", onObject, func(s *Schema) **Schema { return &s.PropertyNames }),
	countKeyword("minProperties", onObject, func(s *Schema) **int { return &s.MinProperties }),
	countKeyword("maxProperties", onObject, func(s *Schema) **int { return &s.MaxProperties }),
	dependenciesKeyword(),

	itemsKeyword(),
	additionalItemsKeyword(),
	schemaKeyword("contains", onArray, func(s *Schema) **Schema { return &s.Contains }),
	countKeyword("minItems", onArray, func(s *Schema) **int { return &s.MinItems }),
	countKeyword("maxItems", onArray, func(s *Schema) **int { return &s.MaxItems }),
	flagKeyword("uniqueItems", onArray, func(s *Schema) *bool { return &s.UniqueItems }),

	countKeyword("minLength", onString, func(s *Schema) **int { return &s.MinLength }),
	countKeyword("maxLength", onString, func(s *Schema) **int { return &s.MaxLength }),
	patternKeyword(),

	numberKeyword("minimum", func(s *Schema) *json.Number { return &s.Minimum }),
	numberKeyword("maximum", func(s *Schema) *json.Number { return &s.Maximum }),
	numberKeyword("exclusiveMinimum", func(s *Schema) *json.Number { return &s.ExclusiveMinimum }),
	numberKeyword("exclusiveMaximum", func(s *Schema) *json.Number { return &s.ExclusiveMaximum }),
	numberKeyword("multipleOf", func(s *Schema) *json.Number { return &s.MultipleOf }),

	schemasKeyword("allOf", func(s *Schema) *[]*Schema { return &s.AllOf }),
	schemasKeyword("anyOf", func(s *Schema) *[]*Schema { return &s.AnyOf }),
	schemasKeyword("oneOf", func(s *Schema) *[]*Schema { return &s.OneOf }),
	schemaKeyword("not", 0, func(s *Schema) **Schema { return &s.Not }),
	schemaKeyword("if", 0, func(s *Schema) **Schema { return &s.If }),
	schemaKeyword("then", 0, func(s *Schema) **Schema { return &s.Then }),
	schemaKeyword("else", 0, func(s *Schema) **Schema { return &s.Else }),
	propertiesKeyword("definitions", 0, func(s *Schema) *[]Property { return &s.Definitions }),
	propertiesKeyword("$defs", 0, func(s *Schema) *[]Property { return &s.Defs }),

	annotationKeyword("$schema"),
	annotationKeyword("$id"),
	annotationKeyword("$comment"),
	annotationKeyword("format"),
	annotationKeyword("readOnly"),
	annotationKeyword("writeOnly"),
	annotationKeyword("contentEncoding"),
	annotationKeyword("contentMediaType"),
}

func textKeyword(name string, field func(*Schema) *string) keyword {
	return keyword{
		name: name,
		read: func(r *reader, n *node, v *value) bool {
			if v.kind != textKind {
				return r.fail(n.at.key(name), "must be a string")
			}
			*field(n.Schema) = v.text
			return true
		},
		write: func(e *emitter, s *Schema) {
			if text := *field(s); text != "" {
				e.key(name)
				e.buf = appendString(e.buf, text)
			}
		},
	}
}

func flagKeyword(name string, on kinds, field func(*Schema) *bool) keyword {
	return keyword{
		name: name, on: on,
		read: func(r *reader, n *node, v *value) bool {
			if v.kind != boolKind {
				return r.fail(n.at.key(name), "must be a boolean")
			}
			*field(n.Schema) = v.text == "true"
			return true
		},
		write: func(e *emitter, s *Schema) {
			if *field(s) {
				e.key(name)
				e.buf = append(e.buf, "true"...)
			}
		},
	}
}

func countKeyword(name string, on kinds, field func(*Schema) **int) keyword {
	return keyword{
		name: name, on: on,
		read: func(r *reader, n *node, v *value) bool {
			count, ok := v.count()
			if !ok {
				return r.fail(n.at.key(name), "must be a non-negative integer")
			}
			*field(n.Schema) = &count
			return true
		},
		write: func(e *emitter, s *Schema) {
			if count := *field(s); count != nil {
				e.key(name)
				e.int(*count)
			}
		},
	}
}

func numberKeyword(name string, field func(*Schema) *json.Number) keyword {
	return keyword{
		name: name, on: onNumeric,
		read: func(r *reader, n *node, v *value) bool {
			if v.kind != numberKind {
				return r.fail(n.at.key(name), "must be a number")
			}
			if name == "multipleOf" && parseDecimal(v.text).sign() <= 0 {
				return r.fail(n.at.key(name), "must be greater than 0")
			}
			*field(n.Schema) = json.Number(v.text)
			return true
		},
		write: func(e *emitter, s *Schema) {
			if number := *field(s); number != "" {
				e.key(name)
				e.number(number)
			}
		},
	}
}

func literalKeyword(name string, on kinds, field func(*Schema) *Literal) keyword {
	return keyword{
		name: name, on: on,
		read: func(r *reader, n *node, v *value) bool {
			if !r.dialect.literal(r, n, name, v) {
				return false
			}
			*field(n.Schema) = Literal{set: true, value: *v}
			return true
		},
		write: func(e *emitter, s *Schema) {
			if l := field(s); l.set {
				e.key(name)
				e.buf = appendValue(e.buf, &l.value)
			}
		},
	}
}

func schemaKeyword(name string, on kinds, field func(*Schema) **Schema) keyword {
	return keyword{
		name: name, on: on,
		read: func(r *reader, n *node, v *value) bool {
			*field(n.Schema) = r.node(v, n.at.key(name)).Schema
			return true
		},
		write: func(e *emitter, s *Schema) {
			if child := *field(s); child != nil {
				e.key(name)
				e.schema(child)
			}
		},
	}
}

func schemasKeyword(name string, field func(*Schema) *[]*Schema) keyword {
	return keyword{
		name: name,
		read: func(r *reader, n *node, v *value) bool {
			if v.kind != arrayKind || len(v.list) == 0 {
				return r.fail(n.at.key(name), "must be a non-empty array of schemas")
			}
			*field(n.Schema) = r.nodes(v, n.at.key(name))
			return true
		},
		write: func(e *emitter, s *Schema) {
			if children := *field(s); len(children) > 0 {
				e.key(name)
				e.schemas(children)
			}
		},
	}
}

func propertiesKeyword(name string, on kinds, field func(*Schema) *[]Property) keyword {
	return keyword{
		name: name, on: on,
		read: func(r *reader, n *node, v *value) bool {
			if v.kind != objectKind {
				return r.fail(n.at.key(name), "must be an object of schemas")
			}
			properties, required := r.properties(v, n.at.key(name))
			*field(n.Schema) = properties
			n.Required = append(n.Required, required...)
			return true
		},
		write: func(e *emitter, s *Schema) {
			if properties := *field(s); properties != nil {
				e.key(name)
				e.properties(properties)
			}
		},
	}
}

func annotationKeyword(name string) keyword {
	return keyword{
		name: name,
		read: func(r *reader, n *node, v *value) bool {
			n.annotate(name, v)
			return true
		},
		write: func(*emitter, *Schema) {}, // all annotations are written last
	}
}
