package proc

import (
	"strings"
	"unicode/utf8"
)

// decoder turns a stream of bytes into valid UTF-8, chunk by chunk: a rune
// that is split between two chunks is held back until it is whole, and each
// byte that belongs to no rune becomes one U+FFFD (field report 29). The zero
// decoder is ready; it is not safe for concurrent use.
type decoder struct {
	held [utf8.UTFMax]byte
	n    int
}

// decode returns the text of p and of what was held back before it.
func (d *decoder) decode(p []byte) string {
	if d.n > 0 {
		p = append(d.held[:d.n:d.n], p...)
		d.n = 0
	}
	cut := len(p) - incomplete(p)
	d.n = copy(d.held[:], p[cut:])
	return validUTF8(p[:cut])
}

// flush returns the replacement of a rune that never became whole.
func (d *decoder) flush() string {
	rest := d.held[:d.n]
	d.n = 0
	return validUTF8(rest)
}

// incomplete returns how many bytes at the end of p begin a rune that needs
// more bytes.
func incomplete(p []byte) int {
	for i := 1; i < utf8.UTFMax && i <= len(p); i++ {
		if b := p[len(p)-i]; utf8.RuneStart(b) {
			if utf8.FullRune(p[len(p)-i:]) {
				return 0
			}
			return i
		}
	}
	return 0
}

// validUTF8 returns p with each invalid byte replaced by U+FFFD. Unlike
// strings.ToValidUTF8 it keeps the number of bad bytes visible.
func validUTF8(p []byte) string {
	if utf8.Valid(p) {
		return string(p)
	}
	var b strings.Builder
	b.Grow(len(p) + 2*utf8.UTFMax)
	for len(p) > 0 {
		r, size := utf8.DecodeRune(p)
		b.WriteRune(r)
		p = p[size:]
	}
	return b.String()
}
