package presentation

import "strings"

// ConsoleFence wraps terminal output, ANSI sequences removed, into a fenced
// console block whose fence is longer than any run of backticks inside
// (tools.md §3.14.17 and .22). Line endings at the end of the output are left
// out.
func ConsoleFence(output string) string {
	text := strings.TrimRight(StripANSI(output), "\n")
	fence := strings.Repeat("`", max(3, longestRun(text, '`')+1))
	return fence + "console\n" + text + "\n" + fence
}

// longestRun returns the length of the longest run of c in s.
func longestRun(s string, c byte) int {
	longest, run := 0, 0
	for i := range len(s) {
		if s[i] != c {
			run = 0
			continue
		}
		run++
		longest = max(longest, run)
	}
	return longest
}

// Unfence returns the text in a console fence as ConsoleFence makes it, s itself
// where that is none.
func Unfence(s string) string {
	fence := s[:len(s)-len(strings.TrimLeft(s, "`"))]
	body, opened := strings.CutPrefix(s, fence+"console\n")
	body, closed := strings.CutSuffix(body, "\n"+fence)
	if len(fence) < 3 || !opened || !closed {
		return s
	}
	return body
}

// Beyond returns what the text of a finished command says beside the output
// that a terminal has shown already, of which shown is the end: for a command
// that was cancelled the error after the output. A text in which that end is not
// found is returned whole, a console fence around it taken off.
func Beyond(text, shown string) string {
	text = Unfence(text)
	shown = strings.TrimRight(StripANSI(shown), "\n")
	last := shown[strings.LastIndexByte(shown, '\n')+1:]
	if i := strings.LastIndex("\n"+text+"\n", "\n"+last+"\n"); last != "" && i >= 0 {
		text = text[i+len(last):]
	}
	return strings.TrimLeft(text, "\n")
}
