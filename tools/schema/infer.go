package schema

import (
	"encoding"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
)

// Of returns the schema of the struct T, as the decoder of encoding/json
// reads it; it is closed, and so are the structs in it.
//
// A field is named by its json tag. It is optional with omitempty, omitzero,
// a default, or as a pointer; optional means that it may be absent, not that
// it may be null (tools.md §1.1.2). nullable:"true" adds null. Embedded
// structs are flattened. Slices, arrays, maps with string keys, []byte (a
// base64 string), json.Number, json.RawMessage and any (every value) have a
// schema; so has what implements encoding.TextUnmarshaler (a string). All
// else, a json.Unmarshaler and a recursive type among it, is an error.
//
// Further tags are desc (the description), enum:"a,b", pattern, minLength,
// maxLength, min, max, which on a slice apply to its elements, then minItems,
// maxItems, uniqueItems:"true", and default, which is JSON, or the text
// itself for a string.
func Of[T any]() (*Schema, error) {
	t := reflect.TypeFor[T]()
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if t.Kind() != reflect.Struct {
		return nil, fmt.Errorf("%s has no argument schema: it is no struct", t)
	}
	return new(inferrer).structOf(t)
}

// inferrer turns types into schemas.
type inferrer struct {
	open []reflect.Type // structs being read, against recursion
}

var (
	rawMessageType      = reflect.TypeFor[json.RawMessage]()
	jsonNumberType      = reflect.TypeFor[json.Number]()
	unmarshalerType     = reflect.TypeFor[json.Unmarshaler]()
	textUnmarshalerType = reflect.TypeFor[encoding.TextUnmarshaler]()
)

func (in *inferrer) schemaOf(t reflect.Type) (*Schema, error) {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	switch {
	case t == rawMessageType || t.Kind() == reflect.Interface && t.NumMethod() == 0:
		return &Schema{}, nil
	case t == jsonNumberType:
		return &Schema{Type: "number"}, nil
	case reflect.PointerTo(t).Implements(unmarshalerType):
		return nil, fmt.Errorf("%s decodes itself, so its schema is unknown", t)
	case reflect.PointerTo(t).Implements(textUnmarshalerType):
		return &Schema{Type: "string"}, nil
	}
	switch t.Kind() {
	case reflect.String:
		return &Schema{Type: "string"}, nil
	case reflect.Bool:
		return &Schema{Type: "boolean"}, nil
	case reflect.Float32, reflect.Float64:
		return &Schema{Type: "number"}, nil
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		return &Schema{Type: "integer"}, nil
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		return &Schema{Type: "integer", Minimum: "0"}, nil
	case reflect.Slice, reflect.Array:
		return in.arrayOf(t)
	case reflect.Map:
		return in.mapOf(t)
	case reflect.Struct:
		return in.structOf(t)
	default:
		return nil, fmt.Errorf("%s has no JSON schema", t)
	}
}

func (in *inferrer) arrayOf(t reflect.Type) (*Schema, error) {
	if t.Kind() == reflect.Slice && t.Elem().Kind() == reflect.Uint8 {
		encoding := Annotation{"contentEncoding", StringLiteral("base64")}
		return &Schema{Type: "string", Annotations: []Annotation{encoding}}, nil
	}
	items, err := in.schemaOf(t.Elem())
	if err != nil {
		return nil, err
	}
	s := &Schema{Type: "array", Items: items}
	if t.Kind() == reflect.Array {
		s.MinItems, s.MaxItems = new(t.Len()), new(t.Len())
	}
	return s, nil
}

func (in *inferrer) mapOf(t reflect.Type) (*Schema, error) {
	if t.Key().Kind() != reflect.String {
		return nil, fmt.Errorf("%s has keys that are no strings", t)
	}
	values, err := in.schemaOf(t.Elem())
	if err != nil {
		return nil, err
	}
	return &Schema{Type: "object", Additional: values}, nil
}

func (in *inferrer) structOf(t reflect.Type) (*Schema, error) {
	s := &Schema{Type: "object", Properties: []Property{}, Closed: true}
	if err := in.fields(s, t); err != nil {
		return nil, err
	}
	return s, nil
}

// fields adds the fields of t to s, those of embedded structs among them.
func (in *inferrer) fields(s *Schema, t reflect.Type) error {
	if slices.Contains(in.open, t) {
		return fmt.Errorf("%s contains itself", t)
	}
	in.open = append(in.open, t)
	defer func() { in.open = in.open[:len(in.open)-1] }()

	for i := range t.NumField() {
		f := t.Field(i)
		var err error
		if inner := flattened(f); inner != nil {
			err = in.fields(s, inner)
		} else if f.IsExported() && f.Tag.Get("json") != "-" {
			err = in.field(s, f)
		}
		if err != nil {
			return fmt.Errorf("field %s of %s: %w", f.Name, t, err)
		}
	}
	return nil
}

// flattened returns the struct whose fields f lends to its own, nil for none.
func flattened(f reflect.StructField) reflect.Type {
	name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
	t := f.Type
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if !f.Anonymous || name != "" || t.Kind() != reflect.Struct {
		return nil
	}
	return t
}

func (in *inferrer) field(s *Schema, f reflect.StructField) error {
	name, rest, _ := strings.Cut(f.Tag.Get("json"), ",")
	if name == "" {
		name = f.Name
	}
	options := strings.Split(rest, ",")
	if slices.Contains(options, "string") {
		return errors.New("the json option string has no schema")
	}
	if _, taken := s.Property(name); taken {
		return fmt.Errorf("the name %q is taken twice", name)
	}
	p, err := in.schemaOf(f.Type)
	if err != nil {
		return err
	}
	if err := applyTags(p, f.Tag); err != nil {
		return err
	}
	s.Properties = append(s.Properties, Property{name, p})
	if !optional(f, options, p) {
		s.Required = append(s.Required, name)
	}
	return nil
}

func optional(f reflect.StructField, options []string, s *Schema) bool {
	return f.Type.Kind() == reflect.Pointer || s.Default.set ||
		slices.Contains(options, "omitempty") || slices.Contains(options, "omitzero")
}
