package acp

import (
	"bytes"
	"encoding/json"
)

// Encode returns v as JSON on one line. Text stays as it is: nothing is
// escaped for HTML, and invalid UTF-8 becomes U+FFFD.
func Encode(v any) (json.RawMessage, error) {
	switch raw := v.(type) {
	case json.RawMessage:
		return raw, nil
	case nil:
		return null, nil
	}
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return nil, err
	}
	return b.Bytes()[:b.Len()-1], nil
}

// Codec is the jsonrpc2.Codec of this package: Encode and Decode.
type Codec struct{}

// Marshal is Encode.
func (Codec) Marshal(v any) ([]byte, error) { return Encode(v) }

// Unmarshal is Decode.
func (Codec) Unmarshal(data []byte, v any) error { return Decode(data, v) }

// List is a list that the protocol requires: it encodes as [] when empty,
// never as null.
type List[T any] []T

// MarshalJSON encodes the items.
func (l List[T]) MarshalJSON() ([]byte, error) {
	if l == nil {
		return []byte("[]"), nil
	}
	return Encode([]T(l))
}
