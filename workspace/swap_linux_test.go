package workspace

import "golang.org/x/sys/unix"

// exchange makes two paths change their meaning in one moment.
func exchange(a, b string) error {
	return unix.Renameat2(unix.AT_FDCWD, a, unix.AT_FDCWD, b, unix.RENAME_EXCHANGE)
}
