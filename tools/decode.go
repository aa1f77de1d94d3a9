package tools

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
)

// decodeArgs decodes arguments into a value of its own. Numbers in interfaces
// stay as they were written, as json.Number, so that 2^53+1 is not rounded
// (tools.md §5.B.3). Unknown names are the schema's business.
func decodeArgs[Args any](raw json.RawMessage) (args Args, err error) {
	dec := json.NewDecoder(bytes.NewReader(plainIntegers(raw)))
	dec.UseNumber()
	if err := dec.Decode(&args); err != nil {
		return args, argsError("invalid arguments: "+decodeFault(err), err)
	}
	return args, nil
}

// decodeFault words err for a model: without the decoder's name, and without
// those of Go's types.
func decodeFault(err error) string {
	var misfit *json.UnmarshalTypeError
	if errors.As(err, &misfit) && misfit.Field != "" {
		return fmt.Sprintf("%q cannot be %.60s", misfit.Field, misfit.Value)
	}
	return strings.TrimPrefix(err.Error(), "json: ")
}

// plainIntegers rewrites numbers such as 3.0 and 1e2, which are integers to a
// schema, so that an integer field takes them. Other text stays as it is.
func plainIntegers(raw json.RawMessage) json.RawMessage {
	var out []byte
	done := 0
	for i := 0; i < len(raw); {
		switch c := raw[i]; {
		case c == '"':
			i = stringEnd(raw, i)
		case c == '-' || '0' <= c && c <= '9':
			end := numberEnd(raw, i)
			if plain, ok := plainInteger(string(raw[i:end])); ok {
				out = append(append(out, raw[done:i]...), plain...)
				done = end
			}
			i = end
		default:
			i++
		}
	}
	if out == nil {
		return raw
	}
	return append(out, raw[done:]...)
}

// stringEnd returns the offset after the string that begins at i.
func stringEnd(raw []byte, i int) int {
	for i++; i < len(raw); i++ {
		switch raw[i] {
		case '\\':
			i++
		case '"':
			return i + 1
		}
	}
	return len(raw)
}

func numberEnd(raw []byte, i int) int {
	for i < len(raw) && strings.IndexByte("+-.eE0123456789", raw[i]) >= 0 {
		i++
	}
	return i
}

// maxIntegerDigits is one digit more than any Go integer has.
const maxIntegerDigits = 20

// plainInteger returns the digits of a number that is written with a fraction
// or an exponent and is still an integer that a Go type may hold.
func plainInteger(literal string) (string, bool) {
	mantissa, exponent, hasExponent := cutAny(literal, "eE")
	whole, fraction, hasFraction := strings.Cut(mantissa, ".")
	if !hasExponent && !hasFraction {
		return "", false
	}
	shift, err := json.Number(strings.TrimPrefix(exponent, "+")).Int64()
	if hasExponent && err != nil || shift > maxIntegerDigits || shift < -maxIntegerDigits {
		return "", false
	}
	sign := ""
	if strings.HasPrefix(whole, "-") {
		sign, whole = "-", whole[1:]
	}
	digits, ok := shiftPoint(whole, fraction, int(shift))
	if !ok || len(digits) > maxIntegerDigits {
		return "", false
	}
	if digits == "0" {
		sign = ""
	}
	return sign + digits, true
}

// shiftPoint moves the decimal point of whole.fraction by shift places to the
// right; ok means that nothing but zeros is left behind it.
func shiftPoint(whole, fraction string, shift int) (digits string, ok bool) {
	all := whole + fraction
	point := len(whole) + shift
	switch {
	case point <= 0:
		return "0", strings.Trim(all, "0") == ""
	case point > len(all):
		all += strings.Repeat("0", point-len(all))
	}
	digits = strings.TrimLeft(all[:point], "0")
	if digits == "" {
		digits = "0"
	}
	return digits, strings.Trim(all[point:], "0") == ""
}

func cutAny(s, chars string) (before, after string, found bool) {
	if i := strings.IndexAny(s, chars); i >= 0 {
		return s[:i], s[i+1:], true
	}
	return s, "", false
}
