package schema

import "testing"

func TestStrictCompatible(t *testing.T) {
	for _, c := range []struct {
		schema string
		want   bool
	}{
		{`{"type":"object","additionalProperties":false}`, true},
		{`{"type":"object","additionalProperties":false,"description":"d","title":"t","properties":{
			"a":{"type":["string","null"],"enum":["x",null]},"b":{"type":"array","items":{"type":"number","const":1}},
			"c":{"anyOf":[{"type":"string"},{"type":"object","additionalProperties":false}]}},"required":["a","b","c"]}`, true},
		{`{"type":"object"}`, false},
		{`{"type":"object","additionalProperties":true}`, false},
		{`{"type":"string"}`, false},
		{`{"type":"object","additionalProperties":false,"properties":{"a":{"type":"string"}}}`, false},
		{`{"type":"object","additionalProperties":false,"properties":{"a":{"type":"string","minLength":1}},"required":["a"]}`, false},
		{`{"type":"object","additionalProperties":false,"properties":{"a":{"type":"string","default":"x"}},"required":["a"]}`, false},
		{`{"type":"object","additionalProperties":false,"properties":{"a":{"type":"string","format":"uri"}},"required":["a"]}`, false},
		{`{"type":"object","additionalProperties":false,"properties":{"a":{"type":"array"}},"required":["a"]}`, false},
		{`{"type":"object","additionalProperties":false,"properties":{"a":{}},"required":["a"]}`, false},
		{`{"type":"object","additionalProperties":false,"properties":{"a":{"type":["string","number"]}},"required":["a"]}`, false},
		{`{"type":"object","additionalProperties":false,"properties":{"a":{"oneOf":[{"type":"string"}]}},"required":["a"]}`, false},
		{`{"type":"object","additionalProperties":false,"properties":{"a":{"anyOf":[{"type":"object"}]}},"required":["a"]}`, false},
		{`{"type":"object","additionalProperties":false,"properties":{"a":{"type":"array","items":{"type":"object"}}},"required":["a"]}`, false},
		{`{"type":"object","additionalProperties":false,"properties":{"a":{"$ref":"#"}},"required":["a"]}`, false},
	} {
		if got := StrictCompatible(mustParse(t, Draft07, c.schema)); got != c.want {
			t.Errorf("%s: %t", c.schema, got)
		}
	}
	if StrictCompatible(nil) {
		t.Error("no schema is compatible")
	}
}

func TestStrictCompatibleHasADepth(t *testing.T) {
	s := &Schema{Type: "object", Closed: true}
	for range 5 {
		s = &Schema{Type: "object", Closed: true, Properties: []Property{{"a", s}}, Required: []string{"a"}}
	}
	if !StrictCompatible(s) {
		t.Error("five levels below the root are refused")
	}
	s = &Schema{Type: "object", Closed: true, Properties: []Property{{"a", s}}, Required: []string{"a"}}
	if StrictCompatible(s) {
		t.Error("six levels below the root are accepted")
	}
}
