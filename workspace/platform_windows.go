package workspace

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
)

// nonblock has no meaning here: opening a pipe by a file's path does not wait.
const nonblock = 0

// errnoName returns nothing: Windows error codes have no short symbols.
func errnoName(syscall.Errno) string { return "" }

// keepOwner does nothing: a new file inherits the owner from its folder.
func keepOwner(*os.File, fs.FileInfo) {}

// mayWrite leaves the question to the write itself, which asks here.
func mayWrite(string) error { return nil }

// isLink reports whether an entry is to be followed to its target. Junctions
// are irregular files to Go.
func isLink(mode fs.FileMode) bool { return mode&(fs.ModeSymlink|fs.ModeIrregular) != 0 }

// trueCase returns an existing path as the file system spells it.
func trueCase(path string) string {
	if real, err := filepath.EvalSymlinks(path); err == nil {
		return windowsPath(real)
	}
	return path
}

// samePath compares two real paths of equal length.
func samePath(a, b string) bool { return strings.EqualFold(a, b) }

// pathKey returns what all spellings of a real path have in common.
func pathKey(path string) string { return windowsKey(path) }
