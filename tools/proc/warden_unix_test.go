//go:build unix

package proc

import (
	"bufio"
	"context"
	"io"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"
)

// killedEnv makes TestKilled the program that is killed; it names the pipe that
// its commands hold open.
const killedEnv = "PROC_TEST_KILLED"

// holding is a command line that says on the pipe what it is once it runs, and
// that keeps the pipe open in a process that ignores TERM and in two others.
func holding(pipe, name string) string {
	return `exec 9>` + pipe + `; (trap '' TERM; sleep 600) & sleep 600 | (echo ` + name + ` >&9; exec sleep 600)`
}

// TestKilled kills a program by SIGKILL while it runs commands and a Program:
// the groups end with it, the shells and what they started.
func TestKilled(t *testing.T) {
	if pipe := os.Getenv(killedEnv); pipe != "" {
		runUntilKilled(t, pipe)
	}
	pipe := filepath.Join(t.TempDir(), "pipe")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(os.Args[0], "-test.run=^TestKilled$")
	cmd.Env = append(os.Environ(), killedEnv+"="+pipe, "TMPDIR="+filepath.Dir(pipe)) // it removes nothing itself
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	f, err := os.Open(pipe)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	in := bufio.NewReader(f)
	var names []string
	for range 4 {
		name, err := in.ReadString('\n')
		if err != nil {
			t.Fatalf("after %q: %v", names, err)
		}
		names = append(names, strings.TrimSpace(name))
	}
	slices.Sort(names)
	if want := []string{"left", "program", "running", "told"}; !slices.Equal(names, want) {
		t.Errorf("%q run, want %q", names, want)
	}
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait()
	// The pipe comes to its end when nobody holds it.
	if rest, err := io.ReadAll(in); err != nil || len(rest) > 0 {
		t.Errorf("%q, %v", rest, err)
	}
}

// runUntilKilled runs a command, the leftovers of another, and a program that
// does not mind the end of its input.
func runUntilKilled(t *testing.T, pipe string) {
	l := NewLocal(LocalOptions{})
	runWith(t, l, Command{Line: "(" + holding(pipe, "left") + ") >/dev/null 2>&1 &"})
	running := start(context.Background(), t, l, Command{Line: holding(pipe, "running")})
	program := Program{Path: "/bin/sh", Args: []string{"-c", holding(pipe, "program")}, Dir: "/", Env: os.Environ()}
	if _, err := program.Start(); err != nil {
		t.Fatal(err)
	}
	// The wardens know of all: a group that starts while its program dies is missed.
	err := os.WriteFile(pipe, []byte("told\n"), 0)
	if err == nil {
		_, err = running.Wait(context.Background())
	}
	t.Fatalf("the command has ended: %v", err)
}

// TestWardenLeaves: it goes when it is not needed, and what is over lives on.
func TestWardenLeaves(t *testing.T) {
	other := exec.Command("sleep", "600")
	other.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	if err := other.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() {
		_ = other.Process.Kill()
		_ = other.Wait()
	}()
	w := &warden{logger: slog.New(slog.DiscardHandler)}
	w.tell(groupRuns, other.Process.Pid)
	w.tell(groupReaped, other.Process.Pid)
	w.tell(groupOver, other.Process.Pid)
	// Its first process runs, so this is the number of somebody else's group.
	w.tell(groupReaped, other.Process.Pid)
	cmd := w.cmd
	w.close()
	if state := cmd.ProcessState; state == nil || !state.Success() {
		t.Errorf("the warden ended with %v", state)
	}
	if err := other.Process.Signal(syscall.Signal(0)); err != nil {
		t.Errorf("a group that is over was ended: %v", err)
	}
	w.tell(groupRuns, other.Process.Pid)
	if w.cmd != cmd {
		t.Error("a closed warden started again")
	}
}

// TestLostWarden: a warden that somebody ends costs a warning, not the groups.
func TestLostWarden(t *testing.T) {
	var said strings.Builder
	l := NewLocal(LocalOptions{Logger: slog.New(slog.NewTextHandler(&said, nil))})
	p := start(context.Background(), t, l, Command{Line: "read -r line; exec sleep 600"})
	if err := l.warden.cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	for deadline := time.Now().Add(patience); said.Len() == 0; {
		if time.Now().After(deadline) {
			t.Fatal("nobody noticed")
		}
		runWith(t, l, Command{Line: "true"})
	}
	p.Stop()
	if e := wait(t, p); e.Signal != "SIGTERM" {
		t.Errorf("the command ended with %+v", e)
	}
	l.Close()
	if n := strings.Count(said.String(), "\n"); n != 1 {
		t.Errorf("%d warnings: %s", n, &said)
	}
}
