// Package declared owns the tools that the other side of a connection
// declares for its own session and runs itself (seed 003, tools.md §4): the
// Manifest and its rules, the Set of a session's tools with their deadlines,
// the Pending request that a session waits for, and, for programs that embed
// agent-ls, Handlers in Go.
//
// It does not know how a request travels: that is the port Caller. Who may
// call is decided elsewhere; a declared tool says nothing about what it
// touches, so it counts as the row "declared or MCP tool" of contract §3.
//
// A session has at most one request under way; its other calls queue (tools.md
// §5 row 9). A request that ran out of time is given up: its Caller may go on,
// what it returns then is counted, logged and dropped, and never taken for the
// answer of a later request.
//
// Set, Pending and Handlers are safe for concurrent use. Each request runs in a
// goroutine that its Set owns; Set.Close ends them and waits.
package declared
