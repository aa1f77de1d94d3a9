package schema

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
)

// messages returns what Parse refuses text with, nil if it accepts it.
func messages(t *testing.T, d Dialect, text string) []string {
	t.Helper()
	s, err := Parse(d, []byte(text))
	if err == nil {
		if s == nil {
			t.Fatal("no schema and no error")
		}
		return nil
	}
	var refusal *Error
	if !errors.As(err, &refusal) || len(refusal.Violations) == 0 || s != nil {
		t.Fatalf("Parse(%s, %s) = %v, %v", d, text, s, err)
	}
	var list []string
	for _, v := range refusal.Violations {
		if !strings.HasPrefix(v.Message, v.Path) {
			t.Errorf("%q does not begin with its path %q", v.Message, v.Path)
		}
		list = append(list, v.Message)
	}
	return list
}

func checkMessages(t *testing.T, d Dialect, text string, want ...string) {
	t.Helper()
	if got := messages(t, d, text); !slices.Equal(got, want) {
		t.Errorf("%s %s\n got  %q\n want %q", d, text, got, want)
	}
}

const (
	structuredSubset = " is not a supported keyword (subset: type/properties/required/additionalProperties/items/enum/const + annotations)"
	sevenTypes       = "schema.type must be one of object/array/string/number/integer/boolean/null"
)

// Appendix A.4, the schema half. What only JavaScript can express (cycles,
// functions, dates, NaN) has no JSON text.
func TestStructuredSchemas(t *testing.T) {
	accepted := []string{
		`{"type":"object"}`,
		`{"type":"object","description":"d","title":"t","default":{"a":[1,"x",null,true]},"examples":7,
		  "properties":{"a":{"type":"string","enum":["x"]},"b":{"type":"array","items":{"type":"integer"}},
		  "c":{"type":"null","const":null},"d":{"type":"number"},"e":{"type":"boolean"},"f":{"type":"array"},
		  "g":{"type":"object","additionalProperties":false}},"required":["a"],"additionalProperties":true}`,
		`{"type":"object","properties":{"a":{"type":"string","enum":[1,true,null]}}}`,
	}
	for _, text := range accepted {
		checkMessages(t, Structured, text)
	}
	for _, c := range []struct{ text, want string }{
		{`{"type":"string"}`, `schema.type must be "object" (structured output is object-rooted)`},
		{`"nope"`, `schema must be a schema object`},
		{`null`, `schema must be a schema object`},
		{`[]`, `schema must be a schema object`},
		{`true`, `schema must be a schema object`},
		{`{}`, sevenTypes},
		{`{"type":"tuple"}`, sevenTypes},
		{`{"type":["string","null"]}`, `schema.type must be a single type string (type arrays are not supported)`},
		{`{"type":"object","properties":{"a":"str"}}`, `schema.properties.a must be a schema object`},
		{`{"type":"object","properties":[]}`, `schema.properties must be an object of schemas`},
		{`{"type":"object","items":{"type":"string"}}`, `schema.items is not supported on type "object"`},
		{`{"type":"object","properties":{"a":{"type":"string","properties":{}}}}`, `schema.properties.a.properties is not supported on type "string"`},
		{`{"type":"object","enum":[1]}`, `schema.enum is not supported on type "object"`},
		{`{"type":"object","properties":{"a":{"type":"array","const":1}}}`, `schema.properties.a.const is not supported on type "array"`},
		{`{"type":"object","required":"file"}`, `schema.required must be an array of strings`},
		{`{"type":"object","required":[1]}`, `schema.required must be an array of strings`},
		{`{"type":"object","properties":{"a":{"type":"string"}},"required":["b"]}`, `schema.required names "b" which is not in properties`},
		{`{"type":"object","properties":{},"required":["toString"]}`, `schema.required names "toString" which is not in properties`},
		{`{"type":"object","additionalProperties":{}}`, `schema.additionalProperties must be a boolean`},
		{`{"type":"object","properties":{"a":{"type":"string","enum":[]}}}`, `schema.properties.a.enum must be a non-empty array of scalars`},
		{`{"type":"object","properties":{"a":{"type":"string","enum":[{}]}}}`, `schema.properties.a.enum must be a non-empty array of scalars`},
		{`{"type":"object","properties":{"a":{"type":"string","enum":"x"}}}`, `schema.properties.a.enum must be a non-empty array of scalars`},
		{`{"type":"object","properties":{"a":{"type":"string","const":{}}}}`, `schema.properties.a.const must be a scalar`},
		{`{"type":"object","description":7}`, `schema.description must be a string`},
		{`{"type":"object","title":7}`, `schema.title must be a string`},
		{`{"type":"object","examples":[1e999]}`, `schema is not lossless JSON: number out of range at offset 29, in "examples[0]"`},
		{`{"type":"object","type":"object"}`, `schema is not lossless JSON: duplicate key "type" at offset 32`},
		{`{"type":`, `schema is not lossless JSON: unexpected end of JSON at offset 8, in "type"`},
	} {
		checkMessages(t, Structured, c.text, c.want)
	}
	for _, name := range []string{"oneOf", "anyOf", "allOf", "not", "pattern", "minimum", "maxLength", "$ref"} {
		checkMessages(t, Structured, fmt.Sprintf(`{"type":"object",%q:[]}`, name), "schema."+name+structuredSubset)
	}
}

