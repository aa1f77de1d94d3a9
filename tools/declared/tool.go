package declared

import (
	"encoding/json"
	"slices"
	"time"

	"github.com/agent-ls/agent-ls/presentation"
	"github.com/agent-ls/agent-ls/tools"
	"github.com/agent-ls/agent-ls/tools/schema"
)

// timeoutArgument is the argument by which a call may ask for a time of its
// own (tools.md §4.4.1).
const timeoutArgument = "timeoutMs"

// definition makes the tool that models see. It has no Access, so that
// permission counts it as declared, and no Timeout: the Set gives up on a call
// by itself.
func (s *Set) definition(t *checkedTool) *tools.Definition {
	return &tools.Definition{
		Name:        t.Name,
		Description: t.Description,
		Parameters:  t.accepts,
		Strict:      t.Strict,
		Source:      tools.SourceDeclared,
		Prepare:     t.prepare,
		Execute:     s.executor(t),
		PresentCall: t.present,
	}
}

// declaresTimeout reports whether a schema itself has the argument timeoutMs.
func declaresTimeout(parameters *schema.Schema) bool {
	_, declared := parameters.Property(timeoutArgument)
	return declared
}

// accepting is the schema that a call is checked against. A closed one gets
// timeoutMs, which every call may have.
func accepting(parameters *schema.Schema) *schema.Schema {
	if !parameters.Closed || declaresTimeout(parameters) {
		return parameters
	}
	s := *parameters
	s.Properties = append(slices.Clone(s.Properties), schema.Property{
		Name: timeoutArgument,
		Schema: &schema.Schema{
			Type: "integer", Minimum: "1",
			Description: "Milliseconds after which the call is given up, in place of the tool's own timeout.",
		},
	})
	return &s
}

// prepare refuses what the tool does not take with seed 003's own code. It
// changes nothing: Execute still needs the timeout.
func (t *checkedTool) prepare(args json.RawMessage) (json.RawMessage, error) {
	if text, given := schema.Member(args, timeoutArgument); given {
		if _, ok := positiveMilliseconds(text); !ok {
			return nil, argsError(`"timeoutMs" must be a positive integer`)
		}
	}
	if violations := t.accepts.Validate(args); len(violations) > 0 {
		return nil, argsError(schema.Join(violations))
	}
	return args, nil
}

func argsError(detail string) error {
	return &tools.Error{
		Name: "ToolArgsError", Code: CodeArgsInvalid,
		Message: "invalid arguments: " + detail,
		Hint:    "Correct the arguments and call the tool again",
	}
}

// normalize splits prepared arguments into what the handler gets and how long
// it has: timeoutMs stays only where the schema declares it.
func (t *checkedTool) normalize(args json.RawMessage) (json.RawMessage, time.Duration) {
	timeout := t.timeout
	text, given := schema.Member(args, timeoutArgument)
	if !given {
		return args, timeout
	}
	if d, ok := positiveMilliseconds(text); ok {
		timeout = d
	}
	if !declaresTimeout(t.parameters) {
		args = schema.Without(args, timeoutArgument)
	}
	return args, timeout
}

// present is the card: generic, with the tool's name as the title unless its
// presentation says otherwise.
func (t *checkedTool) present(args json.RawMessage) presentation.CallView {
	args, _ = t.normalize(args)
	card := &presentation.GenericCall{Title: t.Name, Kind: presentation.KindOther, RawInput: args}
	if p := t.Presentation; p != nil {
		if title := expand(p.Title, args); title != "" {
			card.Title = title
		}
		if p.Kind != "" {
			card.Kind = p.Kind
		}
	}
	return card
}
