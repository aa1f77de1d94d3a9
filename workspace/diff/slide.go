package diff

import "strings"

// maxSlide bounds how many lines away a better place for a block is sought.
const maxSlide = 100

// settle moves every inserted or deleted block that could as well sit some
// lines up or down to the place that reads best, and joins spans that touch.
func settle(before, after string, spans []span) []span {
	for i := range spans {
		up, down := spans[i].room(spans, i, len(before))
		spans[i].settle(before, after, up, down)
	}
	joined := spans[:1]
	for _, s := range spans[1:] {
		last := &joined[len(joined)-1]
		if s.a0 == last.a1 && s.b0 == last.b1 {
			last.a1, last.b1 = s.a1, s.b1
			continue
		}
		joined = append(joined, s)
	}
	return joined
}

// room returns how many bytes of equal text lie before and after spans[i].
func (s span) room(spans []span, i, size int) (up, down int) {
	up, down = s.a0, size-s.a1
	if i > 0 {
		up -= spans[i-1].a1
	}
	if i+1 < len(spans) {
		down = spans[i+1].a0 - s.a1
	}
	return up, down
}

// movable returns the text that a pure insertion or deletion is in, and its
// place there; ok is false for a replacement, which has one place only.
func (s span) movable(before, after string) (text string, start, end int, ok bool) {
	switch {
	case s.a0 == s.a1:
		return after, s.b0, s.b1, true
	case s.b0 == s.b1:
		return before, s.a0, s.a1, true
	}
	return "", 0, 0, false
}

// settle moves s by whole lines within up and down bytes.
func (s *span) settle(before, after string, up, down int) {
	text, start, end, ok := s.movable(before, after)
	if !ok {
		return
	}
	shift := 0
	for n := 0; n < maxSlide; n++ {
		step := stepDown(text, start+shift, end+shift)
		if step == 0 || shift+step > down {
			break
		}
		shift += step
	}
	best, bestCost := shift, placeCost(text, start+shift, end+shift)
	for n := 0; n < 2*maxSlide; n++ {
		step := stepUp(text, start+shift, end+shift)
		if step == 0 || -(shift-step) > up {
			break
		}
		shift -= step
		if cost := placeCost(text, start+shift, end+shift); cost < bestCost {
			best, bestCost = shift, cost
		}
	}
	s.a0, s.a1, s.b0, s.b1 = s.a0+best, s.a1+best, s.b0+best, s.b1+best
}

// stepDown returns the length of the line by which the block [start,end) of
// text can move down and leave the same text, 0 if it cannot.
func stepDown(text string, start, end int) int {
	n := strings.IndexByte(text[start:end], '\n') + 1
	if n == 0 || end+n > len(text) || text[start:start+n] != text[end:end+n] {
		return 0
	}
	return n
}

// stepUp is stepDown upwards.
func stepUp(text string, start, end int) int {
	if start == 0 || end == start || text[end-1] != '\n' {
		return 0
	}
	n := start - (strings.LastIndexByte(text[:start-1], '\n') + 1)
	if n > end-start || text[start-n:start] != text[end-n:end] {
		return 0
	}
	if !startsLine(text, end-n) {
		return 0
	}
	return n
}

// placeCost rates a place for a block: best is one whose first line, and the
// line after it, are the outermost (least indented) and follow a blank line,
// so that a whole function or paragraph stays together.
func placeCost(text string, start, end int) int {
	return edgeCost(text, start) + edgeCost(text, end)
}

// edgeCost rates the boundary between two lines at offset i.
func edgeCost(text string, i int) int {
	const blank, afterBlank = 40, -3
	cost := 0
	if previousIsBlank(text, i) {
		cost += afterBlank
	}
	width, isBlank := indent(text[i:])
	if isBlank {
		return cost + blank
	}
	return cost + 4*width
}

// previousIsBlank reports whether the line that ends at offset i is blank.
func previousIsBlank(text string, i int) bool {
	if i == 0 {
		return false
	}
	start := strings.LastIndexByte(text[:i-1], '\n') + 1
	_, isBlank := indent(text[start:i])
	return isBlank
}

// indent returns the width of the white space that s begins with, tabs
// counting 8, and whether the line has nothing else. The end of a text counts
// as an outermost line.
func indent(s string) (width int, blank bool) {
	const widest = 100 // more says nothing, and bounds the work
	for i := 0; i < len(s) && width < widest; i++ {
		switch s[i] {
		case ' ':
			width++
		case '\t':
			width += 8
		case '\r':
		case '\n':
			return width, true
		default:
			return width, false
		}
	}
	return width, false
}
