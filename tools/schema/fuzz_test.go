package schema

import (
	"bytes"
	"testing"
)

// FuzzLossless compares the decoder with encoding/json; seeds beside those
// here lie in testdata/fuzz.
func FuzzLossless(f *testing.F) {
	for _, text := range []string{
		`{"a":[1,2.5e3,-0,"\ud83d\ude00"],"b":{"c":null}}`, `{"a":1,"a":2}`, "\"\xff\"", `[1e400]`, ` `, `"\ud800"`,
	} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, data []byte) { checkAgainstStandard(t, data) })
}

// FuzzSchema gives any text to each dialect, and any value to what it made.
func FuzzSchema(f *testing.F) {
	for _, c := range [][2]string{
		{`{"type":"object","properties":{"a":{"type":"string","minLength":1}},"required":["a"],"additionalProperties":false}`, `{"a":"","b":1}`},
		{`{"a":{"type":"array","required":true,"items":{"type":"number"}}}`, `{"a":[1,"x"]}`},
		{`{"$ref":"#/definitions/a","definitions":{"a":{"allOf":[{"$ref":"#"}]}}}`, `1`},
		{`{"oneOf":[{"type":"object"},{"const":1.0}],"if":{"not":{}},"then":false}`, `1`},
		{`{"multipleOf":1e-300,"items":[{}],"dependencies":{"a":["b"]}}`, `[1e300]`},
	} {
		f.Add([]byte(c[0]), []byte(c[1]))
	}
	f.Fuzz(checkAnySchema)
}

func checkAnySchema(t *testing.T, text, data []byte) {
	t.Helper()
	schemas := []*Schema{}
	for d := range dialects {
		s, err := Parse(Dialect(d), text)
		if (s == nil) == (err == nil) {
			t.Fatalf("%s: %v, %v", Dialect(d), s, err)
		}
		if s != nil {
			schemas = append(schemas, s)
		}
	}
	if s, _, err := ParseForeign(text); err == nil {
		schemas = append(schemas, s)
	}
	for _, s := range schemas {
		checkSchema(t, s, data)
	}
}

func checkSchema(t *testing.T, s *Schema, data []byte) {
	t.Helper()
	out, err := s.MarshalJSON()
	if err != nil || Lossless(out) != nil {
		t.Fatalf("emitted %s, %v", out, err)
	}
	back, _, err := ParseForeign(out)
	if err != nil {
		t.Fatalf("%s does not come back: %v", out, err)
	}
	again, err := back.MarshalJSON()
	if err != nil || !bytes.Equal(out, again) {
		t.Fatalf("%s became %s, %v", out, again, err)
	}
	for _, v := range s.Validate(data) {
		if v.Message == "" || Lossless(appendString(nil, v.Message)) != nil {
			t.Fatalf("violation %q", v)
		}
	}
	StrictCompatible(s)
	if filled, err := s.ApplyDefaults(data); err == nil && Lossless(filled) != nil {
		t.Fatalf("%s became %s", data, filled)
	}
}
