package terminal

import (
	"fmt"
	"strings"

	"github.com/agent-ls/agent-ls/presentation"
)

// diffs shows what changed, removed lines before added ones around the lines
// that both sides share at the ends.
func (s *Sink) diffs(ds []presentation.FileDiff, omitted string) {
	for _, d := range ds {
		head := d.Path
		switch d.Change {
		case presentation.ChangeAdd:
			head += " (new)"
		case presentation.ChangeDelete:
			head += " (deleted)"
		case presentation.ChangeMove:
			head = d.OldPath + " → " + d.Path
		}
		if d.Line > 0 && d.Change != presentation.ChangeAdd {
			head += fmt.Sprintf(":%d", d.Line)
		}
		s.bodyLine(s.style.dim(OneLine(head)))
		var old string
		if d.OldText != nil {
			old = *d.OldText
		}
		lines := diffLines(old, d.NewText)
		for i, l := range lines {
			if i == s.lines && len(lines) > s.lines+1 {
				s.bodyLine(s.style.dim(fmt.Sprintf("… %d more lines", len(lines)-i)))
				break
			}
			s.diffLine(l)
		}
	}
	if omitted != "" {
		s.bodyLine(s.style.dim(OneLine(omitted)))
	}
}

func (s *Sink) diffLine(l string) {
	switch text := OneLine(l); text[0] {
	case '+':
		s.bodyLine(s.style.green(text))
	case '-':
		s.bodyLine(s.style.red(text))
	default:
		s.bodyLine(text)
	}
}

// diffLines marks the lines of a region: those that both texts share at its
// head and tail with a space, the others with - and +.
func diffLines(old, cur string) []string {
	a, b := textLines(old), textLines(cur)
	head := 0
	for head < len(a) && head < len(b) && a[head] == b[head] {
		head++
	}
	tail := 0
	for tail < len(a)-head && tail < len(b)-head && a[len(a)-1-tail] == b[len(b)-1-tail] {
		tail++
	}
	var out []string
	mark := func(op string, lines []string) {
		for _, l := range lines {
			out = append(out, op+l)
		}
	}
	mark(" ", a[:head])
	mark("-", a[head:len(a)-tail])
	mark("+", b[head:len(b)-tail])
	mark(" ", a[len(a)-tail:])
	return out
}

func textLines(s string) []string {
	if s == "" {
		return nil
	}
	return strings.Split(strings.TrimSuffix(s, "\n"), "\n")
}
