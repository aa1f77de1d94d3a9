package schema

// Member returns the text of a member of the JSON object data, compact, with
// numbers as they were written; ok is false when there is none, or data is no
// object. Unlike encoding/json it knows a name by its exact spelling.
func Member(data []byte, name string) (text []byte, ok bool) {
	v, err := decode(string(data), anyNumbers)
	if err != nil || v.kind != objectKind {
		return nil, false
	}
	member := v.member(name)
	if member == nil {
		return nil, false
	}
	return appendValue(nil, member), true
}

// Without returns the JSON object data, compact, without the member name;
// data itself when there is no such member.
func Without(data []byte, name string) []byte {
	v, err := decode(string(data), anyNumbers)
	if err != nil || v.kind != objectKind || v.member(name) == nil {
		return data
	}
	kept := v.list[:0]
	for _, member := range v.list {
		if member.key != name {
			kept = append(kept, member)
		}
	}
	v.list = kept
	return appendValue(make([]byte, 0, len(data)), &v)
}
