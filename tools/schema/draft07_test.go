package schema

import (
	"errors"
	"slices"
	"testing"
)

func TestDraft07RoundTrip(t *testing.T) {
	// Each text is in the order of emission already.
	for _, text := range []string{
		`{}`,
		`{"type":"object","properties":{}}`,
		`{"type":["string","null"]}`,
		`{"type":"null"}`,
		`{"title":"t","description":"<d> & 'e'","default":{"b":1.0,"a":[9007199254740993]},"examples":[1],"enum":[1,"a",null,[2]],"const":{"z":1,"a":2}}`,
		`{"type":"object","properties":{"z":{},"a":{}},"required":["z"],"patternProperties":{"^x":{"type":"string"}},"additionalProperties":{"type":"number"},"propertyNames":{"maxLength":3},"minProperties":1,"maxProperties":2,"dependencies":{"a":["b"],"c":{"required":["d"]}}}`,
		`{"additionalProperties":true}`,
		`{"additionalProperties":false}`,
		`{"type":"array","items":{"type":"string"},"contains":{"const":"x"},"minItems":0,"maxItems":5,"uniqueItems":true}`,
		`{"items":[{"type":"string"},{}],"additionalItems":{"not":{}}}`,
		`{"minLength":1,"maxLength":2,"pattern":"^a"}`,
		`{"minimum":-1.50,"maximum":1e3,"exclusiveMinimum":0,"exclusiveMaximum":9,"multipleOf":0.1}`,
		`{"type":"object","allOf":[{}],"anyOf":[{}],"oneOf":[{}],"not":{"type":"null"},"if":{"const":1},"then":{"const":1},"else":{}}`,
		`{"$ref":"#/definitions/a","definitions":{"a":{"type":"string"}},"$defs":{"b":{}}}`,
		`{"type":"string","$schema":"http://json-schema.org/draft-07/schema#","$id":"x","$comment":"c","format":"uri","readOnly":true,"writeOnly":false,"contentEncoding":"base64","contentMediaType":"image/png"}`,
	} {
		got, err := mustParse(t, Draft07, text).MarshalJSON()
		if err != nil || string(got) != text {
			t.Errorf("\n got  %s\n want %s\n %v", got, text, err)
		}
	}
}

func TestDraft07Normalisation(t *testing.T) {
	for _, c := range []struct{ in, want string }{
		{`true`, `{}`},
		{`{"not":false}`, `{"not":{"not":{}}}`},
		{`{"description":"d","type":"string"}`, `{"type":"string","description":"d"}`},
		{`{"type":["null","integer","string"]}`, `{"type":["integer","null","string"]}`},
		{`{"type":["null"]}`, `{"type":"null"}`},
		{`{"required":["b","a"],"properties":{"b":{"type":"string"},"a":true}}`, `{"properties":{"b":{"type":"string"},"a":{}},"required":["b","a"]}`},
		{`{"uniqueItems":false,"description":"","required":[]}`, `{}`},
		{`{"items":{},"additionalItems":false}`, `{"items":{},"additionalItems":false}`},
	} {
		s := mustParse(t, Draft07, c.in)
		got, err := s.MarshalJSON()
		if err != nil || string(got) != c.want {
			t.Errorf("%s\n got  %s\n want %s\n %v", c.in, got, c.want, err)
		}
	}
}

// tools.md §1.1.3.
func TestUnionOfObjectsGetsTypeObject(t *testing.T) {
	for _, c := range []struct{ in, want string }{
		{`{"oneOf":[{"type":"object"},{"type":"object"}]}`, `{"type":"object","oneOf":[{"type":"object"},{"type":"object"}]}`},
		{`{"anyOf":[{"oneOf":[{"type":"object"}]}]}`, `{"type":"object","anyOf":[{"oneOf":[{"type":"object"}]}]}`},
		{`{"oneOf":[{"type":"object"},{"type":"string"}]}`, `{"oneOf":[{"type":"object"},{"type":"string"}]}`},
		{`{"anyOf":[{"type":["object","null"]}]}`, `{"anyOf":[{"type":["object","null"]}]}`},
		{`{"properties":{"a":{"oneOf":[{"type":"object"}]}}}`, `{"properties":{"a":{"oneOf":[{"type":"object"}]}}}`},
		{`{"$ref":"#/$defs/a","$defs":{"a":{"type":"object"}}}`, `{"$ref":"#/$defs/a","type":"object","$defs":{"a":{"type":"object"}}}`},
		{`{"oneOf":[{"$ref":"#"}]}`, `{"oneOf":[{"$ref":"#"}]}`},
	} {
		got, err := mustParse(t, Draft07, c.in).MarshalJSON()
		if err != nil || string(got) != c.want {
			t.Errorf("%s\n got  %s\n want %s\n %v", c.in, got, c.want, err)
		}
	}
}