func TestEveryViolationIsReported(t *testing.T) {
	checkMessages(t, Structured,
		`{"type":"object","pattern":"x","properties":{"a":{"type":"weird"},"b":{"type":"string","minimum":1}}}`,
		"schema.pattern"+structuredSubset,
		"schema.properties.a.type must be one of object/array/string/number/integer/boolean/null",
		"schema.properties.b.minimum"+structuredSubset)
}

func TestOutputSchemaError(t *testing.T) {
	err := AssertSupportedOutputSchema([]byte(`{"type":"string","x":1}`))
	var refusal *Error
	if !errors.As(err, &refusal) || refusal.Name != "OutputSchemaError" || refusal.ErrorCode() != "UNSUPPORTED_SCHEMA" {
		t.Fatalf("got %#v", err)
	}
	if want := "unsupported output schema: schema.x" + structuredSubset; err.Error() != want {
		t.Errorf("got  %s\nwant %s", err, want)
	}
	if err := AssertSupportedOutputSchema([]byte(`{"type":"object"}`)); err != nil {
		t.Error(err)
	}
	_, err = Parse(Args, []byte(`{"type":"object","x":1}`))
	if !errors.As(err, &refusal) || refusal.Name != "SchemaError" || refusal.ErrorCode() != "INVALID_INPUT" ||
		!strings.HasPrefix(err.Error(), "invalid schema: schema.x is not") {
		t.Fatalf("got %#v", err)
	}
}

