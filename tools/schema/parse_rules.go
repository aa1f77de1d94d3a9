package schema

import (
	"encoding/json"
	"fmt"
	"slices"
)

// typed checks that a node says what it is (seeds 002 and 003).
func (r *reader) typed(n *node, v *value) {
	hasType, hasUnion := v.member("type") != nil, r.dialect.unions && v.member("oneOf") != nil
	switch {
	case hasType && hasUnion:
		r.fail(n.at.key("oneOf"), "must stand in place of type, not beside it")
	case !hasType && !hasUnion:
		r.fail(n.at.key("type"), r.dialect.oneOfTypes())
	}
	if r.dialect.itemsNeeded && n.Type == "array" && v.member("items") == nil {
		r.fail(n.at.key("items"), "is missing: an array must say what its items are")
	}
}

// sound checks what keywords of one node ask of each other.
func (r *reader) sound(n *node) {
	if r.dialect.declared {
		for _, name := range n.Required {
			if _, ok := n.Property(name); !ok {
				r.fail(n.at.key("required"), fmt.Sprintf("names %s which is not in properties", appendString(nil, clip(name))))
			}
		}
	}
	if !r.dialect.sane {
		return
	}
	r.ordered(n, "minLength", n.MinLength, n.MaxLength)
	r.ordered(n, "minItems", n.MinItems, n.MaxItems)
	if n.Minimum != "" && n.Maximum != "" && compareNumbers(n.Minimum, n.Maximum) > 0 {
		r.fail(n.at.key("minimum"), "must not be greater than maximum")
	}
	for i := range n.Enum {
		if n.Type != "" && !hasType(n.Type, &n.Enum[i].value) {
			r.fail(n.at.key("enum").index(i), fmt.Sprintf("must be of type %q", n.Type))
		}
	}
}

func (r *reader) ordered(n *node, name string, low, high *int) {
	if low != nil && high != nil && *low > *high {
		r.fail(n.at.key(name), "must not be greater than "+"max"+name[len("min"):])
	}
}

func compareNumbers(a, b json.Number) int {
	return parseDecimal(string(a)).compare(parseDecimal(string(b)))
}

// allowsType reports whether v has one of the types that s allows.
func (s *Schema) allowsType(v *value) bool {
	if s.Type == "" || hasType(s.Type, v) {
		return true
	}
	return slices.ContainsFunc(s.OrTypes, func(t string) bool { return hasType(t, v) })
}

// hasType reports whether v is of the type named; 3.0 is an integer.
func hasType(name string, v *value) bool {
	switch name {
	case "object":
		return v.kind == objectKind
	case "array":
		return v.kind == arrayKind
	case "string":
		return v.kind == textKind
	case "number":
		return v.kind == numberKind
	case "integer":
		return v.kind == numberKind && parseDecimal(v.text).integral()
	case "boolean":
		return v.kind == boolKind
	case "null":
		return v.kind == nullKind
	default:
		return false
	}
}
