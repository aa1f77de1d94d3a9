package diff

import "hash/maphash"

// A lineID stands for the text of a line, ending included: equal lines of
// both texts have the same one. It is the place of the first such line, where
// the lines of the second text count on after those of the first.
type lineID = int32

// lineTable numbers lines. It is an open hash table: a map would do, at a
// multiple of the time and memory.
type lineTable struct {
	seed  maphash.Seed
	slots []slot // a power of two of them, at most three quarters full
	a, b  string
	// as and bs are the starts of the lines of a and b, and their lengths.
	as, bs []int
}

type slot struct {
	hash uint32
	id   lineID // plus one; 0 is free
}

// intern returns the lines of both texts as numbers; as and bs are the starts
// of their lines.
func intern(a string, as []int, b string, bs []int) (x, y []lineID) {
	n, m := len(as)-1, len(bs)-1
	size := 16
	for size/4*3 < n+m {
		size *= 2
	}
	t := &lineTable{seed: maphash.MakeSeed(), slots: make([]slot, size), a: a, b: b, as: as, bs: bs}
	ids := make([]lineID, n+m)
	for i := range ids {
		ids[i] = t.id(lineID(i))
	}
	return ids[:n:n], ids[n:]
}

// line returns the text of line number i.
func (t *lineTable) line(i lineID) string {
	if n := len(t.as) - 1; int(i) >= n {
		j := int(i) - n
		return t.b[t.bs[j]:t.bs[j+1]]
	}
	return t.a[t.as[i]:t.as[i+1]]
}

// id returns the number of the first line that equals line number i; lines are
// asked for in order.
func (t *lineTable) id(i lineID) lineID {
	line := t.line(i)
	sum := maphash.String(t.seed, line)
	hash := uint32(sum >> 32)
	mask := len(t.slots) - 1
	for at := int(sum) & mask; ; at = (at + 1) & mask {
		s := &t.slots[at]
		if s.id == 0 {
			*s = slot{hash: hash, id: i + 1}
			return i
		}
		if s.hash == hash && t.line(s.id-1) == line {
			return s.id - 1
		}
	}
}
