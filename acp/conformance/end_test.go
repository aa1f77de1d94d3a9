package conformance

import (
	"slices"
	"strings"
)

// leave closes the process's input and waits until it is gone.
func (c *client) leave() {
	c.t.Helper()
	c.setPaused(false)
	c.in.Close()
	c.until("the end of the process after its input was closed", func() bool { return c.ended })
}

// kill ends the process as a crash would, and waits until it is gone.
func (c *client) kill() {
	c.t.Helper()
	c.mu.Lock()
	c.killed, c.paused = true, false
	c.changed.Broadcast()
	c.mu.Unlock()
	c.cmd.Process.Kill()
	c.until("the end of the killed process", func() bool { return c.ended })
}

// setPaused stops and resumes reading.
func (c *client) setPaused(paused bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.paused = paused
	c.changed.Broadcast()
}

// finish ends a case: the process leaves by itself, with status 0, and nothing
// that it started is left; no rule was broken; stderr tells of no defect.
func (c *client) finish() {
	c.t.Helper()
	c.setPaused(false)
	c.in.Close()
	if !c.await(func() bool { return c.ended }) {
		c.t.Errorf("the process is still there after its input was closed\n%s", c.trace())
		c.cmd.Process.Kill()
		c.await(func() bool { return c.ended })
	}
	if c.o.terminals != nil {
		c.o.terminals.end()
	}
	c.work.Wait()
	c.mu.Lock()
	killed, exit, problems := c.killed, c.exit, c.problems
	c.mu.Unlock()
	if exit != nil && !killed {
		c.t.Errorf("the process ended with %v; stderr: %s", exit, clip(c.stderr()))
	}
	if !killed {
		c.nothingRuns()
	}
	endMarked(c.mark)
	c.report(problems)
	c.checkStderr()
}

// nothingRuns waits until no process of the agent is left, beside itself.
func (c *client) nothingRuns() {
	c.t.Helper()
	if !poll(func() bool { return len(c.children()) == 0 }) {
		c.t.Errorf("still running: %v", c.children())
	}
}

// children are the living processes that the agent started.
func (c *client) children() []process {
	return slices.DeleteFunc(marked(c.mark), func(p process) bool { return p.pid == c.cmd.Process.Pid })
}

// report fails the case for the rules that were broken, those aside that it
// breaks on purpose; a few examples are enough.
func (c *client) report(problems []problem) {
	c.t.Helper()
	shown := 0
	for _, p := range problems {
		if slices.Contains(c.o.tolerate, p.rule) {
			continue
		}
		if shown++; shown <= 5 {
			c.t.Errorf("%s", p)
		}
	}
	if shown > 5 {
		c.t.Errorf("and %d more broken rules", shown-5)
	}
}

// checkStderr fails the case for what the program reports as its own defects.
func (c *client) checkStderr() {
	c.t.Helper()
	const shown = 4 << 10
	text := c.stderr()
	for _, sign := range []string{"DATA RACE", "panic", "level=ERROR"} {
		if i := strings.Index(text, sign); i >= 0 && !slices.Contains(c.o.tolerate, ruleStderr) {
			c.t.Errorf("stderr: %s", text[i:min(len(text), i+shown)])
			return
		}
	}
}
