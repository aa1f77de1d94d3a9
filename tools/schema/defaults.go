package schema

import "slices"

// ApplyDefaults puts the defaults of s into the objects of data whose members
// are absent, for the tools that ask for it (tools.md §1.1.4b); null is not
// absent. It looks into properties, items and allOf, and into the first
// branch of an anyOf or oneOf that accepts the value. Text without a missing
// member comes back as it is, else compact, with the new members at the end
// in the order of the schema. The error, a *SyntaxError, means that data is
// not lossless JSON.
func (s *Schema) ApplyDefaults(data []byte) ([]byte, error) {
	v, err := decode(string(data), 0)
	if err != nil {
		return nil, err
	}
	f := filler{budget: budgetFor(data)}
	f.w = walker{voice: argumentVoice, budget: f.budget}
	f.fill(s, &v)
	if !f.filled {
		return slices.Clone(data), nil
	}
	return appendValue(make([]byte, 0, len(data)), &v), nil
}

// filler inserts defaults.
type filler struct {
	w      walker // judges branches
	budget int    // visits left
	depth  int
	filled bool
}

func (f *filler) fill(s *Schema, v *value) {
	f.budget--
	if s == nil || f.budget < 0 || f.depth > maxNesting {
		return
	}
	f.depth++
	defer func() { f.depth-- }()

	f.fill(s.target, v)
	switch v.kind {
	case objectKind:
		f.object(s, v)
	case arrayKind:
		for i := range v.list {
			f.fill(s.Items, &v.list[i])
		}
	}
	for _, branch := range s.AllOf {
		f.fill(branch, v)
	}
	f.branch(s.AnyOf, v)
	f.branch(s.OneOf, v)
}

func (f *filler) object(s *Schema, v *value) {
	for i := range s.Properties {
		p := &s.Properties[i]
		if member := v.member(p.Name); member != nil {
			f.fill(p.Schema, member)
			continue
		}
		if p.Schema == nil || !p.Schema.Default.set {
			continue
		}
		member := p.Schema.Default.value
		member.key = p.Name
		v.list = append(v.list, member)
		f.filled = true
	}
}

func (f *filler) branch(list []*Schema, v *value) {
	for _, s := range list {
		if f.w.accepts(s, v) {
			f.fill(s, v)
			return
		}
	}
}
