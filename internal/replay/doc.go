// Package replay plays the client's side of a wire log against a program that
// serves ACP, and tells what the program says differently now (contract §1).
//
// It owns the reading of wire logs, the player, the normal form in which two
// runs are compared, and the report. It does not know what an agent does: it
// sees lines of JSON alone.
//
// # What is played
//
// The client's messages go out in the order of the log, each one when the agent
// has answered what it had answered by then. The agent's own requests are
// answered as in the log, by method and order. Session ids are those of the new
// run. Folders of the log are copied, so that a replay changes nothing that is
// anyone's; what is outside of them is not.
//
// # What is compared
//
// What a client would show in the end: answers, requests, and for each session
// messages, cards, plans, modes, options, commands. How output was cut into
// pieces does not count. Ids are numbered in the order in which they appear, and
// times, durations and folders are replaced by words.
//
// A player has two goroutines, which Play waits for; nothing else is concurrent.
package replay
