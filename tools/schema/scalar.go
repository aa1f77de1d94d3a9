package schema

import (
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// string reads a string and decodes its escapes.
func (d *decoder) string() (string, *SyntaxError) {
	raw, escaped, err := d.rawString()
	if err != nil || !escaped {
		return raw, err
	}
	return unescape(raw), nil
}

// rawString reads a string and checks its escapes, but leaves them in; the
// decoder stands at the opening quote.
func (d *decoder) rawString() (raw string, escaped bool, err *SyntaxError) {
	d.pos++
	start := d.pos
	for d.pos < len(d.src) {
		switch c := d.src[d.pos]; {
		case c == '"':
			d.pos++
			return d.src[start : d.pos-1], escaped, nil
		case c == '\\':
			escaped = true
			if _, err := d.escape(); err != nil {
				return "", false, err
			}
		case c < ' ':
			return "", false, d.fail("control character in a string")
		default:
			d.pos++
		}
	}
	return "", false, d.fail("")
}

// unescape decodes the escapes of a string that rawString has checked.
func unescape(raw string) string {
	var b strings.Builder
	b.Grow(len(raw))
	d := decoder{src: raw}
	for {
		i := strings.IndexByte(raw[d.pos:], '\\')
		if i < 0 {
			b.WriteString(raw[d.pos:])
			return b.String()
		}
		b.WriteString(raw[d.pos : d.pos+i])
		d.pos += i
		r, err := d.escape()
		if err != nil {
			return b.String()
		}
		b.WriteRune(r)
	}
}

// escape reads one escape sequence, or the two of a surrogate pair.
func (d *decoder) escape() (rune, *SyntaxError) {
	d.pos++
	c := d.peek()
	if r := simpleEscape(c); r != 0 {
		d.pos++
		return r, nil
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

// simpleEscape returns what a backslash and c stand for, 0 for no escape of
// two characters.
func simpleEscape(c byte) rune {
	switch c {
	case '"', '\\', '/':
		return rune(c)
	case 'b':
		return '\b'
	case 'f':
		return '\f'
	case 'n':
		return '\n'
	case 'r':
		return '\r'
	case 't':
		return '\t'
	default:
		return 0
	}
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
	if d.mode&anyNumbers != 0 || plain && len(literal) < 300 && literal != "-0" {
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
