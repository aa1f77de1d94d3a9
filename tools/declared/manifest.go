package declared

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/agent-ls/agent-ls/presentation"
	"github.com/agent-ls/agent-ls/tools/schema"
)

// MaxMessage is how long, in bytes of JSON, a manifest, the arguments of a
// call and its result may be (tools.md §4.3.7).
const MaxMessage = 1 << 20

// Manifest is what one side declares for a session. It is checked as a whole
// by ParseManifest, Check and Set.Replace: one fault refuses all of it.
type Manifest struct {
	// Guidance tells the model how to use the tools together.
	Guidance string
	Tools    []Tool
}

// Tool is one declared tool, as its author writes it.
type Tool struct {
	// Name begins with a letter and has only letters, digits, _ . and -; it is
	// unique in its manifest.
	Name        string
	Description string
	// ArgsSchema is a schema of the dialect schema.Args with an object at its
	// root.
	ArgsSchema json.RawMessage
	// TimeoutMs is how many milliseconds a call may take; 0 is not given, and
	// means DefaultTimeout.
	TimeoutMs int
	// Strict asks providers for strict calling when the schema allows it (seed
	// 000 §3.2).
	Strict bool
	// Presentation says how a call is shown; nil is the name as the title.
	Presentation *Presentation
	// Handler is the inline handler. It never leaves the process.
	Handler Handler
}

// Presentation is how the generic card of a call looks.
type Presentation struct {
	// Title is a template: {name} stands for the argument name, {a.b} for a
	// member of it, {{ for a brace.
	Title string `json:"title,omitempty"`
	// Kind picks the icon; "" is other.
	Kind presentation.ToolCallKind `json:"kind,omitempty"`
}

// Define returns t unchanged (tools.md §4.1.1). It gives definitions one look;
// they are checked when a session takes them.
func Define(t Tool) Tool { return t }

// ParseManifest reads the JSON of a manifest, {"guidance":…,"tools":[…]} or
// the list of tools alone, and checks it. The error is an *Error with the code
// INVALID_INPUT, a message of tools.md §4.1.3, and details with the index and
// the name of the tool at fault; MESSAGE_TOO_LARGE for more than MaxMessage.
func ParseManifest(data []byte) (*Manifest, error) {
	if len(data) > MaxMessage {
		return nil, tooLarge("manifest", len(data))
	}
	guidance, entries, err := splitManifest(data)
	if err != nil {
		return nil, err
	}
	m := &Manifest{Guidance: guidance, Tools: make([]Tool, 0, len(entries))}
	checked, err := checkEntries(entries, schema.Args)
	if err != nil {
		return nil, err
	}
	for _, t := range checked {
		m.Tools = append(m.Tools, t.Tool)
	}
	return m, nil
}

// splitManifest takes a manifest apart without looking into its tools.
func splitManifest(data []byte) (guidance string, entries []entry, err error) {
	list := bytes.TrimSpace(data)
	if len(list) == 0 || list[0] != '[' {
		fields, ok := fieldsOf(list)
		if !ok {
			return "", nil, inputError("skills must be an object", nil)
		}
		if text, given := fields["guidance"]; given {
			if guidance, ok = stringOf(text); !ok {
				return "", nil, inputError("guidance must be a string", nil)
			}
		}
		list = fields["tools"]
	}
	var raw []json.RawMessage
	if !bytes.HasPrefix(list, []byte("[")) || json.Unmarshal(list, &raw) != nil {
		return "", nil, inputError("tools must be an array", nil)
	}
	for _, text := range raw {
		entries = append(entries, wireEntry(text))
	}
	return guidance, entries, nil
}

// Check says what is wrong with m, as ParseManifest does. strict refuses
// additionalProperties in the schemas too (tools.md §4.2.4).
func (m *Manifest) Check(strict bool) error {
	_, err := m.check(strict)
	return err
}

func (m *Manifest) check(strict bool) ([]checkedTool, error) {
	dialect := schema.Args
	if strict {
		dialect = schema.StrictArgs
	}
	entries := make([]entry, len(m.Tools))
	for i, t := range m.Tools {
		entries[i] = authorEntry(t)
	}
	return checkEntries(entries, dialect)
}

// wireTool is the form of a tool in the JSON of a manifest.
type wireTool struct {
	Name         string          `json:"name"`
	Description  string          `json:"description"`
	ArgsSchema   json.RawMessage `json:"argsSchema"`
	TimeoutMs    int             `json:"timeoutMs,omitempty"`
	Strict       bool            `json:"strict,omitempty"`
	Presentation *Presentation   `json:"presentation,omitempty"`
}

// MarshalJSON encodes m for the other side, or for a provider: tools sorted by
// name, handlers left out, a timeout only where one was given (tools.md
// §4.1.5, §4.3.6).
func (m *Manifest) MarshalJSON() ([]byte, error) {
	list := make([]wireTool, len(m.Tools))
	for i, t := range m.Tools {
		list[i] = wireTool{t.Name, t.Description, t.ArgsSchema, t.TimeoutMs, t.Strict, t.Presentation}
	}
	slices.SortStableFunc(list, func(a, b wireTool) int { return cmp.Compare(a.Name, b.Name) })
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	err := enc.Encode(struct {
		Guidance string     `json:"guidance"`
		Tools    []wireTool `json:"tools"`
	}{m.Guidance, list})
	if err != nil {
		return nil, fmt.Errorf("encode the manifest: %w", err)
	}
	if b.Len() > MaxMessage {
		return nil, tooLarge("manifest", b.Len())
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), nil
}

func tooLarge(what string, size int) *Error {
	return newError(CodeMessageTooLarge,
		fmt.Sprintf("%s of %d bytes is too large; at most %d bytes are sent", what, size, MaxMessage),
		map[string]int{"size": size, "max": MaxMessage})
}

// fieldsOf returns the fields of an object by their exact names; some may not
// be lossless.
func fieldsOf(text json.RawMessage) (fields map[string]json.RawMessage, ok bool) {
	return fields, json.Unmarshal(text, &fields) == nil && fields != nil
}

// stringOf decodes a JSON string; null is none.
func stringOf(text []byte) (s string, ok bool) {
	if len(text) == 0 || text[0] != '"' {
		return "", false
	}
	return s, json.Unmarshal(text, &s) == nil
}
