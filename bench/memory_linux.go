package main

import (
	"fmt"
	"os"
	"strconv"
	"strings"
)

// memory returns what the agent and the processes below it hold now, and the
// sum of their peaks, in MiB.
func (c *client) memory() (rss, peak float64, ok bool) {
	for _, pid := range family(c.cmd.Process.Pid) {
		rss += statusKiB(pid, "VmRSS:") / 1024
		peak += statusKiB(pid, "VmHWM:") / 1024
	}
	return rss, peak, rss > 0
}

// family lists a process and all below it.
func family(pid int) []int {
	all := []int{pid}
	tasks, err := os.ReadDir(fmt.Sprintf("/proc/%d/task", pid))
	if err != nil {
		return all
	}
	for _, task := range tasks {
		text, err := os.ReadFile(fmt.Sprintf("/proc/%d/task/%s/children", pid, task.Name()))
		if err != nil {
			continue
		}
		for _, child := range strings.Fields(string(text)) {
			if n, err := strconv.Atoi(child); err == nil {
				all = append(all, family(n)...)
			}
		}
	}
	return all
}

// statusKiB reads a size from a process's status.
func statusKiB(pid int, field string) float64 {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return 0
	}
	for line := range strings.Lines(string(text)) {
		if rest, ok := strings.CutPrefix(line, field); ok {
			n, _ := strconv.ParseFloat(strings.Fields(rest)[0], 64)
			return n
		}
	}
	return 0
}
