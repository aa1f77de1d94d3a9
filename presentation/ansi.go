package presentation

import (
	"strings"
	"unicode/utf8"
)

// StripANSI returns what a terminal would show of s as plain text: control
// sequences are removed, a carriage return lets what follows overwrite the
// line, a backspace goes one character back, and an erased line is erased.
// Nothing moves the cursor out of its line (tools.md §3.14.22). "\n" and "\t" are the only control
// characters left; bytes that are not UTF-8 become U+FFFD. It takes linear time
// for any input, and never gives more characters than there were bytes.
func StripANSI(s string) string {
	if isPlain(s) {
		return s
	}
	t := tty{in: s}
	t.out.Grow(len(s))
	for t.at < len(t.in) {
		t.next()
	}
	t.flush()
	return t.out.String()
}

// isPlain reports whether s is valid text without control characters.
func isPlain(s string) bool {
	for i := range len(s) {
		if c := s[i]; c < ' ' && c != '\n' && c != '\t' || c == 0x7f {
			return false
		}
	}
	return utf8.ValidString(s) && !hasC1(s)
}

// hasC1 reports whether s holds a control character of U+0080 to U+009F, which
// are C2 80 to C2 9F in UTF-8.
func hasC1(s string) bool {
	for {
		i := strings.IndexByte(s, 0xc2)
		if i < 0 || i+1 == len(s) {
			return false
		}
		if s[i+1] < 0xa0 {
			return true
		}
		s = s[i+2:]
	}
}

// tty is a terminal of one line: the line at hand, and the column of the
// cursor in it.
type tty struct {
	in     string
	at     int
	line   []rune
	column int
	out    strings.Builder
}

// The control characters that have a part in sequences.
const (
	bell       = 0x07
	cancel     = 0x18
	substitute = 0x1a
	escape     = 0x1b
)

// next takes one character or control sequence.
func (t *tty) next() {
	r, size := utf8.DecodeRuneInString(t.in[t.at:])
	t.at += size
	switch {
	case r == '\n':
		t.flush()
		t.out.WriteByte('\n')
	case r == '\r':
		t.column = 0
	case r == '\b':
		t.column = max(t.column-1, 0)
	case r == escape:
		t.escape()
	case r >= 0x80 && r <= 0x9f:
		t.c1(byte(r - 0x40))
	case r >= ' ' && r != 0x7f || r == '\t':
		t.put(r)
	}
}

// put writes r at the cursor.
func (t *tty) put(r rune) {
	if t.column < len(t.line) {
		t.line[t.column] = r
	} else {
		t.line = append(t.line, r)
	}
	t.column++
}

// flush gives the line away.
func (t *tty) flush() {
	for _, r := range t.line {
		t.out.WriteRune(r)
	}
	t.line, t.column = t.line[:0], 0
}

// escape takes what follows an ESC.
func (t *tty) escape() {
	for t.at < len(t.in) {
		switch c := t.in[t.at]; {
		case c >= 0x20 && c <= 0x2f: // an intermediate byte, as of a character set
			t.at++
		case c >= 0x30 && c <= 0x7e:
			t.at++
			t.c1(c)
			return
		default: // no sequence after all
			return
		}
	}
}

// c1 acts on the control function with the final byte c of its ESC form.
func (t *tty) c1(c byte) {
	switch c {
	case '[':
		t.csi()
	case ']', 'P', 'X', '^', '_': // OSC, DCS, SOS, PM, APC
		t.skipString()
	}
}

// csi takes a control sequence: parameters, intermediate bytes, final byte. A
// byte that fits none ends it and counts for itself.
func (t *tty) csi() {
	start := t.at
	for t.at < len(t.in) {
		c := t.in[t.at]
		if c < 0x20 || c > 0x7e {
			return
		}
		t.at++
		if c >= 0x40 {
			if c == 'K' {
				t.erase(t.in[start : t.at-1])
			}
			return
		}
	}
}

// erase clears the line: from the cursor on, or all of it. The latter also
// takes the cursor back, since it is followed or preceded by a carriage return
// in practice, and keeping the column would cost a line of blanks each time.
// Clearing just what is before the cursor is left out for the same reason.
func (t *tty) erase(parameter string) {
	switch parameter {
	case "", "0":
		t.line = t.line[:min(t.column, len(t.line))]
	case "2":
		t.line, t.column = t.line[:0], 0
	}
}

// skipString passes over a control string, up to its terminator. A line end
// ends it too, so that a string that is never closed costs no more than its
// line; so does any other escape sequence.
func (t *tty) skipString() {
	for t.at < len(t.in) {
		switch c := t.in[t.at]; {
		case c == '\n':
			return
		case c == escape:
			if strings.HasPrefix(t.in[t.at:], "\x1b\\") {
				t.at += len("\x1b\\")
			}
			return
		case c == bell, c == cancel, c == substitute:
			t.at++
			return
		case strings.HasPrefix(t.in[t.at:], "\u009c"): // ST as one character
			t.at += len("\u009c")
			return
		}
		t.at++
	}
}
