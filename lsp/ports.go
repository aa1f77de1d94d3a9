package lsp

import (
	"context"
	"encoding/json"

	"go.lsp.dev/jsonrpc2"
	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"

	"github.com/agent-ls/agent-ls/agent"
	"github.com/agent-ls/agent-ls/workspace"
)

// Setup is what initialize says that the program needs before it is wired.
type Setup struct {
	// Settings are the initializationOptions, empty for none.
	Settings json.RawMessage
	// Folders are the workspace's folders, absolute; none when nothing is open.
	Folders []string
}

// Backend is the program behind a connection, made when it initializes.
type Backend struct {
	Hub       *agent.Hub
	Workspace *workspace.Workspace
	// StateDir is where transcripts lie that a client cannot show otherwise.
	StateDir string
	// Cwd is the working folder where no folder is open, absolute.
	Cwd string
	// Follow says that following is on from the start.
	Follow bool
	// Warnings are shown to the user once the client is ready.
	Warnings []string
	// Rich makes the handler of the session methods; nil: there are none.
	Rich func(RichOptions) Rich
	// Review makes what shows hunks and decides about them; nil: there is no
	// review.
	Review func(*Server) Reviewer
	// PromptMeta is the _meta of a prompt's answer; nil: none.
	PromptMeta func(*agent.Session) map[string]any
}

// Peer is the client, for the handler of the session methods.
type Peer interface {
	// Call sends a request and returns its raw result. A refusal is a
	// *jsonrpc2.Error. When ctx ends first the request is withdrawn.
	Call(ctx context.Context, method string, params any) (json.RawMessage, error)
	// Notify sends a notification and returns when it is written.
	Notify(ctx context.Context, method string, params any) error
}

// RichOptions are what the handler of the session methods works with.
type RichOptions struct {
	Peer Peer
	// Capabilities are what the client declared as experimental.acp; empty
	// when it declared nothing.
	Capabilities json.RawMessage
	// Client is the name that the client gives itself, "" for none.
	Client string
	// Doors are a session's ways to files: the editor's documents.
	Doors func() agent.FrontEnd
	// Connection identifies this connection to the hub.
	Connection any
}

// Rich serves the session methods of one connection (contract §7).
type Rich interface {
	// Handle answers requests and takes notifications. It releases the order
	// of the connection itself, by jsonrpc2.Async.
	Handle(ctx context.Context, req *jsonrpc2.Request) (any, error)
	// Front gives what shows a session that a command opens: options are for
	// the hub, start is called with the session.
	Front(cwd string) (options agent.SessionOptions, start func(*agent.Session))
	// Close closes the sessions of the connection and waits for them.
	Close()
}

// Reviewer shows what agents changed and takes the user's decisions (contract
// §7). Its methods are called off the read loop.
type Reviewer interface {
	// Lenses are the Keep and Undo lenses of a document.
	Lenses(ctx context.Context, u uri.URI) ([]protocol.CodeLens, error)
	// Actions are the code actions of a range of a document.
	Actions(ctx context.Context, u uri.URI, r protocol.Range) ([]protocol.CodeAction, error)
	// Command runs a command of the review or of checkpoints. A wrong argument
	// is an error that says what was expected.
	Command(ctx context.Context, name string, args []json.RawMessage) (any, error)
	// Document is the text of a document agent-ls:/review/base/… or
	// agent-ls:/checkpoint/…; ok is false for one that there is not.
	Document(u uri.URI) (text string, ok bool)
}

// Observer is told what happens to documents and files. A Reviewer that is one
// is told too. Its methods run on the read loop, in order, and must not wait
// for the client.
type Observer interface {
	// Opened is called after a document was opened, saved or closed.
	Opened(u uri.URI)
	// Changed is called after each change of a document.
	Changed(c DocumentChange)
	// FilesChanged is called off the read loop after files changed on disk; the
	// paths are absolute.
	FilesChanged(paths []string)
	// Ready is called once the client may be told things.
	Ready()
}
