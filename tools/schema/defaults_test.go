package schema

import (
	"errors"
	"testing"
)

// tools.md §1.1.4b.
func TestApplyDefaults(t *testing.T) {
	s := mustParse(t, Draft07, `{"type":"object","properties":{
		"n":{"type":"integer","default":5},
		"o":{"type":"object","properties":{"s":{"default":"x"},"d":{"default":{"b":1,"a":[1.0]}}}},
		"l":{"type":"array","items":{"properties":{"f":{"default":false}}}},
		"r":{"$ref":"#/definitions/r"},
		"u":{"oneOf":[{"type":"string"},{"type":"object","properties":{"k":{"const":"b"},"v":{"default":2}},"required":["k"]}]},
		"all":{"allOf":[{"properties":{"x":{"default":null}}}],"anyOf":[{"type":"array"},{"properties":{"y":{"default":"<>"}}}]}},
		"definitions":{"r":{"properties":{"z":{"default":0}}}}}`)
	for _, c := range []struct{ in, want string }{
		{`{}`, `{"n":5}`},
		{` { "n" : 7 } `, ` { "n" : 7 } `},
		{`{"n":null}`, `{"n":null}`},
		{`{"n":1.50,"o":{}}`, `{"n":1.50,"o":{"s":"x","d":{"b":1,"a":[1.0]}}}`},
		{`{"n":1,"l":[{},{"f":true},3]}`, `{"n":1,"l":[{"f":false},{"f":true},3]}`},
		{`{"n":1,"r":{"q":1}}`, `{"n":1,"r":{"q":1,"z":0}}`},
		{`{"n":1,"u":{"k":"b"}}`, `{"n":1,"u":{"k":"b","v":2}}`},
		{`{"n":1,"u":{"k":"c"}}`, `{"n":1,"u":{"k":"c"}}`},
		{`{"n":1,"all":{}}`, `{"n":1,"all":{"x":null,"y":"<>"}}`},
		{`[]`, `[]`},
		{`"s"`, `"s"`},
	} {
		got, err := s.ApplyDefaults([]byte(c.in))
		if err != nil || string(got) != c.want {
			t.Errorf("%s\n got  %s\n want %s\n %v", c.in, got, c.want, err)
		}
	}
}

func TestApplyDefaultsRefusesWhatIsLossy(t *testing.T) {
	for _, data := range []string{``, `{"a":1,"a":2}`, `{"a":-0}`} {
		var syntax *SyntaxError
		if got, err := (&Schema{}).ApplyDefaults([]byte(data)); got != nil || !errors.As(err, &syntax) {
			t.Errorf("%s: %s, %v", data, got, err)
		}
	}
}

func TestApplyDefaultsEndsOnLoops(t *testing.T) {
	s := mustParse(t, Draft07, `{"$ref":"#","properties":{"a":{"default":1}}}`)
	got, err := s.ApplyDefaults([]byte(`{}`))
	if err != nil || string(got) != `{"a":1}` {
		t.Errorf("got %s, %v", got, err)
	}
}

func TestApplyDefaultsSharesNothing(t *testing.T) {
	s := mustParse(t, Draft07, `{"properties":{"a":{"default":{"l":[1]}}}}`)
	in := []byte(`{"a":2}`)
	out, err := s.ApplyDefaults(in)
	if err != nil {
		t.Fatal(err)
	}
	out[1] = 'x'
	if string(in) != `{"a":2}` {
		t.Error("the result shares memory with the input")
	}
}

func TestValidateNeverInsertsDefaults(t *testing.T) {
	s := mustParse(t, Args, `{"type":"object","properties":{"n":{"type":"integer","default":5}},"required":["n"]}`)
	checkViolations(t, s.Validate([]byte(`{}`)), `missing required property "n"`)
}
