package schema

// StrictCompatible reports whether the strict function calling of every
// provider takes s as it is (seed 000 §3.2): an object whose properties are
// all required and whose objects are all closed, in the few keywords that all
// of them know. An optional property is never turned into a nullable one for
// it.
func StrictCompatible(s *Schema) bool {
	return s != nil && s.Type == "object" && strict(s, 0)
}

// strictKeywords are the keywords that all strict modes enforce or ignore.
var strictKeywords = named("type title description enum const properties required " +
	"additionalProperties items anyOf")

func strict(s *Schema, depth int) bool {
	const deepest = 5 // the lowest limit of a provider
	switch {
	case s == nil || depth > deepest || len(s.Annotations) > 0 || foreignToStrict(s):
		return false
	case s.Type == "object" && (!s.Closed || !allRequired(s)):
		return false
	case s.Type == "array" && s.Items == nil:
		return false
	case s.Type == "" && len(s.AnyOf) == 0:
		return false
	case len(s.OrTypes) > 1 || len(s.OrTypes) == 1 && s.OrTypes[0] != "null":
		return false
	}
	for _, p := range s.Properties {
		if !strict(p.Schema, depth+1) {
			return false
		}
	}
	for _, branch := range s.AnyOf {
		if !strict(branch, depth+1) {
			return false
		}
	}
	return s.Items == nil || strict(s.Items, depth+1)
}

// foreignToStrict reports whether s would emit any other keyword.
func foreignToStrict(s *Schema) bool {
	for _, k := range keywords {
		if _, ok := strictKeywords[k.name]; ok {
			continue
		}
		e := emitter{buf: []byte{'{'}, table: keywords}
		if k.write(&e, s); len(e.buf) > 1 {
			return true
		}
	}
	return false
}

func allRequired(s *Schema) bool {
	for _, p := range s.Properties {
		if !s.IsRequired(p.Name) {
			return false
		}
	}
	return true
}
