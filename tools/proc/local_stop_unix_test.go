//go:build unix

package proc

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// TestLocalDeadlines: the flags tell which deadline ended the command, however
// it exits then (tools.md §3.10.8).
func TestLocalDeadlines(t *testing.T) {
	patient := NewLocal(LocalOptions{Grace: patience})
	t.Cleanup(patient.Close)
	hasty := NewLocal(LocalOptions{Grace: 300 * time.Millisecond})
	t.Cleanup(hasty.Close)
	timeout := func(p *process, _ func()) { p.end(causeTimeout) }
	tests := []struct {
		name, line   string
		end          func(p *process, cancel func())
		timedOut     bool
		code, signal string
	}{
		{"timeout", "echo ready; exec sleep 100", timeout, true, "none", "SIGTERM"},
		{"trapped TERM still timed out", "trap 'exit 0' TERM; echo ready; sleep 100 & wait", timeout, true, "0", ""},
		{"ignored TERM is killed", "trap '' TERM; echo ready; sleep 100", timeout, true, "none", "SIGKILL"},
		{"cancelled", "echo ready; exec sleep 100", func(_ *process, cancel func()) { cancel() }, false, "none", "SIGTERM"},
		{"stopped", "echo ready; exec sleep 100", func(p *process, _ func()) { p.Stop(); p.Stop() }, false, "none", "SIGTERM"},
		{"the first counts", "trap '' TERM; echo ready; sleep 100", func(p *process, _ func()) { p.Stop(); p.end(causeTimeout) }, false, "none", "SIGKILL"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			ctx, cancel := context.WithCancel(context.Background())
			defer cancel()
			out := newLines()
			l := patient
			if tt.signal == "SIGKILL" {
				l = hasty
			}
			p := start(ctx, t, l, Command{Line: tt.line, Output: out.add})
			out.next(t)
			tt.end(p.(*process), cancel)
			e := wait(t, p)
			if e.TimedOut != tt.timedOut || e.Aborted == tt.timedOut {
				t.Errorf("timed out %v, aborted %v", e.TimedOut, e.Aborted)
			}
			if code(e) != tt.code || e.Signal != tt.signal || e.Stdout.Text != "ready\n" {
				t.Errorf("code %s signal %q stdout %q", code(e), e.Signal, e.Stdout.Text)
			}
		})
	}
}

func TestLocalTimeout(t *testing.T) {
	if e := run(t, Command{Line: "exec sleep 100", Timeout: time.Millisecond}); !e.TimedOut || e.Aborted {
		t.Errorf("%+v", e)
	}
}

// TestLocalStopAfterEnd: nobody can end a command that has ended.
func TestLocalStopAfterEnd(t *testing.T) {
	l := NewLocal(LocalOptions{})
	defer l.Close()
	ctx, cancel := context.WithCancel(context.Background())
	p := start(ctx, t, l, Command{Line: "exit 4"})
	before := wait(t, p)
	p.Stop()
	cancel()
	p.Release()
	after := wait(t, p)
	if code(after) != "4" || after.Aborted || before.Duration != after.Duration || p.Terminal() != "" {
		t.Errorf("%+v", after)
	}
}

// TestLocalWaitGivesUp: the context of Wait does not end the process.
func TestLocalWaitGivesUp(t *testing.T) {
	l := NewLocal(LocalOptions{})
	defer l.Close()
	gate := filepath.Join(t.TempDir(), "gate")
	p := start(context.Background(), t, l, Command{Line: "until test -e " + gate + "; do sleep 0.01; done; exit 5"})
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := p.Wait(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("wait: %v", err)
	}
	if err := os.WriteFile(gate, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if e := wait(t, p); code(e) != "5" || e.Aborted {
		t.Errorf("%+v", e)
	}
}

// TestLocalDescendants: processes that hold the pipes do not keep a command
// from ending (tools.md §2.4.9, §6), and Close ends them. One that writes may
// have died before: nobody reads its pipe any more.
func TestLocalDescendants(t *testing.T) {
	tests := []struct {
		name, line string
		goesOn     bool
	}{
		{"silent", "sleep 100 & echo pid $!; echo done", true},
		{"writing", "(while :; do echo x; sleep 0.02; done) & echo pid $!; echo done", false},
		{"redirected", "(while :; do echo x; sleep 0.02; done) >/dev/null 2>&1 & echo pid $!; echo done", true},
	}
	number := regexp.MustCompile(`(?m)^pid (\d+)$`)
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			l := NewLocal(LocalOptions{Grace: 200 * time.Millisecond})
			begun := time.Now()
			e := runWith(t, l, Command{Line: tt.line})
			if took := time.Since(begun); took > 30*time.Second {
				t.Errorf("took %v", took)
			}
			found := number.FindStringSubmatch(e.Stdout.Text)
			if found == nil || !strings.Contains(e.Stdout.Text, "done\n") || code(e) != "0" {
				t.Fatalf("stdout %q code %s", e.Stdout.Text, code(e))
			}
			pid, err := strconv.Atoi(found[1])
			if err != nil {
				t.Fatal(err)
			}
			if tt.goesOn && !running(pid) {
				t.Errorf("process %d did not go on", pid)
			}
			l.Close()
			waitGone(t, pid)
		})
	}
}

