package schema

import (
	"encoding/json"
	"fmt"
	"slices"
	"unicode/utf8"
)

func (w *walker) text(s *Schema, v *value) {
	if s.MinLength == nil && s.MaxLength == nil && s.Pattern == nil {
		return
	}
	content := v.content()
	w.bounds(utf8.RuneCountInString(content), s.MinLength, s.MaxLength, "character")
	if s.Pattern != nil && !s.Pattern.matches(content) {
		w.report("must match the pattern " + s.Pattern.source)
	}
}

// bounds checks a count of things.
func (w *walker) bounds(n int, low, high *int, thing string) {
	if low != nil && n < *low {
		w.report("must have at least " + counted(*low, thing))
	}
	if high != nil && n > *high {
		w.report("must have at most " + counted(*high, thing))
	}
}

func counted(n int, thing string) string {
	switch {
	case n == 1:
		return "1 " + thing
	case thing == "property":
		return fmt.Sprintf("%d properties", n)
	default:
		return fmt.Sprintf("%d %ss", n, thing)
	}
}

func (w *walker) number(s *Schema, v *value) {
	n := parseDecimal(v.text)
	if !n.finite(v.text) {
		w.report("must be a finite number")
		return
	}
	bound := func(limit json.Number, broken func(order int) bool, rest string) {
		if limit != "" && broken(n.compare(parseDecimal(string(limit)))) {
			w.report(rest + string(limit))
		}
	}
	bound(s.Minimum, func(o int) bool { return o < 0 }, "must be at least ")
	bound(s.Maximum, func(o int) bool { return o > 0 }, "must be at most ")
	bound(s.ExclusiveMinimum, func(o int) bool { return o <= 0 }, "must be greater than ")
	bound(s.ExclusiveMaximum, func(o int) bool { return o >= 0 }, "must be less than ")
	if s.MultipleOf != "" && !n.multipleOf(parseDecimal(string(s.MultipleOf))) {
		w.report("must be a multiple of " + string(s.MultipleOf))
	}
}

func (w *walker) array(s *Schema, v *value) {
	w.bounds(len(v.list), s.MinItems, s.MaxItems, "item")
	if s.UniqueItems {
		w.unique(v)
	}
	for i := range v.list {
		item := s.Items
		if i < len(s.Prefix) {
			item = s.Prefix[i]
		}
		if item != nil {
			w.enter(nil, i)
			w.visit(item, &v.list[i])
			w.leave()
		}
	}
	if s.Contains != nil && !slices.ContainsFunc(v.list, func(item value) bool { return w.accepts(s.Contains, &item) }) {
		w.report("must have an item that its schema's contains accepts")
	}
}

// unique reports the first element that equals an earlier one as a JSON value.
func (w *walker) unique(v *value) {
	seen := make(map[string]int, len(v.list))
	for i := range v.list {
		key := string(appendCanonical(nil, &v.list[i]))
		if first, ok := seen[key]; ok {
			w.report(fmt.Sprintf("must have unique items, but item %d equals item %d", i, first))
			return
		}
		seen[key] = i
	}
}

func (w *walker) object(s *Schema, v *value) {
	w.bounds(len(v.list), s.MinProperties, s.MaxProperties, "property")
	for i := range s.Required {
		w.demand(v, &s.Required[i])
	}
	for i := range s.Properties {
		p := &s.Properties[i]
		if member := v.member(p.Name); member != nil {
			w.enter(&p.Name, 0)
			w.visit(p.Schema, member)
			w.leave()
		}
	}
	if s.Closed || s.Additional != nil || len(s.PatternProperties) > 0 || s.PropertyNames != nil {
		w.others(s, v)
	}
	w.dependencies(s, v)
}

// demand reports a member that is missing.
func (w *walker) demand(v *value, name *string) {
	if v.member(*name) != nil {
		return
	}
	w.enter(name, 0)
	path := w.where()
	w.add(path, "missing required property "+quote(path))
	w.leave()
}

// others checks what is asked of members beyond their own schema.
func (w *walker) others(s *Schema, v *value) {
	for i := range v.list {
		member := &v.list[i]
		w.enter(&member.key, 0)
		if s.PropertyNames != nil && !w.accepts(s.PropertyNames, &value{kind: textKind, text: member.key}) {
			w.report("has a name that its schema's propertyNames does not accept")
		}
		_, declared := s.Property(member.key)
		for _, p := range s.PatternProperties {
			if p.Pattern.matches(member.key) {
				declared = true
				w.visit(p.Schema, member)
			}
		}
		switch {
		case declared:
		case s.Closed:
			path := w.where()
			w.add(path, w.voice.unknown(quote(path), s))
		default:
			w.visit(s.Additional, member)
		}
		w.leave()
	}
}

func (w *walker) dependencies(s *Schema, v *value) {
	for i := range s.Dependencies {
		d := &s.Dependencies[i]
		if v.member(d.Name) == nil {
			continue
		}
		for j := range d.Required {
			w.demand(v, &d.Required[j])
		}
		w.visit(d.Schema, v)
	}
}

// combinations checks the keywords that combine schemas.
func (w *walker) combinations(s *Schema, v *value) {
	for _, branch := range s.AllOf {
		w.visit(branch, v)
	}
	if len(s.AnyOf) > 0 {
		if matched, closest := w.branches(s.AnyOf, v); matched == 0 {
			w.report("must match at least one anyOf branch (matched 0" + closest + ")")
		}
	}
	if len(s.OneOf) > 0 {
		if matched, closest := w.branches(s.OneOf, v); matched != 1 {
			w.report(fmt.Sprintf("must match exactly one oneOf branch (matched %d%s)", matched, closest))
		}
	}
	if s.Not != nil && w.accepts(s.Not, v) {
		w.report("is not allowed here")
	}
	if s.If == nil {
		return
	}
	if w.accepts(s.If, v) {
		w.visit(s.Then, v)
	} else {
		w.visit(s.Else, v)
	}
}

// branches counts the schemas that accept v. When none does, closest tells
// the faults in the one with the fewest.
func (w *walker) branches(list []*Schema, v *value) (matched int, closest string) {
	var best []Violation
	for _, s := range list {
		faults := w.faults(s, v)
		if len(faults) == 0 {
			matched++
		} else if best == nil || len(faults) < len(best) {
			best = faults
		}
	}
	if matched > 0 {
		return matched, ""
	}
	const most = 3
	return 0, ", closest: " + clipTo(Join(best[:min(len(best), most)]), 500)
}

func (w *walker) accepts(s *Schema, v *value) bool { return len(w.faults(s, v)) == 0 }

// faults checks v against s on the side.
func (w *walker) faults(s *Schema, v *value) []Violation {
	saved := w.violations
	w.violations = nil
	w.visit(s, v)
	faults := w.violations
	w.violations = saved
	return faults
}
