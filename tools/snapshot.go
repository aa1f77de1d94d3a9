package tools

import (
	"bytes"
	"encoding/json"
	"fmt"
	"log/slog"
	"slices"
	"strings"

	"github.com/agent-ls/agent-ls/tools/schema"
)

// snapshot is a call whose arguments were read once (tools.md §3.4.1).
type snapshot struct {
	x Execution
	// fault says why the call cannot run: arguments that are no good, or a
	// tool that is not there.
	fault error
	// unread means that the arguments are not even lossless JSON: then nobody
	// but observers sees the call.
	unread bool
}

// snapshot reads, prepares and validates the arguments of c.
func (p *Pipeline) snapshot(run *Run, c Call) (s snapshot) {
	defer func() { s.x.faulty = s.fault != nil }()
	s = snapshot{x: Execution{
		Token: newToken(), Parent: c.Parent, CallID: c.ID, Name: c.Name,
		Session: run.Session, App: run.App,
	}}
	d, known := p.registry.Get(p.scope, c.Name)
	args, err := readArguments(c)
	if err != nil {
		s.x.Arguments = quote(strings.ToValidUTF8(c.Arguments, "\uFFFD"))
		s.fault, s.unread = err, true
	} else {
		s.x.Arguments = args
	}
	if !known {
		s.fault = p.unknownTool(c.Name)
		return s
	}
	s.x.Definition = d
	if s.fault != nil {
		return s
	}
	if args, err = prepare(run.logger(), d, args); err != nil {
		s.fault = err
		return s
	}
	s.x.Arguments = args
	if s.fault = s.x.argumentsFault(); s.fault == nil {
		s.x.Arguments = withDefaults(d, args)
	}
	return s
}

// readArguments returns the JSON of a call's arguments, or why they are none.
func readArguments(c Call) (json.RawMessage, error) {
	text := strings.TrimSpace(c.Arguments)
	if text == "" {
		return json.RawMessage("{}"), nil
	}
	args := json.RawMessage(text)
	err := schema.Lossless(args)
	switch {
	case err == nil:
		return args, nil
	case !json.Valid(args):
		return nil, argsError(fmt.Sprintf("Invalid tool arguments JSON for %s: %v", c.Name, err), err)
	}
	return nil, argsError(fmt.Sprintf("tool execution arguments must be losslessly JSON-serializable: %v", err), err)
}

// prepare runs the tool's own rewriting of arguments, whose outcome must be
// lossless as well.
func prepare(log *slog.Logger, d *Definition, args json.RawMessage) (json.RawMessage, error) {
	if d.Prepare == nil {
		return args, nil
	}
	var out json.RawMessage
	err := contain(log, "preparation of arguments", func() (err error) {
		out, err = d.Prepare(bytes.Clone(args))
		return err
	})
	if err == nil {
		err = schema.Lossless(out)
	}
	if err != nil && errorInfo(err) == nil {
		err = argsError("invalid arguments: "+errorText(err), err)
	}
	return bytes.Clone(out), err
}

// withDefaults returns valid arguments with the schema's defaults in the place
// of missing members, for tools that want them (tools.md §1.1.4b).
func withDefaults(d *Definition, args json.RawMessage) json.RawMessage {
	if !d.AppliesDefaults || d.Parameters == nil {
		return args
	}
	filled, err := d.Parameters.ApplyDefaults(args)
	if err != nil { // not of arguments that are lossless
		return args
	}
	return filled
}

// argumentsFault validates the arguments of x.
func (x *Execution) argumentsFault() error {
	d := x.Definition
	parameters := d.Parameters
	if parameters == nil {
		parameters = anyObject
	}
	if violations := parameters.Validate(x.Arguments); len(violations) > 0 {
		return argsError("invalid arguments: "+schema.Join(violations), nil)
	}
	if d.decodes != nil {
		return d.decodes(x.Arguments)
	}
	return nil
}

// anyObject is the schema of a tool that has none.
var anyObject = &schema.Schema{Type: "object"}

// argsError is seed 002's ToolArgsError: the model reads it and corrects
// itself.
func argsError(message string, cause error) error {
	return &Error{
		Name:    "ToolArgsError",
		Code:    CodeInvalidArgs,
		Message: message,
		Hint:    "Correct the arguments and call the tool again",
		Err:     cause,
	}
}

// maxNamedTools bounds how many tools the error about an unknown one names.
const maxNamedTools = 40

// unknownTool is also what a filtered tool is: nothing tells the two apart
// (tools.md §3.2.3).
func (p *Pipeline) unknownTool(name string) error {
	var names []string
	for _, d := range p.registry.List(p.scope) {
		names = append(names, d.Name)
	}
	hint := "No tool is available; answer without one"
	if len(names) > maxNamedTools {
		names = append(slices.Clip(names[:maxNamedTools]), "…")
	}
	if len(names) > 0 {
		hint = "The tools are: " + strings.Join(names, ", ")
	}
	return &Error{
		Name:    "ToolNotFoundError",
		Code:    CodeUnknownTool,
		Message: fmt.Sprintf("unknown tool %q", name),
		Hint:    hint,
	}
}
