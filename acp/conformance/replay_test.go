package conformance

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/agent-ls/agent-ls/acp"
)

// manyCalls is a session with a number of calls of several kinds in turns of
// fifty.
func manyCalls(t testing.TB, n int) *session {
	t.Helper()
	s := inMode(t, "full-access", options{caps: displayCaps})
	s.h.file("a.txt", numbered(30, "line", "\n"))
	var lines []string
	for i := range n {
		lines = append(lines, []string{
			read("a.txt"), "/grep line", toAndFro(i), tool("todo_new", args{"todos": []args{{"content": fmt.Sprint("step ", i)}}}), "/ls", "!echo some output",
		}[i%6])
		if len(lines) == 50 || i == n-1 {
			s.run(strings.Join(lines, "\n"))
			lines = nil
		}
	}
	if got := len(s.cards()); got != n {
		t.Fatalf("%d cards", got)
	}
	return s
}

// toAndFro changes a line to and fro.
func toAndFro(i int) string {
	return tool("edit", args{"file_path": "a.txt", "start_line": 5, "end_line": 5, "content": fmt.Sprint("line five, version ", i)})
}

// TestReplayOfManyCalls: a session of 1,000 calls shows the same when it is
// loaded.
func TestReplayOfManyCalls(t *testing.T) {
	t.Parallel()
	n := 1000
	if testing.Short() {
		n = 120
	}
	live := manyCalls(t, n)
	sameShowing(t, live, live.reload(options{caps: displayCaps}))
}

// BenchmarkReplay measures the load of a session of 1,000 calls, with its whole
// replay read; the goal is 200 ms.
func BenchmarkReplay(b *testing.B) {
	b.ReportAllocs()
	s := manyCalls(b, 1000)
	s.leave()
	c := s.h.start(options{caps: displayCaps})
	for b.Loop() {
		c.load(s.id)
	}
	b.ReportMetric(float64(b.Elapsed().Milliseconds())/float64(b.N), "ms/load")
}

// BenchmarkPrompt measures a turn with one read, from the prompt to its answer.
func BenchmarkPrompt(b *testing.B) {
	b.ReportAllocs()
	s := open(b, options{})
	s.h.file("a.txt", "MARKER\n")
	for b.Loop() {
		s.run("/read a.txt")
	}
}

// BenchmarkStart measures a process from its start to the answer to session/new;
// it is ended outside of the measure.
func BenchmarkStart(b *testing.B) {
	b.ReportAllocs()
	h := newHome(b)
	for b.Loop() {
		s := h.start(options{}).newSession()
		b.StopTimer()
		s.leave()
		b.StartTimer()
	}
}

// BenchmarkHugeDiff measures the card of a write over a file of 20 MB, from the
// prompt to the card; the goal is 150 ms (field report 10).
func BenchmarkHugeDiff(b *testing.B) {
	b.ReportAllocs()
	s := inMode(b, "accept-edits", options{caps: displayCaps})
	var total time.Duration
	for b.Loop() {
		b.StopTimer()
		s.h.file("big.txt", numbered(1_800_000, "line", "\n"))
		s.run(tool("read", args{"file_path": "big.txt", "limit": 5}))
		b.StartTimer()
		turn := s.run(write("big.txt", numbered(50, "fresh", "\n")))
		card := s.find(turn.from, func(l *line) bool { _, ok := l.update.(acp.ToolCall); return ok })
		s.mu.Lock()
		total += s.wire[card].at.Sub(s.wire[turn.from].at)
		s.mu.Unlock()
	}
	b.ReportMetric(float64(total.Milliseconds())/float64(b.N), "ms/card")
}

// BenchmarkCancel measures a cancel of a running command, from the notification
// to the answer; the goal is a second.
func BenchmarkCancel(b *testing.B) {
	b.ReportAllocs()
	s := inMode(b, "full-access", options{caps: displayCaps})
	for b.Loop() {
		b.StopTimer()
		turn := s.prompt(long)
		s.untilRunning()
		b.StartTimer()
		s.cancel()
		turn.wait()
	}
}
