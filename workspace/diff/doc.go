// Package diff computes changes of text and moves them about: line diffs,
// hunks, unified diffs, applying, inverting and rebasing edits, and the mapping
// between byte offsets and the positions of editors.
//
// Everything is byte exact. A line ends with "\n"; a "\r" before it belongs to
// its ending, a lone "\r" is text like any other byte, and a last line may have
// no ending at all. (A [Mapper] counts lines as LSP does, where a lone "\r" ends
// a line too.) Texts need not be valid UTF-8.
//
// The package knows no files, no JSON-RPC and no cards. It keeps no state: all
// functions are pure and may be called from any goroutine, and a [Mapper] is
// immutable. Results share memory with the texts they were made from.
package diff