// TestLocalGrandchildDies: TERM reaches the whole group, and KILL what
// ignores it although the shell is gone.
func TestLocalGrandchildDies(t *testing.T) {
	for name, line := range map[string]string{
		"child":           "sleep 100 & echo $!; wait",
		"ignores TERM":    "(trap '' TERM; echo $BASHPID; exec sleep 100) & wait",
		"without a shell": "bash -c 'sleep 100 & echo $!; wait'; true",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			needBash(t)
			l := NewLocal(LocalOptions{Grace: 200 * time.Millisecond})
			defer l.Close()
			out := newLines()
			p := start(context.Background(), t, l, Command{Line: line, Output: out.add})
			pid, err := strconv.Atoi(out.next(t))
			if err != nil {
				t.Fatal(err)
			}
			p.Stop()
			wait(t, p)
			waitGone(t, pid)
		})
	}
}

// TestLocalClose: Close ends what runs, waits for it, and lets nothing start.
func TestLocalClose(t *testing.T) {
	l := NewLocal(LocalOptions{Grace: 200 * time.Millisecond})
	out := newLines()
	p := start(context.Background(), t, l, Command{Line: "trap '' TERM; echo $$; while :; do sleep 1; done", Output: out.add})
	pid, err := strconv.Atoi(out.next(t))
	if err != nil {
		t.Fatal(err)
	}
	l.Close()
	if e := wait(t, p); e.Signal != "SIGKILL" || !e.Aborted {
		t.Errorf("%+v", e)
	}
	if running(pid) {
		t.Errorf("process %d runs after Close", pid)
	}
	_, err = l.Start(context.Background(), Command{Line: "true", Dir: t.TempDir()})
	var coded *Error
	if !errors.As(err, &coded) || coded.Code != CodeShuttingDown {
		t.Errorf("start after close: %v", err)
	}
	l.Close()
}

func needBash(t *testing.T) {
	t.Helper()
	if FindShell().Name != "bash" {
		t.Skip("no bash")
	}
}

// running says whether pid runs and is no zombie.
func running(pid int) bool {
	if syscall.Kill(pid, 0) != nil {
		return false
	}
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return true
	}
	_, rest, _ := strings.Cut(string(stat), ") ")
	return !strings.HasPrefix(rest, "Z")
}

// waitGone waits until pid does not run any more.
func waitGone(t *testing.T, pid int) {
	t.Helper()
	for deadline := time.Now().Add(patience); running(pid); {
		if time.Now().After(deadline) {
			t.Fatalf("process %d still runs", pid)
		}
		time.Sleep(5 * time.Millisecond)
	}
}

// lines splits what a command shows into lines.
type lines struct {
	rest string
	all  chan string
}

func newLines() *lines { return &lines{all: make(chan string, 1000)} }

func (l *lines) add(text string) {
	l.rest += text
	for {
		line, rest, ok := strings.Cut(l.rest, "\n")
		if !ok {
			return
		}
		l.all <- line
		l.rest = rest
	}
}

func (l *lines) next(t *testing.T) string {
	t.Helper()
	select {
	case line := <-l.all:
		return line
	case <-time.After(patience):
		t.Fatal("the command showed no line")
		return ""
	}
}
