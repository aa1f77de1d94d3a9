package diff

import "strings"

// Lines returns the line-wise edits that turn before into after, in order,
// not overlapping, each covering only changed lines. Equal texts have none.
//
// The result is a shortest one except where the texts differ so much that
// finding it would take too long; time is bounded in any case. Where a block
// could sit at several places, the place that reads best is taken.
func Lines(before, after string) []Edit {
	spans := compare(before, after)
	if len(spans) == 0 {
		return nil
	}
	edits := make([]Edit, len(spans))
	for i, s := range spans {
		edits[i] = Edit{Start: s.a0, End: s.a1, New: after[s.b0:s.b1]}
	}
	return edits
}

// A span says that the bytes [a0,a1) of the text before became [b0,b1) of the
// text after. All four are starts of lines or ends of the texts.
type span struct{ a0, a1, b0, b1 int }

// compare returns the changed spans in order; between two of them lie equal
// lines.
func compare(before, after string) []span {
	if before == after {
		return nil
	}
	head, tail := Common(before, after)
	a, b := before[head:len(before)-tail], after[head:len(after)-tail]
	var spans []span
	if a == "" || b == "" {
		spans = []span{{0, len(a), 0, len(b)}}
	} else {
		spans = compareLines(a, b)
	}
	for i := range spans {
		s := &spans[i]
		s.a0, s.a1, s.b0, s.b1 = s.a0+head, s.a1+head, s.b0+head, s.b1+head
	}
	return settle(before, after, spans)
}

// compareLines compares texts that share neither first nor last line.
func compareLines(a, b string) []span {
	as, bs := splitLines(a), splitLines(b)
	x, y := intern(a, as, b, bs)
	changedA, changedB := changedLines(x, y)
	var spans []span
	for i, j := 0, 0; i < len(x) || j < len(y); {
		i0, j0 := i, j
		for i < len(x) && changedA[i] {
			i++
		}
		for j < len(y) && changedB[j] {
			j++
		}
		if i == i0 && j == j0 {
			i, j = i+1, j+1
			continue
		}
		spans = append(spans, span{as[i0], as[i], bs[j0], bs[j]})
	}
	return spans
}

// splitLines returns the start of every line of s, and len(s) after the last.
func splitLines(s string) []int {
	starts := make([]int, 1, strings.Count(s, "\n")+2)
	for i := 0; i < len(s); {
		n := strings.IndexByte(s[i:], '\n')
		if n < 0 {
			n = len(s) - i - 1
		}
		i += n + 1
		starts = append(starts, i)
	}
	return starts
}

// block is how many bytes are compared at once: enough to let the runtime's
// comparison work at full speed.
const block = 512

// Common returns how many bytes of whole lines both texts begin with and, after
// those, end with: the changes lie between. It costs one comparison of the texts.
func Common(before, after string) (head, tail int) {
	head = commonHead(before, after)
	return head, commonTail(before[head:], after[head:])
}

// commonHead returns the length of the longest run of whole lines that both
// texts begin with.
func commonHead(a, b string) int {
	limit := min(len(a), len(b))
	n := 0
	for n+block <= limit && a[n:n+block] == b[n:n+block] {
		n += block
	}
	for n < limit && a[n] == b[n] {
		n++
	}
	return strings.LastIndexByte(a[:n], '\n') + 1
}

// commonTail returns the length of the longest run of whole lines that both
// texts end with.
func commonTail(a, b string) int {
	limit := min(len(a), len(b))
	n := 0
	for n+block <= limit && a[len(a)-n-block:len(a)-n] == b[len(b)-n-block:len(b)-n] {
		n += block
	}
	for n < limit && a[len(a)-n-1] == b[len(b)-n-1] {
		n++
	}
	if startsLine(a, len(a)-n) && startsLine(b, len(b)-n) {
		return n
	}
	first := strings.IndexByte(a[len(a)-n:], '\n')
	if first < 0 {
		return 0
	}
	return n - first - 1
}

// startsLine reports whether offset i of s is the start of a line.
func startsLine(s string, i int) bool { return i == 0 || s[i-1] == '\n' }
