package main

import (
	"strconv"
	"testing"
)

// TestMCPServersLeaveWithTheirSession looks for their processes, after the end of
// the session and after the end of the agent.
func TestMCPServersLeaveWithTheirSession(t *testing.T) {
	h := newHome(t)
	c := connect(t, h)
	c.initialize()
	pid := func() int {
		c.serve(h, "full-access", []object{stdioServer(t, "local")}, "mcp__local__pid")
		pid, err := strconv.Atoi(c.cardOf("/mcp__local__pid").text())
		if err != nil || !alive(pid) {
			t.Fatalf("no server %d: %v", pid, err)
		}
		return pid
	}
	first := pid()
	c.call("session/close", object{"sessionId": c.session})
	if alive(first) {
		t.Errorf("the server %d outlives its session", first)
	}
	second := pid()
	c.in.Close()
	c.left()
	if alive(second) {
		t.Errorf("the server %d outlives the agent", second)
	}
}
