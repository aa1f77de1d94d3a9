package workspace

import (
	"strings"
	"unicode/utf8"
)

// Names of encodings, as Encoding returns them.
const (
	UTF8     = "UTF-8"
	UTF8BOM  = "UTF-8 with BOM"
	UTF16LE  = "UTF-16 LE"
	UTF16BE  = "UTF-16 BE"
	Binary   = "binary"
	EightBit = "unknown 8-bit"
)

// binaryWindow is how many bytes are searched for a NUL (tools.md §3.11).
const binaryWindow = 8192

// Encoding names how the bytes of a file are to be understood. ok says that
// they are text that can be shown and edited as it is: UTF-8, with a byte
// order mark or not.
func Encoding(text string) (name string, ok bool) {
	switch {
	case strings.HasPrefix(text, "\xff\xfe"):
		return UTF16LE, false
	case strings.HasPrefix(text, "\xfe\xff"):
		return UTF16BE, false
	case strings.IndexByte(text[:min(len(text), binaryWindow)], 0) >= 0:
		return Binary, false
	case !utf8.ValidString(text):
		return EightBit, false
	case strings.HasPrefix(text, "\ufeff"):
		return UTF8BOM, true
	}
	return UTF8, true
}
