package terminal

import (
	"fmt"

	"github.com/agent-ls/agent-ls/presentation"
)

// diffs shows what changed, as many lines of each diff as the sink shows of
// anything.
func (s *Sink) diffs(ds []presentation.FileDiff, omitted string) {
	for _, d := range ds {
		head := d.Heading()
		if d.Line > 0 && d.Change != presentation.ChangeAdd {
			head += fmt.Sprintf(":%d", d.Line)
		}
		s.bodyLine(s.style.dim(presentation.OneLine(head)))
		lines := diffLines(d)
		for i, l := range lines {
			if i == s.lines && len(lines) > s.lines+1 {
				s.bodyLine(s.style.dim(fmt.Sprintf("… %d more lines", len(lines)-i)))
				break
			}
			s.diffLine(l)
		}
	}
	if omitted != "" {
		s.bodyLine(s.style.dim(presentation.OneLine(omitted)))
	}
}

func (s *Sink) diffLine(l string) {
	switch text := presentation.OneLine(l); text[0] {
	case '+':
		s.bodyLine(s.style.green(text))
	case '-':
		s.bodyLine(s.style.red(text))
	case '@':
		s.bodyLine(s.style.dim(text))
	default:
		s.bodyLine(text)
	}
}

// diffLines are the lines of d with their signs; a line "@@" stands where
// unchanged ones are left out.
func diffLines(d presentation.FileDiff) []string {
	var out []string
	for i, h := range d.Hunks() {
		if i > 0 {
			out = append(out, "@@")
		}
		for _, l := range h.Lines {
			out = append(out, string(rune(l.Op))+l.Text)
		}
	}
	return out
}
