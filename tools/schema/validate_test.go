package schema

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"
	"testing"
)

func jsonNumber(s string) json.Number { return json.Number(s) }

func checkViolations(t *testing.T, got []Violation, want ...string) {
	t.Helper()
	var messages []string
	for _, v := range got {
		messages = append(messages, v.Message)
		if !strings.Contains(v.Message, quote(v.Path)) {
			t.Errorf("%q does not name its path %q", v.Message, v.Path)
		}
	}
	if !slices.Equal(messages, want) {
		t.Errorf("\n got  %q\n want %q", messages, want)
	}
}

// tools.md §3.3.4: the texts of the DSL's validator.
func TestArgumentTexts(t *testing.T) {
	s := mustParse(t, DSL, `{
		"s":{"type":"string"},"n":{"type":"number"},"b":{"type":"boolean"},
		"o":{"type":"object","properties":{"x":{"type":"string","required":true},"e":{"type":"number","enum":["1"]}}},
		"a":{"type":"array","items":{"type":"string"}},
		"r":{"type":"string","required":true},"e":{"type":"string","enum":["x","y"]}}`)
	for _, c := range []struct {
		data string
		want []string
	}{
		{`{"r":"1"}`, nil},
		{`{"r":"1","extra":{"a":1},"o":{"x":"","more":1},"a":[],"e":"y","n":1e3,"b":false}`, nil},
		{`{}`, []string{`missing required property "r"`}},
		{`{"r":null}`, []string{`"r" must be a string`}},
		{`{"r":"","o":{}}`, []string{`missing required property "o.x"`}},
		{`{"r":"","s":5,"n":"5","b":0,"o":[],"a":{}}`, []string{
			`"s" must be a string`, `"n" must be a number`, `"b" must be a boolean`, `"o" must be an object`, `"a" must be an array`}},
		{`{"r":"","a":["x",1,null]}`, []string{`"a[1]" must be a string`, `"a[2]" must be a string`}},
		{`{"r":"","e":"z"}`, []string{`"e" must be one of ["x","y"]`}},
		{`{"r":"","o":{"x":"","e":1}}`, []string{`"o.e" must be one of ["1"]`}},
		{`null`, []string{`"arguments" must be an object`}},
		{`[]`, []string{`"arguments" must be an object`}},
		{`"{}"`, []string{`"arguments" must be an object`}},
		{`7`, []string{`"arguments" must be an object`}},
		{``, []string{`"arguments" is not valid JSON: unexpected end of JSON at offset 0`}},
		{`{"r":"x"`, []string{`"arguments" is not valid JSON: unexpected end of JSON at offset 8`}},
		{`{"r":"x","r":"y"}`, []string{`"arguments" is not valid JSON: duplicate key "r" at offset 16`}},
	} {
		checkViolations(t, s.Validate([]byte(c.data)), c.want...)
	}
}

