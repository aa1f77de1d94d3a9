// Package workspace is the truth about text: what a file holds at this
// moment, whether a path is inside a session's roots, and the one way to
// change files.
//
// A [Workspace] holds what all sessions of the process share: editors'
// documents over the disk ([Overlay]), a mutation queue for each file, and
// the user's ignore file. A [View] is one session's sight of it: its working
// folder and roots, what it has seen of each file, its editor's doors
// ([Reader], [Applier]).
//
// One door in: [View.Open] returns an immutable [Handle], editors' unsaved
// text first. One door out: [View.Apply] makes all of a list of changes or
// none, through an editor or by an atomic write to the disk (contract §8).
//
// # Containment
//
// A path is judged by its real path, symbolic links resolved, against the
// real roots. Whether a path outside them may be used is not decided here.
// What is decided here is that a path cannot change its meaning between the
// question and the use: folders inside the roots are entered one by one from
// the root through [os.Root] without following links, and Apply refuses a
// change whose path no longer resolves to the file that it was planned for.
//
// # Writes
//
// A file is replaced by renaming a new file over it. Its mode is kept, its
// owner where the system allows, symbolic links to it stay; other hard links
// to it keep the old text, and extended attributes are not carried over.
// Bytes outside the edits are never touched.
//
// # Concurrency
//
// Workspace and View are safe for concurrent use; Handle is immutable. A
// file's queue is first in, first out, and held from the check of a change
// until its outcome is known. The package starts goroutines only in
// [View.WalkParallel] and, to sum a text while it is written, in [View.Apply],
// which wait for them.
//
// The package knows nothing of LSP, ACP and tools.
package workspace
