package match

import "strings"

// FindNearest returns the region of text most like old, which does not stand
// in it; nil when nothing is like it.
func FindNearest(text, old string) *Nearest { return newText(text).nearest(old) }

// nearest finds the region of the text most like old: the place where most of
// its lines stand in the same order, else the line most like its first one.
func (t *text) nearest(old string) *Nearest {
	want := splitNeedle(old)
	lines := t.split()
	if len(lines) == 0 {
		return nil
	}
	start, ok := t.byVotes(want)
	if !ok {
		start, ok = t.byFirstLine(want)
	}
	if !ok {
		return nil
	}
	for j, w := range want {
		i := start + j
		if i < 0 {
			continue
		}
		have := ""
		if i < len(lines) {
			have = t.s[lines[i].Start:lines[i].End]
		}
		if i >= len(lines) || have != w {
			return newNearest(start, i, have, w)
		}
	}
	// Every line is there: the difference is in the line endings or in what
	// stands around the text on its first or last line.
	start = max(start, 0)
	return newNearest(start, start, t.s[lines[start].Start:lines[start].End], want[0])
}

// newNearest makes a Nearest of 0-based line numbers.
func newNearest(start, differs int, have, want string) *Nearest {
	return &Nearest{Line: max(start, 0) + 1, DiffLine: differs + 1, File: clip(strings.ToValidUTF8(have, "�")), Want: clip(want)}
}

// byVotes lets every line of the file that equals one of want vote for the
// start that it implies.
func (t *text) byVotes(want []string) (int, bool) {
	const mostUses = 64 // a line that stands in more places says nothing
	at := map[string][]int{}
	for j, w := range want {
		if w = strings.TrimSpace(w); w != "" && len(at[w]) < mostUses {
			at[w] = append(at[w], j)
		}
	}
	votes := map[int]int{}
	for i, l := range t.split() {
		for _, j := range at[strings.TrimSpace(t.s[l.Start:l.End])] {
			votes[i-j]++
		}
	}
	best, most := 0, 0
	for start, n := range votes {
		if n > most || n == most && start < best {
			best, most = start, n
		}
	}
	return best, most > 0
}

// byFirstLine finds the line that shares the longest beginning and end with
// the first line of want that is not blank; at least half of it must.
func (t *text) byFirstLine(want []string) (int, bool) {
	first := 0
	for first < len(want) && strings.TrimSpace(want[first]) == "" {
		first++
	}
	if first == len(want) {
		return 0, false
	}
	w := strings.TrimSpace(want[first])
	best, most := 0, len(w)/2
	for i, l := range t.split() {
		if n := shared(strings.TrimSpace(t.s[l.Start:l.End]), w); n > most {
			best, most = i, n
		}
	}
	return best - first, most > len(w)/2
}

// shared counts the bytes of the common beginning and end of a and b.
func shared(a, b string) int {
	n := 0
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	m := 0
	for m < len(a)-n && m < len(b)-n && a[len(a)-1-m] == b[len(b)-1-m] {
		m++
	}
	return n + m
}
