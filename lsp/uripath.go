package lsp

import (
	"path/filepath"

	"go.lsp.dev/uri"
)

// filePath returns the real path of the file that a URI names, "" for what is
// no file: untitled:, git:, our own.
func filePath(u uri.URI) string {
	if !u.IsFile() || u.Path() == "" || u.Path() == "/" {
		return ""
	}
	return realPath(filepath.Clean(u.FsPath()))
}

// realPath resolves the links of a path as far as it exists.
func realPath(path string) string {
	if real, err := filepath.EvalSymlinks(path); err == nil {
		return real
	}
	dir := filepath.Dir(path)
	if dir == path {
		return path
	}
	return filepath.Join(realPath(dir), filepath.Base(path))
}

// fileURI returns the URI of a path.
func fileURI(path string) uri.URI { return uri.File(path) }
