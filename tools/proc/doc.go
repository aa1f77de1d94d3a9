// Package proc runs shell commands. It owns processes and their groups, the
// pipes and the bounded memory of their output, the escalation from TERM to
// KILL, and background tasks with their owners. It knows nothing about tools,
// cards or protocols: a session picks a Runner (a local one, or a client's
// terminal) and everything above starts a Command with it. A Program is what is
// no command: a child that is spoken to over its standard streams.
//
// # What ends with a command
//
// A command runs in a session and process group of its own, so that it can
// neither read the server's stdin nor prompt on its terminal. When it is
// stopped, the whole group gets TERM and, after a grace, KILL; on Linux so do
// the processes that left the group but still hang on the command's process
// tree, on Windows everything in its job object. A command that ends by itself
// may leave processes behind (`server &`): they go on, and Local.Close ends
// them. Their output is read for LocalOptions.Drain at most; one that writes
// after that finds its pipe closed. A process that left the group, the session
// and the tree (a daemon that forked twice, `setsid server &` after its shell is
// gone) lives on by its own choice and is never signalled.
//
// When this process is killed and can end nothing itself, the groups are ended
// all the same: on Windows the system does it, elsewhere the warden, a shell that
// waits for the end of a pipe. It knows groups only, not what left them.
//
// # Output
//
// Output is read as it comes by one goroutine a stream. Nothing is queued: a
// slow Command.Output or spill writer delays the reading, the pipe fills, and
// the command waits. Memory is bounded by Command.Keep a stream.
//
// All types are safe for concurrent use unless they say otherwise.
package proc