// tools.md §4.2.
func TestArgsSchemas(t *testing.T) {
	accepted := []string{
		`{"type":"object"}`,
		`{"type":"object","properties":{},"required":[]}`,
		`{"type":"object","additionalProperties":false,"description":"d","default":{},"examples":[{}]}`,
		`{"type":"object","properties":{
		  "s":{"type":"string","enum":["a"],"minLength":0,"maxLength":0,"pattern":"^a+$"},
		  "n":{"type":"number","enum":[1.5,2],"minimum":-1,"maximum":1e9},
		  "i":{"type":"integer","enum":[1,2.0],"minimum":1,"maximum":1},
		  "b":{"type":"boolean","enum":[true]},
		  "l":{"type":"array","items":{"type":"string"},"minItems":1,"maxItems":2,"uniqueItems":true},
		  "u":{"oneOf":[{"type":"string"},{"type":"object","properties":{"x":{"type":"number"}},"required":["x"]}],"description":"d"}
		 },"required":["s","u"]}`,
	}
	for _, text := range accepted {
		checkMessages(t, Args, text)
	}
	property := func(text string) string { return `{"type":"object","properties":{"p":` + text + `}}` }
	const p = "schema.properties.p"
	for _, c := range []struct{ text, want string }{
		{`{"type":"array","items":{"type":"string"}}`, `schema.type must be "object" (an argument schema is object-rooted)`},
		{`{"oneOf":[{"type":"object"}]}`, `schema.type must be "object" (an argument schema is object-rooted)`},
		{property(`{"type":"null"}`), p + `.type must be one of object/array/string/number/integer/boolean`},
		{property(`{}`), p + `.type must be one of object/array/string/number/integer/boolean`},
		{property(`{"type":"string","oneOf":[{"type":"string"}]}`), p + `.oneOf must stand in place of type, not beside it`},
		{property(`{"oneOf":[]}`), p + `.oneOf must be a non-empty array of schemas`},
		{property(`{"oneOf":[{"type":"string"},{"type":"number","minLength":1}]}`), p + `.oneOf[1].minLength is not supported on type "number"`},
		{property(`{"type":"array"}`), p + `.items is missing: an array must say what its items are`},
		{property(`{"type":"array","items":[{"type":"string"}]}`), p + `.items must be a schema object`},
		{property(`{"type":"array","items":true}`), p + `.items must be a schema object`},
		{property(`{"type":"string","pattern":"(?=a)"}`), p + ".pattern is not a pattern that RE2 can run: error parsing regexp: invalid or unsupported Perl syntax: `(?=`"},
		{property(`{"type":"string","pattern":1}`), p + `.pattern must be a string`},
		{property(`{"type":"string","minLength":3,"maxLength":2}`), p + `.minLength must not be greater than maxLength`},
		{property(`{"type":"string","minLength":-1}`), p + `.minLength must be a non-negative integer`},
		{property(`{"type":"string","maxLength":1.5}`), p + `.maxLength must be a non-negative integer`},
		{property(`{"type":"string","maxLength":"1"}`), p + `.maxLength must be a non-negative integer`},
		{property(`{"type":"string","maxLength":1e300}`), p + `.maxLength must be a non-negative integer`},
		{property(`{"type":"array","items":{"type":"string"},"minItems":3,"maxItems":2}`), p + `.minItems must not be greater than maxItems`},
		{property(`{"type":"array","items":{"type":"string"},"uniqueItems":1}`), p + `.uniqueItems must be a boolean`},
		{property(`{"type":"number","minimum":2,"maximum":1.5}`), p + `.minimum must not be greater than maximum`},
		{property(`{"type":"number","minimum":"1"}`), p + `.minimum must be a number`},
		{property(`{"type":"string","enum":[1]}`), p + `.enum[0] must be of type "string"`},
		{property(`{"type":"integer","enum":[1,1.5]}`), p + `.enum[1] must be of type "integer"`},
		{property(`{"type":"boolean","enum":["true"]}`), p + `.enum[0] must be of type "boolean"`},
		{property(`{"type":"string","enum":[]}`), p + `.enum must be a non-empty array of scalars`},
		{property(`{"type":"object","enum":[{}]}`), p + `.enum is not supported on type "object"`},
		{property(`{"type":"string","examples":"x"}`), p + `.examples must be an array`},
		{`{"type":"object","required":["a"]}`, `schema.required names "a" which is not in properties`},
		{`{"type":"object","additionalProperties":{"type":"string"}}`, `schema.additionalProperties must be a boolean`},
	} {
		checkMessages(t, Args, c.text, c.want)
	}
}

func TestStrictArgsHasNoAdditionalProperties(t *testing.T) {
	got := messages(t, StrictArgs, `{"type":"object","additionalProperties":false}`)
	if len(got) != 1 || !strings.HasPrefix(got[0], "schema.additionalProperties is not a supported keyword") {
		t.Errorf("got %q", got)
	}
}

