package main

import (
	"bytes"
	"fmt"
	"os"
	"regexp"
	"strconv"
	"syscall"
	"testing"
	"time"
)

// running is a command that stays with a child of its own, and says who they
// are; it does not end by itself within the time of a test.
const running = `!sleep 600 & echo "pids $$ $!."; wait`

var pids = regexp.MustCompile(`pids (\d+) (\d+)\.`)

// run prompts the command and returns its processes once they run.
func (c *client) run() []int {
	c.t.Helper()
	c.prompt(running)
	var found []int
	m := c.until("the running command", func(m message) bool { return pids.Match(m.Params) })
	for _, digits := range pids.FindSubmatch(m.Params)[1:] {
		pid, err := strconv.Atoi(string(digits))
		if err != nil {
			c.t.Fatal(err)
		}
		found = append(found, pid)
	}
	return found
}

// alive says whether a process runs; one that only waits to be reaped does not.
func alive(pid int) bool {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return false
	}
	state := bytes.TrimSpace(stat[bytes.LastIndexByte(stat, ')')+1:])
	return state[0] != 'Z' && state[0] != 'X'
}

// TestACPLeavesNothingRunning ends the agent while a command runs: by the end
// of its input and by signals.
func TestACPLeavesNothingRunning(t *testing.T) {
	signal := func(s syscall.Signal) func(*client) error {
		return func(c *client) error { return c.cmd.Process.Signal(s) }
	}
	for _, row := range []struct {
		name string
		end  func(*client) error
		code int
	}{
		{"end of input", func(c *client) error { return c.in.Close() }, 0},
		{"TERM", signal(syscall.SIGTERM), exitInterrupted},
		{"INT", signal(syscall.SIGINT), exitInterrupted},
		{"HUP", signal(syscall.SIGHUP), exitInterrupted},
	} {
		t.Run(row.name, func(t *testing.T) {
			h := newHome(t)
			c := connect(t, h)
			c.open(h)
			started := c.run()
			begin := time.Now()
			if err := row.end(c); err != nil {
				t.Fatal(err)
			}
			if code := c.left(); code != row.code {
				t.Errorf("exit code %d, want %d", code, row.code)
			}
			t.Logf("left after %v", time.Since(begin).Round(time.Millisecond))
			for _, pid := range started {
				if alive(pid) {
					t.Errorf("process %d outlives the agent", pid)
				}
			}
			if out, code := h.output(t, "sessions", "show", c.session); code != 0 || !pids.MatchString(out) {
				t.Errorf("the interrupted session shows, with exit code %d:\n%s", code, out)
			}
		})
	}
}

// TestACPStdout checks that only the protocol can reach the client: whatever
// prints to descriptor 1, a child included, prints to stderr.
func TestACPStdout(t *testing.T) {
	h := newHome(t)
	c := connect(t, h)
	c.initialize()
	target := func(fd int) string {
		link, err := os.Readlink(fmt.Sprintf("/proc/%d/fd/%d", c.cmd.Process.Pid, fd))
		if err != nil {
			t.Fatal(err)
		}
		return link
	}
	if target(1) != target(2) {
		t.Errorf("descriptor 1 is %s, descriptor 2 is %s", target(1), target(2))
	}
}

// TestRunInterrupted interrupts a turn: exit code 130, nothing left running.
func TestRunInterrupted(t *testing.T) {
	for _, signal := range []syscall.Signal{syscall.SIGINT, syscall.SIGTERM} {
		t.Run(signal.String(), func(t *testing.T) {
			h := newHome(t)
			cmd := h.command(t, "run", "--mode", "full-access", running)
			out, err := cmd.StdoutPipe()
			if err != nil {
				t.Fatal(err)
			}
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			var seen []byte
			for piece := make([]byte, 4096); !pids.Match(seen); {
				n, err := out.Read(piece)
				if err != nil {
					t.Fatalf("%v after %q", err, seen)
				}
				seen = append(seen, piece[:n]...)
			}
			if err := cmd.Process.Signal(signal); err != nil {
				t.Fatal(err)
			}
			for piece := make([]byte, 4096); err == nil; _, err = out.Read(piece) {
			}
			cmd.Wait()
			if code := cmd.ProcessState.ExitCode(); code != exitInterrupted {
				t.Errorf("exit code %d, want %d", code, exitInterrupted)
			}
			for _, digits := range pids.FindSubmatch(seen)[1:] {
				if pid, _ := strconv.Atoi(string(digits)); alive(pid) {
					t.Errorf("process %d outlives the run", pid)
				}
			}
		})
	}
}
