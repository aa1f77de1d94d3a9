package workspace

import "strings"

// wildmatch reports whether text matches a pattern of git: ? and * match
// within one name, ** between slashes any number of names, [ ] a set of
// bytes, \ takes the next byte as it is. Like git it works on bytes.
func wildmatch(pattern, text string) bool {
	return matchFrom(pattern, 0, text) == matched
}

// outcome is the result of a partial match. The two aborts cut the search
// that would otherwise be exponential: no choice of an outer * can help.
type outcome int

const (
	matched outcome = iota
	mismatch
	abortAll      // the text ended too early
	abortToDouble // only an outer ** can help
)

// matchFrom matches pattern from byte p on against text.
func matchFrom(pattern string, p int, text string) outcome {
	t := 0
	for ; p < len(pattern); p++ {
		c := pattern[p]
		if t == len(text) && c != '*' {
			return abortAll
		}
		switch c {
		case '*':
			return matchStar(pattern, p, text[t:])
		case '?':
			if text[t] == '/' {
				return mismatch
			}
		case '[':
			end, ok := matchSet(pattern, p, text[t])
			if end < 0 {
				return abortAll
			}
			if !ok {
				return mismatch
			}
			p = end
		case '\\':
			if p++; p == len(pattern) || pattern[p] != text[t] {
				return mismatch
			}
		default:
			if c != text[t] {
				return mismatch
			}
		}
		t++
	}
	if t < len(text) {
		return mismatch
	}
	return matched
}

// matchStar matches the star or stars at byte p.
func matchStar(pattern string, p int, text string) outcome {
	start := p
	for p < len(pattern) && pattern[p] == '*' {
		p++
	}
	rest := pattern[p:]
	double := p-start > 1 && (start == 0 || pattern[start-1] == '/') &&
		(rest == "" || rest[0] == '/' || strings.HasPrefix(rest, `\/`))
	if double && strings.HasPrefix(rest, "/") && matchFrom(pattern, p+1, text) == matched {
		return matched // "**/" stands for no folder at all
	}
	slash := strings.IndexByte(text, '/')
	if rest == "" {
		if !double && slash >= 0 {
			return abortToDouble
		}
		return matched
	}
	if !double && rest[0] == '/' {
		if slash < 0 {
			return abortAll
		}
		return matchFrom(pattern, p, text[slash:])
	}
	for t := range len(text) {
		result := matchFrom(pattern, p, text[t:])
		switch {
		case result == mismatch:
			if !double && text[t] == '/' {
				return abortToDouble
			}
		case !double || result != abortToDouble:
			return result
		}
	}
	return abortAll
}

// matchSet matches one byte against the set that begins at byte p. end is
// the place of its closing bracket, -1 when it has none.
func matchSet(pattern string, p int, b byte) (end int, ok bool) {
	p++
	negated := p < len(pattern) && (pattern[p] == '!' || pattern[p] == '^')
	if negated {
		p++
	}
	var previous byte
	for first := true; ; first = false {
		if p >= len(pattern) {
			return -1, false
		}
		c := pattern[p]
		switch {
		case c == ']' && !first:
			return p, ok != negated && b != '/'
		case c == '[' && strings.HasPrefix(pattern[p:], "[:"):
			var in bool
			if p, in = matchClass(pattern, p, b); p < 0 {
				return -1, false
			}
			ok, c = ok || in, 0
		case c == '-' && previous != 0 && p+1 < len(pattern) && pattern[p+1] != ']':
			p++
			if pattern[p] == '\\' {
				p++
			}
			if p >= len(pattern) {
				return -1, false
			}
			ok, c = ok || previous <= b && b <= pattern[p], 0
		default:
			if c == '\\' {
				if p++; p >= len(pattern) {
					return -1, false
				}
				c = pattern[p]
			}
			ok = ok || b == c
		}
		previous = c
		p++
	}
}

// matchClass matches a named class such as [:digit:] at byte p of a set. end
// is the place of its last bracket. What only looks like a class is the
// byte [; an unknown name makes the whole pattern match nothing.
func matchClass(pattern string, p int, b byte) (end int, ok bool) {
	close := strings.IndexByte(pattern[p+2:], ']')
	if close < 0 {
		return -1, false
	}
	name, isClass := strings.CutSuffix(pattern[p+2:p+2+close], ":")
	if !isClass {
		return p, b == '['
	}
	in, known := classes[name]
	if !known {
		return -1, false
	}
	return p + 2 + close, in(b)
}

// classes are the named sets of POSIX, of ASCII.
var classes = map[string]func(b byte) bool{
	"alnum":  func(b byte) bool { return isAlpha(b) || isDigit(b) },
	"alpha":  isAlpha,
	"blank":  func(b byte) bool { return b == ' ' || b == '\t' },
	"cntrl":  func(b byte) bool { return b < 0x20 || b == 0x7f },
	"digit":  isDigit,
	"graph":  func(b byte) bool { return b > 0x20 && b < 0x7f },
	"lower":  func(b byte) bool { return 'a' <= b && b <= 'z' },
	"print":  func(b byte) bool { return b >= 0x20 && b < 0x7f },
	"punct":  func(b byte) bool { return b > 0x20 && b < 0x7f && !isAlpha(b) && !isDigit(b) },
	"space":  func(b byte) bool { return b == ' ' || '\t' <= b && b <= '\r' },
	"upper":  func(b byte) bool { return 'A' <= b && b <= 'Z' },
	"xdigit": func(b byte) bool { return isDigit(b) || 'a' <= b|0x20 && b|0x20 <= 'f' },
}

func isAlpha(b byte) bool { return 'a' <= b|0x20 && b|0x20 <= 'z' }
func isDigit(b byte) bool { return '0' <= b && b <= '9' }
