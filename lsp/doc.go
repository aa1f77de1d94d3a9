// Package lsp is the language server: documents, edits and commands over the
// Language Server Protocol, for editors that know nothing of agents (plain
// clients) and for those that also speak ACP's session methods over the same
// connection (rich clients; contract §7).
//
// It owns the connection (framing, ids, order, lifecycle), the mirror of the
// editor's documents, the way of an agent's edit into a buffer, and what a
// plain client sees of a session: progress, questions, a transcript, places to
// follow, notices. It does not own sessions (package agent), what a change is
// (package workspace), the look of cards (package presentation), nor ACP's
// methods: those go to a handler that the wiring gives.
//
// # Order
//
// Text sync and the lifecycle run on the read loop, in the order of the wire;
// a prompt is registered there, so that a cancel in the next message hits it.
// Everything else first releases the order. Nothing on the read loop waits for
// the client. Writing to the client may block: a client that does not read
// holds up the session that shows something, and nothing is queued but the
// progress of calls, whose requests wait for their answers.
//
// # Concurrency
//
// Server and Documents are safe for concurrent use. Documents has one lock,
// held for each change and for looking at the file of a document. Goroutines
// belong to the server; Close waits for them.
//
// # Focus
//
// Nothing here ever asks for the focus: there is one place that shows
// documents, and it says takeFocus:false.
package lsp
