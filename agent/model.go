package agent

import (
	"context"
	"strings"
	"time"

	"github.com/agent-ls/agent-ls/presentation"
	"github.com/agent-ls/agent-ls/tools"
)

// Model answers one request of the loop. Implementations must be safe for
// concurrent use and keep no state of a session: all of it is in the request.
type Model interface {
	// Respond streams one assistant message: yield is called for each piece,
	// in order; an error of yield ends the response with it. The pieces of
	// one call's arguments come as one Call.
	Respond(ctx context.Context, req Request, yield func(Delta) error) (Finish, error)
}

// ModelInfo describes a model to users.
type ModelInfo struct {
	ID          string // as --model takes it
	Name        string
	Description string
	// Direct says that the prompt is the program: tools are offered as
	// commands, repeats are meant, and a turn ends when the program does.
	Direct bool
	// ContextSize is how many tokens the model's context holds, 0 when unknown.
	ContextSize int64
	// Language says that a language model answers: it can sum the conversation
	// up, and its old tool results are trimmed.
	Language bool
	// Thinking lists how hard the model can be told to think, the least first;
	// none: it cannot be told.
	Thinking []string
}

// Request is what a model gets.
type Request struct {
	Session  string
	System   string
	Messages []Message
	// Progress is how far the conversation has come, also where Messages begins
	// with a summary of it.
	Progress Progress
	Tools    []tools.ToolSchema
	// Aside marks a request that is not about what comes next in the
	// conversation: a summary.
	Aside bool
	// Thinking is one of ModelInfo.Thinking; "" leaves it to the model.
	Thinking string
}

// Progress counts the prompts of a conversation, and the batches of calls since
// the last one.
type Progress struct{ Prompts, Batches int }

// Role is who said a message.
type Role string

// The roles.
const (
	RoleUser      Role = "user"
	RoleAssistant Role = "assistant"
	RoleTool      Role = "tool"
	RoleContext   Role = "context" // HookContext
)

// Message is one message of the conversation.
type Message struct {
	Role   Role
	Blocks []presentation.Block
	// Calls are the calls of an assistant message.
	Calls []AssistantCall
	// CallID, Name, IsError and OutputRef belong to a tool message; Name is the
	// source of a context message.
	CallID    string
	Name      string
	IsError   bool
	OutputRef string

	// id joins the pieces of an assistant message.
	id string
}

// PromptText joins the text blocks of a prompt, each ended by a newline. What
// else a prompt holds (mentions, files, images) is not the user's own words.
func PromptText(blocks []presentation.Block) string {
	var b strings.Builder
	for _, block := range blocks {
		if block.Type == presentation.BlockText {
			b.WriteString(block.Text)
			b.WriteByte('\n')
		}
	}
	return b.String()
}

// Delta is one piece of a response; one field is set.
type Delta struct {
	Text    string
	Thought string
	Call    *CallDelta
	// Opaque is what only the model's server understands, a block of the kind
	// "other": it comes back unchanged in the assistant message, at its place
	// between the texts.
	Opaque *presentation.Block
}

// CallDelta is one whole call.
type CallDelta struct {
	ID        string // the model's own, "" when it gives none
	Name      string
	Arguments string
}

// Finish is how a response ended.
type Finish struct {
	// Reason: "" is a normal end; MaxTokens, MaxTurnRequests, Refusal and
	// StopCancelled end the turn (MaxTokens with calls: see tools.md §2.3.8).
	Reason StopReason
	// More says that the model has more to say in this turn although it made
	// no call.
	More  bool
	Usage *tools.Usage
}

// ProviderError is a failure of the model's server; safe to show: it holds no
// key.
type ProviderError struct {
	Status  int // HTTP status, 0 for the network
	Message string
	Err     error
	// Temporary says that the same request may succeed later, RetryAfter how
	// long the server wants to be left alone before; 0: it did not say.
	Temporary  bool
	RetryAfter time.Duration
	// Login says that there is no key, or one that the server does not accept.
	Login bool
	// TooLong says that the conversation does not fit the model's context.
	TooLong bool
}

// Error returns the message.
func (e *ProviderError) Error() string { return e.Message }

// Unwrap returns the cause.
func (e *ProviderError) Unwrap() error { return e.Err }
