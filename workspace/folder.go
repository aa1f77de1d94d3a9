package workspace

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
)

// folder is an open directory. What is done to names in it cannot be led
// elsewhere by exchanging a folder of its path for a link.
type folder struct {
	*os.Root
	path string // real, for messages
}

// openParent opens the folder that holds the file at p. Inside the roots
// every element below the root must be a plain folder, as it is in a real
// path: one that became a link meanwhile is errMoved.
func (p place) openParent() (*folder, error) {
	return openFolder(filepath.Dir(p.real), p.root, nil)
}

// openFolder opens dir, a real path, from its root ("" outside the roots).
// Missing folders are made when made is not nil, which gets their paths,
// parents first.
func openFolder(dir, root string, made *[]string) (*folder, error) {
	base := dir
	if root != "" && within(root, dir) {
		base = root
	}
	if made != nil {
		base = deepestExisting(base)
	}
	r, err := openRoot(base)
	if err != nil {
		return nil, err
	}
	if root != "" {
		if err := checkSame(r, base); err != nil {
			return nil, errors.Join(err, r.Close())
		}
	}
	current := base
	for _, name := range splitPath(dir[len(base):]) {
		current = filepath.Join(current, name)
		next, err := enter(r, name, current, made)
		if closeErr := r.Close(); err == nil {
			err = closeErr
		}
		if err != nil {
			return nil, err
		}
		r = next
	}
	return &folder{Root: r, path: dir}, nil
}

// openRoot opens a folder. What is none is not tried: the opening of a pipe
// waits for its other end.
func openRoot(path string) (*os.Root, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if !info.IsDir() {
		return nil, notFolder(path)
	}
	return os.OpenRoot(path)
}

func notFolder(path string) error {
	return &fs.PathError{Op: "open", Path: path, Err: syscall.ENOTDIR}
}

// enter opens the folder name in r, which must not be a link.
func enter(r *os.Root, name, path string, made *[]string) (*os.Root, error) {
	info, err := r.Lstat(name)
	if made != nil && errors.Is(err, fs.ErrNotExist) {
		if err = r.Mkdir(name, 0o777); err == nil {
			*made = append(*made, path)
		}
		if err == nil || errors.Is(err, fs.ErrExist) {
			info, err = r.Lstat(name)
		}
	}
	if err != nil {
		return nil, err
	}
	if isLink(info.Mode()) {
		return nil, errMoved
	}
	if !info.IsDir() {
		return nil, notFolder(path)
	}
	next, err := r.OpenRoot(name)
	if err != nil {
		return nil, err
	}
	opened, err := next.Stat(".")
	if err == nil && !os.SameFile(info, opened) {
		err = errMoved
	}
	if err != nil {
		return nil, errors.Join(err, next.Close())
	}
	return next, nil
}

// checkSame fails when path is no longer the folder that r has open, or is
// now a link to it.
func checkSame(r *os.Root, path string) error {
	named, err := os.Lstat(path)
	if err != nil {
		return err
	}
	opened, err := r.Stat(".")
	if err != nil {
		return err
	}
	if !os.SameFile(named, opened) {
		return errMoved
	}
	return nil
}

// deepestExisting returns the longest part of dir that exists.
func deepestExisting(dir string) string {
	for {
		if _, err := os.Lstat(dir); !errors.Is(err, fs.ErrNotExist) {
			return dir
		}
		parent := filepath.Dir(dir)
		if parent == dir {
			return dir
		}
		dir = parent
	}
}

// removeMade removes the folders that openFolder made, as far as they are
// empty still, children first.
func removeMade(made []string, root string) {
	for i := len(made) - 1; i >= 0; i-- {
		dir, err := openFolder(filepath.Dir(made[i]), root, nil)
		if err != nil {
			return
		}
		err = dir.Remove(filepath.Base(made[i]))
		_ = dir.Close() // nothing was written through it
		if err != nil {
			return
		}
	}
}

