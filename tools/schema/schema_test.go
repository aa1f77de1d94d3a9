package schema

import (
	"encoding/json"
	"testing"
)

func TestLiterals(t *testing.T) {
	l, err := NewLiteral([]byte(` {"b" : 1.50, "a" : "<" } `))
	if err != nil || l.IsZero() || l.String() != `{"b":1.50,"a":"<"}` {
		t.Errorf("got %s, %v", l, err)
	}
	if text, err := json.Marshal(l); err != nil || string(text) != `{"b":1.50,"a":"\u003c"}` {
		t.Errorf("got %s, %v", text, err)
	}
	var none Literal
	if text, err := none.MarshalJSON(); err != nil || string(text) != "null" || !none.IsZero() || none.String() != "" {
		t.Errorf("got %s, %v", text, err)
	}
	if l, err := NewLiteral([]byte(`{"a":1,"a":2}`)); err == nil || !l.IsZero() {
		t.Errorf("got %s, %v", l, err)
	}
	if got := StringLiteral("a\xff\"").String(); got != "\"a\uFFFD\\\"\"" {
		t.Errorf("got %s", got)
	}
}

func TestPatterns(t *testing.T) {
	p, err := NewPattern("^a|b$")
	if err != nil || p.String() != "^a|b$" || !p.matches("ax") || p.matches("xa") {
		t.Errorf("got %v, %v", p, err)
	}
	for _, source := range []string{"(?=a)", "(?<!a)b", `(a)\1`, "("} {
		if p, err := NewPattern(source); err == nil {
			t.Errorf("RE2 runs %s", p)
		}
	}
}

func TestLookups(t *testing.T) {
	s := mustParse(t, Draft07, `{"properties":{"a":{"type":"string"},"b":{}},"required":["b"]}`)
	if p, ok := s.Property("a"); !ok || p.Type != "string" || s.IsRequired("a") || !s.IsRequired("b") {
		t.Errorf("got %v, %t", p, ok)
	}
	if p, ok := s.Property("c"); ok || p != nil {
		t.Errorf("got %v", p)
	}
}
