// Package cache keeps tool output: spilled command output, full diffs, and
// what was cut from results. It owns the Store on disk, the budget of a
// model's context (Service), and the readers that page and search an output
// of any size in bounded memory. It does not know which tools exist, and it
// writes no text for a model but the notices that replace what it cut.
//
// A Store and a Service are safe for concurrent use, also by several
// processes on one folder. Readers are not.
package cache
