// Package agent is the agent side of ACP: it turns requests of a client into
// calls of an agent.Hub, and the records of sessions into session/update. The
// handler works over any jsonrpc2 connection, the one of package acp as well as
// the language server's.
//
// It owns the projection of records to updates, which is the same live and on
// replay, and what a client sees of a session: modes, options, commands,
// permission questions. It does not own the session itself (package agent),
// the wire (package acp) or the requests to the client's files and terminals
// (package acp/editor).
//
// A Server is safe for concurrent use. No handler holds the read loop while it
// waits: prompts are registered before the loop is released, so that a cancel
// in the next line hits them, and everything else is done after it. Updates are
// written by the goroutine of the session that made the record; a client that
// does not read holds up its session, and nothing is queued.
package agent
