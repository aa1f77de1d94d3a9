package schema

import (
	"slices"
	"strings"
	"unicode/utf8"
)

// Canonical returns data in one form for all texts of the same JSON value:
// compact, members sorted by key, 1.0 and 1 alike, escapes as short as can
// be. It is for comparing (tools.md §3.7); text that is no JSON comes back as
// it is.
func Canonical(data []byte) []byte {
	v, err := decode(string(data), anyNumbers)
	if err != nil {
		return slices.Clone(data)
	}
	return appendCanonical(make([]byte, 0, len(data)), &v)
}

// appendValue writes v compactly, members in order, numbers as written.
func appendValue(b []byte, v *value) []byte {
	switch v.kind {
	case nullKind:
		return append(b, "null"...)
	case textKind:
		return appendString(b, v.content())
	case arrayKind:
		b = append(b, '[')
		for i := range v.list {
			if i > 0 {
				b = append(b, ',')
			}
			b = appendValue(b, &v.list[i])
		}
		return append(b, ']')
	case objectKind:
		b = append(b, '{')
		for i := range v.list {
			if i > 0 {
				b = append(b, ',')
			}
			b = append(appendString(b, v.list[i].key), ':')
			b = appendValue(b, &v.list[i])
		}
		return append(b, '}')
	default:
		return append(b, v.text...)
	}
}

func appendCanonical(b []byte, v *value) []byte {
	switch v.kind {
	case numberKind:
		return parseDecimal(v.text).append(b)
	case arrayKind:
		b = append(b, '[')
		for i := range v.list {
			if i > 0 {
				b = append(b, ',')
			}
			b = appendCanonical(b, &v.list[i])
		}
		return append(b, ']')
	case objectKind:
		members := make([]*value, len(v.list))
		for i := range v.list {
			members[i] = &v.list[i]
		}
		slices.SortFunc(members, func(x, y *value) int { return strings.Compare(x.key, y.key) })
		b = append(b, '{')
		for i, m := range members {
			if i > 0 {
				b = append(b, ',')
			}
			b = append(appendString(b, m.key), ':')
			b = appendCanonical(b, m)
		}
		return append(b, '}')
	default:
		return appendValue(b, v)
	}
}

// same reports whether a and b are the same JSON value: 1 equals 1.0, the
// order of members does not count.
func same(a, b *value) bool {
	if a.kind != b.kind {
		return false
	}
	switch a.kind {
	case nullKind:
		return true
	case boolKind:
		return a.text == b.text
	case textKind:
		return a.content() == b.content()
	case numberKind:
		return a.text == b.text || parseDecimal(a.text).compare(parseDecimal(b.text)) == 0
	default:
		return len(a.list) == len(b.list) && string(appendCanonical(nil, a)) == string(appendCanonical(nil, b))
	}
}

// appendString writes s as a JSON string without the escapes that only HTML
// would need. Invalid UTF-8 becomes U+FFFD.
func appendString(b []byte, s string) []byte {
	const digits = "0123456789abcdef"
	b = append(b, '"')
	start := 0
	for i := 0; i < len(s); {
		c := s[i]
		if c >= utf8.RuneSelf {
			r, n := utf8.DecodeRuneInString(s[i:])
			if r == utf8.RuneError && n == 1 {
				b = append(append(b, s[start:i]...), "\uFFFD"...)
				start = i + 1
			}
			i += n
			continue
		}
		if c >= ' ' && c != '"' && c != '\\' {
			i++
			continue
		}
		b = append(b, s[start:i]...)
		if j := strings.IndexByte("\"\\\b\f\n\r\t", c); j >= 0 {
			b = append(b, '\\', `"\bfnrt`[j])
		} else {
			b = append(b, '\\', 'u', '0', '0', digits[c>>4], digits[c&15])
		}
		i++
		start = i
	}
	return append(append(b, s[start:]...), '"')
}

// clip shortens a name for a message; a name can be as long as the arguments.
func clip(name string) string { return clipTo(name, 100) }

// clipTo cuts s after at most so many bytes, never inside a code point.
func clipTo(s string, most int) string {
	if len(s) <= most {
		return s
	}
	for !utf8.RuneStart(s[most]) {
		most--
	}
	return s[:most] + "…"
}