// tools.md §3.3.2 and §3.3.6: what the DSL becomes.
func TestDSL(t *testing.T) {
	for _, c := range []struct{ in, want string }{
		{`{}`, `{"type":"object","properties":{}}`},
		{`{"a":{"type":"string","required":true,"description":"d"},"b":{"type":"number"}}`,
			`{"type":"object","properties":{"a":{"type":"string","description":"d"},"b":{"type":"number"}},"required":["a"]}`},
		{`{"a":{"type":"string","enum":["x","y"],"default":"x"}}`,
			`{"type":"object","properties":{"a":{"type":"string","default":"x","enum":["x","y"]}}}`},
		{`{"z":{"type":"array"},"y":{"type":"object"},"x":{"type":"boolean"}}`,
			`{"type":"object","properties":{"z":{"type":"array"},"y":{"type":"object"},"x":{"type":"boolean"}}}`},
		{`{"a":{"type":"array","items":{"type":"object","properties":{"b":{"type":"string","required":true},"c":{"type":"number","required":true}}}}}`,
			`{"type":"object","properties":{"a":{"type":"array","items":{"type":"object","properties":{"b":{"type":"string"},"c":{"type":"number"}},"required":["b","c"]}}}}`},
		{`{"type":{"type":"string","required":true}}`,
			`{"type":"object","properties":{"type":{"type":"string"}},"required":["type"]}`},
	} {
		got, err := mustParse(t, DSL, c.in).MarshalJSON()
		if err != nil || string(got) != c.want {
			t.Errorf("%s\n got  %s\n want %s\n %v", c.in, got, c.want, err)
		}
	}
	for _, c := range []struct{ text, want string }{
		{`[]`, `schema must be a schema object`},
		{`{"a":1}`, `schema.a must be a schema object`},
		{`{"a":{}}`, `schema.a.type must be one of string/number/boolean/object/array`},
		{`{"a":{"type":"integer"}}`, `schema.a.type must be one of string/number/boolean/object/array`},
		{`{"a":{"type":"string","required":false}}`, `schema.a.required must be true or absent`},
		{`{"a":{"type":"object","required":["b"]}}`, `schema.a.required must be true or absent`},
		{`{"a":{"type":"string","enum":[1]}}`, `schema.a.enum must be a non-empty array of strings`},
		{`{"a":{"type":"string","items":{"type":"string"}}}`, `schema.a.items is not supported on type "string"`},
		{`{"a":{"type":"string","properties":{}}}`, `schema.a.properties is not supported on type "string"`},
		{`{"a":{"type":"object","properties":{"b":{"type":"null"}}}}`, `schema.a.properties.b.type must be one of string/number/boolean/object/array`},
	} {
		checkMessages(t, DSL, c.text, c.want)
	}
}

// Each dialect refuses each keyword that is not its own, with the path.
func TestForeignKeywords(t *testing.T) {
	names := []string{
		"x-vendor", "nullable", "prefixItems", "unevaluatedProperties", "dependentRequired", "dependentSchemas",
		"$anchor", "$dynamicRef", "id", "divisibleBy", "extends", "minContains", "Type", "",
	}
	for _, k := range keywords {
		names = append(names, k.name)
	}
	for d := range dialects {
		dialect := Dialect(d)
		wrap, at := `{"type":"object","properties":{"a":{"type":"object",%s:%s}}}`, "schema.properties.a."
		if dialect == DSL {
			wrap, at = `{"a":{"type":"object",%s:%s}}`, "schema.a."
		}
		for _, name := range names {
			if _, own := dialects[d].keywords[name]; own {
				continue
			}
			text := fmt.Sprintf(wrap, quote(name), `"x"`)
			got := messages(t, dialect, text)
			want := at + name + " is not a supported keyword" + dialects[d].subset
			if !slices.Contains(got, want) {
				t.Errorf("%s: %s\n got  %q\n want %q", dialect, text, got, want)
			}
		}
	}
}

// Every keyword of a dialect refuses a value of the wrong form, with the path.
func TestKeywordsOfTheWrongForm(t *testing.T) {
	wrong := map[string]string{
		"default": "", "examples": "", "const": "", "additionalItems": "",
		"$schema": "", "$id": "", "$comment": "", "format": "", "readOnly": "", "writeOnly": "",
		"contentEncoding": "", "contentMediaType": "",
		"multipleOf": `0`, "required": `{}`, "dependencies": `7`,
	}
	for _, k := range keywords {
		value, special := wrong[k.name]
		if special && value == "" {
			continue // takes every value
		}
		if !special {
			value = `[7]`
		}
		if k.name == "enum" {
			value = `{}`
		}
		got := messages(t, Draft07, fmt.Sprintf(`{%q:%s}`, k.name, value))
		if len(got) != 1 || !strings.HasPrefix(got[0], "schema."+k.name) {
			t.Errorf("%s: %q", k.name, got)
		}
	}
}

func TestDialectNames(t *testing.T) {
	seen := map[string]bool{}
	for d := range dialects {
		name := Dialect(d).String()
		if name == "" || seen[name] {
			t.Errorf("dialect %d is called %q", d, name)
		}
		seen[name] = true
	}
}
