package presentation

import (
	"bytes"
	"encoding/json"
	"fmt"
)

// Card is the tag of a view in JSON, its field "card" (seed 002).
type Card string

// The tags. Call and result views share them.
const (
	CardGeneric  Card = "generic"
	CardTerminal Card = "terminal"
	CardDiff     Card = "diff"
)

// MarshalCallView encodes v with its "card" tag; nil gives null.
func MarshalCallView(v CallView) ([]byte, error) {
	switch v := v.(type) {
	case nil:
		return []byte("null"), nil
	case *GenericCall:
		return marshalCard(CardGeneric, v)
	case *TerminalCall:
		return marshalCard(CardTerminal, v)
	case *DiffCall:
		if v != nil && v.Diffs == nil {
			withList := *v
			withList.Diffs = []FileDiff{} // the list is never null (seed 002)
			v = &withList
		}
		return marshalCard(CardDiff, v)
	}
	return nil, fmt.Errorf("presentation: unknown call view %T", v)
}

// UnmarshalCallView decodes a tagged call view; null gives nil. An unknown
// tag, which only an old or newer log can hold, becomes a GenericCall with the
// title found. A value without a tag, or with fields of a wrong type, is an
// error.
func UnmarshalCallView(data []byte) (CallView, error) {
	tag, err := cardOf(data)
	switch {
	case err != nil:
		return nil, fmt.Errorf("decode call view: %w", err)
	case tag == "":
		return nil, nil
	}
	switch tag {
	case CardGeneric:
		return unmarshalCard[CallView](data, &GenericCall{})
	case CardTerminal:
		return unmarshalCard[CallView](data, &TerminalCall{})
	case CardDiff:
		return unmarshalCard[CallView](data, &DiffCall{})
	}
	return &GenericCall{Title: titleOf(data)}, nil
}

// MarshalResultView encodes v with its "card" tag; nil gives null.
func MarshalResultView(v ResultView) ([]byte, error) {
	switch v := v.(type) {
	case nil:
		return []byte("null"), nil
	case *GenericResult:
		return marshalCard(CardGeneric, v)
	case *TerminalResult:
		return marshalCard(CardTerminal, v)
	case *DiffResult:
		if v != nil && v.Diffs == nil {
			withList := *v
			withList.Diffs = []FileDiff{} // the list is never null (seed 002)
			v = &withList
		}
		return marshalCard(CardDiff, v)
	}
	return nil, fmt.Errorf("presentation: unknown result view %T", v)
}

// UnmarshalResultView decodes a tagged result view, see [UnmarshalCallView].
func UnmarshalResultView(data []byte) (ResultView, error) {
	tag, err := cardOf(data)
	switch {
	case err != nil:
		return nil, fmt.Errorf("decode result view: %w", err)
	case tag == "":
		return nil, nil
	}
	switch tag {
	case CardGeneric:
		return unmarshalCard[ResultView](data, &GenericResult{})
	case CardTerminal:
		return unmarshalCard[ResultView](data, &TerminalResult{})
	case CardDiff:
		return unmarshalCard[ResultView](data, &DiffResult{})
	}
	return &GenericResult{Title: titleOf(data)}, nil
}

// marshalCard encodes a view with the tag as its first field. A nil pointer in
// v is a view of nothing and gives null.
func marshalCard[V any](tag Card, v *V) ([]byte, error) {
	if v == nil {
		return []byte("null"), nil
	}
	fields, err := encode(v)
	if err != nil {
		return nil, fmt.Errorf("encode %s view: %w", tag, err)
	}
	data := make([]byte, 0, len(fields)+len(tag)+len(`"card":"",`))
	data = append(data, `{"card":"`...)
	data = append(data, tag...)
	data = append(data, '"')
	if len(fields) > len("{}") {
		data = append(data, ',')
	}
	return append(data, fields[1:]...), nil
}

// encode is json.Marshal without the escapes for HTML, which would make
// source code in a log unreadable and larger.
func encode(v any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), nil
}

// unmarshalCard decodes the fields of a view.
func unmarshalCard[V any](data []byte, v V) (V, error) {
	if err := json.Unmarshal(data, v); err != nil {
		var none V
		return none, fmt.Errorf("decode view: %w", err)
	}
	return v, nil
}

// cardOf returns the tag of an encoded view, "" for null.
func cardOf(data []byte) (Card, error) {
	var head *struct {
		Card Card `json:"card"`
	}
	if err := json.Unmarshal(data, &head); err != nil {
		return "", err
	}
	if head == nil {
		return "", nil
	}
	if head.Card == "" {
		return "", fmt.Errorf(`no tag "card"`)
	}
	return head.Card, nil
}

// titleOf returns the title of a view of unknown kind, if it has one.
func titleOf(data []byte) string {
	var fields struct {
		Title any `json:"title"`
	}
	if err := json.Unmarshal(data, &fields); err != nil {
		return ""
	}
	title, _ := fields.Title.(string)
	return title
}
