package workspace

import (
	"errors"
	"io/fs"
	"path/filepath"
)

// Stat returns the file or folder at path, symbolic links followed, editors'
// new files included; Rel is its name. Errors: FS_NOT_FOUND and those of the
// system.
func (v *View) Stat(path string) (Entry, error) {
	p, err := v.locate(path)
	if err != nil {
		return Entry{}, err
	}
	e := Entry{Path: p.abs, Rel: filepath.Base(p.abs)}
	info, err := p.stat()
	if err == nil {
		e.Dir, e.Type, e.Info = info.IsDir(), info.Mode().Type(), info
		return e, nil
	}
	if !errors.Is(err, fs.ErrNotExist) {
		return Entry{}, wrap("stat", p.abs, err)
	}
	if doc, ok := v.w.documents().Document(p.real); ok && doc.Dirty {
		e.Overlay = true
		return e, nil
	}
	if docs, _ := v.unsavedBelow(p.real); len(docs) > 0 {
		e.Dir, e.Overlay = true, true
		return e, nil
	}
	return Entry{}, wrap("find", p.abs, err)
}

// stat describes what the disk has at p.
func (p place) stat() (fs.FileInfo, error) {
	if p.real == p.root { // what is above it may not be readable
		f, err := openFolder(p.real, p.root, nil)
		if err != nil {
			return nil, err
		}
		defer closeQuietly(f)
		return f.Stat(".")
	}
	f, err := p.openParent()
	if err != nil {
		return nil, err
	}
	defer closeQuietly(f)
	return f.Lstat(p.name())
}

// IsDir reports whether path is a folder.
func (v *View) IsDir(path string) bool {
	e, err := v.Stat(path)
	return err == nil && e.Dir
}

// ReadDir returns the entries of the folder at path sorted by name, nothing
// ignored, editors' new files included. Entries that cannot be read are left
// out. Errors are those of Walk.
func (v *View) ReadDir(dir string) ([]Entry, error) {
	top, _, end, err := v.startWalk(dir)
	if err != nil {
		return nil, err
	}
	defer end()
	entries, err := top.read()
	if err != nil {
		return nil, wrap("list", top.abs, err)
	}
	return entries, nil
}
