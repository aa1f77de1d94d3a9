// Package mcp connects sessions to servers of the Model Context Protocol, over
// the official SDK (contract §6, acp.md §13). A Client holds the servers of one
// session: it starts or calls them in the background, adds their tools to the
// session, brings calls to them, and answers what they ask.
//
// It owns the processes of the servers, the names of their tools, and how
// definitions and results become ours. It does not own who may call: a server's
// tools say nothing about what they touch, so they count as the row "declared or
// MCP tool" of contract §3. It knows neither LSP nor ACP.
//
// # Names
//
// A tool keeps its own name when its server is the only one of the session and
// no other tool has that name; else it is SERVER_TOOL. Whether it has the prefix
// does not depend on which server answers first, because permissions are
// remembered by name. What is no letter, digit, _ or - becomes _, names are cut
// at 64 bytes, and a name that is taken all the same ends with a hash.
//
// # Failures
//
// No server can fail its session. One that cannot be reached is a notice. One
// that is lost later is a notice too; its tools stay, and the next call starts or
// calls it again. A failed call has the code MCP_ERROR and a next step.
//
// # Concurrency
//
// A Client is safe for concurrent use. Its goroutines are one for each server
// that is being reached and two for each connection; Close ends them and waits.
package mcp
