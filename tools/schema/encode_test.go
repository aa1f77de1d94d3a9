package schema

import (
	"encoding/json"
	"testing"
)

func TestCanonical(t *testing.T) {
	for _, c := range []struct{ in, want string }{
		{`{"b":1,"a":{"d":2,"c":[{"y":1,"x":2}]}}`, `{"a":{"c":[{"x":2,"y":1}],"d":2},"b":1}`},
		{` { "a" : [ 1.0 , 1e2, 0.50 ] } `, `{"a":[1,100,0.5]}`},
		{`"\u0041\/<>&"`, `"A/<>&"`},
		{`"\u0000\u001f\b\f\n\r\t\"\\"`, `"\u0000\u001f\b\f\n\r\t\"\\"`},
		{`[true,false,null]`, `[true,false,null]`},
		{`-0`, `0`},
		{`{"a":1,`, `{"a":1,`},
		{`not json`, `not json`},
	} {
		if got := string(Canonical([]byte(c.in))); got != c.want {
			t.Errorf("Canonical(%s) = %s, want %s", c.in, got, c.want)
		}
	}
}

func TestCanonicalLeavesItsInputAlone(t *testing.T) {
	in := []byte("oops")
	Canonical(in)[0] = 'x'
	if string(in) != "oops" {
		t.Fatal("the result shares memory with the input")
	}
}

func TestAppendStringIsJSON(t *testing.T) {
	for _, s := range []string{"", "a", "é😀\u2028", "\x00\x1f\x7f", "a\xffb\xc3", "\\\"", "</script>"} {
		var back string
		if err := json.Unmarshal(appendString(nil, s), &back); err != nil {
			t.Errorf("%q: %v", s, err)
		}
		if want := string([]rune(s)); back != want {
			t.Errorf("%q came back as %q", s, back)
		}
	}
}

func TestClipNeverCutsACodePoint(t *testing.T) {
	for most := range 12 {
		got := clipTo("aé😀日本語", most)
		if !json.Valid(appendString(nil, got)) || len(got) > most+len("…") {
			t.Errorf("clipTo(%d) = %q", most, got)
		}
	}
}
