package tools

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"strings"

	"github.com/agent-ls/agent-ls/presentation"
)

// executingPrefix begins a thrown failure in a conversation (seed 000 §5.3).
const executingPrefix = "Error executing tool: "

// emptyText stands in a conversation for a result without content, which
// providers refuse.
const emptyText = "(no output)"

// ModelContent returns the content of r's tool message (seed 000 §5.2): the
// blocks of r, except that a failure that the tool has thrown is worded as
// seed 000 §5.3 has it, and an empty result says so. The caller owns it.
func ModelContent(r Result) []presentation.Block {
	if len(r.Content) == 0 {
		return []presentation.Block{presentation.Text(emptyText)}
	}
	content := cloneBlocks(r.Content)
	if first := &content[0]; r.Thrown && first.Type == presentation.BlockText {
		if message, ok := strings.CutPrefix(first.Text, errorPrefix); ok {
			first.Text = executingPrefix + message
		}
	}
	return content
}

// Normalize makes a Result of whatever a handler returned (tools.md §1.3.2):
// a Result stays; a string is text; a list whose members are all valid blocks,
// the empty one too, is content; and so are the forms of seed 000 §5.1,
// {"type":"text","text":…}, {"type":"json","value":…} and
// {"type":"parts","parts":[…]}. Everything else is JSON, see JSONResult.
func Normalize(v any) Result {
	switch v := v.(type) {
	case Result:
		return v
	case *Result:
		if v != nil {
			return *v
		}
	case string:
		return TextResult(v)
	case []presentation.Block:
		if validBlocks(v) {
			return Result{Content: v}
		}
	}
	data, err := stableJSON(v)
	if err != nil {
		return TextResult(strings.ToValidUTF8(plainText(v), "\uFFFD"))
	}
	return fromJSON(data)
}

// JSONResult is a result whose text is the JSON of v and whose Details are the
// same JSON. The text is stable: keys sorted, nothing escaped that need not
// be. A value that JSON cannot hold, such as a cycle, becomes its plain text
// and never fails the call (tools.md §1.3.4, §1.3.5).
func JSONResult(v any) Result {
	data, err := stableJSON(v)
	if err != nil {
		return TextResult(strings.ToValidUTF8(plainText(v), "\uFFFD"))
	}
	return jsonResult(data)
}

func jsonResult(data json.RawMessage) Result {
	r := TextResult(string(data))
	r.Details = data
	return r
}

// fromJSON is Normalize for a value's stable JSON.
func fromJSON(data json.RawMessage) Result {
	switch data[0] {
	case '"':
		var text string
		if json.Unmarshal(data, &text) == nil {
			return TextResult(text)
		}
	case '[':
		if blocks, ok := blocksOf(data); ok {
			return Result{Content: blocks}
		}
	case '{':
		if r, ok := tagged(data); ok {
			return r
		}
	}
	return jsonResult(data)
}

// tagged reads the forms of seed 000 §5.1; ok is false when one is not well
// formed.
func tagged(data json.RawMessage) (r Result, ok bool) {
	var form struct {
		Type  string          `json:"type"`
		Text  *string         `json:"text"`
		Value json.RawMessage `json:"value"` // null when its text is null
		Parts json.RawMessage `json:"parts"`
	}
	if json.Unmarshal(data, &form) != nil {
		return Result{}, false
	}
	switch {
	case form.Type == "text" && form.Text != nil:
		return TextResult(*form.Text), true
	case form.Type == "json" && form.Value != nil:
		return jsonResult(form.Value), true
	case form.Type == "parts" && form.Parts != nil:
		blocks, ok := blocksOf(form.Parts)
		return Result{Content: blocks}, ok
	}
	return Result{}, false
}

// blocksOf reads a list of blocks; ok is false unless each is valid.
func blocksOf(data json.RawMessage) (blocks []presentation.Block, ok bool) {
	var texts []struct {
		Type presentation.BlockType `json:"type"`
		Text *string                `json:"text"`
	}
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.DisallowUnknownFields()
	if dec.Decode(&blocks) != nil || blocks == nil || json.Unmarshal(data, &texts) != nil {
		return nil, false
	}
	for _, b := range texts {
		if b.Type == presentation.BlockText && b.Text == nil {
			return nil, false
		}
	}
	return blocks, validBlocks(blocks)
}

func validBlocks(blocks []presentation.Block) bool {
	for i := range blocks {
		if !validBlock(&blocks[i]) {
			return false
		}
	}
	return true
}

// validBlock reports whether b has what its type needs.
func validBlock(b *presentation.Block) bool {
	switch b.Type {
	case presentation.BlockText:
		return true
	case presentation.BlockImage, presentation.BlockDocument:
		return len(b.Data) > 0 && b.MIMEType != ""
	case presentation.BlockLink, presentation.BlockResource:
		return b.URI != ""
	case presentation.BlockOther:
		return b.Provider != "" && b.Kind != ""
	}
	return false
}

// stableJSON encodes v with sorted keys, numbers as they were written and
// without escaping HTML.
func stableJSON(v any) (data json.RawMessage, err error) {
	defer func() {
		if p := recover(); p != nil { // a MarshalJSON method of v
			err = fmt.Errorf("encoding panicked: %s", panicText(p))
		}
	}()
	if data, err = encodeJSON(v); err != nil {
		return nil, err
	}
	var generic any // its maps are encoded with sorted keys
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.UseNumber()
	if err := dec.Decode(&generic); err != nil {
		return nil, err
	}
	return encodeJSON(generic)
}

// plainText prints a value that JSON cannot hold. Composite values, which may
// be cycles, are named by their type only.
func plainText(v any) string {
	switch v.(type) {
	case error, fmt.Stringer:
		return panicText(v)
	}
	switch reflect.ValueOf(v).Kind() {
	case reflect.Float32, reflect.Float64, reflect.Complex64, reflect.Complex128:
		return panicText(v)
	}
	return fmt.Sprintf("[%T]", v)
}
