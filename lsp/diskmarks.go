package lsp

import (
	"hash/maphash"

	"github.com/agent-ls/agent-ls/lsp/text"
)

// hashSeed is that of all fingerprints of the process.
var hashSeed = maphash.MakeSeed()

// fingerprint stands for a text. It is fast, and good for nothing but
// comparing within one process.
type fingerprint struct {
	size int
	sum  uint64
}

// fingerprintOf returns the fingerprint of a text of the disk.
func fingerprintOf(s string) fingerprint {
	return fingerprint{len(s), maphash.String(hashSeed, s)}
}

// fingerprintOfText is fingerprintOf for prefix followed by t.
func fingerprintOfText(prefix string, t text.Text) fingerprint {
	var h maphash.Hash
	h.SetSeed(hashSeed)
	h.WriteString(prefix)
	t.WriteTo(&h)
	return fingerprint{len(prefix) + t.Len(), h.Sum64()}
}

// maxMarks bounds the texts of one file that are remembered.
const maxMarks = 64

// diskMarks are the texts that a file was seen to hold, in order. By them a
// reload of the editor is told from typing, also when it comes late (contract
// §7, settled detail 15).
type diskMarks struct {
	list []diskMark
	next int
}

// diskMark is one state of the file. Texts that an editor has for the same
// state, such as one with other line endings, share its number.
type diskMark struct {
	fingerprint
	state int
}

// add notes that the file holds a text now and returns the number of that
// state, the old one when nothing changed.
func (d *diskMarks) add(f fingerprint) int {
	if n := len(d.list); n > 0 && d.current() == f {
		return d.list[n-1].state
	}
	d.next++
	d.put(diskMark{f, d.next})
	return d.next
}

// alias notes another text for the present state of the file.
func (d *diskMarks) alias(f fingerprint) {
	at := len(d.list) - 1
	if at < 0 || d.list[at].fingerprint == f {
		return
	}
	last := d.list[at]
	d.list[at] = diskMark{f, last.state}
	d.put(last) // the file's own text stays the last one
}

// expect notes a text that the file is about to be given. The present one stays
// what the file was seen to hold.
func (d *diskMarks) expect(f fingerprint) {
	d.next++
	at := len(d.list) - 1
	if at < 0 {
		return
	}
	last := d.list[at]
	d.list[at] = diskMark{f, d.next}
	d.put(last)
}

func (d *diskMarks) put(m diskMark) {
	if len(d.list) >= maxMarks {
		d.list = d.list[1:]
	}
	d.list = append(d.list, m)
}

// current is the text that the file was last seen to hold.
func (d *diskMarks) current() fingerprint {
	if len(d.list) == 0 {
		return fingerprint{size: -1}
	}
	return d.list[len(d.list)-1].fingerprint
}

// state is the number of the present state, 0 when there was none yet.
func (d *diskMarks) state() int {
	if len(d.list) == 0 {
		return 0
	}
	return d.list[len(d.list)-1].state
}

// mayHold reports whether a text of this size could be a known one.
func (d *diskMarks) mayHold(size int) bool {
	for _, m := range d.list {
		if m.size == size {
			return true
		}
	}
	return false
}

// find returns the newest state in which the file held a text, 0 for none.
func (d *diskMarks) find(f fingerprint) (state int) {
	for _, m := range d.list {
		if m.fingerprint == f {
			state = max(state, m.state)
		}
	}
	return state
}
