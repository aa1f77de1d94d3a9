package cache

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"
)

// The bounds of a search.
const (
	grepBuffer  = 1 << 20
	maxPattern  = 4 << 10
	maxContext  = 1_000
	maxMatches  = 1_000
	defaultHits = 50
)

// GrepOptions say what to look for.
type GrepOptions struct {
	// Pattern is literal text unless Regex is set: then RE2.
	Pattern string
	Regex   bool
	// Before and After are the lines of context around each match.
	Before, After int
	// MaxMatches bounds the matching lines; 0 means 50.
	MaxMatches int
}

// GrepResult is what a search found.
type GrepResult struct {
	// Blocks are the matching lines with their context; overlapping windows
	// are one block. Together they fit into MaxPageBytes as Numbered prints
	// them.
	Blocks [][]Line
	// More says that matches are missing.
	More bool
	// TooLarge is the 1-based number of the first matching line when that, or
	// the context before it, does not fit; 0 otherwise.
	TooLarge int64
}

// PatternError is a pattern that cannot be searched for.
type PatternError struct {
	Pattern string
	Err     error
}

// Error names the pattern and what is wrong with it.
func (e *PatternError) Error() string {
	return fmt.Sprintf("invalid pattern %q: %v", clipBytes(e.Pattern, 200), e.Err)
}

// Unwrap returns the cause.
func (e *PatternError) Unwrap() error { return e.Err }

// Grep searches r, which it reads twice, in bounded memory. A pattern that
// cannot be used is a *PatternError.
func Grep(r io.ReadSeeker, o GrepOptions) (GrepResult, error) {
	find, err := o.finder()
	if err != nil {
		return GrepResult{}, &PatternError{o.Pattern, err}
	}
	most := o.MaxMatches
	if most <= 0 {
		most = defaultHits
	}
	most = min(most, maxMatches)
	matches, err := find(r, most+1)
	if err != nil || len(matches) == 0 {
		return GrepResult{}, err
	}
	if _, err := r.Seek(0, io.SeekStart); err != nil {
		return GrepResult{}, err
	}
	res := GrepResult{More: len(matches) > most}
	matches = matches[:min(len(matches), most)]
	return res, res.render(r, matches, windows(matches, o.Before, o.After))
}

// finder returns the function that finds the numbers (1-based) of the first
// most matching lines.
func (o GrepOptions) finder() (func(r io.Reader, most int) ([]int64, error), error) {
	switch {
	case o.Pattern == "":
		return nil, errors.New("it is empty")
	case len(o.Pattern) > maxPattern:
		return nil, fmt.Errorf("it has more than %d bytes", maxPattern)
	case !o.Regex && strings.Contains(o.Pattern, "\n"):
		return nil, errors.New("it spans lines, and lines are searched one by one")
	case !o.Regex:
		return literal(o.Pattern).find, nil
	}
	re, err := regexp.Compile(o.Pattern)
	if err != nil {
		return nil, err
	}
	if prefix, whole := re.LiteralPrefix(); whole && prefix != "" && !strings.Contains(prefix, "\n") {
		return literal(prefix).find, nil
	}
	return expression{re}.find, nil
}

// literal is text to look for.
type literal string

// find searches whole chunks at once.
func (l literal) find(r io.Reader, most int) ([]int64, error) {
	var (
		pattern = []byte(l)
		buf     = make([]byte, grepBuffer)
		n       = 0        // bytes in buf
		line    = int64(1) // of buf[0]
		matched = int64(0) // the line that has matched last
		found   []int64
	)
	for {
		read, err := io.ReadFull(r, buf[n:])
		last := errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF)
		if err != nil && !last {
			return nil, err
		}
		n += read
		at := 0
		for len(found) < most {
			i := bytes.Index(buf[at:n], pattern)
			if i < 0 {
				break
			}
			line += int64(bytes.Count(buf[at:at+i], newline))
			at += i
			if line != matched {
				matched = line
				found = append(found, line)
			}
			at += restOfLine(buf[at:n])
		}
		if last || len(found) == most {
			return found, nil
		}
		// A match may begin in the last bytes.
		keep := max(at, n-len(pattern)+1)
		line += int64(bytes.Count(buf[at:keep], newline))
		n = copy(buf, buf[keep:n])
	}
}

// restOfLine returns how many bytes lie before the next newline of p, all of
// them when there is none.
func restOfLine(p []byte) int {
	if i := bytes.IndexByte(p, '\n'); i >= 0 {
		return i
	}
	return len(p)
}

// expression is a regular expression to look for.
type expression struct{ re *regexp.Regexp }

