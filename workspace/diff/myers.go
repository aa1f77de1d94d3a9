package diff

// Limits of the search for a shortest edit script. They bound the work by
// O(lines · maxCost) and by maxWork steps, a fraction of a second at most.
const (
	// maxCost is how many edits one search for a middle may take before it
	// settles for the point that got farthest.
	maxCost = 512
	// maxWork is the number of comparisons of lines after which what is left
	// becomes one coarse block.
	maxWork = 1 << 25
)

// changedLines says for each line of x and y whether it is changed; the
// unchanged ones of both are the same sequence.
func changedLines(x, y []lineID) (changedX, changedY []bool) {
	s := newSearch(x, y)
	s.compare(box{0, len(s.x.ids), 0, len(s.y.ids)})
	return s.changedX, s.changedY
}

// newSearch returns a search over the lines that x and y have in common; all
// others are marked as changed.
func newSearch(x, y []lineID) *search {
	flags := make([]bool, len(x)+len(y))
	s := &search{changedX: flags[:len(x):len(x)], changedY: flags[len(x):], maxCost: maxCost, work: maxWork}
	inX := func(id lineID) bool { return int(id) < len(x) } // its first line is there
	seen := make([]bool, len(x))
	for _, id := range y {
		if inX(id) {
			seen[id] = true
		}
	}
	s.x = candidates(x, func(id lineID) bool { return seen[id] }, s.changedX)
	s.y = candidates(y, inX, s.changedY)
	// Every diagonal from -len(y) to len(x), and one beyond at both ends.
	diagonals := len(s.x.ids) + len(s.y.ids) + 3
	v := make([]int32, 2*diagonals)
	s.forward, s.backward, s.zero = v[:diagonals], v[diagonals:], len(s.y.ids)+1
	return s
}

// A sequence is the lines of one text that the other has too, with their
// places among all lines of their text.
type sequence struct {
	ids    []lineID
	places []int32
}

// candidates returns the lines that may be unchanged and marks the others as
// changed. Lines that only one text has can be in no common sequence; leaving
// them out costs nothing in quality and makes most real searches trivial.
func candidates(ids []lineID, inOther func(lineID) bool, changed []bool) sequence {
	common := 0
	for i, id := range ids {
		if inOther(id) {
			common++
		} else {
			changed[i] = true
		}
	}
	s := sequence{ids: make([]lineID, 0, common), places: make([]int32, 0, common)}
	for i, id := range ids {
		if changed[i] {
			continue
		}
		s.ids = append(s.ids, id)
		s.places = append(s.places, int32(i))
	}
	return s
}

// search finds a shortest edit script in linear space (Myers 1986): it looks
// for a point in the middle of a shortest path from both ends at once, then
// does the same before and after that point.
type search struct {
	x, y               sequence
	changedX, changedY []bool
	// forward and backward hold, per diagonal k = i-j at index zero+k, how
	// far along x the paths from the start and from the end have come.
	forward, backward []int32
	zero              int
	maxCost           int
	work              int // comparisons left
}

// A box is the part [x0,x1) of x against [y0,y1) of y.
type box struct{ x0, x1, y0, y1 int }

// compare marks the changed lines of b.
func (s *search) compare(b box) {
	for {
		b = s.trim(b)
		if b.x0 == b.x1 || b.y0 == b.y1 || s.work <= 0 {
			s.mark(b)
			return
		}
		i, j := s.split(b)
		if (i == b.x0 && j == b.y0) || (i == b.x1 && j == b.y1) {
			s.mark(b)
			return
		}
		s.compare(box{b.x0, i, b.y0, j})
		b.x0, b.y0 = i, j
	}
}

// trim takes common lines off both ends of b.
func (s *search) trim(b box) box {
	x, y := s.x.ids, s.y.ids
	for b.x0 < b.x1 && b.y0 < b.y1 && x[b.x0] == y[b.y0] {
		b.x0, b.y0 = b.x0+1, b.y0+1
	}
	for b.x0 < b.x1 && b.y0 < b.y1 && x[b.x1-1] == y[b.y1-1] {
		b.x1, b.y1 = b.x1-1, b.y1-1
	}
	return b
}

// mark marks all lines of b as changed.
func (s *search) mark(b box) {
	for _, i := range s.x.places[b.x0:b.x1] {
		s.changedX[i] = true
	}
	for _, j := range s.y.places[b.y0:b.y1] {
		s.changedY[j] = true
	}
}
