package declared

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/agent-ls/agent-ls/presentation"
	"github.com/agent-ls/agent-ls/tools"
	"github.com/agent-ls/agent-ls/tools/schema"
)

// DefaultTimeout is for tools that declare none (tools.md §5 row 6).
const DefaultTimeout = 60 * time.Second

// maxTimeout is the longest timeout that there is; longer ones count as it.
const maxTimeout = (1<<31 - 1) * time.Millisecond

// entry is a tool before it is checked: the JSON of each field, nil when it is
// absent. Both what came over the wire and what an author wrote in Go become
// entries, so that one list of rules is for both.
type entry struct {
	object bool
	fields map[string]json.RawMessage
	inline Handler
}

func wireEntry(text json.RawMessage) entry {
	fields, ok := fieldsOf(text)
	return entry{object: ok, fields: fields}
}

// authorEntry encodes the fields of t that are set.
func authorEntry(t Tool) entry {
	e := entry{object: true, fields: map[string]json.RawMessage{}, inline: t.Handler}
	set := func(name string, v any) {
		if text, err := json.Marshal(v); err == nil {
			e.fields[name] = text
		}
	}
	set("name", t.Name)
	set("description", t.Description)
	if t.TimeoutMs != 0 {
		set("timeoutMs", t.TimeoutMs)
	}
	if t.ArgsSchema != nil {
		e.fields["argsSchema"] = bytes.TrimSpace(t.ArgsSchema)
	}
	if t.Strict {
		set("strict", true)
	}
	if t.Presentation != nil {
		set("presentation", t.Presentation)
	}
	return e
}

// checkedTool is a tool that has passed all checks.
type checkedTool struct {
	Tool
	// parameters is ArgsSchema, accepts what a call is checked against.
	parameters, accepts *schema.Schema
	timeout             time.Duration
}

// checkEntries checks all tools; the first fault refuses them all.
func checkEntries(entries []entry, dialect schema.Dialect) ([]checkedTool, error) {
	checked := make([]checkedTool, 0, len(entries))
	for i := range entries {
		t, fault := entries[i].check(checked, dialect)
		if fault != nil {
			return nil, entries[i].refuse(i, fault)
		}
		checked = append(checked, t)
	}
	return checked, nil
}

// fault is why an entry is refused.
type fault struct {
	message    string
	violations []schema.Violation
}

// refuse makes the error about the entry at index.
func (e *entry) refuse(index int, f *fault) *Error {
	details := struct {
		Index      int                `json:"index"`
		ToolName   string             `json:"toolName,omitempty"`
		Violations []schema.Violation `json:"violations,omitempty"`
	}{Index: index, Violations: f.violations}
	details.ToolName, _ = stringOf(e.fields["name"])
	return inputError(f.message, details)
}

func inputError(message string, details any) *Error {
	if details == nil {
		return &Error{Code: CodeInvalidInput, Message: message}
	}
	return newError(CodeInvalidInput, message, details)
}

// check follows the order of tools.md §4.1.3: object, name, duplicate,
// description, timeout, handler, legacy input, schema; then what is ours.
func (e *entry) check(before []checkedTool, dialect schema.Dialect) (t checkedTool, f *fault) {
	for _, rule := range []func(*checkedTool) *fault{
		e.checkObject,
		e.checkName,
		func(t *checkedTool) *fault { return checkUnique(t, before) },
		e.checkDescription,
		e.checkTimeout,
		e.checkHandler,
		func(t *checkedTool) *fault { return e.checkSchema(t, dialect) },
		e.checkStrict,
		e.checkPresentation,
	} {
		if f = rule(&t); f != nil {
			return checkedTool{}, f
		}
	}
	return t, nil
}

func (e *entry) checkObject(*checkedTool) *fault {
	if !e.object {
		return &fault{message: "tool must be an object"}
	}
	return nil
}

func (e *entry) checkName(t *checkedTool) *fault {
	name, ok := stringOf(e.fields["name"])
	if !ok || !tools.DeclaredName(name) {
		return &fault{message: "tool name is invalid"}
	}
	t.Name = name
	return nil
}

