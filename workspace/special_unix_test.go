//go:build unix

package workspace

import (
	"net"
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

// makeSpecialFiles makes a FIFO that nobody writes to and a socket.
func makeSpecialFiles(t *testing.T, f *fixture) {
	t.Helper()
	must(t, syscall.Mkfifo(f.path("fifo"), 0o666))
	short, err := os.MkdirTemp("", "s") // names of sockets are short
	must(t, err)
	t.Cleanup(func() { _ = os.RemoveAll(short) })
	l, err := net.Listen("unix", filepath.Join(short, "s"))
	must(t, err)
	t.Cleanup(func() { _ = l.Close() })
	must(t, os.Rename(filepath.Join(short, "s"), f.path("socket")))
}

// setUmask sets the umask of the process until the test ends.
func setUmask(t *testing.T, mask int) {
	t.Helper()
	old := syscall.Umask(mask)
	t.Cleanup(func() { syscall.Umask(old) })
}

// ownerOf returns the user id of the owner of a file.
func ownerOf(t *testing.T, path string) int {
	t.Helper()
	info, err := os.Stat(path)
	must(t, err)
	return int(info.Sys().(*syscall.Stat_t).Uid)
}
