package host_test

import (
	"context"
	"os"
	"regexp"
	"testing"
	"time"

	"github.com/agent-ls/agent-ls/agent"
)

var pidText = regexp.MustCompile(`pid (\d+)`)

// spawned is the process that the agent said it has started.
func spawned(t *testing.T, b *bed) string {
	t.Helper()
	m := pidText.FindStringSubmatch(textOf(b.sink.all()))
	if m == nil {
		t.Fatal("the agent named no process")
	}
	return m[1]
}

// gone waits until a process has ended; the test's own deadline bounds it.
func gone(t *testing.T, pid string) {
	t.Helper()
	for t.Context().Err() == nil {
		stat, err := os.ReadFile("/proc/" + pid + "/stat")
		if err != nil || regexp.MustCompile(`\) [ZX] `).Match(stat) {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Errorf("process %s runs on", pid)
}

// TestGroupEndsWithTheSession: what the agent has started ends with it.
func TestGroupEndsWithTheSession(t *testing.T) {
	b := newBed(t).open()
	b.must(step{Spawn: true})
	b.session.Close()
	gone(t, spawned(t, b))
}

// TestDeafAgent: one that does not cancel is ended with its group, and starts
// again for the next prompt.
func TestDeafAgent(t *testing.T) {
	b := newBed(t).open()
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		b.sink.wait(says("deaf"))
		cancel()
	}()
	if _, reason, err := b.promptWith(ctx, step{Spawn: true}, step{Deaf: true}); err != nil || reason != agent.StopCancelled {
		t.Errorf("%s, %v", reason, err)
	}
	gone(t, spawned(t, b))
	if said := b.must(update(`{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"again"}}`)); said != "again" {
		t.Errorf("said %q", said)
	}
}