func checkUnique(t *checkedTool, before []checkedTool) *fault {
	if slices.ContainsFunc(before, func(other checkedTool) bool { return other.Name == t.Name }) {
		return &fault{message: "duplicate tool name"}
	}
	return nil
}

func (e *entry) checkDescription(t *checkedTool) *fault {
	text, ok := stringOf(e.fields["description"])
	if !ok || strings.TrimSpace(text) == "" {
		return &fault{message: "tool description must be a non-empty string"}
	}
	t.Description = text
	return nil
}

func (e *entry) checkTimeout(t *checkedTool) *fault {
	t.timeout = DefaultTimeout
	text, given := e.fields["timeoutMs"]
	if !given {
		return nil
	}
	d, ok := positiveMilliseconds(text)
	if !ok {
		return &fault{message: "tool timeoutMs must be a positive integer"}
	}
	t.timeout, t.TimeoutMs = d, int(d.Milliseconds())
	return nil
}

// positive is the schema of a timeout.
var positive = &schema.Schema{Type: "integer", Minimum: "1"}

// positiveMilliseconds reads a positive integer, at most maxTimeout.
func positiveMilliseconds(text []byte) (time.Duration, bool) {
	if len(positive.Validate(text)) > 0 {
		return 0, false
	}
	var ms float64
	if json.Unmarshal(text, &ms) != nil {
		return 0, false
	}
	d, err := tools.ClampTimeout("timeoutMs", &ms, 0, maxTimeout)
	return d, err == nil
}

// checkHandler knows that no JSON is a function.
func (e *entry) checkHandler(t *checkedTool) *fault {
	if _, given := e.fields["handler"]; given {
		return &fault{message: "tool handler must be a function"}
	}
	if _, given := e.fields["input"]; given {
		return &fault{message: "tool input is no longer supported; use argsSchema"}
	}
	t.Handler = e.inline
	return nil
}

func (e *entry) checkSchema(t *checkedTool, dialect schema.Dialect) *fault {
	text := e.fields["argsSchema"]
	switch {
	case len(text) == 0 || text[0] != '{' && json.Valid(text):
		return &fault{message: "tool argsSchema must be an object"}
	case schema.Lossless(text) != nil:
		return &fault{message: "tool argsSchema must be serializable"}
	}
	if kind, _ := schema.Member(text, "type"); string(kind) != `"object"` {
		return &fault{message: "tool argsSchema must describe an object"}
	}
	parameters, err := schema.Parse(dialect, text)
	if err != nil {
		return unsupported(err)
	}
	t.parameters, t.accepts = parameters, accepting(parameters)
	t.ArgsSchema = bytes.Clone(text)
	return nil
}

func unsupported(err error) *fault {
	f := &fault{message: "tool argsSchema is not supported: " + err.Error()}
	var refusal *schema.Error
	if errors.As(err, &refusal) {
		f.message = "tool argsSchema is not supported: " + schema.Join(refusal.Violations)
		f.violations = refusal.Violations
	}
	return f
}

func (e *entry) checkStrict(t *checkedTool) *fault {
	switch string(e.fields["strict"]) {
	case "", "null", "false":
	case "true":
		t.Strict = true
	default:
		return &fault{message: "tool strict must be a boolean"}
	}
	return nil
}

// kinds are the kinds that a card may have (seed 002).
var kinds = []presentation.ToolCallKind{
	"", presentation.KindRead, presentation.KindEdit, presentation.KindDelete, presentation.KindMove,
	presentation.KindSearch, presentation.KindExecute, presentation.KindFetch, presentation.KindOther,
}

func (e *entry) checkPresentation(t *checkedTool) *fault {
	text, given := e.fields["presentation"]
	if !given || string(text) == "null" {
		return nil
	}
	var p *Presentation
	if json.Unmarshal(text, &p) != nil {
		return &fault{message: "tool presentation must be an object with the strings title and kind"}
	}
	if utf8.RuneCountInString(p.Title) > maxTitle {
		return &fault{message: fmt.Sprintf("tool presentation title must have at most %d characters", maxTitle)}
	}
	if !slices.Contains(kinds, p.Kind) {
		return &fault{message: "tool presentation kind must be one of read, edit, delete, move, search, execute, fetch, other"}
	}
	t.Presentation = p
	return nil
}
