package cache

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"
	"unicode/utf8"
)

// lineBuffer is the memory of a LineReader, in bytes.
const lineBuffer = 256 << 10

// Line is one physical line of an output.
type Line struct {
	// Number is 1-based.
	Number int64
	// Text is without its line ending (\n or \r\n) and valid UTF-8.
	Text string
	// Cut says that Text is only the start of the line.
	Cut bool
}

// LineReader reads lines of any length in bounded memory. A final newline
// ends the last line and begins no other.
type LineReader struct {
	buf  *bufio.Reader
	read int64 // lines read or skipped
}

// NewLineReader returns a LineReader of r, from its first line on.
func NewLineReader(r io.Reader) *LineReader {
	return &LineReader{buf: bufio.NewReaderSize(r, lineBuffer)}
}

// Lines returns how many lines were read or skipped.
func (l *LineReader) Lines() int64 { return l.read }

// Skip skips n lines and returns how many there were.
func (l *LineReader) Skip(n int64) (skipped int64, err error) {
	defer func() { l.read += skipped }()
	open := false // in a line without a newline so far
	for skipped < n {
		chunk, err := l.peek()
		if errors.Is(err, io.EOF) && open {
			skipped++
		}
		if err != nil {
			return skipped, ignoreEOF(err)
		}
		lines := int64(bytes.Count(chunk, newline))
		if lines < n-skipped {
			skipped += lines
			open = chunk[len(chunk)-1] != '\n'
			l.discard(len(chunk))
			continue
		}
		l.discard(nthNewline(chunk, n-skipped) + 1)
		skipped = n
	}
	return skipped, nil
}

var newline = []byte{'\n'}

// nthNewline returns where the n-th newline (1-based) of p is; p has it.
func nthNewline(p []byte, n int64) int {
	at := -1
	for range n {
		at += 1 + bytes.IndexByte(p[at+1:], '\n')
	}
	return at
}

// Next returns the next line, at most its first most bytes; io.EOF after the
// last one.
func (l *LineReader) Next(most int) (Line, error) {
	var text []byte
	size, err := l.eachPart(func(part []byte) {
		text = append(text, part[:min(len(part), max(0, most+1-len(text)))]...)
	})
	if err != nil {
		return Line{}, err
	}
	if size == int64(len(text)) {
		text = bytes.TrimSuffix(text, []byte{'\r'})
	}
	line := Line{Number: l.read, Cut: len(text) > most}
	if line.Cut {
		text = text[:most]
		text = text[:len(text)-incomplete(text)]
	}
	line.Text = validUTF8(text)
	return line, nil
}

// eachPart gives the next line to use, in parts, without its newline. It
// returns the size of the line; io.EOF when there is none.
func (l *LineReader) eachPart(use func(part []byte)) (size int64, err error) {
	for {
		part, err := l.buf.ReadSlice('\n')
		size += int64(len(part))
		if ended := bytes.HasSuffix(part, newline); ended {
			part, size = part[:len(part)-1], size-1
			use(part)
			l.read++
			return size, nil
		}
		use(part)
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
		case errors.Is(err, io.EOF) && size > 0:
			l.read++
			return size, nil
		case err != nil:
			return size, err
		}
	}
}

// More says whether there is another line.
func (l *LineReader) More() (bool, error) {
	_, err := l.peek()
	return err == nil, ignoreEOF(err)
}

// peek returns what is buffered, at least one byte.
func (l *LineReader) peek() ([]byte, error) {
	if _, err := l.buf.Peek(1); err != nil {
		return nil, err
	}
	return l.buf.Peek(l.buf.Buffered())
}

// discard drops n bytes that are buffered, which cannot fail.
func (l *LineReader) discard(n int) { _, _ = l.buf.Discard(n) }

func ignoreEOF(err error) error {
	if errors.Is(err, io.EOF) {
		return nil
	}
	return err
}

// incomplete returns how many bytes at the end of p begin a rune that needs
// more bytes.
func incomplete(p []byte) int {
	for i := 1; i < utf8.UTFMax && i <= len(p); i++ {
		if utf8.RuneStart(p[len(p)-i]) {
			if utf8.FullRune(p[len(p)-i:]) {
				return 0
			}
			return i
		}
	}
	return 0
}

// validUTF8 returns p with each invalid byte replaced by U+FFFD.
func validUTF8(p []byte) string {
	if utf8.Valid(p) {
		return string(p)
	}
	return string([]rune(string(p)))
}

// clipBytes returns the start of text, at most most bytes, up to the end of a
// rune.
func clipBytes(text string, most int) string {
	if len(text) <= most {
		return text
	}
	for most > 0 && !utf8.RuneStart(text[most]) {
		most--
	}
	return text[:most]
}

// contextReader ends reading when ctx has ended.
type contextReader struct {
	ctx context.Context
	r   io.Reader
}

// WithContext returns a reader of r that fails once ctx has ended.
func WithContext(ctx context.Context, r io.Reader) io.Reader { return contextReader{ctx, r} }

func (c contextReader) Read(p []byte) (int, error) {
	if c.ctx.Err() != nil {
		return 0, context.Cause(c.ctx)
	}
	return c.r.Read(p)
}
