package schema

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"
	"testing"
)

func TestLosslessAccepts(t *testing.T) {
	for _, text := range []string{
		`null`, `true`, `false`, `0`, `-1`, `12.50`, `1e3`, `1E+2`, `-0.5e-3`, `0.0`, `0e99999999999`,
		`""`, `"a"`, `"\"\\\/\b\f\n\r\t"`, `"\u0041\ud83d\ude00é😀"`, `[]`, `{}`, ` [ 1 , 2 ] `,
		"\t\r\n{\"a\" : {\"a\":1}, \"b\":[{\"a\":1},{\"a\":2}]}\n",
		`9007199254740993`, `123456789012345678901234567890`, strings.Repeat("9", 308),
		`1.7976931348623157e308`, `5e-324`, strings.Repeat("[", MaxDepth) + strings.Repeat("]", MaxDepth),
		"\"\u2028\u2029\x7f\"",
	} {
		if err := Lossless([]byte(text)); err != nil {
			t.Errorf("Lossless(%.40q): %v", text, err)
		}
	}
}

func TestLosslessRefuses(t *testing.T) {
	many := "{" + strings.Repeat(`"x":1,`, few) + `"y":1,"y":2}`
	for i := range few {
		many = strings.Replace(many, `"x"`, `"x`+string(rune('a'+i))+`"`, 1)
	}
	for _, c := range []struct{ text, want string }{
		{``, "unexpected end of JSON at offset 0"},
		{` `, "unexpected end of JSON at offset 1"},
		{`{"a":1`, "unexpected end of JSON at offset 6"},
		{`[1,`, `unexpected end of JSON at offset 3, in "[1]"`},
		{`"abc`, "unexpected end of JSON at offset 4"},
		{`"a\`, "unexpected end of JSON at offset 3"},
		{`"a\n`, "unexpected end of JSON at offset 4"},
		{`1 2`, "more text after the JSON value at offset 2"},
		{`{} x`, "more text after the JSON value at offset 3"},
		{`tru`, "expected a JSON value at offset 0"},
		{`nul`, "expected a JSON value at offset 0"},
		{`'a'`, "expected a JSON value at offset 0"},
		{`NaN`, "expected a JSON value at offset 0"},
		{`[1,]`, `expected a JSON value at offset 3, in "[1]"`},
		{`[1 2]`, "expected ',' or ']' at offset 3"},
		{`{"a":1 "b":2}`, "expected ',' or '}' at offset 7"},
		{`{a:1}`, "expected a member name in double quotes at offset 1"},
		{`{"a" 1}`, "expected ':' at offset 5"},
		{`01`, "more text after the JSON value at offset 1"},
		{`-`, "unexpected end of JSON at offset 1"},
		{`-x`, "expected a digit at offset 1"},
		{`1.x`, "expected a digit after the decimal point at offset 2"},
		{`1e+x`, "expected a digit in the exponent at offset 3"},
		{`"\x"`, "unknown escape in a string at offset 2"},
		{`"\u12g4"`, `\u needs four hexadecimal digits at offset 2`},
		{`"\ud800"`, "lone surrogate in a string at offset 7"},
		{`"\udc00\ud800"`, "lone surrogate in a string at offset 13"},
		{`"\ud800\u0041"`, "lone surrogate in a string at offset 13"},
		{"\"a\nb\"", "control character in a string at offset 2"},
		{"\"\\n\x01\"", "control character in a string at offset 3"},
		{"\"\xff\"", "invalid UTF-8 at offset 1"},
		{"\"é\xc3\"", "invalid UTF-8 at offset 3"},
		{`-0`, "negative zero at offset 0"},
		{`{"a":[1,{"b":-0.0e5}]}`, `negative zero at offset 13, in "a[1].b"`},
		{`1e400`, "number out of range at offset 0"},
		{`[1.8e308]`, `number out of range at offset 1, in "[0]"`},
		{strings.Repeat("9", 400), "number out of range at offset 0"},
		{`1e99999999999999999999`, "number out of range at offset 0"},
		{`1e-400`, "number too close to zero at offset 0"},
		{`1e-99999999999999999999`, "number too close to zero at offset 0"},
		{`{"a":{"c":1,"c":2}}`, `duplicate key "c" at offset 17, in "a"`},
		{`{"a":1,"\u0061":2}`, `duplicate key "a" at offset 17`},
		{many, `duplicate key "y"`},
		{strings.Repeat("[", MaxDepth+1) + strings.Repeat("]", MaxDepth+1), "nested deeper than 200 levels at offset 200"},
		{strings.Repeat(`{"a":`, 1_000_000), "nested deeper than 200 levels"},
	} {
		err := Lossless([]byte(c.text))
		if err == nil || !strings.HasPrefix(err.Error(), c.want) {
			t.Errorf("Lossless(%.40q) = %v, want %s", c.text, err, c.want)
			continue
		}
		var syntax *SyntaxError
		if !errors.As(err, &syntax) {
			t.Errorf("Lossless(%.40q): the error is a %T", c.text, err)
		}
	}
}

// lossyReasons are the refusals that encoding/json does not share.
var lossyReasons = []string{
	"duplicate key", "negative zero", "number out of range", "number too close to zero",
	"lone surrogate", "invalid UTF-8", "nested deeper",
}

// checkAgainstStandard compares the decoder with encoding/json.
func checkAgainstStandard(t *testing.T, data []byte) {
	t.Helper()
	err := Lossless(data)
	if err == nil {
		checkRoundTrip(t, data)
		return
	}
	if !json.Valid(data) {
		return
	}
	for _, reason := range lossyReasons {
		if strings.Contains(err.Error(), reason) {
			return
		}
	}
	t.Fatalf("%q is JSON, yet it is refused: %v", data, err)
}

// checkRoundTrip proves that lossless data means the same before and after it
// was decoded and encoded.
func checkRoundTrip(t *testing.T, data []byte) {
	t.Helper()
	if !json.Valid(data) {
		t.Fatalf("%q is no JSON, yet it is accepted", data)
	}
	v, err := decode(string(data), 0)
	if err != nil {
		t.Fatal(err)
	}
	again := appendValue(nil, &v)
	if !bytes.Equal(Canonical(data), Canonical(again)) {
		t.Fatalf("%q became %q", data, again)
	}
	if !sameToStandard(t, data, again) {
		t.Fatalf("encoding/json tells %q from %q", data, again)
	}
	canonical := Canonical(data)
	if !bytes.Equal(Canonical(canonical), canonical) {
		t.Fatalf("Canonical is not stable on %q", data)
	}
}

func sameToStandard(t *testing.T, a, b []byte) bool {
	t.Helper()
	var forms [2][]byte
	for i, data := range [][]byte{a, b} {
		var v any
		if err := json.Unmarshal(data, &v); err != nil {
			t.Fatalf("%q: %v", data, err)
		}
		forms[i], _ = json.Marshal(v)
	}
	return bytes.Equal(forms[0], forms[1])
}
