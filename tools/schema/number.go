package schema

import (
	"math/big"
	"strconv"
	"strings"
)

// decimal is the exact value of a number literal: 0.digits × 10^exp. digits
// has no zero at either end; the digits of zero are "".
type decimal struct {
	negative bool
	digits   string
	exp      int
}

// maxExponent bounds the exponents that decimal keeps apart; all beyond are
// far outside float64.
const maxExponent = 1 << 30

// parseDecimal reads a literal that follows the JSON grammar.
func parseDecimal(literal string) decimal {
	var n decimal
	rest, negative := strings.CutPrefix(literal, "-")
	n.negative = negative
	if i := strings.IndexAny(rest, "eE"); i >= 0 {
		n.exp = parseExponent(rest[i+1:])
		rest = rest[:i]
	}
	whole, fraction, _ := strings.Cut(rest, ".")
	whole = strings.TrimLeft(whole, "0")
	fraction = strings.TrimRight(fraction, "0")
	switch {
	case fraction == "":
		n.digits = whole
		n.exp += len(whole)
	case whole == "":
		n.digits = strings.TrimLeft(fraction, "0")
		n.exp -= len(fraction) - len(n.digits)
	default:
		n.digits = whole + fraction
		n.exp += len(whole)
	}
	n.digits = strings.TrimRight(n.digits, "0")
	if n.digits == "" {
		return decimal{negative: negative}
	}
	return n
}

// parseExponent reads a signed integer and holds it within maxExponent.
func parseExponent(s string) int {
	n, err := strconv.Atoi(s)
	switch {
	case err == nil && n >= -maxExponent && n <= maxExponent:
		return n
	case strings.HasPrefix(s, "-"):
		return -maxExponent
	default:
		return maxExponent
	}
}

func (n decimal) zero() bool { return n.digits == "" }

// integral reports whether n has no fraction: 3.0 and 1e2 have none.
func (n decimal) integral() bool { return n.zero() || len(n.digits) <= n.exp }

// compare orders a and b by value; negative zero equals zero.
func (n decimal) compare(m decimal) int {
	if a, b := n.sign(), m.sign(); a != b || a == 0 {
		return a - b
	}
	order := n.exp - m.exp
	if order == 0 {
		order = strings.Compare(n.digits, m.digits)
	}
	if n.negative {
		return -order
	}
	return order
}

func (n decimal) sign() int {
	switch {
	case n.zero():
		return 0
	case n.negative:
		return -1
	default:
		return 1
	}
}

// finite reports whether n is within the range of float64. The text is
// needed only near the edge.
func (n decimal) finite(literal string) bool {
	if n.exp < 309 || n.zero() {
		return true
	}
	if n.exp > 309 {
		return false
	}
	_, err := strconv.ParseFloat(literal, 64)
	return err == nil
}

// lossy says why a literal does not survive as a number, "" if it does.
func lossy(literal string) string {
	n := parseDecimal(literal)
	switch {
	case n.zero() && n.negative:
		return "negative zero"
	case n.zero():
		return ""
	case !n.finite(literal):
		return "number out of range"
	case n.exp < -300:
		if f, err := strconv.ParseFloat(literal, 64); err != nil || f == 0 {
			return "number too close to zero"
		}
	}
	return ""
}

// multipleOf reports whether n is a whole multiple of m, which is not zero.
// Numbers far outside float64 never are, so that the exact division stays
// cheap.
func (n decimal) multipleOf(m decimal) bool {
	const far = 1000
	if n.zero() {
		return true
	}
	if m.zero() || max(abs(n.exp), abs(m.exp)) > far {
		return false
	}
	x, y := n.rat(), m.rat()
	return x != nil && y != nil && new(big.Rat).Quo(x, y).IsInt()
}

func abs(i int) int {
	if i < 0 {
		return -i
	}
	return i
}

// rat is nil for the text of a hand-made bound that is no number.
func (n decimal) rat() *big.Rat {
	r, ok := new(big.Rat).SetString("0." + n.digits + "e" + strconv.Itoa(n.exp))
	if !ok {
		return nil
	}
	return r
}

// append writes n in its one canonical form: plain where it is short, else
// with an exponent.
func (n decimal) append(b []byte) []byte {
	const plain = 21
	if n.zero() {
		return append(b, '0')
	}
	if n.negative {
		b = append(b, '-')
	}
	switch {
	case n.integral() && n.exp <= plain:
		b = append(b, n.digits...)
		return append(b, strings.Repeat("0", n.exp-len(n.digits))...)
	case 0 < n.exp && n.exp <= plain:
		b = append(b, n.digits[:n.exp]...)
		b = append(b, '.')
		return append(b, n.digits[n.exp:]...)
	case -6 < n.exp && n.exp <= 0:
		b = append(b, "0."...)
		b = append(b, strings.Repeat("0", -n.exp)...)
		return append(b, n.digits...)
	}
	b = append(b, n.digits[0])
	if len(n.digits) > 1 {
		b = append(b, '.')
		b = append(b, n.digits[1:]...)
	}
	b = append(b, 'e')
	return strconv.AppendInt(b, int64(n.exp-1), 10)
}
