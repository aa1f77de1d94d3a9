package schema

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"
)

// generator makes random schemas of the Args and Structured dialects, and
// values for them.
type generator struct {
	*rand.Rand
	// args adds what only Args has.
	args bool
}

func (g generator) coin() bool { return g.IntN(2) == 0 }

func (g generator) word() string {
	words := []string{"a", "b", "file_path", "é", "😀", "with space", "toString", `q"uote`, "", "<&>", "a.b", "line\n"}
	return words[g.IntN(len(words))]
}

// root is an object schema.
func (g generator) root() *Schema { return g.object(0) }

func (g generator) schema(depth int) *Schema {
	kinds := 6
	if depth > 3 {
		kinds = 4
	}
	var s *Schema
	switch g.IntN(kinds) {
	case 0:
		s = g.stringSchema()
	case 1:
		s = g.numberSchema("number")
	case 2:
		s = g.numberSchema("integer")
	case 3:
		s = &Schema{Type: "boolean"}
	case 4:
		s = g.array(depth)
	default:
		s = g.object(depth)
	}
	if g.coin() {
		s.Description = g.word()
	}
	return s
}

func (g generator) stringSchema() *Schema {
	s := &Schema{Type: "string"}
	if g.coin() {
		s.Enum = []Literal{StringLiteral(g.word()), StringLiteral(g.word())}
	} else if g.args {
		low := g.IntN(4)
		s.MinLength, s.MaxLength = new(low), new(low+g.IntN(4))
		if g.coin() {
			s.Pattern, _ = NewPattern("^[é😀x]*$")
		}
	}
	return s
}

func (g generator) numberSchema(name string) *Schema {
	s := &Schema{Type: name}
	if g.coin() {
		for range 1 + g.IntN(3) {
			l, _ := NewLiteral([]byte(strconv.Itoa(g.IntN(9)) + ".0"))
			s.Enum = append(s.Enum, l)
		}
	} else if g.args {
		low := g.IntN(100) - 50
		s.Minimum = json.Number(strconv.Itoa(low))
		s.Maximum = json.Number(strconv.Itoa(low+g.IntN(5)) + ".0")
	}
	return s
}

func (g generator) array(depth int) *Schema {
	s := &Schema{Type: "array", Items: g.schema(depth + 1)}
	if g.args {
		low := g.IntN(3)
		s.MinItems, s.MaxItems = new(low), new(low+g.IntN(3))
	}
	return s
}

func (g generator) object(depth int) *Schema {
	s := &Schema{Type: "object"}
	for range g.IntN(5) {
		name := g.word()
		if _, taken := s.Property(name); taken {
			continue
		}
		s.Properties = append(s.Properties, Property{name, g.schema(depth + 1)})
		if g.coin() {
			s.Required = append(s.Required, name)
		}
	}
	switch g.IntN(3) {
	case 0:
		s.Closed = true
	case 1:
		s.Open = true
	}
	return s
}

// value makes a text that s accepts.
func (g generator) value(s *Schema) string {
	if len(s.Enum) > 0 {
		return s.Enum[g.IntN(len(s.Enum))].String()
	}
	switch s.Type {
	case "string":
		if s.MinLength == nil {
			return quote(g.word())
		}
		n := *s.MinLength + g.IntN(*s.MaxLength-*s.MinLength+1)
		return quote(strings.Repeat([]string{"é", "😀", "x"}[g.IntN(3)], n))
	case "boolean":
		return strconv.FormatBool(g.coin())
	case "number", "integer":
		if s.Minimum == "" {
			return strconv.Itoa(g.IntN(1000)) + []string{"", ".0", "e3"}[g.IntN(3)]
		}
		return string(s.Minimum)
	case "array":
		n := g.IntN(4)
		if s.MinItems != nil {
			n = *s.MinItems + g.IntN(*s.MaxItems-*s.MinItems+1)
		}
		items := make([]string, n)
		for i := range items {
			items[i] = g.value(s.Items)
		}
		return "[" + strings.Join(items, ",") + "]"
	default:
		return g.members(s, nil)
	}
}

// members makes an object that s accepts but for the member left out by without.
func (g generator) members(s *Schema, without *string) string {
	var list []string
	for _, p := range s.Properties {
		if without != nil && p.Name == *without || !s.IsRequired(p.Name) && g.coin() {
			continue
		}
		list = append(list, quote(p.Name)+":"+g.value(p.Schema))
	}
	if !s.Closed && g.coin() {
		list = append(list, fmt.Sprintf(`"undeclared":%d`, g.IntN(9)))
	}
	g.Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
	return "{" + strings.Join(list, ",") + "}"
}

// json makes any JSON text; now and then it is not lossless.
func (g generator) json(depth int) string {
	kinds := 8
	if depth > 3 {
		kinds = 6
	}
	switch g.IntN(kinds) {
	case 0:
		return "null"
	case 1:
		return strconv.FormatBool(g.coin())
	case 2, 3:
		return quote(g.word())
	case 4:
		return []string{"0", "-1", "1.5", "1e400", "-0", "1e-400", "9007199254740993", "2.0"}[g.IntN(8)]
	case 5:
		return strconv.Itoa(g.IntN(100))
	case 6:
		var list []string
		for range g.IntN(4) {
			list = append(list, g.json(depth+1))
		}
		return "[" + strings.Join(list, ",") + "]"
	default:
		var list []string
		for range g.IntN(4) {
			list = append(list, quote(g.word())+":"+g.json(depth+1))
		}
		return "{" + strings.Join(list, ",") + "}"
	}
}
