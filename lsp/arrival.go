package lsp

import "github.com/agent-ls/agent-ls/workspace/diff"

// arrival is what a later text tells of an edit.
type arrival int

const (
	arrivalUnknown arrival = iota
	arrivalMade
	arrivalNotMade
)

// judgeArrival compares the text before an edit, the text that the edit makes,
// and the text that is there now, in which the user may have typed as well. It
// tells only what is certain: the lines of the edit are there and those that it
// replaces are not, or the other way round.
func judgeArrival(before, after, now string) arrival {
	var old, made []span
	shift := 0
	for _, e := range diff.Lines(before, after) {
		old = append(old, span{e.Start, e.End})
		made = append(made, span{e.Start + shift, e.Start + shift + len(e.New)})
		shift += len(e.New) - (e.End - e.Start)
	}
	switch kept, there := spared(before, now, old), spared(after, now, made); {
	case kept == there:
		return arrivalUnknown
	case there:
		return arrivalMade
	}
	return arrivalNotMade
}

// span is a range of bytes of a text.
type span struct{ start, end int }

// spared reports whether what makes now of a text leaves alone all spans.
func spared(from, now string, spans []span) bool {
	for _, e := range diff.Lines(from, now) {
		for _, s := range spans {
			if s.meets(span{e.Start, e.End}) {
				return false
			}
		}
	}
	return true
}

// meets reports whether two spans share a byte, or an empty one of them lies in
// or at the border of the other.
func (s span) meets(o span) bool {
	if s.start == s.end || o.start == o.end && s.start < o.start && o.start < s.end {
		return o.start <= s.end && s.start <= o.end
	}
	return o.start < s.end && s.start < o.end
}
