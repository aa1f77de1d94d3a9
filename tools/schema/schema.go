// Package schema is the argument schemas of tools: one AST, four dialects.
package schema

// Schema is one node. A Schema is not changed after it was made.
type Schema struct {
	Type        string // object, array, string, number, integer, boolean, null; "" any
	Description string
	Title       string
	Properties  []Property // in order
	Required    []string
	// Closed is additionalProperties:false; Open is an explicit true.
	Closed, Open bool
	Items        *Schema
}

// Property is a named member of an object.
type Property struct {
	Name   string
	Schema *Schema
}

// Of returns the schema of a Go struct. Fields are named by their json tag; a
// field without omitempty or omitzero is required; the tag `desc` is the
// description, `enum:"a,b"`, `min`, `max`, `minLength`, `pattern`, `default`
// the constraints.
func Of[T any]() (*Schema, error) { panic("stub") }

// MarshalJSON emits draft-07 with keys in a stable order.
func (s *Schema) MarshalJSON() ([]byte, error) { panic("stub") }

// Violation is one fault of a value, with the path to it.
type Violation struct {
	Path    string
	Message string // whole, e.g. missing required property "a.b"
}

// Validate returns every violation of the JSON text data, in order; it never
// panics. Invalid JSON is one violation.
func (s *Schema) Validate(data []byte) []Violation { panic("stub") }

// Lossless checks that data is one JSON value that survives decoding: valid
// UTF-8, no duplicate keys, bounded depth, no numbers that overflow, nothing
// after it.
func Lossless(data []byte) error { panic("stub") }
