package workspace

import (
	"net/url"
	"path/filepath"
	"runtime"
	"strings"
)

// Abs resolves a path as a tool got it (relative, ~, file: URI, Windows
// spellings, leading @) to an absolute one. It does not touch the disk, so
// that .. is taken away as text, before links are followed. Errors have the
// code FS_INVALID_PATH.
func (v *View) Abs(path string) (string, error) {
	return absolute(path, v.cwd, v.w.home)
}

func absolute(path, cwd, home string) (string, error) {
	p := strings.TrimPrefix(path, "@")
	if hasPrefixFold(p, "file:") {
		decoded, err := fromURI(p)
		if err != nil {
			return "", err
		}
		p = decoded
	}
	switch {
	case p == "":
		return "", invalidPath(path, "it is empty", "Give the path of a file.")
	case strings.ContainsRune(p, 0):
		return "", invalidPath(path, "it contains a NUL byte", "Give the path without it.")
	case isURL(p):
		return "", invalidPath(path, "it is a URL", "Fetch it with a network tool, or give the path of a file.")
	}
	p, err := native(p)
	if err != nil {
		return "", err
	}
	if p, err = expandHome(p, home); err != nil {
		return "", err
	}
	if filepath.IsAbs(p) {
		return filepath.Clean(p), nil
	}
	if cwd == "" {
		return "", invalidPath(path, "it is relative and there is no working folder", "Give an absolute path.")
	}
	return filepath.Join(cwd, p), nil
}

// native turns a spelling of Windows into one of this system.
func native(p string) (string, error) {
	if runtime.GOOS == "windows" {
		p = windowsPath(p)
		if strings.ContainsRune(p[len(filepath.VolumeName(p)):], ':') {
			return "", invalidPath(p, "it names a stream of a file", "Give the path of a file without a colon.")
		}
		return p, nil
	}
	if !isWindowsAbs(p) {
		return p, nil
	}
	if inner, ok := fromWSL(p); ok {
		return inner, nil
	}
	return "", invalidPath(p, "it is a Windows path and this system is "+runtime.GOOS, "Give the path as this system spells it.")
}

// expandHome replaces a leading ~ that stands alone or before a separator.
func expandHome(p, home string) (string, error) {
	if p[0] != '~' || len(p) > 1 && p[1] != '/' && p[1] != filepath.Separator {
		return p, nil
	}
	if home == "" {
		return "", invalidPath(p, "the home folder is not known", "Give an absolute path.")
	}
	return filepath.Join(home, p[1:]), nil
}

// fromURI returns the path of a file: URI, its fragment and query dropped.
func fromURI(uri string) (string, error) {
	rest := uri[len("file:"):]
	if i := strings.IndexAny(rest, "#?"); i >= 0 {
		rest = rest[:i]
	}
	host := ""
	if after, ok := strings.CutPrefix(rest, "//"); ok {
		i := strings.IndexByte(after, '/')
		if i < 0 {
			return "", invalidPath(uri, "the URI has no path", "Give file:// and an absolute path.")
		}
		host, rest = after[:i], after[i:]
	}
	p, err := url.PathUnescape(rest)
	if err != nil {
		return "", invalidPath(uri, "the URI has a broken % sequence", "Give the path itself.")
	}
	if host == "" || strings.EqualFold(host, "localhost") {
		if len(p) > 2 && isDrive(p[1:]) {
			p = p[1:]
		}
		return p, nil
	}
	if host, err = url.PathUnescape(host); err != nil {
		return "", invalidPath(uri, "the URI has a broken % sequence", "Give the path itself.")
	}
	if isDrive(host) { // file://c:/x, a common misspelling
		return host + p, nil
	}
	return `\\` + host + strings.ReplaceAll(p, "/", `\`), nil
}

// isURL reports whether p begins with a scheme and //. One letter is a drive.
func isURL(p string) bool {
	scheme, _, found := strings.Cut(p, "://")
	if !found || len(scheme) < 2 {
		return false
	}
	for _, c := range scheme {
		if (c < 'a' || c > 'z') && (c < 'A' || c > 'Z') && (c < '0' || c > '9') && c != '+' && c != '-' && c != '.' {
			return false
		}
	}
	return true
}