func TestReferences(t *testing.T) {
	s := mustParse(t, Draft07, `{"type":"object","properties":{
		"tree":{"$ref":"#/definitions/a~1b%20c"},
		"copy":{"$ref":"#/properties/plain"},
		"self":{"$ref":"#"},
		"plain":{"type":"integer"}},
		"definitions":{"a/b c":{"type":"object","properties":{"kids":{"type":"array","items":{"$ref":"#/definitions/a~1b c"}}},"additionalProperties":false}}}`)
	checkViolations(t, s.Validate([]byte(`{"tree":{"kids":[{"kids":[]}]},"copy":1,"self":{"plain":2}}`)))
	checkViolations(t, s.Validate([]byte(`{"tree":{"kids":[{"kids":[{"x":1}]}]},"copy":"1","self":{"plain":"x"}}`)),
		`unknown property "tree.kids[0].kids[0].x" (known: kids)`, `"copy" must be an integer`, `"self.plain" must be an integer`)
	checkMessages(t, Draft07, `{"properties":{"a":{"$ref":"#/definitions/none"},"b":{"$ref":"http://x/y"},"c":{"$ref":"#name"},"d":{"$ref":"#/%zz"}}}`,
		`schema.properties.a.$ref names "#/definitions/none", which is no schema in here`,
		`schema.properties.b.$ref must lead to a place inside the schema, such as #/definitions/name`,
		`schema.properties.c.$ref must lead to a place inside the schema, such as #/definitions/name`,
		`schema.properties.d.$ref must lead to a place inside the schema, such as #/definitions/name`)
}

func TestForeignSchemasAreKept(t *testing.T) {
	const text = `{"type":"object","properties":{"a":{"type":"string","pattern":"(?<!x)a","x-order":[1,{"b":2}]},` +
		`"b":{"$ref":"https://example.com/s.json"},"c":{"type":"any"},"d":{"minimum":"low"},"e":{"type":"string","minLength":2}},"unevaluatedProperties":false}`
	s, remarks, err := ParseForeign([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	var paths []string
	for _, r := range remarks {
		paths = append(paths, r.Path)
	}
	want := []string{
		"schema.unevaluatedProperties", "schema.properties.a.x-order", "schema.properties.a.pattern",
		"schema.properties.c.type", "schema.properties.d.minimum", "schema.properties.b.$ref",
	}
	if !slices.Equal(paths, want) {
		t.Errorf("remarks at %q, want %q", paths, want)
	}
	out, err := s.MarshalJSON()
	if err != nil {
		t.Fatal(err)
	}
	if string(Canonical(out)) != string(Canonical([]byte(text))) {
		t.Errorf("got %s", out)
	}
	checkViolations(t, s.Validate([]byte(`{"a":"q","b":1,"c":2,"d":-5,"e":"x"}`)), `"e" must have at least 2 characters`)
}

func TestForeignSchemasThatAreNone(t *testing.T) {
	for _, text := range []string{``, `true`, `[]`, `{"a":1,"a":2}`, `{"minimum":-0}`} {
		s, _, err := ParseForeign([]byte(text))
		var refusal *Error
		if s != nil || !errors.As(err, &refusal) || len(refusal.Violations) != 1 {
			t.Errorf("%s: %v, %v", text, s, err)
		}
	}
}

func TestEmissionOfHandMadeSchemas(t *testing.T) {
	s := &Schema{Type: "object", Properties: []Property{{"a", nil}, {"b<", &Schema{Enum: []Literal{StringLiteral("x\xff")}}}}}
	got, err := s.MarshalJSON()
	if want := "{\"type\":\"object\",\"properties\":{\"a\":{},\"b<\":{\"enum\":[\"x\uFFFD\"]}}}"; err != nil || string(got) != want {
		t.Errorf("got %s, %v", got, err)
	}
	for _, bound := range []string{"abc", "1 2", `"1"`, "-0"} {
		if _, err := (&Schema{Minimum: "1", Maximum: jsonNumber(bound)}).MarshalJSON(); err == nil {
			t.Errorf("the bound %s was emitted", bound)
		}
	}
}

func TestObjectUnionsThatMultiplyAreCheap(t *testing.T) {
	leaf := &Schema{Type: "object"}
	for range 60 {
		leaf = &Schema{AnyOf: []*Schema{leaf, leaf, leaf}}
	}
	if !leaf.objectUnion() {
		t.Error("a union of objects is none")
	}
}
