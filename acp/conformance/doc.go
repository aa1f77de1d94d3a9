// Package conformance holds the black-box tests of "agent-ls acp": the real
// program, built once, spoken to over its pipes by a client of this package's
// own design. It has no code but tests.
//
// The client (client_test.go, receive_test.go) writes raw lines, keeps the
// whole wire and folds updates into what a user would see (screen_test.go). It
// judges every line that it gets, in every case, by the rules that need no
// context: framing, envelopes, types and required keys, known keys, capability
// gates, order of updates, absolute paths (judge_test.go, strict_test.go). Its
// files and terminals (files_test.go, terminals_test.go) and its user
// (permission_test.go) behave as real clients do, good and bad.
//
// On it stand the rows of the public conformance kit and twenty core cases
// (TestTCK, TestCore; acp.md §16), the defects that users of other agents met
// (TestField, named by the numbers of the field reports, and TestKin, defects
// of the same families), random cancels, crashes, replays and locks, and
// clients, models and disks that misbehave (TestHostile).
//
// Each case has a process, a working folder, a home and a state folder of its
// own. Cases run in parallel, a bounded number at a time. They wait for
// conditions with a limit far above what anything takes, never for time to
// pass, so that a busy machine makes them slow and not wrong; what the contract
// says in milliseconds is measured by benchmarks, and asserted here only as
// "does not wait for the other side". With -race the program is built with the
// race detector too and a report of it fails the case. Process trees are looked
// up in /proc, so cases that need it run on Linux; all of them drive a POSIX
// shell.
package conformance
