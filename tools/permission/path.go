package permission

import (
	"path/filepath"
	"runtime"
	"strings"

	"github.com/bmatcuk/doublestar/v4"
)

// place is where a path leads: abs as asked, real with symlinks resolved, both
// absolute where that is known. What cannot be resolved is outside.
type place struct {
	abs, real string
	inside    bool
}

func (p *Policy) place(path string) place {
	if p.View == nil {
		return place{abs: path, real: path}
	}
	abs, err := p.View.Abs(path)
	if err != nil {
		return place{abs: path, real: path}
	}
	real, inside, err := p.View.Resolve(path)
	if err != nil {
		return place{abs: abs, real: abs}
	}
	return place{abs: abs, real: real, inside: inside}
}

// shown is a place in words for people: relative to the working folder when it
// is below it, and where a symlink really leads when that is outside.
func (p *Policy) shown(at place) string {
	shown := at.abs
	if p.View != nil {
		if rel, ok := below(p.View.Cwd(), at.abs); ok {
			shown = filepath.ToSlash(rel)
		}
	}
	if !at.inside && at.real != at.abs {
		shown += " (really " + at.real + ")"
	}
	return shown
}

// below returns path relative to dir when it is dir itself or below it; both
// absolute and clean.
func below(dir, path string) (rel string, ok bool) {
	rel, err := filepath.Rel(dir, path)
	if err != nil || rel == ".." || strings.HasPrefix(rel, ".."+string(filepath.Separator)) {
		return "", false
	}
	return rel, true
}

// pathMatcher is a path pattern in its absolute forms.
type pathMatcher []string

// matcher compiles a pattern, a path or glob. A relative one starts at each
// root.
func (p *Policy) matcher(pattern string) pathMatcher {
	m := p.absPatterns(pattern)
	for i := range m {
		m[i] = fold(m[i])
	}
	return m
}

// match reports whether the absolute path matches.
func (m pathMatcher) match(path string) bool {
	name := fold(filepath.ToSlash(path))
	for _, pattern := range m {
		if ok, err := doublestar.Match(pattern, name); err == nil && ok {
			return true
		}
	}
	return false
}

// absPatterns returns the absolute forms of a path pattern: with its fixed
// beginning as it is and with the symlinks of that resolved.
func (p *Policy) absPatterns(pattern string) []string {
	base, rest := doublestar.SplitPattern(pattern)
	if !strings.ContainsAny(pattern, `*?[{`) {
		base, rest = pattern, ""
	}
	base = unescapeGlob(base)
	var out []string
	for _, from := range p.patternBases(base) {
		for _, b := range []string{from, p.place(from).real} {
			full := escapeGlob(filepath.ToSlash(b))
			if rest != "" {
				full = strings.TrimSuffix(full, "/") + "/" + rest
			}
			out = appendNew(out, full)
		}
	}
	return out
}

// patternBases returns where the fixed beginning of a pattern lies.
func (p *Policy) patternBases(base string) []string {
	if p.View == nil || filepath.IsAbs(base) {
		return []string{filepath.Clean(base)}
	}
	if base == "~" || strings.HasPrefix(base, "~/") {
		abs, err := p.View.Abs(base)
		if err != nil {
			return nil
		}
		return []string{abs}
	}
	var out []string
	for _, root := range p.View.Roots() {
		out = append(out, filepath.Join(root, filepath.FromSlash(base)))
	}
	return out
}

// allowsPath reports whether an allow rule covers a file: by its real path,
// and a sensitive file only when the rule spells it out without wildcards.
func (p *Policy) allowsPath(r Rule, t touch) bool {
	if t.row == rowSensitive && hasWildcard(r.Pattern) {
		return false
	}
	return p.matcher(r.Pattern).match(t.place.real)
}

// fold removes the difference of case where file systems do not know it.
func fold(s string) string {
	if runtime.GOOS == "windows" || runtime.GOOS == "darwin" {
		return strings.ToLower(s)
	}
	return s
}

// globSpecial are the characters that mean something in a doublestar pattern.
const globSpecial = `*?[]{}\`

// escapeGlob makes a pattern that matches just s.
func escapeGlob(s string) string {
	var b strings.Builder
	for _, r := range s {
		if strings.ContainsRune(globSpecial, r) {
			b.WriteByte('\\')
		}
		b.WriteRune(r)
	}
	return b.String()
}

// unescapeGlob removes the backslashes that escapeGlob put in.
func unescapeGlob(s string) string {
	var b strings.Builder
	escaped := false
	for _, r := range s {
		if r == '\\' && !escaped {
			escaped = true
			continue
		}
		escaped = false
		b.WriteRune(r)
	}
	return b.String()
}

// hasWildcard reports whether a pattern can match more than one name.
func hasWildcard(pattern string) bool {
	escaped := false
	for _, r := range pattern {
		switch {
		case escaped:
			escaped = false
		case r == '\\':
			escaped = true
		case strings.ContainsRune("*?[{", r):
			return true
		}
	}
	return false
}

// slashed is a path as patterns spell it.
func slashed(path string) string { return filepath.ToSlash(path) }
