package main

import (
	"log/slog"
	"time"
)

// endGrace is how long the orderly end of the program may take once its client
// has left: longer than the end of a command that ignores TERM.
const endGrace = 10 * time.Second

// lastResort ends the process by exit when its orderly end takes longer than
// grace: what a file system holds up cannot be cancelled, and must not keep a
// process whose client has left. stop takes it back.
func lastResort(grace time.Duration, logger *slog.Logger, exit func(code int)) (stop func() bool) {
	return time.AfterFunc(grace, func() {
		logger.Error("the program ends by force; something that it ran cannot be cancelled", "waited", grace)
		exit(exitFailed)
	}).Stop
}
