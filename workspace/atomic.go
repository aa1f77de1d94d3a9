package workspace

import (
	"crypto/rand"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
)

// newMode is asked of the system for a new file; the umask takes its part.
const newMode fs.FileMode = 0o666

// keptBits are what of a file's mode a new file under its name gets.
const keptBits = fs.ModePerm | fs.ModeSetuid | fs.ModeSetgid | fs.ModeSticky

// stage writes text to a new file in dir, synced and with its final mode,
// ready to be renamed to a name. A file that is replaced lends its mode and
// owner; else mode is set, or 0666 less umask when it is 0. On failure
// nothing is left behind.
func (w *Workspace) stage(dir *folder, text string, mode fs.FileMode, replaced fs.FileInfo) (temp string, err error) {
	temp = ".agent-ls-" + rand.Text() + ".tmp"
	perm := fs.FileMode(0o600) // nobody else reads it before its mode is right
	if replaced == nil && mode == 0 {
		perm = newMode
	}
	if err := w.inject("create", dir.path); err != nil {
		return "", err
	}
	f, err := dir.OpenFile(temp, os.O_WRONLY|os.O_CREATE|os.O_EXCL, perm)
	if err != nil {
		return "", err
	}
	err = w.fillFile(f, text, mode, replaced)
	if closeErr := f.Close(); err == nil {
		err = closeErr
	}
	if err != nil {
		return "", errors.Join(err, dir.Remove(temp))
	}
	return temp, nil
}

// fillFile writes text to f and sets its mode and owner.
func (w *Workspace) fillFile(f *os.File, text string, mode fs.FileMode, replaced fs.FileInfo) error {
	if err := w.inject("write", f.Name()); err != nil {
		return err
	}
	if _, err := io.WriteString(f, text); err != nil {
		return err
	}
	if replaced != nil {
		keepOwner(f, replaced) // before the mode: it clears special bits
		mode = replaced.Mode()
	}
	if mode != 0 {
		if err := f.Chmod(mode & keptBits); err != nil {
			return err
		}
	}
	if err := w.inject("sync", f.Name()); err != nil {
		return err
	}
	err := f.Sync()
	if errors.Is(err, syscall.EINVAL) || errors.Is(err, errors.ErrUnsupported) {
		return nil // this file system has nothing to sync
	}
	return err
}

// rename puts the staged file temp in the place of name.
func (w *Workspace) rename(dir *folder, temp, name string) error {
	if err := w.inject("rename", filepath.Join(dir.path, name)); err != nil {
		return err
	}
	return dir.Rename(temp, name)
}

// remove takes the file name out of dir.
func (w *Workspace) remove(dir *folder, name string) error {
	if err := w.inject("remove", filepath.Join(dir.path, name)); err != nil {
		return err
	}
	return dir.Remove(name)
}

// inject returns the failure that a test asked for.
func (w *Workspace) inject(op, path string) error {
	if w.fault == nil {
		return nil
	}
	return w.fault(op, path)
}
