package proc

import (
	"bytes"
	"os"
	"slices"
	"strconv"
)

// procInfo is what /proc says about one process.
type procInfo struct {
	pid, parent, group, session int
	state                       byte
	start                       string // distinguishes processes with one pid
}

// live says whether the process still runs: a zombie does not.
func (i procInfo) live() bool { return i.state != 'Z' && i.state != 'X' }

// hasLive says whether group has a process that is no zombie. In a container
// whose first process reaps nothing, orphans stay zombies for ever.
func hasLive(group int) bool {
	return slices.ContainsFunc(processes(), func(i procInfo) bool { return i.group == group && i.live() })
}

// strays returns the processes that belong to the command of g but not to its
// group: other groups of its session, and descendants that made a session of
// their own. Each is held by a handle, so its pid cannot become another's.
func strays(g *group) []*os.Process {
	if g.reaped.Load() && !g.populated() {
		return nil
	}
	var held []*os.Process
	for _, i := range family(processes(), g.id) {
		if i.group == g.id || !i.live() {
			continue
		}
		p, err := os.FindProcess(i.pid)
		if err != nil {
			continue
		}
		if now, ok := readProcess(i.pid); !ok || now.start != i.start {
			_ = p.Release()
			continue
		}
		held = append(held, p)
	}
	return held
}

// newStrays returns strays that are not in known.
func newStrays(g *group, known []*os.Process) []*os.Process {
	return slices.DeleteFunc(strays(g), func(p *os.Process) bool {
		return slices.ContainsFunc(known, func(k *os.Process) bool { return k.Pid == p.Pid })
	})
}

// family returns the processes of the group and session id, and all their
// descendants.
func family(all []procInfo, id int) []procInfo {
	children := make(map[int][]procInfo)
	var found []procInfo
	for _, i := range all {
		children[i.parent] = append(children[i.parent], i)
		if i.pid == id || i.group == id || i.session == id {
			found = append(found, i)
		}
	}
	seen := make(map[int]bool)
	for _, i := range found {
		seen[i.pid] = true
	}
	for n := 0; n < len(found); n++ {
		for _, child := range children[found[n].pid] {
			if !seen[child.pid] {
				seen[child.pid] = true
				found = append(found, child)
			}
		}
	}
	return found
}

// processes lists all processes of the system that can be read.
func processes() []procInfo {
	dir, err := os.Open("/proc")
	if err != nil {
		return nil
	}
	defer dir.Close()
	names, _ := dir.Readdirnames(-1)
	var all []procInfo
	for _, name := range names {
		pid, err := strconv.Atoi(name)
		if err != nil {
			continue
		}
		if i, ok := readProcess(pid); ok {
			all = append(all, i)
		}
	}
	return all
}

// readProcess reads /proc/PID/stat.
func readProcess(pid int) (procInfo, bool) {
	data, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if err != nil {
		return procInfo{}, false
	}
	return parseStat(pid, data)
}

// parseStat parses the text of /proc/PID/stat. The program's name, in
// parentheses, may hold anything.
func parseStat(pid int, data []byte) (procInfo, bool) {
	end := bytes.LastIndexByte(data, ')')
	if end < 0 {
		return procInfo{}, false
	}
	// Field 3 of proc(5) is the first here: state, ppid, pgrp, session, …;
	// the start time is field 22.
	fields := bytes.Fields(data[end+1:])
	if len(fields) < 20 {
		return procInfo{}, false
	}
	number := func(i int) int {
		n, _ := strconv.Atoi(string(fields[i]))
		return n
	}
	return procInfo{
		pid: pid, state: fields[0][0], parent: number(1), group: number(2), session: number(3),
		start: string(fields[19]),
	}, true
}
