package workspace

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"syscall"
	"testing"
)

func TestWrap(t *testing.T) {
	tests := []struct {
		err        error
		code, says string
	}{
		{syscall.ENOENT, FSNotFound, "cannot read /f: "},
		{syscall.EEXIST, FSExists, "/f"},
		{syscall.ENOTDIR, FSNotDirectory, "/f"},
		{syscall.EISDIR, FSIsDirectory, "/f"},
		{syscall.EACCES, FSPermissionDenied, "/f"},
		{syscall.EPERM, FSPermissionDenied, "/f"},
		{syscall.EROFS, FSPermissionDenied, "read-only"},
		{syscall.ENOSPC, FSIOError, "free space"},
		{syscall.EDQUOT, FSIOError, "quota"},
		{syscall.EIO, FSIOError, "tell the user"},
		{syscall.ENAMETOOLONG, FSIOError, "shorter name"},
		{errMoved, FSOutsideRoots, "replaced"},
		{errLinks, FSIOError, "symbolic links"},
		{context.Canceled, FSAborted, "cancel"},
		{context.DeadlineExceeded, FSAborted, "deadline"},
		{errors.New("odd"), FSIOError, "odd"},
		{&os.PathError{Op: "openat", Path: "f", Err: errors.New("path escapes")}, FSIOError, ": path escapes."},
	}
	for _, test := range tests {
		for _, err := range []error{test.err, &os.PathError{Op: "open", Path: "f", Err: test.err}, fmt.Errorf("more: %w", test.err)} {
			got := wrap("read", "/f", err)
			wantCode(t, got, test.code)
			wantText(t, got, test.says)
			if !errors.Is(got, test.err) {
				t.Errorf("the cause %v is lost in %v", test.err, got)
			}
		}
	}
	if wrap("read", "/f", nil) != nil {
		t.Error("no error becomes one")
	}
	own := &Error{Code: FSTooLarge, Message: "m", Hint: "h"}
	if got := wrap("read", "/f", errors.Join(own, syscall.EIO)); got != own {
		t.Errorf("an error of ours becomes %v", got)
	}
}

func TestErrorText(t *testing.T) {
	for _, test := range []struct {
		e    Error
		want string
	}{
		{Error{Message: "bad"}, "bad"},
		{Error{Message: "bad", Hint: "Do."}, "bad. Do."},
		{Error{Message: "it is:\nx\n", Hint: "Do."}, "it is:\nx\nDo."},
	} {
		if got := test.e.Error(); got != test.want {
			t.Errorf("Error() = %q, want %q", got, test.want)
		}
	}
}

func TestKindNames(t *testing.T) {
	for mode, want := range map[fs.FileMode]string{
		fs.ModeNamedPipe: "a named pipe", fs.ModeSocket: "a socket", fs.ModeDevice: "a device",
		fs.ModeDevice | fs.ModeCharDevice: "a device", fs.ModeSymlink: "a symbolic link", fs.ModeIrregular: "a special file",
	} {
		wantText(t, notRegular("/f", mode), "/f is "+want)
	}
}
