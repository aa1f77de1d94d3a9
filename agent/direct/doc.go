// Package direct is the model that needs no network: the prompt itself is the
// program (contract §2).
//
// It owns the grammar of such a program and the two sentences it answers with.
// It keeps no state of a session: the program is read from the last user message
// of each request, and how far it got from the messages after it; only the last
// program read is remembered, so that a long one is read once. It knows which
// tools exist only from the request. Safe for concurrent use.
package direct
