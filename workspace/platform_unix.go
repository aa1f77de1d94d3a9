//go:build unix

package workspace

import (
	"io/fs"
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// nonblock keeps the opening of a FIFO or device from waiting for a peer.
const nonblock = syscall.O_NONBLOCK

// errnoName returns the symbol of an errno, such as EACCES.
func errnoName(e syscall.Errno) string { return unix.ErrnoName(e) }

// keepOwner gives f the owner of the file that it will replace, as far as
// the process may.
func keepOwner(f *os.File, old fs.FileInfo) {
	stat, ok := old.Sys().(*syscall.Stat_t)
	if !ok {
		return
	}
	now, err := f.Stat()
	if err != nil {
		return
	}
	if mine, ok := now.Sys().(*syscall.Stat_t); ok && mine.Uid == stat.Uid && mine.Gid == stat.Gid {
		return
	}
	// Not being allowed to is the normal case for another user's file.
	_ = f.Chown(int(stat.Uid), int(stat.Gid))
}

// mayWrite reports whether the process may write to the existing file; a
// rename over it would not ask.
func mayWrite(path string) error { return unix.Access(path, unix.W_OK) }

// isLink reports whether an entry is to be followed to its target.
func isLink(mode fs.FileMode) bool { return mode&fs.ModeSymlink != 0 }

// trueCase returns an existing path as the file system spells it.
func trueCase(path string) string { return path }

// samePath compares two real paths of equal length.
func samePath(a, b string) bool { return a == b }

// pathKey returns what all spellings of a real path have in common. Where a
// file system ignores case, two spellings are two files to the queue and to
// what was seen; then hashes alone keep their writes apart.
func pathKey(path string) string { return path }
