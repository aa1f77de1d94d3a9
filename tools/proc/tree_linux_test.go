package proc

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

func TestParseStat(t *testing.T) {
	const tail = " S 1 20 30 0 -1 4194304 1 2 3 4 5 6 7 8 20 0 1 0 424242 1000 2"
	tests := []struct {
		name, text string
		ok         bool
	}{
		{"plain", "7 (sleep)" + tail, true},
		{"name with spaces and parentheses", "7 (a) S 9 (b c)" + tail, true},
		{"short", "7 (x) S 1 2", false},
		{"empty", "", false},
	}
	want := procInfo{pid: 7, state: 'S', parent: 1, group: 20, session: 30, start: "424242"}
	for _, tt := range tests {
		got, ok := parseStat(7, []byte(tt.text))
		if ok != tt.ok || ok && got != want {
			t.Errorf("%s: %+v, %v", tt.name, got, ok)
		}
	}
	self, ok := readProcess(os.Getpid())
	if !ok || self.parent != os.Getppid() || !self.live() {
		t.Errorf("own process: %+v", self)
	}
}

func TestFamily(t *testing.T) {
	all := []procInfo{
		{pid: 1}, {pid: 50, parent: 1, group: 50, session: 50},
		{pid: 100, parent: 50, group: 100, session: 100}, // the shell
		{pid: 101, parent: 100, group: 100, session: 100},
		{pid: 102, parent: 101, group: 102, session: 102}, // setsid
		{pid: 103, parent: 102, group: 102, session: 102}, // its child
		{pid: 104, parent: 1, group: 104, session: 100},   // job of an ended shell
		{pid: 105, parent: 1, group: 100, session: 100},   // orphan of the group
		{pid: 106, parent: 1, group: 106, session: 106},   // daemon
	}
	var pids []int
	for _, i := range family(all, 100) {
		pids = append(pids, i.pid)
	}
	slices.Sort(pids)
	if want := []int{100, 101, 102, 103, 104, 105}; !slices.Equal(pids, want) {
		t.Errorf("family %v, want %v", pids, want)
	}
}

// TestStraysDie: what left the group by setsid or job control, and still hangs
// on the command, ends with it.
func TestStraysDie(t *testing.T) {
	for name, line := range map[string]string{
		"own session":       "setsid --wait sh -c 'echo $$; exec sleep 100'",
		"child of one":      "setsid --wait sh -c 'sleep 100 & echo $!; wait'",
		"job control":       "set -m; sleep 100 & echo $!; wait",
		"ignores TERM":      "setsid --wait sh -c 'trap \"\" TERM; echo $$; while :; do sleep 1; done'",
		"job ignoring TERM": "set -m; (trap '' TERM; echo $BASHPID; while :; do sleep 1; done) & wait",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			needBash(t)
			l := NewLocal(LocalOptions{Grace: 300 * time.Millisecond})
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

// TestDaemonLives: a process that left group, session and tree is not ours to
// end, and does not hold up the command.
func TestDaemonLives(t *testing.T) {
	l := NewLocal(LocalOptions{})
	defer l.Close()
	file := filepath.Join(t.TempDir(), "pid")
	e := runWith(t, l, Command{Line: "setsid sh -c 'echo $$ > " + file + ".new; mv " + file + ".new " + file + "; exec sleep 100' & echo hi"})
	if e.Stdout.Text != "hi\n" || code(e) != "0" {
		t.Errorf("%+v", e)
	}
	pid := waitForPid(t, file)
	defer func() { _ = syscall.Kill(pid, syscall.SIGKILL) }()
	l.Close()
	if !running(pid) {
		t.Error("the daemon was ended")
	}
}

// waitForPid waits for the number in file.
func waitForPid(t *testing.T, file string) int {
	t.Helper()
	for deadline := time.Now().Add(patience); time.Now().Before(deadline); time.Sleep(5 * time.Millisecond) {
		data, err := os.ReadFile(file)
		if err != nil {
			continue
		}
		pid, err := strconv.Atoi(strings.TrimSpace(string(data)))
		if err != nil {
			t.Fatal(err)
		}
		return pid
	}
	t.Fatal("no process wrote its number")
	return 0
}
