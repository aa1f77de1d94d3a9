package proc

import (
	"bufio"
	"bytes"
	"errors"
	"io"
)

// ErrLineTooLong is a line over the bound of Lines; what follows it is lost.
var ErrLineTooLong = errors.New("it sent a message that is too long")

// Lines passes on the lines of a program's output that are messages: programs
// print banners and debug output there too. It is an io.Reader of whole lines,
// each without blanks around it and with one newline; a last line without its
// end counts.
type Lines struct {
	in   *bufio.Reader
	max  int
	keep func(line []byte) bool
	rest []byte
}

// NewLines returns the lines of in for which keep is true; keep is not asked
// about blank ones. max bounds a line, in bytes.
func NewLines(in io.Reader, max int, keep func(line []byte) bool) *Lines {
	return &Lines{in: bufio.NewReaderSize(in, 64<<10), max: max, keep: keep}
}

// Read reads whole lines piece by piece.
func (l *Lines) Read(p []byte) (int, error) {
	for len(l.rest) == 0 {
		line, err := l.next()
		if err != nil {
			return 0, err
		}
		if len(line) > 0 && l.keep(line) {
			l.rest = append(line, '\n')
		}
	}
	n := copy(p, l.rest)
	l.rest = l.rest[n:]
	return n, nil
}

// next returns one line without its end.
func (l *Lines) next() ([]byte, error) {
	var line []byte
	for {
		part, err := l.in.ReadSlice('\n')
		if len(line)+len(part) > l.max {
			return nil, ErrLineTooLong
		}
		line = append(line, part...)
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
			continue
		case err != nil && len(line) == 0:
			return nil, err
		}
		return bytes.TrimSpace(line), nil
	}
}
