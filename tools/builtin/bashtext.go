package builtin

import (
	"fmt"
	"strings"
	"time"

	"github.com/agent-ls/agent-ls/tools/proc"
)

// bashText is what the model reads of a command: its streams, then the
// markers, one a line (tools.md §3.10.9–10, Appendix A.1). refOf gives the ref
// of a stored output by its path.
func bashText(e proc.Exit, timeout time.Duration, refOf func(path string) string) string {
	var t lineText
	empty := "(no output)"
	if e.Aborted {
		empty = "" // the error says enough
	}
	t.streams(e.Stdout.Text, e.Stderr.Text, empty, func(stderr bool) {
		c := e.Stdout
		if stderr {
			c = e.Stderr
		}
		if c.Truncated {
			t.truncated(c.Ref, refOf(c.Ref))
		}
	})
	if e.Aborted {
		t.line("Error: " + bashAborted(nil).Error())
		return t.String()
	}
	for _, note := range bashNotes(e, timeout) {
		t.line(note)
	}
	switch {
	case e.Signal != "":
		t.line("[killed by signal: " + e.Signal + "]")
	case e.Code == nil:
		t.line("[exit code: unknown]")
	case *e.Code != 0:
		t.line(exitMarker(*e.Code))
	}
	return t.String()
}

// bashNotes are the markers of what kept a command from ending in its own way:
// its confinement, and its deadline.
func bashNotes(e proc.Exit, timeout time.Duration) []string {
	var notes []string
	if e.Denied != "" {
		notes = append(notes, sandboxMarker(e.Denied))
	}
	if e.TimedOut {
		notes = append(notes, fmt.Sprintf("[timed out after %dms]", timeout.Milliseconds()))
	}
	return notes
}

func sandboxMarker(mode string) string {
	return "[sandbox: file access denied under " + mode + " mode]"
}

func exitMarker(code int) string { return fmt.Sprintf("[exit code: %d]", code) }

// lineText is text to which lines are added.
type lineText struct{ strings.Builder }

// line adds a line; there is no newline after the last one.
func (t *lineText) line(s string) {
	t.startLine()
	t.WriteString(s)
}

func (t *lineText) startLine() {
	if s := t.String(); s != "" && !strings.HasSuffix(s, "\n") {
		t.WriteByte('\n')
	}
}

// streams adds stdout, and stderr below its marker, or empty when there is
// neither; after adds what belongs after each stream.
func (t *lineText) streams(stdout, stderr, empty string, after func(stderr bool)) {
	if stdout == "" && stderr == "" {
		t.WriteString(empty)
	}
	t.WriteString(stdout)
	after(false)
	if stderr != "" {
		t.line("[stderr]\n")
		t.WriteString(stderr)
	}
	after(true)
}

// truncated says where the full output lies: the file for people and
// commands, the ref for the tools that read stored output.
func (t *lineText) truncated(path, ref string) {
	if path == "" {
		path = "(unavailable)"
	}
	t.line("[output truncated; full output: " + path + "]")
	t.ref(ref)
}

// ref adds how to read a stored output with tools.
func (t *lineText) ref(ref string) {
	if ref != "" {
		t.line(fmt.Sprintf("[read it with tool_output_cache, search it with tool_output_cache_grep; ref_id: %s]", ref))
	}
}

// taskText is what the model reads of a background task (tools.md §3.10.14).
func taskText(d proc.Delta, refOf func(path string) string) string {
	var t lineText
	t.streams(d.Stdout, d.Stderr, "(no new output)", func(bool) {})
	if d.Dropped {
		where := "(unavailable)"
		if len(d.Refs) > 0 {
			where = strings.Join(d.Refs, ", ")
		}
		t.line("[some output was dropped from memory; full output: " + where + "]")
		for _, path := range d.Refs {
			t.ref(refOf(path))
		}
	}
	t.line("[status: " + taskStatus(d.Exit) + "]")
	if d.Exit != nil && d.Exit.Denied != "" {
		t.line(sandboxMarker(d.Exit.Denied))
	}
	return t.String()
}

// taskStatus says how a task stands; a nil exit means that it runs.
func taskStatus(e *proc.Exit) string {
	switch {
	case e == nil:
		return "running"
	case e.Signal != "":
		return "killed by " + e.Signal
	case e.Aborted:
		return "killed"
	case e.Code == nil:
		return "completed, exit code: unknown"
	}
	return fmt.Sprintf("completed, exit code: %d", *e.Code)
}

// CompletionNotice tells the owner's model that a background command has
// ended (tools.md §3.10.17).
func CompletionNotice(c proc.Completion) string {
	return fmt.Sprintf("Background task %s has finished: %s\n[status: %s]\nRead its output with bash_output.",
		c.ID, c.Line, taskStatus(&c.Exit))
}
