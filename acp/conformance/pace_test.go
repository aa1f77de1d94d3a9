package conformance

import (
	"encoding/json"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/agent-ls/agent-ls/acp"
)

// busiestSecond is the largest number of updates with output that the program
// wrote within one second, by the times in its own wire log: those at which the
// client reads say nothing on a busy machine.
func busiestSecond(t *testing.T, wireLog string) int {
	t.Helper()
	data, err := os.ReadFile(wireLog)
	if err != nil {
		t.Fatal(err)
	}
	var times []time.Time
	for text := range strings.Lines(string(data)) {
		var entry struct {
			Time time.Time
			Dir  string
			Msg  struct {
				Method string
				Params json.RawMessage
			}
		}
		if err := json.Unmarshal([]byte(text), &entry); err != nil {
			t.Fatalf("wire log: %v in %s", err, clip(text))
		}
		if entry.Dir == "out" && entry.Msg.Method == acp.MethodSessionUpdate && showsOutput(entry.Msg.Params) {
			times = append(times, entry.Time)
		}
	}
	most, first := 0, 0
	for i, at := range times {
		for at.Sub(times[first]) >= time.Second {
			first++
		}
		most = max(most, i-first+1)
	}
	if most == 0 {
		t.Error("the wire log holds no output")
	}
	return most
}

func showsOutput(raw json.RawMessage) bool {
	var n acp.SessionNotification
	return acp.Decode(raw, &n) == nil && isOutput(&line{update: n.Update})
}
