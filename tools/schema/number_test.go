package schema

import (
	"math/big"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"
	"time"
)

// seeded returns a generator and prints its seed, so that a failure repeats.
func seeded(t *testing.T) *rand.Rand {
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	return rand.New(rand.NewPCG(seed, 1))
}

func randomLiteral(r *rand.Rand) string {
	var b strings.Builder
	if r.IntN(2) == 0 {
		b.WriteByte('-')
	}
	b.WriteString(strconv.Itoa(r.IntN(120)))
	b.WriteString(strings.Repeat("0", r.IntN(4)))
	literal := strings.TrimLeft(b.String(), "0")
	if literal == "" || literal[0] != '-' && (literal[0] < '1' || literal[0] > '9') {
		literal = "0"
	}
	if strings.HasPrefix(literal, "-0") {
		literal = "-0"
	}
	if r.IntN(2) == 0 {
		literal += "." + strings.Repeat("0", r.IntN(3)) + strconv.Itoa(r.IntN(120))
	}
	if r.IntN(3) == 0 {
		literal += "e" + strconv.Itoa(r.IntN(9)-4)
	}
	return literal
}

func exact(t *testing.T, literal string) *big.Rat {
	t.Helper()
	r, ok := new(big.Rat).SetString(literal)
	if !ok {
		t.Fatalf("%q is no number", literal)
	}
	return r
}

func TestDecimalAgreesWithExactArithmetic(t *testing.T) {
	r := seeded(t)
	for range 20_000 {
		a, b := randomLiteral(r), randomLiteral(r)
		x, y := exact(t, a), exact(t, b)
		if got, want := sign(parseDecimal(a).compare(parseDecimal(b))), x.Cmp(y); got != want {
			t.Fatalf("compare(%s, %s) = %d, want %d", a, b, got, want)
		}
		if got, want := parseDecimal(a).integral(), x.IsInt(); got != want {
			t.Fatalf("integral(%s) = %t", a, got)
		}
		if y.Sign() != 0 {
			if got, want := parseDecimal(a).multipleOf(parseDecimal(b)), new(big.Rat).Quo(x, y).IsInt(); got != want {
				t.Fatalf("multipleOf(%s, %s) = %t", a, b, got)
			}
		}
		canonical := string(parseDecimal(a).append(nil))
		if exact(t, canonical).Cmp(x) != 0 {
			t.Fatalf("%s became %s", a, canonical)
		}
	}
}

func sign(n int) int { return min(max(n, -1), 1) }

func TestDecimalForms(t *testing.T) {
	for _, c := range []struct{ in, want string }{
		{"0", "0"}, {"-0", "0"}, {"0.000", "0"}, {"0e9", "0"}, {"1.0", "1"}, {"1e2", "100"}, {"-12.50", "-12.5"},
		{"0.001", "0.001"}, {"0.0000001", "1e-7"}, {"123456789012345678901", "123456789012345678901"},
		{"1e21", "1e21"}, {"12e21", "1.2e22"}, {"1e20", "100000000000000000000"}, {"9007199254740993", "9007199254740993"},
		{"1e999999999999", "1e1073741824"},
	} {
		if got := string(parseDecimal(c.in).append(nil)); got != c.want {
			t.Errorf("%s became %s, want %s", c.in, got, c.want)
		}
	}
}

func TestMultipleOfStaysCheapFarOutside(t *testing.T) {
	for _, c := range []struct{ a, b string }{{"1e999999999", "3"}, {"3", "1e-999999999"}, {"3", "0"}} {
		if parseDecimal(c.a).multipleOf(parseDecimal(c.b)) {
			t.Errorf("%s counts as a multiple of %s", c.a, c.b)
		}
	}
}
