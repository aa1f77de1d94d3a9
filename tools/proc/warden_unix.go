//go:build unix

package proc

import (
	_ "embed"
	"fmt"
	"log/slog"
	"os"
	"os/exec"
	"sync"
	"syscall"
	"time"
)

// wardenScript is what the warden does with what it is told.
//
//go:embed warden.sh
var wardenScript string

// wardenWait bounds a write to the warden: its pipe holds thousands of events,
// so one that does not take them is stopped or stuck.
const wardenWait = time.Second

// warden is a process that ends the groups which this process leaves behind
// when it is killed and can end nothing itself. It is told of groups over a
// pipe, whose end is the sign. It starts with the first group, in a session of
// its own, so that what kills this process's group spares it. The zero value is
// ready but for the logger; it is safe for concurrent use.
//
// A group that starts in the very moment of the kill is missed.
type warden struct {
	logger *slog.Logger

	mu   sync.Mutex
	cmd  *exec.Cmd // nil before the first group, and after close
	pipe *os.File  // nil too when the warden could not be started, or is lost
	over bool      // nothing is started any more
}

// The events that the warden is told of.
const (
	groupRuns   = '+'
	groupReaped = '=' // its first process is gone, others may be there
	groupOver   = '-'
)

// tell tells the warden of an event. A failure costs only what the warden is
// for, so it is logged.
func (w *warden) tell(event rune, id int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.cmd == nil && !w.over {
		w.start()
	}
	if w.pipe == nil {
		return
	}
	err := w.pipe.SetWriteDeadline(time.Now().Add(wardenWait))
	if err == nil {
		_, err = fmt.Fprintf(w.pipe, "%c%d\n", event, id)
	}
	if err != nil {
		w.lose(err)
	}
}

// start starts the process. The caller holds w.mu.
func (w *warden) start() {
	w.over = true
	theirs, ours, err := os.Pipe()
	if err != nil {
		w.warn(err)
		return
	}
	defer theirs.Close()
	cmd := exec.Command("/bin/sh", "-c", wardenScript, "agent-ls-warden")
	cmd.Dir, cmd.Env, cmd.Stdin = "/", []string{"PATH=" + os.Getenv("PATH")}, theirs
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	if err := cmd.Start(); err != nil {
		_ = ours.Close()
		w.warn(err)
		return
	}
	w.cmd, w.pipe = cmd, ours
}

// lose gives up a warden that cannot be told anything. It is killed first: the
// end of its input alone would end the groups. The caller holds w.mu.
func (w *warden) lose(err error) {
	w.warn(err)
	_ = w.cmd.Process.Kill()
	w.stop()
}

func (w *warden) warn(err error) {
	w.logger.Warn("what runs would outlive a kill of this program: its warden is missing", "error", err)
}

// stop lets the process leave and waits for it. The caller holds w.mu.
func (w *warden) stop() {
	if w.pipe != nil {
		_ = w.pipe.Close()
		w.pipe = nil
		_ = w.cmd.Wait()
	}
}

// close ends the warden with the groups that are not over; none starts after.
func (w *warden) close() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.over = true
	w.stop()
}
