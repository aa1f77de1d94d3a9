package schema

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
)

// Schema is one node of a schema. The zero Schema accepts every value. A
// Schema is not changed after it was made, so it may be shared.
//
// The fields are a superset of the four dialects (tools.md §5 row 23); which
// of them a foreign text may set is the Dialect's business.
type Schema struct {
	// Type is object, array, string, number, integer, boolean or null; "" is
	// any. OrTypes are the further types of a type list: a nullable string is
	// Type "string" with OrTypes ["null"].
	Type    string
	OrTypes []string

	// Title, Description, Default and Examples are annotations: no value is
	// checked against them, and Validate never inserts a default.
	Title       string
	Description string
	Default     Literal
	Examples    Literal

	// Enum and Const list the allowed values, compared as JSON values.
	Enum  []Literal
	Const Literal

	// Properties are the members of an object, in order. Required names those
	// that must be there; a member that is null is there.
	Properties []Property
	Required   []string
	// Closed is additionalProperties:false, Open an explicit true, Additional
	// the schema of undeclared members. At most one of them is set.
	Closed, Open      bool
	Additional        *Schema
	PatternProperties []PatternProperty
	PropertyNames     *Schema
	MinProperties     *int
	MaxProperties     *int
	Dependencies      []Dependency

	// Prefix are the schemas of the first elements of an array, Items that of
	// all others.
	Prefix      []*Schema
	Items       *Schema
	Contains    *Schema
	MinItems    *int
	MaxItems    *int
	UniqueItems bool

	// MinLength and MaxLength count code points.
	MinLength *int
	MaxLength *int
	Pattern   *Pattern

	// The bounds of a number are JSON number literals, "" for none.
	Minimum          json.Number
	Maximum          json.Number
	ExclusiveMinimum json.Number
	ExclusiveMaximum json.Number
	MultipleOf       json.Number

	AllOf, AnyOf, OneOf []*Schema
	Not, If, Then, Else *Schema
	Definitions, Defs   []Property

	// Ref is a reference inside the schema, such as "#/definitions/x". Only
	// Parse resolves it.
	Ref string
	// Annotations are keywords that are carried and not checked, such as
	// format.
	Annotations []Annotation

	target *Schema // of Ref
}

// Property is a named member of an object.
type Property struct {
	Name   string
	Schema *Schema
}

// PatternProperty is the schema of every member whose name matches.
type PatternProperty struct {
	Pattern *Pattern
	Schema  *Schema
}

// Dependency says what the presence of the member Name asks of its object:
// further members, or a schema.
type Dependency struct {
	Name     string
	Required []string
	Schema   *Schema
}

// Annotation is a keyword that is kept as it came.
type Annotation struct {
	Name  string
	Value Literal
}

// Property returns the schema of a declared member.
func (s *Schema) Property(name string) (*Schema, bool) {
	for i := range s.Properties {
		if s.Properties[i].Name == name {
			return s.Properties[i].Schema, true
		}
	}
	return nil, false
}

// IsRequired reports whether the member name must be there.
func (s *Schema) IsRequired(name string) bool {
	for _, r := range s.Required {
		if r == name {
			return true
		}
	}
	return false
}

// Literal is a JSON value inside a schema. The zero Literal is none.
type Literal struct {
	set   bool
	value value
}

// NewLiteral decodes data, which must be lossless (see Lossless).
func NewLiteral(data []byte) (Literal, error) {
	v, err := decode(string(data), 0)
	if err != nil {
		return Literal{}, err
	}
	return Literal{set: true, value: v}, nil
}

// StringLiteral is the literal of a string.
func StringLiteral(s string) Literal {
	return Literal{set: true, value: value{kind: textKind, text: strings.ToValidUTF8(s, "\uFFFD")}}
}

// IsZero reports whether there is no value.
func (l Literal) IsZero() bool { return !l.set }

// MarshalJSON returns the value as compact JSON with members in their order
// and numbers as they were written; no value is null.
func (l Literal) MarshalJSON() ([]byte, error) { return appendValue(nil, &l.value), nil }

// String returns the compact JSON of l, "" for no value.
func (l Literal) String() string {
	if !l.set {
		return ""
	}
	return string(appendValue(nil, &l.value))
}

// Pattern is a regular expression of a schema: unanchored, RE2 syntax.
type Pattern struct {
	source string
	re     *regexp.Regexp // nil in a foreign schema whose pattern RE2 cannot run
}

// NewPattern compiles source. RE2 has no look-around and no back-references:
// such a pattern is an error.
func NewPattern(source string) (*Pattern, error) {
	re, err := regexp.Compile(source)
	if err != nil {
		return nil, fmt.Errorf("not a pattern that RE2 can run: %w", err)
	}
	return &Pattern{source: source, re: re}, nil
}

// String returns the source of p.
func (p *Pattern) String() string { return p.source }

// matches reports whether s matches; a pattern that cannot run matches all.
func (p *Pattern) matches(s string) bool { return p.re == nil || p.re.MatchString(s) }

// Violation is one fault of a value or of a schema, with the path to it.
type Violation struct {
	// Path is dotted, with indices in brackets: a.b[0].
	Path string `json:"path"`
	// Message is whole, e.g. missing required property "a.b".
	Message string `json:"message"`
}

// Error is the refusal of a schema by Parse: every violation, in order.
type Error struct {
	// Name is OutputSchemaError for the Structured dialect (seed 002), else
	// SchemaError.
	Name string
	// Code is UNSUPPORTED_SCHEMA for the Structured dialect, else
	// INVALID_INPUT (seed 003).
	Code       string
	Violations []Violation
}

// The codes of Error.
const (
	CodeUnsupportedSchema = "UNSUPPORTED_SCHEMA"
	CodeInvalidInput      = "INVALID_INPUT"
)

// Error joins all messages.
func (e *Error) Error() string {
	head := "invalid schema: "
	if e.Code == CodeUnsupportedSchema {
		head = "unsupported output schema: "
	}
	return head + Join(e.Violations)
}

// ErrorCode returns Code.
func (e *Error) ErrorCode() string { return e.Code }

// Join joins the messages of vs by semicolons, the form of tools.md §3.3.4.
func Join(vs []Violation) string {
	messages := make([]string, len(vs))
	for i, v := range vs {
		messages[i] = v.Message
	}
	return strings.Join(messages, "; ")
}
