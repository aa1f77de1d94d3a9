package agent

import (
	"bytes"
	"fmt"
	"strings"
	"unicode/utf8"
)

// Limits of what is shown of a command's output while it runs (contract §6),
// in bytes.
const (
	// maxPiece bounds one record.
	maxPiece = 32 << 10
	// wholeOutput is how much of a command's output is shown whole.
	wholeOutput = 1 << 20
	// maxTail is what is kept beyond it while the rate is outrun: a piece less
	// room for the lines that say what is missing.
	maxTail = maxPiece - 512
)

// liveOutput decides what of a command's output is shown: the first megabyte
// whole, beyond it whole lines as far as the rate allows, the newest last, and
// in the place of what is left out how much that was. It holds at most
// wholeOutput + maxPiece bytes. The zero value is ready; it is not safe for
// concurrent use.
type liveOutput struct {
	head []byte // to be shown whole
	tail []byte // what follows, whole lines but for the last
	// taken counts what went into head so far, up to wholeOutput.
	taken int
	// gap is what was left out before tail and not yet said, total all of it.
	gap, total int64
	said       bool // a gap was said before
	// skipping says that the rest of the current line is left out.
	skipping bool
	// inLine says that the last piece did not end a line.
	inLine bool
}

// add takes new output, valid UTF-8; dropped bytes were lost before it.
func (o *liveOutput) add(text string, dropped int) {
	if dropped > 0 {
		// What is lost breaks the promise of the whole first megabyte anyway.
		o.taken = wholeOutput
		o.leaveOut(dropped + len(o.tail))
		o.tail, o.skipping = o.tail[:0], true
	}
	if room := wholeOutput - o.taken; room > 0 {
		n := cutRune(text, room)
		o.head = append(o.head, text[:n]...)
		o.taken += n
		if n < len(text) {
			o.taken = wholeOutput
		}
		text = text[n:]
	}
	if text != "" {
		o.addTail(text)
	}
}

// addTail takes output beyond the first megabyte.
func (o *liveOutput) addTail(text string) {
	if o.skipping {
		_, rest, found := strings.Cut(text, "\n")
		if !found {
			o.leaveOut(len(text))
			return
		}
		o.leaveOut(len(text) - len(rest))
		o.skipping = false
		text = rest
	}
	o.tail = append(o.tail, text...)
	o.trim()
}

// trim drops the oldest lines of the tail until it fits. A line too long to
// fit is left out to its end.
func (o *liveOutput) trim() {
	over := len(o.tail) - maxTail
	if over <= 0 {
		return
	}
	n := len(o.tail)
	if i := bytes.IndexByte(o.tail[over-1:], '\n'); i >= 0 {
		n = over + i
	} else {
		o.skipping = true
	}
	o.leaveOut(n)
	o.tail = append(o.tail[:0], o.tail[n:]...)
}

func (o *liveOutput) leaveOut(n int) {
	o.gap += int64(n)
	o.total += int64(n)
}

// abandon gives up showing the first megabyte whole: what waits is cut to one
// piece.
func (o *liveOutput) abandon() {
	o.taken = wholeOutput
	o.tail = append(o.head, o.tail...)
	o.head = nil
	o.trim()
}

// pending reports whether there is something to show.
func (o *liveOutput) pending() bool { return len(o.head) > 0 || len(o.tail) > 0 || o.gap > 0 }

// next takes the next piece. whole says that it belongs to what is shown
// whole.
func (o *liveOutput) next() (piece string, whole bool) {
	if len(o.head) > 0 {
		n := cutRune(o.head, maxPiece)
		piece = string(o.head[:n])
		o.head = o.head[n:]
		o.inLine = !strings.HasSuffix(piece, "\n")
		return piece, true
	}
	return o.nextTail(""), false
}

// nextTail takes the tail, with what was left out before it. full, when set,
// says where all of the output is.
func (o *liveOutput) nextTail(full string) string {
	var b strings.Builder
	if o.gap > 0 {
		o.line(&b, fmt.Sprintf("[%d bytes not shown%s]", o.gap, full))
		o.gap, o.said = 0, true
	}
	b.Write(o.tail)
	if len(o.tail) > 0 {
		o.inLine = o.tail[len(o.tail)-1] != '\n'
	}
	o.tail = o.tail[:0]
	return b.String()
}

// last takes what is left when the command has ended; ref names its full
// output, "" when it is not kept. If something was left out, the piece says
// how much and where all of it is.
func (o *liveOutput) last(ref string) string {
	if ref == "" {
		ref = "(unavailable)"
	}
	full := "; full output: " + ref
	if !o.said {
		return o.nextTail(full)
	}
	b := strings.Builder{}
	b.WriteString(o.nextTail(""))
	o.line(&b, fmt.Sprintf("[%d bytes not shown%s]", o.total, full))
	return b.String()
}

// line writes s on a line of its own.
func (o *liveOutput) line(b *strings.Builder, s string) {
	if o.inLine {
		b.WriteByte('\n')
	}
	b.WriteString(s)
	b.WriteByte('\n')
	o.inLine = false
}

// cutRune returns the largest n ≤ limit such that s[:n] ends between runes.
func cutRune[T string | []byte](s T, limit int) int {
	if len(s) <= limit {
		return len(s)
	}
	n := limit
	for n > 0 && n > limit-utf8.UTFMax && !utf8.RuneStart(s[n]) {
		n--
	}
	return n
}
