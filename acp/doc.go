// Package acp is the wire of the Agent Client Protocol, version 1: its types,
// the framing, and a connection for either side of it.
//
// It owns newline-delimited JSON over go.lsp.dev/jsonrpc2 (blank and bad
// lines, ids of every kind, size caps, the wire log), lenient decoding and
// strict encoding (acp.md §3): a bad optional field never fails a message, and
// nothing outside _meta is ever written that the protocol does not name. It
// does not own what a method does; packages acp/agent and acp/editor do.
//
// A Conn is safe for concurrent use. Requests reach the handler in the order
// in which they were read, on the goroutine that reads; a handler that waits
// for anything calls jsonrpc2.Async first. Whole lines are written under one
// lock, so a peer that does not read blocks who writes to it, and nothing
// queues up. The types are plain values; share them only for reading.
package acp

// Version is the protocol version of this package.
const Version = 1