// openFile opens the regular file name for reading, without waiting on
// pipes and devices and without following a link.
func (f *folder) openFile(name string) (*os.File, fs.FileInfo, error) {
	const attempts = 4 // an editor's rename between the two looks is no error
	for range attempts {
		named, err := f.Lstat(name)
		if err != nil {
			return nil, nil, err
		}
		if !named.Mode().IsRegular() {
			return nil, nil, f.refuse(name, named.Mode())
		}
		file, info, err := f.openKnown(name, named)
		if !errors.Is(err, errMoved) {
			return file, info, err
		}
	}
	return nil, nil, errMoved
}

// open is openFile for who needs only the size, in bytes.
func (f *folder) open(name string) (io.ReadCloser, int64, error) {
	file, info, err := f.openFile(name)
	if err != nil {
		return nil, 0, err
	}
	return file, info.Size(), nil
}

// openKnown opens the file name if it is still the regular one that was seen
// as known; another one is errMoved.
func (f *folder) openKnown(name string, known fs.FileInfo) (*os.File, fs.FileInfo, error) {
	file, err := f.OpenFile(name, os.O_RDONLY|nonblock, 0)
	if err != nil {
		return nil, nil, err
	}
	opened, err := file.Stat()
	if err == nil && !os.SameFile(known, opened) {
		err = errMoved
	}
	if err != nil {
		return nil, nil, errors.Join(err, file.Close())
	}
	return file, opened, nil
}

// refuse is the error of a name that is no regular file.
func (f *folder) refuse(name string, mode fs.FileMode) error {
	if isLink(mode) {
		return errMoved // a real path has no links
	}
	return notRegular(filepath.Join(f.path, name), mode)
}

// readFile returns the bytes of the regular file name, at most limit. like is
// what they may be expected to be.
func (f *folder) readFile(name string, limit int64, like string) (text string, info fs.FileInfo, err error) {
	file, info, err := f.openFile(name)
	if err != nil {
		return "", nil, err
	}
	defer closeQuietly(file)
	text, err = readWhole(file, filepath.Join(f.path, name), info.Size(), limit, like)
	return text, info, err
}

// readWhole reads an open file of the given size, at most limit bytes.
func readWhole(file io.Reader, path string, size, limit int64, like string) (string, error) {
	if size > limit {
		return "", tooLarge(path, size, limit)
	}
	text, err := readUpTo(file, size, limit, like)
	if errors.Is(err, errTooLong) {
		err = tooLarge(path, limit+1, limit)
	}
	return text, err
}

// errTooLong is the end of readUpTo at its limit.
var errTooLong = errors.New("more bytes than the limit")

// readUpTo reads r to its end, or fails with errTooLong beyond limit bytes.
// size is what to expect, or 0 as files below /proc say; what is appended
// while reading is left out or read, as it comes. A text that is like is
// compared as it is read, and not made a second time.
func readUpTo(r io.Reader, size, limit int64, like string) (string, error) {
	text := growingText{like: like, size: int(size)}
	piece := make([]byte, min(max(size, 512), 64<<10))
	for {
		n, err := r.Read(piece)
		text.add(piece[:n])
		switch read := int64(text.len); {
		case read > limit:
			return "", errTooLong
		case errors.Is(err, io.EOF), size > 0 && read == size:
			return text.string(), nil
		case err != nil:
			return "", err
		}
	}
}

// growingText is a text of which the first len bytes are known.
type growingText struct {
	like  string
	size  int
	len   int
	other strings.Builder // holds the text from the first byte on that like has not
}

func (t *growingText) add(piece []byte) {
	if t.other.Len() == 0 {
		end := t.len + len(piece)
		if end <= len(t.like) && t.like[t.len:end] == string(piece) {
			t.len = end
			return
		}
		t.other.Grow(t.size)
		t.other.WriteString(t.like[:t.len])
	}
	t.other.Write(piece)
	t.len += len(piece)
}

func (t *growingText) string() string {
	if t.other.Len() == 0 {
		return t.like[:t.len]
	}
	return t.other.String()
}