// Appendix A.4, the value half.
func TestStructuredValues(t *testing.T) {
	s := mustParse(t, Structured, `{"type":"object","properties":{
		"file":{"type":"string"},"line":{"type":"integer"},"score":{"type":"number"},"confirmed":{"type":"boolean"},
		"parent":{"type":"null"},"severity":{"type":"string","enum":["low","high"]},"kind":{"type":"string","const":"bug"},
		"tags":{"type":"array","items":{"type":"string"}},"free":{"type":"array"},
		"nested":{"type":"object","properties":{"x":{"type":"number"}},"required":["x"],"additionalProperties":false}
		},"required":["file"]}`)
	for _, c := range []struct {
		data string
		want []string
	}{
		{`{"file":"a.ts","line":3,"score":0.5,"confirmed":true,"parent":null,"severity":"high","kind":"bug","tags":["x"],"free":[1,{"any":true}],"nested":{"x":1},"more":1}`, nil},
		{`{"file":"a","line":1.0}`, nil},
		{`{"file":"a","line":9007199254740993}`, nil},
		{`{}`, []string{`missing required property "value.file"`}},
		{`"nope"`, []string{`"value" must be an object`}},
		{`[]`, []string{`"value" must be an object`}},
		{`{"file":1}`, []string{`"value.file" must be a string`}},
		{`{"file":"a","line":1.5}`, []string{`"value.line" must be an integer`}},
		{`{"file":"a","line":"x"}`, []string{`"value.line" must be an integer`}},
		{`{"file":"a","score":"x"}`, []string{`"value.score" must be a finite number`}},
		{`{"file":"a","score":1e400}`, []string{`"value.score" must be a finite number`}},
		{`{"file":"a","confirmed":"yes"}`, []string{`"value.confirmed" must be a boolean`}},
		{`{"file":"a","parent":0}`, []string{`"value.parent" must be null`}},
		{`{"file":"a","severity":"mid"}`, []string{`"value.severity" must be one of ["low","high"]`}},
		{`{"file":"a","kind":"feature"}`, []string{`"value.kind" must be "bug"`}},
		{`{"file":"a","tags":"x"}`, []string{`"value.tags" must be an array`}},
		{`{"file":"a","tags":["ok",2]}`, []string{`"value.tags[1]" must be a string`}},
		{`{"file":"a","nested":{}}`, []string{`missing required property "value.nested.x"`}},
		{`{"file":"a","nested":{"x":1,"y":2}}`, []string{`"value.nested.y" is not a declared property (additionalProperties: false)`}},
		{`{"file":"a","nested":3}`, []string{`"value.nested" must be an object`}},
		{`{"line":"x","severity":"mid"}`, []string{`missing required property "value.file"`, `"value.line" must be an integer`, `"value.severity" must be one of ["low","high"]`}},
	} {
		checkViolations(t, ValidateStructuredValue(s, []byte(c.data)), c.want...)
	}
	checkViolations(t, ValidateStructuredValue(mustParse(t, Structured, `{"type":"object","additionalProperties":false}`), []byte(`{"toString":1}`)),
		`"value.toString" is not a declared property (additionalProperties: false)`)
	checkViolations(t, ValidateStructuredValue(mustParse(t, Structured, `{"type":"object","properties":{"a":{"type":"null","const":null,"enum":[null]}}}`), []byte(`{"a":null}`)))
}

// tools.md §4.2.5 and §4.2.7.
func TestArgsValues(t *testing.T) {
	s := mustParse(t, Args, `{"type":"object","properties":{
		"delta":{"type":"integer","minimum":-100,"maximum":100},
		"title":{"type":"string","minLength":1,"maxLength":120},
		"labels":{"type":"array","items":{"type":"string"},"maxItems":10,"uniqueItems":true,"minItems":1},
		"word":{"type":"string","pattern":"b+"},
		"any":{"type":"array","items":{"oneOf":[{"type":"object"},{"type":"number"}]},"uniqueItems":true},
		"one":{"oneOf":[{"type":"number","minimum":5},{"type":"integer"},{"type":"object","properties":{"k":{"type":"string"}},"required":["k"]}]}
		},"required":["delta"]}`)
	emoji := func(n int) string { return `{"delta":1,"title":"` + strings.Repeat("😀", n) + `"}` }
	for _, c := range []struct {
		data string
		want []string
	}{
		{`{"delta":100}`, nil},
		{`{"delta":3.0,"extra":[1]}`, nil},
		{`{"delta":1e2}`, nil},
		{`{"delta":101}`, []string{`"delta" must be at most 100`}},
		{`{"delta":-100.5}`, []string{`"delta" must be an integer`}},
		{`{"delta":-101}`, []string{`"delta" must be at least -100`}},
		{`{"delta":1.5}`, []string{`"delta" must be an integer`}},
		{`{"delta":"5"}`, []string{`"delta" must be an integer`}},
		{`{}`, []string{`missing required property "delta"`}},
		{emoji(120), nil},
		{emoji(121), []string{`"title" must have at most 120 characters`}},
		{emoji(0), []string{`"title" must have at least 1 character`}},
		{`{"delta":1,"labels":["a","b","a"]}`, []string{`"labels" must have unique items, but item 2 equals item 0`}},
		{`{"delta":1,"labels":["1","2","3","4","5","6","7","8","9","10","11"]}`, []string{`"labels" must have at most 10 items`}},
		{`{"delta":1,"labels":[]}`, []string{`"labels" must have at least 1 item`}},
		{`{"delta":1,"any":[{"a":1,"b":[2]},{"b":[2.0],"a":1}]}`, []string{`"any" must have unique items, but item 1 equals item 0`}},
		{`{"delta":1,"any":[1,1.0]}`, []string{`"any" must have unique items, but item 1 equals item 0`}},
		{`{"delta":1,"word":"abbc"}`, nil},
		{`{"delta":1,"word":"ac"}`, []string{`"word" must match the pattern b+`}},
		{`{"delta":1,"one":4}`, nil},
		{`{"delta":1,"one":5.5}`, nil},
		{`{"delta":1,"one":6}`, []string{`"one" must match exactly one oneOf branch (matched 2)`}},
		{`{"delta":1,"one":{}}`, []string{`"one" must match exactly one oneOf branch (matched 0, closest: "one" must be a number)`}},
		{`{"delta":1,"one":{"k":1}}`, []string{`"one" must match exactly one oneOf branch (matched 0, closest: "one" must be a number)`}},
		{`null`, []string{`"arguments" must be an object`}},
	} {
		checkViolations(t, s.Validate([]byte(c.data)), c.want...)
	}
}

