package schema

import (
	"slices"
	"strings"
)

// Dialect is one of the schema languages that tools are described in. Each
// is an allow-list of keywords over the one AST; what it does not list, Parse
// refuses with its path.
type Dialect uint8

const (
	// Draft07 is JSON Schema draft-07 with $defs besides definitions. It is
	// what models get, and what MCP servers give. References lead to places
	// inside the schema only.
	Draft07 Dialect = iota
	// DSL is seed 002's typed schema: an object of properties, each with a
	// flag required:true of its own.
	DSL
	// Args is seed 003's subset for the arguments of declared tools, and
	// additionalProperties as a boolean (tools.md §4.2.4).
	Args
	// StrictArgs is Args without additionalProperties.
	StrictArgs
	// Structured is seed 002's subset for structured output.
	Structured
)

// String returns the dialect's name.
func (d Dialect) String() string { return dialects[d].name }

// dialect is the rule book of a Dialect.
type dialect struct {
	name     string
	keywords map[string]keyword
	types    []string
	// subset ends the message about a foreign keyword.
	subset string

	typeLists         bool // type may be a list
	booleans          bool // true and false are schemas
	tuples            bool // items may be a list
	additionalSchemas bool // additionalProperties may be a schema
	dsl               bool // the root is an object of properties
	objectRoot        bool // the root must be of type object
	// typed asks each node for its type, and refuses a keyword that does not
	// go with it.
	typed bool
	// unions lets oneOf stand in place of type.
	unions bool
	// declared asks that required names be in properties.
	declared bool
	// itemsNeeded asks arrays for items.
	itemsNeeded bool
	// sane asks that bounds be in order and enum be of the node's type.
	sane bool
	// scalars limits enum and const to scalars, stringEnum enum to strings.
	scalars    bool
	stringEnum bool
}

const annotationNames = "description default examples"

var dialects = [...]dialect{
	Draft07: {
		name: "draft-07", keywords: named(""), types: typeNames,
		typeLists: true, booleans: true, tuples: true, additionalSchemas: true,
	},
	DSL: {
		name:     "dsl",
		keywords: dslKeywords(),
		types:    []string{"string", "number", "boolean", "object", "array"},
		dsl:      true, typed: true, stringEnum: true,
	},
	Args:       argsDialect("args", " additionalProperties"),
	StrictArgs: argsDialect("strict args", ""),
	Structured: {
		name: "structured",
		keywords: named("type properties required additionalProperties items enum const title " +
			annotationNames),
		types:      typeNames,
		subset:     " (subset: type/properties/required/additionalProperties/items/enum/const + annotations)",
		objectRoot: true, typed: true, declared: true, scalars: true,
	},
}

func argsDialect(name, more string) dialect {
	list := "type enum minLength maxLength pattern minimum maximum items minItems maxItems uniqueItems " +
		"properties required oneOf" + more
	return dialect{
		name:     name,
		keywords: named(list + " " + annotationNames),
		types:    slices.DeleteFunc(slices.Clone(typeNames), func(t string) bool { return t == "null" }),
		subset:   " (subset: " + strings.ReplaceAll(list, " ", "/") + " + annotations)",
		typed:    true, unions: true, declared: true, itemsNeeded: true, sane: true, scalars: true, objectRoot: true,
	}
}

// named picks keywords by name, all of them for "".
func named(list string) map[string]keyword {
	names := strings.Fields(list)
	picked := make(map[string]keyword, len(keywords))
	for _, k := range keywords {
		if len(names) == 0 || slices.Contains(names, k.name) {
			picked[k.name] = k
		}
	}
	return picked
}

func dslKeywords() map[string]keyword {
	picked := named("type description enum default properties items")
	flag := requiredFlag()
	picked[flag.name] = flag
	return picked
}

func (d *dialect) oneOfTypes() string { return "must be one of " + strings.Join(d.types, "/") }

// literal checks the form of enum, const and the annotations that hold data.
func (d *dialect) literal(r *reader, n *node, name string, v *value) bool {
	switch name {
	case "enum":
		return d.enum(r, n, v)
	case "const":
		if d.scalars && !v.scalar() {
			return r.fail(n.at.key(name), "must be a scalar")
		}
	case "examples":
		if d.sane && v.kind != arrayKind {
			return r.fail(n.at.key(name), "must be an array")
		}
	}
	return true
}

func (d *dialect) enum(r *reader, n *node, v *value) bool {
	at := n.at.key("enum")
	switch {
	case d.stringEnum && (!v.all((*value).isText) || len(v.list) == 0):
		return r.fail(at, "must be a non-empty array of strings")
	case d.scalars && (!v.all((*value).scalar) || len(v.list) == 0):
		return r.fail(at, "must be a non-empty array of scalars")
	case v.kind != arrayKind:
		return r.fail(at, "must be an array")
	}
	return true
}

func (v *value) scalar() bool { return v.kind < arrayKind }
func (v *value) isText() bool { return v.kind == textKind }

// all reports whether v is an array whose elements are all ok.
func (v *value) all(ok func(*value) bool) bool {
	if v.kind != arrayKind {
		return false
	}
	for i := range v.list {
		if !ok(&v.list[i]) {
			return false
		}
	}
	return true
}
