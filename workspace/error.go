package workspace

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"syscall"
)

// Error codes of file operations (tools.md §3.11).
const (
	FSNotFound         = "FS_NOT_FOUND"
	FSExists           = "FS_EXISTS"
	FSNotDirectory     = "FS_NOT_DIRECTORY"
	FSIsDirectory      = "FS_IS_DIRECTORY"
	FSNotText          = "FS_NOT_TEXT"
	FSNotRegular       = "FS_NOT_REGULAR_FILE"
	FSPermissionDenied = "FS_PERMISSION_DENIED"
	FSIOError          = "FS_IO_ERROR"
	FSTooLarge         = "FS_TOO_LARGE"
	FSStaleVersion     = "FS_STALE_VERSION"
	FSNotObserved      = "FS_NOT_OBSERVED"
	FSAmbiguousEdit    = "FS_AMBIGUOUS_EDIT"
	FSEditNotFound     = "FS_EDIT_NOT_FOUND"
	FSNotAllowed       = "FS_NOT_ALLOWED"
	FSOutsideRoots     = "FS_OUTSIDE_ROOTS"
	FSAborted          = "FS_ABORTED"
	// FSInvalidPath is the code of a text that cannot be a path here: empty,
	// with a NUL byte, a URL, a Windows path on another system.
	FSInvalidPath = "FS_INVALID_PATH"
)

// Error is a failed file operation: for the model a code, a message and what
// to do next.
type Error struct {
	Code    string
	Path    string
	Message string
	Hint    string
	Err     error
}

// Error returns message and hint, on one line unless the message shows text.
func (e *Error) Error() string {
	switch {
	case e.Hint == "":
		return e.Message
	case strings.HasSuffix(e.Message, "\n"):
		return e.Message + e.Hint
	}
	return e.Message + ". " + e.Hint
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// ErrorCode returns the code; the pipeline puts it into the result.
func (e *Error) ErrorCode() string { return e.Code }

// readAgain is the next step after every stale version.
const readAgain = "Read the file again and retry with its present text."

// errMoved is the failure of a path that changed its meaning between the
// check and the use.
var errMoved = errors.New("a folder or link in the path was replaced meanwhile")

// errLinks is the failure of a path with a cycle of symbolic links.
var errLinks = errors.New("too many symbolic links, probably a cycle")

// errorKinds are tried in order: the first that the cause is wins.
var errorKinds = []struct {
	is   error
	code string
	hint string
}{
	{context.Canceled, FSAborted, "Nothing was changed; ask again if it is still wanted."},
	{context.DeadlineExceeded, FSAborted, "Nothing was changed; ask again with more time."},
	{errMoved, FSOutsideRoots, "Look at the path again before you retry."},
	{errLinks, FSIOError, "Name the file itself, or repair the links."},
	{fs.ErrNotExist, FSNotFound, "Check the path, or list its folder."},
	{fs.ErrExist, FSExists, "Choose another path, or read the file and edit it."},
	{syscall.ENOTDIR, FSNotDirectory, "A part of the path is a file; check the path."},
	{syscall.EISDIR, FSIsDirectory, "Name a file in this folder, or list it."},
	{syscall.EROFS, FSPermissionDenied, "The file system is read-only; choose another place."},
	{fs.ErrPermission, FSPermissionDenied, "Ask the user to change the permissions, or choose another path."},
	{syscall.ENOSPC, FSIOError, "The disk is full; ask the user to free space, then retry."},
	{syscall.EDQUOT, FSIOError, "The disk quota is used up; ask the user to free space, then retry."},
	{syscall.ENAMETOOLONG, FSIOError, "Choose a shorter name."},
}

// wrap makes an *Error of a failed operation on path; verb says what could
// not be done ("read", "write"). An *Error stays as it is, nil stays nil.
func wrap(verb, path string, err error) error {
	if err == nil {
		return nil
	}
	var own *Error
	if errors.As(err, &own) {
		return own
	}
	e := &Error{Code: FSIOError, Path: path, Hint: "Retry once; if it fails again, tell the user.", Err: err}
	for _, kind := range errorKinds {
		if errors.Is(err, kind.is) {
			e.Code, e.Hint = kind.code, kind.hint
			break
		}
	}
	e.Message = fmt.Sprintf("cannot %s %s: %s", verb, path, reason(err))
	return e
}

// reason returns the innermost text of err, with the name of an errno.
func reason(err error) string {
	var errno syscall.Errno
	if errors.As(err, &errno) {
		if name := errnoName(errno); name != "" {
			return errno.Error() + " (" + name + ")"
		}
		return errno.Error()
	}
	var pathErr *fs.PathError
	if errors.As(err, &pathErr) {
		return pathErr.Err.Error()
	}
	return err.Error()
}

// notRegular is the error of a path that is no file with a text.
func notRegular(path string, mode fs.FileMode) error {
	if mode.IsDir() {
		return &Error{
			Code: FSIsDirectory, Path: path, Message: "path is a directory: " + path,
			Hint: "Name a file in it, or list it.", Err: syscall.EISDIR,
		}
	}
	return &Error{
		Code: FSNotRegular, Path: path, Message: fmt.Sprintf("%s is %s, not a regular file", path, kindName(mode)),
		Hint: "Only regular files can be read and written; use a command for anything else.",
	}
}

func kindName(mode fs.FileMode) string {
	switch {
	case mode&fs.ModeNamedPipe != 0:
		return "a named pipe"
	case mode&fs.ModeSocket != 0:
		return "a socket"
	case mode&fs.ModeDevice != 0:
		return "a device"
	case mode&fs.ModeSymlink != 0:
		return "a symbolic link"
	}
	return "a special file"
}

func tooLarge(path string, size, limit int64) error {
	return &Error{
		Code: FSTooLarge, Path: path,
		Message: fmt.Sprintf("%s has %d bytes, more than the %d that can be read whole", path, size, limit),
		Hint:    "Search in it, or print parts of it by a command.",
	}
}

func invalidPath(path, why, hint string) error {
	return &Error{Code: FSInvalidPath, Path: path, Message: fmt.Sprintf("%q is no path here: %s", path, why), Hint: hint}
}

// aborted is the error of an operation that ctx ended before it did anything.
func aborted(ctx context.Context, path string) error {
	cause := context.Cause(ctx)
	return &Error{
		Code: FSAborted, Path: path, Message: "cancelled, nothing was changed: " + cause.Error(),
		Hint: "Ask again if it is still wanted.", Err: cause,
	}
}
