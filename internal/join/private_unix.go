//go:build unix

package join

import (
	"io/fs"
	"os"
	"syscall"
)

// owned reports whether a folder is the user's and closed to others.
func owned(info fs.FileInfo) bool {
	stat, ok := info.Sys().(*syscall.Stat_t)
	return ok && int(stat.Uid) == os.Getuid() && info.Mode().Perm()&0o077 == 0
}