// find searches line by line; a line larger than the buffer is matched as it
// is read.
func (x expression) find(r io.Reader, most int) (found []int64, err error) {
	buf := bufio.NewReaderSize(r, grepBuffer)
	for line := int64(1); len(found) < most; line++ {
		matched, err := x.matchLine(buf)
		if errors.Is(err, io.EOF) {
			return found, nil
		}
		if err != nil {
			return nil, err
		}
		if matched {
			found = append(found, line)
		}
	}
	return found, nil
}

// matchLine consumes one line; io.EOF when there is none.
func (x expression) matchLine(buf *bufio.Reader) (bool, error) {
	text, err := buf.ReadSlice('\n')
	switch {
	case errors.Is(err, bufio.ErrBufferFull):
		return x.matchLong(buf, text)
	case err != nil && (err != io.EOF || len(text) == 0):
		return false, err
	}
	return x.re.Match(trimEnding(text)), nil
}

// matchLong matches a line that begins with start and goes on in buf.
func (x expression) matchLong(buf *bufio.Reader, start []byte) (bool, error) {
	// start lies in buf's memory, which the next read overwrites.
	line := &lineRunes{buf: bufio.NewReader(io.MultiReader(bytes.NewReader(bytes.Clone(start)), &lineRest{buf: buf}))}
	matched := x.re.MatchReader(line)
	for line.err == nil {
		_, _, _ = line.ReadRune()
	}
	if !errors.Is(line.err, io.EOF) {
		return false, line.err
	}
	return matched, nil
}

// lineRunes gives the runes of a line to a regular expression and remembers
// how it ended.
type lineRunes struct {
	buf *bufio.Reader
	err error
}

// ReadRune reads one rune; the \r of the line's ending is none.
func (l *lineRunes) ReadRune() (rune, int, error) {
	if l.err != nil {
		return 0, 0, l.err
	}
	r, size, err := l.buf.ReadRune()
	if err == nil && r == '\r' {
		if _, ahead := l.buf.Peek(1); ahead == io.EOF {
			err = io.EOF
		}
	}
	l.err = err
	return r, size, err
}

// lineRest reads up to the next newline and consumes that.
type lineRest struct {
	buf   *bufio.Reader
	ended bool
}

// Read reads from the rest of the line.
func (l *lineRest) Read(p []byte) (int, error) {
	if l.ended {
		return 0, io.EOF
	}
	if _, err := l.buf.Peek(1); err != nil {
		return 0, err
	}
	chunk, _ := l.buf.Peek(min(l.buf.Buffered(), len(p)))
	if i := bytes.IndexByte(chunk, '\n'); i >= 0 {
		l.ended = true
		n := copy(p, chunk[:i])
		_, err := l.buf.Discard(i + 1)
		return n, err
	}
	n := copy(p, chunk)
	_, err := l.buf.Discard(n)
	return n, err
}

// trimEnding takes \n or \r\n from the end of a line.
func trimEnding(line []byte) []byte {
	return bytes.TrimSuffix(bytes.TrimSuffix(line, newline), []byte{'\r'})
}

// window is a range of lines, inclusive.
type window struct{ first, last int64 }

// windows returns the lines around matches; overlapping ranges are merged
// (tools.md §1.6.10).
func windows(matches []int64, before, after int) []window {
	before, after = min(max(before, 0), maxContext), min(max(after, 0), maxContext)
	var all []window
	for _, m := range matches {
		w := window{max(1, m-int64(before)), m + int64(after)}
		if n := len(all); n > 0 && w.first <= all[n-1].last {
			all[n-1].last = w.last
			continue
		}
		all = append(all, w)
	}
	return slices.Clip(all)
}

// render reads the lines of the windows until the page is full.
func (g *GrepResult) render(r io.Reader, matches []int64, all []window) error {
	lines := NewLineReader(r)
	size := 0
	for _, w := range all {
		if _, err := lines.Skip(w.first - 1 - lines.Lines()); err != nil {
			return err
		}
		var block []Line
		for lines.Lines() < w.last {
			line, err := lines.Next(MaxPageBytes)
			if errors.Is(err, io.EOF) {
				break
			}
			if err != nil {
				return err
			}
			size += len(Numbered(line)) + 1
			if line.Cut || size > MaxPageBytes {
				g.full(line.Number, matches[0], block)
				return nil
			}
			block = append(block, line)
		}
		g.Blocks = append(g.Blocks, block)
	}
	return nil
}

// full ends a result at the line that did not fit.
func (g *GrepResult) full(line, firstMatch int64, block []Line) {
	if line <= firstMatch {
		g.TooLarge = firstMatch
		return
	}
	g.More = true
	if len(block) > 0 {
		g.Blocks = append(g.Blocks, block)
	}
}
