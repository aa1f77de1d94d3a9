// Package review is what agents changed and what the user decided about it.
//
// A [Ledger] has for each changed file a base (what it was before agents
// changed it), the text of now, and between them hunks: regions of whole lines
// that differ, each with an identity and with the calls that made it (contract
// §7). Outside the hunks both texts are the same, so what the user types there
// goes into both: the user's own typing moves the base. Lines that the user adds
// within a hunk part it in two; where user and agent wrote one line together, a
// hunk cannot be undone any more, only kept, because nothing would tell their
// parts apart.
//
// [Checkpoints] hold files as they were before each prompt's changes, so that a
// session can go back. A [Store] keeps both in a folder of the state folder.
//
// The package computes: it says what a keep, an undo or a restore makes of which
// file, and the workspace writes it. It knows neither editors nor sessions, and
// saving a file or committing it is no decision here.
//
// # Identity
//
// The id of a hunk is made from its two texts, its file and its call. Moving it
// keeps the id, and so does what the user deletes in it; an agent's next change of it gives
// it a new one, so that a decision about what is no longer there hits nothing.
//
// # Concurrency
//
// Store, Ledger and Checkpoints are safe for concurrent use. What they store is
// changed under a lock that holds between processes; of one file that two
// processes changed at once the last change counts. The package starts no
// goroutines.
package review
