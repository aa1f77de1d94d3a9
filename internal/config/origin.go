package config

import "fmt"

// Source is a kind of place that settings come from.
type Source int

// The sources, from the weakest to the strongest.
const (
	SourceDefault Source = iota
	SourceWorkspace
	SourceUserFile
	SourceEditor
	SourceEnvironment
	SourceFlag
)

// Origin is where one value comes from.
type Origin struct {
	Source Source
	// Name is the file, the variable or the flag.
	Name string
	// Line is the 1-based line in a file, 0 when unknown.
	Line int
}

// String names the place as messages do: "file:line", "AGENT_LS_MODEL",
// "--model", "initializationOptions", "default".
func (o Origin) String() string {
	switch {
	case o.Source == SourceDefault:
		return "default"
	case o.Source == SourceEditor:
		return "initializationOptions"
	case o.Line > 0:
		return fmt.Sprintf("%s:%d", o.Name, o.Line)
	}
	return o.Name
}

// Error is a fault of the configuration: where it is, what is wrong, and what
// would be right.
type Error struct {
	Origin  Origin
	Message string
}

// Error returns "place: message".
func (e *Error) Error() string { return e.Origin.String() + ": " + e.Message }
