//go:build unix

package proc

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// TestTasksLocal runs real commands in the background.
func TestTasksLocal(t *testing.T) {
	l := NewLocal(LocalOptions{Grace: 200 * time.Millisecond})
	defer l.Close()
	tasks := NewTasks(TasksOptions{})
	defer tasks.Dispose()
	done := make(chan Completion, 10)
	tasks.OnCompletion(func(c Completion) { done <- c })
	dir := t.TempDir()
	gate := filepath.Join(dir, "gate")

	id := startTask(t, tasks, "s", l, Command{Line: "echo begun; until test -e gate; do sleep 0.01; done; echo oops >&2; exit 3", Dir: dir})
	d := readTask(t, tasks, "s", id)
	for deadline := time.Now().Add(patience); d.Stdout == "" && time.Now().Before(deadline); time.Sleep(time.Millisecond) {
		d = readTask(t, tasks, "s", id)
	}
	if d.Stdout != "begun\n" || d.Exit != nil {
		t.Errorf("running: %+v", d)
	}
	if err := os.WriteFile(gate, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	<-done
	if d = readTask(t, tasks, "s", id); d.Stderr != "oops\n" || d.Stdout != "" || d.Exit == nil || code(*d.Exit) != "3" {
		t.Errorf("ended: %+v", d)
	}

	second := startTask(t, tasks, "s", l, Command{Line: "exec sleep 100", Dir: dir})
	if killed, err := tasks.Kill(context.Background(), "s", second); !killed || err != nil {
		t.Errorf("kill: %v, %v", killed, err)
	}
	if c := <-done; c.Exit.Signal != "SIGTERM" || !c.Exit.Aborted {
		t.Errorf("killed: %+v", c.Exit)
	}

	_, err := tasks.Start("s", l, Command{Line: "true", Dir: filepath.Join(dir, "none")})
	if err == nil || !strings.Contains(err.Error(), "does not exist") {
		t.Errorf("missing folder: %v", err)
	}

	startTask(t, tasks, "s", l, Command{Line: "trap '' TERM; while :; do sleep 1; done", Dir: dir})
	tasks.Dispose()
	if c := <-done; !c.Exit.Aborted {
		t.Errorf("disposed: %+v", c.Exit)
	}
}
