package proc

import (
	"context"
	"io"
	"time"
)

// Runner starts commands: a local process (Local), or a client's terminal. The
// session picks which.
type Runner interface {
	// Start starts c. An error means that nothing runs (bad working folder,
	// program missing). Cancelling ctx ends the process as Stop does.
	Start(ctx context.Context, c Command) (Process, error)
}

// Command is one shell command line and its limits.
type Command struct {
	// Line is the whole line, given to the shell as one argument.
	Line string
	// Dir is the absolute working folder.
	Dir string
	// Confine, when set, keeps the command within bounds; a runner that cannot
	// do that must not run it.
	Confine *Confinement
	// Env are extra variables NAME=VALUE; they win over the scrubbed ones.
	Env []string
	// Timeout ends the command; 0 means none.
	Timeout time.Duration
	// Output, when set, gets the output of both streams as it arrives, valid
	// UTF-8, in order, from one goroutine at a time. It must not block: what
	// it takes long the command has to wait, since nothing is queued.
	Output func(text string)
	// Stderr, when set, gets what the command writes to its standard error
	// instead of Output, by the same rules. A runner that cannot tell the
	// streams apart calls Output alone.
	Stderr func(text string)
	// Keep bounds the bytes kept in memory of each stream (the tail); 0 means
	// 64 000.
	Keep int
	// Spill, when set, is asked once per stream, on its first overflow, for a
	// place that then receives everything from byte 0; ref names it to the
	// model and the user.
	Spill func(stream string) (w io.WriteCloser, ref string, err error)
}

// Confinement bounds what a command may do to files (tools.md §3.12). It is
// immutable.
type Confinement struct {
	// Name is what the model is told, such as workspace-write.
	Name string
	// Wrap returns the arguments, with the program first, that run argv
	// confined.
	Wrap func(argv []string) []string
	// Denied reports whether the output of a failed command says that it ran
	// into a bound.
	Denied func(output string) bool
}

// denies says whether c is why a command ended so: a success or an end by a
// signal never is.
func (c *Confinement) denies(e Exit) bool {
	return c != nil && e.Code != nil && *e.Code != 0 && e.Signal == "" && (c.Denied(e.Stdout.Text) || c.Denied(e.Stderr.Text))
}

// Process is a started command.
type Process interface {
	// Wait returns when the command has ended and its output is complete, or
	// ctx ends first (the process goes on then).
	Wait(ctx context.Context) (Exit, error)
	// Stop ends the process group: TERM, then KILL after a grace. It does not
	// wait. It may be called many times.
	Stop()
	// Terminal is the id of the client's terminal that shows this process, ""
	// for a local one.
	Terminal() string
	// Release says that the caller needs the process no more. A runner with
	// a client's terminal frees that once the updates that embed it and end
	// its card have been sent (field report 25): it knows when, its caller
	// does not.
	Release()
}

// Exit is how a command ended and what it wrote.
type Exit struct {
	// Code is nil when the process did not exit by itself, or when nobody
	// knows (field report 31: unknown is never 0).
	Code *int
	// Signal is the name of the ending signal, e.g. SIGKILL.
	Signal string
	// TimedOut and Aborted say which deadline ended it.
	TimedOut bool
	Aborted  bool
	// Denied is the name of the confinement that the command seems to have run
	// into, "" for none.
	Denied   string
	Stdout   Captured
	Stderr   Captured
	Duration time.Duration
}

// Captured is what is kept of one stream.
type Captured struct {
	// Text is the tail, valid UTF-8.
	Text string
	// Total counts all bytes written.
	Total int64
	// Truncated says that Text is not all; Ref then names the full output, ""
	// when it could not be kept.
	Truncated bool
	Ref       string
}
