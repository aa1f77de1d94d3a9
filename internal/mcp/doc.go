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
// A tool is called mcp__SERVER__TOOL in the session, always: permissions are
// remembered by name, so what is allowed of one server must not be of another,
// whichever servers there are and whichever answers first. What is no letter,
// digit, _ or - becomes _, names are cut at 64 bytes, and a name that is taken
// all the same, or was cut, ends with a hash. The second of two servers with one
// name gets a number.
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
