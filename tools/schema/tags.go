package schema

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strconv"
	"strings"
)

// tag ties a struct tag to the constraint it sets.
type tag struct {
	name string
	// on are the types it makes sense for, 0 all. element lets it apply to
	// the elements of an array instead.
	on      kinds
	element bool
	apply   func(s *Schema, text string) error
}

// tags in the order in which they apply: default last, as it is checked
// against the rest.
var tags = []tag{
	{"desc", 0, false, func(s *Schema, text string) error { s.Description = text; return nil }},
	{"nullable", 0, false, applyNullable},
	{"enum", onScalar, true, applyEnum},
	{"pattern", onString, true, applyPattern},
	{"minLength", onString, true, countTag(func(s *Schema) **int { return &s.MinLength })},
	{"maxLength", onString, true, countTag(func(s *Schema) **int { return &s.MaxLength })},
	{"min", onNumeric, true, numberTag(func(s *Schema) *json.Number { return &s.Minimum })},
	{"max", onNumeric, true, numberTag(func(s *Schema) *json.Number { return &s.Maximum })},
	{"minItems", onArray, false, countTag(func(s *Schema) **int { return &s.MinItems })},
	{"maxItems", onArray, false, countTag(func(s *Schema) **int { return &s.MaxItems })},
	{"uniqueItems", onArray, false, applyUnique},
	{"default", 0, false, applyDefault},
}

// applyTags sets the constraints that the tags of a field ask for.
func applyTags(s *Schema, source reflect.StructTag) error {
	for _, t := range tags {
		text, ok := source.Lookup(t.name)
		if !ok {
			continue
		}
		target := s
		if t.element && s.Type == "array" {
			target = s.Items
		}
		if t.on != 0 && t.on&typeKinds[target.Type] == 0 {
			return fmt.Errorf("the tag %s does not go with type %q", t.name, target.Type)
		}
		if err := t.apply(target, text); err != nil {
			return fmt.Errorf("the tag %s: %w", t.name, err)
		}
	}
	return nil
}

func countTag(field func(*Schema) **int) func(*Schema, string) error {
	return func(s *Schema, text string) error {
		n, err := strconv.ParseUint(text, 10, 31)
		if err != nil {
			return err
		}
		*field(s) = new(int(n))
		return nil
	}
}

func numberTag(field func(*Schema) *json.Number) func(*Schema, string) error {
	return func(s *Schema, text string) error {
		l, err := NewLiteral([]byte(text))
		if err != nil {
			return err
		}
		if l.value.kind != numberKind {
			return fmt.Errorf("%q is no number", text)
		}
		*field(s) = json.Number(l.value.text)
		return nil
	}
}

func applyNullable(s *Schema, text string) error {
	on, err := strconv.ParseBool(text)
	if on && s.Type != "" {
		s.OrTypes = []string{"null"}
	}
	return err
}

func applyUnique(s *Schema, text string) error {
	on, err := strconv.ParseBool(text)
	s.UniqueItems = on
	return err
}

func applyPattern(s *Schema, text string) error {
	p, err := NewPattern(text)
	s.Pattern = p
	return err
}

func applyEnum(s *Schema, text string) error {
	for part := range strings.SplitSeq(text, ",") {
		l, err := tagLiteral(s, part)
		if err != nil {
			return err
		}
		if !s.allowsType(&l.value) {
			return fmt.Errorf("%s is not of type %q", part, s.Type)
		}
		s.Enum = append(s.Enum, l)
	}
	if len(s.OrTypes) > 0 {
		s.Enum = append(s.Enum, Literal{set: true, value: value{kind: nullKind}})
	}
	return nil
}

func applyDefault(s *Schema, text string) error {
	l, err := tagLiteral(s, text)
	if err != nil {
		return err
	}
	w := walker{voice: structuredVoice, budget: budgetFor([]byte(text))}
	if w.visit(s, &l.value); len(w.violations) > 0 {
		return fmt.Errorf("it breaks the schema of its field: %s", Join(w.violations))
	}
	s.Default = l
	return nil
}

// tagLiteral reads the text of a string as it is, of all else as JSON.
func tagLiteral(s *Schema, text string) (Literal, error) {
	if s.Type == "string" {
		return StringLiteral(text), nil
	}
	return NewLiteral([]byte(text))
}
