package diff

import (
	"errors"
	"strings"
)

// ErrOverlap is returned by [Rebase] when both sides changed the same place.
var ErrOverlap = errors.New("the text changed at the same place meanwhile")

// Rebase moves edits, made against base, to current. It returns ErrOverlap
// when a change from base to current touches the same lines, when both insert
// at the same point, or when it cannot be told which of several equal lines
// changed. Changes of neighbouring lines do not overlap. Edits that are out of
// order or outside base give an error that wraps [ErrBadEdits].
//
// This is how an agent's edit goes around what the user typed meanwhile
// (contract §7): what a moved edit replaces is, byte for byte, what it replaced
// in base.
func Rebase(base, current string, edits []Edit) ([]Edit, error) {
	if err := validate(len(base), edits); err != nil {
		return nil, err
	}
	if len(edits) == 0 {
		return nil, nil
	}
	spans := compare(base, current)
	theirs := make([]region, len(spans))
	for i := range spans {
		theirs[i] = theirRegion(base, current, spans, i)
	}
	moved := make([]Edit, len(edits))
	shift, passed, near := 0, 0, 0
	for i, e := range edits {
		for passed < len(spans) && spans[passed].a1 <= e.Start {
			s := spans[passed]
			shift += (s.b1 - s.b0) - (s.a1 - s.a0)
			passed++
		}
		ours := ourRegion(base, e)
		for near < len(theirs) && theirs[near].end < ours.start {
			near++
		}
		for j := near; j < len(theirs) && theirs[j].start <= ours.end; j++ {
			if ours.overlaps(theirs[j]) {
				return nil, ErrOverlap
			}
		}
		moved[i] = Edit{Start: e.Start + shift, End: e.End + shift, New: e.New}
	}
	return moved, nil
}

// A region is what a change of base touches: the bytes [start,end), whole
// lines; or, when it is empty, the point between two lines.
type region struct {
	start, end int
	// closed says that the points at both ends are touched too.
	closed bool
}

// overlaps reports whether both regions touch a line, or a point, in common.
func (r region) overlaps(o region) bool {
	switch {
	case r.closed || o.closed:
		return r.start <= o.end && o.start <= r.end && (r.meets(o) || r.empty() || o.empty())
	case r.empty() && o.empty():
		return r.start == o.start
	}
	return r.meets(o)
}

// meets reports whether some place lies inside both regions.
func (r region) meets(o region) bool { return r.start < o.end && o.start < r.end }

func (r region) empty() bool { return r.start == r.end }

// ourRegion returns what e touches. An edit of whole lines touches those; any
// other one all lines it has a part of.
func ourRegion(base string, e Edit) region {
	if startsLine(base, e.Start) && startsLine(base, e.End) && (e.New == "" || strings.HasSuffix(e.New, "\n")) {
		return region{start: e.Start, end: e.End}
	}
	r := region{
		start: strings.LastIndexByte(base[:e.Start], '\n') + 1,
		end:   len(base),
	}
	if i := strings.IndexByte(base[e.End:], '\n'); i >= 0 {
		r.end = e.End + i + 1
	}
	// A last line that loses its ending would swallow what is put after it.
	r.closed = e.End == len(base) && !r.empty()
	return r
}

// theirRegion returns what spans[i] touches: an insertion or deletion that
// could have happened at several places touches all of them.
func theirRegion(base, current string, spans []span, i int) region {
	s := spans[i]
	r := region{start: s.a0, end: s.a1}
	text, start, end, ok := s.movable(base, current)
	if !ok {
		r.closed = s.a1 == len(base) && !strings.HasSuffix(current, "\n")
		return r
	}
	up, down := s.room(spans, i, len(base))
	for at := 0; at < up; {
		step := stepUp(text, start-at, end-at)
		if step == 0 || at+step > up {
			break
		}
		at += step
		r.start = s.a0 - at
	}
	for at := 0; at < down; {
		step := stepDown(text, start+at, end+at)
		if step == 0 || at+step > down {
			break
		}
		at += step
		r.end = s.a1 + at
	}
	r.closed = s.a0 == s.a1 && !r.empty()
	return r
}
