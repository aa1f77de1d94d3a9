// Package terminal is the front end for people at a terminal: it shows a
// session's cards as text, asks for permission on the tty and plays the
// demonstration.
//
// It owns the look of cards in text and nothing of what they mean: no tool is
// known by name, everything comes from events and their views. A Sink is used
// by one session; its methods may be called from any goroutine, one at a time
// is enforced by a lock. Text that a model or a command made is shown with its
// control sequences taken away, so that it cannot drive the terminal.
package terminal
