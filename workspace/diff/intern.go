package diff

import "hash/maphash"

// A lineID stands for the text of a line, ending included: equal lines of
// both texts have the same one. IDs count from 0 in order of appearance.
type lineID = int32

// lineTable numbers lines. It is an open hash table: a map would do, at a
// multiple of the time.
type lineTable struct {
	seed  maphash.Seed
	slots []slot   // a power of two of them, at most half full
	texts []string // by lineID
}

type slot struct {
	hash uint32
	id   lineID // plus one; 0 is free
}

func newLineTable(lines int) *lineTable {
	size := 16
	for size < 2*lines {
		size *= 2
	}
	return &lineTable{seed: maphash.MakeSeed(), slots: make([]slot, size), texts: make([]string, 0, lines)}
}

// id returns the number of line, a new one if it has none yet.
func (t *lineTable) id(line string) lineID {
	sum := maphash.String(t.seed, line)
	hash := uint32(sum >> 32)
	mask := len(t.slots) - 1
	for i := int(sum) & mask; ; i = (i + 1) & mask {
		s := &t.slots[i]
		if s.id == 0 {
			t.texts = append(t.texts, line)
			*s = slot{hash: hash, id: lineID(len(t.texts))}
			return s.id - 1
		}
		if s.hash == hash && t.texts[s.id-1] == line {
			return s.id - 1
		}
	}
}

// intern returns the lines of both texts as numbers; as and bs are the starts
// of their lines.
func intern(a string, as []int, b string, bs []int) (x, y []lineID) {
	n, m := len(as)-1, len(bs)-1
	t := newLineTable(n + m)
	ids := make([]lineID, n+m)
	x, y = ids[:n:n], ids[n:]
	for i := range x {
		x[i] = t.id(a[as[i]:as[i+1]])
	}
	for i := range y {
		y[i] = t.id(b[bs[i]:bs[i+1]])
	}
	return x, y
}
