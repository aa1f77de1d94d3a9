package workspace

import "strings"

// windowsPath returns the plain spelling of a Windows path: backslashes, an
// upper-case drive letter, no \\?\ prefix, one name for WSL's server. It is
// pure text and works on any system (field report 19). Other texts are
// returned with backslashes and otherwise unchanged.
func windowsPath(path string) string {
	p := strings.ReplaceAll(path, "/", `\`)
	switch {
	case hasPrefixFold(p, `\\?\UNC\`):
		p = `\\` + p[len(`\\?\UNC\`):]
	case strings.HasPrefix(p, `\\?\`), strings.HasPrefix(p, `\??\`):
		p = p[len(`\\?\`):]
	case len(p) > 3 && p[0] == '\\' && isDrive(p[1:]) && p[3] == '\\':
		p = p[1:] // from a URI: /c:/x
	}
	if isDrive(p) {
		p = strings.ToUpper(p[:1]) + p[1:]
	}
	for _, server := range []string{`\\wsl$\`, `\\wsl.localhost\`} {
		if hasPrefixFold(p, server) {
			return `\\wsl.localhost\` + p[len(server):]
		}
	}
	return p
}

// windowsKey returns what all spellings of a Windows path have in common: it
// is for comparing, never for showing. Names under WSL's server are those of
// Linux, where case counts.
func windowsKey(path string) string {
	p := strings.TrimRight(windowsPath(path), `\`)
	const wsl = `\\wsl.localhost\`
	if !strings.HasPrefix(p, wsl) {
		return strings.ToLower(p)
	}
	distro, rest, found := strings.Cut(p[len(wsl):], `\`)
	key := wsl + strings.ToLower(distro)
	if found {
		key += `\` + rest
	}
	return key
}

// isWindowsAbs reports whether path is spelled as an absolute path of
// Windows: a drive and a separator, or a server.
func isWindowsAbs(path string) bool {
	if strings.HasPrefix(path, `\\`) {
		return true
	}
	return isDrive(path) && len(path) > 2 && (path[2] == '\\' || path[2] == '/')
}

// fromWSL returns the path inside the distribution for a \\wsl.localhost\
// path.
func fromWSL(path string) (string, bool) {
	rest, ok := strings.CutPrefix(windowsPath(path), `\\wsl.localhost\`)
	if !ok {
		return "", false
	}
	_, inner, _ := strings.Cut(rest, `\`)
	return "/" + strings.ReplaceAll(inner, `\`, "/"), true
}

// isDrive reports whether p begins with a drive such as C:.
func isDrive(p string) bool {
	return len(p) >= 2 && p[1] == ':' && ('a' <= p[0]|0x20 && p[0]|0x20 <= 'z')
}

func hasPrefixFold(s, prefix string) bool {
	return len(s) >= len(prefix) && strings.EqualFold(s[:len(prefix)], prefix)
}
