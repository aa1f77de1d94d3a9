//go:build unix

package workspace

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// dir is an open folder of a walk. Names in it are opened by one question to
// the system each, which follows no link and waits for no pipe or device.
type dir struct{ *os.File }

// openDir opens a real folder at or below top.
func openDir(path, top string) (dir, error) {
	f, err := openFolder(path, top, nil)
	if err != nil {
		return dir{}, err
	}
	defer closeQuietly(f)
	file, err := f.Open(".")
	return dir{file}, err
}

// enter opens the folder name in d; path is its real path.
func (d dir) enter(name, path string) (dir, error) {
	fd, err := d.openAt(name, unix.O_DIRECTORY)
	if err != nil {
		return dir{}, &fs.PathError{Op: "open", Path: path, Err: err}
	}
	return dir{os.NewFile(uintptr(fd), path)}, nil
}

// list returns the entries of d, as far as they can be read, in no order.
func (d dir) list() ([]fs.DirEntry, error) { return d.ReadDir(-1) }

// open opens the regular file name in d, and tells its size in bytes.
func (d dir) open(name string) (io.ReadCloser, int64, error) {
	fd, err := d.openAt(name, unix.O_NONBLOCK)
	if err != nil {
		return nil, 0, err
	}
	var stat unix.Stat_t
	err = retried(func() error { return unix.Fstat(fd, &stat) })
	if err == nil && stat.Mode&unix.S_IFMT != unix.S_IFREG {
		err = errMoved
	}
	if err != nil {
		return nil, 0, errors.Join(err, unix.Close(fd))
	}
	return descriptor(fd), stat.Size, nil
}

func (d dir) openAt(name string, flags int) (fd int, err error) {
	err = retried(func() error {
		fd, err = unix.Openat(int(d.Fd()), name, unix.O_RDONLY|unix.O_NOFOLLOW|unix.O_CLOEXEC|flags, 0)
		return err
	})
	return fd, err
}

// descriptor is an open regular file; an os.File would cost as much as a
// small file's reading.
type descriptor int

func (f descriptor) Read(b []byte) (n int, err error) {
	err = retried(func() error { n, err = unix.Read(int(f), b); return err })
	switch {
	case err != nil:
		return 0, err
	case n == 0 && len(b) > 0:
		return 0, io.EOF
	}
	return n, nil
}

func (f descriptor) Close() error { return unix.Close(int(f)) }

// retried calls f until no signal interrupts it.
func retried(f func() error) error {
	for {
		if err := f(); !errors.Is(err, syscall.EINTR) {
			return err
		}
	}
}
