package diff

// Values of a diagonal that no path has reached: smaller and greater than any
// real one, and far enough from overflow to be counted on.
const (
	unreachedForward  = -1 << 30
	unreachedBackward = 1 << 30
)

// A reach is the range of diagonals [lo,hi] that one direction of a search
// has come to; every other one of them belongs to the current cost.
type reach struct{ lo, hi int }

// grow widens r by one diagonal at both ends, within [lo,hi]; where it has
// come to the edge it shrinks instead, to keep the parity. The diagonals next
// to the new ends are set to unreached.
func (r *reach) grow(lo, hi int, v []int32, zero int, unreached int32) {
	if r.lo > lo {
		r.lo--
		v[zero+r.lo-1] = unreached
	} else {
		r.lo++
	}
	if r.hi < hi {
		r.hi++
		v[zero+r.hi+1] = unreached
	} else {
		r.hi--
	}
}

// split returns a point (i,j) of b, other than its corners, through which a
// shortest path goes; or, when that takes more than s.maxCost edits, the point
// that the cheapest paths from either end got farthest to. b shares neither
// first nor last line and is not empty on either side.
func (s *search) split(b box) (i, j int) {
	lo, hi := b.x0-b.y1, b.x1-b.y0
	start, end := b.x0-b.y0, b.x1-b.y1
	odd := (start-end)&1 != 0
	f, r := reach{start, start}, reach{end, end}
	s.forward[s.zero+start], s.backward[s.zero+end] = int32(b.x0), int32(b.x1)
	for cost := 1; ; cost++ {
		f.grow(lo, hi, s.forward, s.zero, unreachedForward)
		for k := f.lo; k <= f.hi; k += 2 {
			i := s.stepForward(b, k)
			if odd && r.lo <= k && k <= r.hi && s.backward[s.zero+k] <= i {
				return int(i), int(i) - k
			}
		}
		r.grow(lo, hi, s.backward, s.zero, unreachedBackward)
		for k := r.lo; k <= r.hi; k += 2 {
			i := s.stepBackward(b, k)
			if !odd && f.lo <= k && k <= f.hi && i <= s.forward[s.zero+k] {
				return int(i), int(i) - k
			}
		}
		s.work -= f.hi - f.lo + r.hi - r.lo + 2
		if cost >= s.maxCost || s.work <= 0 {
			return s.farthest(b, f, r)
		}
	}
}

// stepForward takes the better of the paths that reach diagonal k by one more
// edit, follows equal lines, and returns how far along x it came.
func (s *search) stepForward(b box, k int) int32 {
	v := s.forward[s.zero+k-1 : s.zero+k+2]
	i := int(max(v[0]+1, v[2]))
	j := i - k
	if i < b.x0 || j < b.y0 || i > b.x1 || j > b.y1 {
		v[1] = unreachedForward
		return unreachedForward
	}
	x, y, i0 := s.x.ids, s.y.ids, i
	for i < b.x1 && j < b.y1 && x[i] == y[j] {
		i, j = i+1, j+1
	}
	s.work -= i - i0
	v[1] = int32(i)
	return int32(i)
}

// stepBackward is stepForward from the end.
func (s *search) stepBackward(b box, k int) int32 {
	v := s.backward[s.zero+k-1 : s.zero+k+2]
	i := int(min(v[0], v[2]-1))
	j := i - k
	if i < b.x0 || j < b.y0 || i > b.x1 || j > b.y1 {
		v[1] = unreachedBackward
		return unreachedBackward
	}
	x, y, i0 := s.x.ids, s.y.ids, i
	for i > b.x0 && j > b.y0 && x[i-1] == y[j-1] {
		i, j = i-1, j-1
	}
	s.work -= i0 - i
	v[1] = int32(i)
	return int32(i)
}

// farthest returns the point of either direction that left most of b behind.
func (s *search) farthest(b box, f, r reach) (i, j int) {
	i, j = b.x0, b.y0
	best := 0
	for k := f.lo; k <= f.hi; k += 2 {
		x := int(s.forward[s.zero+k])
		if done := x - b.x0 + x - k - b.y0; x >= b.x0 && done > best {
			best, i, j = done, x, x-k
		}
	}
	for k := r.lo; k <= r.hi; k += 2 {
		x := int(s.backward[s.zero+k])
		if done := b.x1 - x + b.y1 - (x - k); x <= b.x1 && done > best {
			best, i, j = done, x, x-k
		}
	}
	return i, j
}
