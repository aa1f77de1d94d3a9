package agent

import (
	"context"

	"github.com/agent-ls/agent-ls/presentation"
	"github.com/agent-ls/agent-ls/tools/proc"
	"github.com/agent-ls/agent-ls/workspace"
)

// FrontEnd is what a connection gives to the sessions it owns.
type FrontEnd struct {
	// Sink gets every record, in order; nil shows nothing.
	Sink Sink
	// Asker answers permission questions; nil: there is no channel.
	Asker Asker
	// Runner runs commands; nil: local processes.
	Runner proc.Runner
	// Reader and Appliers are the editor's doors to files.
	Reader   workspace.Reader
	Appliers []workspace.Applier
	// Connection identifies the connection for Hub.Current, by comparison
	// alone; nil: the session is nobody's current one.
	Connection any
}

// Sink shows a session. Event is called in order, from one goroutine at a
// time, after the record was written; a blocked sink blocks its session. See
// the package comment for what it may call.
type Sink interface {
	Event(s *Session, r Record)
}

// Asker asks the user. It returns when the user has answered or ctx ended.
type Asker interface {
	Ask(ctx context.Context, q Question) (Answer, error)
}

// Question is one permission question.
type Question struct {
	Session   *Session
	CallID    string
	Name      string
	Arguments string
	Reason    string
	// View is the card as announced, or as planned where the tool plans.
	View presentation.CallView
	// Scope is what "always" would cover, in words for the option's name; ""
	// when nothing can be remembered, and then "always" must not be offered.
	Scope string
	// Choices, when there are any, are offered instead of the usual answers,
	// as a hosted agent worded them; Scope is "" then.
	Choices []Choice
}

// Choice is one answer of a Question with answers of its own. Kind says what
// it comes to, one of the option kinds.
type Choice struct {
	ID, Name string
	Kind     Answer
}

// Answer is one of the option kinds of ACP, the id of a Choice where the
// question has some, or cancelled. Any other value counts as RejectOnce.
type Answer string

// The answers.
const (
	AllowOnce       Answer = "allow_once"
	AllowAlways     Answer = "allow_always"
	RejectOnce      Answer = "reject_once"
	RejectAlways    Answer = "reject_always"
	AnswerCancelled Answer = "cancelled"
)
