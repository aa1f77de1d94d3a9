// Package host runs external ACP agents as the drivers of sessions (contract
// §2): it is ACP's client side. An Agent is one configured agent: its logins, the
// sessions that it keeps, and its runs. A Driver uses a run of it for one session,
// gives it the session's prompts, and turns what the agent says into the session's
// records, so that every front end, the log and a replay show the same cards as for
// a model's calls.
//
// It owns the agent's processes with their whole groups, the connections to them,
// and what the agent has open: terminals and files that it is about to change. It
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
// An Agent and a Driver are safe for concurrent use; one turn runs at a time, and
// an Agent is closed after its Drivers. Updates of the agent are handled one after
// another on the read loop of its connection, which stands still while the
// session's front end does; requests run in goroutines of the connection. Close
// ends the agent and waits for all of it.
package host