func TestDraft07Values(t *testing.T) {
	for _, c := range []struct {
		schema, data string
		want         []string
	}{
		{`{}`, `[1,{"a":null}]`, nil},
		{`{"not":{}}`, `1`, []string{`"arguments" is not allowed here`}},
		{`{"type":["string","null"]}`, `null`, nil},
		{`{"type":["string","null","array"]}`, `1`, []string{`"arguments" must be a string or null or an array`}},
		{`{"exclusiveMinimum":1,"exclusiveMaximum":2}`, `1`, []string{`"arguments" must be greater than 1`}},
		{`{"exclusiveMinimum":1,"exclusiveMaximum":2}`, `2.0`, []string{`"arguments" must be less than 2`}},
		{`{"multipleOf":0.1}`, `0.30`, nil},
		{`{"multipleOf":0.1}`, `0.35`, []string{`"arguments" must be a multiple of 0.1`}},
		{`{"minimum":9007199254740993}`, `9007199254740992`, []string{`"arguments" must be at least 9007199254740993`}},
		{`{"minimum":1,"maxLength":1}`, `"text"`, []string{`"arguments" must have at most 1 character`}},
		{`{"minProperties":2,"maxProperties":3}`, `{"a":1}`, []string{`"arguments" must have at least 2 properties`}},
		{`{"maxProperties":1}`, `{"a":1,"b":1}`, []string{`"arguments" must have at most 1 property`}},
		{`{"additionalProperties":{"type":"string"},"properties":{"a":{}}}`, `{"a":1,"b":2,"c":"x"}`, []string{`"b" must be a string`}},
		{`{"additionalProperties":false}`, `{"a":1}`, []string{`unknown property "a" (there are no properties)`}},
		{`{"additionalProperties":false,"patternProperties":{"^x":{"type":"number"}},"properties":{"xa":{"minimum":2}}}`,
			`{"xa":"1","xb":1,"y":1}`, []string{`"xa" must be a number`, `unknown property "y" (known: xa)`}},
		{`{"propertyNames":{"pattern":"^[a-z]+$"}}`, `{"a":1,"B":2}`, []string{`"B" has a name that its schema's propertyNames does not accept`}},
		{`{"dependencies":{"a":["b","c"],"d":{"properties":{"e":{"type":"number"}}}}}`, `{"a":1,"b":1,"d":1,"e":"x"}`,
			[]string{`missing required property "c"`, `"e" must be a number`}},
		{`{"items":[{"type":"string"}],"additionalItems":{"type":"number"}}`, `[1,2,"x"]`, []string{`"arguments[0]" must be a string`, `"arguments[2]" must be a number`}},
		{`{"items":[{}],"additionalItems":false}`, `[1,2]`, []string{`"arguments[1]" is not allowed here`}},
		{`{"contains":{"const":3}}`, `[1,3.0]`, nil},
		{`{"contains":{"const":3}}`, `[1,2]`, []string{`"arguments" must have an item that its schema's contains accepts`}},
		{`{"allOf":[{"type":"string"},{"minLength":2}]}`, `"x"`, []string{`"arguments" must have at least 2 characters`}},
		{`{"anyOf":[{"type":"string"},{"type":"number"}]}`, `1`, nil},
		{`{"anyOf":[{"type":"string"},{"type":"number"}]}`, `true`, []string{`"arguments" must match at least one anyOf branch (matched 0, closest: "arguments" must be a string)`}},
		{`{"if":{"type":"string"},"then":{"minLength":2},"else":{"minimum":2}}`, `"a"`, []string{`"arguments" must have at least 2 characters`}},
		{`{"if":{"type":"string"},"then":{"minLength":2},"else":{"minimum":2}}`, `1`, []string{`"arguments" must be at least 2`}},
		{`{"if":{"type":"string"}}`, `1`, nil},
		{`{"const":{"a":[1,2],"b":null}}`, `{"b":null,"a":[1.0,2]}`, nil},
		{`{"const":{"a":1}}`, `{"a":2}`, []string{`"arguments" must be {"a":1}`}},
		{`{"enum":[1,[2],"x"]}`, `[2.0]`, nil},
		{`{"enum":[1,[2],"x"]}`, `"y"`, []string{`"arguments" must be one of [1,[2],"x"]`}},
	} {
		checkViolations(t, mustParse(t, Draft07, c.schema).Validate([]byte(c.data)), c.want...)
	}
}

