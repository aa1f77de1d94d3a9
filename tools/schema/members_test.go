package schema

import "testing"

func TestMemberAndWithout(t *testing.T) {
	for _, c := range []struct{ data, name, text, rest string }{
		{`{"a" : [1.0, "<"], "A":2}`, "a", `[1.0,"<"]`, `{"A":2}`},
		{`{"a":null}`, "a", `null`, `{}`},
		{`{"A":1, "b":2}`, "a", ``, `{"A":1, "b":2}`},
		{`["a"]`, "a", ``, `["a"]`},
		{`{"a":1`, "a", ``, `{"a":1`},
		{`{"":{"":0}}`, "", `{"":0}`, `{}`},
	} {
		text, ok := Member([]byte(c.data), c.name)
		if string(text) != c.text || ok != (c.text != "") {
			t.Errorf("Member(%s, %q) = %s, %t", c.data, c.name, text, ok)
		}
		if rest := Without([]byte(c.data), c.name); string(rest) != c.rest {
			t.Errorf("Without(%s, %q) = %s", c.data, c.name, rest)
		}
	}
}
