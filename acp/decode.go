package acp

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"sync"
)

// Decode reads JSON into *v leniently (acp.md §3): unknown members are
// ignored, null is absent, an optional member of the wrong shape is absent, an
// item of the wrong shape is left out of its list. What remains an error is
// input that is no JSON and a required member that is absent or of the wrong
// shape; its message names the path.
//
// A member is optional when its json tag says omitempty or omitzero, or its acp
// tag "lenient" (always written, not asked for). A list tagged acp:"whole" has
// no item left out: one bad item fails it.
func Decode(data []byte, v any) error {
	if !json.Valid(data) {
		if len(data) == 0 {
			return errors.New("a value is missing")
		}
		return errors.New("not JSON")
	}
	dst := reflect.ValueOf(v)
	if dst.Kind() != reflect.Pointer || dst.IsNil() {
		return fmt.Errorf("decode into %T, which is no pointer", v)
	}
	return decodeValue(bytes.TrimSpace(data), dst.Elem(), false)
}

// decodeError is a value of the wrong shape, with the path to it.
type decodeError struct {
	path string
	want string
}

func (e *decodeError) Error() string {
	if e.path == "" {
		return "expected " + e.want
	}
	return e.path + ": expected " + e.want
}

// under puts a path element before the error's path.
func under(name string, err error) error {
	var e *decodeError
	if !errors.As(err, &e) {
		return err
	}
	path := name
	if e.path != "" && e.path[0] != '[' {
		path += "."
	}
	return &decodeError{path: path + e.path, want: e.want}
}

func expected(want string) error { return &decodeError{want: want} }

var (
	rawType         = reflect.TypeFor[json.RawMessage]()
	unmarshalerType = reflect.TypeFor[json.Unmarshaler]()
)

func decodeValue(data json.RawMessage, dst reflect.Value, whole bool) error {
	t := dst.Type()
	switch {
	case t == rawType:
		dst.SetBytes(append([]byte(nil), data...))
		return nil
	case reflect.PointerTo(t).Implements(unmarshalerType):
		return dst.Addr().Interface().(json.Unmarshaler).UnmarshalJSON(data)
	}
	switch t.Kind() {
	case reflect.Pointer:
		fresh := reflect.New(t.Elem())
		if err := decodeValue(data, fresh.Elem(), whole); err != nil {
			return err
		}
		dst.Set(fresh)
		return nil
	case reflect.Struct:
		m, err := members(data)
		if err != nil {
			return err
		}
		return decodeStruct(m, dst)
	case reflect.Slice:
		return decodeList(data, dst, whole)
	case reflect.Map:
		return decodeMap(data, dst)
	case reflect.Interface:
		return decodeUnion(data, dst)
	default:
		return decodeScalar(data, dst)
	}
}

func decodeScalar(data json.RawMessage, dst reflect.Value) error {
	if present(data) != nil && json.Unmarshal(data, dst.Addr().Interface()) == nil {
		return nil
	}
	switch dst.Kind() {
	case reflect.String:
		return expected("a string")
	case reflect.Bool:
		return expected("true or false")
	case reflect.Float64:
		return expected("a number")
	default:
		return expected("a whole number in range")
	}
}

func members(data json.RawMessage) (map[string]json.RawMessage, error) {
	var m map[string]json.RawMessage
	if data[0] != '{' || json.Unmarshal(data, &m) != nil {
		return nil, expected("an object")
	}
	return m, nil
}

func decodeStruct(m map[string]json.RawMessage, dst reflect.Value) error {
	for _, f := range fieldsOf(dst.Type()) {
		raw, target := present(m[f.name]), dst.FieldByIndex(f.index)
		if raw == nil {
			if f.optional {
				continue
			}
			return &decodeError{path: f.name, want: "a value, which is required"}
		}
		if err := decodeValue(raw, target, f.whole); err != nil {
			if !f.optional {
				return under(f.name, err)
			}
			target.SetZero()
		}
	}
	return nil
}

func decodeList(data json.RawMessage, dst reflect.Value, whole bool) error {
	var items []json.RawMessage
	if data[0] != '[' || json.Unmarshal(data, &items) != nil {
		return expected("a list")
	}
	list := reflect.MakeSlice(dst.Type(), 0, len(items))
	for i, item := range items {
		v := reflect.New(dst.Type().Elem()).Elem()
		if err := decodeValue(item, v, false); err == nil {
			list = reflect.Append(list, v)
		} else if whole {
			return under(fmt.Sprintf("[%d]", i), err)
		}
	}
	dst.Set(list)
	return nil
}

func decodeMap(data json.RawMessage, dst reflect.Value) error {
	m, err := members(data)
	if err != nil {
		return err
	}
	out := reflect.MakeMapWithSize(dst.Type(), len(m))
	for k, raw := range m {
		v := reflect.New(dst.Type().Elem()).Elem()
		if decodeValue(raw, v, false) == nil {
			out.SetMapIndex(reflect.ValueOf(k), v)
		}
	}
	dst.Set(out)
	return nil
}

// decodeUnion picks the arm of a union by its tag, or by what the members are
// where the schema has an arm without a tag.
func decodeUnion(data json.RawMessage, dst reflect.Value) error {
	u, ok := unions[dst.Type()]
	if !ok {
		return fmt.Errorf("decode into %v, which is no union", dst.Type())
	}
	m, err := members(data)
	if err != nil {
		return err
	}
	arm := u.pick(m)
	if arm == nil {
		return &decodeError{path: u.tag, want: "one of " + strings.Join(u.names(), ", ")}
	}
	v := reflect.New(arm).Elem()
	if err := decodeStruct(m, v); err != nil {
		return err
	}
	dst.Set(v)
	return nil
}

// field is a member of a struct type.
type field struct {
	name     string
	index    []int
	optional bool
	whole    bool
}

var fieldCache sync.Map // reflect.Type → []field

// fieldsOf lists the members of a struct type, those of embedded structs too.
func fieldsOf(t reflect.Type) []field {
	if cached, ok := fieldCache.Load(t); ok {
		return cached.([]field)
	}
	var out []field
	for _, f := range reflect.VisibleFields(t) {
		if f.Anonymous || !f.IsExported() {
			continue
		}
		name, options, _ := strings.Cut(f.Tag.Get("json"), ",")
		if name == "-" {
			continue
		}
		out = append(out, field{
			name: name, index: f.Index,
			optional: strings.Contains(options, "omit") || f.Tag.Get("acp") == "lenient",
			whole:    f.Tag.Get("acp") == "whole",
		})
	}
	cached, _ := fieldCache.LoadOrStore(t, out)
	return cached.([]field)
}