func TestTheClosestBranchIsTold(t *testing.T) {
	s := mustParse(t, Draft07, `{"type":"object","properties":{"e":{"oneOf":[
		{"type":"object","properties":{"a":{"type":"string"},"b":{"type":"string"}},"required":["a","b"]},
		{"type":"object","properties":{"c":{"type":"string"}},"required":["c"]}]}}}`)
	checkViolations(t, s.Validate([]byte(`{"e":{"a":1}}`)),
		`"e" must match exactly one oneOf branch (matched 0, closest: missing required property "e.c")`)
}

func TestNamesInMessagesAreQuotedAndShort(t *testing.T) {
	s := &Schema{Type: "object", Closed: true}
	long := strings.Repeat("é", 1000)
	for _, c := range []struct{ name, path string }{
		{`a"b`, `"a\"b"`}, {"new\nline", `"new\nline"`}, {long, `"` + strings.Repeat("é", 50) + `…"`},
	} {
		got := s.Validate([]byte(`{` + quote(c.name) + `:1}`))
		if want := "unknown property " + c.path + " (there are no properties)"; len(got) != 1 || got[0].Message != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
	for i := range 40 {
		s.Properties = append(s.Properties, Property{string(rune('A' + i)), nil})
	}
	if got := s.Validate([]byte(`{"zzz":1}`)); !strings.HasSuffix(got[0].Message, ", ^, …)") {
		t.Errorf("got %s", got[0].Message)
	}
}

// Hostile schemas and values end soon.
func TestBounds(t *testing.T) {
	const tooComplex = `"arguments" is too deep or too complex to check`
	loop := mustParse(t, Draft07, `{"allOf":[{"$ref":"#"}]}`)
	checkViolations(t, loop.Validate([]byte(`1`)), tooComplex)
	self := mustParse(t, Draft07, `{"$ref":"#"}`)
	checkViolations(t, self.Validate([]byte(`{}`)), tooComplex)

	var b strings.Builder
	b.WriteString(`{"$ref":"#/definitions/d0","definitions":{`)
	for i := range 40 {
		next := `{"$ref":"#/definitions/d` + strconv.Itoa(i+1) + `"}`
		b.WriteString(`"d` + strconv.Itoa(i) + `":{"allOf":[` + next + `,` + next + `]},`)
	}
	b.WriteString(`"d40":{}}}`)
	doubling := mustParse(t, Draft07, b.String())
	checkViolations(t, doubling.Validate([]byte(`1`)), tooComplex)
	if got, err := doubling.ApplyDefaults([]byte(`{}`)); err != nil || string(got) != `{}` {
		t.Errorf("got %s, %v", got, err)
	}

	strict := &Schema{Type: "array", Items: &Schema{Type: "string"}}
	if got := strict.Validate([]byte("[" + strings.Repeat("1,", 5000) + "1]")); len(got) != maxViolations {
		t.Errorf("%d violations", len(got))
	}
}

func TestHandMadeSchemasNeverPanic(t *testing.T) {
	for _, s := range []*Schema{
		{}, {Type: "tuple"}, {Items: nil, Prefix: []*Schema{nil}}, {AllOf: []*Schema{nil}, OneOf: []*Schema{nil}, AnyOf: []*Schema{nil}},
		{Properties: []Property{{"a", nil}}}, {Minimum: "x", Maximum: "", MultipleOf: "zero"}, {Dependencies: []Dependency{{"a", nil, nil}}},
	} {
		for _, data := range []string{`{"a":1}`, `[1]`, `1`, `"x"`, `null`} {
			s.Validate([]byte(data))
			if _, err := s.ApplyDefaults([]byte(data)); err != nil {
				t.Error(err)
			}
		}
	}
}
