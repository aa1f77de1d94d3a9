package proc

import (
	"bufio"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// TestProgramTakesItsGroupAlong starts programs that do not want to leave.
func TestProgramTakesItsGroupAlong(t *testing.T) {
	for name, script := range map[string]string{
		"ignores the end of its input": `sleep 300 & echo $!; wait`,
		"ignores TERM":                 `trap '' TERM; sleep 300 & echo $!; while :; do sleep 1; done`,
		"leaves a child behind":        `sleep 300 & echo $!; exit 0`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := startProgram(t, script, func(p *Program) { p.Quiet, p.Grace = time.Millisecond, 50*time.Millisecond })
			line, err := bufio.NewReader(c).ReadString('\n')
			pid, convErr := strconv.Atoi(strings.TrimSpace(line))
			if err != nil || convErr != nil {
				t.Fatalf("%q: %v, %v", line, err, convErr)
			}
			c.Close()
			if !ended(t, c).Aborted && name != "leaves a child behind" {
				t.Error("nobody says that it was forced")
			}
			if i, ok := readProcess(pid); ok && i.live() {
				t.Errorf("its child %d runs on", pid)
				_ = syscall.Kill(pid, syscall.SIGKILL)
			}
		})
	}
}
