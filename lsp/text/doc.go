// Package text holds the text of an open document so that a keystroke costs
// the size of the edit, whatever the size of the document (contract §7).
//
// A text is a list of chunks of a few KiB, each with its counts of characters
// and line ends. Looking a position up adds counts until the chunk is found;
// an edit makes one or two chunks anew. That is linear in the number of
// chunks, with so small a factor that 64 MiB are found in microseconds, and
// simpler than a tree.
//
// It does not own versions, files or encodings of the wire. A Text is
// immutable and safe for concurrent use; a Buffer is for one goroutine at a
// time.
package text
