package conformance

import (
	"crypto/rand"
	"fmt"
	"os"
	"time"
)

// markName is the variable that marks each process that an agent starts.
const markName = "CONFORMANCE_RUN"

// process is a living process.
type process struct {
	pid     int
	command string
}

func (p process) String() string { return fmt.Sprintf("%d %s", p.pid, clip(p.command)) }

func newMark() string { return rand.Text() }

// endMarked kills what a case has left, by pid.
func endMarked(mark string) {
	for _, p := range marked(mark) {
		if found, err := os.FindProcess(p.pid); err == nil {
			found.Kill()
		}
	}
}

// poll looks at what no message tells of until it is so; false means that it
// never was.
func poll(is func() bool) bool {
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for limit := time.Now().Add(patience); !is(); <-tick.C {
		if time.Now().After(limit) {
			return false
		}
	}
	return true
}
