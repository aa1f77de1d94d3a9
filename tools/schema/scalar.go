package schema

import (
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// string reads a string; the decoder stands at its opening quote.
func (d *decoder) string() (string, *SyntaxError) {
	d.pos++
	start := d.pos
	for d.pos < len(d.src) {
		switch c := d.src[d.pos]; {
		case c == '"':
			d.pos++
			return d.src[start : d.pos-1], nil
		case c == '\\':
			return d.escaped(start)
		case c < ' ':
			return "", d.fail("control character in a string")
		default:
			d.pos++
		}
	}
	return "", d.fail("")
}

// escaped finishes a string that has escapes; the decoder stands at the
// first of them.
func (d *decoder) escaped(start int) (string, *SyntaxError) {
	var b strings.Builder
	b.Grow(d.rawLength(start))
	for d.pos < len(d.src) {
		switch c := d.src[d.pos]; {
		case c == '"':
			b.WriteString(d.src[start:d.pos])
			d.pos++
			return b.String(), nil
		case c == '\\':
			b.WriteString(d.src[start:d.pos])
			r, err := d.escape()
			if err != nil {
				return "", err
			}
			b.WriteRune(r)
			start = d.pos
		case c < ' ':
			return "", d.fail("control character in a string")
		default:
			d.pos++
		}
	}
	return "", d.fail("")
}

// rawLength is the length of the string that begins at start, with its
// escapes as they are written.
func (d *decoder) rawLength(start int) int {
	for i := d.pos; i < len(d.src); i++ {
		switch d.src[i] {
		case '\\':
			i++
		case '"':
			return i - start
		}
	}
	return 0
}

// escape reads one escape sequence, or the two of a surrogate pair.
func (d *decoder) escape() (rune, *SyntaxError) {
	d.pos++
	c := d.peek()
	if i := strings.IndexByte(`"\/bfnrt`, c); i >= 0 && d.pos < len(d.src) {
		d.pos++
		return rune("\"\\/\b\f\n\r\t"[i]), nil
	}
	if c != 'u' {
		return 0, d.fail("unknown escape in a string")
	}
	r, ok := d.hex()
	if !ok {
		return 0, d.fail("\\u needs four hexadecimal digits")
	}
	if !utf16.IsSurrogate(r) {
		return r, nil
	}
	if strings.HasPrefix(d.src[d.pos:], `\u`) {
		d.pos++
		if low, ok := d.hex(); ok {
			if r = utf16.DecodeRune(r, low); r != utf8.RuneError {
				return r, nil
			}
		}
	}
	return 0, d.fail("lone surrogate in a string")
}

// hex reads the u and the four digits of an escape.
func (d *decoder) hex() (rune, bool) {
	if d.pos+5 > len(d.src) {
		return 0, false
	}
	n, err := strconv.ParseUint(d.src[d.pos+1:d.pos+5], 16, 16)
	if err != nil {
		return 0, false
	}
	d.pos += 5
	return rune(n), true
}

// number reads a number literal.
func (d *decoder) number() (string, *SyntaxError) {
	start := d.pos
	plain, err := d.numeral()
	if err != nil {
		return "", err
	}
	literal := d.src[start:d.pos]
	if d.numbers == anyNumbers || plain && len(literal) < 300 && literal != "-0" {
		return literal, nil
	}
	if reason := lossy(literal); reason != "" {
		return "", &SyntaxError{Offset: start, Reason: reason}
	}
	return literal, nil
}

// numeral skips a number; plain says that it has only a sign and digits.
func (d *decoder) numeral() (plain bool, err *SyntaxError) {
	if d.peek() == '-' {
		d.pos++
	}
	if d.peek() == '0' {
		d.pos++
	} else if d.digits() == 0 {
		return false, d.fail("expected a digit")
	}
	plain = true
	if d.peek() == '.' {
		plain = false
		d.pos++
		if d.digits() == 0 {
			return false, d.fail("expected a digit after the decimal point")
		}
	}
	if c := d.peek(); c == 'e' || c == 'E' {
		plain = false
		d.pos++
		if c := d.peek(); c == '+' || c == '-' {
			d.pos++
		}
		if d.digits() == 0 {
			return false, d.fail("expected a digit in the exponent")
		}
	}
	return plain, nil
}

// digits skips decimal digits and says how many.
func (d *decoder) digits() int {
	start := d.pos
	for d.pos < len(d.src) && '0' <= d.src[d.pos] && d.src[d.pos] <= '9' {
		d.pos++
	}
	return d.pos - start
}
