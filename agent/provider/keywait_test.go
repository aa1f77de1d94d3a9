package provider

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
)

// waitingCommand is a command that says in a file that it has begun, and waits
// for another file before it prints the key.
func waitingCommand(t *testing.T) (command []string, begun, end string) {
	t.Helper()
	dir := t.TempDir()
	begun, end = filepath.Join(dir, "begun"), filepath.Join(dir, "end")
	t.Setenv("AGENT_TEST_PRINT", "the-key")
	t.Setenv("AGENT_TEST_CODE", "0")
	t.Setenv("AGENT_TEST_WAIT", dir)
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return []string{exe, "print the key"}, begun, end
}

// await waits until a file is there.
func await(file string) {
	for {
		if _, err := os.Stat(file); err == nil {
			return
		}
		time.Sleep(10 * time.Millisecond) // another process makes it
	}
}

// Who does not want the key any more is let go at once, also when somebody else
// waits for the same command; the command ends with the last one.
func TestWaitingForACommandIsCancelled(t *testing.T) {
	command, begun, end := waitingCommand(t)
	k := NewKey(Source{Command: command})
	defer k.Close()
	mine := errors.New("cancelled by the test")
	ctx, cancel := context.WithCancelCause(context.Background())
	var other sync.WaitGroup
	other.Go(func() {
		if key, err := k.Get(context.Background()); err != nil || key != "the-key" {
			t.Errorf("the other one gets %q, %v", key, err)
		}
	})
	await(begun)
	go cancel(mine)
	if _, err := k.Get(ctx); !errors.Is(err, mine) {
		t.Errorf("cancelled: %v", err)
	}
	if err := os.WriteFile(end, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	other.Wait()
}

func TestACommandThatNobodyWaitsForEnds(t *testing.T) {
	command, begun, end := waitingCommand(t)
	k := NewKey(Source{Command: command})
	ctx, cancel := context.WithCancel(context.Background())
	go func() {
		await(begun)
		cancel()
	}()
	if _, err := k.Get(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
	k.work.Wait() // though nobody lets it end
	if err := os.WriteFile(end, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if key, err := k.Get(context.Background()); err != nil || key != "the-key" {
		t.Errorf("the next one gets %q, %v", key, err)
	}
	k.Close()
}

func TestLogOut(t *testing.T) {
	k := NewKey(Source{Value: "v"})
	defer k.Close()
	k.LogOut()
	if key, err := k.Get(context.Background()); key != "" || err == nil || !strings.Contains(err.Error(), "logged out") {
		t.Errorf("logged out: %q, %v", key, err)
	}
	k.Forget() // a refusal does not log in
	if _, err := k.Get(context.Background()); err == nil {
		t.Error("a refusal has logged in")
	}
	k.LogIn()
	if key, err := k.Get(context.Background()); key != "v" || err != nil {
		t.Errorf("logged in: %q, %v", key, err)
	}
}
