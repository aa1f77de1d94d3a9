package workspace

import "io/fs"

// dir is an open folder of a walk. What is done to names in it follows no
// link; open is folder's.
type dir struct{ *folder }

// openDir opens a real folder at or below top.
func openDir(path, top string) (dir, error) {
	f, err := openFolder(path, top, nil)
	return dir{f}, err
}

// enter opens the folder name in d; path is its real path.
func (d dir) enter(name, path string) (dir, error) {
	r, err := enter(d.Root, name, path, nil)
	return dir{&folder{Root: r, path: path}}, err
}

// list returns the entries of d, as far as they can be read, in no order.
func (d dir) list() ([]fs.DirEntry, error) {
	f, err := d.Open(".")
	if err != nil {
		return nil, err
	}
	defer closeQuietly(f)
	return f.ReadDir(-1)
}
