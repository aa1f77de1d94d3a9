package schema

import (
	"bytes"
	"testing"
)

const rounds = 2000

// Emission is accepted by the dialect it was made for, comes back as the same
// text, and is the same each time.
func TestGeneratedSchemasRoundTrip(t *testing.T) {
	r := seeded(t)
	for i := range rounds {
		g := generator{Rand: r, args: i%2 == 0}
		s := g.root()
		text, err := s.MarshalJSON()
		if err != nil {
			t.Fatal(err)
		}
		dialect := Structured
		if g.args {
			dialect = Args
		}
		for _, d := range []Dialect{dialect, Draft07} {
			back, err := Parse(d, text)
			if err != nil {
				t.Fatalf("%s refuses %s: %v", d, text, err)
			}
			again, err := back.MarshalJSON()
			if err != nil || !bytes.Equal(text, again) {
				t.Fatalf("%s became %s, %v", text, again, err)
			}
		}
	}
}

func TestGeneratedValuesValidate(t *testing.T) {
	r := seeded(t)
	for i := range rounds {
		g := generator{Rand: r, args: i%2 == 0}
		s := g.root()
		data := g.value(s)
		if vs := s.Validate([]byte(data)); len(vs) > 0 {
			text, _ := s.MarshalJSON()
			t.Fatalf("%s refuses %s: %s", text, data, Join(vs))
		}
		if vs := ValidateStructuredValue(s, []byte(data)); len(vs) > 0 {
			t.Fatalf("a structured value is refused: %s", Join(vs))
		}
	}
}

func TestRemovingARequiredKeyFails(t *testing.T) {
	r := seeded(t)
	checked := 0
	for range rounds {
		g := generator{Rand: r, args: true}
		s := g.root()
		for _, name := range s.Required {
			data := g.members(s, &name)
			checkViolations(t, s.Validate([]byte(data)), "missing required property "+quote(pathOf(name)))
			checked++
		}
	}
	if checked == 0 {
		t.Error("no schema had a required key")
	}
}

// pathOf is the path of a member of the root.
func pathOf(name string) string {
	w := walker{voice: argumentVoice}
	w.enter(&name, 0)
	return w.where()
}

// tools.md §3.3.6: the validator is total, and a root that is no object is
// always refused.
func TestAnySchemaTakesAnyJSON(t *testing.T) {
	r := seeded(t)
	for i := range rounds {
		g := generator{Rand: r, args: i%2 == 0}
		s := g.root()
		data := []byte(g.json(0))
		vs := s.Validate(data)
		ValidateStructuredValue(s, data)
		if data[0] != '{' && len(vs) != 1 {
			t.Fatalf("%s: %d violations", data, len(vs))
		}
		filled, err := s.ApplyDefaults(data)
		if (err == nil) != (Lossless(data) == nil) || err == nil && !bytes.Equal(filled, data) {
			t.Fatalf("%s: %s, %v", data, filled, err)
		}
	}
}

// Whatever text a schema has, each dialect answers with a schema that can be
// emitted and used, or with violations.
func TestAnyTextForAnyDialect(t *testing.T) {
	r := seeded(t)
	for range rounds {
		g := generator{Rand: r, args: true}
		text := []byte(g.json(0))
		if g.coin() {
			text, _ = g.root().MarshalJSON()
			text[g.IntN(len(text))] = `{}[]",:019antul`[g.IntN(15)]
		}
		checkAnySchema(t, text, []byte(g.json(0)))
	}
}
