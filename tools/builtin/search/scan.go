package search

import (
	"bytes"
	"cmp"
	"errors"
	"io"
)

// Errors of texts that are not searched, or not to their end.
var (
	// ErrBinary is the error of a text with a NUL at its beginning.
	ErrBinary = errors.New("the file is binary")
	// ErrLineTooLong is the error of a text with a line over the limit.
	ErrLineTooLong = errors.New("a line is too long to be searched")
)

// MaxLine is the longest line in bytes that a Scanner reads by default.
const MaxLine = 64 << 20

// Sizes in bytes.
const (
	windowSize   = 256 << 10 // of a text that is looked at once
	binaryWindow = 8 << 10   // at the beginning, where a NUL means binary (tools.md §3.11)
)

// Line is a line of an answer.
type Line struct {
	Number int // 1-based
	// Text is the line without its ending, valid until found returns.
	Text []byte
	Hit  bool // it matches; else it stands around a line that does
}

// Scanner searches one text after another.
type Scanner struct {
	Matcher *Matcher
	Around  int // how many lines before and after a hit are wanted
	// Window is how many bytes are looked at once, when not the default; a
	// longer line is looked at whole, up to MaxLine bytes.
	Window  int
	MaxLine int

	buf []byte
}

// Scan calls found for the matching lines of r and those around them, in
// order and each once, until it returns false. Errors are r's, ErrBinary and
// ErrLineTooLong.
func (s *Scanner) Scan(r io.Reader, found func(Line) bool) error {
	if s.buf == nil {
		s.buf = make([]byte, cmp.Or(s.Window, windowSize))
	}
	p := pass{matcher: s.Matcher, around: s.Around, maxLine: cmp.Or(s.MaxLine, MaxLine), found: found, buf: s.buf, line: 1}
	err := p.run(r)
	if len(p.buf) <= 4*windowSize {
		s.buf = p.buf
	}
	return err
}

// pass is the search of one text. Offsets are into buf.
type pass struct {
	matcher *Matcher
	around  int
	maxLine int
	found   func(Line) bool

	buf   []byte
	n     int // bytes of buf that are filled
	next  int // the line from which on is not searched yet
	shown int // the line after the last one that was shown
	owed  int // how many lines are to be shown after it
	// line is the number of the line at the offset counted.
	line, counted int
}

func (p *pass) run(r io.Reader) error {
	for first := true; ; first = false {
		ended, err := p.fill(r)
		if err != nil {
			return err
		}
		if first && bytes.IndexByte(p.buf[:min(p.n, binaryWindow)], 0) >= 0 {
			return ErrBinary
		}
		end := p.n
		if !ended {
			end = bytes.LastIndexByte(p.buf[p.next:p.n], '\n') + 1 + p.next
		}
		if !p.search(end) || ended {
			return nil
		}
		if err := p.slide(); err != nil {
			return err
		}
	}
}

// fill reads until buf is full or r has ended.
func (p *pass) fill(r io.Reader) (ended bool, err error) {
	for p.n < len(p.buf) {
		n, err := r.Read(p.buf[p.n:])
		p.n += n
		if errors.Is(err, io.EOF) {
			return true, nil
		}
		if err != nil {
			return false, err
		}
	}
	return false, nil
}

// search looks at the lines up to end, and shows what they owe.
func (p *pass) search(end int) (ok bool) {
	from := p.next
	ok = p.matcher.lines(p.buf[from:end], func(l span) bool {
		start := from + l.start
		if !p.showAfter(start) || !p.showBefore(start) || !p.show(start, true) {
			return false
		}
		p.owed = p.around
		return true
	})
	p.next = end
	return ok && p.showAfter(end)
}

// showAfter shows the lines owed to the last hit, up to the line at end.
func (p *pass) showAfter(end int) bool {
	for p.owed > 0 && p.shown < end {
		p.owed--
		if !p.show(p.shown, false) {
			return false
		}
	}
	return true
}

// showBefore shows the lines before the one at start.
func (p *pass) showBefore(start int) bool {
	at := p.back(start, p.around)
	for at = max(at, p.shown); at < start; at = p.shown {
		if !p.show(at, false) {
			return false
		}
	}
	return true
}

// back goes up to n lines back from the line at i.
func (p *pass) back(i, n int) int {
	for ; n > 0 && i > 0; n-- {
		i = bytes.LastIndexByte(p.buf[:i-1], '\n') + 1
	}
	return i
}

// show gives the line at start away.
func (p *pass) show(start int, hit bool) bool {
	text := p.buf[:p.n]
	p.count(start)
	end := lineEnd(text, start)
	p.shown = afterLine(text, end)
	return p.found(Line{Number: p.line, Text: text[start:max(start, end)], Hit: hit})
}

// count counts the lines up to offset i, which may be before the one counted
// last.
func (p *pass) count(i int) {
	if i < p.counted {
		p.line -= bytes.Count(p.buf[i:p.counted], newline)
	} else {
		p.line += bytes.Count(p.buf[p.counted:i], newline)
	}
	p.counted = i
}

var newline = []byte{'\n'}

// slide makes room behind the lines that are still needed: those not
// searched and those that may stand before a hit. When these fill more than
// half of buf, it grows.
func (p *pass) slide() error {
	p.count(p.next)
	keep := max(p.back(p.next, p.around), min(p.shown, p.next))
	buf, size := p.buf, len(p.buf)
	if needed := p.n - keep; 2*needed > size {
		if needed >= p.maxLine {
			return ErrLineTooLong
		}
		buf = make([]byte, 2*size)
	}
	p.n = copy(buf, p.buf[keep:p.n])
	p.buf = buf
	p.next -= keep
	p.counted -= keep
	p.shown = max(p.shown-keep, 0)
	return nil
}
