package schema

import (
	"encoding/json"
	"net/netip"
	"strings"
	"testing"
	"time"
)

type embedded struct {
	Inner string `json:"inner"`
	Shade string `json:"shade,omitempty"`
}

type Named struct {
	Deep int `json:"deep"`
}

type everything struct {
	embedded
	*Named
	Whole    Named           `json:"whole,omitzero"`
	Path     string          `json:"file_path" desc:"Path of the file." minLength:"1" pattern:"^[^\u0000]+$"`
	Line     *int            `json:"line" min:"1"`
	Mode     string          `json:"mode,omitempty" enum:"exact,fuzzy" default:"exact"`
	Level    int             `json:"level" enum:"1,2" default:"2"`
	Ratio    float32         `json:"ratio,omitempty" min:"0.5" max:"1e2"`
	Flags    []string        `json:"flags,omitempty" enum:"a,b" minItems:"1" maxItems:"3" uniqueItems:"true"`
	Pair     [2]bool         `json:"pair"`
	Count    uint8           `json:"count" max:"9"`
	Env      map[string]int  `json:"env,omitempty"`
	Raw      json.RawMessage `json:"raw"`
	Any      any             `json:"any,omitempty"`
	Number   json.Number     `json:"number"`
	Bytes    []byte          `json:"bytes,omitempty"`
	When     time.Time       `json:"-"`
	Address  netip.Addr      `json:"address"`
	Nullable *string         `json:"nullable" nullable:"true" enum:"x"`
	Untagged bool
	hidden   string
}

func TestOf(t *testing.T) {
	got, err := mustOf[everything](t).MarshalJSON()
	if err != nil {
		t.Fatal(err)
	}
	const want = `{"type":"object","properties":{` +
		`"inner":{"type":"string"},"shade":{"type":"string"},"deep":{"type":"integer"},` +
		`"whole":{"type":"object","properties":{"deep":{"type":"integer"}},"required":["deep"],"additionalProperties":false},` +
		`"file_path":{"type":"string","description":"Path of the file.","minLength":1,"pattern":"^[^\u0000]+$"},` +
		`"line":{"type":"integer","minimum":1},` +
		`"mode":{"type":"string","default":"exact","enum":["exact","fuzzy"]},` +
		`"level":{"type":"integer","default":2,"enum":[1,2]},` +
		`"ratio":{"type":"number","minimum":0.5,"maximum":1e2},` +
		`"flags":{"type":"array","items":{"type":"string","enum":["a","b"]},"minItems":1,"maxItems":3,"uniqueItems":true},` +
		`"pair":{"type":"array","items":{"type":"boolean"},"minItems":2,"maxItems":2},` +
		`"count":{"type":"integer","minimum":0,"maximum":9},` +
		`"env":{"type":"object","additionalProperties":{"type":"integer"}},` +
		`"raw":{},"any":{},"number":{"type":"number"},` +
		`"bytes":{"type":"string","contentEncoding":"base64"},` +
		`"address":{"type":"string"},` +
		`"nullable":{"type":["string","null"],"enum":["x",null]},` +
		`"Untagged":{"type":"boolean"}},` +
		`"required":["inner","deep","file_path","pair","count","raw","number","address","Untagged"],"additionalProperties":false}`
	if string(got) != want {
		t.Errorf("\n got  %s\n want %s", got, want)
	}
	_ = everything{hidden: ""}.hidden
}

// What Of lets through, encoding/json decodes into the struct.
func TestOfAgreesWithTheDecoder(t *testing.T) {
	s := mustOf[everything](t)
	const data = `{"inner":"i","deep":1,"file_path":"p","line":3,"pair":[true,false],"count":9,"raw":{"a":[1]},` +
		`"number":12345678901234567890,"address":"::1","Untagged":true,"env":{"a":1},"bytes":"aGk=","nullable":null,"whole":{"deep":2}}`
	checkViolations(t, s.Validate([]byte(data)))
	d := json.NewDecoder(strings.NewReader(data))
	d.DisallowUnknownFields()
	var v everything
	v.Named = &Named{}
	if err := d.Decode(&v); err != nil {
		t.Fatal(err)
	}
	if v.Inner != "i" || v.Deep != 1 || *v.Line != 3 || v.Whole.Deep != 2 || string(v.Bytes) != "hi" {
		t.Errorf("got %+v", v)
	}
	checkViolations(t, s.Validate([]byte(strings.Replace(data, `"pair":[true,false]`, `"pair":[true],"nope":1`, 1))),
		`"pair" must have at least 2 items`,
		`unknown property "nope" (known: inner, shade, deep, whole, file_path, line, mode, level, ratio, flags, pair, count, env, raw, any, number, bytes, address, nullable, Untagged)`)
}

