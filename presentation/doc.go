// Package presentation is what front ends show of a tool call: not how, and
// not over which protocol. It owns the card vocabulary of seed 002 (call and
// result views tagged by "card"), the pure functions that every front end needs
// (titles relative to the working folder, hunks as file diffs, console fences,
// kind icons, size bounds), and the follow-along state machine.
//
// # Purity
//
// A card is shown live and again when a session is replayed, and both must be
// the same (tools.md §3.9). So a view depends on nothing but a call's arguments
// and its result, and everything here is pure: no files, no clock, no
// configuration, no environment, no randomness. What a function needs of the
// outside comes in as an argument: the working folder, a limit, the time. Paths
// are compared by their spelling alone; symbolic links are the business of the
// workspace. What a tool wants to know on replay it stores with its result (see
// [DiffMeta]) and narrows again with care, since a log may be old or edited by
// hand.
//
// The package knows no tool by name, no protocol and no front end. A front end
// switches over the views' types; unknown tags, which only a log of another
// version can hold, have become generic views by then.
//
// Functions may be called from any goroutine. Views are values to be read: once
// given away nobody changes them. A [Follow] belongs to one goroutine.
package presentation
