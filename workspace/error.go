package workspace

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
	FSOutsideRoots     = "FS_OUTSIDE_ROOTS"
	FSAborted          = "FS_ABORTED"
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

// Error returns message and hint on one line.
func (e *Error) Error() string {
	if e.Hint == "" {
		return e.Message
	}
	return e.Message + ". " + e.Hint
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// ErrorCode returns the code; the pipeline puts it into the result.
func (e *Error) ErrorCode() string { return e.Code }
