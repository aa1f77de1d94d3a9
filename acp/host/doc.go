// Package host runs external ACP agents as the drivers of sessions (contract
// §2): it is ACP's client side. A Driver starts the agent's program for one
// session, gives it the session's prompts, and turns what the agent says into
// the session's records, so that every front end, the log and a replay show the
// same cards as for a model's calls.
//
// It owns the agent's process with its whole group, the connection to it, and
// what the agent has open: terminals and files that it is about to change. It
// does not own what may be done: the agent's questions, and its requests for
// files and commands, are judged by the session's policy and recorded by its
// ledger as calls of the session's own (agent.Turn.Permit). What agents do
// differently is in one table, Quirks.
//
// An agent that writes files or runs commands itself, without asking its client,
// cannot be kept from it; its changes of files are seen and recorded all the same
// (workspace.Witness).
//
// # Concurrency
//
// A Driver is safe for concurrent use; one turn runs at a time. Updates of the
// agent are handled one after another on the read loop of its connection, which
// stands still while the session's front end does; requests run in goroutines of
// the connection. Close ends the agent and waits for all of it.
package host
