package terminal

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/agent-ls/agent-ls/agent"
	"github.com/agent-ls/agent-ls/presentation"
)

// Show writes a stored session as its sink would have shown it, with the
// user's prompts.
func Show(w io.Writer, info agent.SessionInfo, records []agent.Record, o Options) {
	s := NewSink(w, o)
	fmt.Fprintf(w, "%s\n%s\n\n", s.style.bold(presentation.OneLine(info.Title)), s.style.dim(fmt.Sprintf("%s · %s · %s", info.ID, info.Cwd, info.Updated.Local().Format(time.DateTime))))
	s.cwd = info.Cwd
	for _, r := range records {
		if m, ok := r.Event.(agent.UserMessage); ok {
			s.prompt(m.Blocks)
			continue
		}
		s.show(r)
	}
	s.unfinished()
}

// unfinished shows the calls that a stored session has no end of.
func (s *Sink) unfinished() {
	s.endMessage()
	open := slices.SortedFunc(maps.Values(s.cards), func(a, b *card) int { return a.started.Compare(b.started) })
	for _, c := range open {
		s.head(c)
		s.held(c)
		s.current = nil
		s.printf("%s %s\n\n", s.style.yellow("?"), "interrupted: how it ended was not stored")
	}
}

// prompt shows what the user said.
func (s *Sink) prompt(blocks []presentation.Block) {
	for _, b := range blocks {
		text := b.Text
		if text == "" {
			text = "[" + string(b.Type) + " " + b.Name + b.URI + "]"
		}
		for _, l := range textLines(presentation.StripANSI(text)) {
			s.printf("%s %s\n", s.style.bold(">"), presentation.OneLine(l))
		}
	}
	s.printf("\n")
}

// textLines are the lines of s without their ends; none for "".
func textLines(s string) []string {
	if s == "" {
		return nil
	}
	return strings.Split(strings.TrimSuffix(s, "\n"), "\n")
}
