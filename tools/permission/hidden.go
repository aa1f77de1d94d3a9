package permission

import "github.com/agent-ls/agent-ls/tools"

// Hider returns a function that reports whether a file found below a folder
// that may be read, given by its real path, has to be asked for by its own
// path: it is sensitive, or a rule denies reading it. The rules are those of
// this moment, so a call takes a Hider for itself.
func (p *Policy) Hider() func(real string) bool {
	rules, _ := p.rules() // sensitive files stay hidden when the grants are unknown
	var denied, allowed []pathMatcher
	for _, r := range rules {
		switch {
		case r.Kind != tools.AccessRead:
		case r.Effect == EffectDeny:
			denied = append(denied, p.matcher(r.Pattern))
		case r.Effect == EffectAllow && !hasWildcard(r.Pattern):
			allowed = append(allowed, p.matcher(r.Pattern))
		}
	}
	kind := p.mode().answer(rowSensitive)
	return func(real string) bool {
		switch {
		case matchesAny(denied, real):
			return true
		case kind == tools.Allow || !p.sensitive(tools.AccessRead, place{abs: real, real: real, inside: true}):
			return false
		}
		return kind == tools.Deny || !matchesAny(allowed, real)
	}
}

func matchesAny(list []pathMatcher, path string) bool {
	for _, m := range list {
		if m.match(path) {
			return true
		}
	}
	return false
}