type taggedEmbedding struct {
	Named `json:"named"`
	Other int `json:"other"`
}

type shadowing struct {
	embedded
	Inner int `json:"Inner"`
	Shade int `json:"colour"`
}

func TestOfEmbedding(t *testing.T) {
	for _, c := range []struct {
		schema *Schema
		want   string
	}{
		{mustOf[taggedEmbedding](t), `{"type":"object","properties":{"named":{"type":"object","properties":{"deep":{"type":"integer"}},"required":["deep"],"additionalProperties":false},"other":{"type":"integer"}},"required":["named","other"],"additionalProperties":false}`},
		{mustOf[shadowing](t), `{"type":"object","properties":{"inner":{"type":"string"},"shade":{"type":"string"},"Inner":{"type":"integer"},"colour":{"type":"integer"}},"required":["inner","Inner","colour"],"additionalProperties":false}`},
		{mustOf[*struct{}](t), `{"type":"object","properties":{},"additionalProperties":false}`},
	} {
		got, err := c.schema.MarshalJSON()
		if err != nil || string(got) != c.want {
			t.Errorf("\n got  %s\n want %s\n %v", got, c.want, err)
		}
	}
}

type recursive struct {
	Next []recursive `json:"next"`
}

func TestOfRefuses(t *testing.T) {
	for _, c := range []struct {
		of   func() (*Schema, error)
		want string
	}{
		{Of[int], "is no struct"},
		{Of[map[string]int], "is no struct"},
		{Of[recursive], "contains itself"},
		{Of[struct{ A chan int }], "field A of struct { A chan int }: chan int has no JSON schema"},
		{Of[struct{ A func() }], "has no JSON schema"},
		{Of[struct{ A complex128 }], "has no JSON schema"},
		{Of[struct{ A error }], "has no JSON schema"},
		{Of[struct{ A []chan int }], "has no JSON schema"},
		{Of[struct{ A map[string]chan int }], "has no JSON schema"},
		{Of[struct{ A map[int]string }], "has keys that are no strings"},
		{Of[struct{ A time.Time }], "decodes itself"},
		{Of[struct {
			A int `json:"a,string"`
		}], "the json option string has no schema"},
		{Of[struct {
			X int
			Y int `json:"X"`
		}], `the name "X" is taken twice`},
		{Of[struct {
			A int `enum:"a"`
		}], "the tag enum"},
		{Of[struct {
			A int `enum:"1.5"`
		}], `the tag enum: 1.5 is not of type "integer"`},
		{Of[struct {
			A bool `min:"1"`
		}], `the tag min does not go with type "boolean"`},
		{Of[struct {
			A int `min:"x"`
		}], "the tag min"},
		{Of[struct {
			A int `min:"true"`
		}], `the tag min: "true" is no number`},
		{Of[struct {
			A string `minLength:"-1"`
		}], "the tag minLength"},
		{Of[struct {
			A string `pattern:"("`
		}], "the tag pattern"},
		{Of[struct {
			A []int `uniqueItems:"x"`
		}], "the tag uniqueItems"},
		{Of[struct {
			A int `nullable:"x"`
		}], "the tag nullable"},
		{Of[struct {
			A int `default:"1.5"`
		}], "the tag default: it breaks the schema of its field"},
		{Of[struct {
			A int `default:"{"`
		}], "the tag default"},
		{Of[struct {
			A string `enum:"a,b" default:"c"`
		}], `must be one of ["a","b"]`},
	} {
		s, err := c.of()
		if s != nil || err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("got %v, %v, want %s", s, err, c.want)
		}
	}
}
