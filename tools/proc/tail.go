package proc

import (
	"bytes"
	"unicode/utf8"
)

// DefaultKeep is how many bytes of a stream stay in memory (tools.md §3.10.7).
const DefaultKeep = 64_000

// Tail keeps the end of a text. It is not safe for concurrent use.
type Tail struct {
	keep  int
	buf   []byte // the last bytes, at least keep+1 of them once there are
	total int64
}

// NewTail returns a Tail that keeps keep bytes; 0 or less means DefaultKeep.
func NewTail(keep int) *Tail {
	if keep <= 0 {
		keep = DefaultKeep
	}
	return &Tail{keep: keep}
}

// Add appends text, which is valid UTF-8.
func (t *Tail) Add(text string) {
	t.total += int64(len(text))
	// One byte more than is kept tells whether the tail begins a line.
	window := t.keep + 1
	if len(text) >= window {
		t.buf = append(t.buf[:0], text[len(text)-window:]...)
		return
	}
	// Dropping only when the window is full twice makes the copying cheap.
	if full := len(t.buf) + len(text); full > 2*window {
		t.buf = t.buf[:copy(t.buf, t.buf[full-window:])]
	}
	t.buf = append(t.buf, text...)
}

// Truncated says that bytes were dropped. A text of exactly the bytes that
// are kept is not truncated.
func (t *Tail) Truncated() bool { return t.total > int64(t.keep) }

// Reset forgets everything.
func (t *Tail) Reset() { t.buf, t.total = nil, 0 }

// String returns what is kept: at most keep bytes of valid UTF-8. When bytes
// were dropped it begins with a whole line, or, when the last line alone is
// larger than what is kept, with a whole rune (tools.md §2.9).
func (t *Tail) String() string {
	if len(t.buf) <= t.keep {
		return string(t.buf)
	}
	first := len(t.buf) - t.keep
	window := t.buf[first:]
	if t.buf[first-1] == '\n' {
		return string(window)
	}
	if i := bytes.IndexByte(window, '\n'); i >= 0 && i < len(window)-1 {
		return string(window[i+1:])
	}
	for len(window) > 0 && !utf8.RuneStart(window[0]) {
		window = window[1:]
	}
	return string(window)
}
